#!/bin/sh
# control.sh RINGVIZ WAITS WAITS.C: --control, with commands from a file, on a native program and, if perl and ruby are
# installed, on one in each.
set -u
ringviz=$1 waits=$2 source=$3
. "${0%/*}/harness.sh"

# begin STATE COMMAND...: run it traced to $trace, until a thread of it is seen in this state
begin() {
    state=$1
    shift
    trace=$folder/trace
    rm -f "$trace" "$folder/input"
    mkfifo "$folder/input"
    timeout 100 "$ringviz" --headless "--trace-file=$trace" -- "$@" <"$folder/input" >"$folder/program" 2>&1 &
    traced=$!
    exec 3>"$folder/input"
    within 60 shows ps " $state "
}
shows() { # COMMAND PATTERN
    echo "$1" | timeout 60 "$ringviz" "--control=$trace" 2>&1 | grep -q "$2"
}
control() { # the commands are its input; digits of processes and threads become P
    timeout 100 "$ringviz" "--control=$trace" >"$folder/out" 2>&1
    status=$?
    sed 's/^[* ]  *[0-9][0-9]*  *[0-9][0-9]*  *[0-9][0-9]*  *\([a-z]*\)  */P \1 /; s/process [0-9]*/process P/' "$folder/out" >"$folder/answers"
}
end() { # WHAT STATUS
    exec 3>&-
    wait $traced
    expect "$1: the program's exit status" $? "$2"
}
compare() { # WHAT: the answers with those expected, on its input
    cat >"$folder/expected"
    diff "$folder/expected" "$folder/answers" || fail "$1"
}

# A foreign or missing file: one line.
echo foreign >"$folder/foreign"
for file in "$folder/foreign" "$folder/absent" "$folder"; do
    run "--control=$file"
    expect "$file" "$status $(wc -l <"$folder/err") $(cut -c 1-9 "$folder/err")" "1 1 ringviz: "
done

begin unsteered "$waits"
line() { grep -n "^$1" "$source" | cut -d: -f1; }
inner=$(line 'static int inner') outer=$(line 'static int outer') main=$(line 'int main')
within 60 shows stack '^#4'
control <<'COMMANDS'
stack
stop
trace off
trace on
stack 0
stack 99
COMMANDS
expect "status after an error" $status 1
stack=$(
    for frame in "inner at $source line $inner" "inner at $source line $inner" "inner at $source line $inner" \
        "outer at $source line $outer" "main at $source line $main"; do
        echo "#$((n = ${n:--1} + 1)) program_waits::$frame"
    done
)
compare "a native program" <<EXPECTED
$stack
error: ring 0: its producer answers no commands
ring 0: trace off
ring 0: trace on
$stack
error: ring 99: no such ring
EXPECTED
end "a native program" 0

if ! command -v perl >"$folder/which" || ! [ -e "${ringviz%/bin/*}/lib/perl/Devel/RingViz.pm" ]; then
    conclude
    exit
fi
cat >"$folder/script.pl" <<'PERL'
sub idle { select undef, undef, undef, 0.01 }
my $go;
idle() until $go;
our $sum = 0;
sub add {
    my ($n) = @_;
    $sum += $n;
    return $sum;
}
sub work {
    my ($times) = @_;
    for my $i (1 .. $times) {
        add($i);
    }
    return 'done';
}
my $said = work(3);
print "$said $sum\n";
exit 5;
PERL
begin running perl "$folder/script.pl"
control <<COMMANDS
# a comment, and an empty line

ps
ring 0
break main::work
break $folder/script.pl:8
eval \$go = 1
wait 60
stack
step
next
step
display \$n * 10
display
step
eval \$sum, \$n
finish
trace off
trace on
send eval 0 3 6 * 7
up
eval \$i
list
signal
signal -2
single on
single off
message for the first reader
message
message
display delete 0
break delete all
break 12 if \$i > 2
watch \$sum
break $folder/script.pl:10
break delete all
break
run
wait 60
COMMANDS
expect "status" $status 1 # of the last wait: the program has ended
at="at $folder/script.pl line"
compare "a Perl program" <<EXPECTED
  RING      PID      TID  STATE      NAME
