#!/bin/sh
# static_signals.sh RINGVIZ STORM CHECKER PROGRAM: a statically linked program is traced though signals come while it is
# given the loader.
set -u
ringviz=$1 storm=$2 checker=$3 program=$4
. "${0%/*}/harness.sh"

i=0
while [ $((i += 1)) -le 12 ]; do
    check "its status" timeout 100 "$storm" "$ringviz" --patch=. --report=json --force --output="$folder/report.json" \
        -- "$program" >"$folder/out"
    check "the counts" "$checker" "$folder/out" "$folder/report.json"
done
conclude
