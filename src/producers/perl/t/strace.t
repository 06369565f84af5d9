# Devel::STrace, seen by Devel::STrace::Monitor, plstrace.pl and ringviz: while the program runs, and after it died.
use strict;
use warnings;
use utf8;
use Config;
use FindBin;
use lib "$FindBin::Bin/lib";
use lib $ENV{RINGVIZ_PERL_MODULES};
use IPC::Open3;
use RingvizTest;
use Symbol 'gensym';
use Test::More;
use Devel::STrace::Monitor;

my $plstrace = $ENV{RINGVIZ} =~ s{[^/]*$}{plstrace.pl}r;
my $n_files  = 0;
my $file;
delete @ENV{ grep { /^DEVEL_RINGBUF_|^RINGVIZ_(?!PERL_MODULES)/ } keys %ENV };
$ENV{PERL5LIB} = $ENV{RINGVIZ_PERL_MODULES};

sub use_new_file { $ENV{DEVEL_RINGBUF_FILE} = $file = "$RingvizTest::folder/file" . $n_files++ }

# What scripts have in common: pause() says so and waits for a line.
my $prelude = 'use strict; $| = 1; sub pause { print("here @_\n"), scalar <STDIN> } ';

# A program under Devel::STrace, until its first pause.
sub start {
    my ($text, @options) = @_;
    use_new_file();
    my $self = { path => write_file("$prelude$text") };
    open my $err, '>', $self->{err} = "$file.err" or die;
    $self->{pid} = open3($self->{in}, $self->{out} = gensym, '>&' . fileno $err, 'perl', '-d:STrace', @options, $self->{path});
    $self->{at} = readline $self->{out};
    $self->{view} = Devel::STrace::Monitor->open($file) or die "$file: $!";
    return $self;
}

sub go_on { my ($self) = @_; print { $self->{in} } "\n"; return $self->{at} = readline $self->{out} }

sub end {
    my ($self) = @_;
    close $self->{in};
    1 while defined readline $self->{out};
    waitpid $self->{pid}, 0;
    return $?;
}

