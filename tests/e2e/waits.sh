#!/bin/sh
# waits.sh RINGVIZ CONTENTION CHECK_WAITS BLOCKING CHECK_COVERAGE FORKTREE PERFETTO.PROTO: what threads waited for, and who ended the waits, against what they did.
set -u
ringviz=$1 contention=$2 check_waits=$3 blocking=$4 check_coverage=$5 forktree=$6 proto=$7
. "${0%/*}/harness.sh"

# Of each wait for a lock, the thread that had it before.
for n_threads in 2 8; do
    run --headless --record="$folder/truth.rvz" --force -- "$contention" truth $n_threads 2000
    expect "exit status" $status 0
    check "the wakers of $n_threads threads" "$check_waits" "$folder/truth.rvz"
done

# Neither do waits for room in rings that are always full change it, nor has any of them no reason.
run --headless --record="$folder/full.rvz" --ring-events=64 --force -- "$contention" truth 4 2000
check "the wakers where rings are full" "$check_waits" "$folder/full.rvz"
check "the share of blocked time in waits where rings are full" "$check_coverage" "$folder/full.rvz" 95
run --waits=csv "$folder/full.rvz"
awk -F, '$1 == "full ring" && $3 > 10 && $4 > 1000000 { found = 1 } END { exit !found }' "$folder/out" ||
    fail "no waits for room in rings: $(cat "$folder/out")"
run --report=json "$folder/full.rvz"
grep -o '"full_rings":{"threads":[1-9][0-9]*,"waited_ns":[1-9][^}]*' "$folder/out" >"$folder/full_rings" ||
    fail "no full rings in a report: $(cat "$folder/out")"
run --report=json --from=0 "$folder/full.rvz"
expect "full rings of a range" "$(grep -o '"full_rings":[^}]*' "$folder/out")" "$(cat "$folder/full_rings")"
run --report=csv --from=0 "$folder/full.rvz"
expect "full rings as CSV" "$(sed -n 's/^(full rings: \([0-9]*\) threads*),,0,0,\([0-9]*\),0,0,0,0,0,*\([0-9]*\),*$/"full_rings":{"threads":\1,"waited_ns":\3,"lasted_ns":\2/p' \
    "$folder/out")" "$(cat "$folder/full_rings")"
run --headless --record="$folder/lone.rvz" --ring-events=64 --force -- "$contention" truth 1 50000
run --critical-path=csv --force --output="$folder/path" "$folder/lone.rvz"
awk -F, '$1 == "unknown" && $2 == "full ring" && $3 > 1000000 { found = 1 } END { exit !found }' "$folder/path" ||
    fail "no wait for room in a ring on the path: $(cat "$folder/path")"

# At each time one thread at most has the lock.
run --holders=csv "$folder/truth.rvz"
awk -F, '$3 == "has it" { n++; twice += $4 < until; until = $5 } END { exit !(n > 100 && !twice) }' "$folder/out" ||
    fail "two threads have a lock at once, or none: $(head -5 "$folder/out")"
# The last one that had it before a wait ended, and while it lasted, is the one that the program says had it before the waiter.
awk -F, '$3 == "has it" { print $4, $5, $7 }' "$folder/out" | sort >"$folder/holds"
check "the wakers" "$check_waits" "$folder/truth.rvz" "$folder/before"
{
    awk '{ print $2, 0, $3 }' "$folder/holds"
    awk '{ printf "%.0f 1 %s %s\n", $2 + 2, $3, $1 }' "$folder/before" # a release may be rounded up
} | sort -n -k1,1 -k2,2 | awk '!$2 { until = $1; last = $3 } $2 && until > $4 { n++; wrong += last != $3 }
    END { print n " holders before waiters, " 0 + wrong " wrong"; exit !(n && !wrong) }' ||
    fail "holders are not those of the program"
# Other tools get the same, in lanes of their own; read back, they are no calls.
run --export=chrome:"$folder/holds.json" --export=perfetto:"$folder/holds.pftrace" --spans=csv --output="$folder/calls" "$folder/truth.rvz"
expect "exit status of exports of holders" $status 0
perl -MJSON::PP -e 'local $/; for (@{ decode_json(<>)->{traceEvents} }) {
    next if ($_->{cat} // "") ne "lock holders" || $_->{ph} ne "X";
    printf "%.0f %.0f %d\n", $_->{ts} * 1000, $_->{ts} * 1000 + $_->{dur} * 1000, $_->{args}{tid} }' "$folder/holds.json" |
    sort | cmp - "$folder/holds" || fail "the holders for Chrome are not those of --holders"
