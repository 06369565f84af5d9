#!/bin/sh
# slice.sh RINGVIZ PROGRAM: --find, --filter, --from and --to select the same calls in reports and lists of calls.
set -u
ringviz=$1 program=$2
. "${0%/*}/harness.sh"

# The program's own counts go to $folder/counted, the rows of calls to $folder/rows.
run() {
    timeout 60 "$ringviz" --force --output="$folder/out" "$@" -- "$program" >"$folder/counted" 2>"$folder/err"
    status=$?
    sed '1d; /^(full rings: /d' "$folder/out" >"$folder/rows"
}

rows() {
    wc -l <"$folder/rows"
}

run --report=csv --from=0s
expect "everything, by range" "$(cut -d, -f4 "$folder/rows")" "$(sed -n 's/^COUNT fib //p' "$folder/counted")"
run --report=csv --find='FIB'
expect "upper case does not match" "$(rows)" 0
run --report=csv --find='fib$' --filter='depth:<3'
expect "calls to depth 3 of a recursion" "$(cut -d, -f4 "$folder/rows")" 7
run --spans --filter='depth:<2' --filter='!depth:=0'
expect "calls at depth 1" "$(cut -d, -f3 "$folder/rows" | sort | uniq -c | tr -s ' ')" " 2 1"
run --spans --from=1h
expect "nothing after an hour" "$(rows)" 0
run --spans --to=1ns
[ "$(rows)" -gt 0 ] && [ "$(rows)" -lt 5 ] || fail "what begins within a nanosecond: $(rows) calls"

for options in --filter=fib --filter=depth:2 --filter=name: '--filter=!duration:>x' '--find=(' '--from=2s --to=1s' --to=0; do
    # shellcheck disable=SC2086
    timeout 60 "$ringviz" --report $options -- "$program" >"$folder/out" 2>"$folder/err"
    expect "$options" $? 2
    one_line "$options"
done
conclude
