#!/bin/sh
# layers.sh ROOT: no include and no link that the table of rooms in src/README.md does not allow; its numbers of lines and
# files are right to a fifth, and no room has more than a tenth of all lines.
cd "$1" || exit 1

exec awk '
# "| `ring` | the trace file: ... | 5,000 in 36 | base |": a room, its lines and files, the rooms whose headers it may include.
function read_table(path, cells, line, n, size) {
    while ((getline line < path) > 0) {
        if (line !~ /^\| `[a-z\/]+` \|/)
            continue
        n = split(line, cells, /[ ]*\|[ ]*/)
        gsub(/`/, "", cells[2])
        gsub(/,/, "", cells[n - 1])
        split(cells[n - 2], size, " in ")
        gsub(/,/, "", size[1])
        lines[cells[2]] = size[1]
        files[cells[2]] = size[2]
        allowed[cells[2]] = " " (cells[n - 1] == "nothing" ? "" : cells[n - 1]) " "
        if (!(cells[2] in draws))
            banned[cells[2]] = cells[2] == "scan" ? pure : no_gl
    }
}
function fail(what) {
    print FILENAME ":" FNR ": " what
    n_bad++
}
# "src/producers/native/hooks.c" belongs to producers/native, "src/base/err.c" to base.
function layer_of(path, parts, n) {
    sub(/^\.\//, "", path)
    n = split(path, parts, "/")
    if (parts[1] == "include")
        return "include"
    if (parts[2] == "producers")
        return parts[2] "/" parts[3]
    return n > 2 ? parts[2] : ""
}
function may_use(from, to) {
    return from == to || allowed[from] == " everything " || index(allowed[from], " " to " ")
}
function check_include(from, line, path, to) {
    if (line ~ /</) {
        path = line
        sub(/^[^<]*</, "", path)
        sub(/>.*/, "", path)
        if (banned[from] != "" && path ~ banned[from])
            fail(from " must not include <" path ">")
        return
    }
    if (line !~ /"/)
        return # a macro of FreeType, which names a system header
    path = line
    sub(/^[^"]*"/, "", path)
    sub(/".*/, "", path)
    if (path ~ /^ringviz\//)
        return
    if (path ~ /\.\./ || path !~ /\//) {
        fail("include \"" path "\" by its layer, as \"layer/file.h\"")
        return
    }
    to = path
    sub(/\/[^\/]*$/, "", to)
    if (!may_use(from, to))
        fail(from " must not include " path)
}
function check_links(text, words, n, i, from, in_depends) {
    while (match(text, /rv_layer\([^)]*\)/)) {
        n = split(substr(text, RSTART + 9, RLENGTH - 10), words, /[ \t\n]+/)
        text = substr(text, RSTART + RLENGTH)
        from = ""
        in_depends = 0
        for (i = 1; i <= n; i++) {
            if (words[i] == "")
                continue
            if (from == "")
                from = words[i]
            else if (words[i] == "DEPENDS")
                in_depends = 1
            else if (in_depends && words[i] ~ /^[a-z]+$/ && (from in allowed) && !may_use(from, words[i]))
                fail(from " must not link " words[i])
        }
    }
}
# Is a number of the table off by more than a fifth, and by more than slack?
function is_off(said, counted, slack, off) {
    off = said > counted ? said - counted : counted - said
    return off > slack && off > counted / 5
}
function check_sizes(room, all) {
    for (room in n_lines)
        all += n_lines[room]
    for (room in n_lines) {
        if (is_off(lines[room], n_lines[room], 200) || is_off(files[room], n_files[room], 5)) {
            print "src/README.md: " room " has " n_lines[room] " in " n_files[room]
            n_bad++
        }
        if (all > 20000 && n_lines[room] > all / 10) {
            print room " has more than a tenth of all " all " lines"
            n_bad++
        }
    }
}
BEGIN {
    no_gl = "^(SDL|GL|cglm|imgui|hb|fribidi|fontconfig)"
    pure = "^(SDL|GL|cglm|hb|fribidi|fontconfig|threads[.]h|time[.]h|sys/)"
    split("glyphs render ui viewer window bench cli", names, " ")
    for (i in names)
        draws[names[i]] = 1
    allowed["include"] = " "
    banned["include"] = no_gl
    read_table("src/README.md")
    while (("find src include -type f | sort" | getline path) > 0)
        if (path ~ /(\.([ch]|[ch]pp|p[lm]|rb)|CMakeLists\.txt)$/ && path !~ /\/t\// && path != "src/CMakeLists.txt")
            ARGV[ARGC++] = path
    if (ARGC == 1) {
        print "no sources found"
        exit 1
    }
}
FNR == 1 {
    check_links(build)
    build = ""
    current = layer_of(FILENAME)
    if (!(current in allowed))
        fail("the layer " current " is not in the table")
    if (FILENAME !~ /CMakeLists/ && current != "include")
        n_files[current]++
}
FILENAME ~ /CMakeLists\.txt$/ { build = build $0 "\n"; next }
current != "include" { n_lines[current]++ }
/^[ \t]*#[ \t]*include/ && FILENAME ~ /[.](h|c|[ch]pp)$/ { check_include(current, $0) }
END {
    check_links(build)
    check_sizes()
    exit n_bad > 0
}
'
