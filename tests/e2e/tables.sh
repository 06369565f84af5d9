#!/bin/sh
# tables.sh RINGVIZ PLANTED FIB THREADS CHECK_TABLES PLAIN_FIB NAMESAKES: every table of the window is that of --report, or made of --spans, for the same range:
# of a recording in memory, by its index, and live with a history.
set -u
ringviz=$1 planted=$2 fib=$3 threads=$4 check_tables=$5 plain_fib=$6 namesakes=$7
. "${0%/*}/harness.sh"

tables="rows durations calls.start calls.duration calls.self calls.thread by.caller by.thread by.process by.arguments top_down bottom_up
callers callees lines path times.cpu times.blocked times.runnable full_rings"

make_waited() { # RECORDING: the begins of the calls that waited for the lock, by the spans around its waits
    run --holders=csv "$1"
    grep ',waits,' "$folder/out" >"$folder/lock_waits"
    awk -F, 'NR == FNR { if ($2 ~ /lock$/) { n++; from[n] = $4; to[n] = $5; thread[n] = $7; call[n] = $9 } next }
        FNR > 1 { for (i = 1; i <= n; i++) if ($2 == thread[i] && $4 <= from[i] && $4 + $5 >= to[i] && $6 == call[i] && !seen[$2, $4]++)
            print $4 }
        END { print "filtered 0" }' "$folder/lock_waits" "$folder/all_spans" >"$folder/oracle/waited"
}

make_waits() { # RECORDING: of the whole of it
    run --waits=csv "$1"
    awk -F, -v OFS=, 'NR > 1 && $1 != "unknown" && $1 != "silent" {
        print NR - 1, $1, $2, $3, $4, $6, $5, $7, $8, $9, $10, $11, $12, $14, $15, $17, $18, $(NF - 1), $NF }' "$folder/out" >"$folder/oracle/waits"
    [ "${recording%:*}" != convoy ] || grep -q ',mutex,' "$folder/oracle/waits" || fail "convoy: no waits for the lock"
    run --waits=arcs-csv "$1"
    awk -F, -v OFS=, 'NR > 1 && $1 != "unknown" { print NR - 1, $1, $2, $3, $4, $5, $6, $7, $9, $10, $12 }' "$folder/out" >"$folder/oracle/arcs"
}

make_totals() { # of the whole, whatever the range
    if [ "$range" = all ]; then
        sed 's/\(,[0-9]*\)\{4\}$//' "$folder/oracle/rows" >"$folder/all_totals"
    fi
    cp "$folder/all_totals" "$folder/oracle/totals"
}

run_for() { # OUT OPTION...: of the range
    case $range in
    all) run "$@" ;;
    *) run --from="${range%-*}ns" --to="${range#*-}ns" "$@" ;;
    esac
    expect "$*: exit status" $status 0
}

