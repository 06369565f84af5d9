#!/bin/sh
# record_memory.sh RINGVIZ PROGRAM PEAK: the recorder's buffers are bounded by the number of its threads: recording two
# threads that call as fast as they can takes at most 7 MiB more than watching them. Four blocks of half a MiB each are on their
# way at most, and one encoder has its working memory.
set -u
ringviz=$1
threads=$2
peak=$3
. "${0%/*}/harness.sh"
more_kb=7168

peak_of() { # OPTION...: the most that ringviz had resident, in KiB, into $kb
    timeout 100 "$peak" "$folder/kb" "$ringviz" --threads=2 --headless "$@" -- "$threads" 2 4000000 \
        >"$folder/out" 2>"$folder/err" </dev/null || fail "$*: exit status $?: $(cat "$folder/err")"
    read -r kb _ <"$folder/kb"
}

peak_of
watched_kb=$kb
peak_of --record="$folder/calls.rvz"
[ "$kb" -le $((watched_kb + more_kb)) ] || fail "--record: $kb KiB, $watched_kb without"
echo "$kb KiB with --record, $watched_kb without"
conclude
