#!/bin/sh
# perl_pid.sh RINGVIZ OTHER-PERL: samples a running perl with its threads, without affecting it.
set -u
ringviz=$1 other=$2
. "${0%/*}/harness.sh"

cat >"$folder/script.pl" <<'PERL'
package App::Thing;
sub outer { my $inner = sub { wait_for($_[0]) }; $inner->($_[1]) }
sub wait_for { open my $ready, '>', "$_[0].ready" . ($::forked ? 'child' : $INC{'threads.pm'} && threads->tid);
    select undef, undef, undef, 0.01 until -e $_[0]; # line 4
}
package main;
sub deep { $_[0] ? deep($_[0] - 1, $_[1]) : App::Thing::outer(0, $_[1]) }
sub thread_waits { waitpid $_[0], 0 }
no warnings 'recursion';
$SIG{USR1} = sub { $n++ };
my @threads;
if (($ARGV[3] // '') eq 'thread') {
    require threads;
    push @threads, threads->create(sub {
        my $pid = fork;
        if (!$pid) { $forked = 1; deep(1, $ARGV[0]); kill KILL => $$ }
        main::thread_waits($pid);
    });
} elsif ($ARGV[3]) {
    my $pid = fork;
    if (!$pid) { $forked = 1; deep(1, $ARGV[0]); exit }
} elsif ($ARGV[1]) {
    require threads;
    push @threads, threads->create(sub { App::Thing::outer(0, $ARGV[0]) });
}
deep($ARGV[2] // 3, $ARGV[0]);
$_->join for @threads;
wait;
exit 7;
PERL

begin() { # THREADS ARG...: the script, up to where all its threads wait, with one more or none
    rm -f "$folder/go" "$folder/go.ready"*
    timeout 250 perl "$folder/script.pl" "$folder/go" "$@" &
    waiter=$!
    within 60 is_ready $((1 + $1)) || fail "the script does not begin"
    pid=$(pgrep -P $waiter perl)
}
is_ready() { # N
    set -- "$1" "$folder/go.ready"*
    [ $# -eq $((1 + $1)) ] && [ -e "$2" ]
}
end() {
    : >"$folder/go"
    wait $waiter
    expect "$1: the script's exit status" $? 7
}

# An unknown version: one line.
mkfifo "$folder/input"
timeout 250 "$other" <"$folder/input" &
waiter=$!
exec 3>"$folder/input"
is_other() {
    pid=$(pgrep -P $waiter) && readlink "/proc/$pid/exe" | grep -q other_perl
}
within 60 is_other
run --duration=0.1 --report=csv --perl-pid="$pid"
expect "an unknown perl" "$status $(sed 's/[0-9]*: unknown/PID: unknown/; s/;.*/;/' "$folder/err")" \
    "1 ringviz: PID: unknown perl version (interpreter of 12345 bytes);"
exec 3>&-
wait $waiter
expect "an unknown perl's exit status" $? 0

begin 0
run --duration=1 --report=csv --perl-pid="$pid"
if grep -q 'unknown perl version' "$folder/err"; then # then only the error is checked
    one_line "an unknown perl"
    end "an unknown perl"
    exit 77
fi
expect "status" $status 0
expect "said" "$(cat "$folder/err")" ""
for name in main::deep App::Thing::outer App::Thing::wait_for 'App::Thing::__ANON__\[.*script.pl:2\]' 'script.pl::line 4'; do
    grep -q "^\"*$name\"*," "$folder/out" || fail "no $name in $(cat "$folder/out")"
done
self_of() { grep "^\"*$1\"*," "$folder/out" | cut -d, -f6; }
[ "$(self_of App::Thing::wait_for)" -gt 100000000 ] || fail "wait_for has too little own time: $(cat "$folder/out")"
[ "$(self_of main::deep)" -lt 100000000 ] || fail "deep has own time of its callee: $(cat "$folder/out")"
grep TracerPid "/proc/$pid/status" | grep -q '[^0-9]0$' || fail "the script is still traced"

# Samples are called so; times of statements are not added to those of subroutines.
run --duration=1 --report --perl-pid="$pid"
grep -qE "^ *$pid  perl, sampled: Perl: stacks, sampled every 2 ms$" "$folder/out" || fail "not called samples: $(cat "$folder/out")"
expect "subroutines in all" "$(sed -n 's/.*  all \([0-9]* subroutines\)$/\1/p' "$folder/out")" \
    "$(sed '/  all /,$d' "$folder/out" | sed 1d | grep -vc '::line [0-9]') subroutines"

run --duration=1 --spans=csv --perl-pid="$pid"
expect "depths of main::deep" "$(grep main::deep "$folder/out" | cut -d, -f3 | sort -u | tr '\n' ' ')" "0 1 2 3 "
run --duration=1 --screenshot="$folder/picture.png" --size=320x200 --perl-pid="$pid"
[ $status -eq 0 ] || grep -qi opengl "$folder/err" || fail "no picture: $(cat "$folder/err")"
end "one thread"

begin 0 30000 # deeper than is read
run --duration=1 --report=csv --perl-pid="$pid"
grep -q '^"*main::deep"*,' "$folder/out" || fail "deep: no main::deep: $(cat "$folder/err")"
end deep

begin 1 3 fork
run --duration=1 --spans=csv --perl-pid="$pid"
forked=$(grep App::Thing::outer "$folder/out" | cut -d, -f1 | grep -vx "$pid" | sort -u)
[ -n "$forked" ] || fail "a forked child is not followed: $(cat "$folder/out")"
expect "depths in a forked child" "$(grep "^$forked,.*main::deep" "$folder/out" | cut -d, -f3 | sort -u | tr '\n' ' ')" "0 1 "
end "a forked child"

if perl -Mthreads -e 1 2>/dev/null; then
    begin 1
    run --duration=1 --spans=csv --export=chrome:"$folder/a.json" --perl-pid="$pid"
    expect "threads" "$(grep App::Thing::outer "$folder/out" | cut -d, -f2 | sort -u | wc -l)" 2
    grep -q '"thread 1"' "$folder/a.json" || fail "no thread 1: $(grep thread_name "$folder/a.json")"
    end threads

    # Of the threads that a child has from its parent, the one that forked it is sampled.
    begin 1 3 thread
    run --duration=1 --spans=csv --perl-pid="$pid"
    forked=$(grep App::Thing::outer "$folder/out" | cut -d, -f1 | grep -vx "$pid" | sort -u)
    expect "a thread's forked child" "$(grep "^$forked,.*main::deep" "$folder/out" | cut -d, -f2,3 | sort -u | tr '\n' ' ')" \
        "1,1 1,2 "
    end "a thread's forked child"
fi

# ---- ringviz ends with it ----
begin 0
run --record="$folder/a.rvz" --report=csv --perl-pid="$pid" &
viewer=$!
within 60 [ -e "$folder/a.rvz" ] || fail "killed: it is not seen" # the recording begins once it is
kill -KILL "$pid"
wait $viewer || fail "killed: the viewer's status $?"
wait $waiter

# ---- other processes: one line ----
refused() { # PID WHAT
    run --report --perl-pid="$1"
    expect "$2: status" $status 1
    one_line "$2"
    grep -q "^ringviz: $1: " "$folder/err" || fail "$2: $(cat "$folder/err")"
}
sleep 30 &
refused $! "another program"
kill $!
refused 4194399 "no process"
refused 0 "zero"
refused 12x "no number"
run --perl-pid=1 file
expect "with a FILE: status" $status 2

conclude
