#!/bin/sh
# rejected_functions.sh RINGVIZ FIB PLUGINS ONE.so TWO.so: functions rejected by --exclude and --include soon cost
# nothing, and all others are counted as without them, even if another library's functions get the same addresses.
set -u
ringviz=$1 fib=$2
shift 2
. "${0%/*}/harness.sh"

# The report as NAME CALLS, and the program's COUNT lines as expected.
compare() { # PATTERN: of the names that are left out
    sed -n 's/^COUNT //p' "$folder/out" | grep -Ev "^($1) " | sort >"$folder/wanted"
    sed -n 's/^[^,]*::\([a-z_]*\),[^,]*,[^,]*,\([0-9]*\),.*/\1 \2/p' "$folder/report.csv" | sort >"$folder/got"
    check "the counts without $1" cmp "$folder/got" "$folder/wanted"
}

run --exclude='::fib$' --report=json --force --output="$folder/report.json" -- "$fib" 30
expect "exit status" $status 0
n=$(sed -n 's/.*"produced":\([0-9]*\),.*/\1/p' "$folder/report.json")
[ "${n:-5000000}" -lt 2000000 ] || fail "--exclude: $n events of 5.4 million were written"

run --patch=off --exclude='_helper$' --report=csv --force --output="$folder/report.csv" -- "$@"
expect "exit status" $status 0
compare '[a-z]*_helper'
run --patch=off --exclude='one_helper$' --report=csv --force --output="$folder/report.csv" -- "$@"
compare 'one_helper'
run --patch=off --include='two_' --report=csv --force --output="$folder/report.csv" -- "$@"
compare 'one_[a-z]*'
conclude
