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
like($program->ask('ring'), qr/^ring 0: perl, process \d+, running$/, 'ring') or BAIL_OUT('no program to control');
like($program->ask('ps'), qr/^ +RING .*\n\* +0 +\d+ +\d+ +running +perl$/, 'ps');
RingvizMonitor::wait_for(sub { $program->ask('stack') =~ /^#\d main program at \Q$file\E line [13]$/m });
like($program->ask('stack'), qr/^#0 (main::idle\(\)|main program) at .* line [13]$/m, 'the stack of what runs');
is($program->ask('eval $go'), 'undef', 'eval in what runs');
is($program->ask('step'), 'error: it is not stopped', 'only what is stopped is stepped');
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
is($program->ask('break main::later'), '3 main::later (not there yet)', 'break at a sub to come');
is($program->ask('break delete 3'), 'ok', 'it is deleted');
is($program->ask('break delete 3'), 'error: no breakpoint 3', 'once');
is($program->ask('break'), "1 Other::outer\n2 $file:8", 'they are listed');
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

# ---- watches ----
is($program->ask('watch'), 'nothing is watched', 'no watch');
is($program->ask('watch $i'), '0 $i = 2', 'watch');
is($program->ask('watch $i * 2'), '1 $i * 2 = 4', 'a second one');
is($program->ask('watch nope()'), '2 nope(): error: Undefined subroutine &main::nope called at expression line 1.', 'one that dies');
is($program->ask('watch undef'), '3 undef = undef', 'a fourth');
is($program->ask('watch 5'), 'error: ring 0: 4 watches are all there are', 'no fifth');
$program->ask('next', 'next', 'next');
like($program->ask('watch'), qr/^0 \$i = 3\n1 \$i \* 2 = 6\n2 nope\(\): error: .*\n3 undef = undef$/, 'they follow');
is($program->ask('watch delete 2'), 'ok', 'one is deleted');
like($program->ask('watch'), qr/^0 .*\n1 .*\n3 .*$/, 'and gone');
is($program->ask('watch delete 2'), 'error: no watch 2', 'once');

# ---- to the end ----
is($program->ask('nonsense'), 'error: no command \'nonsense\'; try help', 'no such command');
like($program->ask('help'), qr/^ps .*^quit /ms, 'help');
is($program->ask('send eval 6 * 7'), 'ok 42', 'send');
is($program->ask('send what ever'), 'err unknown command', 'send nonsense');
is($program->ask('ring 99'), 'error: ring 99: there is no such ring', 'a ring that nobody has had');
is($program->ask('ring x'), "error: 'x' is no ring", 'no ring');
is($program->ask('eval $total'), $program->ask('eval our $total'), 'a value');
is($program->ask('run'), 'ring 0 runs', 'run');
like($program->ask('wait'), qr/^error: ring 0: it has ended$/, 'to the end');
is($program->detach, 1, 'a monitor with failed commands fails');
is($program->end, "total 53\nstatus 0", 'what the program did');

done_testing;
