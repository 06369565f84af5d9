#!/bin/sh
# Makes the README's pictures from the demo program.   sh assets/pictures.sh [BUILD]   (default: build/release)
set -eu
assets=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "$assets/../${1:-build/release}/bin" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

record() {
    "$bin/ringviz" --headless --record="$1.rvz" -- "$bin/ringviz-demo" 3 "$2"
}

# draw NAME OPTION...
draw() {
    name=$1
    shift
    "$bin/ringviz" --force --screenshot="$assets/$name.png" --size=1600x900 "$@"
}

record before 600
record after 1500
draw demo --at=1.5 --window=40ms before.rvz
draw flame --view=flame --at=1.5 --window=40ms --from=1.51 --to=1.53 before.rvz
draw diff --diff --output=diff.txt --at=1.5 --window=120ms before.rvz after.rvz
