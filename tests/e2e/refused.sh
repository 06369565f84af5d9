#!/bin/sh
# refused.sh RINGVIZ PROGRAM FIB STARTS: a program that becomes another user is not traced, which is reported: its forked
# children, and programs that it starts.
set -u
ringviz=$1 program=$2 fib=$3 starts=$4
. "${0%/*}/harness.sh"

[ "$(id -u)" -eq 0 ] || exit 77
cp "$program" "$folder/program"
chmod 755 "$folder"
"$folder/program" >/dev/null
[ $? -ne 2 ] || exit 77 # a root that may not become another user
run --report=csv -- "$folder/program"
expect "status" $status 0
grep -q '^COUNT call 11$' "$folder/out" || fail "the program differs: $(cat "$folder/out")"
grep -q '^ringviz: 2 times a thread found no ring' "$folder/err" || fail "threads without a ring are not reported: $(cat "$folder/err")"
grep -q '^[^,]*call,.*,1,' "$folder/out" || fail "the parent's call is missing: $(cat "$folder/out")"

cp "$fib" "$folder/fib"
nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
for started in "$nobody $folder/fib" "$folder/fib; $nobody $folder/fib"; do
    run --report=csv --force --output="$folder/report" -- sh -c "$started"
    expect "$started: status" $status 0
    grep -q '^ringviz: 1 time a process became another user' "$folder/err" || fail "$started: $(cat "$folder/err")"
    # setpriv itself has no symbols, and a message says so.
    expect "$started: lines" "$(grep -vc ': few of its functions have names' "$folder/err")" 1
done
run --report=json --fail-on-loss -- sh -c "$folder/fib; $nobody $folder/fib; $nobody $folder/fib"
expect "status with --fail-on-loss" $status 1
grep -q '"processes_refused":2' "$folder/out" || fail "not in the report: $(head -c 300 "$folder/out")"
run --report=csv --force --output="$folder/report" -- sh -c "$folder/fib"
expect "nobody became another user" "$(cat "$folder/err")" ""
rm "$folder/report"
# Ruby with another user's rights takes no options that load something.
ruby=$folder/ruby
echo 'def call = puts(Process.euid)
call' >"$folder/euid.rb"
cp "$(readlink -f "$(command -v ruby)")" "$ruby" && chown 65534 "$ruby" && chmod 4755 "$ruby"
if [ "$("$ruby" "$folder/euid.rb")" = 65534 ]; then
    run --report=csv -- "$ruby" "$folder/euid.rb"
    expect "a set-user-ID ruby: status" $status 0
    expect "a set-user-ID ruby" "$(head -n 1 "$folder/out")" 65534
    grep -q 'made no traced call: it is set-user-ID' "$folder/err" || fail "a set-user-ID ruby: $(cat "$folder/err")"
fi
# However it is started, and below another such program, with the options that are not ours.
if [ "$("$ruby" "$folder/euid.rb")" = 65534 ]; then
    run --report=csv -- sh -c "'$starts' '$folder' ruby"
    expect "started in each way: status" $status 0
    ! grep -q 'no -r allowed' "$folder/err" || fail "started in each way: $(cat "$folder/err")"
    printf '#!%s\nputs Process.euid, ENV["RUBYOPT"]' "$(command -v ruby)" >"$folder/euid.rb"
    chmod 755 "$folder/euid.rb"
    cp "$starts" "$folder/starts" && chown 65534 "$folder/starts" && chmod 4755 "$folder/starts"
    export RUBYOPT=-W:no-deprecated
    "$folder/starts" "$folder" euid.rb >"$folder/plain"
    expect "plain: other user's" "$(grep -c 65534 "$folder/plain")" 10
    run --report=csv --output="$folder/report" -- sh -c "'$folder/starts' '$folder' euid.rb"
    expect "below a set-user-ID program" "$(cat "$folder/out")" "$(cat "$folder/plain")"
    unset RUBYOPT
fi
rm -f "$ruby" "$folder/euid.rb" "$folder/starts" "$folder/plain" "$folder/report"
run --trace-file="$folder/trace" --report=csv -- sh -c "$nobody $folder/fib"
expect "the count is removed" "$(ls -I cache "$folder" | tr '\n' ' ')" "err fib out program trace "
conclude
