#!/bin/sh
# options.sh BINARY ROOT: the README names no option that --help lacks. Man page and completions are made from its table.
binary=$1
cd "$2" || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# Options are two dashes and a word; duplicates and order do not matter.
options() {
    grep -oE -- '--[a-z][a-z-]*' | sort -u
}

"$binary" --help | grep -oE '^ +--[a-z-]+' | options >"$dir/help"
grep -E '^\||ringviz --' README.md | sed 's/ -- .*//; s/ffmpeg.*//; s/$(pkg-config [^)]*)//' | options >"$dir/README"
for list in help README; do
    [ -s "$dir/$list" ] || { echo "no option in $list"; exit 1; }
done
comm -13 "$dir/help" "$dir/README" | sed 's/$/ is in the README and not in --help/' >"$dir/unknown"
cat "$dir/unknown"
[ ! -s "$dir/unknown" ]
