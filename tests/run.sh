#!/bin/sh
# Installs missing packages, builds with gcc, clang and the sanitizers, runs every test, and ends with the line
# "N passed, N failed". Exit status 0 only when nothing failed. Works without a terminal.
set -u
cd "$(dirname "$0")/.." || exit 1
. assets/packages.sh

jobs=$(nproc 2>/dev/null || echo 2)
n_passed=0
n_failed=0
n_skipped=0
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
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

# build PRESET [TARGET...]
build() {
    preset=$1
    shift
    say "build $preset"
    step cmake --preset "$preset" && step nice cmake --build --preset "$preset" -- -j"$jobs" "$@"
}

# run_tests PRESET [CTEST-OPTION...]: adds to the counts. Many tests wait for other processes most of their time.
run_tests() {
    preset=$1
    shift
    say "test $preset"
    $fixed_layout ctest --test-dir "build/$preset" --output-on-failure -j"$((2 * jobs))" "$@" </dev/null >"$log" 2>&1
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

build dev && run_tests dev
build clang
build asan tests_unit tests_fuzz tests_stress && run_tests asan -L '^(unit|fuzz|stress)$' -LE '^slow$'
build tsan tests_stress && run_tests tsan -L '^stress$' -LE '^slow$'

say "done"
[ "$n_skipped" -eq 0 ] || echo "$n_skipped skipped"
echo "$n_passed passed, $n_failed failed"
[ "$n_failed" -eq 0 ]
