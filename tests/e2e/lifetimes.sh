#!/bin/sh
# lifetimes.sh RINGVIZ PROGRAM: viewers and programs end, stop and are killed in every order; nothing hangs, nothing stays.
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

# A viewer is killed: the program ends as if alone, and the next start clears up.
"$ringviz" --headless -- sh -c 'echo $$ >"$2.pid"; "$1" 34 >"$2"; echo $? >"$2.status"' sh "$program" "$folder/killed" 2>/dev/null &
viewer=$!
within 10 [ -s "$folder/killed.pid" ] || fail "the program did not start"
has_private_file $viewer || fail "no trace file of $viewer"
sleep 0.1
kill -9 $viewer
wait $viewer 2>/dev/null
within 30 [ -s "$folder/killed.status" ] || fail "the program did not end after its viewer was killed"
grep -q '^COUNT fib' "$folder/killed" || fail "the program lost its output"
timeout 20 "$ringviz" --headless -- true 2>/dev/null
has_private_file $viewer && fail "the trace file of a killed viewer stays"

# A viewer is stopped: the program goes on; continued, it ends with everything that was left.
"$ringviz" --report=json --output="$folder/stopped.json" -- sh -c 'echo $$ >"$2.pid"; "$1" 34 >"$2"; echo $? >"$2.status"' \
    sh "$program" "$folder/stopped" 2>/dev/null &
viewer=$!
within 10 [ -s "$folder/stopped.pid" ] || fail "the program did not start"
kill -STOP $viewer
within 30 [ -s "$folder/stopped.status" ] || fail "the program hangs on a stopped viewer"
kill -CONT $viewer
wait $viewer || fail "a viewer that was stopped ends with status $?"
[ "$(produced "$folder/stopped.json")" -gt 1000000 ] || fail "too few events after a stop"

# The program is killed: the report has what it did, the status says so.
"$ringviz" --report=json --output="$folder/dead.json" -- sh -c 'echo $$ >"$2"; exec "$1" 60' sh "$program" "$folder/pid" \
    >/dev/null 2>&1 &
viewer=$!
within 10 [ -s "$folder/pid" ] || fail "the program did not start"
sleep 0.3
kill -9 "$(cat "$folder/pid")"
rm "$folder/pid"
wait $viewer
[ $? -eq 137 ] || fail "a killed program does not show in the status"
[ "$(produced "$folder/dead.json")" -gt 0 ] || fail "nothing read of a killed program"

# Capture for a while only; the program goes on and gives the status.
timeout 60 "$ringviz" --duration=50ms --report=json --output="$folder/while.json" -- sh -c '"$1" 34; exit 5' sh "$program" \
    >"$folder/out" 2>/dev/null
[ $? -eq 5 ] || fail "--duration loses the status"
grep -q '^COUNT fib' "$folder/out" || fail "--duration ends the program"

# Two interrupts end ringviz, and the report is written.
"$ringviz" --report=json --output="$folder/twice.json" -- sh -c 'trap "" INT; echo $$ >"$2"; exec "$1" 60' sh "$program" \
    "$folder/pid" >/dev/null 2>&1 &
viewer=$!
within 10 [ -s "$folder/pid" ] || fail "the program did not start"
sleep 0.2
kill -INT $viewer
sleep 0.1
kill -INT $viewer
within 10 [ -s "$folder/twice.json" ]
kill -9 "$(cat "$folder/pid")"
wait $viewer
[ -s "$folder/twice.json" ] || fail "no report after two interrupts"

# What a program does that goes on without us is nobody's account: all that was produced was read or dropped.
for policy in block switch ring; do
    timeout 60 "$ringviz" --policy=$policy --duration=100ms --report=json --output="$folder/while.json" -- "$program" 31 \
        >/dev/null 2>&1
    set -- $(sed -n 's/.*"produced":\([0-9]*\),"consumed":\([0-9]*\),"dropped":\([0-9]*\)}.*/\1 \2 \3/p' "$folder/while.json")
    [ "$1" -gt 1000 ] && [ "$1" -eq $(($2 + $3)) ] || fail "--duration with $policy: $1 produced, $2 consumed, $3 dropped"
done

# A daemon outlives its command: one interrupt, or a TERM, ends the watch, with the report and the command's status.
for signal in INT TERM; do
    rm -f "$folder/pid"
    "$ringviz" --report=json --output="$folder/daemon.json" -- sh -c '"$1" 60 & echo $! >"$2.new"; mv "$2.new" "$2"; exit 4' \
        sh "$program" "$folder/pid" >/dev/null 2>&1 &
    viewer=$!
    within 10 [ -s "$folder/pid" ] || fail "the daemon did not start"
    sleep 0.5
    kill -$signal $viewer
    within 10 [ -s "$folder/daemon.json" ] || kill -9 $viewer
    wait $viewer
    status=$?
    [ $status -eq 4 ] || fail "SIG$signal with a daemon: status $status"
    [ "$(produced "$folder/daemon.json")" -gt 0 ] || fail "SIG$signal with a daemon: nothing reported"
    kill -9 "$(cat "$folder/pid")"
    rm -f "$folder/daemon.json"
done

# A container's /dev/shm.
if unshare -m sh -c 'mount -t tmpfs -o size=64m tmpfs /dev/shm' 2>/dev/null; then
    unshare -m sh -c 'mount -t tmpfs -o size=64m tmpfs /dev/shm && exec "$@"' sh \
        timeout 60 "$ringviz" --report=json --output="$folder/small.json" -- "$program" 27 >"$folder/out" 2>"$folder/err"
    [ $? -eq 0 ] || fail "a /dev/shm of 64 MiB: $(cat "$folder/err")"
    [ "$(produced "$folder/small.json")" -gt 1000000 ] || fail "too few events in a /dev/shm of 64 MiB"
else
    echo "no mount namespaces: a small /dev/shm is not tried"
fi

conclude
