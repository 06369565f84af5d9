#!/bin/sh
# record.sh RINGVIZ PROGRAM THREADS: a recording gives the numbers of the run that made it, whatever the policy; a
# truncated, damaged, killed or full one gives everything before that, and reports it.
set -u
ringviz=$1
fib=$2
threads=$3
. "${0%/*}/harness.sh"

equal() { # REPORT REPORT: without the line that only live ones have, of losses
    sed '/^lost: /d' "$1" >"$folder/one"
    sed '/^lost: /d' "$2" | diff "$folder/one" - >&2
}

are() { # N EVENTS: there are so many, and three more for each wait for room in a ring
    [ "$2" -ge "$1" ] && [ $((($2 - $1) % 3)) -eq 0 ]
}
produced() { # REPORT: how many events, all of which were consumed
    sed -n 's/^\([0-9]*\) events produced, \1 consumed.*/\1/p' "$1"
}

same_report() { # WHAT OPTIONS... -- COMMAND
    what=$1
    shift
    rm -f "$folder/a.rvz"
    run --record="$folder/a.rvz" --report --force --output="$folder/live" "$@"
    [ $status -eq 0 ] || fail "$what: recording: exit status $status: $(cat "$folder/err")"
    run --report --force --output="$folder/replayed" "$folder/a.rvz"
    [ $status -eq 0 ] || fail "$what: replay: exit status $status: $(cat "$folder/err")"
    [ -s "$folder/err" ] && fail "$what: replay says $(cat "$folder/err")"
    check "$what: the reports differ" equal "$folder/live" "$folder/replayed"
    check "$what: nothing was counted" grep -q "[1-9][0-9]* events produced" "$folder/replayed"
    run --check "$folder/a.rvz" # what the session counted is what the events tell
    check "$what: it is not whole: $(cat "$folder/err")" [ $status -eq 0 ]
}

same_report "fib" -- "$fib" 20
same_report "threads" -- "$threads" 4 30000
same_report "threads, four workers" --threads=4 -- "$threads" 4 30000
same_report "switch" --policy=switch --ring-events=1024 --drain-interval=20ms -- "$threads" 4 100000
check "switch: nothing was dropped" grep -qE " [1-9][0-9]* dropped" "$folder/replayed"
same_report "ring" --policy=ring --ring-events=4096 -- "$threads" 4 100000
same_report "fill" --policy=fill --ring-events=4096 -- "$fib" 20

# Every call has the same times; a live picture and a replayed one are the same picture.
rm -f "$folder/a.rvz"
run --record="$folder/a.rvz" --spans --force --output="$folder/live" -- "$fib" 15
run --spans --force --output="$folder/replayed" "$folder/a.rvz"
check "the spans differ" equal "$folder/live" "$folder/replayed"
check "there are spans" [ "$(wc -l <"$folder/live")" -gt 1000 ]

# Default names, and no overwriting.
cd "$folder" || exit 1
run --record --headless -- "$fib" 10
check "the default name is COMMAND.PID.rvz" ls "$(basename "$fib")".[0-9]*.rvz
cp a.rvz b.rvz
run --record=b.rvz --headless -- "$fib" 10
check "a file that exists is an error" [ $status -eq 1 ]
check "the existing file is reported" grep -q -- "b.rvz exists.*--force" err
check "it stays as it is" cmp -s a.rvz b.rvz
run --record=b.rvz --force --headless -- "$fib" 10
check "forced, it is replaced" [ $status -eq 0 ]
run --record=none.rvz --headless -- ./no-such-command
check "a command that is not found leaves no recording" [ ! -e none.rvz ]
run --record=/nowhere/a.rvz --headless -- "$fib" 10
check "no folder: exit status 1" [ $status -eq 1 ]

