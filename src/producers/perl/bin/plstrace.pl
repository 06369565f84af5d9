#!/usr/bin/perl
# Prints the innermost frames of the threads of a program under Devel::STrace.
use strict;
use warnings;
use File::Glob ':bsd_glob';
use FindBin;
use Getopt::Std;
use Time::HiRes qw(sleep time);

# The modules beside this script, in a build tree or installed.
use lib grep { -d } "$FindBin::RealBin/../lib/perl", glob "$FindBin::RealBin/../lib{,/*}/ringviz/perl";
use Devel::STrace::Monitor;

use constant STARS => '*' x 47;

sub usage {
    my ($status) = @_;
    my $out = $status ? *STDERR : *STDOUT;
    print $out <<'END';
Usage: plstrace.pl [-h] [-s interval] [-d duration] [-f file] [pid[:tid]...]
  -h           this text
  -s interval  seconds between two prints; without it, or with 0, prints once
  -d duration  seconds until it ends; without it, when the program ends
  -f file      the program's ring file, which it has printed; default: DEVEL_RINGBUF_FILE
  pid, pid:tid processes and threads to print; default: all
END
    exit $status;
}

sub seconds {
    my ($text, $otherwise) = @_;
    return $otherwise unless defined $text;
    usage(2) unless $text =~ /^(?:\d+\.?\d*|\.\d+)$/a;
    return $text;
}

my %options;
getopts('hs:d:f:', \%options) or usage(2);
usage(0) if $options{h};
my ($interval, $duration) = (seconds($options{s}, 0), seconds($options{d}, 9e9));
my $file = $options{f} // $ENV{DEVEL_RINGBUF_FILE} // usage(2);
/^\d+(?::\d+)?$/a or usage(2) for @ARGV;

binmode STDOUT, ':encoding(UTF-8)';
$| = 1;
my $view = Devel::STrace::Monitor->open($file) or die "plstrace.pl: $file: $!\n";
my ($until, $last_key) = (time + $duration);

sub show {
    my ($key, $slot, $depth, $line, $time, $name) = @_;
    print "\n" . STARS . "\n" if $last_key ne $key;
    $last_key = $key;
    my @when = split ' ', scalar localtime $time;
    pop @when;
    print "$key($depth) : $slot : $name:$line ", $time ? "at @when" . sprintf('.%06d', ($time - int $time) * 1e6) : '(No timestamp)', "\n";
}

while (1) {
    my $is_used = $view->isUsed;
    print "\n" . STARS . "\n*** At ", scalar localtime, "\n";
    $last_key = '';
    $view->trace(\&show, @ARGV);
    my $left = $until - time;
    last if !$interval || !$is_used || $left <= 0;
    sleep($left < $interval ? $left : $interval);
}

__END__

=encoding utf8

=head1 NAME

plstrace.pl - show what the threads of a running Perl program are in

=head1 SYNOPSIS

    plstrace.pl [-h] [-s interval] [-d duration] [-f file] [pid[:tid]...]

    DEVEL_RINGBUF_FILE=/tmp/script.trace perl -d:STrace script.pl &
    plstrace.pl -f /tmp/script.trace -s 1

=head1 DESCRIPTION

Prints the innermost frames of all threads, or of those named: once, or with C<-s> every C<interval> seconds, for
C<duration> seconds or as long as the program runs, as

    PID:TID(DEPTH) : SLOT : PACKAGE::SUB:LINE at Fri Nov  3 08:05:59.012345

innermost first. For a program that was killed it prints the last frames, once. The program runs under L<Devel::STrace> or
uses L<Devel::RingBuffer>.

=head1 OPTIONS

=over

=item B<-s> I<interval>

Seconds between two prints; without it, or with 0, it prints once.

=item B<-d> I<duration>

Seconds until it ends; without it, when the program ends.

=item B<-f> I<file>

The program's ring file: the value of C<DEVEL_RINGBUF_FILE>, which is the default, or the name that the program printed.

=item I<pid>, I<pid>B<:>I<tid>

Processes and threads to print; without them, all.

=item B<-h>

Prints a short help.

=back

=head1 SEE ALSO

L<Devel::STrace>, L<Devel::STrace::Monitor>, L<ringviz(1)>

=cut
