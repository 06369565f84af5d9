#!/bin/sh
# attach.sh RINGVIZ PROGRAM LEFTOVER WALKS_ALONE [VECTORS]: ringviz gets into a running program and out again, and leaves it as it was.
set -u
ringviz=$1 program=$2 leftover=$3 walks_alone=$4 vectors=${5-}
. "${0%/*}/harness.sh"

begin_program in "$program"
within 90 grep -q running "$folder/program" || fail "the program does not start"

# The program prints how many bytes of its code differ from its file.
code_is_whole() { # WHEN
    n_answers=$((n_answers + 1))
    echo "?" >&9
    within 90 has_answered || fail "$1: no answer"
    expect "$1: code" "$(tail -n 1 "$folder/program")" "changed 0"
}
has_answered() {
    [ "$(grep -c changed "$folder/program")" -ge $n_answers ]
}
is_patched() {
    n_answers=$((n_answers + 1))
    echo "?" >&9
    within 90 has_answered && tail -n 1 "$folder/program" | grep -q 'changed [1-9]'
}
is_stopped() {
    grep -q '^State:[[:space:]]*T' /proc/$pid/status
}
n_answers=0

sees_fib() { # on a busy machine it may not come to run in that time
    run -p $pid --duration=0.05s --force --report=json --output="$folder/report.json"
    expect "exit status" $status 0
    grep -q '::fib",[^}]*"total_ns":[1-9]' "$folder/report.json" &&
        grep -q '::hop",[^}]*"total_ns":[1-9]' "$folder/report.json"
}
for cycle in 1 2 3 4 5 6 7 8; do
    within 90 sees_fib || fail "cycle $cycle: no fib that has returned: $(cat "$folder/err")"
    grep -q '"patches":{"functions":[1-9]' "$folder/report.json" || fail "cycle $cycle: not traced by patches"
done
code_is_whole "after eight cycles"
has_own_threads() {
    [ "$(ls /proc/$pid/task | wc -l)" -eq 5 ]
}
within 90 has_own_threads || fail "threads: $(ls /proc/$pid/task | wc -l)"
grep -q 'TracerPid:[[:space:]]*0' /proc/$pid/status || fail "a tracer is still attached to the program"

# The program is stopped twice: to begin and to end. --max-overhead, which stops it more often, is off.
run -p $pid --duration=0.05s --max-overhead=off --verbose --report
expect "stops" "$(grep 'all threads were stopped for [0-9.]* ms' "$folder/err" | grep -vc 'in vain$')" 2

# When its threads ran.
has_states() {
    run -p $pid --duration=0.2s --force --report=csv --output="$folder/report.csv"
    grep -q 'states are not known' "$folder/err" ||
        awk -F, 'NR > 1 { off += $12 + $13 } END { exit !off }' "$folder/report.csv"
}
within 90 has_states || fail "no thread was ever off its CPU: $(cat "$folder/err")"

run --pid=$pid --patch=fib --duration=0.05s --force --report=json --output="$folder/report.json"
expect "exit status with --patch" $status 0
grep -q '"functions":1,"patched":1' "$folder/report.json" || fail "--patch: $(cat "$folder/report.json" | head -c 300)"

# The stubs to which the program's own system calls jump are used again by the next attachment, with another request.
# They are in rooms of 16 KiB.
n_rooms() {
    grep ' r-xp 00000000 00:00 0 *$' /proc/$pid/maps | tr '-' ' ' | while read -r from to _; do
        [ $((0x$to - 0x$from)) -ne 16384 ] || echo room
    done | wc -l
}
run -p $pid --syscalls=getppid --duration=0.05s --report
expect "exit status with --syscalls" $status 0
rooms=$(n_rooms)
[ "$rooms" -gt 0 ] || fail "no stubs for its system calls"
run -p $pid --syscalls=getpid --duration=0.05s --report
expect "memory after another attachment" "$(n_rooms)" "$rooms"
expect "code that can be written" "$(grep -c ' rwxp ' /proc/$pid/maps)" 0

(cd "$folder" && timeout 100 "$ringviz" -p $pid --duration=0.05s --headless --record 2>/dev/null) || fail "a recording"
ls "$folder"/program_plain_a.$pid.rvz >/dev/null || fail "a recording has another name: $(ls "$folder")"

