#!/bin/sh
# documented.sh RINGVIZ PROGRAM SOURCE: every command that the README and the manual pages show is run, with small stand-ins for
# the files and programs that it names. None is a wrong usage, and none fails. `elsewhere` names the tests of the others; a
# command in a code block that is neither run nor named there is a failure.
set -u
ringviz=$1 program=$2 source=$3
. "${0%/*}/harness.sh"
cd "$folder" || exit 1
pages='ringviz.1.in ringviz-control.1 ringviz-ruby.1 ringviz-formats.7 ringviz-output.7'

plain() { # roff as text
    sed 's/\\&//g; s/\\-/-/g; s/\\(dq/"/g; s/\\(aq/'"'"'/g; s/\\e/\\/g; s/\\\\/\\/g'
}

# Lines of code blocks: not C and Ruby, not tables, and what is indented, as the README's diagram.
{
    awk '/^```/ { on = !on; c = /^```c$/; next } on && !c' "$source/README.md" | sed 's/  *#.*//'
    for page in $pages; do
        awk '/^\.nf/ { on = 1 } /^\.fi/ { on = 0 } on && !/^(\.|\\&\\fB)/' "$source/assets/$page" | plain
    done
} | sed -e ':again' -e '/\\$/ { N; s/\\\n//; b again' -e '}' | sed 's/  *\.\.\.$//; s/[.,]*$//' | tr -s ' ' >blocks
grep '^ringviz> ' blocks | sed 's/^ringviz> //' >session
grep '^int ' blocks >prototypes
grep -vE '^( |$|ringviz> |int |(RingViz|require|eval)\>)' blocks | sort -u >shown

# Commands in the text: inline code of Markdown, bold text of roff.
{
    # shellcheck disable=SC2016
    grep -oE '`ringviz [^`]*`' "$source/README.md" | tr -d '`'
    for page in $pages; do
        sed 's/\\fB/\n/g; s/\\f[PR]/\n/g' "$source/assets/$page" | plain | grep -E '^ringviz .*( -- |PID|[a-z]\.(rvz|json))'
    done
} | sed 's/[.,]*$//' | sort -u - shown >commands
[ "$(wc -l <commands)" -ge 53 ] || fail "only $(wc -l <commands) commands are shown"

# What takes minutes or a server: another file that runs it, and what this has.
elsewhere() { # COMMAND
    case $1 in
    'sh tests/run.sh') echo tests/run.sh runs every test ;; # this one, too
    'cmake --preset release && cmake --build --preset release') echo assets/demo.sh "$1" ;;
    'sudo cmake --install build/release && sudo ldconfig') echo tests/install/prefix.sh cmake --install ;;
    'ringviz --rrtrace=SHM') echo tests/e2e/rrtrace.sh --rrtrace= ;;
    'ringviz --bench'*) echo tests/e2e/overhead.sh --bench=overhead ;;
    *) return 1 ;;
    esac
}

