#!/bin/sh
# rrtrace.sh RINGVIZ WRITER EARLY_TERM: the ring of the rrtrace gem, of its versions 0.1 and 0.2: every event is read,
# whichever process starts and ends ringviz.
set -u
ringviz=$1 writer=$2 early_term=$3
. "${0%/*}/harness.sh"

wanted() { # KEY: its value by the writer
    sed -n "s/^$1: //p" "$folder/wrote"
}

same_counts() { # WHAT REPORT: its JSON has every event and the calls of each method
    n=$(wanted events)
    grep -q "\"events\":{\"produced\":$n,\"consumed\":$n,\"dropped\":0}" "$2" ||
        fail "$1: not $n events: $(head -c 200 "$2") $(cat "$folder/err")"
    for method in 11 12 13 14; do
        grep -q "\"name\":\"#$method\",\"file\":\"\",\"line\":0,\"calls\":$(wanted "#$method")," "$2" ||
            fail "$1: not $(wanted "#$method") calls of #$method"
    done
    n=$(grep -o '"name":"#[1-9][0-9][0-9][0-9]","file":"","line":0,"calls":2,' "$2" | sort -u | wc -l)
    [ "$n" -eq 5000 ] || fail "$1: not 5000 methods of two calls, but $n"
    grep -q "$(wanted 'returns alone') ends without a beginning" "$folder/err" || fail "$1 said: $(cat "$folder/err")"
    grep -q "[^0-9]4 events while Ractors ran side by side" "$folder/err" || fail "$1 said: $(cat "$folder/err")"
}

begin_writing() { # VERSION: into a ring that ringviz is not started for
    rm -f "$folder/wrote" # the output of the previous program does not count
    timeout 60 "$writer" "$1" 20000 >"$folder/wrote" &
    writing=$!
    within 60 [ -s "$folder/wrote" ]
    memory=$(head -n 1 "$folder/wrote")
}

end_writing() { # WHAT
    wait $writing || fail "$1: the writer: $?"
}

all_removed() { # WHAT
    [ ! -e "/dev/shm$memory" ] || fail "$1: the shared memory is still there"
}

# ---- by option ----
for version in 0.1 0.2; do
    begin_writing $version
    run --report=json --rrtrace "$memory"
    end_writing "$version, --rrtrace"
    same_counts "$version, --rrtrace" "$folder/out"
    all_removed "$version, --rrtrace"
done

# ---- names, of which the last line is not whole ----
printf '12 leaf\nno number\n4294967295 never\n13 last' >"$folder/names"
begin_writing 0.2
RINGVIZ_RRTRACE_NAMES=$folder/names run --report=json --rrtrace "$memory"
end_writing names
for name in '#11' leaf '#13' '#14'; do
    grep -q "\"name\":\"$name\"" "$folder/out" || fail "no method $name: $(head -c 600 "$folder/out")"
done