protoc --decode=perfetto.protos.Trace --proto_path="${proto%/*}" "${proto##*/}" <"$folder/holds.pftrace" >"$folder/packets" || fail "protoc"
awk '/^packet/ { tid = is_hold = is_end = 0 } /^  timestamp:/ { at = $2 } /uint_value:/ && !tid { tid = $2 }
    /categories: "lock holders"/ { is_hold = 1 } /type: TYPE_SLICE_END/ { is_end = 1 }
    /^}/ && is_end && is_open { print from, at, last; is_open = 0 } /^}/ && is_hold { from = at; last = tid; is_open = 1 }
    ' "$folder/packets" | sort | cmp - "$folder/holds" ||
    fail "the holders for Perfetto are not those of --holders"
run --spans=csv --output="$folder/again" "$folder/holds.json"
expect "calls read back from an export with holders" "$(cut -d, -f1-8 "$folder/again" | sort | cksum)" "$(cut -d, -f1-8 "$folder/calls" | sort | cksum)"

# The same with signals whose handlers take locks, and in a process that forks and in its children.
for truth in storm_truth fork_truth; do
    run --headless --record="$folder/truth.rvz" --force -- "$contention" $truth 5 1000
    expect "exit status of $truth" $status 0
    check "the wakers of $truth" "$check_waits" "$folder/truth.rvz"
done

# Each wait at a barrier, or for pthread_once(), has the thread that the others waited for.
for truth in barrier_truth once_truth; do
    run --headless --record="$folder/truth.rvz" --force -- "$contention" $truth 4 50
    expect "exit status" $status 0
    check "the wakers of $truth" "$check_waits" "$folder/truth.rvz"
    run --waits=csv "$folder/truth.rvz"
    awk -F, -v kind="${truth%_truth}" '$1 == kind && $8 == $3 { found = 1 } END { exit !found }' "$folder/out" ||
        fail "no $truth: $(cat "$folder/out")"
done

scene_of() { # PROGRAM NAME: runs it; it must find nothing changed by being watched
    run --waits=csv --force --output="$folder/waits" -- "$1" "$2"
    [ $status -eq 0 ] || fail "$2: exit status $status: $(cat "$folder/out" "$folder/err")"
}
scene() {
    scene_of "$contention" "$1"
}

# Rows are kind,object,waits,total,p99,longest,unknown,exact,owner,likely,timeout,waiter,name,call,holder,name,call,held
row() { # KIND OBJECT WAITER'S-CALL HOLDER'S-CALL CERTAINTY'S-COLUMN: there is a wait of 15 ms or more like this
    awk -F, -v kind="$1" -v object="$2" -v waiter="$3" -v holder="$4" -v column="$5" '
        $1 == kind && $2 ~ object "$" && $14 ~ waiter "$" && $17 ~ holder "$" && $6 >= 15000000 && $column > 0 { found = 1 }
        END { exit !found }' "$folder/waits" ||
        fail "no $1 $2 of $3, ended by $4: $(cat "$folder/waits")"
}
stack() { # KIND OBJECT STACK: the holder released it in these calls
    awk -F, -v kind="$1" -v object="$2" -v stack="$3" '{ gsub("program_contention::", "", $19) }
        $1 == kind && $2 ~ object "$" && $19 == stack { found = 1 } END { exit !found }' "$folder/waits" ||
        fail "no $1 $2 released in $3: $(cat "$folder/waits")"
}
unknown=7 exact=8 owner=9 likely=10 timeout=11
# What no wrapper knows the kernel does, where it may be asked (outside.sh).
scene_of "$blocking" outside
untold=$(awk -F, -v exact=$exact -v unknown=$unknown '$1 == "read" { print $exact ? exact : unknown }' "$folder/waits")

