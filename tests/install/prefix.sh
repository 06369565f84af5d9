#!/bin/sh
# prefix.sh BUILD SOURCE: cmake --install into an empty prefix; a CMake project and the README's example use it.
. "$(dirname "$0")/common.sh"
prefix=$dir/prefix
must cmake --install "$build" --prefix "$prefix"

for file in bin/ringviz include/ringviz/producer.h include/ringviz/monitor.h include/ringviz/wire.h share/man/man1/ringviz.1 \
    share/bash-completion/completions/ringviz share/zsh/site-functions/_ringviz share/applications/ringviz.desktop \
    share/icons/hicolor/scalable/apps/ringviz.svg; do
    [ -f "$prefix/$file" ] || fail "$file is not installed"
done
# A click opens a recording: desktop tools know the type by name and content, and the program that opens it.
if command -v update-mime-database >/dev/null; then
    must update-mime-database "$prefix/share/mime"
    grep -q '^[0-9]*:application/x-ringviz-recording:\*\.rvz$' "$prefix/share/mime/globs2" || fail "the type of .rvz"
fi
if command -v desktop-file-validate >/dev/null; then
    must desktop-file-validate "$prefix/share/applications/ringviz.desktop"
    [ ! -s "$dir/log" ] || fail "ringviz.desktop: $(cat "$dir/log")"
    must update-desktop-database "$prefix/share/applications"
    grep -q '^application/x-ringviz-recording=ringviz.desktop;$' "$prefix/share/applications/mimeinfo.cache" || fail "who opens .rvz"
fi

ringviz=$prefix/bin/ringviz
draws "$ringviz"
"$ringviz" --version | grep -Eq '^ringviz [0-9]+\.[0-9]+\.[0-9]+$' || fail "--version"

must cmake -S "$source/tests/install/consumer" -B "$dir/consumer" -DCMAKE_PREFIX_PATH="$prefix"
must cmake --build "$dir/consumer"
for program in hooked by_interface whole/whole; do
    counts "$ringviz" "shape::area" 300 "$dir/consumer/$program"
done
for program in linked_shared linked_static linked_cxx; do
    counts "$ringviz" "work" 100 "$dir/consumer/$program"
done
if has_ruby; then
    counts "$ringviz" "Object#work" 100 ruby -e 'def work = 1; 100.times { work }'
fi
if has_perl; then
    counts "$ringviz" "main::work" 100 perl -e 'sub work { 1 } work() for 1 .. 100'
    PERL5LIB=$(dirname "$(find "$prefix" -path '*/ringviz/perl/Devel')") DEVEL_RINGBUF_FILE=$dir/rings \
        perl -d:STrace -e 'sub work { kill KILL => $$ } work()' 2>/dev/null
    [ -f "$prefix/share/man/man1/plstrace.pl.1" ] || ! command -v pod2man >/dev/null || fail "plstrace.pl's man page"
    "$prefix/bin/plstrace.pl" -f "$dir/rings" | grep -q 'main::work:1 at ' || fail "plstrace.pl"
fi

# The README's program, by pkg-config.
awk '/^```c$/ { on = 1; next } /^```/ { on = 0 } on' "$source/README.md" >"$dir/program.c"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name ringviz.pc)")
export PKG_CONFIG_PATH
libdir=$(pkg-config --variable=libdir ringviz) || fail "pkg-config"
# shellcheck disable=SC2046
must cc -Wall -Wextra -Werror "$dir/program.c" $(pkg-config --cflags --libs ringviz) -Wl,-rpath,"$libdir" -o "$dir/program"
counts "$ringviz" "parse_line" 1000 "$dir/program"
must "$dir/program"

for page in "$prefix"/share/man/man1/*.1; do
    must man --warnings -l "$page"
    [ ! -s "$dir/log" ] || grep -Eiq 'RINGVIZ|PLSTRACE' "$dir/log" || fail "$page"
done
if command -v bash >/dev/null; then
    must bash -c '. "$0"; COMP_WORDS=(ringviz --policy = s) COMP_CWORD=3; _ringviz; [[ ${COMPREPLY[*]} == switch ]]' \
        "$prefix/share/bash-completion/completions/ringviz"
fi
