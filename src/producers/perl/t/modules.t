# Ways to load modules and debuggers, and modules that replace parts of perl.
use strict;
use warnings;
use FindBin;
use JSON::PP 'decode_json';
use lib "$FindBin::Bin/lib";
use RingvizTest;
use Test::More;

sub calls_of { my ($result, $name) = @_; return scalar grep { $_->{name} eq $name } @{ $result->{spans} } }

# ---- what is loaded before the program ----
my $used   = write_file('package Used; sub import { inner() } sub inner { 1 } inner() for 1 .. 10; 1;', 'Used.pm');
my $folder = $used =~ s{/[^/]*$}{}r;
my @loaded = ('-I', $folder);
my $result = run_traced(['perl', @loaded, '-MUsed', '-e', 'Used::inner() for 1 .. 3']);
is(calls_of($result, 'Used::inner'), 14, '-M: what it loads, its import and the program');
is(calls_of($result, 'Used::import'), 1, '-M: import');
$result = run_traced(['perl', @loaded, '-e', 'Used::inner()'], undef, PERL5OPT => '-MUsed');
is(calls_of($result, 'Used::inner'), 12, '-M in PERL5OPT');
$result = run_traced(['perl', @loaded, '-MUsed', '-e', 'print defined $ENV{PERL5DB} ? "debugs" : "", $^P, "\n"; system $^X, "-e", "Used::none() if 0; sub f {} f()"; exit']);
is("$result->{err}$result->{out}", "0\n", 'no debugger is seen');
is(calls_of($result, 'main::f'), 1, 'nor by what it starts, which is traced, too');

# ---- debuggers of the command line ----
write_file('package Devel::Own; sub import { shift; print "own @_\n" } package DB; our $n; sub DB { $n++ } END { print $n > 2 ? "stepped\n" : "" } 1;', 'Own.pm');
mkdir "$folder/Devel";
rename "$folder/Own.pm", "$folder/Devel/Own.pm";
sub debugged {
    my ($what, $switches, $out, %env) = @_;
    my @command = ('perl', @loaded, @$switches, '-e', "sub f { 1 }\nf();\nf();\nexit");
    is(run_plain(\@command, %env)->{out}, $out, "$what: without ringviz");
    my $result = run_traced(\@command, undef, %env);
    is($result->{out}, $out, "$what: with it");
    is(calls_of($result, 'main::f'), 2, "$what: traced");
}
debugged('-d:',             ['-d:Own'],           "own \nstepped\n");
debugged('arguments',       ['-wd:Own=a,b'],      "own a b\nstepped\n");
debugged('among others',    ['-w', '-l012', '-0777d:Own=a', '-MUsed'], "own a\n\nstepped\n\n");
debugged('PERL5DB',         ['-d'],               "mine\n",        PERL5DB => 'sub DB::DB {} BEGIN { print "mine\n" }');
debugged('in PERL5OPT',     [],                   "own 1\nstepped\n", PERL5OPT => '-d:Own=1');
debugged('both',            ['-d:Own'],           "own 1\nstepped\n", PERL5OPT => '-w d:Own=1');
debugged('only for others', [],                   '',              PERL5DB => 'die');
debugged("perl's own",      ['-d'],               '',              PERLDB_OPTS => 'NonStop=1 TTY=/dev/null');
debugged('of another word', ['-I', '-d:Own'], '');

is(run_traced(['perl', '-e', 'print ${^TAINT}'], undef, PERL5OPT => '-T')->{out}, 1, 'PERL5OPT=-T: as without');

# ---- Class::XSAccessor: an op of its own at each place that has called an accessor once ----
SKIP: {
    eval { require Class::XSAccessor } or skip 'no Class::XSAccessor', 4;
    my $script = write_file(<<'END');
package Thing;
use Class::XSAccessor constructor => 'new', accessors => { value => 'value' }, predicates => { has_value => 'value' };
package main;
my $thing = Thing->new(value => 1);
my $sum   = 0;
for my $i (1 .. 100) {
    $sum += $thing->value;
    $thing->value($i) if $thing->has_value;
}
for my $method (qw(value has_value) x 5) { $sum += $thing->$method }
print "$sum\n";
END
    my $result = run_traced(['perl', $script]);
    is($result->{out}, run_plain(['perl', $script])->{out}, 'accessors: what the program prints');
    is(calls_of($result, "Thing::$_->[0]"), $_->[1], "accessors: $_->[0]") for ['new', 1], ['value', 205], ['has_value', 105];
}

