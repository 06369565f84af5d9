#!/bin/sh
# patch.sh RINGVIZ PLAIN_FIB PLUGIN.so PLAIN_WALKS WALKS_ALONE THIN THIN_BY_PATH OWN_THREADS [UNWINDS UNWINDS_FIRST]: programs without hooks are
# traced as they are, and what they print stays the same.
set -u
ringviz=$1 fib=$2 plugin=$3 walks=$4 walks_alone=$5 thin=$6 thin_by_path=$7 own_threads=$8 unwinds=${9-} unwinds_first=${10-}
. "${0%/*}/harness.sh"

# Debian's own, of which most have no symbols.
same() { # PROGRAM [ARG...]: output and status as untraced; some events
    "$@" >"$folder/wanted" 2>/dev/null </dev/null
    wanted=$?
    run --force --report=json --output="$folder/report.json" -- "$@"
    expect "exit status of $1" $status $wanted
    check "the output of $1" cmp "$folder/out" "$folder/wanted"
    n=$(sed -n 's/.*"produced":\([0-9]*\),.*/\1/p' "$folder/report.json")
    [ "${n:-0}" -gt 10 ] || fail "$1: ${n:-no} events"
    grep -q '"dropped":0' "$folder/report.json" || fail "$1: drops"
}
same sort "$0"
same sed -n 's/a/b/gp' "$0"
same awk 'BEGIN { for (i = 0; i < 1000; i++) n += i % 7; print n }'
same find "${0%/*}" -name '*.sh'
same gzip -9c "$0"

# A program that walks its stack gets the locations of return addresses; a function that takes its own is not patched.
run --patch=. --force --report=json --output="$folder/report.json" -- "$walks"
expect "return addresses found" "$(cat "$folder/out")" "wrong 0"
grep -q '::descend",[^}]*"calls":6000,' "$folder/report.json" || fail "not 6000 calls of descend"
grep -q '"uses its return address":1' "$folder/report.json" || fail "CheckStackGuardState is patched"

# The runtimes of OCaml and SBCL cannot get the locations of return addresses: such programs are not patched, even where code
# and constants share a segment, and the reason is printed.
for functions in auto .; do
    run --patch=$functions --force --report=json --output="$folder/report.json" -- "$walks_alone"
    expect "return addresses kept" "$(cat "$folder/out")" "wrong 0"
    grep -q 'it is an OCaml program' "$folder/err" || fail "why it is not traced: $(cat "$folder/err")"
done

# Nor are programs that make threads by system calls of their own.
"$own_threads" 50 >"$folder/wanted"
for functions in auto .; do
    run --patch=$functions --force --report=json --output="$folder/report.json" -- "$own_threads" 50
    check "what threads without a place for our data give" cmp "$folder/out" "$folder/wanted"
    grep -q 'it makes threads by system calls of its own' "$folder/err" || fail "why it is not traced: $(cat "$folder/err")"
done

# libunwind's backtraces go through traced calls. Exceptions that it throws, ahead of the compiler's own unwinder, would not: such
# a program is not patched.
if [ "$unwinds" ]; then
    "$unwinds" 100 >"$folder/wanted"
    run --patch=. --max-overhead=off --force --report=json --output="$folder/report.json" -- "$unwinds" 100
    check "what libunwind finds" cmp "$folder/out" "$folder/wanted"
    grep -q '::descend",[^}]*"calls":2100,' "$folder/report.json" || fail "not 2100 calls of descend"
    run --patch=. --force --report=json --output="$folder/report.json" -- "$unwinds_first" 100
    check "what it throws" cmp "$folder/out" "$folder/wanted"
    grep -q 'it throws its exceptions by libunwind' "$folder/err" || fail "why it is not traced: $(cat "$folder/err")"
fi

# ringviz holds the texts by which it recognizes such programs, and is not taken for one.
run --patch=. --force --report=json --output="$folder/report.json" -- "$ringviz" --version
grep -q ' program: ' "$folder/err" && fail "ringviz takes itself for a program that is not patched: $(cat "$folder/err")"

# It is large enough for its code to be read on two CPUs: by no thread and no child of the program. On one, the plan is the same.
plan() { # NAME COMMAND...
    name=$1
    shift
    run --patch=. --states=on --force --report=json --output="$folder/$name.json" -- "$@"
    grep -q '"silent"' "$folder/$name.json" && fail "$name: our child is listed as the program's"
    sed -n 's/.*"patches":\({[^}]*}[^}]*}\).*/\1/p' "$folder/$name.json" >"$folder/$name"
}
export RINGVIZ_PLANS=off
plan on_two "$ringviz" --version
plan on_one taskset -c "$(taskset -pc $$ | sed 's/.*: *\([0-9]*\).*/\1/')" "$ringviz" --version
unset RINGVIZ_PLANS
check "patches found on one CPU" [ -s "$folder/on_one" ]
check "patches found on two CPUs" cmp "$folder/on_one" "$folder/on_two"

