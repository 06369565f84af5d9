#!/bin/sh
# counts.sh RINGVIZ CHECKER PROGRAM [ARG...]: the report's counts equal the program's own.
# With MAY_DROP in the environment drops are allowed.
set -u
ringviz=$1 checker=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
timeout 120 "$ringviz" --report=json --output="$folder/report.json" -- "$@" >"$folder/stdout" 2>"$folder/stderr"
status=$?
cat "$folder/stderr" >&2
if [ $status -ne 0 ]; then
    echo "exit status $status" >&2
    exit 1
fi
"$checker" "$folder/stdout" "$folder/report.json" ${MAY_DROP:+may-drop}
