#!/usr/bin/perl
# Shows what the threads of a program under Devel::STrace are in.
use strict;
use warnings;
use File::Glob ':bsd_glob';
use FindBin;
use Getopt::Std;
use Time::HiRes qw(sleep time);

# Beside us: of a build tree, or installed.
use lib grep { -d } "$FindBin::RealBin/../lib/perl", glob "$FindBin::RealBin/../lib{,/*}/ringviz/perl";
use Devel::STrace::Monitor;

use constant STARS => '*' x 47;

sub usage {
    my ($status) = @_;
    my $out = $status ? *STDERR : *STDOUT;
    print $out <<'END';
Usage: plstrace.pl [-h] [-s interval] [-d duration] [-f file] [pid[:tid]...]
  -h           this text
  -s interval  seconds between two looks; without, or 0, it looks once
  -d duration  seconds until it ends; without, it ends with the program
  -f file      what the program was told by DEVEL_RINGBUF_FILE, or has printed; that variable
  pid, pid:tid processes and threads to be shown; all
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

Shows the innermost frames of each thread, or of those named: once, or with C<-s> every C<interval> seconds, for
C<duration> seconds or as long as the program runs, as

    PID:TID(DEPTH) : SLOT : PACKAGE::SUB:LINE at Fri Nov  3 08:05:59.012345

innermost first. Of a program that was killed it shows, once, where it was. The program is one that runs under
L<Devel::STrace>, or keeps its rings by L<Devel::RingBuffer>.

=head1 OPTIONS

=over

=item B<-s> I<interval>

Seconds between two looks; without it, or 0, it looks once.

=item B<-d> I<duration>

Seconds until it ends; without it, it ends with the program.

=item B<-f> I<file>

What the program was told by C<DEVEL_RINGBUF_FILE>, or has printed; that variable's value without it.

=item I<pid>, I<pid>B<:>I<tid>

Processes and threads to be shown; all without them.

=item B<-h>

A short help.

=back

=head1 SEE ALSO

L<Devel::STrace>, L<Devel::STrace::Monitor>, L<ringviz(1)>

=cut
