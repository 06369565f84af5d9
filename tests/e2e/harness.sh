# Sourced by every command line test: makes a temporary folder, removed at the end, and counts failures:
# the test ends with `conclude`.
folder=$(mktemp -d)
export XDG_CACHE_HOME="$folder/cache"
trap 'rm -rf "$folder"' EXIT
n_failures=0

fail() {
    echo "FAILED: $*" >&2
    n_failures=$((n_failures + 1))
}

expect() { # WHAT GOT WANTED
    [ "$2" = "$3" ] || fail "$1: got '$2', expected '$3'"
}

check() { # WHAT COMMAND...: it succeeds
    checked=$1
    shift
    "$@" || fail "$checked"
}

run() { # OPTION...: ringviz, its streams in $folder/out and $folder/err, its status in $status
    timeout 100 "$ringviz" "$@" >"$folder/out" 2>"$folder/err" </dev/null
    status=$?
    sed -i '/until ringviz had read their events/d' "$folder/err" # printed where the machine is busy
}

begin_program() { # NAME PROGRAM ARGUMENT...: its input on 9, its output in $folder/program, its number in $pid
    begun=$folder/$1
    shift
    mkfifo "$begun"
    : >"$folder/program" # not of the one before, until the shell opens it
    "$@" <"$begun" >"$folder/program" 2>&1 &
    pid=$!
    exec 9>"$begun"
}

one_line() { # WHAT: what ringviz said last is one line
    [ "$(wc -l <"$folder/err")" -eq 1 ] || fail "$1: not one line: $(cat "$folder/err")"
}

uptime() { # in seconds, into $now: a machine that has just begun may set its calendar
    read -r now _ </proc/uptime
    now=${now%.*}
}

but_first() {
    shift
    "$@"
}

within() { # SECONDS COMMAND...: true as soon as the command is, false when it has not become so; it may wait itself
    uptime
    seconds=$1
    shift
    set -- $((now + seconds)) "$@"
    until but_first "$@"; do
        uptime
        [ "$now" -lt "$1" ] || return 1
        sleep 0.05
    done
}

conclude() {
    echo "$n_failures failures"
    [ $n_failures -eq 0 ]
}
