#!/bin/sh
# files.sh ROOT: no file is longer than 600 lines, but for the manual, which is as long as there is to tell; no two share
# a base name, none holds a note of unfinished work.
cd "$1" || exit 1
max_lines=600
n_bad=0
fail() {
    echo "$1"
    n_bad=$((n_bad + 1))
}

list() {
    for folder in src include tests shaders assets; do
        [ ! -d "$folder" ] || find "$folder" -type f -not -path '*/corpus/*' -not -path '*/data/*'
    done
}
written=$(list | grep -E '\.(c|h|cpp|sh|awk|vert|frag|cmake|txt|in|1)$|/completion/' | sort)
[ -n "$written" ] || fail "no files found"

for file in $written; do
    n_lines=$(wc -l <"$file")
    case $file in
    *.1) ;;
    *) [ "$n_lines" -le "$max_lines" ] || fail "$file: $n_lines lines, more than $max_lines" ;;
    esac
    case $file in
    tests/lint/*) ;;
    *) grep -nwE 'TODO|FIXME|XXX' "$file" /dev/null && fail "$file: unfinished" ;;
    esac
done

# One noun, one .c and one .h. Benchmarks are named after what they measure.
shared=$(echo "$written" | grep -E '^(src|include)/.*\.(c|h|cpp)$' | grep -v '^src/bench/' | sed 's|.*/||' | sort | uniq -d)
for name in $shared; do
    fail "$name: more than one file has this name"
done
[ "$n_bad" -eq 0 ]
