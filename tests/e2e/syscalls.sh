#!/bin/sh
# syscalls.sh RINGVIZ SYSCALLS MARK CONTENTION FORKTREE...: system calls are drawn as strace has them, and programs run as they do untraced. MARK
# marks, for strace, from where on ringviz's library is there.
set -u
ringviz=$1 program=$2 mark=$3 contention=$4
. "${0%/*}/harness.sh"

# "NAME N" of each, but what depends on how much our own library has used of the heap, what a signal's handler returns by,
# and waits that come as threads meet.
count_calls() {
    grep -vxE 'brk|mmap|munmap|getrandom|sysinfo|rt_sigreturn|futex|membarrier|restart_syscall' | sort | uniq -c | awk '{print $2, $1}'
}

ours() { # of a list of spans as CSV
    grep -v -e '-1 EINTR' "$1" | sed -n 's/^[^"]*,syscall::\([a-z0-9_]*\),.*/\1/p' | count_calls
}

# The same of strace -f -o, from the mark on, which each program makes again after exec. A call that the kernel makes again, once a signal was
# handled, is one; strace has it twice. Which calls a signal interrupts (EINTR) is not the same in each run.
theirs() {
    awk '
        { pid = $1 }
        $0 ~ /^[0-9]+ +[a-z0-9_]+\(/ {
            name = $2
            sub(/\(.*/, "", name)
            if (!(pid in begun))
                begun[pid] = n_pids++ > 0
            if (name == "membarrier" && /0x1092/)
                begun[pid] = 1
            else if (begun[pid] && !/ERESTART|EINTR/)
                n[name]++
        }
        / resumed>.*(ERESTART|EINTR)/ && begun[pid] { n[$3]-- }
        /execve(\(| resumed>).* = 0$/ { begun[pid] = 0 }
        END { for (name in n) while (n[name]-- > 0) print name }' "$1" | count_calls
}

# COMMAND...: the same output, the same calls.
compare() {
    "$@" >"$folder/plain" 2>&1 </dev/null
    plain_status=$?
    run --syscalls --patch=off --headless --spans=csv --output="$folder/spans.csv" --force -- "$@"
    expect "exit status of $*" $status $plain_status
    grep -v '^ringviz: ' "$folder/err" >>"$folder/out"
    cmp -s "$folder/plain" "$folder/out" || fail "output of $*: $(diff "$folder/plain" "$folder/out" | head -5)"
    grep -E 'dropped|without' "$folder/err" && fail "losses of $*"
    [ -n "$strace" ] || return
    LD_PRELOAD=$mark "$strace" -f -qq -o "$folder/strace" "$@" >"$folder/out" 2>&1 </dev/null
    theirs "$folder/strace" >"$folder/theirs"
    ours "$folder/spans.csv" >"$folder/ours"
    [ -s "$folder/ours" ] || fail "$*: no system call"
    cmp -s "$folder/theirs" "$folder/ours" || fail "calls of $*: $(diff "$folder/theirs" "$folder/ours")"
}

strace=$(command -v strace)
compare "$program"
run --syscalls --patch=off --headless -- "$program" cancel
expect "exit status of cancelled threads" $status 5
expect "cancelled threads" "$(grep cleaned "$folder/out")" "cleaned 10"
run --syscalls=read,write --patch=off --headless -- "$program" backtrace
expect "stacks that do not lead to main" "$(grep stacks "$folder/out")" "stacks lost 0"
cat >"$folder/pipes.sh" <<'EOF'
for i in 1 2 3; do
    echo line $i
done | sort -r | tr a-z A-Z | cat
(cd / && ls -d etc usr) >/dev/null
: $(cat /etc/hostname)
/bin/ls /does/not/exist
exit 7
EOF
compare sh "$folder/pipes.sh"
compare sort -r /etc/services
compare find /usr/include -name 'a*.h'
command -v git >/dev/null && compare git --git-dir=/does/not/exist status
[ -x /usr/bin/python3 ] && compare /usr/bin/python3 -S -c 'import os; print(len(os.listdir("/usr/bin")))'

# Buffers as strace shows them, with their NULs.
run --syscalls=write --patch=off --headless --spans=json -- perl -e 'syswrite STDERR, "\r\0\0\0001 + 1\n"'
expect "exit status of a program that writes NULs" $status 0
grep -qF '"\"\\r\\0\\0\\0001 + 1\\n\"","10"],"result":"10"' "$folder/out" || fail "the NULs of a buffer are not shown: $(grep write "$folder/out")"

# Names, arguments, results and errors; on top of the function that makes the call.
run --syscalls=file,close,write -x 'write_much' --headless --spans=json --output="$folder/spans.json" --force \
    --record="$folder/run.rvz" -- "$program"
expect "exit status" $status 5
expect "opened" "$(grep -c '"syscall::openat".*"args":\["AT_FDCWD","\\"/dev/null\\"","O_WRONLY|O_CLOEXEC"' "$folder/spans.json")" 2000
expect "written" "$(grep -c '"syscall::write".*"\\"abc\\"","3"\],"result":"3"' "$folder/spans.json")" 2000
grep -q '"syscall::openat".*does/not/exist.*"result":"-1 ENOENT"' "$folder/spans.json" || fail "no error"
grep '"syscall::openat".*/dev/null' "$folder/spans.json" | grep -q '"depth":0' && fail "calls that are on top of no function"
grep -q '"syscall::\(read\|mmap\|clone\)' "$folder/spans.json" && fail "calls that were not chosen"
run --headless --spans=json --output="$folder/replayed.json" "$folder/run.rvz"
check "a recording has them" cmp "$folder/spans.json" "$folder/replayed.json"

# On top of the Perl sub that makes them, where Perl is traced.
cat >"$folder/open.pl" <<'EOF'
sub inner { open my $file, "<", "/etc/passwd" }
sub outer { inner() }
outer();
EOF
run --syscalls=openat --headless --spans=csv -- perl "$folder/open.pl"
if grep -q ',main::inner,' "$folder/out"; then
    expect "depths in Perl" "$(awk -F, '/main::|passwd/ { print $3, $6 }' "$folder/out" | tr '\n' ' ')" \
        "2 syscall::openat 1 main::inner 0 main::outer "
fi

# Of a process that runs already: afterwards it is as before.
cat >"$folder/loop.sh" <<'EOF'
while read -r line; do
    cd / && cd /tmp
    echo "$line"
done
EOF
mkfifo "$folder/lines"
sh "$folder/loop.sh" <"$folder/lines" >"$folder/echoed" &
pid=$!
exec 9>"$folder/lines"
echo before >&9
check "it reads" within 10 grep -q before "$folder/echoed"
"$ringviz" -p $pid --syscalls=chdir,write --headless --duration=2s --spans=csv --output="$folder/attached.csv" --force \
    >"$folder/out" 2>"$folder/err" &
attached=$!
while kill -0 $attached 2>/dev/null; do
    echo during >&9
    sleep 0.05
done
wait $attached
expect "exit status of an attachment" $? 0
grep -q 'syscall::write,.*"1, ""during\\n"", 7",7$' "$folder/attached.csv" || fail "attached: $(cat "$folder/err")"
grep -q 'syscall::chdir,.*"""/tmp""",0$' "$folder/attached.csv" || fail "attached: no chdir"
echo after >&9
exec 9>&-
wait $pid
expect "exit status of what was attached to" $? 0
expect "its last line" "$(tail -1 "$folder/echoed")" after

# Only the chosen system calls are shown.
run --syscalls='!/^[a-w]' --headless --spans=csv --patch=off -- "$program"
grep -q 'syscall::write' "$folder/out" && grep -q 'syscall::[a-v]' "$folder/out" && fail "calls that were chosen not to be"
# Threads that wait for each other: system calls of our hooks are not shown as theirs.
run --syscalls=gettid --patch=off --spans=csv -- "$contention" rwlock
expect "calls of gettid(2)" "$(grep -c 'syscall::gettid' "$folder/out")" 0

# The first event of a process is that of a fork.
shift 4
for forktree; do
    run --syscalls=clone --patch=off --spans=csv -- "$forktree"
    expect "calls of clone(2) for its 20 children" "$(grep -c 'syscall::clone,' "$folder/out")" 20
done

run --syscalls=reed --headless -- true
expect "exit status of a wrong name" $status 2
one_line "a wrong name"
grep -q "no system call or set of them is called reed" "$folder/err" || fail "$(cat "$folder/err")"
conclude
