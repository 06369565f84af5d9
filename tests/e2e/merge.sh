#!/bin/sh
# merge.sh RINGVIZ PROGRAM: two recordings are merged into one with every call of both, each recording's times shifted by one
# constant; processes stay separate, subroutines are merged.
set -u
ringviz=$1 program=$2
. "${0%/*}/harness.sh"

# Calls without their start, and starts alone, in one order for all files.
calls() {
    sed 1d "$1" | sort -t, -k1,1n -k2,2n -k4,4n -k3,3n | cut -d, -f1-3,5-
}
starts() {
    sed 1d "$1" | sort -t, -k1,1n -k2,2n -k4,4n -k3,3n | cut -d, -f4
}

cd "$folder" || exit 1
for name in a b; do
    run --headless --record=$name.rvz -- "$program"
    expect "recording $name" $status 0
    run --spans --output=$name.csv $name.rvz
done
run --merge=both.rvz a.rvz b.rvz
expect "exit status" $status 0
expect "what is said" "$(cat err)" ""
run --spans --output=both.csv both.rvz
expect "replay" $status 0
expect "what replay says" "$(cat err)" ""
for name in a b; do
    pids=$(sed 1d $name.csv | cut -d, -f1 | sort -u | tr '\n' '|')
    { head -1 both.csv; grep -E "^(${pids%|})," both.csv; } >of_$name.csv
    calls $name.csv >wanted
    calls of_$name.csv | cmp - wanted || fail "$name: other calls than recorded"
    starts $name.csv >wanted
    starts of_$name.csv | paste -d' ' - wanted | awk '{ print $1 - $2 }' | sort -u >shifts
    expect "$name: how many amounts of shift" "$(wc -l <shifts)" 1
    # One boot of one host: wall clock and monotonic clock agree, except for a step of the wall clock.
    awk '{ exit !($1 >= 0 && $1 < 1e9) }' shifts || fail "$name: moved by $(cat shifts) ns"
done
expect "calls" "$(wc -l <both.csv)" "$(($(wc -l <a.csv) + $(wc -l <b.csv) - 1))"

# One recording twice: every process twice, every subroutine once.
run --merge=twice.rvz a.rvz a.rvz
expect "one twice" $status 0
run --report=csv --output=a.report a.rvz
run --report=csv --output=twice.report twice.rvz
expect "subroutines of one twice" "$(cut -d, -f1-3 twice.report | sort)" "$(cut -d, -f1-3 a.report | sort)"
expect "calls of one twice" "$(sed 1d twice.report | awk -F, '{ n += $4 } END { print n }')" \
    "$(sed 1d a.report | awk -F, '{ n += 2 * $4 } END { print n }')"

run --merge=both.rvz a.rvz b.rvz
expect "a file that exists" $status 1
one_line "a file that exists"
run --force --merge=a.rvz a.rvz b.rvz
expect "into one of them" $status 0
run --spans --output=again.csv a.rvz
expect "into one of them, calls" "$(wc -l <again.csv)" "$(wc -l <both.csv)"
run --merge=none.rvz a.rvz a.csv
expect "no recording" $status 1
one_line "no recording"
[ -e none.rvz ] && fail "a file is left where nothing was merged"
run --merge=none.rvz a.rvz
expect "one recording only" $status 2
run --merge=/dev/full/none.rvz a.rvz b.rvz
expect "an output that cannot be" $status 1
# Across two recordings of a host a process is found by its pid: the holder of a file's lock, which another recorded program
# waits for until it is seen to wait.
if command -v perl >which; then
    cat >hold.pl <<'END'
use Fcntl ":flock";
open my $file, ">", "locked" or die;
flock $file, LOCK_EX or die;
sub waits { open my $locks, "<", "/proc/locks" or die; my $inode = (stat $file)[1]; grep /->.*:$inode /, <$locks> }
open my $held, ">", "held" or die;
select undef, undef, undef, 0.01 until waits();
select undef, undef, undef, 0.02;
END
    "$ringviz" --headless --record=holds.rvz -- perl hold.pl >hold.out 2>hold.err &
    holder=$!
    within 90 test -e held || fail "the lock is not held: $(cat hold.err)"
    run --headless --record=waits.rvz -- perl -e 'use Fcntl ":flock"; sub lock_it { open my $file, "<", "locked"; flock $file, LOCK_EX } lock_it()'
    expect "who waits for a lock" $status 0
    wait $holder
    expect "who holds it" $? 0
    run --merge=host.rvz holds.rvz waits.rvz
    expect "merge of a host's recordings" $status 0
    run --waits=csv host.rvz
    awk -F, '$1 == "file lock" && $9 == 1 && $12 != $15 && $16 ~ /hold/ { found = 1 } END { exit !found }' out ||
        fail "the holder of another recording: $(cat out)"
fi

conclude