# ---- Coro: coroutines of one thread, each with a stack of its own ----
SKIP: {
    eval { require Coro } or skip 'no Coro', 22;
    my $text = <<'END';
use Coro;
sub leaf { cede; $_[0] }
sub middle1 { leaf() for 1 .. 3 }
sub middle2 { leaf() for 1 .. 3 }
sub middle3 { eval { leaf() for 1 .. 2; die }; leaf() }
sub dies { Coro::terminate() }
sub unwound { local $x = 1; cede while 1 }
my @all = (async { middle1() }, async { middle2() }, async { middle3() }, async { dies() });
my $cancelled = async { unwound() };
sub waits { cede for 1 .. 10; $_->join for @all; $cancelled->cancel }
waits();
END
    for (['used', [], "use Coro;$text"], ['-MCoro', ['-MCoro'], $text]) {
        my ($what, $switches, $text) = @$_;
        my $result = run_traced(['perl', @$switches, write_file("$text print qq(done\n);")]);
        is("$result->{status} $result->{out}", "0 done\n", "Coro, $what: the program");
        my %of;
        push @{ $of{ $_->{name} } }, $_ for @{ $result->{spans} };
        is(scalar @{ $of{"main::leaf"} }, 9, "Coro, $what: calls");
        is(scalar(grep { $_->{flags} } map { @{ $of{"main::$_"} } } qw(leaf middle1 middle2 middle3 dies unwound waits)), 0, "Coro, $what: each with its return");
        my %depths = map { my $name = $_; $name => join ' ', keys %{ { map { $_->{depth} => 1 } @{ $of{$name} } } } } keys %of;
        is_deeply([@depths{qw(main::waits main::middle1 main::middle2 main::middle3 main::leaf)}], [0, 2, 2, 2, 3], "Coro, $what: depths");
        my ($one, $two) = map { $of{"main::middle$_"}[0] } 1, 2;
        ok($one->{start_ns} < $two->{start_ns} && $one->{start_ns} + $one->{duration_ns} > $two->{start_ns}, "Coro, $what: they take turns");
        my $end = $one->{start_ns} + $one->{duration_ns};
        is(scalar(grep { $_->{start_ns} > $one->{start_ns} && $_->{start_ns} < $end } @{ $of{'main::leaf'} }) > 3, 1, "Coro, $what: within it others call");
    }

    # Coro runs its own functions, but for the first time, past perl: by name, by reference and by method.
    my $counts = run_traced(['perl', write_file(<<'END')]);
use Coro;
sub turns { cede for 1 .. 20 }
sub by_reference { my $f = \&Coro::cede; $f->() for 1 .. 5 }
sub in_sort { my @sorted = sort { cede; $a <=> $b } 2, 1; }
sub sleeps { my $self = shift; for (1 .. 10) { $self->ready; schedule } }
$_->join for map { async { turns(); by_reference(); in_sort() } } 1 .. 3;
$_->join for map { async { sleeps($Coro::current) } } 1 .. 2;
print "done\n";
END
    is("$counts->{status} $counts->{out}", "0 done\n", 'Coro, its own functions: the program');
    is(calls_of($counts, 'Coro::cede'), 78, 'cede');
    is(calls_of($counts, 'Coro::join'), 5, 'join');
    is(scalar(grep { $_->{flags} } grep { $_->{name} =~ /^(?:Coro::(?:cede|join)|main::\w+)$/ } @{ $counts->{spans} }), 0, 'each with its return');

    # A forked child begins with the frames of all coroutines.
    my $script = write_file(<<'END');
use Coro;
use POSIX ();
sub inner { cede; 1 }
sub outer { inner(); 1 }
my $other = async { outer() };
sub forks {
    cede;
    if (my $pid = fork) { waitpid $pid, 0; POSIX::_exit(0) } else { $other->join; return 1 }
}
forks();
END
    my $result = run_traced(['perl', $script]);
    my ($child) = map { $_->{process} } grep { $_->{name} eq 'main::forks' && $_->{flags} !~ /open/ } @{ $result->{spans} };
    my @childs = sort { $a->{depth} <=> $b->{depth} } grep { $_->{process} == ($child // 0) && $_->{name} =~ /^main::(?:outer|inner)$/ } @{ $result->{spans} };
    is_deeply([map { "$_->{name} $_->{depth} $_->{flags}" } @childs], ['main::outer 2 ', 'main::inner 3 '], 'Coro, a forked child: frames of other coroutines');
    is(scalar(grep { $_->{process} == ($child // 0) && $_->{name} eq 'main::forks' && $_->{depth} == 0 } @{ $result->{spans} }), 1, 'and its own');

    # A call is suspended while another coroutine runs.
    my $report = "$folder/report.json";
    my $suspended = run_plain([$ENV{RINGVIZ}, '--report=json', "--output=$report", '--', 'perl', write_file(<<'END')]);
use Coro;
sub works { my $sum = 0; $sum += $_ for 1 .. 100_000; return $sum }
sub yields { cede; return 1 }
my $yields = async { yields() };
cede;
works();
$yields->join;
END
    is($suspended->{status}, 0, 'Coro, what is suspended: the program');
    my %of = map { $_->{name} => $_ } @{ decode_json(read_file($report))->{subroutines} };
    my ($yields, $works) = @of{qw(main::yields main::works)};
    cmp_ok($yields->{self_suspended_ns}, '>=', $works->{total_ns}, 'the one that yields, for as long as the other works');
    cmp_ok($yields->{self_suspended_ns}, '<=', $yields->{self_ns}, 'within its own time');
    is($works->{total_suspended_ns}, 0, 'the other is not');
}

done_testing;
