#!/bin/sh
# not_preloaded.sh RINGVIZ PROGRAM: programs that the loader preloads nothing into are counted, however they are started:
# set-user-ID programs, and those in another root or mount namespace.
set -u
ringviz=$1 program=$2
. "${0%/*}/harness.sh"

[ "$(id -u)" -eq 0 ] || exit 77
chmod 755 "$folder"
cp "$program" "$folder/plain"
cp "$program" "$folder/changes_user"
chown 65534 "$folder/changes_user"
chmod 4755 "$folder/changes_user"
"$folder/changes_user"
[ $? -eq 1 ] || exit 77 # set-user-ID has no effect here

expect_counted() { # WHAT N
    times=times
    [ "$2" -ne 1 ] || times=time
    grep -q "^ringviz: $2 $times a program was started that nothing can be preloaded into" "$folder/err" ||
        fail "$1: $(cat "$folder/err")"
    expect "$1: in the report" "$(grep -o '"programs_not_preloaded":[0-9]*' "$folder/out")" "\"programs_not_preloaded\":$2"
}

run --report=json --fail-on-loss -- "$program" "$folder" changes_user
expect "each way to start it: status" $status 1
expect_counted "each way to start it" 11
grep -q "; [^;]*changes_user is set-user-ID, set-group-ID or has capabilities" "$folder/err" ||
    fail "the program is not named: $(cat "$folder/err")"

for name in plain absent; do
    run --report=json -- "$program" "$folder" $name
    expect "$name: status" $status 0
    ! grep -q preloaded "$folder/out" "$folder/err" || fail "$name: $(cat "$folder/err")"
done
run --report=json -- setpriv --no-new-privs "$folder/changes_user"
expect "without new privileges: status" $status 0
! grep -q 'be preloaded' "$folder/err" || fail "without new privileges: $(cat "$folder/err")"

# The loader prints a message of its own, too.
mkdir "$folder/root"
ldd "$program" | grep -o '/[^ ]*' | xargs cp -L --parents -t "$folder/root"
cp "$program" "$folder/root"
run --report=json -- chroot "$folder/root" "/${program##*/}"
expect "another root: status" $status 0
expect_counted "another root" 1
grep -q "; /${program##*/} was started in another root" "$folder/err" || fail "it is not named: $(cat "$folder/err")"

# Neither is one for another machine.
cp "$program" "$folder/foreign"
printf '\267' | dd of="$folder/foreign" bs=1 seek=18 conv=notrunc 2>/dev/null
run --report=json -- sh -c '"$1"; "$1"; true' sh "$folder/foreign"
expect_counted "another machine" 2
grep -q "; $folder/foreign is for another machine" "$folder/err" || fail "it is not named: $(cat "$folder/err")"

mkdir "$folder/hidden"
if unshare -m mount -t tmpfs none "$folder/hidden" 2>/dev/null; then
    run --report=json --trace-file="$folder/hidden/trace" -- unshare -m sh -c \
        "mount -t tmpfs none '$folder/hidden'; '$folder/plain'; exec '$folder/plain'"
    expect "another mount namespace: status" $status 0
    expect_counted "another mount namespace" 2
fi
conclude
