# Perl workloads of --bench=overhead. Prints a line each: NAME NANOSECONDS CLOCK, the least of all samples, per call; of
# the loop, which calls nothing, per turn.
use strict;
use warnings;
use Scalar::Util ();
use Time::HiRes  ();

use constant SAMPLES => 8;

sub fib { my $n = shift; $n < 2 ? $n : fib($n - 1) + fib($n - 2) }
sub new { bless { sum => 0 }, shift }
sub add { my ($self, $n) = @_; $self->{sum} += $n }
sub is_word { length $_[0] > 3 }
sub count { my ($counts, $text) = @_; for (split /\W+/, $text) { $counts->{ lc $_ }++ if is_word($_) } }

my $object = __PACKAGE__->new;
my $text   = join ' ', map { ('the', "words$_", 'of', 'text', "number $_,") } 1 .. 20;
my %counts;
my @workloads = (
    [fib    => 28_657,  sub { fib(21) }],
    [method => 30_000,  sub { $object->add($_) for 1 .. 30_000 }],
    [xs     => 60_000,  sub { my $type; $type = Scalar::Util::reftype($object) for 1 .. 60_000 }],
    [words  => 100 * 121, sub { count(\%counts, $text) for 1 .. 100 }],
    [loop   => 100_000, sub { my $sum = 0; for my $i (1 .. 100_000) { $sum += $i; $sum ^= 3; $sum &= 0xffffff } }],
);
for my $workload (@workloads) {
    my ($name, $n, $run) = @$workload;
    my $least;
    for (1 .. SAMPLES) {
        my $start = Time::HiRes::clock();
        $run->();
        my $time = Time::HiRes::clock() - $start;
        $least = $time if !defined $least || $time < $least;
    }
    printf "%s %.4f cpu\n", $name, $least * 1e9 / $n;
}
