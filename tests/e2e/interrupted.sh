#!/bin/sh
# interrupted.sh RINGVIZ PROGRAM: a thread can be unwound from any instruction of hooks and of the trampolines to which calls
# return, as where it is cancelled in a signal's handler.
set -u
ringviz=$1 program=$2
. "${0%/*}/harness.sh"

"$program" 3 >"$folder/wanted" 2>/dev/null
expect "untraced" "$(cat "$folder/wanted")" "sum 15273, some frames, some steps, wrong 0"
traced() { # WHAT OPTION...
    what=$1
    shift
    run --patch='^(last|tail|deep|call_all)$' "$@" --force --report=json --output="$folder/report.json" -- "$program" 3
    expect "$what: status" $status 0
    check "$what: $(cat "$folder/err")" cmp "$folder/out" "$folder/wanted"
    grep -q '::last",[^}]*"calls":12,' "$folder/report.json" || fail "$what: not 12 calls of last"
}
traced "calls"
printf 'uint deep(uint);\nuint tail(uint, uint*);\nuint last(uint);\n' >"$folder/prototypes"
traced "calls with arguments" -F "$folder/prototypes"
conclude
