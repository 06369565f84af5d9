# What steering must hold: no answer is lost, a stop comes soon, nobody waits for a monitor that is gone, and whatever is
# in the control block harms no one.
use strict;
use warnings;
use Config;
use FindBin;
use lib "$FindBin::Bin/lib";
use RingvizMonitor;
use RingvizTest;
use Test::More;
use Time::HiRes qw(sleep time);

my $idle = "\$| = 1;\nsub idle { select undef, undef, undef, 0.01 }\nour \$go;\nidle() until \$go;\n";

# ---- 10,000 round trips ----
my $program  = RingvizMonitor->start($idle);
my $commands = write_file("stop\n" . join('', map { "eval $_ * 3\n" } 1 .. 10_000) . "eval \$go = 1\nrun\n");
my $begin    = time;
my $result   = run_plain(['sh', '-c', "\"$ENV{RINGVIZ}\" --control=\"$program->{trace}\" <$commands"]);
diag sprintf '%.0f us a command and its answer', (time - $begin) * 100;
my ($stopped, @answers) = split /\n/, $result->{out};
is($result->{status}, 0, 'a script of commands');
like($stopped, qr/^ring 0 stopped: /, 'stops the program');
is_deeply(\@answers, [(map { $_ * 3 } 1 .. 10_000), 1, 'ring 0 runs'], '10,000 commands, each with its answer');
is($program->end, 'status 0', 'the program goes on');

# ---- a stop comes soon ----
$program = RingvizMonitor->start("our (\$n, \$go) = (0);\nsub leaf { \$n++ }\nuntil (\$go) { leaf() }\nuntil (\$go > 1) { \$n++ }\n")->attach;
$program->ask('ring');
my @took;
for (1 .. 20) {
    $begin = time;
    like($program->ask('stop'), qr/^ring 0 stopped: .* line [23]$/, 'stopped among calls');
    push @took, time - $begin;
    $program->ask('run');
}
@took = sort { $a <=> $b } @took;
diag sprintf 'a stop takes %.1f ms, %.1f ms at most, while events flow', $took[10] * 1000, $took[-1] * 1000;
cmp_ok($took[10], '<', 2, 'soon');
$program->ask('eval $go = 1');
ok(RingvizMonitor::wait_for(sub { $program->ask('stop') =~ /^ring 0 stopped: main program .* line 4$/ || $program->ask('run') eq '' }),
    'a loop without calls is stopped, too');
like($program->ask('eval 1 while 1'), qr/^error: ring 0: it does not answer/, 'an expression without an end');
is($program->ask('eval 5'), '5', 'is given up');
like($program->ask('display 1 while 1'), qr/^0 1 while 1: error: given up/, 'so is one that is displayed');
is($program->ask('display delete 0'), 'ok', 'which can be deleted');
my $displayed = $program->ask('display select undef, undef, undef, 1.5');
like($displayed, qr/^\d select .*(?:=|error: given up)/, 'one that takes long is waited for');
$program->ask('display delete ' . substr $displayed, 0, 1);
is($program->ask('watch 1 while 1'), 'error: given up at expression line 1.', 'one that is watched');
$program->ask('eval $go = 2', 'run');
is($program->end, 'status 0', 'and the program ends');

# ---- a monitor that is killed ----
$program = RingvizMonitor->start("$idle\nsub tick { print time, \"\\n\"; select undef, undef, undef, 0.05 }\ntick() for 1 .. 20;\n")->attach;
$program->ask('stop', 'break main::tick', 'eval $go = 1', 'run');
like($program->ask('wait'), qr/^ring 0 stopped: main::tick/, 'stopped at a breakpoint');
my ($monitor) = read_file("/proc/$program->{monitor}/task/$program->{monitor}/children") =~ /(\d+)/;
kill KILL => $monitor;
my $killed = time;
ok(RingvizMonitor::wait_for(sub { -s $program->{out} }), 'goes on');
diag sprintf '%.2f s after its monitor was killed', time - $killed;
$program->detach;
like($program->end, qr/^(\d+\.?\d*\n){20}status 0$/, 'without its breakpoints');

$program = RingvizMonitor->start($idle)->attach;
$program->ask('stop');
print { $program->{commands} } "eval \$go = 1; print STDERR qq{evaluated\\n}; 1 while 1\n";
$program->{commands}->flush;
RingvizMonitor::wait_for(sub { -s $program->{out} });
($monitor) = read_file("/proc/$program->{monitor}/task/$program->{monitor}/children") =~ /(\d+)/;
kill KILL => $monitor;
$program->detach;
is($program->end, "evaluated\nstatus 0", 'killed while it waits for an expression without an end: the program goes on');

