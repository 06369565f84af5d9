#!/bin/sh
# lock_order.sh RINGVIZ LOCK_ORDER [LOCK_ORDER_TSAN]: tools that watch the order in which locks are taken report the same of a
# traced program: helgrind, where valgrind is installed, and ThreadSanitizer.
set -u
ringviz=$1 program=$2 sanitized=${3:-}
. "${0%/*}/harness.sh"

reports() { # FILE: without numbers of processes and addresses
    grep -E 'lock order|lock-order-inversion|ERROR SUMMARY' "$1" | sed 's/^==[0-9]*== //; s/(pid=[0-9]*)//; s/0x[0-9A-Fa-f]*/ADDRESS/g'
}

same() { # WHAT COMMAND...: its reports, alone and traced
    what=$1
    shift
    timeout 100 "$@" >"$folder/alone" 2>&1
    alone=$?
    run --headless -- "$@"
    expect "exit status under $what" $status $alone
    reports "$folder/alone" >"$folder/reports"
    cat "$folder/out" "$folder/err" >"$folder/traced"
    [ -s "$folder/reports" ] || fail "$what reports nothing: $(cat "$folder/alone")"
    expect "what $what reports" "$(reports "$folder/traced")" "$(cat "$folder/reports")"
}

if command -v valgrind >/dev/null; then
    same helgrind valgrind --tool=helgrind "$program"
    grep -q 'lock order' "$folder/reports" || fail "helgrind: no order of locks: $(cat "$folder/alone")"
fi
[ -z "$sanitized" ] || same ThreadSanitizer "$sanitized"
conclude
