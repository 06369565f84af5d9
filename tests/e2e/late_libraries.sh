#!/bin/sh
# late_libraries.sh RINGVIZ LOADS ONE.so HIGH.so WAITING.so SLOW.so: functions of libraries that are loaded later are
# traced from their first call on.
set -u
ringviz=$1 program=$2 one=$3 high=$4 waiting=$5 slow=$6
. "${0%/*}/harness.sh"

start() { # NAME [MODE [PLUGIN]]: the program, its input on 9; what its descriptor 3 reads ends with 8
    mkfifo "$folder/gate.$1"
    exec 8<>"$folder/gate.$1" # for reading, too: it does not wait for the program
    begin_program "$1" "$program" "${3:-$one}" "$high" ${2:+$2} 3<"$folder/gate.$1" 8>&-
    within 90 grep -q running "$folder/program" || fail "$1: the program does not start"
}
finish() { # NAME
    exec 9>&-
    exec 8>&-
    wait $pid
    expect "$1: exit status of the program" $? 0
    expect "$1: results" "$(tail -n 1 "$folder/program")" "wrong 0 of some"
}
has_loaded() { # N
    [ "$(grep -c '^loaded$' "$folder/program")" -ge "$1" ]
}
calls_of() {
    sed -n "s/.*::$1\",[^}]*\"calls\":\([0-9]*\).*/\1/p" "$folder/report.json"
}

# Loaded while it is attached, by dlopen and by dlmopen: constructor, calls, destructor. Then again, by the next ringviz.
# Also while another thread is in fork, and so has our lock.
for mode in quiet forking; do
    start $mode $mode
    n_lines=0
    for attachment in 1 2; do
        : >"$folder/err" # not of the one before, until the shell opens it
        "$ringviz" -p $pid --patch='.@plain_plugin' --force --verbose --report=json --output="$folder/report.json" \
            2>"$folder/err" &
        ringviz_pid=$!
        within 90 grep -q 'to write jumps$' "$folder/err" || fail "it is not attached: $(cat "$folder/err")"
        for line in 1 2 3; do
            n_lines=$((n_lines + 1))
            echo >&9
            within 90 has_loaded $n_lines || fail "the program does not load"
        done
        kill -INT $ringviz_pid
        wait $ringviz_pid
        expect "$mode, attachment $attachment: exit status: $(cat "$folder/err")" $? 0
        for name in one high; do
            expect "$mode, attachment $attachment: ${name}_start" "$(calls_of ${name}_start)" 3
            expect "$mode, attachment $attachment: ${name}_body" "$(calls_of ${name}_body)" 3
            expect "$mode, attachment $attachment: ${name}_stop" "$(calls_of ${name}_stop)" 3
            expect "$mode, attachment $attachment: ${name}_helper" "$(calls_of ${name}_helper)" 21
        done
    done
    finish $mode
done

# Four threads that do nothing else.
start busy
sees_calls() { # on a busy machine they may not come to run in that time
    run -p $pid --patch='.@plain_plugin' --duration=0.05s --force --report=json --output="$folder/report.json"
    expect "exit status while four threads load: $(cat "$folder/err")" $status 0
    grep -q '::one_body"' "$folder/report.json"
}
for cycle in 1 2 3 4 5 6; do
    within 90 sees_calls || fail "cycle $cycle: no call: $(cat "$folder/err")"
    grep -q '"name":"0x' "$folder/report.json" && fail "cycle $cycle: a function without a name"
done
finish busy

# One thread that is nearly always in a constructor: ringviz loads its library between two of them.
start alone alone "$slow"
for cycle in 1 2 3 4; do
    run -p $pid --duration=0.05s --report
    expect "exit status where constructors run all the time: $(cat "$folder/err")" $status 0
done
finish alone

# A constructor that waits for another thread: loading a library in any thread would wait for the constructor, too.
is_loading() {
    grep -q plugin_waiting /proc/$pid/maps
}
has_ended() {
    [ "$(ls /proc/$pid/task | wc -l)" -eq 1 ]
}
start waiting once "$waiting"
within 90 is_loading || fail "the program does not load the library"
run -p $pid --duration=0.05s --report
expect "exit status while a constructor runs" $status 1
one_line "while a constructor runs"
grep -q "loading a library" "$folder/err" || fail "while a constructor runs: $(cat "$folder/err")"
exec 8>&-
within 90 has_ended || fail "the constructor does not end"
run -p $pid --duration=0.05s --report
expect "exit status after it" $status 0
finish waiting
conclude
