#!/bin/sh
# command.sh RINGVIZ PROGRAM: ringviz -- COMMAND behaves like the command itself, and reports errors clearly.
set -u
ringviz=$1 program=$2
. "${0%/*}/harness.sh"

run --headless -- sh -c 'exit 7'
expect "exit status" $status 7
run --headless -- sh -c 'kill -TERM $$'
expect "killed by TERM" $status 143
run --headless -- "$folder/none"
expect "not found" $status 127
one_line "not found"
: >"$folder/plain"
run --headless -- "$folder/plain"
expect "not executable" $status 126

echo "some input" | timeout 60 "$ringviz" --patch=off --headless -- cat >"$folder/out" 2>"$folder/err"
expect "standard input and output" "$(cat "$folder/out")" "some input"
grep -q 'ringviz: .*instrument' "$folder/err" || fail "a program without hooks is not explained: $(cat "$folder/err")"
one_line "about silence"

run --report --output="$folder/report" -- "$program"
expect "traced program" $status 0
grep -q fib "$folder/report" || fail "no fib in the report"
run --report=csv --output="$folder/report.csv" -- "$program"
head -1 "$folder/report.csv" | grep -q calls || fail "csv without header"

# A line says that JSON or CSV stands behind what the program printed, in a file; of a pipe that is not known.
said() { # OPTION... -- COMMAND...: how often
    run "$@"
    grep -c 'standard output has other lines in front of this report' "$folder/err"
}
expect "lines about a report behind a program's output" "$(said --report=csv -- "$program")" 1
expect "of a program that prints nothing" "$(said --report=csv -- true)" 0
expect "of a report as text" "$(said --report -- "$program")" 0
expect "of a report in a file of its own" "$(said --report=json --output="$folder/alone" -- "$program")" 0

run --spans --max-depth=3 --output="$folder/spans" -- "$program"
expect "spans header" "$(head -1 "$folder/spans")" "process,thread,depth,start_ns,duration_ns,name,file,line,cpu_ns,blocked_ns,runnable_ns,self_cpu_ns,self_blocked_ns,self_runnable_ns,flags"
[ "$(cut -d, -f3 "$folder/spans" | sort -u | tr '\n' ' ')" = "0 1 2 depth " ] || fail "depths beyond --max-depth=3"
run --report=json --exclude='fib$' --output="$folder/report.json" -- "$program"
grep -q '"name": *"[^"]*::fib"' "$folder/report.json" && fail "--exclude let fib through"

run --info "$folder/none"
expect "--info of nothing" $status 1
one_line "--info of nothing"
run --policy=never -- true
expect "usage" $status 2
run --no-such-option
expect "unknown option" $status 2
run -h
expect "-h" $status 0
grep -q '^Usage: ' "$folder/out" || fail "-h is not --help: $(head -n 1 "$folder/out")"

# Messages name the option or value that is wrong.
silence() { # WHY OPTION...: of a program whose functions were chosen, and none fits
    why=$1
    shift
    run "$@" --report -- cat
    grep -qF "$why" "$folder/err" || fail "$*: $(cat "$folder/err")"
}
silence "no function of the program itself fits 'not_there' (--patch=REGEX@LIBRARY" --patch=not_there
silence "no function of libraries with 'libc' in their path fits 'not_there'" --patch=not_there@libc
silence "no function of it or of its libraries fits 'not_there'" -x not_there
silence "no function of it fits 'not_there' (--include)" --include=not_there
run --group-by=arg1 --report -- "$program"
grep -q '^ringviz: --group-by: no call has this argument or result; -F FILE' "$folder/err" || fail "--group-by: $(cat "$folder/err")"
run --screenshot="$folder/picture.jpg" -- touch "$folder/ran"
expect "a picture that is no PNG" $status 2
one_line "a picture that is no PNG"
[ ! -e "$folder/ran" ] || fail "a command ran whose picture is refused"

