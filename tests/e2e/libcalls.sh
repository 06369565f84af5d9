#!/bin/sh
# libcalls.sh RINGVIZ CHECKER ATTACHED CALLS...: calls that a program makes of its libraries. CALLS is one program, built in
# several ways; ATTACHED runs until its input ends.
set -u
ringviz=$1 checker=$2 attached=$3
shift 3
. "${0%/*}/harness.sh"

# Each call of the library, however it is made: as often as the library itself has counted, with the right arguments and
# results, under a signal's handler.
for program in "$@"; do
    for options in '--patch=. --libcalls=called' '--patch=off --libcalls=.@program_called' '--patch=. --libcalls=.@'; do
        run $options --force --report=json --output="$folder/report.json" -- "$program"
        expect "exit status of ${program##*/} with $options" $status 0
        expect "results of ${program##*/} with $options" "$(tail -n 1 "$folder/out")" "wrong 0"
        case $options in
        *off*) sed -i /call_at_end/d "$folder/out" ;;
        esac
        check "counts of ${program##*/} with $options" "$checker" "$folder/out" "$folder/report.json"
    done
done
program=$1

# The choice of functions; one that is patched itself is shown once, as a patched function.
names() {
    sed -n 's/^[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*::\([^,]*\),.*/\1/p' "$1" | sort -u | tr '\n' ' '
}
run --patch=off --libcalls='pair$' --spans=csv -- "$program"
expect "one function" "$(names "$folder/out")" "called_pair "
run --patch=off --libcalls='^called_l@program_called' --libcalls=getpid --spans=csv -- "$program"
expect "some of a library" "$(names "$folder/out")" "called_large called_last called_longer "
run --patch='called_pair@program_called' --libcalls='called_pair@program_called' --force --report=json \
    --output="$folder/report.json" -- "$program"
grep '^COUNT called_pair' "$folder/out" >"$folder/pair"
check "a function that is patched itself" "$checker" "$folder/pair" "$folder/report.json"
grep -q '"patched":1,.*"imports":0' "$folder/report.json" || fail "a function that is patched itself is called, too"

# Calls of a library are inside the call of the function that made them.
run --patch=call_at_end --patch=call_with_values --libcalls=called_large --spans=csv -- "$program"
sort -t, -k4,4n -k3,3n "$folder/out" |
    awk -F, '$6 ~ /call_with_values/ { end = $4 + $5; depth = $3 }
             $6 ~ /called_large/ { n++; n_within += $4 + $5 <= end && $3 == depth + 1 }
             END { exit n != 3000 || n_within != n }' || fail "they do not lie inside of the function that made them"

# With arguments and results.
echo 'int called_last(int);' >"$folder/called.conf"
run --patch=off --libcalls=called_last -F "$folder/called.conf" --spans=csv -- "$program"
grep -q 'called::called_last,[^,]*,0,\([^,]*,\)\{6\},7,21$' "$folder/out" || fail "arguments: $(sed -n 2p "$folder/out")"

# In a program without symbols they are shown by default, and a message says so; not in one that only calls its libraries,
# whose functions are traced, and not in one with symbols.
run --force --headless --record="$folder/nameless.rvz" --report=csv --output="$folder/report" -- awk 'BEGIN { print length("abc") }'
grep -q '^c::' "$folder/report" || fail "a program without symbols: $(cat "$folder/report")"
expect "lines about a program without symbols" "$(grep -c 'few of its functions have names' "$folder/err")" 1
run --report "$folder/nameless.rvz"
expect "lines about it at each replay" "$(grep -c 'few of its functions have names' "$folder/err")" 0
strip -o "$folder/stripped" "$program" || fail "strip"
for program in "$program" "$folder/stripped"; do
    LD_LIBRARY_PATH=${1%/*} run --force --report=json --output="$folder/report" -- "$program"
    grep -q 'called_eight' "$folder/report" || fail "functions of the library of ${program##*/}: $(cat "$folder/report")"
    grep -q '"imports":0' "$folder/report" || fail "${program##*/} has its calls shown by default"
