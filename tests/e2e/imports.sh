#!/bin/sh
# imports.sh RINGVIZ DATA WRITER-OF-RINGBUFFER PROFILED: small traces of other tools give exactly the calls
# listed beside them, compressed too; truncated and damaged ones give one line; live ones their writers' counts.
set -u
ringviz=$1 data=$2 ringbuffer_writer=$3 profiled=$4
. "${0%/*}/harness.sh"

spans() { # FILE [OPTION...]: its calls in order, without the head, times by thread states, and what was left out
    file=$1
    shift
    run --spans=csv "$@" "$file"
    sed 's/\(,[0-9]*\)\{6\}\(,[^,]*\)$/\2/; 1d; /,lost$/d' "$folder/out" | LC_ALL=C sort >"$folder/got"
}

same() { # WHAT: as expected.spans says
    cmp -s "$expected" "$folder/got" || { fail "$1: other calls"; diff "$expected" "$folder/got" >&2; }
    [ $status -eq 0 ] || fail "$1: exit status $status"
}

# ---- complete files, plain and compressed, recognized and named ----
for file in "$data"/*; do
    case $file in *.spans | *.said) continue ;; esac
    expected=$file.spans
    spans "$file"
    same "$file"
    if [ -f "$file.said" ]; then
        sed "s|^ringviz: .*/|ringviz: |" "$folder/err" | cmp -s - "$file.said" || fail "$file said: $(cat "$folder/err")"
    else
        [ ! -s "$folder/err" ] || fail "$file said: $(cat "$folder/err")"
    fi
    cp "$file" "$folder/renamed"
    gzip -c "$file" >"$folder/renamed.gz"
    spans "$folder/renamed.gz"
    same "$file, gzip'd"
done
# ---- pipes: the same calls; what is packed by others, or no input, is named in one line ----
for file in "$data"/calls.strace "$data"/samples.perf "$data"/calls.json "$data"/stacks.folded "$data"/general.fxt; do
    timeout 100 "$ringviz" "--record=$folder/piped.rvz" --force --spans=csv - <"$file" >"$folder/redirected" 2>"$folder/err" ||
        fail "$file, redirected: $(cat "$folder/err")"
    # shellcheck disable=SC2002
    cat "$file" | timeout 100 "$ringviz" --spans=csv - >"$folder/out" 2>"$folder/err" || fail "$file, piped: $(cat "$folder/err")"
    cmp -s "$folder/redirected" "$folder/out" || fail "$file: other calls when piped"
    run --spans=csv "$file"
    # shellcheck disable=SC2002
    expect "$file, piped: calls" "$(cut -d, -f4- "$folder/out")" "$(cut -d, -f4- "$folder/redirected")"
    timeout 100 "$ringviz" --spans=csv - <"$folder/piped.rvz" >"$folder/out" 2>"$folder/err"
    expect "$file, a recording: calls" "$(cut -d, -f6 "$folder/out" | sort)" "$(sed '/^.*,(lost: /d' "$folder/redirected" | cut -d, -f6 | sort)"
done
# shellcheck disable=SC2002
cat "$data/lines.perf" | timeout 100 "$ringviz" --report=lines-csv /dev/stdin >"$folder/got" 2>"$folder/err"
run --report=lines-csv "$data/lines.perf"
cmp -s "$folder/got" "$folder/out" || fail "lines from a pipe: $(cat "$folder/err")"
if command -v bash >/dev/null 2>&1; then
    timeout 100 bash -c '"$1" --spans=csv <(cat "$2") && "$1" --diff=csv <(cat "$2") <(cat "$2") | wc -l' - "$ringviz" "$data/calls.strace" \
        >"$folder/out" 2>"$folder/err" </dev/null
    run_status=$?
    expect "files of a shell's <()" "$run_status $(wc -l <"$folder/err")" "0 0"
