#!/bin/sh
# states.sh RINGVIZ STATES LATE_CALLS: when the kernel ran the threads of a command, against what the command counted itself.
set -u
ringviz=$1 states=$2 late_calls=$3
. "${0%/*}/harness.sh"

run --states=on --verbose --headless -- "$states"
if grep -q 'states are not known' "$folder/err"; then
    echo "perf_event_open is not allowed here"
    exit 77
fi

field() { # SUBROUTINE COLUMN: of a report in CSV
    awk -F, -v name="::$1\$" -v column="$2" 'NR > 1 && $1 ~ name { print $column }' "$folder/$3"
}

taken_away() { # ns so far in which CPUs ran interrupts, or another machine: no thread's CPU time, but no switch either
    awk -v tick="$(getconf CLK_TCK)" '/^cpu / { printf "%d\n", ($7 + $8 + $9) * 1e9 / tick }' /proc/stat
}

before=$(taken_away)
run --record="$folder/run.rvz" --report=csv --force --output="$folder/report" -- "$states"
expect "exit status" $status 0
taken=$(($(taken_away) - before))
work=$(sed -n 's/^work //p' "$folder/out")
rest=$(sed -n 's/^rest //p' "$folder/out")
n_switches=$(sed -n 's/^switches //p' "$folder/out")

# Own time of a function that only works, without the time off the CPU, is its CPU time.
ran=$(field work 11 report)
[ "$ran" = $(($(field work 6 report) - $(field work 12 report) - $(field work 13 report))) ] || fail "work: not the rest: $ran"
# The kernel counts a switch to a thread as its CPU time; here it runs when the switch has ended.
[ $((ran + taken + work / 50)) -ge "$work" ] || fail "work: ran $ran, but CPU time $work"
[ $((ran - work)) -le $((work / 20 + taken + 50000000)) ] ||
    fail "work: ran $ran, but CPU time $work, $taken taken away"
# A function that only sleeps is blocked at least as long as it asked for.
[ "$(field rest 12 report)" -ge "$rest" ] || fail "rest was blocked for $(field rest 12 report) ns, and slept $rest"
# A lock that others hold: one of four holds it.
[ "$(field hold 12 report)" -gt 0 ] || fail "no call of hold has blocked time"
# Only the innermost call is blocked itself; in all its caller is, for as long as its callees.
[ "$(field run 12 report)" -lt $((rest / 10)) ] || fail "run: blocked $(field run 12 report)"
sum=0
for name in work rest hold run; do sum=$((sum + $(field $name 12 report))); done
expect "blocked time of run with its callees" "$(field run 17 report)" $sum

# A recording gives the same report.
run --report=csv --force --output="$folder/replayed" "$folder/run.rvz"
check "the report of the recording" cmp "$folder/report" "$folder/replayed"
run --report=csv --threads=1 --force --output="$folder/serial" "$folder/run.rvz"
check "the report by one thread" cmp "$folder/report" "$folder/serial"
# Blocked times of a system call, which ends when its wait does, are not counted for its caller again.
run --syscalls --record="$folder/calls.rvz" --report=csv --force --output="$folder/calls" -- "$states"
expect "exit status with --syscalls" $status 0
wrong=$(awk -F, 'NR > 1 && ($12 + $13 > $6 * 1.001 + 1000 || $17 + $18 > $5 * 1.001 + 1000)' "$folder/calls")
expect "times of system calls and their callers, above their durations" "$wrong" ""
for threads in 1 4; do
    run --report=csv --threads=$threads --force --output="$folder/replayed.calls" "$folder/calls.rvz"
    check "the report with --syscalls, by $threads threads" cmp "$folder/calls" "$folder/replayed.calls"
