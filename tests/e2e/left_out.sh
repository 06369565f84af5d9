#!/bin/sh
# left_out.sh RINGVIZ IDLE: the hooks of calls that are left out read no clock and have few instructions, as IDLE counts.
set -u
ringviz=$1 idle=$2
. "${0%/*}/harness.sh"

trap=133 # its status where a step fell into a slow path, in which signals are blocked: the call was not left out yet

few() { # OPTION...: $most instructions at most
    for _ in 1 2 3 4 5; do
        run --headless --max-overhead=off "$@" -- "$idle" "$most"
        [ "$status" = $trap ] || break
    done
    expect "$*: $(cat "$folder/out" "$folder/err")" $status 0
}
most=48
few '--exclude=::stepped$'
few '--include=::count$'
most=80
few --max-depth=1
few --max-depth=1 --exclude=nothing
conclude