mkdir bin stand-ins
awk '/^```c$/ { on = 1; next } /^```/ { on = 0 } on' "$source/README.md" >stand-ins/program.c
library=${ringviz%/bin/*}/lib
echo "echo -I$source/include -L$library -Wl,-rpath,$library -lringviz" >bin/pkg-config
ln -s "$ringviz" bin/ringviz
printf '#!/bin/sh\ncat >"${3:-/dev/null}"\n' >bin/ffmpeg
cd stand-ins || exit 1
for name in program program.new server; do
    printf '#!/bin/sh\nexec "%s" 12\n' "$program" >$name
done
echo 'int visit(string);' >all.conf
mv ../prototypes my.conf
echo 'int main(void) { return 0; }' >hooked.c
printf 'sub visit { $_[0] } visit($_) for 1 .. 10;\n' >script.pl
printf 'def visit(n) = n\n10.times { |n| visit(n) }\n' >app.rb
chmod +x ../bin/ffmpeg ../bin/pkg-config program program.new server
cp program ../bin/php
for name in run before after server client; do
    "$ringviz" --headless --record=$name.rvz -- ./program 2>err || fail "the stand-in $name.rvz: $(cat err)"
done
"$ringviz" --export=chrome:trace.json run.rvz || fail "the stand-in trace.json"
"$ringviz" --spans=json --output=calls.json run.rvz || fail "the stand-in calls.json"
"$ringviz" --report=json --output=report.json run.rvz || fail "the stand-in report.json"
mkdir -p assets build/release
cp "$source"/assets/*.sh assets
ln -s "${ringviz%/*}" build/release/bin
cd ..
printf '#!/bin/sh\n' | tee bin/cmake bin/dpkg-query bin/apt-get >bin/sudo
chmod +x bin/*
export SDL_VIDEODRIVER=offscreen

is_steered() { # TRACE: a thread of it takes commands
    echo ps | "$ringviz" "--control=$1" 2>/dev/null | grep -q ' running '
}

# The program that a command is about, which runs already, as $subject; the console's with its trace file.
begin_subject() { # COMMAND TRACE
    case $1 in
    *--perl-pid=*)
        rm -f interpreter
        perl -e 'open my $file, ">", "interpreter"; sleep 600' &
        within 60 test -e interpreter || fail "$1: perl has not started"
        ;;
    *PID*) sleep 600 & ;;
    *--control=*)
        "$ringviz" --headless --trace-file="$2" -- perl -e \
            'sub Parser::token { select undef, undef, undef, 0.01 } sub work { Parser::token($_[0]) } work(3) while 1' 2>/dev/null &
        within 60 is_steered "$2" || fail "$1: the program does not begin"
        ;;
    *) return 0 ;;
    esac
    subject=$!
}

# The command with stand-ins for what it names, on one line.
as_run() { # COMMAND TRACE
    case $1 in
    gcc* | clang*) echo "$1 hooked.c && ringviz --report -- ./a.out" ;;
    'sh assets/demo.sh') echo "$1 0.3" ;; # seconds
    *) printf '%s\n' "$1" | sed "s|/tmp/t\\b|$2|g; s|\\bPID\\b|$subject|; s|/usr/lib/php/\*/mysqlnd\.so|$library/libringviz.so|" ;;
    esac
}

# What a command has made, where it says more than its status.
has_made() { # COMMAND
    case $1 in
    gcc* | clang*) grep -q '::main ' out && grep -q 'a.out: hooks$' out ;;
    readelf*) [ "$(grep -cxE 'int 0x[0-9a-f]+\(addr, string, ulong\);' all.conf)" -ge 20 ] ;;
    'sh assets/demo.sh') [ -s build/demo/demo.png ] && grep -q ' store::' out ;;
    'ringviz --control=/tmp/t') grep -q 'Parser::token' out ;;
    'jq -s '*) grep -qx '[1-9][0-9]*' out ;;
    esac
}

# A command that opens a window is left alone for a moment and then asked to end, and one about a program that runs on.
run_one() { # NUMBER COMMAND
    cp -r stand-ins "run-$1"
    # shellcheck disable=SC2086
    (cd "run-$1" && rm -f $(printf '%s' "$2" | grep -oE -- '--(record|output|merge)=[^ ]*' | sed 's/.*=//'))
    trace=$folder/run-$1/trace
    subject=
    begin_subject "$2" "$trace"
    patience=60
    case $2 in
    *PID*) patience=1 ;;
    *--control=* | *--headless* | *--report* | *--spans* | *--export* | *--screenshot* | *--video* | *--merge* | *--diff\ * | *--help*) ;;
    *ringviz*) patience=1 ;;
    esac
    (cd "run-$1" && PATH=$folder/bin:$PATH timeout -k 20 $patience sh -c "$(as_run "$2" "$trace")" >out 2>err <../session)
    status=$?
    [ -z "$subject" ] || kill "$subject"
    [ $status -eq 0 ] || { [ $status -eq 124 ] && [ $patience -eq 1 ]; } || fail "$2: status $status: $(cat "run-$1/err")"
    ! grep -q 'see ringviz --help' "run-$1/err" || fail "$2: $(cat "run-$1/err")"
    (cd "run-$1" && has_made "$2") || fail "$2: $(head -30 "run-$1/out")"
}

unset DISPLAY WAYLAND_DISPLAY
n=0
while read -r line; do
    if other=$(elsewhere "$line"); then
        grep -qF -- "${other#* }" "$source/${other%% *}" || fail "$line: not in ${other%% *}"
        continue
    fi
    for tool in perl ruby clang jq readelf; do
        case "$line " in *$tool\ *) command -v $tool >/dev/null || continue 2 ;; esac
    done
    [ "$line" != 'sh assets/demo.sh' ] || [ -x "${ringviz%/*}/ringviz-demo" ] || continue
    n=$((n + 1))
    run_one $n "$line"
done <commands
[ $n -ge 40 ] || fail "only $n commands were run"
conclude