done
# The list of calls has the same: own times of all calls, total times of those that are not recursive.
run --spans --export=chrome:"$folder/run.json" --force --output="$folder/spans" "$folder/run.rvz"
sums() { # COLUMN...: of the calls by name
    awk -F, -v columns="$*" 'BEGIN { n = split(columns, column, " ") }
        NR > 1 { for (i = 1; i <= n; i++) sum[$6, i] += $column[i]; names[$6] }
        END { for (name in names) { printf "%s", name; for (i = 1; i <= n; i++) printf ",%.0f", sum[name, i]; print "" } }' \
        "$folder/spans" | sort
}
sums 12 13 14 9 10 11 >"$folder/spans.times"
sed 1d "$folder/report" | cut -d, -f1,11-13,16-18 | sort >"$folder/report.times"
check "the times of calls" cmp "$folder/spans.times" "$folder/report.times"
tdur=$(grep '"name":"[^"]*::work ' "$folder/run.json" | sed 's/.*"tdur":\([0-9.]*\).*/\1/' | awk '{ sum += $1 * 1000 } END { printf "%.0f", sum }')
expect "CPU time of work in Chrome's JSON" "$tdur" "$(field work 16 report)"
# So has a range of the whole capture, from the notes of lanes.
run --report=csv --from=0 --force --output="$folder/ranged" "$folder/run.rvz"
for report in replayed ranged; do sed 1d "$folder/$report" | cut -d, -f1,11-20 | sort >"$folder/$report.times"; done
check "the report of a range" cmp "$folder/replayed.times" "$folder/ranged.times"
# Every switch is there: one event when the thread leaves the CPU, and one when it comes back.
run --report=json --force --output="$folder/json" "$folder/run.rvz"
produced=$(sed -n 's/.*"produced":\([0-9]*\).*/\1/p' "$folder/json")
events=$(timeout 100 "$ringviz" --info "$folder/run.rvz" | awk '$1 == "events" { print $2 }')
n_seen=$(((events - produced) / 2))
# The first call comes later than the thread, the last one earlier; main waits for its four threads.
[ $n_seen -ge $((n_switches - 8)) ] && [ $n_seen -le $((n_switches + 16)) ] ||
    fail "$n_seen switches seen, the program counted $n_switches"

# Context switches that the kernel dropped while ringviz was stopped are reported; the unknown time is in no column, in the
# recording neither. The blocked times of burst() are those before and after: a small part of its time.
run --headless --policy=switch --ring-events=262144 --record="$folder/lossy.rvz" --report=csv --force --output="$folder/lossy" -- "$states" 60000
expect "exit status with losses" $status 0
run --report=csv --force --output="$folder/replayed.lossy" "$folder/lossy.rvz"
check "the report of a recording with losses" cmp "$folder/lossy" "$folder/replayed.lossy"
grep -q "changes\\? of threads' states found no room" "$folder/err" || fail "lost context switches are not reported"
[ "$(($(field burst 16 lossy) + $(field burst 17 lossy) + $(field burst 18 lossy)))" -lt $(($(field burst 5 lossy) * 3 / 4)) ] ||
    fail "all of burst's time is known: $(cat "$folder/lossy")"
[ "$(field rest 17 lossy)" -gt 40000000 ] || fail "rest: blocked $(field rest 17 lossy) only"

run --export=perfetto:"$folder/run.pftrace" "$folder/run.rvz"
grep -aq 'thread states' "$folder/run.pftrace" || fail "no track of states in the export for Perfetto"

# Flame graphs of a part of the time: sums of own times.
for flame in on-cpu off-cpu blocked runnable wall; do
    run --export=folded:"$folder/folded" --flame=$flame --force "$folder/run.rvz"
    expect "exit status with --flame=$flame" $status 0
    awk '{ sum[$0 ~ /::rest [0-9]*$/ ? "rest" : "others"] += $NF } END { printf "%.0f %.0f\n", sum["rest"], sum["others"] }' \
        "$folder/folded" >"$folder/$flame"
done
expect "time of rest off the CPU" "$(cut -d' ' -f1 "$folder/off-cpu")" $(($(field rest 12 report) + $(field rest 13 report)))
expect "time of rest on the CPU" "$(cut -d' ' -f1 "$folder/on-cpu")" "$(field rest 11 report)"
expect "both together" "$(paste -d' ' "$folder/on-cpu" "$folder/off-cpu" | awk '{ printf "%.0f %.0f", $1 + $3, $2 + $4 }')" "$(cat "$folder/wall")"
expect "time of rest blocked" "$(cut -d' ' -f1 "$folder/blocked")" "$(field rest 12 report)"
expect "time of rest runnable" "$(cut -d' ' -f1 "$folder/runnable")" "$(field rest 13 report)"
# A comparison shows what changed, here nothing, and what is unknown.
run --diff=csv --force --output="$folder/diff" "$folder/run.rvz" "$folder/run.rvz"
expect "blocked time in a comparison" "$(awk -F, '$1 ~ /::rest$/ { print $21 "," $22 "," $27 "," $28 }' "$folder/diff")" \
    "$(field rest 17 report),$(field rest 17 report),$(field rest 12 report),$(field rest 12 report)"
