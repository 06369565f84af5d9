#!/bin/sh
# endings.sh RINGVIZ PROGRAM: calls of handlers before they end their process are written, or counted as lost. In each
# process the interrupted hook may or may not have written its event.
set -u
ringviz=$1 program=$2
. "${0%/*}/harness.sh"

run --report=json --force --output="$folder/report.json" -- "$program"
expect "exit status" $status 0
n_hooks=$(sed -n 's/^HOOKS //p' "$folder/out")
n_children=$(sed -n 's/^CHILDREN //p' "$folder/out")
number() { # NAME: of the events
    sed -n "s/.*\"events\":{[^}]*\"$1\":\([0-9]*\).*/\1/p" "$folder/report.json"
}
n_produced=$(number produced)
expect "produced" "$n_produced" $(($(number consumed) + $(number dropped)))
[ "$n_produced" -ge "$n_hooks" ] && [ "$n_produced" -le $((n_hooks + 2 * n_children)) ] ||
    fail "$n_produced events of $n_hooks hooks and $n_children interrupted"
[ "$(number dropped)" -le $((45 * n_children)) ] || fail "more was lost than what the handlers wrote: $(number dropped)"
conclude