# Without a display, a wrong name comes first.
without_display() { # STATUS WHY ARGUMENT...
    wanted=$1 why=$2
    shift 2
    env -u DISPLAY -u WAYLAND_DISPLAY -u SDL_VIDEODRIVER timeout 100 "$ringviz" "$@" >"$folder/out" 2>"$folder/err" </dev/null
    expect "$*" $? "$wanted"
    grep -q "$why" "$folder/err" || fail "$*: $(cat "$folder/err")"
    one_line "$*"
}
without_display 1 '/none: ' "$folder/none"
without_display 1 "^ringviz: $folder: " "$folder"
without_display 1 "$program" "$program"
without_display 127 'no-such-command' -- no-such-command
without_display 1 'no display for a window' -- "$program"
run
expect "nothing to do" $status 2
for options in "--info --record" "--info --report" "--check --record=$folder/made" "--check --info" "--repair=$folder/made --trigger=lost" \
    "--repair=$folder/made --spans" "--merge=$folder/made --screenshot=$folder/made" "--diff --frames=$folder/made" \
    "--control=$folder/none --report" "--bench=ring --record-limit=1M" --json --size=4294967360x4294967360 --size=640 --size=640x --size=640x400x; do
    # shellcheck disable=SC2086
    run $options "$folder/plain"
    expect "$options" $status 2
    one_line "$options"
    [ ! -e "$folder/made" ] || fail "$options: a file was made"
done
run "$folder/plain" --force
expect "an option behind FILE" $status 2
grep -q -- '--force: options go before FILE' "$folder/err" || fail "an option behind FILE: $(cat "$folder/err")"
# ---- inputs are never overwritten, by any name ----
echo '[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"call"}]' >"$folder/call.json"
cp "$folder/call.json" "$folder/copy.json"
ln "$folder/call.json" "$folder/link.json"
for options in "--report --output=$folder/call.json" "--screenshot=$folder/link.json" "--info --output=$folder/link.json" \
    "--export=chrome:- --export=folded:$folder/link.json --force" "--diff --output=$folder/call.json $folder/copy.json" \
    "--to=1ms --from=2ms --diff=window $folder/copy.json" "--diff --find=call $folder/copy.json" "--from=2 --to=1 --report" \
    "--report --export=chrome:-" "--spans --output=- --video=-" "--report --output=$folder/made --record=$folder/made" \
    "--headless --export=folded:$folder/made --export=chrome:$folder/made"; do
    # shellcheck disable=SC2086
    run $options "$folder/call.json"
    expect "$options" $status 2
    one_line "$options"
    cmp -s "$folder/call.json" "$folder/copy.json" || fail "$options: wrote over what is read"
    [ ! -e "$folder/made" ] || fail "$options: a file was made"
done
# ---- times after the end ----
for option in from at; do
    run --report=csv --$option=3us "$folder/call.json"
    expect "--$option behind the end" "$status $(cat "$folder/err")" \
        "0 ringviz: --$option is after the end: the capture is 2.00 us long"
    run --report=csv --$option=2us "$folder/call.json"
    expect "--$option at the end" "$status $(cat "$folder/err")" "0 "
done

# ---- names that nothing has ----
for rows in "--find=zzz|no subroutine has a name that passes --find" \
    "--filter=name:zzz|no subroutine has a name that passes --filter" \
    "--filter=thread:zzz|no thread has a name that passes --filter"; do
    run --report=csv "${rows%%|*}" "$folder/call.json"
    expect "${rows%%|*}" "$status $(cat "$folder/err")" "0 ringviz: ${rows#*|}"
done

printf 'some text\n' >"$folder/text"
run --report "$folder/text"
expect "a file of none of the kinds" "$status $(sed 's|/.*/||' "$folder/err")" \
    "1 ringviz: text: not a trace file, a recording or a known trace of another tool"

