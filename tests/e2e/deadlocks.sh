#!/bin/sh
# deadlocks.sh RINGVIZ DEADLOCKS: threads that wait for each other still do so while they are traced, and the report of their
# waits has the cycle: who waits for which lock, which thread has it, and in which calls.
set -u
ringviz=$1 deadlocks=$2
. "${0%/*}/harness.sh"

hang() { # SCENE: it has hung for 300 ms once it ends
    run --waits=csv --record="$folder/$1.rvz" --force --output="$folder/waits" -- "$deadlocks" "$1"
    sed -n 's/^deadlock,//p' "$folder/waits" | sed 's/program_deadlocks:://g' >"$folder/cycle"
}
# Columns: object,waits,total,p99,longest,five wakes,waiter,name,call,holder,name,call,held,its calls,the waiter's
is_cycle() { # SCENE N STACK: N threads, each waits for the next, for 300 ms or more
    awk -F, -v n="$2" -v stack="$3" '
        { waits_for[$11] = $14; if ($3 < 300000000 || $18 !~ stack || $19 !~ stack) wrong = 1 }
        NR == 1 { first = at = $11 }
        END { for (i = 0; i < n && !wrong; i++) { if (!(at in waits_for)) wrong = 1; at = waits_for[at] }
              exit !(NR == n && !wrong && at == first) }' "$folder/cycle" ||
        fail "$1: no cycle of $2 in $3: $(cat "$folder/waits")"
}
for scene in two:2 three:3 self:1 shared:2 rwlock:2 again:2 overtaken:2; do
    hang ${scene%:*}
    is_cycle ${scene%:*} ${scene#*:} "take_second|read_table"
    # A recording has it, too.
    cp "$folder/cycle" "$folder/live"
    run --waits=csv --force --output="$folder/waits" "$folder/${scene%:*}.rvz"
    sed -n 's/^deadlock,//p' "$folder/waits" | sed 's/program_deadlocks:://g' >"$folder/cycle"
    check "the recording of $scene" cmp "$folder/live" "$folder/cycle"
done
hang timed # will give up
expect "deadlocks of one that gives up" "$(cat "$folder/cycle")" ""
hang passed # waits for a thread that waits for nobody
expect "deadlocks with a lock that was passed on" "$(cat "$folder/cycle")" ""
run --waits "$folder/two.rvz"
expect "lines of the cycle as text" "$(grep -c ' waits for mutex program_deadlocks::own.*, which ' "$folder/out")" 2
run --waits=json "$folder/three.rvz"
expect "deadlocks as JSON" "$(grep -o '"deadlocks":\[\[{.*}\]\]' "$folder/out" | grep -o '"waiter_stack"' | wc -l)" 3
conclude
