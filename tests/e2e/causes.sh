#!/bin/sh
# causes.sh RINGVIZ PLANTED: of programs that wait for a planted cause, --waits and --critical-path name it.
set -u
ringviz=$1 planted=$2
. "${0%/*}/harness.sh"

record() { # PROBLEM OPTION...: and its tables
    run --headless --record="$folder/$1.rvz" -- "$planted" "$1"
    expect "$1: exit status" $status 0
    run --waits=csv "$folder/$1.rvz"
    sed 's/program_planted:://g' "$folder/out" >"$folder/waits"
    problem=$1
    shift
    run --critical-path=csv "$@" "$folder/$problem.rvz"
    sed 's/program_planted:://g' "$folder/out" >"$folder/path"
}
waits_first() { # KIND OBJECT WAITER-CALL HOLDER-CALL: most waiting was for this
    got=$(awk -F, 'NR == 2 { print $1 "," $2 "," $14 "," $17 }' "$folder/waits")
    expect "$problem: most waiting" "$got" "$1,$2,$3,$4"
}
waits_for() { # KIND OBJECT HOLDER-CALL
    awk -F, -v kind="$1" -v object="$2" -v holder="$3" '$1 == kind && $2 == object && $17 == holder { found = 1 }
        END { exit !found }' "$folder/waits" || fail "$problem: no $1 $2 held in $3: $(cat "$folder/waits")"
}
# At least four fifths of the path is in it, but for what a busy machine makes long: waits of others for a CPU, and the beginning and
# the end of threads, outside of their calls.
path_in() { # SUBROUTINE COLUMN
    awk -F, -v name="$1" -v column="$2" '$1 == "subroutines" && $2 == name { time = $column }
        $1 == "subroutines" && $2 != name { others += $7 } $1 == "outside of calls" { others += $3 } $1 == "all" { all = $3 }
        END { exit !(time >= 0.8 * (all - others) && all > 0) }' "$folder/path" ||
        fail "$problem: most of the path is not in $1: $(cat "$folder/path")"
}
waited_in() { # KIND STACK: the longest wait
    awk -F, -v kind="$1" -v stack="$2" '$1 == kind && $20 == stack { found = 1 } END { exit !found }' "$folder/waits" ||
        fail "$problem: no $1 in $2: $(cat "$folder/waits")"
}
path_first() { # WHAT NAME
    expect "$problem: most of $1" "$(awk -F, -v what="$1" '$1 == what { print $2; exit }' "$folder/path")" "$2"
}
total=5 runnable=7

record convoy
waits_first mutex lock serve hold_the_lock
path_first objects "mutex lock"
path_in hold_the_lock $total

# Idle workers, which wait for work longer than for anything else, do not hide the lock.
record idle
waits_first mutex lock serve hold_the_lock
waits_for condition has_work ""
path_in hold_the_lock $total

record starvation
waits_for condition turn take_turn
path_in take_turn $total

record inversion --find=get_the_lock
waits_first mutex lock get_the_lock hold_at_low_priority
path_first subroutines work_while_holding
path_in work_while_holding $total
run --report=json "$folder/inversion.rvz"
! grep -q '"states_known":true' "$folder/out" || path_in work_while_holding $runnable

record consumer
waits_for write pipe consume
path_in digest $total

record slow --find=handle
waited_in sleep "main;slow;handle;read_cold_cache;sleep_ms"
path_in read_cold_cache $total
path_first unknown sleep
conclude
