#!/bin/sh
# record_memory.sh RINGVIZ PROGRAM PEAK: what ringviz takes of two threads that call as fast as they can is bounded by the
# number of its own threads, 13.5 MiB to watch them and 18.5 MiB to record them: two rings of 2 MiB, and five batches, four
# blocks of a recording and an encoder on their way at most.
set -u
ringviz=$1
threads=$2
peak=$3
. "${0%/*}/harness.sh"

takes_at_most() { # KIB OPTION...: resident at once, the rings and the pages of its libraries with it
    most_kb=$1
    shift
    timeout 100 "$peak" "$folder/kb" "$ringviz" --threads=2 --headless "$@" -- "$threads" 2 4000000 \
        >"$folder/out" 2>"$folder/err" </dev/null || fail "$*: exit status $?: $(cat "$folder/err")"
    read -r kb _ <"$folder/kb"
    echo "$kb KiB${*:+ with $*}"
    [ "$kb" -le "$most_kb" ] || fail "$kb KiB${*:+ with $*}, at most $most_kb"
}

takes_at_most 13824
takes_at_most 18944 --record="$folder/calls.rvz"
conclude
