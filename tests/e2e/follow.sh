#!/bin/sh
# follow.sh RINGVIZ CHILDREN STARTS STATIC: children are traced however they are made; with --follow=no they are not.
set -u
ringviz=$1 children=$2 starts=$3 static=$4
. "${0%/*}/harness.sh"

calls() { # FUNCTION: how many the report has
    sed -n "s/^[^,]*::$1,[^,]*,[^,]*,\([0-9]*\),.*/\1/p" "$folder/out"
}

for how in fork 'fork and exec' vfork posix_spawn clone 'clone on a page' 'raw clone' _Fork 'inline fork' 'inline clone' 'inline clone3' orphan 'fork without an environment' \
    'fork after bad environments'; do
    run --patch=. --report=csv -- "$children" "$how"
    expect "$how: status" $status 0
    expect "$how: calls" "$(calls in_parent) $(calls in_child)" "2 2"
    run --patch=. --spans=csv -- "$children" "$how"
    awk -F, '$6 ~ /in_parent/ { parent = $1 } $6 ~ /in_child/ { child = $1 } END { exit !child || child == parent }' \
        "$folder/out" || fail "$how: the child's calls are not in a process of its own"
    run --follow=no --patch=. --report=csv -- "$children" "$how"
    expect "$how, not followed: status" $status 0
    expect "$how, not followed: calls" "$(calls in_parent) $(calls in_child)" "2 "
done
run --follow=no --patch=. --report=csv -- "$children" exec
expect "exec: calls" "$(calls in_parent) $(calls in_child)" "1 2"

# In a process that runs already no library of ours replaces functions of the C library.
for how in fork clone 'raw clone' _Fork 'inline fork'; do
    begin_program "$how" "$children" "$how" "waits"
    : >"$folder/err"
    "$ringviz" -p $pid --patch=. --verbose --spans=csv >"$folder/out" 2>"$folder/err" </dev/null 9>&- &
    ringviz_pid=$!
    within 90 grep -q 'to write jumps$' "$folder/err" || fail "$how: it is not attached: $(cat "$folder/err")"
    echo >&9
    wait $ringviz_pid
    expect "$how, attached: calls, in processes" \
        "$(awk -F, '$6 ~ /::in_/ { print $1, $6 }' "$folder/out" | sort | uniq -c | awk '{ print $1 }' | tr '\n' ' ')" '2 2 '
    wait $pid
    expect "$how, attached: status" $? 0
done

# A new environment has none of our variables, so they are added; where only LD_PRELOAD was removed, the program is left
# alone.
cp "$starts" "$folder/started"
run --patch='^main$' --report=csv -- "$starts" "$folder" started anew
expect "a new environment: status" $status 0
expect "a new environment: calls of main" "$(calls main | sort -n | tr '\n' ' ')" "1 10 "
run --follow=no --patch='^main$' --report=csv -- "$starts" "$folder" started anew
expect "a new environment, not followed" "$(calls main)" 1
run --patch='^main$' --report=csv -- env -u LD_PRELOAD "$folder/started"
expect "a program that is to be left alone" "$(calls main)" ""
run --headless --patch=off -- sh -c 'exec env -i A=1 env'
expect "what a new environment keeps" "$(grep -v -e ^RINGVIZ_ -e ^LD_PRELOAD= -e ^ASAN_OPTIONS= "$folder/out")" A=1
if printf 'int main(void) { return 3; }' | "${CC:-cc}" -x c -fsanitize=address -o "$folder/sanitized" - 2>/dev/null; then
    for options in '' ASAN_OPTIONS=detect_leaks=0; do
        # shellcheck disable=SC2086
        run --headless -- env -i $options "$folder/sanitized"
        expect "a sanitized program in a new environment ($options)" $status 3
    done
fi

# Nothing can be preloaded into a static program that another one starts: a message says so.
run --headless -- sh -c '"$1" 5; "$1" 5' sh "$static"
grep -q "^ringviz: 2 times a statically linked program was started by another, the first being $static: " "$folder/err" ||
    fail "a static child: $(cat "$folder/err")"
expect "a static child: lines" "$(grep -c ^ringviz: "$folder/err")" 1
run --headless --report -- "$static" 5
! grep -q 'statically linked' "$folder/err" || fail "a static command: $(cat "$folder/err")"

run --follow=yes -- "$children" fork
expect "another word: status" $status 2
one_line "another word"
run --follow=no -p 1
expect "without a command: status" $status 2
one_line "without a command"
conclude
