#!/bin/sh
# capture_filter_changes.sh RINGVIZ PLAIN HOOKED: the capture filter changes while a program runs: what is left out has
# its own code again, what is not is counted exactly.
set -u
ringviz=$1 plain=$2 hooked=$3
. "${0%/*}/harness.sh"
trace=$folder/trace

begin() { # COMMAND...: it runs the program, whose lines come to $folder/program
    rm -f "$folder/in" "$folder/program" "$trace"
    mkfifo "$folder/in"
    "$@" <"$folder/in" >"$folder/program" 2>"$folder/err" &
    pid=$!
    exec 9>"$folder/in"
    within 90 grep -q running "$folder/program" || fail "the program does not start: $(cat "$folder/err")"
    n_lines=1
}
has_answered() {
    [ "$(wc -l <"$folder/program")" -ge $n_lines ]
}
tell() { # LINE: wait for its answer, in $answer
    n_lines=$((n_lines + 1))
    echo "$1" >&9
    within 60 has_answered || fail "no answer to $1"
    answer=$(tail -n 1 "$folder/program")
}
is_tiny() { # 0: its code is the file's; 1: it has a jump
    tell "?"
    [ "$answer" = "tiny $1" ]
}
change() { # COMMAND of the console
    echo "$1" | "$ringviz" --control="$trace" >"$folder/changed" 2>&1 || fail "$1: $(cat "$folder/changed")"
}
end() { # WHAT
    exec 9>&-
    wait $pid
    expect "exit status: $1" $? 0
    expect "results: $1" "$(tail -n 1 "$folder/program")" "wrong 0"
}
calls() { # NAME CALLS: of the report
    expect "calls of $1" "$(sed -n "s/^[^,]*::$1,[^,]*,[^,]*,\([0-9]*\),.*/\1/p" "$folder/report.csv")" "$2"
}

# A patched program: calls before the change are kept, and functions that are not called again follow the change, too.
begin "$ringviz" --trace-file="$trace" --force --report=csv --output="$folder/report.csv" --patch=. -- "$plain"
is_tiny 1 || fail "tiny is not traced"
tell 20
change 'exclude ::tiny$'
grep -q '^1 known subroutine not traced' "$folder/changed" || fail "the console does not confirm the change: $(cat "$folder/changed")"
within 90 is_tiny 0 || fail "tiny is still patched"
tell 1000
change 'trace tiny'
within 90 is_tiny 1 || fail "tiny is not patched again"
tell 30
change 'untrace filtered::tiny'
change 'untrace program_plain_filtered::tiny'
tell 1
within 90 is_tiny 0 || fail "tiny is still patched after untrace"
change 'exclude .'
tell 1
end "a patched program"
calls tiny $((4 * 50 * 100))
calls other $((4 * 1051 * 3))
calls work $((4 * 1051))

# A function that was not patched, since its name was excluded, can be traced later.
begin "$ringviz" --trace-file="$trace" --force --report=csv --output="$folder/report.csv" --patch=. --exclude='::tiny$' -- "$plain"
is_tiny 0 || fail "what is excluded is patched"
tell 10
change 'include ::ti'
within 90 is_tiny 1 || fail "what was excluded is not patched"
tell 10
end "a program with --exclude"
calls tiny $((4 * 10 * 100))
calls other $((4 * 20 * 3))

# An attached process; afterwards its code is that of its file again.
begin "$plain"
"$ringviz" -p $pid --trace-file="$trace" --force --report=csv --output="$folder/report.csv" --patch=. 2>"$folder/err" &
viewer=$!
within 90 is_tiny 1 || fail "it is not attached: $(cat "$folder/err")"
tell 10
change 'exclude ::tiny$'
tell 10
within 90 is_tiny 0 || fail "tiny is still patched in an attached program"
change 'include ::tiny$'
within 90 is_tiny 1 || fail "tiny is not patched again in an attached program"
tell 10
kill -INT $viewer
wait $viewer
expect "exit status of -p" $? 0
is_tiny 0 || fail "tiny is patched after the end"
end "an attached program"
calls tiny $((4 * 20 * 100))
calls other $((4 * 30 * 3))

# A program with hooks.
has_few_events() { # of 400,000 and more a time
    before=$produced
    tell 1000
    produced=$("$ringviz" --info "$trace" | awk '$2 == "live" { n += $5 } END { print n + 0 }')
    [ $((produced - before)) -lt 100000 ]
}
has_many_events() {
    ! has_few_events
}
begin "$ringviz" --trace-file="$trace" --force --report=csv --output="$folder/report.csv" --patch=off -- "$hooked"
produced=0
has_many_events || fail "hooks are not traced"
change 'exclude ::tiny$'
within 90 has_few_events || fail "hooks go on with what is left out"
change 'trace tiny'
within 90 has_many_events || fail "hooks do not go on"
end "a program with hooks"

# A forked child has the same excluded functions.
begin "$ringviz" --trace-file="$trace" --force --report=csv --output="$folder/report.csv" --patch=off -- "$hooked"
tell 100
change 'exclude ::tiny$'
within 90 has_few_events || fail "hooks go on with what is left out"
tell f
has_few_events || fail "hooks of a forked process go on with what is left out"
change 'trace tiny'
within 90 has_many_events || fail "hooks of a forked process do not go on"
end "a forked process with hooks"

# An impossible filter is an error.
begin "$ringviz" --trace-file="$trace" --force --report=csv --output="$folder/report.csv" -- "$plain"
for bad in 'exclude (' 'exclude' 'trace' 'untrace'; do
    echo "$bad" | "$ringviz" --control="$trace" >"$folder/out" 2>&1 && fail "$bad is accepted"
    expect "lines for $bad" "$(wc -l <"$folder/out")" 1
done
end "bad requests"
conclude
