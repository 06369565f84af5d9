#!/bin/sh
# trigger.sh RINGVIZ PROGRAM SLOW: a recording with a trigger has the events around its hits, and can be replayed, checked and repaired
# with the same numbers.
set -u
ringviz=$1
fib=$2
slow=$3
. "${0%/*}/harness.sh"

cd "$folder" || exit 1

# One call among millions.
run --states=off --record=hit.rvz --trigger='slow ::dawdle$ > 50ms' --trigger='depth > 50' --trigger-keep=100ms --headless -- "$slow"
check "exit status $status: $(cat err)" [ $status -eq 0 ]
line="^ringviz: hit.rvz: 1 hit: \([0-9]*\) events around them and of the end in [0-9]* bytes; \([0-9]*\) others were discarded$"
check "what was kept: $(cat err)" grep -q "$line" err
n_events=$(sed -n "s/$line/\1/p" err)
n_gone=$(sed -n "s/$line/\2/p" err)
check "nothing was discarded" [ "$n_gone" -gt 0 ]
run --check hit.rvz
check "check: exit status $status: $(cat out err)" [ $status -eq 0 ]
check "check: $(cat out)" grep -q "^hit.rvz: $n_events events of " out
check "check: $(cat out)" grep -q "^hit.rvz: $n_gone other events were discarded$" out
run --report --force --output=report.hit hit.rvz
check "report: exit status $status: $(cat err)" [ $status -eq 0 ]
check "report: numbers" grep -q "^$n_events events produced, $n_events consumed, 0 dropped" report.hit
check "report: the slow call: $(grep dawdle report.hit)" grep -qE "^ +1 .*::dawdle " report.hit
of_threads=$(awk '/^ +process/ { on = 1; next } on && NF { n += $3 } on && !NF { exit } END { print n }' report.hit)
check "report: $of_threads events of threads" [ "$of_threads" -eq "$n_events" ]
said=$(sed -n 's/.*has the newest events only: \([0-9]*\) earlier.*/\1/p; s/.*hit.rvz: \([0-9]*\) events between.*/\1/p' err |
    awk '{ n += $1 } END { print n }')
check "report: $said of $n_gone are reported as gone" [ "$said" -eq "$n_gone" ]
run --repair=mended.rvz hit.rvz
check "repair: exit status $status: $(cat err)" [ $status -eq 0 ]
run --check mended.rvz
check "mended: $(cat out err)" [ $status -eq 0 ]
run --report --force --output=report.mended mended.rvz
check "mended: another report" cmp -s report.hit report.mended
run --record=again.rvz --headless hit.rvz
check "recorded again: exit status $status: $(cat err)" [ $status -eq 0 ]
run --check again.rvz
check "recorded again: $(cat out err)" [ $status -eq 0 ]
run --report --force --output=report.again again.rvz
counts() { # REPORT
    grep ' events produced, ' "$1"
}
check "recorded again: other counts: $(counts report.again)" [ "$(counts report.again)" = "$(counts report.hit)" ]

# A trigger works on a recording as on a program.
run --record=replayed.rvz --trigger='call ::dawdle$' --headless hit.rvz
check "of a recording: exit status $status: $(cat err)" [ $status -eq 0 ]
check "of a recording: $(cat err)" grep -q "replayed.rvz: 1 hit: " err

# No hit: the recording has the end only.
run --record=none.rvz --trigger='call ::nobody$' --trigger-keep=50ms --headless -- "$fib" 18
check "no hit: exit status $status: $(cat err)" [ $status -eq 0 ]
check "no hit: $(cat err)" grep -q "^ringviz: none.rvz: 0 hits: [1-9]" err
run --check none.rvz
check "no hit: check: $(cat out err)" [ $status -eq 0 ]

# Invalid triggers.
usage() { # OPTIONS...
    run "$@" -- "$fib" 5
    check "$*: exit status $status" [ $status -eq 2 ]
    check "$*: $(cat err)" [ "$(grep -c "^ringviz: " err)" -eq 1 ]
    check "$*: a file is left" [ ! -e no.rvz ]
}
usage --headless --trigger=lost
usage --headless --record=no.rvz --trigger-keep=1s
usage --headless --record=no.rvz --trigger='slow a > b'
usage --headless --record=no.rvz --trigger='slow ( > 5ms'
usage --headless --record=no.rvz --trigger=lost --trigger-keep=0s
usage --headless --record=no.rvz --trigger=lost --trigger-keep=1s,
usage --headless --record=no.rvz --trigger=lost --trigger-keep=,1s

conclude
