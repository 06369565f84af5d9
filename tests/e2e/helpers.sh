#!/bin/sh
# helpers.sh RINGVIZ HELPERS: at whichever instruction a handler interrupts a runtime's return, which ends functions that
# returned before, all calls have their returns.
set -u
ringviz=$1 helpers=$2
. "${0%/*}/harness.sh"

run --spans=csv --output="$folder/spans" -- "$helpers"
expect "exit status" $status 0
expect "calls that were cut, or begin nowhere" "$(awk -F, 'NR > 1 && $NF != ""' "$folder/spans")" ""
[ "$(grep -c '::handle,' "$folder/spans")" -gt 50 ] || fail "few calls of handle: $(cat "$folder/err")"
expect "a return for each frame" "$(grep -c 'helpers::help,' "$folder/spans")" "$(grep -c 'Runtime::frame,' "$folder/spans")"

conclude
