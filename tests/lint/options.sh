#!/bin/sh
# options.sh BINARY ROOT: options, their arguments and keys in the README are those of --help and --help=keys. Man page and
# completions are made from the same tables.
binary=$1
cd "$2" || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# Options are two dashes and a word; duplicates and order do not matter.
options() {
    grep -oE -- '--[a-z][a-z-]*' | sort -u
}

# unknown WHAT: lines of $dir/readme that $dir/help lacks.
unknown() {
    [ -s "$dir/help" ] && [ -s "$dir/readme" ] || echo "no $1"
    comm -13 "$dir/help" "$dir/readme" | sed "s/.*/$1 & is in the README and not in --help/"
}

{
    "$binary" --help | grep -oE '^ +--[a-z-]+' | options >"$dir/help"
    grep -E '^\||ringviz --' README.md | sed 's/ -- .*//; s/ffmpeg.*//; s/$(pkg-config [^)]*)//' | options >"$dir/readme"
    unknown option

    "$binary" --help | sed -n 's/^  \(--[^ ]*\).*/\1/p' | sort -u >"$dir/help"
    grep -E '^\| `--' README.md | sed 's/\\|/!/g' | cut -d'|' -f2 | grep -oE -- '`--[a-z-]+(=|\[)[^`]*`' | tr -d "\`'" |
        tr '!' '|' | sort -u >"$dir/readme"
    unknown argument

    "$binary" --help=keys | sed -n 's/^  \([^ ].*[^ ]\|[^ ]\)   *[^ ].*/\1/p' | sed 's/, /\n/g' | sort -u >"$dir/help"
    sed -n '/^| key /,/^$/p' README.md | cut -d'|' -f2 | grep -oE '`[^`]+`' | tr -d '`' | sort -u >"$dir/readme"
    unknown key
} >"$dir/unknown"
cat "$dir/unknown"
[ ! -s "$dir/unknown" ]
