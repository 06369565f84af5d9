#!/bin/sh
# ring.sh MODEL CC POLICY PUSHES [MUTANT...]: spin finds no error in MODEL under POLICY, neither on a processor that
# keeps stores and loads in order nor on one that does not; and finds one with each MUTANT, a definition that removes an
# ordering.
set -u
model=$1 cc=$2 policy=$3 pushes=$4
shift 4
command -v spin >/dev/null 2>&1 || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
n_failures=0

fail() {
    echo "FAILED: $policy: $*"
    n_failures=$((n_failures + 1))
}

search() { # DEFINITION...: 0 without a fault, 1 with one
    spin -a -DPOLICY="$policy" -DPUSHES="$pushes" "$@" "$model" >said 2>&1 &&
        "$cc" -w -DSAFETY -DMEMLIM=2048 -o pan pan.c >>said 2>&1 || {
        fail "$* cannot be run: $(cat said)"
        exit 1
    }
    ./pan -m10000 -w20 >said
    grep -q 'max search depth too small\|out of memory' said && fail "$*: not searched to its end"
    grep -q 'errors: 0$' said
}

search -DX86 || fail "x86: $(grep '^pan:' said)"
search -DWEAK || fail "a processor that reorders: $(grep '^pan:' said)"
for mutant in "$@"; do
    search -DWEAK "-D$mutant" && fail "-D$mutant finds no fault"
done
echo "$n_failures failures"
[ $n_failures -eq 0 ]
