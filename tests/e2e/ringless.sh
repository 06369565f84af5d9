#!/bin/sh
# ringless.sh RINGVIZ PROGRAM PLAIN: a thread that has found no ring, or has no memory, is traced as soon as it can be; a
# process without room for the trace file, and one that may not read the clock any more, is counted and runs as if untraced; so does
# one that filters its system calls, which is traced.
set -u
ringviz=$1 program=$2 plain=$3
. "${0%/*}/harness.sh"

run --rings=2 --report=csv -- "$program" child
grep -q '::counted,.*,100,' "$folder/out" || fail "a child without fork handlers: $(cat "$folder/out")"

run --waits=arcs-csv -- "$program" origin
maker=$(sed -n 's/^made by //p' "$folder/out")
expect "who made the thread" "$(awk -F, '$1 == "start" { print $7 }' "$folder/out")" "$maker"

run --rings=2 --ring-events=4096 --patch=off --report=csv -- "$program" memory
grep -q '::counted,.*,100,' "$folder/out" || fail "no memory for a shadow stack: $(cat "$folder/out" "$folder/err")"

run --fail-on-loss --report --output="$folder/report" -- sh -c 'ulimit -v 200000; exec "$1" child' sh "$plain"
expect "no room for the trace file" $status 1
grep -q '^ringviz: 1 time a thread found no ring:.*(ulimit -v)' "$folder/err" || fail "it is not said: $(cat "$folder/err")"
grep -q '^lost: 1 time a thread found no ring$' "$folder/report" || fail "it is not reported: $(cat "$folder/report")"

for traced in "$program" "$plain"; do
    for options in --clock=tsc --clock=monotonic "--clock=tsc --libcalls" "--clock=tsc --syscalls"; do
        run --report=json --output="$folder/strict.json" --force $options -- "$traced" strict
        expect "seccomp's strict mode, $traced $options: status" $status 9
        expect "seccomp's strict mode, $traced $options: output" "$(cat "$folder/out")" confined
        grep -q '"threads_without_ring":1[,}]' "$folder/strict.json" || fail "$traced $options: it is not counted"
    done
    run --report=csv -- "$traced" cell
    grep -q '::counted,.*,200,' "$folder/out" || fail "a child in strict mode, $traced: $(cat "$folder/out")"
    run --fail-on-loss --report=csv -- "$traced" probe
    expect "strict mode is asked for in vain, $traced: status" $status 0
    grep -q '::counted,.*,100,' "$folder/out" || fail "strict mode is asked for in vain: $(cat "$folder/out")"
    run --waits=csv -- "$traced" probe
    grep -q '^read,pipe,1,' "$folder/out" || fail "a filter is asked for in vain: $(cat "$folder/out")"
done

for traced in "$program" "$plain"; do
    for options in --clock=tsc --libcalls; do
        run --report=csv $options -- "$traced" filtered
        expect "a filter, $traced $options: status" $status 0
        grep -q '^filtered$' "$folder/out" || fail "a filter, $traced $options: $(cat "$folder/out" "$folder/err")"
        grep -q '::counted,.*,100,' "$folder/out" || fail "a filter, $traced $options: calls are missing"
    done
done

begin_program in "$plain" attach
within 90 grep -q running "$folder/program" || fail "the program does not start"
lacks_ring() {
    run -p $pid --rings=1 --patch='before|counted' --duration=0.1s --report
    grep -q 'found no ring' "$folder/err"
}
within 90 lacks_ring || fail "all threads found a ring"
run -p $pid --rings=8 --patch='before|counted' --duration=0.3s --report
grep -q '^lost:' "$folder/out" && fail "attached to again: $(cat "$folder/out")"
kill $pid
conclude
