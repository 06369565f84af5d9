#!/bin/sh
# package.sh BUILD SOURCE: the Debian packages have the right dependencies and contents, and work.
. "$(dirname "$0")/common.sh"
command -v dpkg-shlibdeps >/dev/null || exit 77

must cpack --config "$build/CPackConfig.cmake" -G DEB -B "$dir/cpack"
# depends PACKAGE LIBRARY...: PACKAGE must depend on these
depends() {
    package=$1
    shift
    needs=$(dpkg-deb -f "$dir/cpack/$package"_*.deb Depends) || fail "no package $package"
    for needed; do
        case $needs in
        *"$needed"*) ;;
        *) fail "$package does not depend on $needed: $needs" ;;
        esac
    done
}
depends ringviz ringviz-headless libegl1 libsdl2-2.0-0 libglew2.2
depends ringviz-headless libringviz0 libc6 libelf1
! echo "$needs" | grep -E 'sdl|gl|freetype|png|harfbuzz|fribidi|fontconfig' || fail "ringviz-headless needs libraries of the window"
for package in libringviz0 libringviz-dev; do
    [ "$(dpkg-deb -f "$dir/cpack/$package"_*.deb Multi-Arch)" = same ] || fail "$package: Multi-Arch"
done
for file in "$dir"/cpack/*.deb; do
    dpkg-deb -c "$file" | awk -v name="$(dpkg-deb -f "$file" Package)" '{ print name, $6 }'
done >"$dir/contents"
# holds PACKAGE FILE: only PACKAGE must contain FILE
holds() {
    awk -v end="$2" 'substr($2, length($2) - length(end) + 1) == end { print $1 }' "$dir/contents" | sort -u >"$dir/holders"
    [ "$(cat "$dir/holders")" = "$1" ] || fail "$2 is in: $(cat "$dir/holders")"
}
holds ringviz-headless /bin/ringviz
holds ringviz-headless /libringviz-cyg.so
holds ringviz /ringviz-window.so
holds libringviz0 '/libringviz.so.0'
holds libringviz-dev /ringviz/producer.h
holds ringviz-bench /ringviz-bench-traced
if command -v lintian >/dev/null; then
    must lintian --fail-on error,warning --tag-display-limit 0 --allow-root "$dir"/cpack/*.deb
fi
# The dependencies are installed, by tests/run.sh.
for library in $(for file in "$dir"/cpack/*.deb; do dpkg-deb -f "$file" Depends; done | tr ',' '\n' |
    sed 's/ *(.*//; s/|.*//' | grep -v ringviz | sort -u); do
    dpkg-query -W -f='${Status}' "$library" 2>/dev/null | grep -q 'ok installed' || fail "$library is not installed"
done

for file in "$dir"/cpack/*.deb; do
    must dpkg-deb -x "$file" "$dir/root"
done
draws "$dir/root/usr/bin/ringviz"
must cmake -S "$source/tests/install/consumer" -B "$dir/consumer" -DCMAKE_PREFIX_PATH="$dir/root/usr"
must cmake --build "$dir/consumer"
counts "$dir/root/usr/bin/ringviz" "shape::area" 300 "$dir/consumer/hooked"
if has_ruby; then
    counts "$dir/root/usr/bin/ringviz" "Object#work" 100 ruby -e 'def work = 1; 100.times { work }'
fi
if has_perl; then
    counts "$dir/root/usr/bin/ringviz" "main::work" 100 perl -e 'sub work { 1 } work() for 1 .. 100'
fi
