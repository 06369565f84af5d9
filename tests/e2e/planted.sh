#!/bin/sh
# planted.sh RINGVIZ PLANTED CHECK_PLANTED: each problem that is planted in a program is found in three gestures at most.
set -u
ringviz=$1 planted=$2 check_planted=$3
. "${0%/*}/harness.sh"

for problem in convoy slow pause starvation inversion consumer queries leak; do
    run --headless --record="$folder/$problem.rvz" -- "$planted" "$problem"
    expect "$problem: exit status" $status 0
done
# Two versions of a program, as traces that say how long each call took: a busy machine could make either slower.
version() { # NAME US: it draws 400 texts, and as many pictures, which take some US each
    awk -v us="$2" '
        function call(name, duration) {
            printf "%s{\"ph\":\"X\",\"name\":\"%s\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d}", separator, name, at, duration
            separator = ",\n"
            at += duration + 1
        }
        BEGIN {
            printf "["
            for (i = 0; i < 400; i++) {
                call("clear", 10 + i % 5)
                call("draw_text", 20 + i % 7)
                call("draw_picture", us + i % 3)
            }
            print "]"
        }' >"$folder/$1.json"
    run --headless --record="$folder/$1.rvz" "$folder/$1.json"
    expect "$1: exit status" $status 0
}
version before 20
version after 400

check "what is planted is found" "$check_planted" "$folder"
conclude
