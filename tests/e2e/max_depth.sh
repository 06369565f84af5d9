#!/bin/sh
# max_depth.sh RINGVIZ FIB JUMPS PROGRAM...: --max-depth has the calls that it would have if producers wrote all, and no
# other call is written.
set -u
ringviz=$1 fib=$2 jumps=$3
shift 3
. "${0%/*}/harness.sh"

# A program's calls above a depth: how many of each depth and name.
count_spans() { # DEPTH
    awk -F, -v depth="$1" 'NR > 1 && $3 < depth { print $3, $6 }' "$folder/spans" | sort | uniq -c
}

for program; do
    run --spans --force --output="$folder/spans" -- "$program"
    expect "exit status of $program" $status 0
    cp "$folder/spans" "$folder/all"
    for depth in 2 20; do
        cp "$folder/all" "$folder/spans"
        count_spans $depth >"$folder/wanted"
        run --max-depth=$depth --spans --force --output="$folder/spans" -- "$program"
        expect "exit status of $program, $depth" $status 0
        count_spans 100000 >"$folder/got"
        check "the calls of $program above $depth" cmp "$folder/got" "$folder/wanted"
    done
done

for clock in tsc monotonic tick; do
    run --clock=$clock --max-depth=3 --report=json --force --output="$folder/report.json" -- "$fib" 20
    expect "exit status" $status 0
    grep -q '"produced":14,' "$folder/report.json" || fail "--clock=$clock: $(head -c 200 "$folder/report.json")"
done

# Whose main function is left out by its name: depths are those of what is left.
run --exclude='::main$' --max-depth=1 --report=csv --force --output="$folder/report.csv" -- "$fib" 10
grep -q '::fib,[^,]*,[^,]*,1,' "$folder/report.csv" || fail "names and depth: $(cat "$folder/report.csv")"

# Handlers that leave by siglongjmp, also out of the hooks of calls that are left out.
run --max-depth=1 --report=csv --force --output="$folder/report.csv" -- "$jumps" 2
expect "exit status" $status 0
n=$(sed -n 's/^COUNT finish //p' "$folder/out")
grep -q "::finish,[^,]*,[^,]*,$n," "$folder/report.csv" || fail "$n calls: $(cat "$folder/report.csv")"
conclude
