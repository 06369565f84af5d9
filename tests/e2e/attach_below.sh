#!/bin/sh
# attach_below.sh RINGVIZ PROGRAM: a process whose work is done by those that it has started, as a server's master.
set -u
ringviz=$1 program=$2
. "${0%/*}/harness.sh"

n_below=1
begin_other='' end_other='' # a process of another user, where we may
if [ "$(id -u)" -eq 0 ] && setpriv --reuid=65534 --clear-groups true; then
    n_below=2
    begin_other='setpriv --reuid=65534 --clear-groups sleep 600 & echo $! >"$1";' end_other='kill $(cat "$1");'
fi
begin_program in sh -c "$begin_other"' (exec "$0"); '"$end_other exit" "$program" "$folder/other"
within 90 grep -q running "$folder/program" || fail "the program does not start"

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
n_answers=0

run -p $pid --duration=0.05s --report
expect "exit status" $status 0
expect "lines about the process below" "$(grep -c "^ringviz: .*process $pid: $n_below that it has started \(is\|are\) not traced; --follow=all" "$folder/err")" 1
code_is_whole "without --follow=all"

sees_fib() {
    run -p $pid --follow=all --duration=0.05s --force --report=json --output="$folder/report.json"
    expect "exit status with --follow=all" $status 0
    grep -q '::fib",[^}]*"total_ns":[1-9]' "$folder/report.json"
}
within 90 sees_fib || fail "no call of the process below: $(cat "$folder/err")"
grep -q 'ringviz set-up' "$folder/report.json" && fail "a thread of ringviz's own is reported"
code_is_whole "after --follow=all"

"$ringviz" -p $pid --follow=all --report >/dev/null 2>"$folder/below.err" &
killed=$!
within 90 is_patched || fail "the program has no jumps"
if [ -s "$folder/other" ]; then
    other=$(cat "$folder/other") its_file=$(sed -n 's|.* \(/[^ ]*/ringviz-0-[^ ]*\)$|\1|p' /proc/$killed/maps | head -n 1)
    expect "user of the trace file" "$(stat -c %u "$its_file")" 0
    grep -q ringviz "/proc/$other/maps" && fail "a process of another user has been entered"
    within 90 grep -q "^ringviz: .*process $other is not traced: it is another user's than process $pid" "$folder/below.err" ||
        fail "no line about the process of another user: $(cat "$folder/below.err")"
fi
kill -KILL $killed
wait $killed 2>/dev/null
run -p $pid --follow=all --detach
expect "exit status of --detach" $status 0
code_is_whole "after --detach"

run --follow=all -- true
expect "exit status of a command with --follow=all" $status 2
one_line "a command with --follow=all"

exec 9>&-
wait $pid
grep -q '^wrong 0, idle threads 0, signals came, changed 0$' "$folder/program" || fail "$(tail -n 1 "$folder/program")"

# One that starts others all the while: each of them is entered, or has its jumps.
cat >"$folder/forks.sh" <<'end'
exec 8<&0
for i in 1 2 3 4 5 6 7 8 9 10; do
    for k in 1 2 3 4 5 6 7 8 9 10; do
        (read -r _ <&8) &
        (:)
    done
    echo forked
done
wait
end
all_have_library() {
    [ "$(cat "/proc/$pid/task/$pid/children" | wc -w)" -ge 100 ] || return 1
    for child in $(cat "/proc/$pid/task/$pid/children"); do
        grep -q libringviz-attach "/proc/$child/maps" || return 1
    done
}
begin_program forks sh "$folder/forks.sh"
within 90 grep -q forked "$folder/program" || fail "the shell does not start"
"$ringviz" -p $pid --follow=all --report >/dev/null 2>"$folder/below.err" &
watcher=$!
within 90 all_have_library || fail "a process that began meanwhile is not traced: $(cat "$folder/below.err")"
kill -INT $watcher
wait $watcher
grep -E 'no such process|has ended|statically linked' "$folder/below.err" && fail "a line about a process that has ended"
exec 9>&-
wait $pid

# One that perf_event_open(2) refuses, since its program may not be read, does not keep others from having states.
as_other() {
    setpriv --reuid=65534 --clear-groups "$@"
}
if [ -s "$folder/other" ] && as_other test -x "$program" -a -x "$ringviz" -a -r "${ringviz%/*}/../lib/libringviz-attach.so"; then
    chmod 711 "$folder"
    cp "$(command -v sleep)" "$folder/unreadable"
    chmod 111 "$folder/unreadable"
    begin_program refused setpriv --reuid=65534 --clear-groups sh -c \
        'exec 8<&0; "$0" <&8 & worker=$!; "$1" 600 & other=$!; wait $worker; kill $other' "$program" "$folder/unreadable"
    within 90 grep -q running "$folder/program" || fail "the program does not start"
    as_other "$ringviz" -p $pid --follow=all --duration=0.3s --report >"$folder/out" 2>"$folder/err" </dev/null
    if grep -q 'states of some threads are not known' "$folder/err"; then
        grep -q '^ *process .* blocked .* thread$' "$folder/out" || fail "no states: $(cat "$folder/out" "$folder/err")"
    fi
    exec 9>&-
    wait $pid
fi
conclude
