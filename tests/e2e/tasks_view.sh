#!/bin/sh
# tasks_view.sh RINGVIZ FLOWS: the picture of tasks and flows, and how it is asked for.
set -u
ringviz=$1 flows=$2
. "${0%/*}/harness.sh"
cd "$folder" || exit 1

for options in --align-tasks "--view=3d --align-tasks" "--view=tasks --align-tasks --frames=frames"; do
    # shellcheck disable=SC2086
    run $options run.rvz
    expect "status of $options" $status 2
    one_line "$options"
done

run --headless --record=run.rvz -- "$flows" 40
expect "exit status" $status 0
run --view=tasks --screenshot=tasks.png --size=640x400 run.rvz
if grep -qi opengl err; then
    exit 77
fi
expect "status" $status 0
run --view=tasks --align-tasks --screenshot=aligned.png --size=640x400 run.rvz
expect "status of aligned tasks" $status 0
run --view=3d --screenshot=threads.png --size=640x400 run.rvz
cmp -s tasks.png aligned.png && fail "aligned tasks look like others"
cmp -s tasks.png threads.png && fail "tasks look like threads"
echo '[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"alone"}]' >none.json
run --view=tasks --screenshot=none.png --size=640x400 none.json
expect "status without tasks" $status 0
