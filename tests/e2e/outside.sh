#!/bin/sh
# outside.sh RINGVIZ BLOCKING: threads outside of what is traced that ended waits, where the kernel may be asked for them.
set -u
ringviz=$1 blocking=$2
. "${0%/*}/harness.sh"

command -v perl >"$folder/which" || exit 77
[ -r /sys/kernel/tracing/events/sched/sched_waking/id ] || exit 77
[ "$(readlink /proc/self/ns/pid)" = "pid:[4026531836]" ] || exit 77
capabilities=0x$(sed -n 's/^CapEff:[^0-9a-f]*//p' /proc/self/status) # of them CAP_PERFMON and CAP_SYS_ADMIN
[ $((capabilities >> 38 & 1)) -eq 1 ] || [ $((capabilities >> 21 & 1)) -eq 1 ] || exit 77

# A traced reader of a pipe, which a program writes that is not; then a timer's signal.
cat >"$folder/outsider.pl" <<'END'
open my $pid, ">", shift; print $pid $$; close $pid; $0 = "outsider";
for (1 .. 20) { select undef, undef, undef, 0.02; syswrite STDOUT, "x" }
END
# Of what an interrupt wakes on an idle CPU some kernels tell nothing.
busy=
for _ in $(seq "$(nproc)"); do
    nice -n 19 timeout 100 sh -c 'while :; do :; done' &
    busy="$busy $!"
done
perl "$folder/outsider.pl" "$folder/pid" |
    timeout 100 "$ringviz" --headless --record="$folder/run.rvz" -- "$blocking" input >"$folder/out" 2>"$folder/err"
expect "exit status" $? 0
# shellcheck disable=SC2086
kill $busy
if grep -q 'states are not known' "$folder/err"; then
    exit 77
fi
outsider=$(cat "$folder/pid")

# Rows are kind,object,waits,total,p99,longest,unknown,exact,owner,likely,timeout,waiter,name,call,holder,name,call,held
run --waits=csv --force --output="$folder/waits" "$folder/run.rvz"
awk -F, -v pid="$outsider" '$1 == "read" && $14 ~ /::read_input$/ && $3 >= 2 && $8 >= $3 - 1 && $15 == pid && $16 == "outsider" &&
    $18 > $4 * .9 { found = 1 } END { exit !found }' "$folder/waits" ||
    fail "the program that writes, $outsider, did not end the reads: $(cat "$folder/waits")"
awk -F, '$1 == "signal" && $14 ~ /::await_alarm$/ && $8 == 1 && $15 == 0 && $16 == "interrupt" { found = 1 } END { exit !found }' \
    "$folder/waits" || fail "no interrupt ended the wait for a signal: $(cat "$folder/waits")"
run --waits "$folder/run.rvz"
grep -q "ended by outsider ($outsider)$" "$folder/out" || fail "the text does not name the writer: $(cat "$folder/out")"
grep -q "100 % ended by interrupt$" "$folder/out" || fail "the text does not name the interrupt: $(cat "$folder/out")"
run --waits=json "$folder/run.rvz"
grep -q "\"holder\":{\"thread\":$outsider,\"name\":\"outsider\"" "$folder/out" || fail "JSON does not name the writer: $(cat "$folder/out")"
run --check "$folder/run.rvz"
expect "exit status of --check" $status 0

# What comes by the network of this host is delivered in a softirq, which is likely the sender's.
cat >"$folder/server.pl" <<'END'
use IO::Socket::INET;
my $listens = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1") or die;
if (!fork) {
    my $server = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $listens->sockport) or die;
    open STDIN, "<&", $server or die;
    close $_ for $listens, $server;
    exec @ARGV;
}
$0 = "server";
my $client = $listens->accept;
for (1 .. 20) { select undef, undef, undef, 0.02; syswrite $client, "x" }
close $client; wait; exit $? >> 8
END
timeout 100 perl "$folder/server.pl" "$ringviz" --waits=csv --force --output="$folder/waits" -- "$blocking" input >"$folder/out" 2>"$folder/err"
expect "exit status of a client" $? 0
awk -F, '$1 == "read" && $14 ~ /::read_input$/ && $3 >= 2 && $8 + $10 >= $3 - 1 && $16 == "server" { found = 1 } END { exit !found }' \
    "$folder/waits" || fail "the server is not the likely waker of its client: $(cat "$folder/waits" "$folder/err")"

# The last thread of a process, which has no number any more when it tells the end, has its process's.
timeout 100 "$ringviz" --headless --follow=no --waits=csv --force --output="$folder/waits" -- "$blocking" departing >"$folder/out" 2>"$folder/err"
expect "exit status of one that waits for processes" $? 0
for wait in poll,poll_process signal,await_signal; do
    expect "waits in $wait for another's end" "$(awk -F, -v kind="${wait%,*}" -v call="::${wait#*,}\$" \
        '$1 == kind && $14 ~ call && $15 > 0 { n += $8 } END { print n + 0 }' "$folder/waits")" 5
done

# Two recordings are merged, with names.
run --merge="$folder/both.rvz" "$folder/run.rvz" "$folder/run.rvz"
expect "exit status of --merge" $status 0
run --waits=csv --force --output="$folder/merged" "$folder/both.rvz"
grep -q ",$outsider,outsider," "$folder/merged" || fail "merged recordings do not name the writer: $(cat "$folder/merged" "$folder/err")"

# It is not on the path, where the wait stays.
run --critical-path=csv --force --output="$folder/path" "$folder/run.rvz"
awk -F, '$1 == "unknown" && $2 ~ /^read/ { found = 1 } END { exit !found }' "$folder/path" ||
    fail "the wait is not on the path: $(cat "$folder/path")"

conclude