# Cut to any length a recording opens, with one line.
n_bytes=$(stat -c %s a.rvz)
for n in 192 300 $((n_bytes / 2)) $((n_bytes - 128)) $((n_bytes - 1)); do
    head -c "$n" a.rvz >cut.rvz
    run --report cut.rvz
    check "cut to $n bytes: exit status $status" [ $status -eq 0 ]
    check "cut to $n bytes: $(cat err)" [ "$(grep -c "^ringviz: cut.rvz: " err)" -eq 1 ]
done
for n in 64 191; do
    head -c "$n" a.rvz >cut.rvz
    run --report cut.rvz
    check "cut to $n bytes: exit status $status" [ $status -eq 1 ]
    one_line "cut to $n bytes"
    run --screenshot=cut.png cut.rvz
    check "cut to $n bytes, for a picture: exit status $status" [ $status -eq 1 ]
    one_line "cut to $n bytes, for a picture"
done

# --check finds no damage, or lists it; a repaired recording gives the same numbers.
run --check a.rvz
check "a whole recording: exit status $status" [ $status -eq 0 ]
check "a whole recording: $(cat out)" grep -q "^a.rvz: whole" out
rm -f big.rvz
run --states=off --record=big.rvz --headless -- "$threads" 4 300000
n_bytes=$(stat -c %s big.rvz)
for round in 1 2 3 4; do
    cp big.rvz hurt.rvz
    head -c 300 /dev/urandom | dd of=hurt.rvz bs=1 seek=$((400 + (n_bytes - 1000) * round / 5)) conv=notrunc 2>/dev/null
    [ $round -gt 2 ] && truncate -s $((n_bytes - 5000 * round)) hurt.rvz
    run --check hurt.rvz
    check "hurt $round: exit status $status" [ $status -eq 1 ]
    check "hurt $round: no place: $(cat out)" grep -q "^at byte [0-9]*: [0-9]* bytes: " out
    check "hurt $round: $(cat err)" grep -q "^ringviz: hurt.rvz: damaged in [1-9]" err
    rm -f mended.rvz
    run --repair=mended.rvz hurt.rvz
    check "repair $round: exit status $status" [ $status -eq 0 ]
    run --check mended.rvz
    check "mended $round: $(cat out err)" [ $status -eq 0 ]
    run --report --force --output=report.hurt hurt.rvz
    check "hurt $round: $(cat err)" [ "$(grep -c "^ringviz: hurt.rvz: " err)" -eq 1 ]
    run --report --force --output=report.mended mended.rvz
    check "mended $round: says $(cat err)" [ ! -s err ]
    check "mended $round: another report" equal report.hurt report.mended
done
run --check ./record.sh
check "what is no recording: exit status $status" [ $status -eq 1 ]

# --info agrees with the recording, and reports how it ends.
run --info big.rvz
check "info: exit status $status: $(cat err)" [ $status -eq 0 ]
n_events=$(sed -n 's/^events    \([0-9]*\) stored, .*/\1/p' out)
check "info: $n_events events" are 2400008 "$n_events"
check "info: streams" [ "$(awk '/^ stream/ { on = 1; next } /^$/ { on = 0 } on { n += $5 } END { print n }' out)" = "$n_events" ]
check "info: it is whole" grep -q "^ending    whole$" out
check "info: every byte is in a chunk" [ "$(awk '/^chunks/ { on = 1; next } on { n += $3 } END { print n }' out)" = \
    "$(stat -c %s big.rvz)" ]
head -c 5000 big.rvz >cut.rvz
run --info cut.rvz
check "info: cut: exit status $status" [ $status -eq 0 ]
check "info: cut: $(cat out)" grep -q "^ending    truncated or damaged" out

has_bytes() { # BYTES: killed.rvz has more than these
    [ "$(stat -c %s killed.rvz 2>/dev/null || echo 0)" -gt "$1" ]
}

has_indexes() { # N: killed.rvz has as many, or more
    [ "$("$ringviz" --info killed.rvz 2>/dev/null | awk '$1 == "INDEX" { n = $2 } END { print n + 0 }')" -ge "$1" ]
}

