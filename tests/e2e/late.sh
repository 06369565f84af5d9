#!/bin/sh
# late.sh RINGVIZ LOADS ONE.so HIGH.so: functions of libraries that are loaded later are traced from their first call on.
set -u
ringviz=$1 program=$2 one=$3 high=$4
. "${0%/*}/harness.sh"

start() { # NAME [quiet]: the program, its input on 9
    mkfifo "$folder/$1"
    "$program" "$one" "$high" ${2:+$2} <"$folder/$1" >"$folder/program" 2>&1 &
    pid=$!
    exec 9>"$folder/$1"
    within 20 grep -q running "$folder/program" || fail "$1: the program does not start"
}
finish() { # NAME
    exec 9>&-
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
start quiet quiet
n_lines=0
for attachment in 1 2; do
    "$ringviz" -p $pid --patch='.@plain_plugin' --force --verbose --report=json --output="$folder/report.json" \
        2>"$folder/err" &
    ringviz_pid=$!
    within 20 grep -q 'to write jumps' "$folder/err" || fail "it is not attached: $(cat "$folder/err")"
    for line in 1 2 3; do
        n_lines=$((n_lines + 1))
        echo >&9
        within 20 has_loaded $n_lines || fail "the program does not load"
    done
    kill -INT $ringviz_pid
    wait $ringviz_pid
    expect "exit status" $? 0
    for name in one high; do
        expect "attachment $attachment: ${name}_start" "$(calls_of ${name}_start)" 3
        expect "attachment $attachment: ${name}_body" "$(calls_of ${name}_body)" 3
        expect "attachment $attachment: ${name}_stop" "$(calls_of ${name}_stop)" 3
        expect "attachment $attachment: ${name}_helper" "$(calls_of ${name}_helper)" 21
    done
done
finish quiet

# Four threads that do nothing else.
start busy
for cycle in 1 2 3 4 5 6; do
    run -p $pid --patch='.@plain_plugin' --duration=0.05s --force --report=json --output="$folder/report.json"
    expect "exit status of cycle $cycle" $status 0
    grep -q '::one_body"' "$folder/report.json" || fail "cycle $cycle: no call: $(cat "$folder/err")"
    grep -q '"name":"0x' "$folder/report.json" && fail "cycle $cycle: a function without a name"
done
finish busy
conclude
