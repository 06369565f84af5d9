#!/bin/sh
# page.sh RINGVIZ PROGRAM: the page of --report=html is that of --export=html; its tables are those of --report and --waits, of a
# range too; a browser draws it, and loads nothing else; without Firefox that is skipped.
set -u
ringviz=$1 program=$2
. "${0%/*}/harness.sh"

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
cd "$folder" || exit 1
run --record=run.rvz --report=html --output=live.html -- "$program"
expect "a page of a command" "$status $(grep -c 'other lines in front' err)" "0 0"
grep -q '^COUNT ' out || fail "what the command prints is not there"
grep -q '^<!DOCTYPE html>' live.html || fail "the page of a command"
run --report=html -- "$program"
grep -q "other lines in front" err || fail "what the command printed in front of its page is not told"

run --report=json --output=report.json --export=html:page.html --export=html:page.html.gz run.rvz
expect "a page" $status 0
same_table page.html report.json || fail "the table of a page is not that of --report"
gzip -dc page.html.gz | cmp - page.html || fail "the compressed page differs from the page"
run --report=json --output=part.json --export=html:part.html --from=10ms --to=50ms run.rvz
same_table part.html part.json || fail "the table of a page of a range is not that of --report"
sed -n 's/^"waits"://p' part.html | sed 's/,$//' >part_waits.json
run --waits=json --output=waits.json run.rvz
sed -n 's/^"waits"://p' page.html | sed 's/,$//' | cmp - waits.json || fail "the waits of a page are not those of --waits"
cmp part_waits.json waits.json || fail "the waits of a page of a range are not those of the whole capture"
grep -q '<h2>Waits of the whole capture</h2>' part.html || fail "a page does not say what its waits are of"

# As a report: on standard output, or in the file of --output.
run --report=html run.rvz
expect "a page as a report" $status 0
cmp out page.html || fail "the page of --report=html is not that of --export"
run --report=html --output=report.html.gz run.rvz
expect "a page as a report in a file" "$status $(cat out)" "0 "
gzip -dc report.html.gz | cmp - page.html || fail "the page in the file of --output is not that of --export"
run --report=html --output=page.html run.rvz
expect "a page that exists" $status 1
one_line "a page that exists"
for other in --spans --waits --output=run.rvz --export=folded:- --group-by=arg1; do
    run --report=html "$other" --force run.rvz
    expect "--report=html $other" $status 2
    one_line "--report=html $other"
done

printf '[{"name":"</script><script>alert(1)","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]' >tags.json
run --export=html:tags.html tags.json
expect "elements that names do not end" "$(grep -o '</script>' tags.html | wc -l)" 2

if ! command -v firefox-esr >/dev/null; then
    echo "no Firefox to open the page in"
    conclude && exit 77
    exit 1
fi
colours='const c = document.getElementById(ID), d = c.getContext("2d").getImageData(0, 0, c.width, c.height);
    return new Set(new Uint32Array(d.data.buffer)).size > 20 ? "drawn" : "empty"'
perl "${0%/*}/in_firefox.pl" "$folder" "$PWD/page.html" \
    'return document.querySelectorAll("#rows tr").length' \
    'return document.getElementById("waits").hidden ? 0 : document.querySelectorAll("#wait-rows tr").length' \
    'return performance.getEntriesByType("resource").length' \
    "$(echo "$colours" | sed 's/ID/"time"/')" "$(echo "$colours" | sed 's/ID/"flame"/')" \
    'const s = document.getElementById("search"); s.value = "no such name"; s.dispatchEvent(new Event("input"));
     return document.querySelectorAll("#rows tr").length' >dom || fail "Firefox"
expect "rows, waits, loaded files, pictures over time and of stacks, rows of a search, in Firefox" "$(tr '\n' ' ' <dom)" \
    "$(grep -o '"calls":' report.json | wc -l) $(grep -o '"kind":' waits.json | wc -l) 0 drawn drawn 0 "
conclude
