#!/bin/sh
# Installs missing packages, builds ringviz and the demo program, and shows the demo: in a window if there is a
# display, else in a picture and a report.   sh assets/demo.sh [SECONDS]
set -eu
cd "$(dirname "$0")/.."
. assets/packages.sh

seconds=${1:-}
# shellcheck disable=SC2086
install_packages $RINGVIZ_BUILD_PACKAGES
echo "building (build/release) ..."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { cmake --preset release && cmake --build --preset release -- -j"$(nproc)"; } </dev/null >"$log" 2>&1; then
    cat "$log"
    exit 1
fi

ringviz=build/release/bin/ringviz
demo=build/release/bin/ringviz-demo
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    echo "$ringviz -- $demo ${seconds:-30}"
    echo "close the window, or press Ctrl+Q, to end"
    "$ringviz" -- "$demo" "${seconds:-30}"
    exit
fi

out=build/demo
mkdir -p "$out"
echo "no display here: drawing a picture and writing a report"
middle=$(awk "BEGIN { print ${seconds:-3} / 2 }")
"$ringviz" --force --screenshot="$out/demo.png" --at="$middle" --window=50ms --report --output="$out/report.txt" -- "$demo" "${seconds:-3}"
head -n 25 "$out/report.txt"
echo
echo "picture: $PWD/$out/demo.png"
echo "report:  $PWD/$out/report.txt"
