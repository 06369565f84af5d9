#!/bin/sh
# calls_view.sh RINGVIZ: the picture of all calls of one subroutine, and how it is asked for.
set -u
ringviz=$1
. "${0%/*}/harness.sh"
cd "$folder" || exit 1

for at in 10 40 70 100; do
    echo "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":$at,\"dur\":$((at / 4)),\"name\":\"answer\"},"
    echo "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":$((at + 1)),\"dur\":$((at / 8)),\"name\":\"find\"},"
done | sed '1s/^/[/; $s/,$/]/' >calls.json

for options in --calls-of=answer "--view=flame --calls-of=answer" "--view=calls --calls-of=(" "--view=calls --frames=frames"; do
    # shellcheck disable=SC2086
    run $options calls.json
    expect "status of $options" $status 2
    one_line "$options"
done

run --view=calls --calls-of='^answer$' --screenshot=answer.png --size=640x400 calls.json
if grep -qi opengl err; then
    exit 77
fi
expect "status" $status 0
run --view=calls --calls-of='^find$' --screenshot=find.png --size=640x400 calls.json
expect "status of another subroutine" $status 0
run --view=3d --screenshot=lanes.png --size=640x400 calls.json
cmp -s answer.png find.png && fail "calls of two subroutines look the same"
cmp -s answer.png lanes.png && fail "calls look like threads"
# Without an option it is the subroutine with most own time.
run --view=calls --screenshot=most.png --size=640x400 calls.json
expect "status without a name" $status 0
cmp -s answer.png most.png || fail "not the subroutine with most own time"
# In a part of the time there are fewer.
run --view=calls --calls-of='^answer$' --from=30us --to=60us --screenshot=part.png --size=640x400 calls.json
cmp -s answer.png part.png && fail "a part of the time has all calls"
run --view=calls --calls-of=nothing --screenshot=nothing.png calls.json
expect "status without such a subroutine" $status 1
one_line "without such a subroutine"
