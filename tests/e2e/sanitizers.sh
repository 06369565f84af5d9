#!/bin/sh
# sanitizers.sh RINGVIZ CHECKER PROGRAMS: programs whose address sanitizer is a shared library, which insists on being
# loaded first, start and are traced: PROGRAMS/fib.c counts its own calls.
set -u
ringviz=$1 checker=$2 programs=$3
. "${0%/*}/harness.sh"
cd "$folder" || exit 1
n_tried=0

trace() { # COMPILER FLAG...
    command -v "$1" >which || { echo "skipped: no $1"; return; }
    "$@" -D_GNU_SOURCE -g -O1 -finstrument-functions -fno-optimize-sibling-calls -fsanitize=address "$programs/fib.c" \
        -o program 2>err || { echo "skipped: $* builds no program: $(cat err)"; return; }
    run --patch=off --report=json --force --output=report.json -- ./program
    expect "exit status with $*: $(cat err)" $status 0
    check "the counts with $*" "$checker" out report.json
    n_tried=$((n_tried + 1))
}

trace gcc
trace clang-14 -shared-libasan "-Wl,-rpath,$(dirname "$(clang-14 -print-file-name=libclang_rt.asan-x86_64.so)")"
[ $n_tried -gt 0 ] || fail "there is no compiler with a sanitizer"
conclude