# The libraries of a small program are traced with it, and so is a replacement of mmap().
"$thin" 50 >"$folder/wanted"
for functions in auto .@thin; do
    run --patch=$functions --force --report=json --output="$folder/report.json" -- "$thin" 50
    check "the output of a thin program" cmp "$folder/out" "$folder/wanted"
    grep -q '::thin_step",[^}]*"calls":50,' "$folder/report.json" || fail "not 50 calls in a thin program's library"
done
run --force --report=json --output="$folder/report.json" -- "$thin_by_path" 50
grep -q '::thin_step",[^}]*"calls":50,' "$folder/report.json" || fail "not 50 calls in a library that is needed by its path"

# Programs of an interpreter are not traced: a message says so, for a script and for a program that the command starts.
cp "$fib" "$folder/python3.11"
ln -s python3.11 "$folder/snake"
printf '#!%s\n' "$folder/python3.11" >"$folder/app.py"
chmod +x "$folder/app.py"
for command in "$folder/python3.11 5" "$folder/snake 5" "$folder/app.py" "sh -c $folder/python3.11"; do
    # shellcheck disable=SC2086
    run --force --report --output="$folder/report" -- $command
    expect "$command: lines" "$(grep -c ': its native functions are traced; Python functions are not traced' "$folder/err")" 1
done
run --force --report --output="$folder/report" -- "$fib" 5
! grep -q 'native functions' "$folder/err" || fail "a program without an interpreter: $(cat "$folder/err")"
run --patch='^fib$' --force --report --output="$folder/report" -- "$folder/python3.11" 5
! grep -q 'native functions' "$folder/err" || fail "a hint though functions were chosen: $(cat "$folder/err")"

# Which functions are chosen.
events() {
    sed -n 's/.*"produced":\([0-9]*\),.*/\1/p' "$folder/report.json"
}
run --patch='^fib$' --force --report=json --output="$folder/report.json" -- "$fib" 10
expect "fib alone" "$(events)" $((2 * 177))
run --patch='^no such function$' --force --report=json --output="$folder/report.json" -- "$fib" 10
expect "no function" "$(events)" 0
run --patch=off --force --report=json --output="$folder/report.json" -- "$fib" 10
expect "off" "$(events)" 0
run --patch='(' -- "$fib"
expect "a bad pattern" $status 2
one_line "a bad pattern"

# Functions that a filter rejects by name are not patched at all.
counts() {
    sed -n 's/.*"patches":{"functions":[0-9]*,"patched":\([0-9]*\),"trivial":[0-9]*,"filtered":\([0-9]*\).*/\1 \2/p' \
        "$folder/report.json"
}
run --exclude='::fib$' --force --report=json --output="$folder/report.json" -- "$fib" 20
grep -q '::fib"' "$folder/report.json" && fail "--exclude: fib is there"
[ "$(events)" -lt 20 ] || fail "--exclude: $(events) events were written"
expect "--exclude: filtered" "$(counts | cut -d' ' -f2)" 1
run --include='::fib$' --force --report=json --output="$folder/report.json" -- "$fib" 10
expect "--include: filtered" "$(counts | cut -d' ' -f2)" 3
grep -q '::fib",[^}]*"calls":177,' "$folder/report.json" || fail "--include: not 177 calls of fib"
grep -q '::main"' "$folder/report.json" && fail "--include: main is there"

# A program that is several commands, by links to it, is called as it was started.
ln -s "$fib" "$folder/command"
for command in "$folder/command" ./command; do
    (cd "$folder" && run --include='^command::fib$' --force --report=json --output="$folder/report.json" -- "$command" 10)
    grep -q '"command::fib",[^}]*"calls":177,' "$folder/report.json" || fail "$command: $(cat "$folder/report.json")"
done
run --force --report=json --output="$folder/report.json" -- sh -c '"$1" 10; "$2" 10' sh "$fib" "$folder/command"
for command in "${fib##*/}" command; do
    grep -q "\"$command::fib\",[^}]*\"calls\":177," "$folder/report.json" || fail "one of two commands: no 177 calls of $command"
done

# Limits the depth; a program below a shell is patched too.
run --patch=. --max-depth=1 --force --report=json --output="$folder/report.json" -- "$fib" 10
grep -q '::fib"' "$folder/report.json" && fail "--max-depth: fib is there"
run --force --report=json --output="$folder/report.json" -- sh -c '"$1" 10 >/dev/null; exit 3' sh "$fib"
expect "status of a shell" $status 3
grep -q '::fib"' "$folder/report.json" || fail "below a shell: no fib"

