# Whatever goes wrong with tracing, the program runs as ever and sees nothing of it.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use RingvizTest;
use Test::More;

my $modules = $ENV{RINGVIZ_PERL_MODULES};
my $path    = write_file('sub f { 1 } f() for 1 .. 10; print "out\n"; print STDERR "err\n"; exit 7');
my $foreign = write_file('no trace', 'foreign');
my $short   = write_file('', 'empty');
mkdir "$RingvizTest::folder/locked", 0500;

sub check {
    my ($what, %env) = @_;
    my $result = run_plain(['perl', $path], PERL5LIB => $modules, PERL5OPT => '-MDevel::RingViz', RINGVIZ_FILE => '', %env);
    is_deeply($result, { status => 7, out => "out\n", err => "err\n" }, $what);
}

check('no trace file');
check('an absent one',    RINGVIZ_FILE => '/nonexistent/trace');
check('a foreign file',   RINGVIZ_FILE => $foreign);
check('an empty file',    RINGVIZ_FILE => $short);
check('a folder',         RINGVIZ_FILE => $RingvizTest::folder);
check('a folder locked',  RINGVIZ_FILE => "$RingvizTest::folder/locked/trace");
check('-d:RingViz',       PERL5OPT     => '-d:RingViz');
is(read_file($foreign), 'no trace', 'a foreign file is left alone');

# The module alone, away from its library, says why that is not loaded.
my $alone = "$RingvizTest::folder/alone";
system 'mkdir', '-p', "$alone/Devel";
system "cp $modules/*/*/Devel/RingViz.pm $alone/Devel/";
my $said = run_plain(['perl', $path], PERL5LIB => $alone, PERL5OPT => '-MDevel::RingViz', RINGVIZ_FILE => $foreign);
like($said->{err}, qr/\Aringviz: perl's module could not be loaded: [^\n]*Devel::RingViz[^\n]*\nerr\n\z/, 'why it is not loaded');
is("$said->{status} $said->{out}", "7 out\n", 'and the program runs');

my $stub = run_plain(['perl', '-e', "require '$modules/Devel/RingViz.pm'; print 'fine'"]);
is_deeply($stub, { status => 0, out => 'fine', err => '' }, 'the module that another perl finds');

my $traced = run_traced(['perl', $path]);
is("$traced->{status} $traced->{out}$traced->{err}", "7 out\nerr\n", 'traced: status and output are its own');

$path = write_file('sub f { 1 } sub g { if (my $pid = fork) { waitpid $pid, 0 } else { f() for 1 .. 10; exit } } f(); g(); print "$@$!";');
$traced = run_traced(['perl', $path], ['--rings=1']);
is("$traced->{status} $traced->{out}", '0 ', 'no free ring: the child runs, and $@ and $! are clean');
like($traced->{err}, qr/\Aringviz: [^\n]*ring[^\n]*\n\z/, 'ringviz says it once');

$traced = run_traced(['perl', '-T', '-e', '1']);
like($traced->{err}, qr/\Aringviz: perl made no traced call: [^\n]*perl -T[^\n]*\n\z/, 'perl -T: why there is nothing');

done_testing;
