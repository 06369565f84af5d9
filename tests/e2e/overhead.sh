#!/bin/sh
# overhead.sh RINGVIZ PROGRAM: --bench=overhead on a given command.
set -u
ringviz=$1 program=$2
. "${0%/*}/harness.sh"

# rows COMMAND...: a row for each stage; other tools, if installed, come last.
stages="plain empty unsent full start viewer "
rows() {
    run --bench=overhead --json -- "$@"
    expect "status of $*: $(cat "$folder/err")" $status 0
    names=$(sed 's/.*"bench":"overhead.command.\([^"]*\)".*/\1/' "$folder/out" | tr '\n' ' ')
    case $names in
    "$stages"*) ;;
    *) fail "$* has other rows: $names" ;;
    esac
    [ "$(grep -cE '"unit":"ms","median":[0-9.]+,"min":[0-9.]*[1-9]' "$folder/out")" = "$(grep -c . "$folder/out")" ] ||
        fail "times of $*: $(cat "$folder/out")"
}
rows "$program"
if command -v uftrace >"$folder/which"; then
    [ "$names" = "${stages}uftrace " ] || fail "peers of $program: $names"
fi
if command -v perl >"$folder/which"; then
    rows perl -e 'sub f { my $n = shift; $n ? f($n - 1) : 0 } f(100) for 1 .. 100; print "x" x 100_000'
    case $names in
    "$stages" | "${stages}nytprof ") ;;
    *) fail "peers of perl: $names" ;;
    esac
fi
run --report=json -- "$program"
calls=$(grep -o '"spans":[0-9]*' "$folder/out" | cut -d: -f2)
run --bench=overhead -- "$program"
expect "status of the table" $status 0
grep -q " $calls calls, .*; 0 events dropped" "$folder/out" || fail "not $calls calls: $(cat "$folder/out")"

run --bench=ring -- "$program"
expect "a command for another benchmark" $status 2
run --bench=overhead -- /nonexistent/program
expect "a command that is not there" $status 1
conclude