record_and_kill() { # CONDITION OPTION...: kill the recorder of a long run once CONDITION holds
    is_enough=$1
    shift
    rm -f killed.rvz
    "$ringviz" --record=killed.rvz "$@" --headless -- sh -c 'echo $$ >pid; exec "$1" 4 4000000000' sh "$threads" >out 2>&1 &
    recorder=$!
    # shellcheck disable=SC2086
    within 100 $is_enough || fail "killed.rvz: not $is_enough"
    kill -KILL $recorder "$(cat pid)"
    wait $recorder 2>/dev/null
}

# The recorder is killed while a program runs: what it wrote opens.
for round in 1 2 3 4 5 6; do
    record_and_kill "has_bytes $((round * 3000))"
    run --report killed.rvz
    check "killed $round: exit status $status" [ $status -eq 0 ]
    check "killed $round: $(cat err)" [ "$(grep -c "^ringviz: killed.rvz: " err)" -eq 1 ]
    check "killed $round: no events" grep -qE "^[1-9][0-9]* events produced" out
done

# A killed recording with indexes is reported to end early, is read in full, and loses nothing by repair.
record_and_kill "has_indexes 2"
run --report --force --output=report.killed killed.rvz
check "killed late: exit status $status" [ $status -eq 0 ]
check "killed late: $(cat err)" grep -qE "^ringviz: killed.rvz: (ends early|truncated or damaged)" err
run --screenshot=killed.png --size=320x200 killed.rvz
check "killed late: screenshot: exit status $status" [ $status -eq 0 ]
check "killed late: screenshot: $(cat err)" grep -qE "^ringviz: killed.rvz: (ends early|truncated or damaged)" err
run --repair=mended.rvz --force killed.rvz
run --check mended.rvz
check "killed late: mended: $(cat out err)" [ $status -eq 0 ]
run --report --force --output=report.mended mended.rvz
check "killed late: mended: another report" equal report.killed report.mended
check "killed late: mended: $(cat err)" [ ! -s err ]

# With a limit the newest events are kept within that size, and all outputs agree on their numbers.
rm -f newest.rvz
run --states=off --record=newest.rvz --record-limit=1M --headless -- "$threads" 4 1200000
check "limit: exit status $status: $(cat err)" [ $status -eq 0 ]
n_events=$(sed -n 's/.* the newest \([0-9]*\) events in [0-9]* bytes; [0-9]* before.*/\1/p' err)
n_gone=$(sed -n 's/.* bytes; \([0-9]*\) before them were discarded$/\1/p' err)
check "limit: $(cat err)" are 9600008 $((n_events + n_gone))
check "limit: $(stat -c %b newest.rvz) blocks" [ "$(stat -c %b newest.rvz)" -le 2400 ]
run --check newest.rvz
check "limit: check: $(cat out err)" [ $status -eq 0 ]
check "limit: check: $(cat out)" grep -q "^newest.rvz: $n_events events of .* 0\.[0-9]* an event$" out
run --info newest.rvz
check "limit: info: $(cat out)" grep -q "^discarded $n_gone earlier events" out
check "limit: info: $(cat out)" grep -q "^events    $n_events stored, " out
run --report --force --output=report.newest newest.rvz
check "limit: report: $(cat err)" [ "$(grep -c "^ringviz: newest.rvz: has the newest events only: $n_gone earlier" err)" -eq 1 ]
check "limit: report: numbers" grep -q "^$n_events events produced, $n_events consumed, 0 dropped" report.newest
check "limit: report: what is open has its name" grep -qE "^ +4 .*program_threads::work" report.newest
run --repair=mended.rvz --force newest.rvz
run --report --force --output=report.mended mended.rvz
check "limit: mended: another report" equal report.newest report.mended
check "limit: mended: a hole" [ "$(stat -c %s mended.rvz)" -le 1200000 ]
rm -f again.rvz
run --record=again.rvz --report --force --output=report.first newest.rvz
check "limit: recorded again: exit status $status: $(cat err)" [ $status -eq 0 ]
run --report --force --output=report.again again.rvz
check "limit: recorded again: another report" equal report.first report.again
run --check again.rvz
check "limit: recorded again: check: $(cat out err)" [ $status -eq 0 ]
run --record=newest.rvz --record-limit=12 --headless -- "$fib" 10
check "limit without a unit: exit status $status" [ $status -eq 2 ]
run --merge=merged.rvz --record-limit=1M newest.rvz mended.rvz
check "limit of what is not recorded: exit status $status" [ $status -eq 2 ]
for round in 1 2 3; do
    record_and_kill "has_bytes $((1200000 + round * 100000))" --record-limit=1M
    run --report killed.rvz
    check "limit, killed $round: exit status $status: $(cat err)" [ $status -eq 0 ]
    check "limit, killed $round: $(cat err)" grep -qE "^ringviz: killed.rvz: (ends early|cut|truncated or damaged)" err
    check "limit, killed $round: no events" grep -qE "^[1-9][0-9]* events produced" out
    run --repair=mended.rvz --force killed.rvz
    run --check mended.rvz
    check "limit, killed $round: mended: $(cat out err)" [ $status -eq 0 ]