done
program=$1

# Where most of the time was spent in one library that is not traced, that is said: not of libc, which cannot be traced.
hint=' % of the time was in libprogram_called.so, whose functions are not traced: --patch=.@libprogram_called$'
hints() { # OPTION...: how often it is said
    run --force --report --output="$folder/report" "$@" -- "$program"
    grep -c "$hint" "$folder/err"
}
expect "hints at a library with all of the time" "$(hints --patch=off --libcalls=.@program_called)" 1
expect "hints at one that is traced" "$(hints --patch=.@program_called --libcalls=.@program_called)" 0
run --force --report --output="$folder/report" --patch=off --libcalls=. -- "$attached" </dev/null
! grep -q '% of the time was in libc' "$folder/err" || fail "a hint at libc: $(cat "$folder/err")"

run --libcalls='(' -- "$program"
expect "a bad pattern" $status 2
one_line "a bad pattern"
run --libcalls=@x -- "$program"
expect "no pattern" $status 2

# A program that runs already: all that is patched is restored, each time.
mkfifo "$folder/in"
"$attached" <"$folder/in" >"$folder/program" 2>&1 &
pid=$!
exec 9>"$folder/in"
within 90 grep -q running "$folder/program" || fail "the program does not start"
for cycle in 1 2 3 4 5 6 7 8; do
    run -p $pid --patch=off --libcalls=.@ --duration=0.3s --force --report=csv --output="$folder/report"
    expect "exit status of cycle $cycle" $status 0
    grep -q '::_*longjmp' "$folder/report" || fail "cycle $cycle: no longjmp: $(cat "$folder/err")"
    grep -q '::__cxa_begin_catch,' "$folder/report" || fail "cycle $cycle: no exceptions"
done
has_answered() {
    grep -q changed "$folder/program"
}
echo "?" >&9
within 90 has_answered || fail "no answer"
expect "its code" "$(tail -n 1 "$folder/program")" "changed 0"
exec 9>&-
wait $pid
expect "its exit status" $? 0
grep -q '^wrong 0,' "$folder/program" || fail "wrong results: $(tail -n 1 "$folder/program")"

# The same counts as ltrace has, but for entries of .plt.got, which ltrace does not know.
as_ltrace() { # PROGRAM [ARG...]
    command -v "$1" >/dev/null || return 0
    timeout 100 ltrace -c -o "$folder/ltrace" "$@" >"$folder/wanted" 2>/dev/null </dev/null
    run --patch=off --libcalls --force --report=csv --output="$folder/report" -- "$@"
    check "output of $1" cmp "$folder/out" "$folder/wanted"
    awk 'NF == 5 && $4 ~ /^[0-9]+$/ { print $5, $4 }' "$folder/ltrace" | sort >"$folder/its"
    sed -n 's/^[^,]*::\([^,]*\),[^,]*,[^,]*,\([0-9]*\),.*/\1 \2/p' "$folder/report" | sort >"$folder/ours"
    n=$(wc -l <"$folder/its")
    [ "$n" -gt 5 ] || fail "$1: ltrace has $n functions"
    expect "functions of $1 with other counts than ltrace's" "$(comm -23 "$folder/its" "$folder/ours" | tr '\n' ' ')" ""
}
if command -v ltrace >/dev/null; then
    seq 400 | sed 's/\(.*\)\(.\)/\2\1/' >"$folder/numbers"
    echo 'scale = 30; for (i = 1; i < 20; i++) sqrt(i); quit' | tr ';' '\n' >"$folder/sums"
    as_ltrace sort "$folder/numbers"
    as_ltrace bc -q "$folder/sums"
    as_ltrace sqlite3 :memory: 'CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2), (3, 4); SELECT sum(a), b FROM t GROUP BY b'
    as_ltrace git --version
fi
conclude
