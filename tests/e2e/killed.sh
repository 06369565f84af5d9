#!/bin/sh
# killed.sh RINGVIZ PROGRAM: open calls of a process that is killed last until its last sign of life, which other threads may have
# given: reported live, and from a recording.
set -u
ringviz=$1 program=$2
. "${0%/*}/harness.sh"

lasts() { # WHAT FUNCTION LEAST_MS: its total in the report
    total_ns=$(awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR > 1 && $at["name"] ~ name { print $at["total_ns"] }' "$folder/report.csv")
    [ "${total_ns:-0}" -ge $(($3 * 1000000)) ] || fail "$1: $2 takes ${total_ns:-nothing} ns, not $3 ms"
}

run --states=off --record="$folder/killed.rvz" --report=csv --force --output="$folder/report.csv" -- "$program"
expect "status" $status 137
least_ms=$(($(grep -x "[0-9]*" "$folder/out") * 9 / 10))
for way in live recorded; do
    lasts $way spin $least_ms
    lasts $way main $least_ms
    run --report=csv --force --output="$folder/report.csv" "$folder/killed.rvz"
    expect "status of the report" $status 0
done
conclude
