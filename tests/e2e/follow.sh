#!/bin/sh
# follow.sh RINGVIZ CHILDREN: children are traced however they are made; with --follow=no they are not.
set -u
ringviz=$1 children=$2
. "${0%/*}/harness.sh"

calls() { # FUNCTION: how many the report has
    sed -n "s/^[^,]*::$1,[^,]*,[^,]*,\([0-9]*\),.*/\1/p" "$folder/out"
}

for how in fork 'fork and exec' vfork posix_spawn clone 'raw clone' orphan 'fork without an environment'; do
    run --patch=. --report=csv -- "$children" "$how"
    expect "$how: status" $status 0
    expect "$how: calls" "$(calls in_parent) $(calls in_child)" "2 2"
    run --follow=no --patch=. --report=csv -- "$children" "$how"
    expect "$how, not followed: status" $status 0
    expect "$how, not followed: calls" "$(calls in_parent) $(calls in_child)" "2 "
done
run --follow=no --patch=. --report=csv -- "$children" exec
expect "exec: calls" "$(calls in_parent) $(calls in_child)" "1 2"

run --follow=yes -- "$children" fork
expect "another word: status" $status 2
one_line "another word"
run --follow=no -p 1
expect "without a command: status" $status 2
one_line "without a command"
conclude