# Killed, it leaves a program that runs on; the next one, or --detach, puts it right.
for delay in 0.02 0.06 0.1 0.2 0.3; do
    "$ringviz" -p $pid --report >/dev/null 2>&1 &
    killed=$!
    sleep $delay
    kill -KILL $killed
    wait $killed 2>/dev/null
    kill -0 $pid || fail "killed after $delay s: the program has died"
done
within 90 sees_fib || fail "after it was killed: no fib: $(cat "$folder/err")"
"$ringviz" -p $pid --report >/dev/null 2>&1 &
killed=$!
within 90 is_patched || fail "the program has no jumps"
kill -KILL $killed
wait $killed 2>/dev/null
run -p $pid --detach
[ $status -eq 0 ] || fail "--detach: $(cat "$folder/err")"
code_is_whole "after --detach"

# A child that it forks meanwhile has the jumps, too: its calls are traced until they are removed.
"$ringviz" -p $pid --verbose --report >"$folder/out" 2>"$folder/err" &
ringviz_pid=$!
within 90 is_patched || fail "the program has no jumps"
has_forked() {
    grep -q '^forked' "$folder/program"
}
echo f >&9
within 90 has_forked || fail "the program does not fork"
kill -INT $ringviz_pid
wait $ringviz_pid
expect "exit status where it has forked" $? 0
expect "processes that were left" "$(grep -c 'put the original bytes back$' "$folder/err")" 2

# One ringviz at a time; a process that a signal has stopped is patched once it continues.
"$ringviz" -p $pid --report >/dev/null 2>"$folder/first" &
first=$!
within 90 is_patched || fail "the program has no jumps"
run -p $pid --duration=0.05s --report
expect "exit status of a second ringviz" $status 1
one_line "a second ringviz"
grep -q "another ringviz" "$folder/err" || fail "a second ringviz: $(cat "$folder/err")"
kill -STOP $pid
within 90 is_stopped || fail "the program does not stop"
kill -INT $first
wait $first
expect "exit status where the program is stopped" $? 1
grep -q "stays patched" "$folder/first" || fail "where the program is stopped: $(cat "$folder/first")"
run -p $pid --duration=0.05s --report
expect "exit status for a stopped program" $status 1
one_line "a stopped program"
grep -q 'TracerPid:[[:space:]]*0' /proc/$pid/status || fail "the stopped program is still traced"
is_stopped || fail "attaching continued the stopped program"
kill -CONT $pid
run -p $pid --detach
[ $status -eq 0 ] || fail "--detach when it goes on: $(cat "$folder/err")"
code_is_whole "after it was stopped"
run -p $pid --detach
expect "exit status of --detach of nothing" $status 1
one_line "--detach of nothing"

# Another tracer has one of its threads for three seconds, as another ringviz that begins at the same time has for less.
seize='my ($tid) = @ARGV; $| = 1; syscall(101, 0x4206, $tid + 0, 0, 0) == 0 or die; print "seized\n"; sleep 3' # PTRACE_SEIZE
perl -e "$seize" "$(ls /proc/$pid/task | sed -n 3p)" >"$folder/seizer" &
seizer=$!
within 90 grep -q seized "$folder/seizer" || fail "perl does not seize a thread"
run -p $pid --duration=0.05s --report
expect "exit status where a thread was traced: $(cat "$folder/err")" $status 0
wait $seizer

# A thread that sleeps goes on with its sleep, also where a signal has stopped it before, and can be used again.
perl -e '$| = 1; print "begun\n"; sleep 600; print "woken\n"' >"$folder/sleeper" &
sleeper=$!
within 90 grep -q begun "$folder/sleeper" || fail "perl does not start"
within 90 grep -q 'S (sleeping)' /proc/$sleeper/status || fail "perl does not sleep"
kill -STOP $sleeper && kill -CONT $sleeper
for turn in first second third; do
    run -p $sleeper -x not_there --duration=0.05s --report
    expect "exit status for a thread that sleeps, $turn" $status 0
    grep -q "no function of it or of its libraries fits 'not_there'" "$folder/err" || fail "the pattern without a function is not reported: $(cat "$folder/err")"
