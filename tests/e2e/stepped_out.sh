#!/bin/sh
# stepped_out.sh RINGVIZ PROGRAM: a thread can be at any instruction of a patched call and its return when a signal's handler
# throws or jumps out of it there, or returns only after ringviz has gone, or has come again.
set -u
ringviz=$1 program=$2
. "${0%/*}/harness.sh"

wanted="wrong 0, some at a trampoline's call, some behind the call"
set -- --patch='^(last|tail|deep)$' --max-overhead=off --rings=512 --ring-events=4096 --force --report=json \
    --output="$folder/report.json"
calls() { # NAME
    sed -n "s/.*::$1\",[^}]*\"calls\":\([0-9]*\),.*/\1/p" "$folder/report.json"
}

for way in return throw jump; do
    printf psg | timeout 100 "$ringviz" "$@" -- "$program" $way >"$folder/out" 2>"$folder/err"
    status=$?
    expect "$way: status" $status 0
    expect "$way: $(cat "$folder/err")" "$(tail -n 1 "$folder/out")" "$wanted"
    expect "$way: calls that are not stepped through" "$(calls deep)" 80800
    [ $way != return ] || expect "calls that return" "$(calls tail), $(calls last)" "400, 1200"
done

tell() { # COMMAND
    n_told=$((n_told + 1))
    printf %s "$1" >&9
    within 90 grep -qx $n_told "$folder/program" || fail "$case: no answer to $1"
}
begin_tracing() {
    "$ringviz" -p $pid "$@" >/dev/null 2>"$folder/err" </dev/null &
    tracer=$!
    tell p
}
end_tracing() {
    kill -INT $tracer
    wait $tracer
    status=$?
    expect "$case: status: $(cat "$folder/err")" $status 0
}
for way in return throw jump; do
    for tracings in one two; do
        case="$way, $tracings"
        n_told=0
        begin_program $way.$tracings "$program" $way
        begin_tracing "$@"
        tell s
        end_tracing
        [ $tracings = one ] || begin_tracing "$@"
        tell g
        [ $tracings = one ] || end_tracing
        exec 9>&-
        wait $pid
        expect "$case: status of the program" $? 0
        expect "$case" "$(tail -n 1 "$folder/program")" "$wanted"
    done
done
conclude
