#!/bin/sh
# documented.sh RINGVIZ PROGRAM SOURCE: every command of ringviz that the README and the manual show is run, with small
# stand-ins for the files and programs that it names. None is a wrong usage, and none fails. Not here: --bench, which takes
# minutes (e2e/overhead), and --rrtrace (e2e/rrtrace).
set -u
ringviz=$1 program=$2 source=$3
. "${0%/*}/harness.sh"
cd "$folder" || exit 1

# Lines of code and inline code of Markdown; lines and bold text of roff.
{
    awk '/^```/ { on = !on; next } on' "$source/README.md" | sed 's/  *#.*//'
    # shellcheck disable=SC2016
    grep -oE '`ringviz [^`]*`' "$source/README.md" | tr -d '`'
    for page in ringviz.1.in ringviz-control.1 ringviz-ruby.1 ringviz-formats.7 ringviz-output.7; do
        sed 's/\\&//g; s/\\fB/\n/g; s/\\f[PR]/\n/g; s/\\-/-/g; s/\\(dq/"/g; s/\\(aq/'"'"'/g; s/\\e/\\/g; s/\\\\/\\/g' "$source/assets/$page"
    done
} | grep -E '^(ringviz|cc .* && ringviz|printf .* \| ringviz) (-- |--help$|--control=/|.*( -- |PID|[a-z]\.(rvz|json)))' |
    sed 's/[.,]*$//' | sort -u >commands
[ "$(wc -l <commands)" -ge 38 ] || fail "only $(wc -l <commands) commands are shown"

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
printf 'int mysql_%s_query(addr, string, ulong);\n' real send >my.conf
printf 'sub visit { $_[0] } visit($_) for 1 .. 10;\n' >script.pl
printf 'def visit(n) = n\n10.times { |n| visit(n) }\n' >app.rb
chmod +x ../bin/ffmpeg ../bin/pkg-config program program.new server
cp program ../bin/php
for name in run before after server client; do
    "$ringviz" --headless --record=$name.rvz -- ./program 2>err || fail "the stand-in $name.rvz: $(cat err)"
done
"$ringviz" --export=chrome:trace.json run.rvz || fail "the stand-in trace.json"
cd ..
export SDL_VIDEODRIVER=offscreen

# The program that a command is about, which runs already, as $subject; the console's with its trace file.
begin_subject() { # COMMAND TRACE
    case $1 in
    *--perl-pid=*) perl -e 'sleep 600' & ;;
    *PID*) sleep 600 & ;;
    *--control=*)
        "$ringviz" --headless --trace-file="$2" -- perl -e 'sub work { select undef, undef, undef, 0.01 } work(3) while 1' \
            2>/dev/null &
        within 60 test -e "$2" || fail "$1: no trace file"
        ;;
    *) return 0 ;;
    esac
    subject=$!
}

# A command that opens a window is left alone for a moment and then asked to end, and one about a program that runs on.
run_one() { # NUMBER COMMAND
    cp -r stand-ins "run-$1"
    # shellcheck disable=SC2086
    (cd "run-$1" && rm -f $(printf '%s' "$2" | grep -oE -- '--(record|output|merge)=[^ ]*' | sed 's/.*=//'))
    trace=$folder/run-$1/trace
    subject=
    begin_subject "$2" "$trace"
    command=$(printf '%s\n' "$2" | sed "s|/tmp/t\\b|$trace|g; s|\\bPID\\b|$subject|")
    patience=60
    case $2 in
    *PID*) patience=1 ;;
    *--control=* | *--headless* | *--report* | *--spans* | *--export* | *--screenshot* | *--video* | *--merge* | *--diff\ * | *--help*) ;;
    *) patience=1 ;;
    esac
    (cd "run-$1" && PATH=$folder/bin:$PATH timeout -k 20 $patience sh -c "$command" >out 2>err </dev/null)
    status=$?
    [ -z "$subject" ] || kill "$subject"
    [ $status -eq 0 ] || { [ $status -eq 124 ] && [ $patience -eq 1 ]; } || fail "$2: status $status: $(cat "run-$1/err")"
    ! grep -q 'see ringviz --help' "run-$1/err" || fail "$2: $(cat "run-$1/err")"
}

n=0
while read -r line; do
    case $line in
    *perl* | *--control=*) command -v perl >/dev/null || continue ;;
    *ruby*) command -v ruby >/dev/null || continue ;;
    esac
    n=$((n + 1))
    run_one $n "$line"
done <commands
[ $n -ge 34 ] || fail "only $n commands were run"
conclude
