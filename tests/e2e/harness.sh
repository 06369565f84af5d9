# What every test of the command line begins with; sourced. A folder of its own, gone at the end, and failures counted:
# the test ends with `[ $n_failures -eq 0 ]`.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
n_failures=0

fail() {
    echo "FAILED: $*" >&2
    n_failures=$((n_failures + 1))
}

expect() { # WHAT GOT WANTED
    [ "$2" = "$3" ] || fail "$1: got '$2', expected '$3'"
}

run() { # OPTION...: ringviz, its streams in $folder/out and $folder/err, its status in $status
    timeout 100 "$ringviz" "$@" >"$folder/out" 2>"$folder/err"
    status=$?
}