run --states=off --headless --record="$folder/off.rvz" -- "$states"
run --diff --force --output="$folder/diff" "$folder/run.rvz" "$folder/off.rvz"
run --export=folded:"$folder/none" --flame=off-cpu "$folder/off.rvz"
expect "exit status without states" $status 1
one_line "--flame without states"
[ ! -e "$folder/none" ] || fail "an export without states is left"
run --report --flame=off-cpu "$folder/run.rvz"
expect "exit status of --flame without stacks" $status 2
one_line "--flame without stacks"
grep -q "^threads' states are not known after: " "$folder/diff" || fail "a comparison without states says nothing"
run --diff --force --output="$folder/diff" "$folder/run.rvz" "$folder/run.rvz"
sed -n 5p "$folder/diff" | grep -q "most of it" || fail "no cause of changes: $(cat "$folder/diff")"
run --states=off --report=csv --force --output="$folder/report" -- "$states"
expect "blocked time with --states=off" "$(field rest 12 report)" ""
run --states=off --report --force --output="$folder/report" -- "$states"
head -1 "$folder/report" | grep -q blocked && fail "columns without content: $(head -1 "$folder/report")"
grep -q "^threads' states are not known: no columns" "$folder/report" || fail "columns are missing without a word"
# The report has the times of threads without a lane, since they made no traced call: such as that of env, which becomes sleep.
silent() { # FIELD
    perl -MJSON::PP -e 'my $field = shift; local $/; my $silent = decode_json(<>)->{silent}; print $silent->{$field} // ""' "$1" "$folder/waits"
}
run --waits=json --force --output="$folder/waits" -- sh -c 'env -u LD_PRELOAD sleep 0.3; exec "$0"' "$states"
expect "exit status with a silent thread" $status 0
[ "$(silent threads)" -ge 1 ] && [ "$(silent blocked_ns)" -ge 290000000 ] || fail "the silent thread is not in the JSON: $(cat "$folder/waits")"
run --waits --force --output="$folder/waits" -- sh -c 'env -u LD_PRELOAD sleep 0.3; exec "$0"' "$states"
grep -q '^[0-9]* threads* made no traced call: running .*, blocked .* switch\(es\)*$' "$folder/waits" ||
    fail "the silent thread is not in the text: $(cat "$folder/waits")"
run --report=json --force --output="$folder/waits" -- sh -c 'env -u LD_PRELOAD sleep 0.3; exec "$0"' "$states"
[ "$(silent threads)" -ge 1 ] && [ "$(silent blocked_ns)" -ge 290000000 ] || fail "not in the report: $(cat "$folder/waits")"
# Each of them is listed, with its own counts; a recording lists the same, also one that is merged or repaired.
before=$(taken_away)
run --record="$folder/silent.rvz" --report=json --force --output="$folder/waits" -- sh -c 'env -u LD_PRELOAD "$0" each; exec "$0"' "$states"
expect "exit status with silent threads" $status 0
taken=$(($(taken_away) - before))
grep '^thread ' "$folder/out" | perl -MJSON::PP -e '
    my ($file, $taken) = @ARGV;
    my %seen = map { ($_->{thread} => $_) } @{ decode_json(do { local (@ARGV, $/) = $file; <> })->{silent}{list} };
    my $n = 0;
    while (<STDIN>) {
        my (undef, $tid, $cpu, $switches) = split;
        my $thread = $seen{$tid} or die "thread $tid is not listed\n";
        $thread->{name} eq "worker" or die "thread $tid is called $thread->{name}\n";
        my $more = $thread->{switches} - $switches;
        $more >= 0 && $more <= 4 or die "thread $tid: $thread->{switches} switches, it says $switches\n";
        my $ran = $thread->{running_ns};
        $ran + $taken + $cpu / 50 >= $cpu && $ran - $cpu <= $cpu / 20 + $taken + 50e6 or die "thread $tid: ran $ran, it says $cpu\n";
        $n++;
    }
    $n == 4 or die "$n threads\n"' "$folder/waits" "$taken" || fail "silent threads are not what they say"
