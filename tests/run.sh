#!/bin/sh
# Installs missing packages, builds with gcc, clang and the sanitizers, runs every test, and ends with the line
# "N passed, N failed". Exit status 0 only when nothing failed. Works without a terminal.
#
# Builds follow one another at low priority in the background; the tests of one run while the next is made, since they
# mostly wait for other processes.
set -u
cd "$(dirname "$0")/.." || exit 1
. assets/packages.sh

jobs=$(nproc 2>/dev/null || echo 2)
n_passed=0
n_failed=0
n_skipped=0
folder=$(mktemp -d) || exit 1
log=$folder/log
builder=
trap '[ -z "$builder" ] || kill "$builder" 2>/dev/null; rm -rf "$folder"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Sanitizer runtimes of this age do not support the address layouts of newer kernels.
fixed_layout=
setarch -R true 2>/dev/null && fixed_layout="setarch -R"

say() {
    printf '\n== %s (%s s)\n' "$1" "$(($(date +%s) - began))"
}

# A step that is not a test counts as one when it fails.
step() {
    "$@" </dev/null >"$log" 2>&1 && return 0
    tail -n 60 "$log"
    echo "FAILED: $*"
    n_failed=$((n_failed + 1))
    return 1
}

# build PRESET [TARGET...]: prints its status. In the background.
build() {
    preset=$1
    shift
    cmake --preset "$preset" </dev/null >"$folder/$preset" 2>&1 || { echo $?; return; }
    nice -n 19 ninja -C "build/$preset" -j"$jobs" "$@" </dev/null >>"$folder/$preset" 2>&1 &
    child=$!
    wait "$child"
    echo $?
}

build_all() {
    child=
    trap '[ -z "$child" ] || kill "$child" 2>/dev/null; exit 143' TERM
    build dev
    build asan tests_unit tests_fuzz tests_stress
    build tsan tests_stress
    build clang
}

# is_built PRESET: waits for the next build, which is this one.
is_built() {
    say "build $1"
    read -r status <&3 && [ "$status" -eq 0 ] && return 0
    tail -n 60 "$folder/$1"
    echo "FAILED: build $1"
    n_failed=$((n_failed + 1))
    return 1
}

# run_tests PRESET [CTEST-OPTION...]: adds to the counts. Many tests wait for other processes most of their time.
run_tests() {
    preset=$1
    shift
    say "test $preset"
    $fixed_layout ctest --test-dir "build/$preset" --output-on-failure -j"$((2 * jobs))" "$@" </dev/null 3<&- >"$log" 2>&1
    status=$?
    cat "$log"
    summary=$(sed -n 's/^[0-9]*% tests passed, \([0-9]*\) tests failed out of \([0-9]*\)$/\1 \2/p' "$log" | tail -n 1)
    if [ -z "$summary" ]; then
        n_failed=$((n_failed + 1))
        return
    fi
    failed=${summary% *}
    skipped=$(grep -c '\*\*\*Skipped' "$log")
    n_failed=$((n_failed + failed))
    n_skipped=$((n_skipped + skipped))
    n_passed=$((n_passed + ${summary#* } - failed - skipped))
    [ "$status" -eq 0 ] || [ "$failed" -gt 0 ] || n_failed=$((n_failed + 1))
}

began=$(date +%s)
# shellcheck disable=SC2086
step install_packages $RINGVIZ_BUILD_PACKAGES $RINGVIZ_TEST_PACKAGES
grep '^installing' "$log"

mkfifo "$folder/built" || exit 1
build_all >"$folder/built" &
builder=$!
exec 3<"$folder/built"

is_built dev && run_tests dev
# Programs keep the memory that they free, instead of giving it back to the system each time.
ASAN_OPTIONS=clear_shadow_mmap_threshold=67108864:allocator_release_to_os_interval_ms=-1
export ASAN_OPTIONS
is_built asan && run_tests asan -L '^(unit|fuzz|stress)$' -LE '^slow$'
is_built tsan && run_tests tsan -L '^stress$' -LE '^slow$'
is_built clang
wait "$builder"
builder=

say "done"
[ "$n_skipped" -eq 0 ] || echo "$n_skipped skipped"
echo "$n_passed passed, $n_failed failed"
[ "$n_failed" -eq 0 ]
