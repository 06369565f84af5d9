#!/bin/sh
# max_depth.sh RINGVIZ FIB JUMPS PROGRAM...: --max-depth has the calls that it would have if producers wrote all, with
# filters and without, and no other call is written.
set -u
ringviz=$1 fib=$2 jumps=$3
shift 3
. "${0%/*}/harness.sh"

# A program's calls above a depth: how many of each depth and name.
count_spans() { # FILE DEPTH
    awk -F, -v depth="$2" 'NR > 1 && $3 < depth { n[$3 " " $6]++ } END { for (call in n) print n[call], call }' "$1" | sort
}

compare() { # WHAT PROGRAM DEPTH OPTION...: the limit shows the same calls as a filter of a run without it
    what=$1 program=$2 depth=$3
    shift 3
    count_spans "$folder/all" "$depth" >"$folder/wanted"
    run --max-overhead=off --max-depth="$depth" "$@" --spans --force --output="$folder/spans" -- "$program"
    expect "exit status of $program, $depth, $what" $status 0
    count_spans "$folder/spans" 100000 >"$folder/got"
    check "the calls of $program above $depth, $what" cmp "$folder/got" "$folder/wanted"
}

# Calls that are too deep are not written once it is known which calls count.
refuses() { # FIB OPTION...
    run --max-overhead=off --max-depth=3 --report=json --force --output="$folder/report.json" "$2" -- "$1" 30
    n=$(sed -n 's/.*"produced":\([0-9]*\),.*/\1/p' "$folder/report.json")
    [ "${n:-5000000}" -lt 2000000 ] || fail "$1, $2: $n events of 5.4 million were written"
    grep -q '::fib","file":"[^"]*","line":[0-9]*,"calls":7,' "$folder/report.json" ||
        fail "$1, $2: $(head -c 600 "$folder/report.json")"
}

some='--exclude=::[g-z][a-z_]*$'
for program; do
    run --max-overhead=off --spans --force --output="$folder/all" -- "$program"
    expect "exit status of $program" $status 0
    compare "all" "$program" 2
    compare "all" "$program" 20
    run --max-overhead=off "$some" --spans --force --output="$folder/all" -- "$program"
    compare "some" "$program" 2 "$some"
    compare "some, for other readers" "$program" 3 "$some" --trace-file="$folder/trace"
    rm -f "$folder/trace"
    case $program in
    *fib)
        refuses "$program" '--exclude=::main$'
        refuses "$program" '--include=::fib$'
        ;;
    esac
done

for clock in tsc monotonic tick; do
    run --clock=$clock --max-depth=3 --report=json --force --output="$folder/report.json" -- "$fib" 20
    expect "exit status" $status 0
    grep -q '"produced":14,' "$folder/report.json" || fail "--clock=$clock: $(head -c 200 "$folder/report.json")"
done

# main() is excluded by its name: depths are counted without it.
run --exclude='::main$' --max-depth=1 --report=csv --force --output="$folder/report.csv" -- "$fib" 10
grep -q '::fib,[^,]*,[^,]*,1,' "$folder/report.csv" || fail "names and depth: $(cat "$folder/report.csv")"

# Handlers leave by siglongjmp, also out of the hooks of calls that are not written.
run --max-depth=1 --report=csv --force --output="$folder/report.csv" -- "$jumps" 2
expect "exit status" $status 0
n=$(sed -n 's/^COUNT finish //p' "$folder/out")
grep -q "::finish,[^,]*,[^,]*,$n," "$folder/report.csv" || fail "$n calls: $(cat "$folder/report.csv")"
conclude
