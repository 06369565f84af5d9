#!/bin/sh
# lifetimes.sh RINGVIZ PROGRAM: viewers and programs end, stop and are killed in every order; nothing hangs, nothing is left.
# PROGRAM is fib, which takes its argument from the command line and prints its count when it is done.
set -u
ringviz=$1 program=$2
. "${0%/*}/harness.sh"

has_private_file() { # PID of the viewer
    ls /dev/shm/ringviz-*-"$1"-* >/dev/null 2>&1
}

produced() { # REPORT.json
    sed -n 's/.*"produced": *\([0-9]*\).*/\1/p' "$1" | head -1
}

has_events() { # PID of the viewer: something that it watches has called
    "$ringviz" --info "$(ls /dev/shm/ringviz-*-"$1"-* 2>/dev/null | grep -v refused)" 2>/dev/null |
        awk '$1 == "ring" { on = 1; next } on && $5 > 0 { has = 1 } END { exit !has }'
}

is_gone() { # PID: it ended, and its parent waited for it
    ! kill -0 "$1" 2>/dev/null
}

has_ended() { # PID: it may be a zombie
    ! grep -q '^State:[[:space:]]*[^Z]' "/proc/$1/status" 2>/dev/null
}

is_in_state() { # PID LETTER, as ps has it
    grep -q "^State:[[:space:]]*$2" "/proc/$1/status"
}

is_delivered() { # PID: no signal to it is on its way
    grep -q '^ShdPnd:[[:space:]]*0*$' "/proc/$1/status"
}

# Calls until there is FILE.go, and once more to the end of that turn: sh PROGRAM FILE.
lasting='until [ -e "$2.go" ]; do "$1" 32 >"$2" || exit; done; echo $? >"$2.status"'

# A viewer is killed: the program ends normally, and the next start removes the file.
"$ringviz" --headless -- sh -c "$lasting" sh "$program" "$folder/killed" 2>/dev/null &
viewer=$!
within 60 has_events $viewer || fail "the program did not start"
has_private_file $viewer || fail "no trace file of $viewer"
kill -9 $viewer
wait $viewer 2>/dev/null
: >"$folder/killed.go"
within 60 [ -s "$folder/killed.status" ] || fail "the program did not end after its viewer was killed"
grep -q '^COUNT fib' "$folder/killed" || fail "the program lost its output"
timeout 60 "$ringviz" --headless -- true 2>/dev/null
has_private_file $viewer && fail "the trace file of a killed viewer stays"

# A viewer is stopped: the program runs on; continued, the viewer ends with all remaining events.
"$ringviz" --report=json --force --output="$folder/stopped.json" -- sh -c "$lasting" sh "$program" "$folder/stopped" 2>/dev/null &
viewer=$!
within 60 has_events $viewer || fail "the program did not start"
kill -STOP $viewer
: >"$folder/stopped.go"
within 60 [ -s "$folder/stopped.status" ] || fail "the program hangs on a stopped viewer"
kill -CONT $viewer
wait $viewer || fail "a viewer that was stopped ends with status $?"
[ "$(produced "$folder/stopped.json")" -gt 1000000 ] || fail "too few events after a stop"

# The program is killed: the report has its calls, and the status its signal.
"$ringviz" --report=json --force --output="$folder/dead.json" -- sh -c 'echo $$ >"$2"; exec "$1" 60' sh "$program" "$folder/pid" \
    >/dev/null 2>&1 &
viewer=$!
within 60 has_events $viewer || fail "the program did not start"
kill -9 "$(cat "$folder/pid")"
rm "$folder/pid"
wait $viewer
[ $? -eq 137 ] || fail "a killed program does not show in the status"
[ "$(produced "$folder/dead.json")" -gt 0 ] || fail "nothing read of a killed program"

# Capture for a while only; the program runs on and its status is returned.
timeout 60 "$ringviz" --duration=50ms --report=json --force --output="$folder/while.json" -- sh -c '"$1" 34; exit 5' sh "$program" \
    >"$folder/out" 2>/dev/null
[ $? -eq 5 ] || fail "--duration loses the status"
grep -q '^COUNT fib' "$folder/out" || fail "--duration ends the program"

# The report is written when the capture ends, and a program that runs on is waited for.
"$ringviz" --duration=50ms --report=json --force --output="$folder/onward.json" --record="$folder/onward.rvz" -- \
    sh -c "$lasting" sh "$program" "$folder/onward" 2>"$folder/err" &
viewer=$!
within 60 [ -s "$folder/onward.json" ] || fail "no report before the program ends"
within 60 grep -q '^ringviz: the capture is over; sh runs on' "$folder/err" || fail "not said: $(cat "$folder/err")"
"$ringviz" --check "$folder/onward.rvz" >/dev/null || fail "a recording that is not complete before the program ends"
has_ended $viewer && fail "the program is not waited for"
: >"$folder/onward.go"
wait $viewer || fail "--duration loses the status of a program that runs on: $?"

# Two interrupts end ringviz, and the report is written.
"$ringviz" --report=json --force --output="$folder/twice.json" -- sh -c 'trap "" INT; echo $$ >"$2"; exec "$1" 60' sh "$program" \
    "$folder/pid" >/dev/null 2>&1 &
viewer=$!
within 60 has_events $viewer || fail "the program did not start"
kill -INT $viewer
within 60 is_delivered $viewer || fail "an interrupt does not arrive" # two at a time would be one
kill -INT $viewer
within 60 [ -s "$folder/twice.json" ] || fail "no report after two interrupts"
kill -9 "$(cat "$folder/pid")"
wait $viewer

