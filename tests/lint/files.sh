#!/bin/sh
# files.sh ROOT: no file holds a note of unfinished work, and none that is in git lies where none belongs.
cd "$1" || exit 1

list() {
    for folder in src include tests shaders assets; do
        [ ! -d "$folder" ] || find "$folder" -type f -not -path '*/corpus/*' -not -path '*/data/*' -not -path 'tests/lint/*'
    done
}
written=$(list | grep -E '\.(c|h|[ch]pp|sh|awk|vert|frag|cmake|txt|in|1)$|/completion/' | sort)
[ -n "$written" ] || { echo "no files found"; exit 1; }
stray=$(git ls-files 2>/dev/null | sed 's|/.*||' | sort -u |
    grep -vxE '\.ci|\.clang-(format|tidy)|\.gitignore|CMake(Lists\.txt|Presets\.json)|LICENSE|README\.md|assets|include|shaders|src|tests')
[ -z "$stray" ] || { echo "not of the top level: $stray"; exit 1; }
# shellcheck disable=SC2086
! grep -nwE 'TODO|FIXME|XXX' $written /dev/null