# ---- a command without --, an unknown option ----
hint() { # STATUS LINE ARG...
    wanted="$1 ringviz: $2"
    shift 2
    run "$@"
    expect "$*" "$status $(sed "s|$folder/||g" "$folder/err")" "$wanted"
}
printf '#!/bin/sh\n' >"$folder/job"
chmod +x "$folder/job"
hint 1 'job: a program, not a trace; to trace it: ringviz -- job' --report "$folder/job"
cp "$folder/job" "$folder/plainly"
(cd "$folder" && timeout 100 "$ringviz" --report plainly >"$folder/out" 2>"$folder/err")
expect "a program of this folder" "$(cat "$folder/err")" "ringviz: plainly: a program, not a trace; to trace it: ringviz -- ./plainly"
hint 1 'sort: No such file; to trace the command: ringviz -- sort' --report sort
hint 2 '--repotr=csv: unknown option; --report is one; see ringviz --help' --repotr=csv
hint 2 '--record-limits: unknown option; --record-limit is one; see ringviz --help' --record-limits
hint 2 '--qwertz: unknown option; see ringviz --help' --qwertz
hint 2 '--st: may be --string-size or --states; see ringviz --help' --st
hint 2 '--tr=1: may be --trigger, --trigger-keep or others; see ringviz --help' --tr=1
hint 2 '-o: unknown option; see ringviz --help' -o
hint 2 '-help: unknown option; --help is one; see ringviz --help' --report -help
hint 2 '--headless=x: takes no value; see ringviz --help' --headless=x

run --report=csv --output=- "$folder/call.json"
expect "--output=- is standard output" "$status $(sed 1d "$folder/out" | cut -d, -f1)" "0 call"

run --check --headless --verbose "$folder/none"
expect "--check of nothing" $status 1
# Existing files, links and pipes of others are left alone; nothing blocks.
printf mine >"$folder/mine"
ln -s mine "$folder/planted"
mkfifo "$folder/fifo"
for option in "--report --output=" "--export=folded:" "--info --output="; do
    case $option in --info*) what=$folder/call.json ;; *) what="-- true" ;; esac
    # shellcheck disable=SC2086
    run $option"$folder/mine" $what
    expect "$option of a file that is there" "$status $(cat "$folder/mine")" "1 mine"
    for force in "" --force; do
        # shellcheck disable=SC2086
        run $force $option"$folder/planted" $what
        expect "$force $option of a symbolic link" "$status $(cat "$folder/mine")" "1 mine"
    done
    # shellcheck disable=SC2086
    run $option"$folder/fifo" $what
    expect "$option of a pipe that nobody reads" "$status" 1
    one_line "$option of a pipe that nobody reads"
    # shellcheck disable=SC2086
    run --force $option"$folder/mine" $what
    expect "--force $option of a file that is there" "$status" 0
    [ "$(cat "$folder/mine")" = mine ] && fail "--force $option writes nothing"
    printf mine >"$folder/mine"
done
run --report --output=/dev/stdout -- true
expect "a descriptor of our own" $status 0
run --include='(' --report --output="$folder/never" -- true
[ -e "$folder/never" ] && fail "a file is left of a run that did not begin"

run --report --output=/nowhere/at/all -- touch "$folder/ran"
expect "unwritable output" $status 1
[ -e "$folder/ran" ] && fail "the command ran although the output cannot be written"
run --screenshot=/nowhere/at/all.png -- touch "$folder/ran"
expect "unwritable picture" $status 1
[ -e "$folder/ran" ] && fail "the command ran although the picture cannot be written"
(cd "$folder" && timeout 60 "$ringviz" --output -- "$program" >out2 2>err2)
expect "-- as the value of an option" $? 1
run --include='(' -- touch "$folder/ran"
expect "bad pattern" $status 1
[ -e "$folder/ran" ] && fail "the command ran with a bad pattern"

run --trace-file="$folder/trace" --headless -- "$program"
expect "--trace-file" $status 0
[ -f "$folder/trace" ] || fail "the trace file is gone"
run --info "$folder/trace"
expect "--info" $status 0
grep -q '^policy *block' "$folder/out" || fail "--info without the policy"
run --trace-file="$folder/trace" --headless -- "$program"
expect "never overwrites a trace file" $status 1
run --headless "$folder/trace"
expect "a dead file opens" $status 0

