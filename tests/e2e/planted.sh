#!/bin/sh
# planted.sh RINGVIZ PLANTED CHECK_PLANTED: each problem that is planted in a program is found in three gestures at most.
set -u
ringviz=$1 planted=$2 check_planted=$3
. "${0%/*}/harness.sh"

for problem in convoy slow pause starvation inversion consumer queries leak; do
    run --headless --record="$folder/$problem.rvz" -- "$planted" "$problem"
    expect "$problem: exit status" $status 0
done
for version in before:1 after:6; do
    run --headless --record="$folder/${version%:*}.rvz" -- "$planted" pictures "${version#*:}"
    expect "the version $version: exit status" $status 0
done
run --diff=csv "$folder/before.rvz" "$folder/after.rvz"
# Where the machine was slower meanwhile, others are, too.
expect "it is slower in the later version" "$(sed -n 's/.*::\(draw_picture\),.*,slower$/\1/p' "$folder/out")" draw_picture
expect "the greatest change is" "$(sed -n '2s/.*::\([a-z_]*\),.*/\1/p' "$folder/out")" draw_picture

check "what is planted is found" "$check_planted" "$folder"
conclude