fi
if command -v zstd >/dev/null 2>&1; then
    zstd -qc "$data/calls.strace" >"$folder/renamed.zst"
    expected=$data/calls.strace.spans
    spans "$folder/renamed.zst"
    same "packed by zstd"
fi

refused_as() { # WORDS WHAT: $folder/other
    run --report "$folder/other"
    expect "$2: status" $status 1
    one_line "$2"
    grep -q "^ringviz: [^ ]*/other: $1" "$folder/err" || fail "$2: $(cat "$folder/err")"
}
printf '\375\067\172\130\132\000\000\004packed' >"$folder/other"
refused_as 'packed by xz' "xz"
printf 'BZh91AY&SY' >"$folder/other"
refused_as 'packed by bzip2' "bzip2"
printf 'PERFILE2h\000\000' >"$folder/other"
refused_as 'what perf record wrote' "perf.data"
run "--export=perfetto:$folder/other" --force "$data/calls.strace"
refused_as 'a Perfetto trace' "an export for Perfetto"
run "--export=html:$folder/other.gz" --force "$data/calls.strace"
mv "$folder/other.gz" "$folder/other"
refused_as 'a page for a browser' "a page"
gzip -c "$folder/piped.rvz" >"$folder/other"
refused_as 'a recording that was packed again' "a packed recording"
mkfifo "$folder/fifo"
run --report "$folder/fifo"
expect "a named pipe: status" $status 1
grep -q 'a named pipe is opened by the shell: ringviz - <' "$folder/err" || fail "a named pipe: $(cat "$folder/err")"

cp "$data/stacks.folded" "$folder/renamed"
expected=$data/stacks.folded.spans
spans "$folder/renamed" --import=folded
same "a folded file that is named"
spans "$folder/renamed" --include='^(read|parse)$'
[ "$(cut -d, -f6 "$folder/got" | tr '\n' ' ')" = "read parse " ] || fail "--include: $(cat "$folder/got")"

# ---- an export of calls that are open, read back ----
expected=$data/still_open.json.spans
run "--export=chrome:$folder/again.json" "$data/still_open.json"
spans "$folder/again.json"
same "an export of calls that are open"

# ---- names of threads ----
expect_threads() { # FILE NAMES
    run --report "$1"
    expect "threads of $1" "$(sed -n '/max depth .*thread$/,/^$/s/^ *[0-9]\{1,\} *[0-9]* *[0-9]* *[0-9]*  \(\( *[0-9.]* [num]*s  \)\{2\}\)*//p' "$folder/out" | tr '\n' ,)" "$2"
}
expect_threads "$data/exec.strace" "sh 700,sort 701,sh 702,"
expect_threads "$data/system.json" "initial-thread,InterruptThread,"
expect_threads "$data/switches.fxt" "render loop,scenic 1002,"
expect_threads "$data/general.fxt" "Main,Worker0,ServerThread,Asdf,"

printf '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1},{"ph":"X","name":"b","pid":1,"tid":2,"ts":1,"dur":1}]' >"$folder/other"
expect_threads "$folder/other" "process 1,thread 2,"

# ---- states of threads, in the file before their processes ----
run --spans=csv "$data/switches.fxt"
expect "times on the CPU, blocked and runnable" "$(sed 1d "$folder/out" | cut -d, -f2,9-11 | tr '\n' ' ')" \
    "1001,6000000,2000000,1000000 1002,7000000,0,3000000 "
cat >"$folder/switches" <<'END'
{"traceEvents":[{"ph":"X","name":"draw","pid":9,"tid":31,"ts":10,"dur":90},{"ph":"X","name":"decode","pid":9,"tid":32,"ts":30,"dur":40}],
"systemTraceEvents":{"type":"fuchsia","events":[{"ph":"k","ts":30,"cpu":1,"out":{"tid":31,"state":3,"prio":16},"in":{"tid":32}},
{"ph":"w","ts":50,"cpu":1,"tid":31},{"ph":"k","ts":60,"cpu":1,"out":{"tid":32,"state":1},"in":{"tid":31}},
{"ph":"k","ts":65,"cpu":1,"out":{"tid":31},"in":7},{"ph":"k","out":{"tid":31,"state":3},"in":{"tid":32}},{"ph":"w","cpu":1}]}}
END
run --spans=csv "$folder/switches"
expect "states in Fuchsia's JSON" "$(sed 1d "$folder/out" | cut -d, -f2,9-11 | tr '\n' ' ')" \
    "31,60000,20000,10000 32,30000,0,10000 "