done
run -p $sleeper --libcalls=not_there --patch=off --syscalls --duration=0.05s --report
grep -q "none of its patched functions was called" "$folder/err" || fail "functions that were not called are not reported: $(cat "$folder/err")"
grep -q woken "$folder/sleeper" && fail "attaching ended the program's sleep"
kill $sleeper

# A program that walks its own stack is not patched, and the reason is printed.
"$walks_alone" 2000000000 >"$folder/walks" &
walker=$!
within 90 grep -q walks_alone /proc/$walker/cmdline || fail "the program does not start"
run -p $walker --duration=0.05s --report
grep -q "nothing of it was patched" "$folder/err" || fail "the program without a patch is not explained: $(cat "$folder/err")"
kill $walker

# Root gets into another user's process, too, and into one with mounts of its own, as systemd gives daemons.
as_daemon() {
    exec unshare -m sh -c 'mount -t tmpfs tmpfs /mnt && exec setpriv --reuid=65534 --clear-groups "$@"' sh "$@"
}
(as_daemon true) 2>/dev/null || as_daemon() {
    exec setpriv --reuid=65534 --clear-groups "$@"
}
if [ "$(id -u)" -eq 0 ] && (as_daemon test -r "${ringviz%/*}/../lib/libringviz-attach.so"); then
    as_daemon perl -e '
        $| = 1; print "begun\n"; for (;;) { my @sorted = sort map { $_ * 7 % 13 } 1..100; select undef, undef, undef, 0.001 }' \
        >"$folder/other" &
    other=$!
    within 90 grep -q begun "$folder/other" || fail "perl does not start as another user"
    run -p $other --duration=0.3s --report=json --max-overhead=off
    expect "exit status for another user's process" $status 0
    grep -q '"name":"perl::' "$folder/out" || fail "another user's process: $(cat "$folder/err")"
    kill $other
    (as_daemon "$ringviz" -p $$ --report) >"$folder/out" 2>"$folder/err" </dev/null
    expect "exit status for a process of root's" $? 1
    one_line "a process of root's"
    grep -q "another user's" "$folder/err" || fail "a process of root's: $(cat "$folder/err")"
fi

# Absolute links begin at the process's root: there, the trace file's folder is one, to a folder that is empty for us.
mkdir -p "$folder/trace/link" "$folder/kept" && mkfifo "$folder/lines"
with_mounts() {
    exec unshare -m sh -c 'folder=$1; shift; mount --bind "$folder/trace/link" "$folder/kept" &&
        mount -t tmpfs none "$folder/trace" && ln -s "$folder/kept" "$folder/trace/link" && exec "$@"' sh "$folder" "$@"
}
if (with_mounts true) 2>/dev/null; then
    with_mounts sh -c 'echo begun; while read -r line; do cd /; done' <"$folder/lines" >"$folder/mounted" &
    mounted=$!
    exec 8>"$folder/lines"
    within 90 grep -q begun "$folder/mounted" || fail "sh does not start with mounts of its own"
    run -p $mounted --duration=0.1s --report --trace-file="$folder/trace/link/file"
    expect "exit status for a process with links of its own" $status 0
    exec 8>&-
    wait $mounted
fi

exec 9>&-
wait $pid
expect "exit status of the program" $? 0
grep -q '^wrong 0, idle threads 0, signals came, changed 0$' "$folder/program" || fail "$(tail -n 1 "$folder/program")"

# A program whose only thread never waits, and whose stack has remains that look like the frame of a signal handler.
begin_program leftover "$leftover"
within 90 grep -q running "$folder/program" || fail "leftover does not start"
run -p $pid --patch=. --duration=0.05s --report
expect "exit status for a stack with remains" $status 0
kill $pid
exec 9>&-
wait $pid

# All of a thread's vector registers are as they were, also where the processor has more state than a thread is given unasked.
if [ "$vectors" ] && grep -qw avx /proc/cpuinfo; then
    begin_program vectors "$vectors"
    within 90 grep -q running "$folder/program" || fail "vectors does not start"
    for turn in 1 2 3; do
        run -p $pid --patch=. --duration=0.02s --report
        expect "exit status for a program of vectors" $status 0
    done
    exec 9>&-
    wait $pid
    expect "numbers in vectors" "$(tail -n 1 "$folder/program")" "wrong 0"
