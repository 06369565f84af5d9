#!/bin/sh
# patched_copies.sh RINGVIZ PLAIN_MANY: a program's code is mapped from a copy with all jumps in place, once there is a
# plan of it, and the program runs and is traced as it is without the copy.
set -u
ringviz=$1 many=$2
. "${0%/*}/harness.sh"
plans=$XDG_CACHE_HOME/ringviz/plans

filter='' n_seen=400
seen() { # WHAT FILE [ARG]: its code is mapped from there, and all its functions are seen
    # shellcheck disable=SC2086
    run --force --headless --report=json --output="$folder/report.json" $filter -- "$many" ${3+"$3"}
    expect "$1: its sum" "$(head -n 1 "$folder/out")" "$sum"
    expect "$1: its code" "$(tail -n 1 "$folder/out")" "$2"
    n=$(grep -o '::many_[0-9]*",[^}]*"calls":1,' "$folder/report.json" | wc -l)
    expect "$1: calls" "$n" "$n_seen"
}
newest() { # the copy: it is a program
    for file in "$plans"/*; do
        case $(head -c 4 "$file" | tr -d '\0') in *ELF) echo "$file" ;; esac
    done
}

sum=$("$many" | head -n 1)
seen "without a plan" "$many"
expect "copies without a plan" "$(newest)" ""
run --force --headless --report=json --output="$folder/report.json" -- "$many"
copy=$(newest)
[ -n "$copy" ] || fail "no copy"
seen "with a plan" "$copy"

# What was made of the plan is found, too: no planner is loaded.
export LD_DEBUG=files
run --force --headless --report=json --output="$folder/report.json" -- "$many"
unset LD_DEBUG
grep -q 'libringviz-cyg' "$folder/err" || fail "the loader lists no libraries: $(tail -n 3 "$folder/err")"
grep -q 'libringviz-patch' "$folder/err" && fail "the planner was loaded"
expect "who may read a copy" "$(stat -c %a "$copy")" 600
seen "under a debugger" "$many" debugged
export RINGVIZ_PLANS=off
seen "RINGVIZ_PLANS=off" "$many"
unset RINGVIZ_PLANS
filter=--exclude=::many_2 n_seen=300
seen "filtered" "$copy"
filter='' n_seen=400
chmod 620 "$copy"
seen "a copy that others may write" "$many"
chmod 600 "$copy"
truncate -s -4096 "$copy"
seen "a copy cut off, written anew" "$copy"
printf 'x' | dd of="$copy" bs=1 seek="$(($(stat -c %s "$copy") - 8))" conv=notrunc 2>/dev/null
seen "a copy from before the machine was started" "$copy"
conclude
