#!/bin/sh
# files.sh ROOT: no file holds a note of unfinished work.
cd "$1" || exit 1
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
    case $file in
    tests/lint/*) ;;
    *) grep -nwE 'TODO|FIXME|XXX' "$file" /dev/null && fail "$file: unfinished" ;;
    esac
done
[ "$n_bad" -eq 0 ]
