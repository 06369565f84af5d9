#!/bin/sh
# switches.sh RINGVIZ SWITCHES: calls that are open on several stacks in turns have their own returns, whatever changes the
# stack: swapcontext() and the link of a context, ringviz_stack_switch(), coroutines of C++20.
set -u
ringviz=$1 switches=$2
. "${0%/*}/harness.sh"

for way in context marked coroutine; do
    "$switches" $way 200 >"$folder/counts"
    [ $? -eq 77 ] && continue
    run --spans=csv --output="$folder/calls" --force -- "$switches" $way 200
    expect "exit status of $way" $status 0
    for name in deep leaf; do
        expect "calls of $name, $way" "$(cut -d, -f6 "$folder/calls" | grep -c "::$name\$")" "$(sed -n "s/^COUNT $name //p" "$folder/counts")"
    done
    expect "calls without their returns, $way" "$(awk -F, 'NR > 1 && $NF != ""' "$folder/calls" | wc -l)" 0
done
conclude
