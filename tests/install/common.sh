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

# must COMMAND...: quiet when it works.
must() {
    "$@" >"$dir/log" 2>&1 && return
    cat "$dir/log"
    fail "$*"
}

# counts RINGVIZ NAME CALLS PROGRAM: the report of the program has so many calls of the subroutine.
counts() {
    "$1" --report=json --output="$dir/report" -- "$4" >"$dir/log" 2>&1 || {
        cat "$dir/log"
        fail "$1 --report -- $4"
    }
    grep -Eq "\"name\": ?\"[^\"]*$2[^\"]*\"[^}]*\"calls\": ?$3," "$dir/report" && return
    cat "$dir/log" "$dir/report"
    fail "$4: not $3 calls of $2"
}
