#!/bin/sh
# switches.sh RINGVIZ SWITCHES: calls that are open on several stacks in turns have their own returns, whatever changes the
# stack: swapcontext() and the link of a context, ringviz_stack_switch(), coroutines of C++20; and while another stack is
# current, a call's time is not its own but suspended.
set -u
ringviz=$1 switches=$2
. "${0%/*}/harness.sh"

SUSPENDED='[.subroutines[] | .self_suspended_ns] | add'

time_of() { # REPORT: own time of all calls, without the time suspended, in ns
    jq '[.subroutines[] | .self_ns - (.self_suspended_ns // 0)] | add' "$1"
}

span_of() { # CALLS: from the first one's begin to the last one's end, in ns
    awk -F, 'NR > 1 { end = $4 + $5; if (NR == 2 || $4 < first) first = $4; if (end > last) last = end }
             END { printf "%d\n", last - first }' "$1"
}

for way in context marked coroutine; do
    "$switches" $way 200 >"$folder/counts"
    [ $? -eq 77 ] && continue
    run --spans=csv --output="$folder/calls" --force -- "$switches" $way 200
    expect "exit status of $way" $status 0
    for name in deep leaf; do
        expect "calls of $name, $way" "$(cut -d, -f6 "$folder/calls" | grep -c "::$name\$")" "$(sed -n "s/^COUNT $name //p" "$folder/counts")"
    done
    expect "calls without their returns, $way" "$(awk -F, 'NR > 1 && $NF != ""' "$folder/calls" | wc -l)" 0
    [ $way = coroutine ] && continue # these change no stack
    run --record="$folder/recording" --report=json --output="$folder/live" --force -- "$switches" $way 200
    expect "exit status of $way, recorded" $status 0
    run --spans=csv --output="$folder/calls" --force "$folder/recording"
    run --report=json --output="$folder/replayed" --force "$folder/recording"
    for report in live replayed; do
        check "own time of $way, $report" [ "$(time_of "$folder/$report")" -le "$(span_of "$folder/calls")" ]
    done
    expect "suspended of $way, replayed" "$(jq "$SUSPENDED" "$folder/replayed")" "$(jq "$SUSPENDED" "$folder/live")"
done
conclude
