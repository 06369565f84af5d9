#!/bin/sh
# folds.sh RINGVIZ ROUNDS WITHOUT_FOLDS: a critical path is the same by the sums in a recording's index as by all of its
# calls, of any part of it; and --repair makes the sums anew.
set -u
ringviz=$1
rounds=$2
without_folds=$3
. "${0%/*}/harness.sh"
RINGVIZ_SUMS=off
export RINGVIZ_SUMS

run --headless --record="$folder/with.rvz" --max-overhead=off -- "$rounds" 4000
check "a recording without sums" "$without_folds" "$folder/with.rvz" "$folder/without.rvz"
ms=$("$ringviz" --info "$folder/with.rvz" | awk '/^events/ { printf "%d", 1000 * $5 }') # events N stored, over S s
[ "$ms" -gt 0 ] || fail "the recording has $ms ms"

path_of() { # FILE OPTION...: the path into $folder/FILE.csv
    file=$1
    shift
    run --critical-path=csv "$@" "$folder/$file.rvz"
    expect "$file.rvz: exit status with $*" "$status" 0
    cp "$folder/out" "$folder/$file.csv"
}

same() { # OPTION...
    path_of with "$@"
    path_of without "$@"
    check "another path by the sums of the index: $*" cmp "$folder/with.csv" "$folder/without.csv"
}

same
[ "$(wc -l <"$folder/with.csv")" -gt 8 ] || fail "no path: $(cat "$folder/with.csv")"
random=1
for turn in 1 2 3 4 5 6 7 8; do
    random=$(((random * 1103515245 + 12345) % 2147483648))
    from=$((random / 7 % ms))
    same --from=${from}ms --to=$((from + 1 + turn * ms / 10))ms
done
for file in with without; do
    run --check "$folder/$file.rvz"
    expect "$file.rvz: exit status of --check" "$status" 0
done

run --repair="$folder/repaired.rvz" "$folder/without.rvz"
path_of repaired
path_of with
check "another path by the sums that --repair has made" cmp "$folder/with.csv" "$folder/repaired.csv"
bytes() { wc -c <"$folder/$1.rvz"; }
expect "bytes of the repaired recording" "$(bytes repaired)" "$(bytes with)"
conclude