fi

# What cannot be attached to is an error of one line.
run -p $pid
expect "exit status for a process that has ended" $status 1
one_line "a process that has ended"
# Threads whose switches are not reported, for want of descriptors, do not count as running.
begin_program short "$program"
within 90 grep -q running "$folder/program" || fail "the program does not start"
(ulimit -n 28 && run -p $pid --duration=0.3s --report=json --output="$folder/unreported" --force && exit $status)
expect "exit status with few descriptors" $? 0
if grep -q 'states of some threads are not known' "$folder/err"; then
    grep -oE '"blocked_ns":0,"runnable_ns":0,"unknown_ns":[1-9][0-9]{7}' "$folder/unreported" >"$folder/unknown" ||
        fail "no thread whose state is not known: $(cat "$folder/unreported")"
fi
exec 9>&-
wait $pid
begin_program restricted "$program" restricted
within 90 grep -q running "$folder/program" || fail "the program does not start under seccomp"
run -p $pid --duration=0.05s --report
expect "exit status for a program under seccomp" $status 1
one_line "a program under seccomp"
grep -q seccomp "$folder/err" || fail "a program under seccomp: $(cat "$folder/err")"
exec 9>&-
wait $pid
expect "exit status of the program under seccomp" $? 0

# What kernels with Yama or with shadow stacks tell, where mounts may stand for them.
in_mounts() { # MOUNTING COMMAND...
    unshare -m sh -c 'mounting=$1; shift; eval "$mounting" && exec "$@"' sh "$@" >"$folder/out" 2>"$folder/err" </dev/null
    expect "exit status after $1" $? 1
    one_line "after $1"
}
perl -e 'sleep 600' &
sleeper=$!
if (exec unshare -m sh -c 'mount -t tmpfs none /proc/sys/kernel && setpriv --reuid=65534 --clear-groups test -x "$0"' "$ringviz") 2>/dev/null; then
    for refusal in "1 ptrace_scope=0" "3 ptrace_scope.is.3"; do
        scope=${refusal% *}
        in_mounts "mount -t tmpfs none /proc/sys/kernel && mkdir /proc/sys/kernel/yama && echo $scope >/proc/sys/kernel/yama/ptrace_scope" \
            setpriv --reuid=65534 --clear-groups "$ringviz" -p $sleeper --report
        grep -q "${refusal#* }" "$folder/err" || fail "ptrace_scope $scope: $(cat "$folder/err")"
    done
    (grep -v x86_Thread_features /proc/$sleeper/status && printf 'x86_Thread_features:\tshstk \n') >"$folder/status"
    in_mounts "mount --bind '$folder/status' /proc/$sleeper/status" "$ringviz" -p $sleeper --report
    grep -q "GLIBC_TUNABLES=glibc.cpu.x86_shstk=off" "$folder/err" || fail "a shadow stack: $(cat "$folder/err")"
    grep -q libringviz /proc/$sleeper/maps && fail "a process that is refused has our library"
fi
kill $sleeper

# A program of 32 bits, where the kernel runs such: two headers, and pause(2) for ever.
printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0\1\0\0\0\124\200\4\10\64\0\0\0\0\0\0\0\0\0\0\0\64\0\40\0\1\0\0\0\0\0\0\0' >"$folder/narrow"
printf '\1\0\0\0\0\0\0\0\0\200\4\10\0\200\4\10\135\0\0\0\135\0\0\0\5\0\0\0\0\20\0\0\270\35\0\0\0\315\200\353\367' >>"$folder/narrow"
chmod +x "$folder/narrow"
"$folder/narrow" &
narrow=$!
if within 10 test /proc/$narrow/exe -ef "$folder/narrow"; then
    run -p $narrow --report
    expect "exit status for a program of 32 bits" $status 1
    one_line "a program of 32 bits"
    grep -q '64 bits' "$folder/err" || fail "a program of 32 bits: $(cat "$folder/err")"
    kill $narrow
fi
run -p $$ -- true
expect "exit status with a command" $status 2
one_line "with a command"
run --detach
expect "exit status of --detach alone" $status 2
one_line "--detach alone"
conclude
