#!/bin/sh
# profiled.sh RINGVIZ CHECKER PROGRAM...: programs built with -pg, with -mfentry and without, whose counts are those of
# the report; their exceptions, jumps, threads and cancelled threads end as they do untraced.
set -u
ringviz=$1 checker=$2
shift 2
. "${0%/*}/harness.sh"

cd "$folder" || exit 1 # gmon.out
for program; do
    run --report=json --force --output="$folder/report.json" -- "$program"
    expect "exit status of $program: $(cat "$folder/err")" $status 0
    check "the counts of $program" "$checker" "$folder/out" "$folder/report.json"
    [ -s gmon.out ] || fail "$program wrote no gmon.out"
    rm -f gmon.out
done
conclude
