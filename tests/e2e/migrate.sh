#!/bin/sh
# migrate.sh RINGVIZ MIGRATE: threads of a runtime that change native threads have a lane each, with all of their calls, and
# those that were open in a forked child.
set -u
ringviz=$1 migrate=$2
. "${0%/*}/harness.sh"

count() { # NAME
    awk -F, -v name="$1" 'NR > 1 && $6 == name { n[$1 " " $2]++ } END { for (lane in n) print n[lane] }' "$folder/spans" | sort -n | uniq -c | tr -s ' '
}

run --patch=off --spans=csv --output="$folder/spans" -- "$migrate"
expect "exit status" $status 0
head -1 "$folder/spans" | grep -q '^process,thread,depth,start_ns,duration_ns,name,' || fail "--spans=csv has other columns"
expect "calls that were cut, or begin nowhere" "$(awk -F, 'NR > 1 && $NF != ""' "$folder/spans")" ""
expect "outer calls, of each lane" "$(count Job::outer)" " 8 1
 8 1001"
expect "inner calls" "$(count Job::inner)" " 8 1
 8 1001"
expect "depths" "$(awk -F, 'NR > 1 { print $6, $3 }' "$folder/spans" | sort -u)" "Job::inner 1
Job::outer 0"

run --patch=off --report=json --output="$folder/report.json" -- "$migrate"
expect "waits for a native thread" "$(jq '[.threads[] | select(.ready_ns > 0 and .suspended_ns > 0)] | length' "$folder/report.json")" 16
expect "names" "$(jq -r '[.threads[].name] | unique | join(",")' "$folder/report.json")" "job 0,job 1,job 2,job 3,job 4,job 5,job 6,job 7"
conclude
