#!/bin/sh
# hostile.sh RINGVIZ [PROGRAM]: a file that is not a complete trace file of the user gets one clear line on stderr and exit status 1;
# one damaged after its header is read without harm.
set -u
ringviz=$1
program=${2:-true} # what writes the good file
watch="--headless --duration=100ms"
. "${0%/*}/harness.sh"

look_at() { # OPTIONS FILE
    # shellcheck disable=SC2086
    run $1 "$2"
}

refused() { # FILE WHAT
    for option in --info "$watch"; do
        look_at "$option" "$1"
        [ $status -eq 1 ] || fail "$2, $option: exit status $status"
        one_line "$2, $option"
        case $(cat "$folder/err") in
        "ringviz: $1: "?*) ;;
        *) fail "$2, $option: $(cat "$folder/err")" ;;
        esac
        [ -s "$folder/out" ] && fail "$2, $option: wrote to stdout"
    done
}

harmless() { # OPTIONS FILE WHAT: read or refused, but neither killed nor endless
    look_at "$1" "$2"
    [ $status -le 1 ] || fail "$3, $1: exit status $status: $(tail -n 3 "$folder/err")"
}

copy() { # NAME: a new copy of the good file, as sparse as it
    cp --sparse=always "$folder/good" "$folder/$1"
}

poke() { # NAME OFFSET BYTES, as printf has them
    printf "$3" | dd of="$folder/$1" bs=1 seek=$(($2)) conv=notrunc 2>/dev/null
}

timeout 60 "$ringviz" --trace-file="$folder/good" --rings=4 --ring-events=4096 --headless -- "$program" >/dev/null 2>&1
look_at --info "$folder/good"
[ $status -eq 0 ] || fail "the good file: exit status $status: $(cat "$folder/err")"

# Truncated, empty, foreign.
: >"$folder/empty"
refused "$folder/empty" "empty"
for format in perf strace folded chrome; do
    look_at "--report --import=$format" "$folder/empty"
    [ $status -eq 1 ] || fail "empty, as $format: exit status $status"
    one_line "empty, as $format"
done
for n_bytes in 1 100 4095 4096 65536; do
    head -c $n_bytes "$folder/good" >"$folder/short"
    refused "$folder/short" "cut to $n_bytes bytes"
done
copy almost
truncate -s -1 "$folder/almost"
refused "$folder/almost" "one byte short"
yes ringviz | head -c 100000 >"$folder/text"
refused "$folder/text" "text"
head -c 100000 /dev/zero >"$folder/zeros"
refused "$folder/zeros" "zeros"
refused "$ringviz" "a program"

# Of another version, byte order or format.
copy magic && poke magic 0 'X' && refused "$folder/magic" "wrong magic"
copy major && poke major 8 '\377' && refused "$folder/major" "another major version"
copy endian && poke endian 12 '\001\002\003\004' && refused "$folder/endian" "another byte order"
copy feature && poke feature 20 '\200' && refused "$folder/feature" "an unknown feature"

# Wrong kinds of files, owners, links.
refused "$folder/absent" "absent"
refused "$folder" "a folder"
mkfifo "$folder/pipe"
refused "$folder/pipe" "a pipe"
refused /dev/zero "a device"
ln -s good "$folder/link"
refused "$folder/link" "a symbolic link"
if [ "$(id -u)" -eq 0 ]; then
    copy foreign && chown 12345 "$folder/foreign"
    refused "$folder/foreign" "another user's"
fi

# Geometry: each word of 8 bytes in the header, from byte 16 on, set to all ones, to zero, and with its low byte at 1.
offset=16
while [ $offset -lt 264 ]; do
    for bytes in '\377\377\377\377\377\377\377\377' '\001' '\000\000\000\000\000\000\000\000'; do
        copy geometry && poke geometry $offset "$bytes" && harmless --info "$folder/geometry" "header bytes $offset as $bytes"
    done
    offset=$((offset + 8))
done
copy areas && poke areas 32 '\377\377\377\377\377\377\377\377' && refused "$folder/areas" "an area outside of the file"

# Content: noise over each part after the header.
n_bytes=$(stat -c %s "$folder/good")
for part in 1 2 3 4 5 6 7 8 9 10 11 12; do
    copy noise
    head -c 200000 /dev/urandom |
        dd of="$folder/noise" bs=4096 seek=$((1 + (n_bytes / 4096 - 50) * (part - 1) / 12)) conv=notrunc 2>/dev/null
    harmless --info "$folder/noise" "noise in part $part"
    harmless "$watch" "$folder/noise" "noise in part $part"
done
copy life
head -c 3584 /dev/urandom | dd of="$folder/life" bs=512 seek=1 conv=notrunc 2>/dev/null
harmless --info "$folder/life" "noise in the header's life"

# Truncated during the capture, after the program's calls: one line, and the report of the data read.
mkfifo "$folder/input"
calling='"$1" 20; cat; exit 0'
timeout 100 "$ringviz" --patch=off --trace-file="$folder/cut" --report=json --output="$folder/cut.json" --headless -- \
    sh -c "$calling" sh "$program" >"$folder/out" 2>"$folder/err" <"$folder/input" &
watcher=$!
exec 3>"$folder/input"
is_read() {
    "$ringviz" --info "$folder/cut" 2>/dev/null | grep -q '^rings given back *[0-9]* *[1-9]'
}
within 60 is_read || fail "ringviz reads no ring"
truncate -s 0 "$folder/cut"
within 60 [ -s "$folder/err" ] || fail "cut short while watched: nothing is said"
exec 3>&-
wait $watcher
status=$?
[ $status -eq 1 ] || fail "cut short while watched: exit status $status"
[ "$(cat "$folder/err")" = "ringviz: $folder/cut: was truncated while it was read" ] ||
    fail "cut short while watched: $(cat "$folder/err")"
grep -q '::fib",' "$folder/cut.json" || fail "cut short while watched: no report of what was read"

conclude
