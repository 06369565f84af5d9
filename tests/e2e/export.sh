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

# The data in the HTML page are the rows of --report, of a range too; a browser draws them.
same_table() { # PAGE REPORT
    sed -n 's/^<script id="data" type="application\/json">//; /^{"title"/,/<\/script>/p' "$1" | sed 's#</script>.*##' >object.json
    perl -MJSON::PP -e '
        my ($page, $report) = map { local (@ARGV, $/) = $_; decode_json(<>) } @ARGV;
        my %rows = map { ("$_->[0] $_->[2]:$_->[3]" => join " ", @$_[4 .. 10]) } grep { $_->[4] } @{ $page->{subroutines} };
        for (@{ $report->{subroutines} }) {
            my $row = delete $rows{"$_->{name} $_->{file}:$_->{line}"} // "nothing";
            my $wanted = join " ", @$_{qw(calls total_ns self_ns min_ns p50_ns p99_ns max_ns)};
            die "$_->{name}: $row, not $wanted\n" if $row ne $wanted;
        }
        die "rows that the report lacks: ", join(", ", keys %rows), "\n" if %rows;
    ' object.json "$2"
}
run --report=json --output=report.json --export=html:page.html --export=html:page.html.gz c.json
expect "a page" $status 0
same_table page.html report.json || fail "the table of a page is not that of --report"
gzip -dc page.html.gz | cmp - page.html || fail "the compressed page differs from the page"
run --report=json --output=part.json --export=html:part.html --from=10ms --to=50ms --force c.json
same_table part.html part.json || fail "the table of a page of a range is not that of --report"
if command -v firefox-esr >/dev/null; then
    colours='const c = document.getElementById(ID), d = c.getContext("2d").getImageData(0, 0, c.width, c.height);
        return new Set(new Uint32Array(d.data.buffer)).size > 20 ? "drawn" : "empty"'
    perl "${0%/*}/in_firefox.pl" "$folder" "$PWD/page.html" \
        'return document.querySelectorAll("#rows tr").length' \
        'return performance.getEntriesByType("resource").length' \
        "$(echo "$colours" | sed 's/ID/"time"/')" "$(echo "$colours" | sed 's/ID/"flame"/')" \
        'const s = document.getElementById("search"); s.value = "no such name"; s.dispatchEvent(new Event("input"));
         return document.querySelectorAll("#rows tr").length' >dom || fail "Firefox"
    expect "rows, loaded files, pictures over time and of stacks, rows of a search, in Firefox" "$(tr '\n' ' ' <dom)" \
        "$(grep -o '"calls":' report.json | wc -l) 0 drawn drawn 0 "
fi

# The page as a report: the same bytes, on standard output or in the file of --output.
run --report=html c.json
expect "a page as a report" $status 0
cmp out page.html || fail "the page of --report=html is not that of --export"
run --report=html --output=report.html.gz c.json
expect "a page as a report in a file" "$status $(cat out)" "0 "
gzip -dc report.html.gz | cmp - page.html || fail "the page in the file of --output is not that of --export"
run --report=html --output=report.html -- echo printed
expect "a page of a command" "$status $(cat out)" "0 printed"
grep -q '^<!DOCTYPE html>' report.html || fail "the page of a command"
run --report=html -- echo printed
grep -q "other lines in front" err || fail "what the command printed in front of its page is not told"
run --report=html --output=page.html c.json
expect "a page that exists" $status 1
one_line "a page that exists"
for other in --spans --waits --output=c.json --export=folded:- --group-by=arg1; do
    run --report=html "$other" --force c.json
    expect "--report=html $other" $status 2
    one_line "--report=html $other"
done

printf '[{"name":"</script><script>alert(1)","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]' >tags.json
run --export=html:tags.html tags.json
expect "elements that names do not end" "$(grep -o '</script>' tags.html | wc -l)" 2

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
