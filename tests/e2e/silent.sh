#!/bin/sh
# silent.sh RINGVIZ: before a terminal, the reason why no call comes is said while the program runs, once.
set -u
ringviz=$1
. "${0%/*}/harness.sh"

cat >"$folder/waits.sh" <<END
#!/bin/sh
while [ ! -e "$folder/go" ]; do :; done
END
chmod +x "$folder/waits.sh"

script -qefc "timeout 100 '$ringviz' --headless -- '$folder/waits.sh'" "$folder/said" >/dev/null </dev/null &
within 60 grep -q 'so far, .*waits.sh made no traced call: shell functions are not traced' "$folder/said" ||
    fail "the reason is not said while it runs: $(cat "$folder/said")"
: >"$folder/go"
wait
expect 'reasons' "$(grep -c 'made no traced call' "$folder/said")" 1
run --headless -- "$folder/waits.sh"
expect 'without a terminal, at the end' "$(grep -c '^ringviz: [^ ]*waits.sh made no traced call' "$folder/err")" 1
conclude
