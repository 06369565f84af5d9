#!/bin/sh
# refused.sh RINGVIZ PROGRAM: forked children of a program that became another user are not seen, and that is said.
set -u
ringviz=$1 program=$2
. "${0%/*}/harness.sh"

[ "$(id -u)" -eq 0 ] || exit 77
cp "$program" "$folder/program"
chmod 755 "$folder"
"$folder/program" >/dev/null
[ $? -ne 2 ] || exit 77 # a root that may not become another user
run --report=csv -- "$folder/program"
expect "status" $status 0
grep -q '^COUNT call 11$' "$folder/out" || fail "the program differs: $(cat "$folder/out")"
grep -q '^ringviz: 2 times a thread found no ring' "$folder/err" || fail "not said: $(cat "$folder/err")"
grep -q '^[^,]*call,.*,1,' "$folder/out" || fail "the parent's call is missing: $(cat "$folder/out")"
conclude