run --spans=csv "$data/general.fxt"
expect "calls that were off the CPU for longer than they took" "" \
    "$(sed 1d "$folder/out" | awk -F, '$10 + $11 > $5')"

# ---- lines of samples ----
expect_lines() { # FILE LINES: as LINE:HITS:OWN-TIME:NAME
    run --report=lines-csv "$1"
    expect "lines of $1" "$(sed '1d; /(lost: /d' "$folder/out" | awk -F, '{ printf "%s:%s:%s:%s ", $2, $3, $4, $6 }')" "$2"
}
expect_lines "$data/columns.firefox" "5:1:1500000:Shop#buy 4:1:1000000:Shop#buy "
expect_lines "$data/lines.firefox" "7:2:2000000:main 12:2:2000000:work 13:1:1000000:work 8:1:0:main "
expect_lines "$data/lines.cpuprofile" "4:2:3000:work 2:1:1000:main 5:1:1000:work "
expect_lines "$data/lines.perf" "4:1:1000000:prog::inner 5:2:1000000:prog::inner 13:1:0:prog::main 14:1:0:prog::main "
expect_lines "$data/timeless-lines.perf" "4:1:1000:prog::inner 5:1:1000:prog::inner 13:1:0:prog::main "
expect_lines "$data/lines.stackprof" "5:2:2000000:Shop#buy 4:2:2000000:Shop#buy 12:1:0:<main> 13:1:0:<main> "

awk 'BEGIN {
    print "prog 12/12 1.001000: 1 cycles: "
    for (i = 1; i <= 5000; i++) printf "\t%x f%d (/usr/bin/prog)\n  main.c:%d\n", 4096 + i, i, i }' >"$folder/deep.perf"
run --report=lines-csv "$folder/deep.perf"
expect "lines of a stack deeper than is kept" "$status $(cut -d, -f2,6 "$folder/out" | tail -1)" "0 4096,prog::f4096"
awk 'BEGIN {
    print "{\"interval\":1000,\"missed_samples\":0,\"frames\":{\"1\":{\"name\":\"f\",\"file\":\"a.rb\"}},"
    for (list = 0; list < 2; list++) {
        printf "\"raw%s\":[200000", list ? "_lines" : ""; for (i = 0; i < 200000; i++) printf ",%d", 1 + list; print ",200000],"
    }
    printf "\"raw_timestamp_deltas\":[1000"; for (i = 1; i < 200000; i++) printf ",1000"; print "]}" }' >"$folder/again.stackprof"
expect_lines "$folder/again.stackprof" "2:399999:200000000000:f "

# ---- every output of an imported trace ----
timeout 100 "$ringviz" --info "$data/calls.json" | grep -q 'Chrome.*--import=chrome' || fail "no --info"
timeout 100 "$ringviz" --report=csv "$data/calls.json" | grep -q '^"*outer' || fail "no report"
timeout 100 "$ringviz" --screenshot="$folder/picture.png" --size=320x200 "$data/calls.json" 2>"$folder/err" ||
    grep -qi opengl "$folder/err" || fail "no picture: $(cat "$folder/err")"

