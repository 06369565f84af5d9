#!/bin/sh
# overhead.sh RINGVIZ PROGRAM: --bench=overhead on a command of the user's own.
set -u
ringviz=$1 program=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
    echo "FAILED: $*"
    cat "$folder"/*
    exit 1
}

timeout 60 "$ringviz" --bench=overhead --json -- "$program" >"$folder/rows" 2>"$folder/err" || fail "status $?"
[ "$(sed 's/.*"bench":"\([^"]*\)".*/\1/' "$folder/rows" | tr '\n' ' ')" = \
    "overhead.command.plain overhead.command.start overhead.command.viewer " ] || fail "rows"
[ "$(grep -cE '"unit":"ms","median":[0-9.]+,"min":[0-9.]*[1-9]' "$folder/rows")" = 3 ] || fail "times"
timeout 60 "$ringviz" --bench=overhead -- "$program" >"$folder/table" 2>&1 || fail "table"
calls=$(timeout 60 "$ringviz" --report=json -- "$program" 2>&1 | grep -o '"spans":[0-9]*' | cut -d: -f2)
grep -q " $calls calls, .*; 0 events dropped" "$folder/table" || fail "not $calls calls"

"$ringviz" --bench=ring -- "$program" >"$folder/usage" 2>&1
[ $? -eq 2 ] || fail "a command for another benchmark"
"$ringviz" --bench=overhead -- /nonexistent/program >"$folder/absent" 2>&1
[ $? -eq 1 ] || fail "a command that is not there"
