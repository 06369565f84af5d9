#!/bin/sh
# film.sh RINGVIZ PROGRAM: a film has the expected number of pictures of the requested size; existing
# files stay.
set -u
ringviz=$1 program=$2
. "${0%/*}/harness.sh"

film() {
    timeout 60 "$ringviz" --size=160x120 --window=10us --to=426us --fps=240 --speed=0.01 "$@" -- "$program" \
        >"$folder/out" 2>"$folder/err"
}

# 416 us of the run, a hundred times slower, 240 pictures a second: one in 41.7 us, the first and the last included.
film --video="$folder/run.y4m" --frames="$folder/frames" || fail "filming: $(cat "$folder/err")"
[ "$(head -n 1 "$folder/run.y4m")" = "YUV4MPEG2 W160 H120 F240:1 Ip A1:1 C444 XCOLORRANGE=LIMITED" ] || fail "the video has another head"
head_bytes=$(head -n 1 "$folder/run.y4m" | wc -c)
n=$(($(wc -c <"$folder/run.y4m") - head_bytes))
[ "$n" -eq $((11 * (6 + 3 * 160 * 120))) ] || fail "the video has $n bytes of pictures"
[ "$(ls "$folder/frames" | wc -l)" -eq 11 ] || fail "the folder has $(ls "$folder/frames")"
[ "$(file -b "$folder/frames/frame-000011.png" | cut -d, -f1-2)" = "PNG image data, 160 x 120" ] || fail "the last picture has another form: $(file -b "$folder/frames/frame-000011.png")"
cmp -s "$folder/frames/frame-000001.png" "$folder/frames/frame-000009.png" && fail "nothing moves"

# Pictures show the bookmarks beside a recording.
run --headless --record="$folder/run.rvz" -- "$program"
picture() { # NAME
    run --screenshot="$folder/$1.png" --size=320x200 "$folder/run.rvz"
    expect "picture $1" $status 0
}
picture plain
echo "100us = here" >"$folder/run.rvz.bookmarks"
picture marked
cmp -s "$folder/plain.png" "$folder/marked.png" && fail "a bookmark is not drawn"
expect "the bookmarks after a picture" "$(cat "$folder/run.rvz.bookmarks")" "100us = here"
rm "$folder/run.rvz.bookmarks"
picture again
cmp -s "$folder/plain.png" "$folder/again.png" || fail "two pictures of a recording differ"

film --video="$folder/run.y4m" && fail "a video was overwritten"
grep -q "run.y4m: exists; use --force to overwrite it" "$folder/err" || fail "said: $(cat "$folder/err")"
film --frames="$folder/frames" && fail "a folder was written into"
grep -q "is not empty; --force writes into it" "$folder/err" || fail "said: $(cat "$folder/err")"
film --force --frames="$folder/frames" --video=- || fail "with --force: $(cat "$folder/err")"
grep -aq "^YUV4MPEG2 " "$folder/out" || fail "no video in the pipe"
film --frames="$folder/full" --video=/dev/full && fail "a film on a full disk"
expect "pictures until the disk is full" "$(ls "$folder/full" | wc -l)" 1
one_line "a film on a full disk"
grep -q "No space left" "$folder/err" || fail "a film on a full disk: $(cat "$folder/err")"
run --size=64x64 --screenshot=/dev/full -- "$program"
expect "a picture on a full disk" $status 1
grep -qi opengl "$folder/err" || expect "a picture on a full disk" "$(cat "$folder/err")" \
    "ringviz: /dev/full: No space left on device"
film --frames="$folder/none/such" && fail "a film into a folder that is not there succeeds"
one_line "a folder in none"
timeout 60 "$ringviz" --size=64x64 --to=300ms --window=100us --speed=100 --video=- -- "$program" >"$folder/out" 2>"$folder/err"
grep -aq "^YUV4MPEG2 W64 H64 F30:1 " "$folder/out" || fail "a film has 30 pictures a second: $(cat "$folder/err")"
timeout 60 "$ringviz" --speed=1 -- "$program" 2>"$folder/err"
[ $? -eq 2 ] || fail "--speed is accepted for a command without a film"
one_line "--speed for a command without a film"
for bad in --fps=0 --speed=nan --speed=0 --speed=0.0099 --speed=1001 --speed=1x; do
    timeout 60 "$ringviz" "$bad" --frames="$folder/frames" -- "$program" 2>/dev/null
    [ $? -eq 2 ] || fail "$bad"
done
conclude
