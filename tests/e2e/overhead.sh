#!/bin/sh
# overhead.sh RINGVIZ PROGRAM: --bench=overhead on a command of the user's own.
set -u
ringviz=$1 program=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
    echo "FAILED: $*"
    cat "$folder"/*
    exit 1
}

# rows COMMAND...: a row for each stage; peers, which may be there or not, come last.
stages="plain empty unsent full start viewer "
rows() {
    timeout 60 "$ringviz" --bench=overhead --json -- "$@" >"$folder/rows" 2>"$folder/err" || fail "status $?"
    names=$(sed 's/.*"bench":"overhead.command.\([^"]*\)".*/\1/' "$folder/rows" | tr '\n' ' ')
    case $names in
    "$stages"*) ;;
    *) fail "rows $names of $*" ;;
    esac
    [ "$(grep -cE '"unit":"ms","median":[0-9.]+,"min":[0-9.]*[1-9]' "$folder/rows")" = "$(grep -c . "$folder/rows")" ] ||
        fail "times of $*"
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
timeout 60 "$ringviz" --bench=overhead -- "$program" >"$folder/table" 2>&1 || fail "table"
calls=$(timeout 60 "$ringviz" --report=json -- "$program" 2>&1 | grep -o '"spans":[0-9]*' | cut -d: -f2)
grep -q " $calls calls, .*; 0 events dropped" "$folder/table" || fail "not $calls calls"

"$ringviz" --bench=ring -- "$program" >"$folder/usage" 2>&1
[ $? -eq 2 ] || fail "a command for another benchmark"
"$ringviz" --bench=overhead -- /nonexistent/program >"$folder/absent" 2>&1
[ $? -eq 1 ] || fail "a command that is not there"
