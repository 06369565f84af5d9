#!/bin/sh
# diff.sh RINGVIZ: compares two traces with known calls, in every format.
set -u
ringviz=$1
. "${0%/*}/harness.sh"

# trace SLOW_US EXTRA: 40 calls of slow, 40 of same, 3 of few, one of EXTRA, one after the other.
trace() {
    awk -v slow="$1" -v extra="$2" '
    function call(name, duration) {
        printf ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d,\"name\":\"%s\"}", at, duration, name
        at += duration + 1
    }
    BEGIN {
        printf "[{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"thread_name\",\"args\":{\"name\":\"t\"}}"
        for (i = 0; i < 40; i++) {
            call("slow", slow + i % 3)
            call("same", 50 + i % 7)
        }
        for (i = 0; i < 3; i++)
            call("few", 10)
        call(extra, 5)
        print "]"
    }'
}

cd "$folder" || exit 1
trace 100 old >a.json
trace 200 fresh >b.json
run --diff=csv a.json b.json
expect "exit status" $status 0
expect "columns of every row" "$(awk -F, '{ print NF }' out | sort -u)" 36
expect "verdicts" "$(sed 1d out | awk -F, '{ print $1 "=" $NF }' | sort | tr '\n' ' ')" \
    "few=few fresh=new old=gone same=same slow=slower "
expect "the greatest change" "$(sed -n 2p out | cut -d, -f1,5-8,31)" "slow,40,40,4039000,8039000,1.99034"
expect "what did not change" "$(grep '^same,' out | cut -d, -f5-8,31-35)" "40,40,2115000,2115000,1,1,1,1,1"
expect "what is new" "$(grep '^fresh,' out | cut -d, -f5-8,31-35)" "0,1,0,5000,,,,,"

run --diff=csv b.json a.json
expect "the other way round" "$(grep '^slow,' out | awk -F, '{ print $NF }')" faster
run --diff a.json b.json
expect "text" $status 0
grep -q '^ *+4.00 ms .* 1.99 .* slower        slow$' out || fail "no line for slow: $(cat out)"
run --diff=json --output=d.json a.json b.json
expect "json" $status 0
grep -q '"tested":2,"common_change":1,' d.json || fail "json: $(head -1 d.json)"
grep -q '^{"name":"old",.*"calls":\[1,0\],.*"total_ratio":0,"self_change":null,.*"verdict":"gone"}' d.json || fail "json rows"

# ---- captures: ids of a name differ between the files ----
run --diff=csv --include='^(few|fresh|same)$' --exclude=few a.json b.json
expect "only what is captured" "$(sed 1d out | cut -d, -f1,5,6 | sort | tr '\n' ' ')" "fresh,0,1 same,40,40 "

# ---- in one picture ----
run --diff=window --screenshot=beside.png --size=640x400 a.json b.json
if ! grep -qi opengl err; then
    expect "picture" $status 0
    [ ! -s out ] || fail "text beside a window: $(cat out)"
    run --diff --screenshot=plain.png --size=640x400 --color=package a.json b.json
    expect "picture and text" "$status $(grep -c 'slower        slow$' out)" "0 1"
    cmp -s beside.png plain.png && fail "a difference has the colours and heights of none"
    mkdir only
    for side in a b; do grep -Ev '"(slow|few|old|fresh)"' $side.json >only/$side.json; done
    run --diff --screenshot=captured.png --size=640x400 --include='^same$' a.json b.json
    (cd only && run --diff --screenshot=../only.png --size=640x400 a.json b.json)
    cmp -s captured.png only.png || fail "the picture has calls that were not to be captured"
    timeout 100 "$ringviz" --headless --record=a.rvz a.json 2>err || fail "recording: $(cat err)"
    SDL_VIDEODRIVER=offscreen timeout --preserve-status 3 "$ringviz" --diff=window --size=640x400 a.rvz b.json 2>err
    expect "the window, until it is ended" $? 143
fi
run --color=difference a.json
expect "differences of one run" $status 2

# ---- one program, built in two folders and by two names ----
for side in one two; do
    mkdir -p $side/src
    printf 'static int helper(int x) { return x + 1; }\nint main(void) { return helper(1) - 2; }\n' >$side/src/main.c
    check "$side" gcc -g -finstrument-functions "$PWD/$side/src/main.c" -o $side/program-$side
    timeout 100 "$ringviz" --headless --record=$side.rvz -- $side/program-$side 2>err || fail "$side: $(cat err)"
done
run --diff=csv one.rvz two.rvz
expect "the same subroutines" "$(sed 1d out | awk -F, '{ print $1, $NF }' | sort | tr '\n' ' ')" \
    "program-two::helper few program-two::main few "

for wrong in a.json "a.json b.json a.json" "" "-- true"; do
    # shellcheck disable=SC2086
    run --diff $wrong
    expect "--diff $wrong" $status 2
done
run a.json b.json
expect "two files without --diff" $status 2
run --diff --report a.json b.json
expect "--diff --report" $status 2
run --diff a.json none.json
expect "a file that is not there" $status 1
one_line "a file that is not there"
run --diff --output=/dev/full a.json b.json
expect "a full disk" $status 1
conclude
