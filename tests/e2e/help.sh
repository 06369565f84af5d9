#!/bin/sh
# help.sh RINGVIZ BUILD: every option has help of its own; topics are shown; the manual and the completions that the build
# made name every option, the manual every setting, and are good for man, bash and zsh.
set -u
ringviz=$1 build=$2
. "${0%/*}/harness.sh"
cd "$folder" || exit 1

run --help
expect "status of --help" $status 0
grep -oE '^ +--[a-z-]+' out | tr -d ' ' >options
[ "$(wc -l <options)" -gt 50 ] || fail "--help lists $(wc -l <options) options"
while read -r option; do
    "$ringviz" --help="$option" >one 2>&1 && grep -qE -- "^$option(\$|\[|=)" one || fail "--help=$option: $(cat one)"
    sed 's/\\-/-/g' "$build/share/man/man1/ringviz.1" | grep -qF -- "fB$option\\f" || fail "$option is not in the manual"
    tail -n 1 one | grep -q '\.$' || fail "--help=$option has no end: $(tail -n 1 one)"
    for completion in ringviz.bash _ringviz; do
        grep -qE -- "[ *]$option(\$|=|\[)" "$build/assets/$completion" || fail "$option is not in $completion"
    done
done <options
for setting in theme scale view color legend minimap; do
    grep -q "fB$setting..R (" "$build/share/man/man1/ringviz.1" || fail "the setting $setting is not in the manual"
done
run --help=keys
grep -q 'Ctrl+Q  *quit' out || fail "--help=keys: $(cat out)"
run --help=nonsense
expect "status of an unknown topic" $status 2
one_line "an unknown topic"

PATH=/nonexistent "$ringviz" --help=man >out 2>err
expect "status without man" $? 2
one_line "without man"
if command -v man >man && [ -s man ]; then
    for topic in man:RINGVIZ control:RINGVIZ-CONTROL formats:RINGVIZ-FORMATS output:RINGVIZ-OUTPUT; do
        run "--help=${topic%:*}"
        grep -q "^${topic#*:}(" out || fail "--help=${topic%:*}: $(head -3 out err)"
    done
    for page in "$build"/share/man/man?/*; do
        MANROFFSEQ='' man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null |
            grep -v 'cannot select font' >warnings
        [ ! -s warnings ] || fail "$page: $(cat warnings)"
    done
fi
bash -n "$build/assets/ringviz.bash" || fail "the completion of bash is no script"
! command -v zsh >/dev/null || zsh -n "$build/assets/_ringviz" || fail "the completion of zsh is no script"
conclude
