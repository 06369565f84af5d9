#!/bin/sh
# planted.sh RINGVIZ PLANTED CHECK_PLANTED: each problem that is planted in a program is found in three gestures at most.
set -u
ringviz=$1 planted=$2 check_planted=$3
. "${0%/*}/harness.sh"

for problem in convoy slow pause starvation inversion consumer before after queries leak; do
    run --headless --record="$folder/$problem.rvz" -- "$planted" "$problem"
    expect "$problem: exit status" $status 0
done
check "what is planted is found" "$check_planted" "$folder"
conclude