# Each moment between the ends of the path is on it once: in an innermost call, or in none.
path() { # OPTION... -- SCENE...
    run --critical-path=csv --force --output="$folder/path" "$@"
    expect "exit status with --critical-path" $status 0
    whole=$(awk -F, '$1 == "all" { all = $(NF - 4) } $1 == "threads" { threads += $(NF - 4) }
        $1 == "subroutines" || $1 == "outside of calls" { sum += $(NF - 4) }
        END { print (sum == all && threads == all && all + 0 != 0 ? "yes" : "no") }' "$folder/path")
    expect "the path has each moment once" "$whole" yes
    awk -F, '$1 == "subroutines" && ($(NF - 2) < $(NF - 4) || $(NF - 4) < $(NF - 1) + $NF) { bad = $0 }
        $1 == "all" { all = $(NF - 4) } $1 == "subroutines" && $(NF - 2) > most { most = $(NF - 2) }
        END { if (bad != "" || most > all) { print bad, most, all; exit 1 } }' "$folder/path" >"$folder/bad" ||
        fail "times of calls with callees, blocked or runnable: $(cat "$folder/bad")"
}
on_path() { # WHAT NAME COLUMN-FROM-THE-END LEAST: there is this row
    awk -F, -v what="$1" -v name="$2" -v column="$3" -v least="$4" '
        $1 == what && $2 ~ name && $(NF - 3 - column) >= least { found = 1 } END { exit !found }' "$folder/path" ||
        fail "the path has no $1 $2 of $4 or more: $(cat "$folder/path")"
}
path -- "$contention" mutex
on_path unknown '^sleep$' 1 15000000
on_path "saved by free object" '^sleep$' 1 15000000
run --critical-path -- "$contention" mutex
grep -q '^each alone, computed anew; assumed: ' "$folder/out" || fail "not said what is assumed: $(cat "$folder/out")"
for option in --waits --critical-path; do # never guessed from a process that runs already
    run $option --pid=1
    expect "exit status of $option --pid" $status 2
    grep -q -e "$option: not with --pid, since" "$folder/err" || fail "$option --pid: $(cat "$folder/err")"
done
path --states=off --exclude='::(contend|hold)$' -- "$contention" truth 2 2000 # all calls of the threads are left out
path -- "$contention" truth 8 2000
on_path objects '^mutex ' 0 10
on_path "saved by free object" '^mutex ' 1 0
on_path "saved by free subroutine" '::' 1 0
run --critical-path --from=1ns -- "$contention" mutex
grep -q '^critical path of a part of the run,' "$folder/out" || fail "the path of a part is not one of its time: $(cat "$folder/out")"
path --find='::hold_for_writing$' -- "$contention" rwlock
on_path unknown '^sleep$' 1 15000000
run --critical-path --find='^no such call$' -- "$contention" mutex
expect "the path of no call" $status 1
check "the path of no call: $(cat "$folder/err")" grep -q 'there is no critical path$' "$folder/err"

scene mutex
row mutex ::lock ::mutex_scene ::hold_mutex $exact
stack mutex ::lock hold_mutex
stack start '' 'main;mutex_scene;start_holder;start'
scene named
row mutex '^orders' ::lock_allocated ::hold_mutex $exact
expect "locks that have the name" "$(grep -c '^mutex,orders,1,' "$folder/waits")" 1
scene timed
awk -F, -v column=$timeout '$1 == "mutex" && $column == 1 { found = 1 } END { exit !found }' "$folder/waits" ||
    fail "no wait that timed out: $(cat "$folder/waits")"
scene kinds
expect "waits for locks of one's own" "$(tail -n +2 "$folder/waits")" ""
scene robust
awk -F, -v column=$owner '$1 == "mutex" && $column == 1 && $15 != $12 && $16 == "program_contention" { found = 1 } END { exit !found }' \
    "$folder/waits" || fail "no wait for the mutex of another process: $(cat "$folder/waits")"
# Processes share the same object at other addresses.
scene shared
for object in "mutex:0:$likely" "write lock:40:$likely" "semaphore:[0-9]*:$likely" "condition:[0-9]*:$likely" "barrier:[0-9]*:$exact"; do
    row "${object%%:*}" "^/memfd:shared:[0-9]* byte $(expr "$object" : '.*:\(.*\):')" ::shared_scene ::end_shared_waits "${object##*:}"
done
scene handler
run --headless --record="$folder/prefork.rvz" --force -- "$contention" prefork
expect "exit status of prefork" $status 0
check "the wakers of processes" "$check_waits" "$folder/prefork.rvz"
scene rwlock
row "read lock" ::rwlock ::rwlock_scene ::hold_for_writing $exact
row "write lock" ::rwlock ::rwlock_scene ::hold_for_reading $likely
run --waits=json --output="$folder/waits.json" --export=html:"$folder/page.html" -- "$contention" rwlock
sed -n 's/^"waits"://p' "$folder/page.html" | sed 's/,$//' | cmp - "$folder/waits.json" || fail "the waits of a page are not those of --waits"
# Other tools get an arrow for each wait whose waker is known: two ends of one number, in the two calls.
run --export=chrome:"$folder/arrows.json" --export=perfetto:"$folder/arrows.pftrace" --waits=csv --force --output="$folder/waits" -- "$contention" mutex
expect "exit status of exports" $status 0
n=$(awk -F, 'NR > 1 { n += $8 + $9 + $10 } END { print n }' "$folder/waits")
expect "arrows for Chrome" "$(grep -c '^{"ph":"s",.*"cat":"wait"' "$folder/arrows.json") $(grep -c '^{"ph":"f",.*"cat":"wait"' "$folder/arrows.json")" "$n $n"
expect "their numbers" "$(sed -n 's/^{"ph":"[sf]",.*"cat":"wait","id":\([0-9]*\),.*/\1/p' "$folder/arrows.json" | sort -n | uniq -c | awk '$1 == 2' | wc -l)" "$n"
# They lead to the call that waited, or to the first one of a thread that begins. Catapult warns of arguments at both ends.
expect "arrows for Chrome, to the next call" "$(grep '^{"ph":"f",.*"cat":"wait"' "$folder/arrows.json" | grep -v '"bp":"e"' |
    sed 's/.*"name":\("[^"]*"\)}.*/\1/' | sort -u)" '"start"'