# Before the program has started one interrupt ends ringviz.
mkfifo "$folder/pipe"
env --default-signal=INT "$ringviz" --report --force --output="$folder/early" --export=folded:"$folder/pipe" -- \
    touch "$folder/ran" 2>/dev/null &
viewer=$!
within 60 [ -e "$folder/early" ] || fail "no output is opened"
kill -INT $viewer
within 60 has_ended $viewer || kill -9 $viewer
wait $viewer
[ $? -eq 130 ] || fail "an interrupt does not end what has not begun"
[ -e "$folder/ran" ] && fail "a command begins after an interrupt"

# Writing is finished after one interrupt, and aborted by two, or by a TERM.
for case in "INT 1 0" "INT 2 130" "TERM 1 143"; do
    set -- $case # signal, how often, status
    "$ringviz" --spans --force --output="$folder/pipe" -- "$program" 22 >/dev/null 2>&1 &
    viewer=$!
    exec 3<"$folder/pipe"
    [ "$(head -c 7 <&3)" = process ] || fail "no head comes through the pipe"
    kill -$1 $viewer
    if [ $2 -eq 2 ]; then
        within 60 is_delivered $viewer || fail "SIG$1 does not arrive" # two at a time would be one
        kill -$1 $viewer
    fi
    if [ $3 -eq 0 ]; then
        cat <&3 >/dev/null
    else
        within 60 has_ended $viewer || kill -9 $viewer
    fi
    exec 3<&-
    wait $viewer
    expect "the status after SIG$1, $2 times, while outputs are written" $? $3
done

# A program's events after the viewer's end are not counted, so that produced = consumed + dropped.
for policy in block switch ring; do
    for duration in 100ms 1s 10s; do # until the program comes to call
        timeout 60 "$ringviz" --policy=$policy --duration=$duration --report=json --force --output="$folder/while.json" -- "$program" 31 \
            >/dev/null 2>&1
        set -- $(sed -n 's/.*"produced":\([0-9]*\),"consumed":\([0-9]*\),"dropped":\([0-9]*\)}.*/\1 \2 \3/p' "$folder/while.json")
        [ "$1" -eq $(($2 + $3)) ] || fail "--duration with $policy: $1 produced, $2 consumed, $3 dropped"
        [ "$1" -gt 1000 ] && break
    done
    [ "$1" -gt 1000 ] || fail "--duration with $policy: $1 produced"
done

# A daemon outlives its command, which is said: one interrupt, or a TERM, ends ringviz, with the report and the command's
# status; so does a TERM that comes before the viewer has seen the command's end.
for how in INT TERM unseen; do
    rm -f "$folder/pid" "$folder/pid.go"
    "$ringviz" --report=json --force --output="$folder/daemon.json" -- sh -c \
        '"$1" 60 & echo $$ $! >"$2.new"; mv "$2.new" "$2"; until [ -e "$2.go" ]; do sleep 0.05; done; exit 4' \
        sh "$program" "$folder/pid" >/dev/null 2>"$folder/daemon.err" &
    viewer=$!
    within 60 has_events $viewer || fail "the daemon did not start"
    within 60 [ -s "$folder/pid" ] || fail "the command did not start"
    read -r command daemon <"$folder/pid"
    if [ $how = unseen ]; then
        kill -STOP $viewer
        within 60 is_in_state $viewer T || fail "the viewer does not stop"
        : >"$folder/pid.go"
        within 60 is_in_state "$command" Z || fail "the command did not end"
        kill -TERM $viewer
        kill -CONT $viewer
    else
        : >"$folder/pid.go"
        within 60 is_gone "$command" || fail "the command did not end"
        within 60 grep -q '^ringviz: sh has ended, but processes that it started run on' "$folder/daemon.err" ||
            fail "no line about the daemon: $(cat "$folder/daemon.err")"
        kill -$how $viewer
    fi
    within 60 [ -s "$folder/daemon.json" ] || kill -9 $viewer
    wait $viewer
    status=$?
    [ $status -eq 4 ] || fail "$how with a daemon: status $status"
    [ "$(produced "$folder/daemon.json")" -gt 0 ] || fail "$how with a daemon: nothing reported"
    kill -9 "$daemon"
    rm -f "$folder/daemon.json"
done

# A container's /dev/shm.
if unshare -m sh -c 'mount -t tmpfs -o size=64m tmpfs /dev/shm' 2>/dev/null; then
    unshare -m sh -c 'mount -t tmpfs -o size=64m tmpfs /dev/shm && exec "$@"' sh \
        timeout 60 "$ringviz" --report=json --force --output="$folder/small.json" -- "$program" 27 >"$folder/out" 2>"$folder/err"
    [ $? -eq 0 ] || fail "a /dev/shm of 64 MiB: $(cat "$folder/err")"
    [ "$(produced "$folder/small.json")" -gt 1000000 ] || fail "too few events in a /dev/shm of 64 MiB"
else
    echo "no mount namespaces: a small /dev/shm is not tried"
fi

# A program that is killed in a PID namespace, where its own pid belongs to another process outside.
if unshare -pf --kill-child true 2>/dev/null; then
    rm -f "$folder/pid"
    "$ringviz" --report=json --force --output="$folder/namespace.json" -- sh -c \
        'echo $$ >"$2"; exec unshare -pf --kill-child "$1" 60' sh "$program" "$folder/pid" >/dev/null 2>&1 &
    viewer=$!
    within 60 has_events $viewer || fail "the program in a PID namespace did not start"
    kill -9 "$(cat "$folder/pid")"
    within 60 [ -s "$folder/namespace.json" ] || {
        fail "the end of a program in a PID namespace is not seen"
        kill -9 $viewer
    }
    wait $viewer
else
    echo "no PID namespaces: not tried"
fi

conclude
