#!/bin/sh
# history.sh RINGVIZ PROGRAM: a window over many calls stays near --memory, keeps the others in a file that nobody else
# sees, and leaves nothing behind when it is killed.
set -u
ringviz=$1
fib=$2
. "${0%/*}/harness.sh"
mkdir "$folder/tmp"
export SDL_VIDEODRIVER=offscreen TMPDIR="$folder/tmp"

watch() { # OPTION...: a window over the program, its process in $window
    : >"$folder/out" # not of the one before, until the shell opens it
    "$ringviz" "$@" -- "$fib" 31 2>"$folder/err" >"$folder/out" </dev/null &
    window=$!
}

ends() { # the program
    [ -s "$folder/out" ]
}

histories() { # open files without a name in the temporary folder
    find "/proc/$window/fd" -lname "$folder/tmp/* (deleted)" 2>/dev/null | wc -l
}

has_one() {
    [ "$(histories)" -gt 0 ]
}

has_ended() { # while the program runs, it gets what ringviz is sent
    kill -s "$signal" "$window"
    case $(cut -d ' ' -f 3 "/proc/$window/stat") in
    Z | "") return 0 ;;
    *) return 1 ;;
    esac
}

stop() { # SIGNAL
    signal=$1
    check "SIG$1 does not end it" within 100 has_ended
    wait "$window" 2>"$folder/ended"
    expect "files left by SIG$1" "$(ls "$folder/tmp")" ""
}

watch --memory=32M
check "no history" within 100 has_one
expect "mode of the history" "$(find "/proc/$window/fd" -lname "$folder/tmp/* (deleted)" -exec stat -Lc %a {} + | sort -u)" 600
check "the program does not end" within 100 ends
kb=$(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$window/status")
[ "$kb" -le $(((32 + 200) * 1024)) ] || fail "--memory=32M: $kb KiB"
stop KILL

watch --history=off
check "the program does not end" within 100 ends
expect "histories of --history=off" "$(histories)" 0
stop TERM

# A temporary folder in memory (tmpfs) is not used unless asked for.
if [ "$(stat -fc %T /dev/shm)" = tmpfs ] && [ -w /dev/shm ]; then
    TMPDIR=/dev/shm
    watch
    check "the program does not end" within 100 ends
    expect "open files in memory" "$(find "/proc/$window/fd" -lname "/dev/shm/* (deleted)" | wc -l)" 0
    check "a folder in memory is not reported" grep -q "in memory" "$folder/err"
    stop TERM
    TMPDIR="$folder/tmp"
fi

run --history=10 -- "$fib" 1
expect "exit status of --history=10" "$status" 2
one_line "--history=10"
conclude
