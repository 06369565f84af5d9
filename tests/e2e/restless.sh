#!/bin/sh
# restless.sh RINGVIZ PROGRAM: ringviz gets into a program whose threads are forking, allocating, ending and cancelled, and
# out again, and the program goes on. CYCLES: how often, within half a minute.
set -u
ringviz=$1 program=$2
. "${0%/*}/harness.sh"

begin_program in "$program"
n_attached=0
cycle=0
uptime
end=$((now + 30))
while [ $cycle -lt ${CYCLES:-25} ] && [ "$now" -lt $end ]; do
    run -p $pid --patch=auto --duration=0.05s --headless --report=json --output="$folder/report.json" --force
    kill -0 $pid 2>/dev/null || break
    [ $status -eq 0 ] && n_attached=$((n_attached + 1))
    cycle=$((cycle + 1))
    uptime
done
exec 9>&-
has_ended() {
    ! kill -0 $pid 2>/dev/null || grep -q '^State:[[:space:]]*Z' /proc/$pid/status
}
within 90 has_ended || fail "the program goes on no more: $(cat /proc/$pid/task/*/wchan 2>/dev/null)"
kill -KILL $pid 2>/dev/null
wait $pid
expect "exit status of the program after $cycle cycles" $? 0
# It may be refused where no thread can be taken at that moment, which a busy machine makes likely.
echo "attached $n_attached times of $cycle"
[ $n_attached -gt 0 ] || fail "never attached: $(cat "$folder/err")"
conclude
