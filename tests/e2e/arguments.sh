#!/bin/sh
# arguments.sh RINGVIZ ARGUMENTS DATA SIGNATURES: arguments and results of functions are shown as ltrace shows them. DATA has prototypes
# (.conf) and what ltrace 0.7.3 wrote with -F .conf -x 'f_*' (.txt), but where it reads past what it may.
set -u
ringviz=$1 program=$2 data=$3 signatures=$4
. "${0%/*}/harness.sh"

# {"name":"...f_int",...,"args":["1","2"],"result":"3"} as f_int(1, 2) = 3
calls() {
    sed -n 's/.*"name":"[^"]*::\(f_[a-z]*\)".*"flags":"","args":\[\(.*\)\]\(.*\)}$/\1(\2)\3/p' "$1" |
        sed -e 's/,"result":"\(.*\)"$/ = \1/' -e 's/)$/) = <void>/' -e 's/\\"/\x01/g' -e 's/","/, /g' \
            -e 's/("/(/' -e 's/")/)/' -e 's/\x01/"/g' -e 's/\\\\/\\/g' | sort
}
sort "$data.txt" >"$folder/wanted"
run -F "$data.conf" --string-size=32 -x '^f_' --headless --spans=json --output="$folder/live.json" \
    --record="$folder/run.rvz" -- "$program"
expect "exit status" $status 0
calls "$folder/live.json" >"$folder/calls"
check "arguments and results as ltrace has them" diff "$folder/wanted" "$folder/calls"
grep -q '"lost"' "$folder/live.json" && fail "losses: $(grep '"lost"' "$folder/live.json")"

# A recording has them.
run --headless --spans=json --output="$folder/replayed.json" "$folder/run.rvz"
check "the same calls from a recording" cmp "$folder/live.json" "$folder/replayed.json"
run --headless --spans=csv "$folder/run.rvz"
expect "columns" "$(head -1 "$folder/out")" "process,thread,depth,start_ns,duration_ns,name,file,line,cpu_ns,blocked_ns,runnable_ns,self_cpu_ns,self_blocked_ns,self_runnable_ns,flags,args,result"
grep -q 'f_len,.*,"""abc"", 7",104$' "$folder/out" || fail "no arguments as CSV: $(grep f_len "$folder/out")"

# Exports have them.
run --headless --export=chrome:"$folder/run.json" --export=perfetto:"$folder/run.pftrace" "$folder/run.rvz"
expect "exit status of exports" $status 0
grep -q 'f_len.*"args":{"arg1":"\\"abc\\"","arg2":"7","result":"104"}}' "$folder/run.json" ||
    fail "chrome: $(grep f_len "$folder/run.json")"
grep -aq 'arg1.*"abc"' "$folder/run.pftrace" || fail "perfetto"

# Of several files the last one is used.
printf 'int f_ints(hide(int), hex(uint))' >"$folder/later.conf"
printf 'int f_none(void);' >"$folder/last.conf"
run -F "$data.conf" -F "$folder/later.conf" -F "$folder/last.conf" -x '^f_' --headless --spans=csv -- "$program"
expect "exit status with several files" $status 0
grep -q '::f_ints,.*,0xee6b2800,' "$folder/out" || fail "the last file's prototype is not used: $(grep '::f_ints,' "$folder/out")"
grep -q 'f_len,.*,"""abc"", 7",104$' "$folder/out" || fail "the first file's prototype is not used: $(grep f_len "$folder/out")"

# Without a file the prototypes are those of DWARF; a file has precedence.
run -x 'shapes' --headless --spans=json --output="$folder/dwarf.json" -- "$signatures"
expect "exit status without a file" $status 0
sed -n 's/.*"name":"shapes::\([^"]*\)",.*"flags":"",\?\(.*\)}$/\1 \2/p' "$folder/dwarf.json" |
    sed -e 's/0x[0-9a-f]*/0x/g' -e 's/\\"/'\''/g' | sort >"$folder/dwarf"
sort >"$folder/wanted" <<'EOF'
counter::counter "args":["0x","40"]
counter::add "args":["0x","2"],"result":"42"
counter::~counter "args":["0x"]
shout "args":["{ 'hello' }","{ 'world' }","true"],"result":"{ 'hello!world' }"
paint "args":["RED","heavy","'name'","'x'","1.500000","2.500000"],"result":"BLUE"
sum "args":["{ 1, 2 }","{ 1, 2, 3 }","{ 0.500000, 7 }"],"result":"16"
make "args":["3"],"result":"0x"
first "args":["0x"],"result":"'a'"
nothing "args":[]
many "args":["1","2","3","4","5","6","7","'eight'","-9","'\\n'"],"result":"130"
wide 
EOF
check "arguments by DWARF" diff "$folder/wanted" "$folder/dwarf"
run -F "$folder/last.conf" -F "$data.conf" -x '^f_(ints|len)$' --headless --spans=csv -- "$program"
grep -q '::f_len,.*,"""abc"", 7",104$' "$folder/out" || fail "DWARF is used instead of the file's prototype: $(grep ::f_len, "$folder/out")"
run -x '^f_(ints|len)$' --headless --spans=csv -- "$program"
grep -q '::f_ints,.*,"'"'"'-1, 4000000000, -5, 18446744073709551615, -3, 65535, '"'x'"'",' "$folder/out" ||
    fail "C by DWARF: $(grep ::f_ints, "$folder/out")"