expect "arrows for Chrome, arguments at the begin" "$(grep -c '^{"ph":"s",.*"waker"' "$folder/arrows.json")" 0
protoc --decode=perfetto.protos.Trace --proto_path="${proto%/*}" "${proto##*/}" <"$folder/arrows.pftrace" >"$folder/packets" || fail "protoc"
expect "arrows for Perfetto" "$(awk '/categories: "wait"/ { is_wait = 1 } / flow_ids: / && is_wait { n++ }
    / terminating_flow_ids: / && is_wait { last++ } /^}/ { is_wait = 0 } END { print n, last }' "$folder/packets")" "$n $n"
run --flows=csv "$folder/arrows.json"
grep -q '^flow,mutex program_contention::lock,.*program_contention::hold_mutex,.*program_contention::mutex_scene$' "$folder/out" ||
    fail "an arrow does not come back in its calls: $(cat "$folder/out")"
# Readers that were let in first are not those who kept the others waiting.
scene readers
awk -F, '$1 == "read lock" && $17 ~ /::readers_scene$/ && $18 == $4 { found = 1 } END { exit !found }' "$folder/waits" ||
    fail "the writer did not keep all readers waiting: $(cat "$folder/waits")"
scene jump
scene refused
run --report=json --force --output="$folder/report" -- "$contention" fork
n=$(sed -n 's/.*"produced":\([0-9]*\).*/\1/p' "$folder/report")
[ "$n" -lt 3000 ] || fail "$n events: a child of fork releases for waiters of its parent"
scene condition
row condition ::condition ::condition_scene ::say $likely
scene spurious
row condition ::condition ::spurious_scene ::nag $likely
expect "waits of which all but one ended for nothing" "$(awk -F, '$1 == "condition" { print $3 }' "$folder/waits")" 11
scene semaphore
row semaphore ::semaphore ::semaphore_scene ::post $likely
scene c11
row condition ::c11_condition ::c11_scene ::say_c11 $likely
row "end of a thread" "" ::c11_scene "" $owner
scene clocks
row "read lock" ::rwlock ::clocks_scene ::hold_for_writing $exact
row "write lock" ::rwlock ::clocks_scene ::hold_for_reading $likely
row semaphore ::semaphore ::clocks_scene ::post $likely
row condition ::condition ::clocks_scene ::say $likely
scene join
row "end of a thread" "" ::join_scene "" $owner
scene cancel
# Each thread, and each child, was created by a thread at a moment of it.
expect "starts of 60 threads and 20 processes" "$(run --waits=csv -- "$forktree" && awk -F, -v column=$exact '$1 == "start" {
    print $3, $column }' "$folder/out")" "80 80"
path -- "$forktree"
on_path objects '^start$' 0 1
scene c11
awk -F, -v column=$exact '$1 == "start" && $17 ~ "::c11_scene$" && $column == 1 { found = 1 } END { exit !found }' \
    "$folder/waits" || fail "no start by thrd_create: $(cat "$folder/waits")"
# A wait that lasts until the end is there too.
scene deadlock
expect "objects of the deadlock" "$(grep -c '^mutex,.*lock_both' "$folder/waits")" 2
grep -q '^mutex,[^,]*::both+0x28,' "$folder/waits" || fail "no offset in an array of locks: $(cat "$folder/waits")"

