#!/bin/sh
# circles.sh ROOT: files of a room include one another in circles only around a whole that needs its parts and that its parts
# need: one of the table of wholes in src/README.md, which lists no other file.
cd "$1" || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# "part whole" for each include within a room; a file and its header are one.
find src -type f \( -name '*.[ch]' -o -name '*.[ch]pp' \) | sort | xargs awk '
function unit_of(path) {
    sub(/^src\//, "", path)
    sub(/\.[a-z]+$/, "", path)
    return path
}
function room_of(unit) {
    sub(/\/[^\/]*$/, "", unit)
    return unit
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, parts, "\"")
    from = unit_of(FILENAME)
    to = unit_of(parts[2])
    if (from != to && room_of(from) == room_of(to))
        print from, to
}' | sort -u >"$dir/includes"
sed -n '/^| whole |/,/^$/s/^| `\([a-z_\/]*\)` | .*/\1/p' src/README.md >"$dir/wholes"

# without FILE: the includes that neither begin nor end in a line of FILE.
without() {
    awk -v list="$1" 'BEGIN { while ((getline file <list) > 0) gone[file] } !($1 in gone) && !($2 in gone)' "$dir/includes"
}

bad=0
if ! without "$dir/wholes" | tsort >/dev/null 2>"$dir/said"; then
    sed 's/^tsort: -: input contains a loop:/include one another in a circle:/; s/^tsort: //' "$dir/said"
    bad=1
fi
while read -r whole; do
    grep -vx "$whole" "$dir/wholes" >"$dir/others"
    if without "$dir/others" | tsort >/dev/null 2>&1; then
        echo "src/README.md: $whole is in no circle"
        bad=1
    fi
done <"$dir/wholes"
exit $bad
