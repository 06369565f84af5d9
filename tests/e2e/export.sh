#!/bin/sh
# export.sh RINGVIZ CHECKER PROTO PROGRAM: every export has the calls that --spans lists for the same run; existing
# files stay, a full disk is reported, and no partial file is left.
set -u
ringviz=$1 checker=$2 proto=$3 program=$4
. "${0%/*}/harness.sh"

cd "$folder" || exit 1
run --spans --output=spans.csv --export=chrome:c.json --export=chrome:c.json.gz --export=perfetto:p.pftrace \
    --export=folded:f.folded --export=speedscope:s.json -- "$program"
expect "exit status" $status 0
expect "what is said" "$(cat err)" ""
"$checker" spans.csv chrome c.json || fail "chrome"
"$checker" spans.csv speedscope s.json || fail "speedscope"
"$checker" spans.csv folded f.folded || fail "folded"
run --spans --output=again.csv c.json.gz
expect "reading it back" $status 0
cut -d, -f1-8 spans.csv | sort >wanted
cut -d, -f1-8 again.csv | sort | cmp - wanted || fail "what was read back are other calls"
run --spans --force --output=again.csv s.json
expect "reading speedscope back" $status 0
cut -d, -f1-3,5-8 spans.csv | sort >wanted # times count from the first event there
cut -d, -f1-3,5-8 again.csv | sort | cmp - wanted || fail "what was read back of speedscope's are other calls"
gzip -dc c.json.gz | cmp - c.json || fail "gzip"
protoc --decode=perfetto.protos.Trace --proto_path="$(dirname "$proto")" "$proto" <p.pftrace >p.text || fail "protoc"
grep -qE '^ *[0-9]+:' p.text && fail "perfetto has fields that the schema has not"
"$checker" spans.csv perfetto p.text || fail "perfetto"

run --spans --output=part.csv --filter=depth:=0 --to=50ms --export=speedscope:part.json c.json
expect "a part" $status 0
[ "$(wc -l <part.csv)" -lt "$(wc -l <spans.csv)" ] || fail "a range has all calls"
"$checker" part.csv speedscope part.json || fail "an exported range differs from that of --spans"

run --export=folded:- -- true
expect "to standard output" $status 0
printf 'mine' >kept
run --export=folded:kept -- touch ran
expect "a file that exists" $status 1
one_line "a file that exists"
expect "a file that exists, content" "$(cat kept)" "mine"
[ -e ran ] && fail "the command ran although the export cannot be written"
run --force --export=folded:kept -- "$program"
expect "--force" $status 0
[ "$(wc -l <kept)" -gt 0 ] || fail "--force wrote nothing"
run --export=chrome:new.json --include='(' -- true
expect "a run that does not begin" $status 1
[ -e new.json ] && fail "a file is left of a run that did not begin"
run --export=chrome:/dev/full -- "$program"
expect "a full disk" $status 1
one_line "a full disk"
for wrong in chrome chrome: :x never:x chrom:x chromes:x; do
    run --export="$wrong" -- true
    expect "--export=$wrong" $status 2
done
run --export=chrome:x --export=folded:x -- true
expect "two exports into one file" $status 2
conclude