for policy in block switch fill ring; do
    run --policy=$policy --ring-events=1024 --report=json --output="$folder/$policy" -- "$program"
    expect "--policy=$policy" $status 0
done
for clock in tsc tick monotonic; do
    run --clock=$clock --report --output="$folder/$clock" -- "$program"
    expect "--clock=$clock" $status 0
    grep -q fib "$folder/$clock" || fail "nothing seen with --clock=$clock"
done

# Standard streams: closed ones stay closed, full ones are an error, a reader that ends early leaves no files.
timeout 60 "$ringviz" --report -- "$program" 2>"$folder/err" >&-
expect "closed standard output" $? 1
one_line "closed standard output"
timeout 60 "$ringviz" --report -- sh -c 'for fd in 0 1 2; do [ -e /proc/$$/fd/$fd ] && echo $fd >"$1"; done' sh \
    "$folder/streams" <&- >&- 2>&-
expect "streams of a command without any" "$(cat "$folder/streams" 2>/dev/null)" ""
for option in --help --version; do
    timeout 60 "$ringviz" $option >/dev/full 2>"$folder/err"
    expect "$option to a full disk" $? 1
done
timeout 60 sh -c 'echo $$ >"$1"; shift; exec "$@"' sh "$folder/viewer" "$ringviz" --spans -- "$program" 22 2>/dev/null |
    head -c 100 >/dev/null
ls /dev/shm/ringviz-*-"$(cat "$folder/viewer")"-* 2>/dev/null && fail "a private file after a reader left"

# A window that gets TERM ends with its command.
: >"$folder/out"
SDL_VIDEODRIVER=offscreen "$ringviz" --patch=off -- sh -c 'echo up; exec sleep 1000' >"$folder/out" 2>"$folder/err" </dev/null &
window=$!
within 90 test -s "$folder/out" || fail "the command does not start: $(cat "$folder/err")"
kill -TERM $window
is_over() {
    ! kill -0 "$1" 2>/dev/null || grep -q '^State:[[:space:]]*Z' "/proc/$1/status"
}
within 90 is_over $window || { fail "the window stays"; kill -KILL $window; }
wait $window
status=$?
[ $status -eq 143 ] || grep -qi opengl "$folder/err" || fail "status of a window asked to end: $status"

# A command that does not heed TERM, or cannot, as one that waits for itself with all signals blocked.
mkfifo "$folder/stays"
exec 8<>"$folder/stays"
"$ringviz" --report --force --output="$folder/report" --patch=off -- \
    sh -c 'trap "" TERM; echo up >"$1"; read line; exit 3' sh "$folder/out.stays" <"$folder/stays" 8>&- 2>"$folder/err" &
viewer=$!
within 90 test -s "$folder/out.stays" || fail "the command does not start: $(cat "$folder/err")"
kill -TERM $viewer
within 90 is_over $viewer || { fail "TERM does not end ringviz"; kill -KILL $viewer; }
wait $viewer
expect "status of a ringviz whose command stays" $? 143
grep -q 'runs on after SIGTERM' "$folder/err" || fail "not said that the command stays: $(cat "$folder/err")"
[ -s "$folder/report" ] || fail "no report where the command stays: $(cat "$folder/err")"
exec 8>&-

"$ringviz" --headless -- "$program" >/dev/null 2>&1 &
wait $!
ls /dev/shm/ringviz-*-$!-* 2>/dev/null && fail "a private file was left behind"

# Where lists of calls are put before they are written.
export TMPDIR="$folder/nowhere"
run --spans=csv -- "$program"
unset TMPDIR
expect "exit status without a folder for temporary files" $status 1
grep -q 'nowhere: no temporary file for the spans (TMPDIR chooses the folder): ' "$folder/err" ||
    fail "without a folder for temporary files: $(cat "$folder/err")"
conclude
