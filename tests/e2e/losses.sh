#!/bin/sh
# losses.sh RINGVIZ THREADS PROTO: losses are in every output as on stderr, and --fail-on-loss makes them a
# status. THREADS counts its own calls; with fewer rings than threads, calls read and lost add up to all.
set -u
ringviz=$1 threads=$2 proto=$3
. "${0%/*}/harness.sh"
cd "$folder" || exit 1

n_events=0
counted() { # FILE: twice the calls that THREADS counted
    n_events=$(awk '$1 == "COUNT" { n += $3 } END { print 2 * n }' "$1")
}

number() { # KEY FILE
    sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" "$2" | head -1
}

run --report=json --output=report.json --rings=2 -- "$threads" 6 200
expect "a loss is no failure by itself" $status 0
counted out
lost=$(number events_without_ring report.json)
expect "threads that found no ring" "$(number threads_without_ring report.json)" 4
expect "events read and lost" $(($(number produced report.json) + lost)) "$n_events"
grep -q "4 times a thread found no ring: its calls were not seen, $lost events;" err || fail "on stderr: $(cat err)"

run --fail-on-loss --report=csv --output=report.csv --rings=2 -- "$threads" 6 200
expect "--fail-on-loss" $status 1
grep -q -- '--fail-on-loss' err || fail "--fail-on-loss is not named"
grep -q "^(lost: times a thread found no ring),,0,4,0,0,0,0,0,0,,,,,,,,,,,,$" report.csv || fail "not in the CSV report"
grep -q "^(lost: events of threads without a ring),,0,$lost,0,0,0,0,0,0,,,,,,,,,,,,$" report.csv || fail "events not in the CSV report"
for format in csv json; do
    run --spans=$format --output=spans.$format --rings=2 -- "$threads" 6 200
done
grep -q '^0,0,0,0,0,(lost: times a thread found no ring),,4,,,,,,,lost$' spans.csv || fail "not in the CSV spans"
expect "the last of the JSON spans" "$(tail -n 1 spans.json)" \
    "{\"lost\":{\"threads_without_ring\":4,\"events_without_ring\":$lost}}"
run --report=lines --output=lines --rings=2 -- "$threads" 6 200
grep -q '^lost: 4 times a thread found no ring$' lines || fail "not in the lines: $(cat lines)"
run --report=lines-csv --output=lines.csv --rings=2 -- "$threads" 6 200
grep -q '^,0,4,0,0,(lost: times a thread found no ring)$' lines.csv || fail "not in the lines as CSV: $(cat lines.csv)"
run --report=lines-json --output=lines.json --rings=2 -- "$threads" 6 200
expect "in the lines as JSON" "$(number threads_without_ring lines.json)" 4
run --critical-path --output=path --rings=2 -- "$threads" 6 200
grep -q '^lost: 4 times a thread found no ring$' path || fail "not in the critical path: $(cat path)"
run --rings=2 --export=chrome:chrome.json --export=speedscope:speedscope.json --export=folded:folded \
    --export=perfetto:perfetto -- "$threads" 6 200
for file in chrome.json speedscope.json; do
    expect "in $file" "$(number threads_without_ring $file)" 4
done
grep -q '^# lost: 4 times a thread found no ring$' folded || fail "not in the folded stacks"
protoc --decode=perfetto.protos.Trace --proto_path="${proto%/*}" "${proto##*/}" <perfetto >perfetto.text || fail "protoc"
grep -q '"times a thread found no ring"' perfetto.text || fail "not in the perfetto trace"

# Dropped, overwritten, truncated and unreadable data.
run --fail-on-loss --policy=fill --ring-events=64 --report=json --output=fill.json -- "$threads" 1 1000
expect "a full ring" $status 1
expect "a full ring in the report" "$(number rings_full fill.json)" 1
expect "dropped events" "$(number events_dropped fill.json)" "$(number dropped fill.json)"
run --headless --record=whole.rvz -- "$threads" 4 20000
head -c $(($(wc -c <whole.rvz) * 2 / 3)) whole.rvz >cut.rvz
run --fail-on-loss --report=json --output=cut.json cut.rvz
expect "a recording that is cut" $status 1
[ "$(number bytes_damaged cut.json)" -gt 0 ] || fail "a recording that is cut in the report"
head -c 900 whole.rvz >begin.rvz
run --fail-on-loss --report=json --output=begin.json begin.rvz
expect "a recording that is cut behind its head" $status 1
expect "its missing end in the report" "$(number end_missing begin.json)" 1
printf 'a;b 1\nno stack\n' >short.folded
run --fail-on-loss --import=folded --report=json --output=short.json short.folded
expect "a line that is no stack" $status 1
expect "a line that is no stack in the report" "$(number records_left_out short.json)" 1
seq 65540 | sed 's/.*/{"name":"f","ph":"X","pid":1,"tid":&,"ts":1,"dur":1},/; 1s/^/[/; $s/,$/]/' >threads.json
run --fail-on-loss --report=json --output=threads.report threads.json
expect "threads beyond the most" $status 1
expect "calls of threads that are kept" "$(number spans threads.report)" 65536
expect "events of others" "$(number records_left_out threads.report)" 4
grep -q '4 events beyond 65536 threads' err || fail "events beyond the last thread are not reported: $(cat err)"

# No loss.
run --fail-on-loss --report=json --output=none.json -- "$threads" 6 200
expect "no loss" $status 0
grep -q '"lost":{},' none.json || fail "no loss in the report"
run --fail-on-loss --report=csv --output=none.csv whole.rvz
expect "no loss of a recording" $status 0
grep -q lost none.csv && fail "the report of a whole recording has a loss"

conclude
