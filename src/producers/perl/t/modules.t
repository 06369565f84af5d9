# What is loaded ahead of a program is traced, and a debugger that the command line wants runs.
use strict;
use warnings;
use FindBin;
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

done_testing;