# Calls that block, of 20 ms or more: by what they wait in, and for. Who wrote is known; in which call, once another has
# waited for it.
scene_of "$blocking" all
row read pipe ::read_pipe "" $likely
row read eventfd ::read_event "" $likely
row read "Unix socket" ::receive "" $likely
row write pipe ::write_pipe "" $likely
row poll pipe '::(poll_pipe|select_pipe|wait_epoll)' ::write_all $likely
row poll "" ::time_out "" $timeout
row sleep "" ::sleep_once "" $timeout
row accept "Internet socket" ::accept_one "" $likely
row process "" '::(await_child|lock_file)' "" $owner
row "file lock" ' .deleted. byte 0' ::lock_file "" $owner
row "file lock" '[(]deleted[)]' ::lock_file "" $owner
row message "" ::receive_message "" $untold
row signal "" ::wait_signal "" $untold
# A child's end has likely ended a wait that a signal did, where the kernel is not asked who woke.
run --waits=csv --states=own --force --output="$folder/waits" -- "$blocking" child_end
expect "exit status of one that waits for signals" $status 0
for wait in poll,poll_until_child signal,suspend_until_child; do
    awk -F, -v kind="${wait%,*}" -v call="::${wait#*,}\$" -v column=$likely \
        -v children=" $(sed -n 's/^child //p' "$folder/out" | tr '\n' ' ')" '
        $1 == kind && $14 ~ call && index(children, " " $15 " ") && $column > 0 { found = 1 } END { exit !found }' \
        "$folder/waits" || fail "no $wait, ended by a child: $(cat "$folder/out" "$folder/waits")"
done
run --headless --record="$folder/blocking.rvz" --force -- "$blocking" all
check "the share of blocked time in waits" "$check_coverage" "$folder/blocking.rvz" 80
# The same where another process is at the other end: the thread and, once another has waited, the call.
scene_of "$blocking" neighbour
awk -F, -v child="$(sed -n 's/^child //p' "$folder/out")" '
    ($1 == "read" || $1 == "write") && $15 != child { print "not ended by the child: " $0; bad = 1 } END { exit bad }' "$folder/waits" >"$folder/bad" ||
    fail "$(cat "$folder/bad")"
row read pipe ::read_pipe "" $likely
row read eventfd ::read_event "" $likely
row read "Unix socket" '::(receive|read_named)' "" $likely
row write pipe ::write_full "" $likely
grep -q '^[rw][a-z]*,.*::end_waits' "$folder/waits" || fail "no wait has the call of the child that ended it: $(cat "$folder/waits")"
path -- "$blocking" neighbour
on_path subroutines '::keep_blocked$' 1 200000000
# A pipeline: its first program waits for its second one, which prints its pid. The fifo opens once both have begun.
mkfifo "$folder/begun"
cat >"$folder/pipeline.sh" <<'END'
perl -e 'sub send_all { syswrite STDOUT, "x" x 20000 for 1 .. 40 } open my $begun, "<", shift; send_all()' "$1" |
    perl -e 'sub take { my $n = sysread STDIN, my $bytes, 65536; select undef, undef, undef, 0.02; $n }
        open my $begun, ">", shift; 1 while take(); print "$$\n"' "$1"
END
if command -v perl >"$folder/which" && [ -e "${ringviz%/bin/*}/lib/perl/Devel/RingViz.pm" ]; then
    run --waits=csv --force --output="$folder/waits" -- sh "$folder/pipeline.sh" "$folder/begun"
    expect "exit status of a pipeline" $status 0
    row write pipe ::send_all ::take $likely
    expect "the slow consumer" "$(awk -F, '$1 == "write" { print $15 }' "$folder/waits")" "$(cat "$folder/out")"
