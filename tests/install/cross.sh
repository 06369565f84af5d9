#!/bin/sh
# cross.sh BUILD SOURCE: a build for another system runs no program that it has compiled itself, but those of this build.
. "$(dirname "$0")/common.sh"

cross() { # OPTION...
    cmake -G Ninja -S "$source" -B "$dir/cross" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$(uname -m)" \
        -DRINGVIZ_TESTS=OFF "$@"
}
cross >"$dir/log" 2>&1 && fail "no tools of a native build, and no message"
tr -s ' \n' ' ' <"$dir/log" | grep -q 'a cross build runs bake_font of a native build' || fail "said: $(cat "$dir/log")"
must cross -DRINGVIZ_NATIVE_BUILD="$build"
grep -q 'Perl programs will not be traced' "$dir/log" || fail "the module of this system's perl is in it"
grep -q 'Ruby programs will not be traced' "$dir/log" || fail "the library of this system's ruby is in it"
must cmake --build "$dir/cross" --target documentation
[ -s "$dir/cross/share/man/man1/ringviz.1" ] || fail "no manual"
grep -q "COMMAND = .*$build/src/render/bake_font " "$dir/cross/build.ninja" || fail "another bake_font is run"
find "$dir/cross" -name '*.o' -not -path '*/CMakeFiles/[0-9]*' | grep . && fail "something was compiled"
exit 0