done

# A full disk: reported once, the capture continues, and the recording opens.
mkdir small
cat >full.sh <<'END'
mount -t tmpfs -o size=256k none small || exit 99
timeout 100 "$1" --record=small/full.rvz --report --force --output=full.live -- "$2" 4 300000 >out 2>err
status=$?
cp small/full.rvz full.rvz && rm small/full.rvz
timeout 100 "$1" --states=off --record=small/limited.rvz --record-limit=1M --report --force --output=limited.live -- "$2" 4 300000 >out 2>err.limited
echo $? >status.limited
cp small/limited.rvz limited.rvz
mkdir -p roomy && mount -t tmpfs -o size=2m none roomy
timeout 100 "$1" --record=roomy/bounded.rvz --record-limit=1M --headless -- "$2" 4 1200000 >out 2>err.bounded
echo $? >status.bounded
mkdir -p plain && mount -t ramfs none plain
timeout 100 "$1" --record=plain/a.rvz --record-limit=1M --headless -- "$2" 1 10 >out 2>err.plain
echo $? >status.plain
ls plain >left.plain
exit $status
END
[ "$(id -u)" -eq 0 ] && as_root= || as_root=--map-root-user
unshare $as_root --mount sh full.sh "$ringviz" "$threads" 2>/dev/null
status=$?
if [ -e full.rvz ]; then
    check "full: exit status $status" [ $status -eq 1 ]
    check "full: $(cat err)" [ "$(grep -c "full.rvz: No space left on device" err)" -eq 1 ]
    check "full: the capture went on" are 2400008 "$(produced full.live)"
    run --report full.rvz
    check "full: replay: exit status $status" [ $status -eq 0 ]
    check "full: replay: no events" grep -qE "^[1-9][0-9]* events produced" out
    check "a limit above the room: exit status $(cat status.limited)" [ "$(cat status.limited)" -eq 1 ]
    check "a limit above the room: $(cat err.limited)" \
        [ "$(grep -c "limited.rvz: No space left on device" err.limited)" -eq 1 ]
    check "a limit above the room: the capture went on" are 2400008 "$(produced limited.live)"
    run --report limited.rvz
    check "a limit above the room: replay: exit status $status: $(cat err)" [ $status -eq 0 ]
    check "a limit above the room: no events" grep -qE "^[1-9][0-9]* events produced" out
    check "a limit below the room: $(cat err.bounded)" [ "$(cat status.bounded)" -eq 0 ]
    check "no holes: exit status $(cat status.plain)" [ "$(cat status.plain)" -eq 1 ]
    check "no holes: $(cat err.plain)" grep -q "plain/a.rvz: --record-limit: its file system cannot free parts" err.plain
    check "no holes: a file is left" [ ! -s left.plain ]
else
    echo "no small file system can be mounted here: a full disk was not tried"
fi

conclude
