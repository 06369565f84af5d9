#!/bin/sh
# environments.sh RINGVIZ PROGRAM: while a program is started, another thread may change its environment; a privileged one has
# Ruby's options changed in it.
set -u
ringviz=$1 program=$2
. "${0%/*}/harness.sh"

chmod 755 "$folder"
cp /bin/true "$folder/plain"
cp "$folder/plain" "$folder/privileged"
[ "$(id -u)" -ne 0 ] || chown 65534 "$folder/privileged"
chmod 4755 "$folder/privileged" # chown clears it
for name in plain privileged; do
    run --headless -- "$program" "$folder/$name"
    expect "$name: status" $status 0
done
conclude
