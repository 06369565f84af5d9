#!/bin/sh
# open_calls.sh RINGVIZ PROGRAM: calls that are open when a program is attached to are shown from then on, and their returns, too.
set -u
ringviz=$1 program=$2
. "${0%/*}/harness.sh"

begin_program in "$program"
within 90 grep -q running "$folder/program" || fail "the program does not start"

# NAME: its calls, each as it ended.
ends_of() {
    awk -F, -v name="$1\$" 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        $column["name"] ~ name { print $column["flags"] }' "$folder/spans.csv"
}
sees_all() {
    run -p $pid --duration=0.05s --force --max-overhead=off --spans=csv --output="$folder/spans.csv"
    expect "exit status" $status 0
    for name in main count_twice count_until read_all await_line; do
        [ "$(ends_of $name)" = open ] || return 1
    done
}
for cycle in 1 2 3; do
    within 90 sees_all || fail "cycle $cycle: not all calls are open: $(cat "$folder/spans.csv")"
done

# They return while it is traced.
"$ringviz" -p $pid --force --max-overhead=off --spans=csv --output="$folder/spans.csv" --record="$folder/run.rvz" \
    --verbose 2>"$folder/err" >"$folder/out" &
ringviz_pid=$!
within 90 grep -q 'to write jumps$' "$folder/err" || fail "no jumps: $(cat "$folder/err")"
echo r >&9
has_begun_again() {
    [ "$("$ringviz" --report=csv --force --filter=name:count_until "$folder/run.rvz" 2>/dev/null | wc -l)" -gt 1 ]
}
within 90 has_begun_again || fail "no call after the first ones"
kill -INT $ringviz_pid
wait $ringviz_pid
expect "exit status where they have returned" $? 0
expect "main" "$(ends_of main)" open
expect "calls that return" "$(ends_of count_until | head -n 1)" ""
expect "and those after them" "$(ends_of count_until | tail -n 1)" open

# Traced no more, they return to where they were called.
run -p $pid --duration=0.05s --force --spans=csv --output="$folder/spans.csv"
exec 9>&-
within 90 grep -q ended "$folder/program" || fail "the program does not end"
wait $pid
expect "the program's exit status" $? 0
conclude