# ---- hostile: one line and exit status 1, or the valid part ----
harmless() { # FILE WHAT
    spans "$1"
    [ $status -le 1 ] || fail "$2: exit status $status"
    [ "$(wc -l <"$folder/err")" -le 2 ] || fail "$2: said $(cat "$folder/err")"
}
for file in "$data"/calls.json "$data"/samples.json "$data"/samples.perf "$data"/calls.strace "$data"/general.fxt; do
    n_bytes=$(wc -c <"$file")
    for share in 1 2 3 4 5 6 7; do
        head -c $((n_bytes * share / 8)) "$file" >"$folder/cut"
        harmless "$folder/cut" "$file cut at $share/8"
    done
    gzip -c "$file" | head -c $((n_bytes / 4)) >"$folder/cut.gz"
    harmless "$folder/cut.gz" "$file, gzip cut"
done
refused() { # FILE WHAT [OPTION...]
    file=$1 what=$2
    shift 2
    spans "$file" "$@"
    [ $status -eq 1 ] || fail "$what: exit status $status"
    one_line "$what"
    [ ! -s "$folder/got" ] || fail "$what: gave calls"
}
echo '{"a": 1}' >"$folder/other"
refused "$folder/other" "JSON that is no trace"
# Files without calls: an error instead of an empty report.
refused_json() { # TEXT
    printf '%s' "$1" >"$folder/other"
    refused "$folder/other" "$1"
}
refused_json '[]'
refused_json '{"traceEvents":[]}'
refused_json '[{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"main"}}]'
refused_json '[{"ph":"N","pid":1,"tid":1,"ts":1,"id":"0x1","name":"o"},{"ph":"D","pid":1,"tid":1,"ts":3,"id":"0x1","name":"o"}]'
refused_json '[{"ph":"E","pid":1,"tid":1,"ts":1,"name":"x"}]'
# As stackprof --json and DevTools' heap profiler write them.
refused_json '{"version":1.2,"mode":"wall","interval":1000,"samples":2,"gc_samples":0,"missed_samples":0,"frames":{"7":{"name":"main","file":"a.rb","line":1,"total_samples":2,"samples":2}}}'
refused_json '{"head":{"callFrame":{"functionName":"(root)"},"selfSize":0,"id":1,"children":[]},"samples":[{"size":8,"nodeId":1,"ordinal":1}]}'
printf '\020\000\004\106\170\124\026\000\004\000\000\000\000\000\000\000' >"$folder/other"
refused "$folder/other" "an fxt record without a length"
echo '[{"ph": "B", "ts": 1 oops' >"$folder/other"
refused "$folder/other" "not JSON"
awk 'BEGIN { printf "["; for (i = 0; i < 100000; i++) printf "[" }' >"$folder/other"
refused "$folder/other" "brackets" --import=chrome
printf '\037\213\010\000\377\377\377\377\377\377\377\377' >"$folder/other"
refused "$folder/other" "damaged gzip" --import=chrome
expect "damaged gzip" "$(sed 's|/.*/||' "$folder/err")" "ringviz: other: damaged gzip data"
for format in strace perf folded; do
    refused "$data/calls.json" "text that is another's" --import=$format
done
refused_strace() { # TEXT
    printf '%b' "$1" >"$folder/other"
    refused "$folder/other" "$1"
    expect "$1" "$(sed 's|/.*/||' "$folder/err")" "ringviz: other: strace text without times: run strace with -r, -tt or -ttt"
}
refused_strace 'execve("/bin/true", ["true"], 0x7ffe /* 9 vars */) = 0\n > /lib/ld.so(_dl_start+0x1) [0x2]\nclose(3) = 0\n'
refused_strace '12 brk(NULL) = 0x55\n13 close(3) = 0\n'
refused_strace '[pid    12] brk(NULL) = 0x55\n[pid    13] read(3, <unfinished ...>\n[pid    12] +++ exited with 0 +++\n'
refused "$folder/absent" "absent" --import=perf
refused "$folder" "a folder" --import=uftrace
refused "$data/calls.json" "a Devel::RingBuffer file that is none" --import=ringbuffer
timeout 100 "$ringviz" --import=nothing "$data/calls.json" 2>"$folder/err"
[ $? -eq 2 ] || fail "--import=nothing is not a usage error"

