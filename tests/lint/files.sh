#!/bin/sh
# files.sh ROOT: no file holds a note of unfinished work, none that is in git lies where none belongs, and lines of headers
# are no longer than the formatter lets code be (its 120 columns are not for comments); tables of texts are.
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
headers=$(printf '%s\n' "$written" | grep '\.h$' | grep -v '_rows\.h$')
# shellcheck disable=SC2086
long=$(LC_ALL=C.UTF-8 grep -nE '^.{121,}' $headers /dev/null)
[ -z "$long" ] || { echo "longer than 120 columns:"; printf '%s\n' "$long"; exit 1; }
# shellcheck disable=SC2086
! grep -nwE 'TODO|FIXME|XXX' $written /dev/null