P running script.pl
ring 0: script.pl, process P, running
1 main::work
2 $folder/script.pl:8
1
ring 0 stopped: main::work(3) $at 11
#0 main::work(3) $at 11
#1 main program $at 17
ring 0 stopped: main::work(3) $at 12
ring 0 stopped: main::work(3) $at 13
ring 0 stopped: main::add(1) $at 6
0 \$n * 10 = 0
0 \$n * 10 = 0
ring 0 stopped: main::add(1) $at 7
0 \$n * 10 = 10
0, 1
ring 0 stopped: main::add(1) $at 8
0 \$n * 10 = 10
ring 0: trace off
ring 0: trace on
ok 42
#1 main::work(3) $at 13
1
     9  }
    10  sub work {
    11      my (\$times) = @_;
    12      for my \$i (1 .. \$times) {
>   13          add(\$i);
    14      }
    15      return 'done';
    16  }
    17  my \$said = work(3);
ring 0: signal 0
ring 0: signal -2
single 1
single 0
ok
for the first reader
no message
ok
ok
3 $folder/script.pl:12 if \$i > 2
4 watch \$sum = 1
error: line 10 has no statement; the next statement is on line 11
ok
ok
ring 0 runs
error: ring 0: it has ended
EXPECTED
end "a Perl program" 5
expect "what it printed" "$(head -n 1 "$folder/program")" "done 6"

# On one in Ruby.
if command -v ruby >"$folder/which" && ls "${ringviz%/bin/*}"/lib/ruby/3.1.0 >"$folder/which" 2>&1; then
    cat >"$folder/script.rb" <<'RUBY'
def idle = sleep(0.01)
$go = nil
idle until $go
def add(n)
  $sum += n
end
$sum = 0
3.times do |i|
  add(i)
end
puts "sum #{$sum}"
exit 5
RUBY
    begin running ruby "$folder/script.rb"
    control <<COMMANDS
ps
stop
break add if n > 0
break nosuch#
eval \$go = 1
run
wait 60
stack
up
eval i
list
step
finish
break delete all
run
wait 60
COMMANDS
    expect "status" $status 1 # of the last wait: the program has ended
    at="at $folder/script.rb line"
    compare "a Ruby program" <<EXPECTED
  RING      PID      TID  STATE      NAME
P running script.rb
ring 0 stopped: Object#idle() $at 1
1 Object#add if n > 0 (not loaded yet)
error: give METHOD, raise or FILE:LINE, optionally with if EXPR
1
ring 0 runs
ring 0 stopped: Object#add(n=1) $at 5
#0 Object#add(n=1) $at 5
#1 block in <main>(i=1) $at 9
#2 main program $at 8
#1 block in <main>(i=1) $at 9
1
     5    \$sum += n
     6  end
     7  \$sum = 0
     8  3.times do |i|
>    9    add(i)
    10  end
    11  puts "sum #{\$sum}"
    12  exit 5
ring 0 stopped: block in <main>(i=2) $at 9
ring 0 stopped: Object#add(n=2) $at 5
ok
ring 0 runs
error: ring 0: it has ended
EXPECTED
    end "a Ruby program" 5
    expect "what it printed" "$(head -n 1 "$folder/program")" "sum 3"
fi

# Fifty stops of a program that calls all the time, and a thousand answers of it.
run --bench=control --json
expect "measured" "$status $(sed 's/.*"bench":"\([^"]*\)".*"n":\([0-9]*\).*/\1 \2/' "$folder/out" | tr '\n' ' ')" \
    "0 control.stop 50 control.command 1000 "
conclude
