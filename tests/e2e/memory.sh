#!/bin/sh
# memory.sh RINGVIZ PROGRAM PEAK WITHOUT_FOLDS: counting, recording and writing calls keeps none of them in memory: it is as large for many
# calls as for few. Keeping them stays within --memory, and so does drawing them, besides what the OpenGL driver takes.
set -u
ringviz=$1
fib=$2
peak=$3
without_folds=$4
. "${0%/*}/harness.sh"
more_kb=16384

peak_of() { # OPTION...: the most that ringviz had resident, in KiB, into $kb
    timeout 100 "$peak" "$folder/kb" "$ringviz" "$@" >"$folder/out" 2>"$folder/err" </dev/null ||
        fail "$*: exit status $?: $(cat "$folder/err")"
    read -r kb _ <"$folder/kb"
}

stays_small() { # WHAT FEW MANY: KiB for few calls and for many
    [ "$3" -le $(($2 + more_kb)) ] || fail "$1: $3 KiB for many calls, $2 for few"
}

peak_of --headless --record="$folder/few.rvz" -- "$fib" 20
few=$kb
peak_of --headless --record="$folder/many.rvz" -- "$fib" 32
stays_small "--record" "$few" "$kb"
for options in --report "--diff $folder/few.rvz" "--headless --export=folded:$folder/folded --force"; do
    # shellcheck disable=SC2086
    peak_of $options "$folder/few.rvz"
    few=$kb
    # shellcheck disable=SC2086
    peak_of $options "$folder/many.rvz"
    stays_small "$options" "$few" "$kb"
done

# An export has each mark.
export_marks() { # N: into $kb
    awk -v n="$1" 'BEGIN {
        for (i = 0; i < n; i++)
            printf "%s{\"ph\":\"i\",\"s\":\"t\",\"name\":\"tick\",\"pid\":1,\"tid\":1,\"ts\":%d}\n", i ? "," : "[", i
        print "]"
    }' >"$folder/marks.json"
    run --headless --force --record="$folder/marks.rvz" "$folder/marks.json"
    peak_of --headless --force --export=chrome:"$folder/exported.json" "$folder/marks.rvz"
    expect "marks of $1 that were exported" "$(grep -o '"tick"' "$folder/exported.json" | wc -l)" "$1"
}
export_marks 10000
few=$kb
export_marks 1000000
stays_small "an export of marks" "$few" "$kb"

# The report of a slice counts the calls kept at the end.
for mib in 64 96; do
    peak_of --memory=${mib}M --report --from=1ns "$folder/many.rvz"
    [ "$kb" -le $((mib * 1024)) ] || fail "--memory=${mib}M: $kb KiB"
    check "--memory=${mib}M: nothing was evicted" grep -q "were evicted" "$folder/err"
done

# The critical path of a part of a large recording, or of its longest call, reads its calls by the index: not all need room
# on a disk.
run --headless --record="$folder/large.rvz" -- "$fib" 33
for part in "--from=40ms --to=41ms" "--from=90ms --to=290ms --filter=depth:>28" "--filter=duration:<10ms"; do
    # shellcheck disable=SC2086
    run --critical-path=csv --max-depth=4000 $part "$folder/large.rvz" # by all of it
    cp "$folder/out" "$folder/expected"
    # shellcheck disable=SC2086
    (ulimit -f 16384 && run --critical-path=csv $part "$folder/large.rvz" && exit "$status")
    expect "--critical-path $part: exit status in little room" $? 0
    [ "$(wc -l <"$folder/out")" -gt 3 ] || fail "no path of $part: $(cat "$folder/out")"
    check "--critical-path $part: another path by index" cmp "$folder/expected" "$folder/out"
done

# Of a recording whose index has none, sums are kept for the next path, and not used if the kept file was damaged or is
# foreign.
check "a recording without sums" "$without_folds" "$folder/large.rvz" "$folder/older.rvz"
mv "$folder/older.rvz" "$folder/large.rvz"
part="--from=40ms --to=140ms" # many pieces are within it, however slow the program was
RINGVIZ_SUMS=off
export RINGVIZ_SUMS
# shellcheck disable=SC2086
run --critical-path=csv $part "$folder/large.rvz"
cp "$folder/out" "$folder/expected"
unset RINGVIZ_SUMS
rm -f "$XDG_CACHE_HOME"/ringviz/sums/*
for kept in none some cut foreign; do
    # shellcheck disable=SC2086
    run --critical-path=csv $part "$folder/large.rvz"
    expect "exit status with kept sums: $kept" "$status" 0
    check "another path with kept sums: $kept" cmp "$folder/expected" "$folder/out"
    sums=$(ls "$XDG_CACHE_HOME"/ringviz/sums/*)
    [ "$(wc -c <"$sums")" -gt 100 ] || fail "no sums are kept: $(ls -l "$sums")"
    case $kept in
    some) truncate -s -1 "$sums" ;;
    cut) rm "$sums" && cp "$folder/many.rvz" "$folder/foreign" && ln -s "$folder/foreign" "$sums" ;;
    esac
done
check "a file that is not ours was written" cmp "$folder/many.rvz" "$folder/foreign"

# A recording that was changed since then counts as another one, with sums of its own.
touch -d '2001-02-03' "$folder/large.rvz"
# shellcheck disable=SC2086
run --critical-path=csv $part "$folder/large.rvz"
expect "files of sums of a recording that was written to" "$(find "$XDG_CACHE_HOME/ringviz/sums" -type f | wc -l)" 2

# Root leaves nothing in another user's home.
if [ "$(id -u)" = 0 ]; then
    mkdir "$folder/home" && chown 1 "$folder/home"
    # shellcheck disable=SC2086
    (export XDG_CACHE_HOME="$folder/home" && run --critical-path=csv $part "$folder/large.rvz" && exit "$status")
    expect "exit status in another user's home" $? 0
    expect "what was left in another user's home" "$(ls "$folder/home")" ""
fi

# Drawing calls, of a recording and of many processes. A driver takes the same for small pictures of few calls and of many.
export SDL_VIDEODRIVER=offscreen
if timeout 100 "$ringviz" --screenshot="$folder/picture.png" "$folder/few.rvz" >"$folder/out" 2>&1; then
    picture() { # ARGUMENT...
        peak_of --memory=64M --size=160x100 --force --screenshot="$folder/picture.png" "$@"
    }
    picture "$folder/few.rvz"
    few=$kb
    picture "$folder/many.rvz"
    [ "$kb" -le $((few + 65536)) ] || fail "a picture of many calls takes $kb KiB, of few calls $few"
    # shellcheck disable=SC2016
    picture -- sh -c 'for i in $(seq 300); do "$0" 12; done' "$fib"
    [ "$kb" -le $((few + 65536)) ] || fail "a picture of many processes: $kb KiB, $few of few calls"
else
    grep -qi opengl "$folder/out" || fail "no picture: $(cat "$folder/out")"
fi
conclude
