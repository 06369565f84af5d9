#!/bin/sh
# max_overhead.sh RINGVIZ PLAIN BURSTS PHASES: functions that cost more than --max-overhead are not traced until there is room
# again, and a message says so.
set -u
ringviz=$1 plain=$2 bursts=$3 phases=$4
. "${0%/*}/harness.sh"

trace() { # OPTION...: four threads do 300,000 rounds of a hundred instructions and more
    echo 300000 | timeout 100 "$ringviz" --force "$@" -- "$plain" >"$folder/out" 2>"$folder/err"
    expect "exit status" $? 0
    expect "results" "$(tail -n 1 "$folder/out")" "wrong 0"
}
list() { # FILE: names of functions that are no longer traced
    sed -n 's/.*"not_traced":\[\([^]]*\)\].*/\1/p' "$1"
}

trace --max-overhead=1 --headless --record="$folder/governed.rvz" --report=json --output="$folder/report.json"
list "$folder/report.json" | grep -qE '"from_ns":[0-9]*,("to_ns":[0-9]*,)?"what":"program_plain_filtered::other, [0-9.]* [kM ]*calls/s"' ||
    fail "other is still traced: $(list "$folder/report.json")"
grep -qE 'not traced (after|from) [0-9. to]* s: program_plain_filtered::' "$folder/err" || fail "no warning: $(cat "$folder/err")"
calls=$(sed -n 's/.*::other",[^}]*"calls":\([0-9]*\),.*/\1/p' "$folder/report.json")
[ "${calls:-3600000}" -lt 3600000 ] || fail "all calls of other were written"
[ "${calls:-0}" -gt 0 ] || fail "no call of other was written"

# The report of a recording lists the same functions.
run --report=json --force --output="$folder/again.json" "$folder/governed.rvz"
expect "a recording's" "$(list "$folder/again.json")" "$(list "$folder/report.json")"
run --report "$folder/governed.rvz"
grep -qE '^ +[0-9]+ .*  [a-z_]*::other, .* calls/s( \(and [0-9]* times? later\))?$' "$folder/out" || fail "the report's text: $(tail -n 5 "$folder/out")"

# Other tables of it, which do not list them, come with one line.
for table in --critical-path --spans=csv "--diff $folder/governed.rvz"; do
    # shellcheck disable=SC2086
    run $table "$folder/governed.rvz"
    grep -qE '^ringviz: .*governed.rvz: functions were not traced all the time, .*: --report lists them$' "$folder/err" ||
        fail "$table is silent about calls that are left out: $(cat "$folder/err")"
done
run --report "$folder/governed.rvz"

# Its row says that it had more calls.
grep -qE '::other( \(.*\))?  in part$' "$folder/out" && grep -qE '^in part: [0-9]+ had more calls' "$folder/out" ||
    fail "nothing marks the row: $(head -n 5 "$folder/out")"
grep -qE '::other",[^}]*"in_part":true' "$folder/report.json" || fail "nothing marks the row in JSON"
grep -qE '::main",[^}]*"in_part"' "$folder/report.json" && fail "main had all its calls"

# Calls that were open when their function was left out still get their ends.
run --spans=csv --filter='name:::(other|tiny)$' "$folder/governed.rvz"
grep -q '::other,' "$folder/out" || fail "no call of other is listed"
expect "calls without an end" "$(grep -cE ',(cut|orphan)$' "$folder/out")" 0

# Threads that end between two measurements.
run --max-overhead=1 --patch=brief --force --report=json --output="$folder/report.json" -- "$bursts"
calls=$(sed -n 's/.*::brief",[^}]*"calls":\([0-9]*\),.*/\1/p' "$folder/report.json")
[ "${calls:-0}" -lt 6000000 ] || fail "all calls of threads that end soon were written"
list "$folder/report.json" | grep -q '::brief, ' || fail "calls of brief are missing, and nothing says so: $calls"

# A function that is now called seldom is traced again.
run --max-overhead=100 --force --report=json --output="$folder/report.json" -- "$phases"
expect "a function that is called no more" "$(cat "$folder/out")" "traced again 0"
list "$folder/report.json" | grep -qE '"from_ns":[0-9]*,"to_ns":[0-9]*,"what":"program_plain_phases::hot, ' ||
    fail "nothing says that hot is traced again: $(list "$folder/report.json")"
grep -q 'not traced from [0-9.]* to [0-9.]* s: program_plain_phases::hot' "$folder/err" ||
    fail "no warning with its end: $(cat "$folder/err")"

# Nothing is left out with --max-overhead=off, nor where functions were chosen.
for option in --max-overhead=off --patch=other --include=other; do
    trace $option --report=json --output="$folder/report.json"
    expect "with $option" "$(list "$folder/report.json")" ""
done
calls=$(sed -n 's/.*::other",[^}]*"calls":\([0-9]*\),.*/\1/p' "$folder/report.json")
expect "calls with --include" "${calls:-0}" $((4 * 300000 * 3))
run --max-overhead=none -- "$plain"
expect "exit status of a bad share" $status 2
conclude
