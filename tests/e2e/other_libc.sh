#!/bin/sh
# other_libc.sh RINGVIZ: a program of another C library runs untraced, without an error, when a traced program starts it.
set -u
ringviz=$1
. "${0%/*}/harness.sh"

command -v musl-gcc >/dev/null || { echo "musl-gcc is not installed"; exit 77; }
printf '#include <stdio.h>\nint main(void) { puts("hello"); return 7; }\n' >"$folder/hello.c"
check "build" musl-gcc -o "$folder/hello" "$folder/hello.c"
for command in "$folder/hello" "exec $folder/hello" "setsid $folder/hello"; do
    run --headless -- sh -c "$command"
    expect "$command: status" $status 7
    expect "$command: output" "$(cat "$folder/out")" hello
    grep -q "^ringviz: 1 time a program was started .*; $folder/hello uses another C library than GNU's" "$folder/err" ||
        fail "$command: $(cat "$folder/err")"
    one_line "$command: neither it nor its loader complains"
done
conclude
