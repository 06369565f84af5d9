# How a program ends: what was open is closed, or said to be open; nothing of what was called is missing.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use RingvizTest;
use Test::More;

# Status, and the tree of the script's own subs. Spans that are still open have a !.
sub check {
    my ($what, $text, $status, $tree, $loader) = @_;
    my $path   = write_file("sub leaf { 1 }\n$text");
    my $result = run_traced(['perl', @{ $loader // [] }, $path]);
    my $seen   = join ' | ', map { my $s = $_; @$s } [map { $_->[2] } trees(
        [map { { %$_, name => $_->{name} . ($_->{flags} eq 'open' ? '!' : ''), flags => $_->{flags} eq 'open' ? '' : $_->{flags} } } @{ $result->{spans} }],
        sub { $_[0]{file} eq $path })];
    is($result->{status}, $status, "$what: status");
    is($seen, $tree, $what);
}

check('exit in a sub', 'END { leaf() } sub out { leaf(); exit 3 } sub deeper { out() } deeper();', 3, 'deeper(out(leaf)) END(leaf)');
check('uncaught die', 'END { leaf() } sub out { die "x" } sub deeper { out() } deeper();', 255, 'deeper(out) END(leaf)');
check('running off the end', 'sub f { leaf() } f();', 0, 'f(leaf)');
check('exit in END', 'END { leaf(); $? = 4 } leaf();', 4, 'leaf END(leaf)');
check('global destruction', 'our $o = bless []; sub DESTROY { leaf() } leaf();', 0, 'leaf DESTROY(leaf)');
check('exit in an XS callback', 'use List::Util "first"; sub f { first { exit 5 } 1 } f();', 5, 'BEGIN f');
check('POSIX::_exit', 'use POSIX (); sub f { leaf(); POSIX::_exit(6) } f();', 6, 'BEGIN f!(leaf)');
check('exec', 'sub f { leaf(); exec "true" } f();', 0, 'f!(leaf)');
check('kill -9', 'sub f { leaf(); kill KILL => $$; sleep 9 } f();', 137, 'f!(leaf)');
check('a compile error', 'BEGIN { leaf() } sub f { 1 } f(; ', 255, 'BEGIN(leaf)');
check('BEGIN and friends', 'BEGIN { leaf() } UNITCHECK { leaf() } CHECK { leaf() } INIT { leaf() } END { leaf() } leaf();', 0,
    'BEGIN(leaf) UNITCHECK(leaf) CHECK(leaf) INIT(leaf) leaf END(leaf)');

# It switches perl's debugging off.
check('perl -d:RingViz', 'sub f { leaf() } f(); exit $^P', 0, 'f(leaf)', ['-d:RingViz']);

# Post mortem: ringviz is gone, too; what it leaves behind opens.
my $trace = "$RingvizTest::folder/left.trace";
my $path  = write_file('sub leaf { 1 } sub work { leaf() for 1 .. 10; kill KILL => $$; sleep 9 } kill KILL => getppid; work();');
run_plain([$ENV{RINGVIZ}, '--headless', "--trace-file=$trace", '--', 'perl', $path]);
my $report = run_plain([$ENV{RINGVIZ}, '--spans=json', "--output=$RingvizTest::folder/left.json", $trace]);
is($report->{status}, 0, 'a trace that was left behind opens') or diag $report->{err};
my @left = @{ spans_of("$RingvizTest::folder/left.json") };
is(scalar(grep { $_->{name} eq 'main::leaf' } @left), 10, 'with the last calls');
is(join(' ', map { "$_->{name} $_->{flags}" } grep { $_->{name} eq 'main::work' } @left), 'main::work open', 'and what was open');

done_testing;
