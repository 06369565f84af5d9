#!/bin/sh
# windowless.sh RINGVIZ HOOKS PROGRAM: ringviz needs no library of the window before it draws. Without the window
# module it reports what is missing before anything runs; with one that cannot be loaded, the program runs all the same.
set -u
ringviz=$1 hooks=$2 program=$3
. "${0%/*}/harness.sh"
cd "$folder" || exit 1

expect "libraries" "$(ldd "$ringviz" | grep -E 'SDL|GL|freetype|imgui|png|wayland|X11')" ""
# loaded LIBRARY ARGUMENT...: is it loaded by this run?
loaded() {
    library=$1
    shift
    LD_DEBUG=files timeout 100 "$ringviz" "$@" 2>&1 </dev/null | grep -q "calling init:.*$library"
}
for library in libstdc++ libedit; do
    loaded "$library" --version && fail "$library is loaded by every start"
done
# drawn OPTION...: the libraries that are loaded are those of a ringviz that draws
drawn() {
    loaded libSDL "$@"
}
check "a picture is not drawn by SDL" drawn --screenshot=drawn.png -- "$program"
drawn --report -- "$program" && fail "a report loads SDL"

mkdir bin lib
cp "$ringviz" bin/ringviz
cp "$hooks" lib/
ringviz=$folder/bin/ringviz
run --report=csv --record=fib.rvz --export=chrome:fib.json -- "$program"
expect "status of a report" $status 0
grep -q '^[^,]*fib,' out || fail "no report: $(cat out)"
run --report=csv fib.rvz
expect "status of a recording's report" $status 0
run --diff fib.rvz fib.rvz
expect "status of a comparison" $status 0
for lacking in "-- touch ran" "fib.rvz" "--screenshot=out.png -- touch ran" "--frames=frames -- touch ran" \
    "--video=out.y4m -- touch ran" "--diff=window fib.rvz fib.rvz" "--diff --screenshot=out.png fib.rvz fib.rvz" \
    "--bench=render"; do
    # shellcheck disable=SC2086
    run $lacking
    expect "$lacking: status" $status 1
    grep -q '^ringviz: no window, pictures and films without ringviz-window.so' err || fail "$lacking: $(cat err)"
    one_line "$lacking"
done
[ ! -e ran ] || fail "a program ran whose picture cannot be drawn"

echo "no module" >lib/ringviz-window.so
run --report=csv --output=report --screenshot=out.png -- "$program"
expect "status of a picture with a broken module" $status 1
grep -q '^[^,]*fib,' report || fail "no report beside a broken module: $(cat report)"
one_line "a broken module"
conclude
