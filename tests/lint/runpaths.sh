#!/bin/sh
# runpaths.sh BUILD: no program and no library of a build tree looks for libraries in the current folder, which an empty
# entry of RUNPATH stands for.
cd "$1" || exit 1
command -v readelf >/dev/null || exit 77
files=$(find bin lib -type f -exec readelf -d {} + 2>/dev/null)
[ -n "$files" ] || { echo "no programs found"; exit 1; }
! printf '%s\n' "$files" | grep -E '^File: |RPATH|RUNPATH' | grep -B 1 -E '\[:|::|:\]|\[\]'
