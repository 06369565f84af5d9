#!/bin/sh
# formats.sh BINARY ROOT: each import format of --help is in ringviz-formats(7) and has a sample with the calls it must
# give; each export is in ringviz-formats(7).
binary=$1
cd "$2" || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

words() { # OPTION: the names that --help lists for it
    "$binary" --help="$1" | tr '\n' ' ' | sed 's/.*\(does not tell:\|FORMAT being\) *\([^.]*\)\..*/\2/' | tr -d ','
}

paragraphs() { # SECTION: the first words of its paragraphs
    sed -n "/^\.SH $1/,/^\.SH/p" assets/ringviz-formats.7 | grep -A1 '^\.TP' | sed -n 's/^\\&\\fB\([a-z]*\)\\fR.*/\1/p'
}

# Read from a running program: the tests start one that writes it (e2e/imports, e2e/rrtrace, e2e/perl_pid).
is_live() {
    case $1 in uftrace | ringbuffer | rrtrace | perl) return 0 ;; esac
    return 1
}

sample() { # FORMAT: the ending of its samples
    [ "$1" = chrome ] && echo json || echo "$1"
}

{
    for format in $(words --import); do
        echo import >>"$dir/seen"
        paragraphs "OTHER TOOLS" | grep -qx "$format" || echo "import $format is not in ringviz-formats(7)"
        is_live "$format" || [ -n "$(find tests/data/imports -name "*.$(sample "$format").spans")" ] ||
            echo "import $format has no sample in tests/data/imports"
    done
    for format in $(words --export); do
        echo export >>"$dir/seen"
        paragraphs EXPORTS | grep -qx "$format" || echo "export $format is not in ringviz-formats(7)"
    done
    for kind in import export; do
        grep -q $kind "$dir/seen" || echo "no $kind format"
    done
} >"$dir/missing" 2>&1
cat "$dir/missing"
[ ! -s "$dir/missing" ]
