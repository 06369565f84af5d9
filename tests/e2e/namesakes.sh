#!/bin/sh
# namesakes.sh RINGVIZ PROGRAM: the total of two functions of one name, file and line, one of which calls the other, has
# the time of the inner calls once: live, of a recording, of its index, of a part of it and in a comparison.
set -u
ringviz=$1 program=$2
. "${0%/*}/harness.sh"

total_of() { # COLUMN NAME: in $folder/out
    awk -F, -v column="$1" -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $1 ~ "::" name "$" { print $at[column]; n++ } END { if (n != 1) print n + 0, "rows" }' "$folder/out"
}

cd "$folder" || exit 1
run --record=a.rvz --report=csv -- "$program" 40
expect "exit status" $status 0
live=$(total_of total_ns nested) off_cpu=$(total_of total_blocked_ns nested)
expect "calls" "$(total_of calls nested)" 80

run --spans=csv a.rvz
wanted=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["name"] ~ "::nested$" { n[$at["depth"]]++; ns[$at["depth"]] += $at["duration_ns"] }
    END { for (depth in ns) if (least == "" || depth + 0 < least + 0) least = depth; print ns[least] }' out)
expect "live" "$live" "$wanted"
run --report=csv a.rvz
expect "a recording" "$(total_of total_ns nested)" "$wanted"
run --report=csv --from=0 a.rvz
expect "off the CPU, of a part and live" "$(total_of total_blocked_ns nested)" "$off_cpu"
expect "a part" "$(total_of total_ns nested)" "$wanted"
run --diff=csv a.rvz a.rvz
expect "a comparison" "$(total_of total_ns_before nested),$(total_of total_ns_after nested)" "$wanted,$wanted"
run --check a.rvz
expect "the recording is whole" $status 0
conclude