# What is evaluated again and again for a monitor is not without one: sooner or later, in 20 calls one after the other.
$program = RingvizMonitor->start($idle . <<'END')->attach;
our ($asked, $sum);
sub tick { $sum++; select undef, undef, undef, 0.01 }
my ($n, $n_unasked, $before) = (0) x 3;
while ($n_unasked < 20 && $n++ < 6000) {
    tick();
    $n_unasked = $asked == $before ? $n_unasked + 1 : 0;
    $before = $asked;
}
print $asked > 2 && $n_unasked == 20 ? 'few' : $asked, "\n";
END
$program->ask('stop', 'break main::tick if $asked++ && 0', 'watch $asked++ && 0', 'eval $go = 1', 'run');
ok(RingvizMonitor::wait_for(sub { $program->ask('eval $asked > 2 ? 1 : 0') eq '1' }), 'a condition is asked for');
($monitor) = read_file("/proc/$program->{monitor}/task/$program->{monitor}/children") =~ /(\d+)/;
kill KILL => $monitor;
$program->detach;
is($program->end, "few\nstatus 0", 'not when its monitor was killed');

# ---- an expression that ends the program ----
$program = RingvizMonitor->start("$idle\nEND { idle() for 1 .. 20; print \"end\\n\" }\n")->attach;
$program->ask('stop', 'eval $? = 5', 'eval exit 3');
unlike($program->ask('ps'), qr/stopped/, 'what leaves by exit runs');
is($program->end, "end\nstatus 3", 'to its end, with its status');

# ---- threads and children ----
$program = RingvizMonitor->start("sub work { my (\$who, \$n) = \@_; sleep 0 while !\$main::go++ < 0; until (\$main::done) { \$n++; rest() } print \"\$who\\n\" }\nsub rest { select undef, undef, undef, 0.01 }\nmy \$pid = fork;\nwork(\$pid ? 'parent' : 'child', 0);\nwaitpid \$pid, 0 if \$pid;\n")->attach;
RingvizMonitor::wait_for(sub { my @rings = $program->ask('ps') =~ /running/g; @rings == 2 });
my ($parent) = $program->ask('eval $who') eq '"parent"' ? 0 : 1;
my $child = 1 - $parent;
like($program->ask("stop $child"), qr/^ring $child stopped/, 'a child is stopped');
like($program->ask('ps'), qr/running/, 'its parent runs');
like($program->ask('stop all'), qr/^ring 0 stopped.*\nring 1 stopped.*$/, 'all are stopped');
is($program->ask("ring $child", 'eval $main::done = 1'), '1', 'the child ends');
is($program->ask("ring $parent", 'eval $main::done'), 'undef', 'its parent was not');
is($program->ask('run all'), "ring 0 runs\nring 1 runs", 'all go on');
RingvizMonitor::wait_for(sub { -s $program->{out} });
$program->ask("ring $parent", 'eval $main::done = 1');
like($program->end, qr/^child\nparent\nstatus 0$/, 'and end');

SKIP: {
    skip 'perl without threads', 3 unless $Config{useithreads};
    $program = RingvizMonitor->start("use threads; use threads::shared;\nmy \$done :shared;\nsub rest { select undef, undef, undef, 0.01 }\nsub work { my \$n = 0; until (\$done) { \$n++; rest() } \$n }\nmy \@t = map { threads->create(\\&work) } 1 .. 3;\n\$_->join for \@t;\n")->attach;
    RingvizMonitor::wait_for(sub { my @rings = $program->ask('ps') =~ /running/g; @rings == 4 });
    like($program->ask('stop 1'), qr/^ring 1 stopped: main::(work|rest)/, 'a thread is stopped');
    like($program->ask('ring 1', 'next', 'next'), qr/^ring 1 stopped: main::(work|rest)/, 'and stepped');
    is($program->ask('eval $done = 1'), '1', 'a shared variable is written');
    $program->ask('run');
    is($program->end, 'status 0', 'all threads end');
}

