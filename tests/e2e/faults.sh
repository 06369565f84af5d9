#!/bin/sh
# faults.sh RINGVIZ FAULTS PROGRAM TRACE: one failing system call, spread over the run from the start to the report. Data
# read so far is reported, or one line gives the reason and the status is not 0; a recording opens; nothing is left in shared
# memory. In a window this holds for the calls of ringviz itself: the OpenGL driver and its libraries end a process whose memory
# is refused to them, which leaves a recording that opens.
set -u
ringviz=$1 faults=$2 program=$3 trace=$4
. "${0%/*}/harness.sh"
cd "$folder" || exit 1

faulty() { # FAULT OPTION...: as run, with that fault; the number of calls of each kind in ./counts
    fault=$1
    shift
    : >counts
    timeout 60 sh -c 'echo $$ >pid; exec "$@"' sh env LD_PRELOAD="$faults" FAULT="$fault" FAULT_COUNTS="$folder/counts" \
        "$ringviz" "$@" >out 2>err </dev/null
    status=$?
}

cpu_ticks() { # of $pid so far, into $ticks; "" once it has ended
    ticks=
    { read -r stat <"/proc/$pid/stat"; } 2>/dev/null || return
    set -- ${stat##*) }
    ticks="${12} ${13}"
}

has_drawn() { # the program has ended and ringviz takes no CPU time any more, or ringviz has ended; starts no process
    cpu_ticks
    [ -n "$ticks" ] || return 0
    if [ "$ticks" != "$ticks_before" ]; then
        n_idle=0
    elif [ $n_idle -gt 0 ] || grep -q '^COUNT work' out; then
        n_idle=$((n_idle + 1))
    fi
    ticks_before=$ticks
    [ $n_idle -gt 3 ]
}

in_window() { # FAULT OPTION...: as faulty, with a window, until all is drawn
    fault=$1
    shift
    : >counts
    : >pid
    timeout -s KILL 100 sh -c 'echo $$ >pid; exec "$@"' sh env LD_PRELOAD="$faults" FAULT="$fault" FAULT_COUNTS="$folder/counts" \
        SDL_VIDEODRIVER=offscreen "$ringviz" "$@" >out 2>err </dev/null &
    waits=$!
    within 90 [ -s pid ] && read -r pid <pid
    ticks_before='' n_idle=0
    within 90 has_drawn && kill -TERM "$pid" 2>/dev/null
    wait $waits
    status=$?
}

no_crash() { # WHAT
    [ $status -lt 124 ] || fail "$1: status $status: $(cat err)"
    if [ $status -ne 0 ]; then
        [ -s err ] || fail "$1: status $status, and nothing says why"
        grep -v '^ringviz: ' err && fail "$1: another line than ours"
    fi
    read -r pid <pid
    for file in /dev/shm/ringviz-*-"$pid"-*; do
        [ -e "$file" ] && fail "$1: left $file"
    done
}

check_recording() { # WHAT: it opens, as far as it was written
    [ -e r.rvz ] || return 0
    timeout 60 "$ringviz" --info r.rvz >info 2>&1 || fail "$1: the recording does not open: $(cat info)"
    timeout 60 "$ringviz" --check r.rvz >info 2>&1
    [ $? -le 1 ] || fail "$1: --check of the recording: $(cat info)"
}

try() { # WANTED FAULT OPTION...: with status 0 there is WANTED, a pattern, in the report
    wanted=$1
    fault=$2
    shift 2
    rm -f r.rvz report.json report.chrome
    $start "$fault" "$@"
    no_crash "$fault of $*"
    check_recording "$fault of $*"
    [ $status -ne 0 ] || cat out report.json report.chrome err 2>/dev/null | grep -q "$wanted" || fail "$fault of $*: no report"
}

walk() { # WANTED OPTION...: a spread of calls of each kind
    wanted=$1
    shift
    try "$wanted" "${whose}none:0" "$@"
    expect "without a fault: $*" $status 0
    cp counts all
    while read -r kind n_calls; do
        case $kind in
        memory) n=7 ;;
        write) n=3 ;;
        *) n=2 ;;
        esac
        [ $n -le "$n_calls" ] || n=$n_calls
        i=0
        while [ $i -lt $n ]; do
            try "$wanted" "$whose$kind:$((1 + i * n_calls / n + i % 3))" "$@"
            i=$((i + 1))
        done
    done <all
    try "$wanted" "${whose}memory:$(($(sed -n 's/^memory //p' all) / 2))+" "$@"
    expect "no memory from the middle on: $*" $status 1
}

start=faulty whose=
walk "all 3 subroutines" --report -- "$program" 2 500
walk " events in " --headless --record=r.rvz -- "$program" 2 500
run --headless --record=whole.rvz -- "$program" 2 500
walk '"consumed":' --report=json --output=report.json whole.rvz
walk '"traceEvents"' --headless --export=chrome:report.chrome whole.rvz
walk "all .* subroutines" --report "$trace"

# The data read until then is reported.
faulty none:0 --report whole.rvz
faulty "memory:$(($(sed -n 's/^memory //p' counts) / 2))" --report whole.rvz
expect "no memory in the middle of a recording" $status 1
one_line "no memory in the middle of a recording"
grep -q "out of memory: no more is read" err || fail "the lack of memory is not reported: $(cat err)"
grep -q "all .* subroutines" out || fail "what was read is not reported"

# The GL driver may end a process that has no memory (Mesa's aborts), so texts are written before pictures.
for n in 1 3000 20000; do
    faulty "drawing-memory:$n+" --history=off --report --screenshot=picture.png -- "$program" 2 500
    [ $status -ne 0 ] || fail "a picture was drawn without memory"
    grep -q "all 3 subroutines" out || fail "no report beside a picture without memory from $n on: $(cat err)"
    read -r pid <pid
    expect "left by a picture without memory" "$(ls /dev/shm | grep -c "^ringviz-.*-$pid-")" 0
done

in_window none:0 --record=r.rvz -- "$program" 2 500
if grep -qiE 'opengl|display|no window' err; then
    echo "no window here: $(cat err)"
else
    n_calls=$(sed -n 's/^memory //p' counts)
    for n in 1 3 5 7; do
        in_window "memory:$((n * n_calls / 8))" --force --record=r.rvz -- "$program" 2 500
        [ $status -ne 137 ] || fail "memory refused to libraries, $n eighths: no end"
        check_recording "memory refused to libraries, $n eighths"
    done
    rm -f r.rvz
    start=in_window whose=own-
    walk " events in " --record=r.rvz -- "$program" 2 500
fi

# A limit of file sizes is an error of the write. (All files that ringviz writes into are under it.)
for option in --report --info --check; do
    { (ulimit -f 0 && timeout 60 "$ringviz" $option --output=limited whole.rvz; echo "status $?") 2>&1; } | cat >said
    rm -f limited
    echo "ringviz: limited: File too large
status 1" | cmp -s - said || fail "$option beyond a limit of file sizes: $(cat said)"
done

conclude