# "sub:line sub:line" of a thread, innermost first.
sub stack_of {
    my ($view, @keys) = @_;
    my @frames;
    $view->refresh->trace(sub { my ($key, $slot, $depth, $line, $time, $name) = @_; push @frames, "$name:$line" }, @keys);
    return join ' ', map { s/^main:://r } @frames;
}

# One thread.
my $program = start(<<'END');
sub inner { my $n = shift;
    pause('inner'); }
sub outer { my $x = 1;
    inner($x);
    pause('outer');
}
outer();
pause('main');
END
my $view = $program->{view};
is_deeply([$view->getPIDTIDs], ["$program->{pid}:0"], 'one thread');
my @calls;
$view->trace(sub { push @calls, [@_] });
is_deeply([map { [@$_[0 .. 3, 5]] } @calls],
    [["$program->{pid}:0", 2, 3, 1, 'main::pause'], ["$program->{pid}:0", 1, 2, 2, 'main::inner'], ["$program->{pid}:0", 0, 1, 4, 'main::outer']],
    'key, slot, depth, line and name of each frame, the innermost first');
is(scalar(grep { abs($_->[4] - time) < 60 } @calls), 3, 'and when');
go_on($program);
is(stack_of($view), 'pause:1 outer:5', 'later it is elsewhere');
go_on($program);
is(stack_of($view), 'pause:1', 'and out of both');
is($view->trace(sub { fail('no such thread') }, 1, "$program->{pid}:7"), $view, 'a thread that is none');
is(stack_of($view, $program->{pid}), 'pause:1', 'a process by its PID');
is(end($program), 0, 'it ends as it would');
is(read_file($program->{err}), "\n*** Ringbuffer file is $file\n", 'the name of the file is printed, and nothing else');
is_deeply([$view->refresh->getPIDTIDs], [], 'then there is no thread');

# Every way out of a sub.
$program = start(<<'END');
sub dier { die "x" } sub leaver { no warnings; last } sub gone { goto &there } sub there { 1 }
my $place = 1; sub place : lvalue { $place }
sub deep { my $n = shift; no warnings 'recursion'; $n ? deep($n - 1) : 0 }
package Shape { our $AUTOLOAD; sub AUTOLOAD { my $n = 1; main::pause($AUTOLOAD) if $AUTOLOAD =~ /area|DESTROY/; 1 } }
sub all { eval { dier() } for 1 .. 3;
    for (1) { leaver() }
    gone();
    place() = 7;
    deep(20000);
    my $anon = sub { pause('anon') };
    $anon->();
    bless([], 'Shape')->area if $place == 7; }
all();
END
is(stack_of($program->{view}), "pause:1 __ANON__[$program->{path}:10]:10 (Invalid slot due to prior wrap):11", 'die, last, goto, an lvalue sub, 20,000 frames: all left');
go_on($program);
is(stack_of($program->{view}), 'pause:1 Shape::AUTOLOAD for Shape::area:4 (Invalid slot due to prior wrap):12', 'AUTOLOAD tells what for');
go_on($program);
is(stack_of($program->{view}), 'pause:1 Shape::AUTOLOAD for Shape::DESTROY:4', 'DESTROY, too');
is(end($program), 0, 'and nothing of it differs');

# Deeper than there are slots.
{
    local $ENV{DEVEL_RINGBUF_SLOTS} = 4;
    $program = start('sub down { my $n = shift; down($n - 1) if $n; pause() if $n == 0 || $n == 5 } down(6);');
    is(stack_of($program->{view}), 'pause:1 down:1 down:1 down:1', 'the innermost of a deep stack');
    go_on($program);
    is(stack_of($program->{view}), 'pause:1 (Invalid slot due to prior wrap):1 (Invalid slot due to prior wrap):-1', 'of what deeper frames have used only lines are known');
    end($program);
}

# Flags: nothing is written while all are 0.
$program = start('sub f { pause(@_) } sub g { f(@_) } f(1); g(2); f(3); g(4); f(5);');
$view = $program->{view};
my $key = "$program->{pid}:0";
is_deeply([{ $view->getTrace }, { $view->getSignal }, $view->getSingle], [{ $key => 1 }, { $key => 0 }, 0], 'a thread begins traced');
is_deeply({ $view->setTrace(0) }, { $key => 1 }, 'setting tells what was');
go_on($program);
is(stack_of($view), '', 'not traced: left frames are left, no new ones come');
is($view->setSingle(1), 0, 'single');
go_on($program);
is(stack_of($view), 'pause:1 f:1', 'traces all threads');
is_deeply([$view->setSingle(0), { $view->setSignal($program->{pid}, 5) }, { $view->setSignal('1:1', 6) }], [1, { $key => 0 }, {}], 'signal, by PID');
go_on($program);
is(stack_of($view), 'pause:1 f:1 g:1', 'traces one');
is_deeply([{ $view->getSignal($key) }, { $view->setSignal($key, 0) }], [{ $key => 5 }, { $key => 5 }], 'by its key');
go_on($program);
is(stack_of($view), '', 'off again');
end($program);

# Watches and commands reach the program's ring, where its own code asks for them.
$program = start('pause()');
my $ring = $program->{view}->getRing("$program->{pid}:0");
is($ring->addWatch('$main::n'), 0, 'a watch of its ring');
ok($ring->postCommand('RUN', ''), 'a command');
ok(!defined $program->{view}->getRing('1:1'), 'no ring of none');
end($program);

# Processes and threads.
$program = start('sub child { pause(@_) } sub splits { my $pid = fork; if (!$pid) { child("child"); exit } waitpid $pid, 0; pause("parent") } splits();');
my ($child) = grep { !/^$program->{pid}:/ } $program->{view}->refresh->getPIDTIDs;
is(stack_of($program->{view}, $child), 'pause:1 child:1 splits:1', 'a child goes on in the frames that it was forked in');
is(stack_of($program->{view}, $program->{pid}), 'splits:1', 'as its parent does');
go_on($program);
is(stack_of($program->{view}), 'pause:1 splits:1', 'the parent returns to what it was in');
is(end($program), 0, 'and ends');
is(read_file($program->{err}), "\n*** Ringbuffer file is $file\n", 'it prints nothing about it');

SKIP: {
    skip 'perl without threads', 2 unless $Config{useithreads};
    $program = start('use threads; sub work { pause() } sub waits { threads->create(\&work)->join } waits();');
    like(join(' | ', map { stack_of($program->{view}, $_) } sort $program->{view}->refresh->getPIDTIDs),
        qr/^threads::(?:create|join):0 waits:1 \| pause:1 work:1$/, 'a thread has its own');
    is_deeply([sort $program->{view}->getPIDTIDs], ["$program->{pid}:0", "$program->{pid}:1"], 'by its number');
    end($program);
}

# A program that it starts shares the file; a third one has no ring.
{
    local $ENV{DEVEL_RINGBUF_BUFFERS} = 2;
    my $second = write_file("$prelude sub second { if (fork) { wait } else { pause('third') } } second();");
    $program = start("sub first { system 'perl', '-d:STrace', '$second' } first();");
    like(join(' | ', map { stack_of($program->{view}, $_) } $program->{view}->refresh->getPIDTIDs), qr/^first:1 \| second:1$/, 'a second program in the file; no ring for its child');
    is($program->{at}, "here third\n", 'which runs on');
    end($program);
    is(read_file($program->{err}), "\n*** Ringbuffer file is $file\n" x 2, 'and nothing is said');
}

# Post mortem: killed by SIGKILL.
$program = start(<<'END');
sub leaf { 1 }
sub work { leaf() for 1 .. 5;
    my $n = 1;
    pause();
}
work();
END
kill KILL => $program->{pid};
end($program);
is_deeply([$program->{view}->refresh->getPIDTIDs, $program->{view}->isUsed], ["$program->{pid}:0", ''], 'a killed program is there, when nothing else is');
is(stack_of($program->{view}), 'pause:1 work:4', 'with its last frames');
my $shown = run_plain([$plstrace, '-f', $file, '-s', '60']);
my $stars = '\*' x 47;
my $date  = qr/\w{3} \w{3}  ?\d+ \d\d:\d\d:\d\d/;
like($shown->{out}, qr/\A\n$stars\n\*\*\* At $date \d{4}\n\n$stars\n$program->{pid}:0\(2\) : 1 : main::pause:1 at $date\.\d{6}\n$program->{pid}:0\(1\) : 0 : main::work:4 at $date\.\d{6}\n\z/,
    'plstrace.pl shows it, once');
is("$shown->{status}$shown->{err}", '0', 'and ends');
my $output = "$RingvizTest::folder/output";
run_plain([$ENV{RINGVIZ}, '--report=json', "--output=$output", $file]);
my $report = read_file($output);
like($report, qr/"name":"main::leaf"[^}]*"calls":5,/, 'ringviz shows its last calls');
like($report, qr/"last_line":1\}/, 'and its last line');