# ---- memory that another process truncates ----
begin_writing 0.2
program=${memory#/rrtrace_shm_}
program=${program%_*}
kill -STOP "$program"
timeout 60 "$ringviz" --report=json --rrtrace "$memory" >"$folder/out" 2>"$folder/err" &
reading=$!
both_mapped() {
    [ "$(grep -ls "$memory" /proc/[0-9]*/maps | wc -l)" -ge 2 ]
}
within 60 both_mapped || fail "cut short: not mapped"
: >"/dev/shm$memory"
wait $reading
expect "cut short: status" $? 1
expect "cut short: said" "$(head -n 1 "$folder/err")" "ringviz: $memory: was truncated while it was read"
grep -q '^{"events":{"produced":' "$folder/out" || fail "cut short: no report"
kill -KILL "$program"
wait $writing
all_removed "cut short"

# ---- by the gem: with the memory's name only, and ended by 0.2, whose forked child tries to end it first ----
ln -s "$ringviz" "$folder/rrtrace"
for version in 0.1 0.2; do
    rm -f "$folder/a report"
    RINGVIZ_OPTIONS="--headless --force --report=json --output='$folder/a report'" \
        timeout 60 "$writer" $version 20000 "$folder/rrtrace" >"$folder/wrote" 2>"$folder/err" ||
        fail "$version, by the gem: the writer: $?"
    within 20 [ -s "$folder/a report" ]
    memory=$(head -n 1 "$folder/wrote")
    within 20 [ ! -e "/dev/shm$memory" ]
    same_counts "$version, by the gem" "$folder/a report"
    all_removed "$version, by the gem"
done
grep -q "^ringviz: SIGTERM of process [0-9]* ignored: a forked copy" "$folder/err" ||
    fail "a forked child's TERM: $(cat "$folder/err")"

# ---- a file of names that is missing: all is read, and methods keep their numbers ----
rm -f "$folder/a report"
RINGVIZ_OPTIONS="--headless --force --report=json --output='$folder/a report'" RINGVIZ_RRTRACE_NAMES="$folder/missing" \
    timeout 60 "$writer" 0.2 20000 "$folder/rrtrace" >"$folder/wrote" 2>"$folder/err" || fail "no names: the writer: $?"
within 20 [ -s "$folder/a report" ]
same_counts "no names" "$folder/a report"
grep -q "^ringviz: $folder/missing: no names of rrtrace's methods" "$folder/err" || fail "no names: $(cat "$folder/err")"

# ---- a forked child that finds the ring full writes no more ----
rm -f "$folder/a report"
RINGVIZ_OPTIONS="--headless --force --report=json --output='$folder/a report'" \
    timeout 60 "$writer" 0.2 20 "$folder/rrtrace" full >"$folder/wrote" 2>"$folder/err" || fail "full: the writer: $?"
within 20 [ -s "$folder/a report" ]
same_counts "full" "$folder/a report"
grep -q "[^0-9]1 forked copy of the program, in which the gem writes no more" "$folder/err" ||
    fail "a forked child that writes no more: $(cat "$folder/err")"
grep -q "\"records_left_out\":$(($(wanted 'returns alone') + 1))[,}]" "$folder/a report" ||
    fail "a forked child that writes no more: $(head -c 300 "$folder/a report")"

# ---- ended before its main: what the ring holds is reported, with the names of a file that is gone by then ----
begin_writing 0.2
RINGVIZ_OPTIONS="--headless --force --report=json --output='$folder/early report'" LD_PRELOAD="$early_term" \
    RINGVIZ_RRTRACE_NAMES="$folder/names" timeout 60 "$folder/rrtrace" "$memory" 2>"$folder/err"
expect "the status of one that is ended early" $? 0
grep -q '"events":{"produced":[1-9]' "$folder/early report" || fail "ended early: $(cat "$folder/err")"
grep -q '"name":"leaf"' "$folder/early report" || fail "ended early: no names: $(cat "$folder/err")"
[ ! -e "$folder/names" ] || fail "the file of names was not removed"
kill $writing 2>/dev/null # it may have ended
wait $writing

# ---- with a window, ended by a stranger's SIGTERM ----
begin_writing 0.2
SDL_VIDEODRIVER=offscreen timeout 60 "$folder/rrtrace" "$memory" 2>"$folder/windowed" &
viewer=$!
end_writing "with a window"
kill -TERM $viewer
wait $viewer || grep -qi opengl "$folder/windowed" || fail "with a window: $(cat "$folder/windowed")"
all_removed "with a window"

# ---- other shared memory ----
refused() { # STATUS SAID COMMAND...: one line that has this
    wanted_status=$1 said=$2
    shift 2
    timeout 60 "$@" >"$folder/out" 2>"$folder/err"
    expect "the status of $*" $? "$wanted_status"
    one_line "$*"
    grep -qF -- "$said" "$folder/err" || fail "$* said: $(cat "$folder/err")"
}
refused 1 "shared memory of rrtrace" "$ringviz" --headless --rrtrace=/ringviz-test-absent
name=ringviz-test-other-$$
for bytes in 1048576 1048831 1048833 2097152; do
    truncate -s $bytes "/dev/shm/$name"
    refused 1 "/$name: $bytes bytes, which is not the ring of rrtrace" "$ringviz" --headless --rrtrace="/$name"
done
rm -f "/dev/shm/$name"
RINGVIZ_OPTIONS="--include=(a" refused 2 "RINGVIZ_OPTIONS: --include=(a: not the words" "$folder/rrtrace" /ringviz-test-absent
RINGVIZ_OPTIONS="--nothing" refused 2 "--nothing: unknown option" "$folder/rrtrace" /ringviz-test-absent

conclude
