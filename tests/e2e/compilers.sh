#!/bin/sh
# compilers.sh RINGVIZ CHECKER PROGRAMS: the profilers' hooks of every compiler that is installed, on PROGRAMS/profiled.rs
# and on PROGRAMS/threads.c, and the room that compilers leave for patches: the counts are the programs' own. Prints which
# compilers are missing.
set -u
ringviz=$1 checker=$2 programs=$3
. "${0%/*}/harness.sh"
cd "$folder" || exit 1 # gmon.out
n_tried=0

trace() { # WHAT: the program that was built
    run --patch=off --report=json --force --output=report.json -- ./program 4 40000
    expect "exit status of $1: $(cat err)" $status 0
    check "the counts of $1" "$checker" out report.json
    grep -q 'traced by its hooks for profilers' err || fail "$1: $(cat err)"
    n_tried=$((n_tried + 1))
}

for compiler in gcc clang-14 clang; do
    command -v $compiler >which || { echo "skipped: no $compiler"; continue; }
    for flags in -O0 -O2 "-O0 -mfentry" "-O2 -mfentry" "-O1 -mfentry -fno-pie -no-pie"; do
        # shellcheck disable=SC2086 # flags are words
        $compiler -D_GNU_SOURCE -g -pg $flags -fno-optimize-sibling-calls "$programs/threads.c" -o program -lpthread ||
            { fail "$compiler $flags does not build"; continue; }
        trace "$compiler -pg $flags"
    done
done

# Room for patches: nops, in front of the function, too; the sleds of XRay; calls of __fentry__ that are nops until needed.
source=threads.c
traces_patched() { # COMPILER FLAG...
    command -v "$1" >which || { echo "skipped: no $1"; return; }
    "$@" -D_GNU_SOURCE -g -O0 "$programs/$source" -o program -lpthread || { fail "$* does not build"; return; }
    run --patch=. --report=json --force --output=report.json -- ./program 4 40000
    expect "exit status of $*, $source: $(cat err)" $status 0
    check "the counts of $*, $source" "$checker" out report.json
}
for room in 5 16 16,8; do
    traces_patched gcc -fpatchable-function-entry=$room
    traces_patched clang-14 -fpatchable-function-entry=$room
done
traces_patched gcc -fpatchable-function-entry=5 -fcf-protection
traces_patched gcc -pg -mfentry -mnop-mcount -fno-pie -no-pie
traces_patched clang-14 -fxray-instrument -fxray-instruction-threshold=1
traces_patched clang-14 -fxray-instrument -fxray-instruction-threshold=1 -fcf-protection

# Sleds that are switched on before main by XRay's own log, and on and off by the program while its threads run.
export XRAY_OPTIONS="patch_premain=true xray_mode=xray-basic verbosity=0"
traces_patched clang-14 -fxray-instrument -fxray-instruction-threshold=1
command -v clang-14 >which && check "XRay's log" ls xray-log.program.*
unset XRAY_OPTIONS
source=sleds.c
traces_patched clang-14 -fxray-instrument -fxray-instruction-threshold=1

# rustc before 1.67 or so asks LLVM for the calls of mcount, which leaves them out unless its pass is run.
for compiler in rustc /usr/bin/rustc; do
    command -v $compiler >which || { echo "skipped: no $compiler"; continue; }
    for pass in "" "-Cpasses=ee-instrument<post-inline>"; do
        # shellcheck disable=SC2086 # no word without a pass
        RUSTC_BOOTSTRAP=1 $compiler -g -Zinstrument-mcount $pass -o program "$programs/profiled.rs" 2>err && nm -D program | grep -q mcount && break
    done
    nm -D program | grep -q mcount || { fail "$compiler does not build: $(cat err)"; continue; }
    trace "$compiler -Zinstrument-mcount"
done
[ $n_tried -gt 0 ] || fail "there is no compiler"
conclude