# plstrace.pl beside a program that runs.
$program = start('sub f { pause() } sub g { f() } g();');
my @looks;
for (my $duration = 0.1; $duration < 20 && @looks < 4; $duration *= 3) {
    $shown = run_plain([$plstrace, '-s', '0.01', '-d', $duration, $program->{pid}]);
    is($shown->{status}, 0, 'plstrace.pl ends in time') or diag $shown->{err};
    @looks = split /\n\*+\n\*\*\* At .*\n/, $shown->{out};
}
cmp_ok(scalar @looks, '>', 3, 'it looks every so often');
my %looks = map { s/ at .*//gmr => 1 } grep { $_ ne '' } @looks;
is_deeply([keys %looks], ["\n" . '*' x 47 . "\n" . join '', map { "$key\($_->[0]) : $_->[1] : main::$_->[2]:1\n" =~ s/^\d+/$program->{pid}/r } [3, 2, 'pause'], [2, 1, 'f'], [1, 0, 'g']], 'and shows all frames');
$shown = run_plain([$plstrace]);
is(scalar(() = $shown->{out} =~ /^\*\*\* At /mg) . " $shown->{status}$shown->{err}", '1 0', 'without an interval it prints once');
unlike(run_plain([$plstrace, '-d', '0', '1:2'])->{out}, qr/main/, 'of the threads that are asked for only');
end($program);
is(run_plain([$plstrace, @$_])->{status}, 2, "plstrace.pl @$_ is refused") for ['-x'], ['-s', 'often'], ['pid'];
my $refused = run_plain([$plstrace, '-f', "$file.none"]);
is("$refused->{status} $refused->{err}", "2 plstrace.pl: $file.none: No such file or directory\n", 'no file');
like(run_plain([$plstrace, '-h'])->{out}, qr/^Usage: plstrace.pl \[-h\] \[-s interval\] \[-d duration\] \[-f file\] \[pid\[:tid\]\.\.\.\]$/m, 'its help');

# Where no file can be made the program runs.
for my $case (["/nowhere/file", 'No such file or directory'], [write_file('foreign', 'foreign'), 'File exists|Bad message']) {
    local $ENV{DEVEL_RINGBUF_FILE} = $case->[0];
    my $result = run_plain(['perl', '-d:STrace', '-e', 'sub f { print "runs" } f()']);
    is("$result->{status} $result->{out}", '0 runs', "$case->[0]: the program runs");
    like($result->{err}, qr/\ADevel::STrace: no ring buffer file: (?:$case->[1])\n\z/, 'and that is said');
}
is(read_file("$RingvizTest::folder/foreign"), 'foreign', 'a foreign file is left alone');

# Under ringviz the file is ringviz's, which sees it all.
use_new_file();
my $traced = run_traced(['perl', '-d:STrace', my $path = write_file('sub leaf { 1 } sub f { leaf() for 1 .. 3 } f() for 1 .. 1000;')]);
is(scalar(grep { $_->{name} eq 'main::leaf' && $_->{flags} eq '' } @{ $traced->{spans} }), 3000, 'under ringviz every call is seen');
like($traced->{err}, qr/^\*\*\* Ringbuffer file is /m, 'in a file whose name is printed, too');
ok(!-e $file, 'and no other');

# What the manual shows.
my ($text) = read_file((glob "$ENV{RINGVIZ_PERL_MODULES}/*/*/Devel/STrace/Monitor.pm")[0]) =~ /^=head1 SYNOPSIS\n(.*?)^=head1/ms;
$program = start('sub f { pause() } f();');
$text =~ s/somescript.trace/$file/;
my $result = run_plain(['perl', write_file("use strict; use warnings;\n$text")]);
like("$result->{status} $result->{err}$result->{out}", qr/\A0 threads: $program->{pid}:0\n(?:$program->{pid}:0\(2\) : 1 : main::pause:1 at $date \d{4}\n$program->{pid}:0\(1\) : 0 : main::f:1 at $date \d{4}\n){3}\z/,
    'the synopsis of Monitor runs');
is(stack_of($program->{view}), 'pause:1 f:1', 'and leaves the program as it was');
end($program);
($text) = read_file((glob "$ENV{RINGVIZ_PERL_MODULES}/*/*/Devel/STrace.pm")[0]) =~ /^=head1 SYNOPSIS\n(.*?)^=head1/ms;
my $folder = "$RingvizTest::folder/synopsis";
mkdir $folder;
write_file('sub f { 1 } f()', 'synopsis/somescript.pl');
my ($bin) = $plstrace =~ m{(.*)/};
$result = run_plain(['sh', '-ec', "cd $folder; PATH=$bin:\$PATH; $text" =~ s/-d 100/-d 0/r =~ s/ringviz somescript/ringviz --report somescript/r]);
is($result->{status}, 0, 'the synopsis of STrace runs') or diag $result->{err};
like($result->{out}, qr/main::f/, 'and shows what was called');

done_testing;
