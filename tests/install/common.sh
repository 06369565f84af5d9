# Sourced by the tests of this folder: BUILD, SOURCE and an empty folder that goes away at the end.
build=$1
source=$2
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
unset RINGVIZ_FILE LD_PRELOAD LD_LIBRARY_PATH

fail() {
    echo "FAILED: $*"
    exit 1
}

# must COMMAND...: run COMMAND, showing its output only on failure.
must() {
    "$@" >"$dir/log" 2>&1 && return
    cat "$dir/log"
    fail "$*"
}

# counts RINGVIZ NAME CALLS PROGRAM [ARG...]: the report of PROGRAM must have CALLS calls of NAME.
counts() {
    ringviz_=$1 name_=$2 calls_=$3
    shift 3
    "$ringviz_" --report=json --force --output="$dir/report" -- "$@" >"$dir/log" 2>&1 || {
        cat "$dir/log"
        fail "$ringviz_ --report -- $*"
    }
    grep -Eq "\"name\": ?\"[^\"]*$name_[^\"]*\"[^}]*\"calls\": ?$calls_," "$dir/report" && return
    cat "$dir/log" "$dir/report"
    fail "$*: not $calls_ calls of $name_"
}

# draws RINGVIZ: it finds its window module
draws() {
    must env -u DISPLAY "$1" --screenshot="$dir/picture.png" "$source/tests/data/imports/stacks.folded"
    rm "$dir/picture.png" || fail "no picture"
}

# Is the producer of the language in the build?
has_ruby() {
    find "$build/lib/ruby" -name ringviz.so 2>/dev/null | grep -q .
}
has_perl() {
    find "$build/lib/perl" -name RingViz.so 2>/dev/null | grep -q .
}
