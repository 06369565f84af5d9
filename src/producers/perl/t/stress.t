# A million frames deep, and 200 programs killed somewhere.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use JSON::PP 'decode_json';
use RingvizTest;
use Test::More;

sub report_of {
    my ($text, @options) = @_;
    my $output = "$RingvizTest::folder/report.json";
    my $result = run_plain([$ENV{RINGVIZ}, '--report=json', '--force', "--output=$output", @options, '--', 'perl', write_file($text)]);
    is("$result->{status} $result->{out}$result->{err}", '0 ok', 'the program runs, and nothing is said');
    return decode_json(read_file($output));
}

my $report = report_of('no warnings; sub down { my $n = shift; $n ? down($n - 1) : print "ok" } down(999_999);');
my ($down) = grep { $_->{name} eq 'main::down' } @{ $report->{subroutines} };
is($down->{calls},                 1_000_000, 'a million calls');
is($report->{threads}[0]{max_depth}, 1_000_000, 'each in the one before');
is($report->{events}{dropped},     0,         'nothing is lost');

$report = report_of(<<'END', '--rings=32', '--ring-events=4096');
sub leaf { 1 } sub mid { leaf() for 1 .. 3; eval { die } } sub endless { mid(); syswrite $_[0], "."; mid() while 1 }
srand 7;
for (1 .. 200) {
    pipe my $in, my $out;
    my $pid = fork;
    endless($out) if !$pid;
    sysread $in, my $begun, 1 if $_ % 2;
    select undef, undef, undef, rand 0.006;
    kill KILL => $pid;
    waitpid $pid, 0;
}
print "ok";
END
my $events = $report->{events};
is($events->{produced}, $events->{consumed} + $events->{dropped}, 'every event is accounted for');
is($events->{dropped}, 0, 'none is lost');
my %n_calls = map { $_->{name} => $_->{calls} } @{ $report->{subroutines} };
cmp_ok($n_calls{'main::endless'}, '>', 0, 'killed programs were traced');
cmp_ok($n_calls{'main::leaf'} + 3 * 200, '>=', 3 * ($n_calls{'main::mid'} - 200), 'and their last calls are there');

done_testing;
