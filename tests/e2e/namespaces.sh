#!/bin/sh
# namespaces.sh RINGVIZ CHECKER PROGRAM: children with their parent's pid, in a PID namespace of their own, have rings of
# their own, and nothing is lost.
set -u
ringviz=$1 checker=$2 program=$3
. "${0%/*}/harness.sh"

run --report=json --output="$folder/report.json" -- "$program"
[ $status -ne 77 ] || { echo "no namespaces may be made here"; exit 77; }
cat "$folder/err" >&2
expect "exit status" $status 0
check "the counts" "$checker" "$folder/out" "$folder/report.json"
run --report -- "$program"
expect "processes that are traced" "$(grep -c ' program_namespaces: hooks' "$folder/out")" 3
conclude
