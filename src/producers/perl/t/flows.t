# Flows and tasks that a program tells: each step is in the sub that tells it, in threads of any process.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use RingvizTest;
use Test::More;

my $script = write_file(<<'E');
sub begin  { Devel::RingViz::flow($_[0], 'request', 'begin') }
sub finish { Devel::RingViz::flow($_[0], 'request', 'end') }
sub part   { 1 }
for my $id (1 .. 5) {
    begin($id);
    Devel::RingViz::task_begin($id, 'job');
    part();
    Devel::RingViz::task_switch(0);
}
my $child = fork // exit 3;
finish($_) for $child ? () : 1 .. 5;
for my $id ($child ? 1 .. 5 : ()) {
    Devel::RingViz::task_switch($id);
    part();
    Devel::RingViz::task_end($id);
}
exit 0 if !$child;
waitpid $child, 0;
eval { Devel::RingViz::flow(1, 'x', 'middle'); 1 } and exit 4;
$@ =~ /^Devel::RingViz::flow: middle is not begin, step or end at / or exit 5;
eval { Devel::RingViz::flow(1); 1 } and exit 6;
E
my @rows = `$ENV{RINGVIZ} --flows=csv -- $^X $script`;
is($?, 0, 'the program ends as without ringviz');
my %row = map { chomp; my @cells = split /,/; ("$cells[0] $cells[1]" => \@cells) } @rows;
is_deeply([@{ $row{'flow request'} }[2, 3, 12, 15, 18]], [5, 5, 2, 'main::begin', 'main::finish'], 'a flow leads into a child');
is($row{'task job'}[3], 5, 'tasks begin and end');
my @calls = `$ENV{RINGVIZ} --spans=csv -- $^X $script`;
is(scalar(grep { /Devel::RingViz::(?:flow|task)/ } @calls), 0, 'what tells them is no call of the program');

done_testing;