# ---- a server with workers, and a program that begins ----
my $served = "$RingvizTest::folder/served";
$program = RingvizMonitor->start("our (\$n, \$last) = (0);\nsub rest { select undef, undef, undef, 0.01 }\nsub handle {\n    my (\$worker) = \@_;\n    return \$n++;\n}\nfor my \$worker (1 .. 3) {\n    next if fork;\n    until (\$last) { rest(); handle(\$worker) if -e '$served' }\n    print \"worker \$worker\\n\";\n    exit;\n}\n1 while wait > 0;\n")->attach;
RingvizMonitor::wait_for(sub { my @rings = $program->ask('ps') =~ /running/g; @rings >= 3 });
my @set = split /\n/, $program->ask('break all handle if $_[0] != 2');
is(scalar(grep { /^ring \d+: 1 main::handle if/ } @set), 3, 'a breakpoint of all workers') or diag "@set";
is($program->ask('wait all 0'), 'error: no thread has stopped', 'none is met');
write_file('', 'served');
my %met;
for (1 .. 2) {
    like(my $place = $program->ask('wait all'), qr/^ring \d+ stopped: main::handle\((\d)\) at .* line 4$/, 'a worker has met it');
    $met{$program->ask('eval $_[0]')}++;
    is($program->ask('step'), $place =~ s/line 4/line 5/r, 'and is the one that is spoken to');
}
is_deeply(\%met, { 1 => 1, 3 => 1 }, 'each for which its condition holds, once');
is($program->ask('wait all 0'), 'error: no thread has stopped', 'what was shown is not shown again');
$program->ask('break all delete all');
my @rings = $program->ask('ps') =~ /^[* ] +(\d+)/mg;
$program->ask("ring $_", 'stop', 'eval $last = 1', 'run') for @rings;
like($program->ask('wait all'), qr/^error: all threads have ended$/, 'to the end') or diag $program->ask('ps');
is(join("\n", sort split /\n/, $program->end), "status 0\nworker 1\nworker 2\nworker 3", 'of all');

my $begun = write_file("use strict;\nuse Getopt::Long;\nBEGIN { our \$early = 1 }\nour \$x = 5;\nsub f {\n    \$x++;\n}\nf();\n", 'a program.pl');
$program = RingvizMonitor->start("$idle\nsystem \$^X, '$begun';\n")->attach;
$program->ask('eval 1', 'stop new', 'eval $go = 1');
like($program->ask('wait all'), qr/^ring 1 stopped: main::BEGIN\(\) at \Q$begun\E line 1$/, 'a program that begins is stopped in its first use');
is($program->ask('break a program.pl:6'), '1 a program.pl:6 (not loaded yet)', 'when most of it is not compiled');
is($program->ask('start'), "ring 1 stopped: main program at $begun line 4", 'and runs to its main program');
like($program->ask('break 5'), qr/^error: line 5 has no statement/, 'which is compiled');
is($program->ask('run', 'wait'), "ring 1 stopped: main::f() at $begun line 6", 'and has its breakpoint');
$program->ask('run');
is($program->end, 'status 0', 'it ends');

# ---- trace off and on ----
$program = RingvizMonitor->start(
    "$idle\nour \$phase = 0;\nsub told { 1 }\nsub untold { 1 }\ntold() for 1 .. 10;\n\$phase = 1;\n"
        . "idle() until \$phase == 2;\nuntold() for 1 .. 10_000;\n\$phase = 3;\nidle() until \$phase == 4;\ntold() for 1 .. 10;\n",
    mode => ['--report=csv']
)->attach;
my $is_phase = sub { my ($n) = @_; RingvizMonitor::wait_for(sub { $program->ask('eval $phase') eq $n }) };
$program->ask('eval $go = 1');
$is_phase->(1);
is($program->ask('trace off'), 'ring 0: trace off', 'trace off');
like($program->ask('ps'), qr/script\d+\.pl \(trace off\)$/m, 'as ps says');
$program->ask('eval $phase = 2');
$is_phase->(3);
is($program->ask('trace on'), 'ring 0: trace on', 'trace on');
$program->ask('eval $phase = 4');
my $report = $program->end;
like($report, qr{^main::told,.*?,\d+,20,}m, 'what was called while it was on');
unlike($report, qr/main::untold/, 'nothing else');

# ---- a control block that is overwritten ----
my $enough = "$RingvizTest::folder/enough";
$program = RingvizMonitor->start("$idle\nsub f { \$_[0] ? f(\$_[0] - 1) : 0 }\nf(20) until -e '$enough';\nprint \"done\\n\";\n")->attach;
$program->ask('eval $go = 1');
$program->detach;
open my $trace, '+<:raw', $program->{trace} or die;
read $trace, my $header, 0x200;
my $controls = unpack 'x64 Q<', $header;
srand 7;
for my $round (1 .. 3000) {    # flags, the live stack and all from there on; not who owns the ring, nor how far it is written
    my $at = $round % 2 ? 0x40 + int rand 0x40 : 0x180 + int rand 0x1400;
    sysseek $trace, $controls + $at, 0;
    syswrite $trace, pack 'C*', map { int rand 256 } 1 .. 1 + int rand 16;
    sysseek $trace, $controls + 0x50, 0;
    syswrite $trace, pack 'L', 1;
    sleep 0.0005;
}
open my $end, '>', $enough or die;
like($program->end, qr{^done\n(?s:.*)status 0$}m, 'random bytes in the control block: the program runs on');

done_testing;
