#!/bin/sh
# atomics.sh ROOT: an ordering stronger than relaxed names its partner, "/* P1 -> C1 */" where it publishes and
# "/* C1 <- P1 */" where it receives, on the line of the ordering or up to the end of its statement, and the partner
# exists. No operation omits its ordering. Signal fences order nothing between threads and need no label.
cd "$1" || exit 1

exec awk '
function fail(what) {
    print FILENAME ":" FNR ": " what
    n_bad++
}
# The line without its comments; a comment may continue from the previous line.
function code_of(line, code, at, slashes) {
    code = ""
    for (;;) {
        if (in_comment) {
            at = index(line, "*/")
            if (!at)
                return code
            line = substr(line, at + 2)
            in_comment = 0
        }
        at = index(line, "/*")
        slashes = index(line, "//")
        if (slashes && (!at || slashes < at))
            return code substr(line, 1, slashes - 1)
        if (!at)
            return code line
        code = code substr(line, 1, at - 1)
        line = substr(line, at + 2)
        in_comment = 1
    }
}
# Collect every "A -> B" and "A <- B" of the line; returns their number.
function note_labels(line, n, words) {
    n = 0
    while (match(line, label)) {
        split(substr(line, RSTART, RLENGTH), words, " ")
        where[words[1] " " words[2] " " words[3]] = FILENAME ":" FNR
        line = substr(line, RSTART + RLENGTH)
        n++
    }
    return n
}
BEGIN {
    label = "[A-Z][A-Za-z]*[0-9]+ (->|<-) [A-Z][A-Za-z]*[0-9]+"
    strong = "memory_order_(acquire|release|acq_rel|seq_cst|consume)|__ATOMIC_(ACQUIRE|RELEASE|ACQ_REL|SEQ_CST|CONSUME)"
    operation = "(load|store|exchange|compare_exchange_strong|compare_exchange_weak|fetch_(add|sub|or|and|xor)|flag_test_and_set|flag_clear)"
    while (("find src include -type f | sort" | getline path) > 0)
        if (path ~ /\.(c|h|[ch]pp)$/)
            ARGV[ARGC++] = path
    if (ARGC == 1) {
        print "no sources found"
        exit 1
    }
}
FNR == 1 { in_comment = pending = 0 }
{
    code = code_of($0)
    if (code ~ ("(^|[^a-z_])atomic_" operation "[ \t]*\\(") || code ~ /__sync_[a-z]/)
        fail("an atomic operation without an explicit ordering")
    if (code ~ strong && code !~ /signal_fence/)
        pending = 1
    # A table of labels in a comment is not the ordering itself.
    if ((pending || code ~ /[^ \t]/) && note_labels($0))
        pending = 0
    if (pending && code ~ /[;{}]/) {
        fail("an ordering without its label")
        pending = 0
    }
}
END {
    for (pair in where) {
        split(pair, words, " ")
        peer = words[3] " " (words[2] == "->" ? "<-" : "->") " " words[1]
        if (!(peer in where)) {
            print where[pair] ": " pair " has no peer: " peer
            n_bad++
        }
    }
    exit n_bad > 0
}
'
