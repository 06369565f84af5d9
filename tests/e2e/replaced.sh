#!/bin/sh
# replaced.sh RINGVIZ PROGRAM OTHER: a program that runs while its file and its libraries' are replaced by others is attached to, and
# its functions have their own names.
set -u
ringviz=$1 program=$2 other=$3
. "${0%/*}/harness.sh"

library_of() { # NAME
    ldd "$program" | sed -n "s|.*=> \(/[^ ]*/$1\) .*|\1|p"
}
replace() { # FILE BY
    cp "$2" "$folder/new"
    mv "$folder/new" "$1"
}
calls_of() { # NAME: in the report; nothing if it is not there
    sed -n "s/.*\"$1\",[^}]*\"calls\":\([0-9]*\).*/\1/p" "$folder/report.json"
}

c=$(library_of 'libc\.so\.6') cxx=$(library_of 'libstdc++\.so\.6')
mkdir "$folder/lib"
cp "$c" "$cxx" "$folder/lib"
cp "$program" "$folder/replaced"
begin_program in env LD_LIBRARY_PATH="$folder/lib" "$folder/replaced"
within 90 grep -q running "$folder/program" || fail "the program does not start"
replace "$folder/replaced" "$other"

sees() { # NAME OPTION...: on a busy machine it may not come to run in that time
    name=$1
    shift
    run -p $pid --duration=0.1s --force --report=json --output="$folder/report.json" "$@"
    expect "exit status: $(cat "$folder/err")" $status 0
    [ "$(calls_of "$name")" ]
}
within 90 sees replaced::fib || fail "a replaced program has no fib: $(cat "$folder/report.json")"
within 90 sees replaced::fib --patch='^_ZL3fib' || fail "its fib is not found by its symbol"
within 90 sees replaced::fib --include='::fib$' || fail "its fib is not found by a filter"
run -p $pid --duration=0.1s --force --report=json --output="$folder/report.json" --exclude='^replaced::fib$'
expect "calls of what is left out" "$(calls_of replaced::fib)" ""

replace "$folder/lib/${cxx##*/}" "$other"
replace "$folder/lib/${c##*/}" "$other"
if [ "$(id -u)" -eq 0 ]; then
    within 90 sees 'stdc++::__cxa_throw' --patch='^__cxa_throw$@libstdc++' ||
        fail "a replaced library's function is not found: $(cat "$folder/report.json")"
else
    run -p $pid --duration=0.1s --report
    expect "exit status where the C library was replaced" $status 1
    one_line "a replaced C library"
fi

# Of ringviz itself, what it has loaded stays.
mkdir "$folder/installed"
cp -r "${ringviz%/*}" "${ringviz%/*/*}/lib" "$folder/installed"
ringviz=$folder/installed/bin/ringviz
if [ "$(id -u)" -eq 0 ]; then
    run -p $pid --duration=0.05s --report
    expect "exit status of another installation" $status 0
    replace "$folder/installed/lib/libringviz-attach.so" "$folder/installed/lib/libringviz-attach.so"
    run -p $pid --duration=0.05s --report
    expect "exit status of one that was installed anew" $status 1
    one_line "one that was installed anew"
    grep -q 'installed anew' "$folder/err" || fail "one that was installed anew: $(cat "$folder/err")"
fi

echo "?" >&9
has_answered() {
    grep -q changed "$folder/program"
}
within 90 has_answered || fail "the program does not answer"
expect "its code" "$(tail -n 1 "$folder/program")" "changed 0"
exec 9>&-
wait $pid
expect "exit status of the program" $? 0
conclude