# The plan for a program is kept for later processes and sessions, which are patched in the same way.
plans=$XDG_CACHE_HOME/ringviz/plans
seen() { # WHAT YES|NO: the next run of fib is patched by a plan that was kept; its counts are the same
    run --force --headless --verbose --output="$folder/report.json" --report=json -- "$fib" 10
    n=$(grep -c 'fib [0-9]*: traced by .*, found before' "$folder/err")
    expect "$1: found before" "$n" "$2"
    expect "$1: counts" "$(counts)" "$found"
}
run --force --report=json --output="$folder/report.json" -- "$fib" 10
found=$(counts)
seen "of an earlier session" 1
only_plan() {
    rm -rf "$plans" && run --force --headless --report=json --output="$folder/report.json" -- "$fib" 10
    set -- "$plans"/*
    [ $# -eq 1 ] || fail "other than one plan was written: $*"
    plan=$1
}
only_plan
expect "who may read a plan" "$(stat -c %a "$plan" "$plans" | xargs)" "600 700"
printf 'x' | dd of="$plan" bs=1 seek=200 conv=notrunc 2>/dev/null
seen "a plan with another byte" 0
seen "the same, written anew" 1
truncate -s -1 "$plan"
seen "a plan cut off" 0
chmod 620 "$plan"
seen "a plan that others may write" 0
only_plan
chmod 770 "$plans"
seen "a folder that others may write" 0
chmod 700 "$plans"
seen "a folder of its user" 1
mv "$plan" "$folder/plan"
ln -s "$folder/plan" "$plan"
seen "a link" 0
only_plan
export RINGVIZ_PLANS=off
seen "RINGVIZ_PLANS=off" 0
unset RINGVIZ_PLANS
printf '#!/bin/sh\nulimit -f 0\nexec "$@" >/dev/null\n' >"$folder/no_files"
rm -rf "$plans"
run --force --headless --verbose --report=json --output="$folder/report.json" -- sh "$folder/no_files" "$fib" 10
expect "a process that may not write files" $status 0
expect "its plans" "$(find "$plans" -type f | wc -l)" 0
oldest=$plans/00000000000000ff
touch -d '3 days ago' "$oldest" "$plans/of_others"
for i in $(seq 1000 1255); do : >"$plans/000000000000$i"; done
chmod 770 "$plans"
run --force --headless --report=json --output="$folder/report.json" -- true
[ -e "$oldest" ] || fail "plans were dropped from a folder that others may write"
chmod 700 "$plans"
run --force --headless --report=json --output="$folder/report.json" -- true
[ ! -e "$oldest" ] || fail "the oldest of 257 plans was kept"
[ -e "$plans/0000000000001000" ] || fail "the other plans were dropped"
[ -e "$plans/of_others" ] || fail "what is no plan was dropped"

# No plan is kept of a program that is an argument of the loader: plans are found by the file that runs, the loader's.
loader=$(sed -n 's/.* \(\/[^ ]*ld-linux[^ ]*\)$/\1/p' /proc/self/maps | head -n 1)
rm -rf "$plans"
run --force --headless --report=json --output="$folder/report.json" -- "$loader" "$fib" 10
expect "plans of what the loader is called with" "$(find "$plans" -type f | wc -l)" 0

# The way in which a program was traced is in the report and in recordings.
traced_by() {
    sed -n 's/.*plain_fib: \(patches of .*\)/\1/p' "$1"
}
run --force --report -- "$fib" 10
wanted=$(traced_by "$folder/out")
[ -n "$wanted" ] || fail "a report without what the program was traced by: $(cat "$folder/out")"
run --force --headless --record="$folder/fib.rvz" --verbose -- "$fib" 10
grep -q "traced by $wanted" "$folder/err" || fail "--verbose: $(cat "$folder/err")"
run --report "$folder/fib.rvz"
expect "a recording's" "$(traced_by "$folder/out")" "$wanted"
run --info "$folder/fib.rvz"
grep -q "traced by $wanted" "$folder/out" || fail "--info: $(cat "$folder/out")"
run --force --report=json --output="$folder/report.json" -- "$fib" 10
grep -q '"patches":{"functions":[1-9][0-9]*,"patched":[1-9]' "$folder/report.json" || fail "no patches in the JSON report"

# How much of a program can be patched.
run --bench=patch --json -- "$fib"
expect "exit status of --bench=patch" $status 0
grep -q '"patch.fit","unit":"functions","median":[1-9]' "$folder/out" || fail "--bench=patch: $(cat "$folder/out")"
run --bench=patch -- "$0"
expect "exit status of --bench=patch of a script" $status 1
one_line "--bench=patch of a script"

# An installation without the library that plans patches: an error names the library.
mkdir "$folder/bin" "$folder/lib"
cp "$ringviz" "$folder/bin/ringviz"
cp "${ringviz%/*}"/../lib/libringviz-cyg.so "${ringviz%/*}"/../lib/libringviz-attach.so "$folder/lib"
whole=$ringviz ringviz=$folder/bin/ringviz
missing='^ringviz: libringviz-patch.so was found neither beside ringviz nor in its library folder'
run --force --report=json --output="$folder/report.json" -- "$fib" 10
expect "exit status without the planner" $status 0
grep -q "$missing: programs without hooks are not traced$" "$folder/err" || fail "no planner: $(cat "$folder/err")"
run --headless --pid=$$
expect "exit status of --pid without the planner" $status 1
grep -q "$missing$" "$folder/err" || fail "no planner to attach with: $(cat "$folder/err")"
one_line "no planner to attach with"
ringviz=$whole
conclude
