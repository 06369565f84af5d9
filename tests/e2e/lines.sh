#!/bin/sh
# lines.sh RINGVIZ [patched]: lines of calls in a native program, in a recording, of a part, without debug information.
set -u
ringviz=$1 is_patched=${2:-}
. "${0%/*}/harness.sh"
cd "$folder" || exit 1

cat >program.c <<'END'
#define APART __attribute__((noinline))
static volatile int sum;
APART static void leaf(int n)
{
    for (int i = 0; i < n % 7; i++)
        sum += i;
}
APART static void twice(int n)
{
    leaf(n);
    leaf(2 * n);
}
APART static int fib(int n)
{
    return n < 2 ? n : fib(n - 1) +
        fib(n - 2);
}
int main(void)
{
    for (int i = 0; i < 100; i++)
        twice(i);
    leaf(7);
    return fib(10) - 55;
}
END
wanted="10:100:twice 11:100:twice 15:88:fib 16:88:fib 21:100:main 22:1:main 23:1:main "

make() { # FLAG...
    gcc -O1 -fno-ipa-cp -fno-ipa-sra -fno-optimize-sibling-calls "$@" program.c -o program || fail "$* does not build"
}

expect_lines() { # WHAT: of the output
    expect "$1: exit status" $status 0
    expect "$1" "$(sed 1d out | awk -F, '{ sub(/.*::/, "", $6); print $2 ":" $3 ":" $6 }' | sort | tr '\n' ' ')" "$wanted"
    expect "$1: files" "$(sed 1d out | cut -d, -f1 | sort -u)" "$folder/program.c"
    expect "$1: own time" "$(sed 1d out | cut -d, -f4 | sort -u)" 0
}

check_lines() { # WHAT
    run --report=lines-csv -- ./program
    expect_lines "$1"
    run --report=lines-csv --from=0 --to=1min -- ./program
    expect_lines "$1, a part"
    run --report=lines-csv --policy=ring --clock=monotonic -- ./program
    expect_lines "$1, another clock"
}

make -g -finstrument-functions
check_lines "hooks"
make -g -O2 -finstrument-functions -fno-inline
check_lines "hooks, optimized"
RINGVIZ_NATIVE_LINES=1 run --headless --record=run.rvz -- ./program
run --report=lines-csv run.rvz
expect_lines "a recording"
run --report=lines-csv --exclude='::leaf$' -- ./program
expect "lines of calls that are left out" "$(cut -d, -f2 out | grep -cE '^(10|11|22)$')" 0
if [ "$is_patched" ]; then
    make -g
    check_lines "patched"
fi
make -finstrument-functions
run --report=lines-csv -- ./program
expect "without debug information" "$(wc -l <out)" 1
grep -q 'no line is known: ' err || fail "the lack of lines is not reported: $(cat err)"
conclude