# Calls are found by their arguments.
for option in --filter --find; do
    run $option=arg:'^"abc", 7$' --headless --spans=csv "$folder/run.rvz"
    expect "calls by $option=arg:" "$(grep -c '::f_len,' "$folder/out") of $(wc -l <"$folder/out")" "1 of 2"
done
run --filter='!arg:^' --headless --spans=csv "$folder/run.rvz"
expect "calls without arguments" "$(grep -c '::f_' "$folder/out")" 0
run --find='arg:(' --headless --spans=csv "$folder/run.rvz"
expect "exit status of a wrong search" $status 2
one_line "a wrong search"
run --filter=arg:abc --headless --export=chrome:"$folder/found.json" --report "$folder/run.rvz"
expect "exported calls by arguments" "$(grep -c '"ph":"X"' "$folder/found.json")" "$(grep -c '"ph":"X".*abc' "$folder/run.json")"

# If very many functions have prototypes, their arguments are not captured, and a message says so.
if command -v cc >/dev/null; then
    (seq 1100 | sed 's/.*/int g&(int n) { return n + &; }/' && echo 'int main(void) { return g1(-1); }') >"$folder/many.c"
    cc -g -O0 -o "$folder/many" "$folder/many.c" || fail "cc"
    run -x '^g1$' --headless --spans=csv -- "$folder/many"
    grep -q 'g1,.*,"'"'"'-1",0$' "$folder/out" || fail "the argument of one of 1,100 functions: $(cat "$folder/out")"
    run -x '^g[0-9]' --headless --spans=csv -- "$folder/many"
    one_line "too many functions"
    expect "columns for too many functions" "$(head -1 "$folder/out")" \
        "process,thread,depth,start_ns,duration_ns,name,file,line,cpu_ns,blocked_ns,runnable_ns,self_cpu_ns,self_blocked_ns,self_runnable_ns,flags"
fi

# Functions without symbols by their addresses.
if strip -o "$folder/stripped" "$signatures" 2>/dev/null; then
    address=$(nm "$signatures" | sed -n 's/^0*\([0-9a-f]*\) T _ZN6shapes4many.*/\1/p')
    printf 'ulong 0x%s(hide(int), int, int, int, int, int, int, string, short, char);' "$address" >"$folder/address.conf"
    run -F "$folder/address.conf" -x "^0x$address\$" --headless --spans=json -- "$folder/stripped"
    grep -q '"name":"stripped::0x'"$address"'".*"args":\["2","3","4","5","6","7","\\"eight\\"","-9",.*"result":"130"' "$folder/out" ||
        fail "a function by its address: $(cat "$folder/out")"
    expect "functions by one address" "$(wc -l <"$folder/out")" 1
fi

# Statistics by argument: the sums of the calls in the list.
cat >"$folder/sums.py" <<'EOF'
import collections, json, sys
sums = collections.defaultdict(lambda: [0, 0])
key = sys.argv[3]
for line in open(sys.argv[1]):
    call = json.loads(line)
    args = call.get("args", [])
    text = call.get("result", "") if key == "ret" else args[int(key[3:]) - 1] if int(key[3:]) <= len(args) else ""
    sums[call["name"], text][0] += 1
    sums[call["name"], text][1] += call["duration_ns"]
rows = {(row["name"], row["argument"]): [row["calls"], row["total_ns"]]
        for row in json.load(open(sys.argv[2]))["subroutines"]}
sys.exit(0 if rows == sums and len(rows) > 30 else "%s\n%s" % (rows, dict(sums)))
EOF
for key in arg1 arg2 ret; do
    run --report=json --group-by=$key --output="$folder/groups.json" --force "$folder/run.rvz"
    expect "exit status of --group-by=$key" $status 0
    check "sums by $key" /usr/bin/python3 "$folder/sums.py" "$folder/replayed.json" "$folder/groups.json" $key
