#!/bin/sh
# static_headers.sh RINGVIZ STATIC STATIC_PIE: a statically linked program with odd headers, which the kernel does not read,
# runs untraced; one with more relocations than are loaded ends as it does untraced.
set -u
ringviz=$1 static=$2 static_pie=$3
. "${0%/*}/harness.sh"
header_bytes=56 note=4 dynamic=2 relacount=1879048185

find_header() { # PROGRAM TYPE: where the first of this type is in the file, into $at
    at=64
    until [ "$(od -An -tu4 -j$at -N4 "$1" | tr -d ' ')" = "$2" ]; do
        at=$((at + header_bytes))
        [ $at -lt 1024 ] || { fail "$1 has no header of type $2"; return; }
    done
}

runs_untraced() { # PROGRAM TYPE OFFSET: with a byte of its header changed
    cp "$1" "$folder/odd"
    find_header "$1" "$2"
    printf '\057' | dd of="$folder/odd" bs=1 seek=$((at + $3)) conv=notrunc 2>/dev/null
    "$folder/odd" >"$folder/own"
    run --headless --patch=. -- "$folder/odd"
    expect "type $2: status" $status 0
    expect "type $2: output" "$(cat "$folder/out")" "$(cat "$folder/own")"
    grep -q 'not traced: the loader cannot read its headers$' "$folder/err" || fail "type $2: $(cat "$folder/err")"
}

runs_untraced "$static" $note 45 # 0x2f0000000000 bytes more
runs_untraced "$static_pie" $dynamic 23 # far from all that is loaded

number_at() { # PROGRAM OFFSET: 8 bytes
    od -An -tu8 -j"$2" -N8 "$1" | tr -d ' '
}
find_header "$static_pie" $dynamic
at=$(number_at "$static_pie" $((at + 8)))
until [ "$(number_at "$static_pie" $at)" = $relacount ]; do at=$((at + 16)); done
cp "$static_pie" "$folder/odd"
printf '\017' | dd of="$folder/odd" bs=1 seek=$((at + 11)) conv=notrunc 2>/dev/null # 0xf000000 more
("$folder/odd" >/dev/null 2>&1)
own=$?
run --headless --patch=. -- "$folder/odd"
expect "relocations: status" $status $own
conclude