list() { # FILE: of silent threads
    perl -MJSON::PP -e 'local $/; print JSON::PP->new->canonical->encode(decode_json(<>)->{silent} // {})' "$1"
}
run --merge="$folder/merged.rvz" --force "$folder/silent.rvz"
run --check --repair="$folder/repaired.rvz" "$folder/silent.rvz"
run --info "$folder/silent.rvz"
grep -q '^[0-9]* threads* made no traced call: --report$' "$folder/out" || fail "the silent threads are not in --info"
for file in silent merged repaired; do
    run --report=json --force --output="$folder/replayed" "$folder/$file.rvz"
    expect "silent threads of the recording, $file" "$(list "$folder/replayed")" "$(list "$folder/waits")"
done
# Silent threads of a traced process have lanes, with their states, from half a second on.
run --record="$folder/quiet.rvz" --report --force --output="$folder/report" -- "$states" quiet
grep '^thread ' "$folder/out" >"$folder/threads"
expect "silent threads" "$(wc -l <"$folder/threads")" 4
while read -r _ tid _ _; do
    blocked=$(awk -v tid="$tid" '$2 == tid && $3 == 0 && $NF == "quiet" { print $5 " " $6 }' "$folder/report")
    case $blocked in
    [1-9]*.*" s") ;;
    *) fail "the lane of thread $tid was blocked for '$blocked': $(cat "$folder/report")" ;;
    esac
done <"$folder/threads"
run --report --force --output="$folder/replayed" "$folder/quiet.rvz"
check "the report of the recording with lanes of silent threads" cmp "$folder/report" "$folder/replayed"
run --export=chrome:"$folder/quiet.json" --force "$folder/quiet.rvz"
expect "silent threads in Chrome's JSON" "$(grep -c '"thread_name".*"quiet"' "$folder/quiet.json")" 4
# Each time off the CPU is in the export, however many there are; the first of each thread may come before its lane.
run --export=perfetto:"$folder/quiet.pftrace" --force "$folder/quiet.rvz"
n_off=$(grep -aoE 'blocked|runnable' "$folder/quiet.pftrace" | wc -l)
[ "$n_off" -ge "$(awk '{ n += $4 } END { print n - 4 * NR }' "$folder/threads")" ] || fail "$n_off times off the CPU: $(cat "$folder/threads")"
# What they are blocked in is asked of the kernel, where it tells.
waits_long() { # KIND OBJECT N: so many waits, the longest for half a second or more
    awk -F, -v kind="$1" -v object="$2" -v n="$3" '$1 == kind && $2 ~ "^" object "$" && $3 == n && $6 >= 500000000 { found = 1 }
        END { exit !found }' "$folder/waits" || fail "not $3 waits in $1 $2: $(cat "$folder/waits")"
}
sleep 5 &
if read -r _ <"/proc/$!/syscall"; then
    run --record="$folder/blocked.rvz" --waits=csv --force --output="$folder/waits" -- "$states" blocked
    expect "exit status with blocked silent threads" $status 0
    waits_long futex 'program_states::has_ended([+]0x[0-9a-f]*)?' 1
    waits_long read pipe 1
    waits_long sleep '' 2 # main's, too
    run --waits=csv --force --output="$folder/replayed" "$folder/blocked.rvz"
    check "what the silent threads of a recording wait in" cmp "$folder/waits" "$folder/replayed"
fi
kill $!
run --waits=json --force --output="$folder/waits" -- "$states"
expect "silent threads where all are traced" "$(silent threads)" ""
# What threads did before they gave their rings back is theirs, though a call after that had another ring. Their calls do not
# fit into a ring: it was read before.
run --ring-events=4096 --spans=csv --output="$folder/late.csv" -- "$late_calls" 32
expect "exit status with late calls" $status 0
expect "late calls" "$(awk -F, '$6 ~ /::late$/' "$folder/late.csv" | wc -l)" 32
rest=$(sed -n 's/^rest //p' "$folder/out")
expect "rests that were blocked" "$(awk -F, -v rest="$rest" '$6 ~ /::rest$/ && $10 >= rest / 2' "$folder/late.csv" | wc -l)" 32
run --states=maybe -- "$states"
expect "exit status" $status 2
one_line "--states=maybe"
conclude