fi
scene_of "$blocking" epoll
row poll pipe ::wait_epoll "" $likely
scene_of "$blocking" timer
row read timerfd ::timer_scene "" $timeout
scene_of "$blocking" outside
row read /outside ::outside_scene "" $untold
scene_of "$blocking" polled
row "file lock" ' byte 7' '::(poll_lock|give_up)' "" $likely
row sleep "" '::(poll_lock|give_up)' "" $timeout
expect "sleeps after the locks that it got, and has given up" "$(awk -F, '$1 == "sleep" { print $3 }' "$folder/waits")" 3
scene_of "$blocking" polled_flock
row "file lock" '[(]deleted[)]' '::(poll_lock|give_up)' "" $likely
scene_of "$blocking" futex
row futex ::word ::wait_word ::change_word $likely
row futex ::word ::wait_word "" $timeout
scene_of "$blocking" interrupted
row read pipe ::interrupted_scene "" $untold
scene_of "$blocking" cancelled
scene_of "$blocking" unfinished
row poll "" ::block_in "" $unknown
scene_of "$blocking" vfork
row poll "" ::vfork_scene "" $timeout
scene_of "$blocking" closed
# A descriptor that is used again, however its file was closed, does not stand for the file that it had before.
run --waits=arcs-csv --force --output="$folder/waits" -- "$blocking" reused
expect "exit status of reused" $status 0
expect "readers of pipes whose numbers others had before, of which the writers are known" "$(awk -F, '
    $1 == "read" && $8 == "program_blocking" && $12 ~ /::read_pipe$/ { n += $3 } END { print n + 0 }' "$folder/waits")" 5
scene_of "$blocking" lowest
# A sandbox that allows no child: of a program, and of the one that it becomes by exec.
scene_of "$blocking" sandbox
# A wait in a handler is there, and so is the one that the handler has interrupted.
for nested in nested nested_above; do
    scene_of "$blocking" $nested
    row semaphore ::inner ::wait_in_handler ::post_both $likely
    row semaphore ::outer ::nested_scene ::post_both $likely
    awk -F, '$2 ~ /::inner$/ { inner = $6 } $2 ~ /::outer$/ { outer = $6 } END { exit !(outer > inner + 15000000) }' \
        "$folder/waits" || fail "the outer wait is not longer: $(cat "$folder/waits")"
done
# Programs that it starts: the starter is the thread that called exec, where that thread had a ring.
scene_of "$blocking" begins
expect "starts of a fork and of three programs" "$(awk -F, '$1 == "start" { print $3, $8, $10 }' "$folder/waits")" "4 2 2"
# Children of raw calls have rings of their own.
scene_of "$blocking" raw_fork
awk -F, -v column=$exact '$1 == "start" && $3 == 4 && $column == 4 && $17 ~ "::raw_fork_scene$" { found = 1 } END { exit !found }' \
    "$folder/waits" || fail "not four starts: $(cat "$folder/waits")"
run --report=csv -- "$blocking" raw_fork
expect "calls in four children and their parent" "$(awk -F, '$1 ~ /::call_on$/ { print $4 }' "$folder/out")" 160000

# A recording has the same.
run --record="$folder/run.rvz" --waits=json --force --output="$folder/live" -- "$contention" rwlock
run --waits=json --force --output="$folder/replayed" "$folder/run.rvz"
check "the waits of the recording" cmp "$folder/live" "$folder/replayed"
run --waits "$folder/run.rvz"
grep -q '100 % ended by .* in .*hold_for_writing' "$folder/out" || fail "the row does not name the holder: $(cat "$folder/out")"

run --waits --report "$folder/run.rvz"
expect "exit status of two outputs" $status 2
one_line "--waits and --report"
run --waits --from=1ms "$folder/run.rvz"
expect "exit status of a part" $status 2
one_line "--waits and --from"
run --waits -p $$
expect "exit status of a process that runs" $status 2
one_line "--waits and --pid"

# Waits are unknown of processes attached to, and in other tools' traces: a message says so.
echo '[{"ph":"X","name":"f","ts":1,"dur":2,"pid":1,"tid":1}]' >"$folder/other.json"
for option in --waits --waits=csv --waits=json --critical-path --critical-path=csv; do
    run $option "$folder/other.json"
    expect "exit status of $option" $status 0
    grep -Eq 'waits of 1 process are not known|^unknown,processes,1,|"processes_unknown":1,|unknown,,,1,' "$folder/out" ||
        fail "$option of another tool's trace: $(cat "$folder/out")"
done
run --waits "$folder/truth.rvz"
! grep -q 'not known' "$folder/out" || fail "waits of a program that was started: $(cat "$folder/out")"

# valgrind knows how our stubs return, and the program runs in it as it does untraced.
if command -v valgrind >"$folder/which"; then
    run --headless -- valgrind -q "$contention" truth 2 200
    expect "exit status in valgrind" $status 0
    run --headless -- valgrind -q "$blocking" confined # a child that copies its memory for each file would take minutes
    expect "exit status of new files in valgrind" $status 0
fi
conclude