done
run --report=csv --group-by=arg1 "$folder/run.rvz"
grep -q '::f_len,.*,"""abc"""$' "$folder/out" || fail "the argument as CSV: $(grep ::f_len, "$folder/out")"
run --report --group-by=arg2 "$folder/run.rvz"
grep -q '::f_len (.*)  7$' "$folder/out" || fail "the argument as text: $(grep ::f_len "$folder/out")"
for wrong in "--group-by=arg0 --report" "--group-by=arg65 --report" "--group-by=argument --report" "--group-by=arg1" \
    "--group-by=arg1 --report --from=1ms"; do
    run $wrong "$folder/run.rvz"
    expect "exit status of $wrong" $status 2
    one_line "$wrong"
done

# A child has its own memory, however it was made.
printf 'int forked(string);' >"$folder/forked.conf"
run -F "$folder/forked.conf" -x '^forked$' --headless --spans=csv -- "$program"
expect "what the child has" "$(sed -n 's/.*,,\("""[a-z]*"""\),.*/\1/p' "$folder/out" | tr '\n' ' ')" '"""parent""" """child""" '

# Without prototypes nothing changes: -x has those of DWARF.
run --patch='^f_' --headless --spans=csv -- "$program"
expect "columns without arguments" "$(head -1 "$folder/out")" "process,thread,depth,start_ns,duration_ns,name,file,line,cpu_ns,blocked_ns,runnable_ns,self_cpu_ns,self_blocked_ns,self_runnable_ns,flags"

# ltrace's own file.
if [ -r /etc/ltrace.conf ]; then
    run -F /etc/ltrace.conf --headless --spans=csv -- "$program"
    expect "exit status with ltrace's own file" $status 0
fi

# Queries as arguments of a library that the program loads after its start; then in a program that runs already.
cat >"$folder/sqlite.conf" <<'EOF'
int sqlite3_prepare_v2(addr, string, int, addr, addr);
int sqlite3_step(addr);
EOF
cat >"$folder/queries.py" <<'EOF'
import sqlite3, sys
base = sqlite3.connect(":memory:")
print("begun", flush=True)
for i in map(int, sys.stdin):
    list(base.execute("SELECT %d AS answer" % i))
    print(i, flush=True)
EOF
texts() { # of the queries in a list of spans
    sed -n 's/.*::sqlite3_prepare_v2".*"SELECT \([0-9]*\) AS answer.*"result":"0"}$/\1/p' "$1" | sort -n
}
if /usr/bin/python3 -c 'import sqlite3' 2>/dev/null; then
    seq 100 >"$folder/numbers"
    timeout 100 "$ringviz" -F "$folder/sqlite.conf" -x '^sqlite3_(prepare_v2|step)$' --headless --spans=json \
        --output="$folder/queries.json" -- /usr/bin/python3 "$folder/queries.py" <"$folder/numbers" >/dev/null
    texts "$folder/queries.json" >"$folder/texts"
    check "the text of each query" diff "$folder/numbers" "$folder/texts"
    expect "steps" "$(grep -c '::sqlite3_step".*"result":"10[01]"' "$folder/queries.json")" 200
    (i=1; while echo $i; do sleep 0.01; i=$((i + 1)); done) 2>/dev/null |
        /usr/bin/python3 "$folder/queries.py" >"$folder/done" 2>/dev/null &
    check "a program that runs" within 60 grep -q 1 "$folder/done"
    pid=$(pgrep -f "^/usr/bin/python3 $folder/queries.py")
    run -F "$folder/sqlite.conf" -x '^sqlite3_(prepare_v2|step)$' --headless --spans=json --duration=2s --force \
        --output="$folder/queries.json" -p "$pid"
    kill "$pid"
    texts "$folder/queries.json" >"$folder/texts"
    first=$(head -1 "$folder/texts") last=$(tail -1 "$folder/texts")
    [ -n "$first" ] || fail "no query of a running program: $(cat "$folder/err")"
    check "each query of a running program" test "$(wc -l <"$folder/texts")" -eq $((last - first + 1))
    wait
fi

# A wrong option is one line on stderr.
run --headless -F "$folder/none.conf" -- "$program"
expect "exit status of a missing file" $status 1
one_line "a missing file"
run --headless -F "$folder" -- "$program"
expect "exit status of a folder" $status 1
one_line "a folder"
printf '\nint f(integer);\n' >"$folder/bad.conf"
run --headless -F "$folder/bad.conf" -- "$program"
expect "exit status of a wrong file" $status 1
expect "what is wrong" "$(cat "$folder/err")" "ringviz: $folder/bad.conf: line 2: an unknown type"
run --headless -F "$data.conf" -F "$folder/bad.conf" -- "$program"
expect "what is wrong in the second file" "$(cat "$folder/err")" "ringviz: $folder/bad.conf: line 2: an unknown type"
run -F "$data.conf" --clock=tick -- "$program"
expect "exit status with --clock=tick" $status 2
one_line "--clock=tick"
conclude
