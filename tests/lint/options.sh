#!/bin/sh
# options.sh BINARY ROOT: --help, the man page and both completions name the same options, the README none besides; --help
# and the man page name the same keys with the same words.
binary=$1
cd "$2" || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n_bad=0

# Options are two dashes and a word; duplicates and order do not matter.
options() {
    grep -oE -- '--[a-z][a-z-]*' | sort -u
}

"$binary" --help >"$dir/text" || { echo "$binary --help failed"; exit 1; }
grep -E '^ +--' "$dir/text" | sed 's/^ *\(--[a-z-]*\).*/\1/' | options >"$dir/help"
[ -s "$dir/help" ] || { echo "--help names no option"; exit 1; }

sed -n '/^\.SH OPTIONS/,/^\.SH [^O]/p' assets/ringviz.1 | sed 's/\\-/-/g' | options >"$dir/man page"
grep -E '^\||^ringviz' README.md | sed 's/ -- .*//' | options >"$dir/README"
[ -s "$dir/README" ] || { echo "the README names no option"; exit 1; }
options <assets/completion/ringviz.bash >"$dir/bash completion"
options <assets/completion/_ringviz >"$dir/zsh completion"

for place in "man page" "bash completion" "zsh completion"; do
    for option in $(comm -23 "$dir/help" "$dir/$place"); do
        echo "$option is in --help and not in the $place"
        n_bad=$((n_bad + 1))
    done
done
for place in "man page" README "bash completion" "zsh completion"; do
    for option in $(comm -13 "$dir/help" "$dir/$place"); do
        echo "$option is in the $place and not in --help"
        n_bad=$((n_bad + 1))
    done
done

# One action a line: its keys, a tab, what it does.
sed -n '/^In the window:/,/^$/p' "$dir/text" | sed -n 's/^  \(.*[^ ]\)   *\([^ ].*\)$/\1\t\2/p' | sort >"$dir/help"
[ -s "$dir/help" ] || { echo "--help names no key"; exit 1; }
sed -n '/^\.SH KEYS/,/^\.SH [^K]/p' assets/ringviz.1 |
    sed -n 's/^\.K "\(.*\)" "\(.*\)"$/\1\t\2/p' | sort >"$dir/man page"
diff "$dir/help" "$dir/man page" >"$dir/diff" || {
    echo "keys in --help (<) and in the man page (>):"
    cat "$dir/diff"
    n_bad=$((n_bad + 1))
}
[ "$n_bad" -eq 0 ]