# ---- many events: sorted on disk, in bounded memory ----
awk 'BEGIN { print "["; for (i = 1100000; i > 0; i--) printf "{\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"dur\":1,\"name\":\"f%d\"},\n", i % 3, i * 2, i % 5 }' >"$folder/many"
(ulimit -v 1500000; timeout 60 "$ringviz" --memory=1M --report=csv "$folder/many" >"$folder/out" 2>"$folder/err")
for name in f0 f1 f2 f3 f4; do
    grep -q "^\"*$name\"*,.*220000" "$folder/out" || fail "many: $(cat "$folder/out" "$folder/err")"
done

# ---- stackprof: collections on a stack deeper than is kept ----
awk 'BEGIN {
    print "{\"interval\":1000,\"missed_samples\":0,\"frames\":{\"1\":{\"name\":\"f\"},\"2\":{\"name\":\"(garbage collection)\"},\"3\":{\"name\":\"g\"}},"
    printf "\"raw\":[1048580"; for (i = 0; i < 1048580; i++) printf ",1"; printf ",1"
    for (i = 0; i < 1000000; i++) printf ",1,2,1"
    printf ",1048571"; for (i = 0; i < 1048570; i++) printf ",1"; print ",3,1]}" }' >"$folder/deep"
run --report=csv "$folder/deep"
expect "deep stack" "$status $(sed -n 's/^"*\([fg]\)"*,.*,\(1048576\|1\),.*/\1/p' "$folder/out" | tr '\n' ' ')" "0 f g "
grep -q "1000004 events beyond .* left out" "$folder/err" || fail "calls beyond the deepest are not reported: $(cat "$folder/err")"
one_line "deep stack"

# ---- uftrace, by its own recorder ----
if command -v uftrace >/dev/null 2>&1; then
    (cd "$folder" && timeout 100 uftrace record -d recorded "$profiled" >/dev/null 2>&1)
    timeout 100 "$ringviz" --report=csv "$folder/recorded" >"$folder/out" 2>"$folder/err"
    for count in leaf,60 mid,20 run,2 main,1; do
        grep -q "::${count%,*}\"*,.*,${count#*,}," "$folder/out" || grep -q "::${count%,*},${count#*,}," "$folder/out" ||
            fail "uftrace: no $count: $(cat "$folder/out" "$folder/err")"
    done
    for file in "$folder"/recorded/[0-9]*.dat; do
        truncate -s -5 "$file"
        head -c 400 /dev/urandom | dd of="$file" bs=1 seek=40 conv=notrunc 2>/dev/null
    done
    head -c 300 /dev/urandom >>"$folder/recorded/task.txt"
    harmless "$folder/recorded" "damaged uftrace data"
fi

# ---- live: Devel::RingBuffer ----
mkfifo "$folder/stop"
rm -f "$folder/wrote"
timeout 60 "$ringbuffer_writer" "$folder/buffer" <"$folder/stop" >"$folder/wrote" &
writer=$!
exec 3>"$folder/stop"
within 60 [ -s "$folder/wrote" ]
cp "$folder/buffer" "$folder/before"
spans "$folder/buffer" --duration=100ms
[ $status -eq 0 ] || fail "a live Devel::RingBuffer file: $(cat "$folder/err")"
[ "$(cut -d, -f3,6 "$folder/got" | sort | tr '\n' ' ')" = "0,main::run 1,My::Mod::work 2,My::Mod::leaf " ] ||
    fail "a live Devel::RingBuffer file: $(cat "$folder/got")"
cmp -s "$folder/buffer" "$folder/before" || fail "a Devel::RingBuffer file was written to"
exec 3>&-
wait $writer
spans "$folder/buffer"
[ "$(wc -l <"$folder/got")" -eq 3 ] || fail "a Devel::RingBuffer file at rest: $(cat "$folder/got" "$folder/err")"

conclude