make_oracle() { # RECORDING
    run_for --spans=csv "$1"
    cp "$folder/out" "$folder/spans"
    run_for --report=lines-csv "$1"
    sed '1d' "$folder/out" >"$folder/oracle/lines"
    run_for --critical-path=csv "$1"
    awk -F, '$1 == "threads" { all += $(NF - 4) } $1 == "unknown" { waits += $(NF - 4) } END { printf "%d %d\n", all, waits }' \
        "$folder/out" >"$folder/oracle/path"
    run_for --report=csv "$1"
    awk -F '[ ,]' '/^\(full rings: / { print $3, $20, $8 }' "$folder/out" >"$folder/oracle/full_rings"
    [ "${recording#full}" = "$recording" ] || [ -s "$folder/oracle/full_rings" ] || fail "$1 $range: no full rings"
    first=$(awk -F, 'NR > 1 && $1 && (!first || $4 < first) { first = $4 } END { print first }' "$folder/all_spans")
    case $range in
    all) from=0 to=9e18 ;;
    *) from=$((first + ${range%-*})) to=$((first + ${range#*-})) ;;
    esac
    subject=$(cat "$folder/shown/subject")
    check "$1 $range: oracle" perl "${0%/*}/tables_of_spans.pl" "$folder/spans" "$folder/out" "$subject" \
        "$from" "$to" "$folder/oracle"
    [ "${recording%:*} $range" = "arguments all" ] || return 0
    run --report=csv --group-by=arg1 "$1" # of all only
    awk -F, 'NR > 1 { print $NF "," $4 "," $5 "," $6 "," $10 }' "$folder/out" >"$folder/oracle/by.arguments"
}

compare() { # KIND: a column's order is that of its numbers, whichever of equal ones comes first
    for column in 4.start 5.duration 6.self; do
        for side in shown oracle; do
            cut -d, -f"${column%.*}" "$folder/$side/calls.${column#*.}" >"$folder/$side.order"
        done
        cmp "$folder/shown.order" "$folder/oracle.order" || fail "$1 $recording $range: order by ${column#*.}"
    done
    expect "$1 $recording $range: order by thread" "$(cut -d, -f2 "$folder/shown/calls.thread" | uniq | sort | uniq -d)" ""
    for table in $tables totals waited waits arcs; do
        LC_ALL=C sort "$folder/shown/$table" >"$folder/shown.sorted"
        LC_ALL=C sort "$folder/oracle/$table" >"$folder/oracle.sorted"
        cmp -s "$folder/shown.sorted" "$folder/oracle.sorted" ||
            fail "$1 $recording $range: $table$(echo; diff "$folder/shown.sorted" "$folder/oracle.sorted" | head -6)"
    done
    n_compared=$((n_compared + 1))
}

export RINGVIZ_NATIVE_LINES=1
n_compared=0
for problem in convoy starvation; do
    run --headless --record="$folder/$problem.rvz" -- "$planted" "$problem"
    expect "$problem: exit status" $status 0
done
run --headless --record="$folder/fib.rvz" -- "$fib" 16
expect "fib: exit status" $status 0
run --headless --record="$folder/threads.rvz" -- "$threads" 3 10000
expect "threads: exit status" $status 0
for recording in full:1000 fuller:10000; do # the latter: thousands of changes of states in a block
    run --headless --record="$folder/${recording%:*}.rvz" --ring-events=64 -- "$threads" 3 "${recording#*:}"
    expect "${recording%:*}: exit status" $status 0
done
run --headless --record="$folder/namesakes.rvz" -- "$namesakes" 40
expect "namesakes: exit status" $status 0
echo "uint fib(uint);" >"$folder/fib.conf"
run --prototypes="$folder/fib.conf" --patch='^fib$' --headless --record="$folder/arguments.rvz" -- "$plain_fib" 14
expect "arguments: exit status" $status 0

mkdir "$folder/shown" "$folder/oracle"
for recording in arguments:20000-300000 convoy:20000000-60000000 fib:20000-100000 full:1000000-20000000 fuller:1000000-20000000 namesakes:2000000-15000000 starvation:50000000-250000001 threads:1000000-9000000; do
    path=$folder/${recording%:*}.rvz
    run --spans=csv "$path"
    cp "$folder/out" "$folder/all_spans"
    for range in all "${recording#*:}"; do
        rm -f "$folder"/oracle/*
        for kind in resident paged history; do
            [ "$kind ${recording%:*}" != "history fuller" ] || continue # its memory has no room for as many notes: it merges them
            rm -f "$folder"/shown/*
            check "$kind $recording $range: tables" "$check_tables" $kind "$path" "$range" "$folder/shown" >"$folder/said"
            [ -e "$folder/oracle/rows" ] || make_oracle "$path"
            [ -e "$folder/oracle/totals" ] || make_totals
            [ -e "$folder/oracle/waited" ] || make_waited "$path"
            [ -e "$folder/oracle/waits" ] || make_waits "$path"
            compare $kind
        done
    done
done
expect "comparisons" $n_compared 46
grep -q "were evicted" "$folder/said" || fail "the history was not needed: $(cat "$folder/said")"
conclude
