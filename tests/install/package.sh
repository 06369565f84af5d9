#!/bin/sh
# package.sh BUILD SOURCE: the Debian package names what it needs, and what is in it runs.
. "$(dirname "$0")/common.sh"
command -v dpkg-shlibdeps >/dev/null || exit 77

must cpack --config "$build/CPackConfig.cmake" -G DEB -B "$dir/cpack"
package=$(find "$dir/cpack" -maxdepth 1 -name 'ringviz_*.deb')
[ -f "$package" ] || fail "no package"
depends=$(dpkg-deb -f "$package" Depends)
for needed in libc6 libegl1 libsdl2-2.0-0 libglew2.2 libelf1; do
    case $depends in
    *"$needed"*) ;;
    *) fail "the package does not depend on $needed: $depends" ;;
    esac
done
# What it says it needs is here, as tests/run.sh has installed it.
for library in $(dpkg-deb -f "$package" Depends | tr ',' '\n' | sed 's/ *(.*//; s/|.*//'); do
    dpkg-query -W -f='${Status}' "$library" 2>/dev/null | grep -q 'ok installed' || fail "$library is not installed"
done

must dpkg-deb -x "$package" "$dir/root"
must cmake -S "$source/tests/install/consumer" -B "$dir/consumer" -DCMAKE_PREFIX_PATH="$dir/root/usr"
must cmake --build "$dir/consumer"
counts "$dir/root/usr/bin/ringviz" "shape::area" 300 "$dir/consumer/hooked"
if has_perl; then
    counts "$dir/root/usr/bin/ringviz" "main::work" 100 perl -e 'sub work { 1 } work() for 1 .. 100'
fi
