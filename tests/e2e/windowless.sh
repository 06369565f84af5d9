#!/bin/sh
# windowless.sh RINGVIZ PROGRAM: a ringviz without a window needs none of its libraries, and says what it lacks before
# anything runs.
set -u
ringviz=$1 program=$2
. "${0%/*}/harness.sh"
cd "$folder" || exit 1

expect "libraries" "$(ldd "$ringviz" | grep -E 'SDL|GL|freetype|imgui|png|wayland|X11')" ""
run --report=csv --record=fib.rvz --export=chrome:fib.json -- "$program"
expect "status of a report" $status 0
grep -q '^[^,]*fib,' out || fail "no report: $(cat out)"
run --report=csv fib.rvz
expect "status of a recording's report" $status 0
run --diff fib.rvz fib.rvz
expect "status of a comparison" $status 0
for lacking in "-- touch ran" "fib.rvz" "--screenshot=out.png -- touch ran" "--frames=frames -- touch ran" \
    "--video=out.y4m -- touch ran" "--diff=window fib.rvz fib.rvz" "--diff --screenshot=out.png fib.rvz fib.rvz" \
    "--bench=render"; do
    # shellcheck disable=SC2086
    run $lacking
    expect "$lacking: status" $status 1
    grep -q '^ringviz: this ringviz was built without a window' err || fail "$lacking: $(cat err)"
    one_line "$lacking"
done
[ ! -e ran ] || fail "a program ran whose picture cannot be drawn"
conclude
