#!/bin/sh
# counts.sh RINGVIZ CHECKER PROGRAM [ARG...]: the report's counts equal the program's own.
# With MAY_DROP in the environment drops are allowed; OPTIONS is given to ringviz.
set -u
ringviz=$1 checker=$2
shift 2
. "${0%/*}/harness.sh"

run ${OPTIONS:-} --report=json --output="$folder/report.json" -- "$@"
cat "$folder/err" >&2
expect "exit status" $status 0
check "the counts" "$checker" "$folder/out" "$folder/report.json" ${MAY_DROP:+may-drop}
conclude
