# A running program, as a monitor stops, asks and steps it.
use strict;
use warnings;
use utf8;
use FindBin;
use lib "$FindBin::Bin/lib";
use RingvizMonitor;
use RingvizTest;
use Test::More;

binmode $_, ':utf8' for map { Test::More->builder->$_ } qw(output failure_output);

my $idle = "sub idle { select undef, undef, undef, 0.01 }\nmy \$go;\nidle() until \$go;\n";

# Line numbers count.
my $text = $idle . <<'END';
use utf8;
our $total = 0;
sub inner {
    my ($n, $text) = @_;
    my $double = 2 * $n;
    return $double;
}
package Other;
sub outer {
    my $n = shift;
    my $r = main::inner($n, "é\n");
    $r++;
    return $r;
}
package main;
sub dies { die "no\n" }
for my $i (1 .. 3) {
    $total += Other::outer($i);
    eval { dies() };
}
print "total $total\n";
END

my $program = RingvizMonitor->start($text)->attach;
my $file    = $program->{script};

sub at { my ($frame, $line) = @_; "ring 0 stopped: $frame at $file line $line" }

# ---- asking ----
like($program->ask('ring'), qr/^ring 0: script\d+\.pl, process \d+, running$/, 'ring') or BAIL_OUT('no program to control');
like($program->ask('ps'), qr/^ +RING .*\n\* +0 +\d+ +\d+ +running +script\d+\.pl$/, 'ps');
RingvizMonitor::wait_for(sub { $program->ask('stack') =~ /^#\d main program at \Q$file\E line [13]$/m });
like($program->ask('stack'), qr/^#0 (main::idle\(\)|main program) at .* line [13]$/m, 'the stack of what runs');
is($program->ask('eval $go'), 'undef', 'eval in what runs');
is($program->ask('step'), 'error: not stopped', 'only what is stopped is stepped');
like($program->ask('stop'), qr/^ring 0 stopped: main.* at \Q$file\E line [13]$/, 'stop');
like($program->ask('stop'), qr/^ring 0 stopped: main/, 'stopped already');
like($program->ask('ps'), qr/^\* +0 .* stopped /m, 'ps says so');

# ---- values ----
my %values = (
    '1 + 1'                      => '2',
    '"text"'                     => '"text"',
    '"é\t\"\x{1}\\\\"'           => '"é\t\"\x01\\\\"',
    '()'                         => '()',
    '(1, undef, 1.5)'            => '1, undef, 1.5',
    '[1, [2], {a => undef}]'     => '[1, [2], {"a" => undef}]',
    'bless {}, "Some::Class"'    => 'Some::Class={}',
    '*STDOUT'                    => '*main::STDOUT',
    'die "why\n"'                => 'error: why',
    'die {}'                     => qr/^error: HASH\(0x/,
    'no_such_sub()'              => 'error: Undefined subroutine &main::no_such_sub called at expression line 1.',
    '1 +'                        => qr/^error: syntax error at expression line/,
    'print "said"; 5'            => "said\n5",
    'warn "warned\n"; 5'         => "warned\n5",
    'last'                       => qr/^error: Can't "last" outside a loop block/,
    'next'                       => qr/^error: Can't "next" outside a loop block/,
    'return 3'                   => '3',
    '__PACKAGE__'                => '"main"',
    '$total = 100; $main::total' => '100',
    '$total = 0'                 => '0',
    '"x" x 5000'                 => '"' . 'x' x 5000 . '"',
    '[(1) x 200]'                => '[' . '1, ' x 100 . '...]',
    'my $x = []; push @$x, $x; $x' => qr/^\[\[\[ARRAY\(0x\w+\)\]\]\]$/,
    'qr/é+/ix'                   => 'qr/é+/ix',
    '[qr/a/, bless qr/b/, "B"]'  => '[qr/a/, B=qr/b/]',
    '"x" x 65530'                => '"' . 'x' x 65530 . '"',
    '"x" x 5_000_000'            => qr/^"x{65000}x{500,600}"\.\.\.$/,
    '"é" x 50_000, 1'            => qr/^"é{32768}"\.\.\., 1$/,
    '[("x" x 30_000) x 10]'      => qr/^\["x+", "x+", "x+"\.\.\., \.\.\.\]$/,
);
for my $expression (sort keys %values) {
    my $answer = $program->ask("eval $expression");
    ref $values{$expression} ? like($answer, $values{$expression}, $expression) : is($answer, $values{$expression}, $expression);
}
like($program->ask('eval "' . 'y' x 5000 . '"'), qr/^error: ring 0: too long/, 'an expression longer than a message');
is($program->ask('eval'), 'error: eval what?', 'eval of nothing');

# ---- breakpoints and steps ----
is($program->ask('break Other::outer'), '1 Other::outer', 'break at a sub');
is($program->ask("break $file:8"), "2 $file:8", 'break at a line');
is($program->ask('break main::later'), '3 main::later (not loaded yet)', 'break at a sub to come');
is($program->ask('break delete 3'), 'ok', 'it is deleted');
is($program->ask('break delete 3'), 'error: no breakpoint 3', 'once');
is($program->ask('break'), "1 Other::outer\n2 $file:8", 'they are listed');
is($program->ask("break $file:6"), 'error: line 6 has no statement; the next statement is on line 7', 'a line without a statement');
is($program->ask("break $file:100"), 'error: line 100 has no statement', 'a line behind the end');
is($program->ask('break nosuch.pm:6'), '4 nosuch.pm:6 (not loaded yet)', 'a file to come');
is($program->ask("break $file"), 'error: give SUB or FILE:LINE, optionally with if EXPR', 'a file alone');
is($program->ask('break delete 4'), 'ok', 'it is deleted');
is($program->ask('eval $go = 1'), '1', 'a my variable is written');
is($program->ask('run'), 'ring 0 runs', 'run');
is($program->ask('wait'), at('Other::outer(1)', 13), 'the sub is met');
is($program->ask('eval __PACKAGE__'), '"Other"', 'in its package');
is($program->ask('eval @_'), '1', 'with its arguments');
is($program->ask('step'), at('Other::outer(1)', 14), 'step');
is($program->ask('eval $n, $total'), '1, 0', 'its own variables');
is($program->ask('step'), at("main::inner(1, \"é\\n\")", 7), 'step into a call');
is($program->ask('run'), 'ring 0 runs', 'run');
is($program->ask('wait'), at("main::inner(1, \"é\\n\")", 8), 'the line is met');
is($program->ask('stack'), "#0 main::inner(1, \"é\\n\") at $file line 8\n#1 Other::outer(1) at $file line 14\n#2 main program at $file line 21", 'the stack');
is($program->ask('eval $n = 20'), '20', 'a variable of the frame is written');
is($program->ask('finish'), at('Other::outer(1)', 15), 'finish');
is($program->ask('eval $r'), '40', 'what was written counts');
is($program->ask('finish'), at('main program', 22), 'finish again: the next statement of the caller');
is($program->ask('finish'), 'error: it is in no subroutine', 'no further');
is($program->ask('break delete all'), 'ok', 'no more breakpoints');
is($program->ask('next'), at('main program', 22), 'next: into the eval block');
is($program->ask('next'), at('main program', 21), 'next: over a die');
is($program->ask('next'), at('main program', 22), 'next: over a call');

# ---- what is displayed ----
is($program->ask('display'), 'no displays', 'nothing');
is($program->ask('display $i'), '0 $i = 2', 'display');
is($program->ask('display $i * 2'), '1 $i * 2 = 4', 'a second one');
is($program->ask('display nope()'), '2 nope(): error: Undefined subroutine &main::nope called at expression line 1.', 'one that dies');
is($program->ask('display "x" x 1000'), '3 "x" x 1000 = "' . 'x' x 508 . '...', 'a long one is cut');
is($program->ask('display 5'), 'error: ring 0: at most 4 expressions', 'no fifth');
$program->ask('next', 'next');
like($program->ask('next'), qr/^ring 0 stopped: .*\n0 \$i = 3\n1 \$i \* 2 = 6\n2 nope\(\): error: .*\n3 "x" x 1000 = .*$/, 'they follow at each stop');
is($program->ask('display delete 2'), 'ok', 'one is deleted');
like($program->ask('display'), qr/^0 .*\n1 .*\n3 .*$/, 'and gone');
is($program->ask('display delete 2'), 'error: no display 2', 'once');
$program->ask("display delete $_") for 0, 1, 3;

# ---- to the end ----
is($program->ask('nonsense'), 'error: no command \'nonsense\'; try help', 'no such command');
like($program->ask('help'), qr/^ps .*^quit /ms, 'help');
is($program->ask('send eval 0 3 6 * 7'), 'ok 42', 'send');
is($program->ask('send what ever'), 'err unknown command', 'send nonsense');
is($program->ask('ring 99'), 'error: ring 99: no such ring', 'a ring that nobody has had');
is($program->ask('ring x'), "error: 'x' is no ring", 'no ring');
is($program->ask('eval $total'), $program->ask('eval our $total'), 'a value');
is($program->ask('run'), 'ring 0 runs', 'run');
like($program->ask('wait'), qr/^error: ring 0: it has ended$/, 'to the end');
is($program->detach, 1, 'a monitor with failed commands fails');
is($program->end, "total 53\nstatus 0", 'what the program did');

# ---- frames, conditions, watches ----
$text = $idle . <<'END';
our $sum = 0;
sub leaf {
    my ($n) = @_;
    $sum += $n;
    return $sum;
}
sub level {
    my ($k) = @_;
    my $mine = "level $k";
    my $r = $k ? level($k - 1) : leaf(7);
    $mine .= " of $r";
    return $r;
}
for my $i (1 .. 10) {
    my $turn = "turn $i";
    level(2);
}
my $made = eval "sub {\n my \$e = shift;\n \$e++;\n return \$e;\n}";
$made->(4);
print "sum $sum\n";
END
$program = RingvizMonitor->start($text, name => 'a script é.pl')->attach;
$file    = $program->{script};
$program->ask('stop');
is($program->ask('break leaf if $sum > 0'), '1 main::leaf if $sum > 0', 'a condition');
$program->ask('eval $go = 1', 'run');
is($program->ask('wait'), at('main::leaf(7)', 6), 'holds');
is($program->ask('eval $sum'), '7', 'not before');
is($program->ask('frame'), "#0 main::leaf(7) at $file line 6", 'the innermost frame');
is($program->ask('up'), "#1 main::level(0) at $file line 13", 'up');
is($program->ask('eval $k, $mine, @_'), '0, "level 0", 0', "a caller's variables and arguments");
is($program->ask('up 2'), "#3 main::level(2) at $file line 13", 'further up');
is($program->ask('eval $k, $mine, @_'), '2, "level 2", 2', 'those of another call of the same sub');
is($program->ask('eval $mine = "mine"'), '"mine"', 'are written');
is($program->ask('down'), "#2 main::level(1) at $file line 13", 'down');
is($program->ask('eval $mine'), '"level 1"', 'the other ones were not');
is($program->ask('frame 4'), "#4 main program at $file line 19", 'by number');
is($program->ask('eval $turn, $i, scalar @_'), '"turn 2", 2, 0', 'the main program, its block and its arguments');
is($program->ask('up'), 'error: no frame 5', 'no further');
is($program->ask('list'), join("\n", map { ($_ == 19 ? '>' : ' ') . sprintf '%5u  %s', $_, (split /\n/, $text)[$_ - 1] } 15 .. 23), 'its lines');
is($program->ask('list'), 'error: ' . "$file ends here", 'and on, to the end');
like($program->ask('list 1'), qr/^     1  sub idle.*\n(?:.*\n){7}     9  \}$/, 'other lines');
is($program->ask('list nosuch.pl:1'), 'error: nosuch.pl: no such line, or it cannot be read', 'of no file');
is($program->ask('break 20 if $i == 3'), 'error: line 20 has no statement; the next statement is on line 21', 'a line of the file of the current frame');
is($program->ask('break 18 if $i == 4'), "2 $file:18 if \$i == 4", 'one that there is');
is($program->ask('break delete 1'), 'ok', 'another is deleted');
is($program->ask('down 9'), "#0 main::leaf(7) at $file line 6", 'down to the innermost');
is($program->ask('down'), 'error: it is the innermost frame', 'no further');
is($program->ask('up', 'step'), at('main::leaf(7)', 7), 'a step');
is($program->ask('frame'), "#0 main::leaf(7) at $file line 7", 'the innermost again');
is($program->ask('watch $sum'), '3 watch $sum = 7', 'watch');
$program->ask('run');
is($program->ask('wait'), at('main::leaf(7)', 8) . "\n3 watch \$sum: 7 => 14", 'a change');
is($program->ask('watch delete 3'), 'ok', 'it is forgotten');
$program->ask('frame 3');
is($program->ask('watch $r'), '4 watch $r = undef', "a caller's variable");
$program->ask('run');
is($program->ask('wait'), at('main::level(2)', 14) . "\n4 watch \$r: undef => 14", 'when it has got its value');
$program->ask('run');
is($program->ask('wait'), at('main program', 18) . "\n4 watch \$r: 14 => undef", 'and when it is gone');
$program->ask('watch delete 4', 'run');
is($program->ask('wait'), at('main program', 18), 'a line under its condition');
is($program->ask('eval $i, $turn'), '4, undef', 'which holds');
is($program->ask('break leaf if die "no\n"'), '5 main::leaf if die "no\n"', 'a condition that dies');
$program->ask('run');
is($program->ask('wait'), at('main::leaf(7)', 6) . "\n5 main::leaf if die \"no\\n\": error: no", 'is met, and said');
is($program->ask('watch nope('), $program->ask('eval nope('), 'what cannot be evaluated is not watched');
is($program->ask('break delete all'), 'ok', 'all are deleted');
is($program->ask('depth'), 'depth 3', 'depth');
like($program->ask('depth 1', 'eval [1, [2]]'), qr/^\[1, ARRAY\(0x\w+\)\]$/, 'of one level');
is($program->ask('depth 6', 'eval [1, [2, [3, [4, [5]]]]]'), '[1, [2, [3, [4, [5]]]]]', 'of six');
is($program->ask('depth x'), "error: 'x' is not a depth from 0 to 100", 'no depth');
is($program->ask('break (eval 1):3'), '6 (eval 1):3 (not loaded yet)', 'a line of an eval, which has no number of ours');
$program->ask('run');
is($program->ask('wait'), 'ring 0 stopped: main::__ANON__[(eval 1):2](4) at (eval 1) line 3', 'is met');
is($program->ask('eval $e'), '4', 'in its sub');
is($program->ask('list'), 'error: (eval 1): no such line, or it cannot be read', 'which has no file');
is($program->ask('start'), 'error: its main program has already begun', 'start');
$program->ask('run', 'wait');
is($program->end, "sum 70\nstatus 0", 'what the program did');

# ---- in a function in C ----
$program = RingvizMonitor->start(<<'END')->attach;
use POSIX;
POSIX::mkfifo("$0.fifo", 0600) or die;
sub waits { POSIX::open($_[0], POSIX::O_RDONLY()) }
waits("$0.fifo");
END
$file = $program->{script};
RingvizMonitor::wait_for(sub { $program->ask('stack') =~ /^#0 POSIX::open$/m });
is($program->ask('stack'), "ring 0 does not answer; its open calls, with the lines on which they begin:\n#0 POSIX::open\n#1 main::waits at $file line 3", 'its open calls');
open my $fifo, '>', "$file.fifo" or die;
is($program->end, 'status 0', 'it goes on');

done_testing;
