package Devel::STrace;

use strict;
use warnings;
use Devel::RingBuffer;

our $VERSION = '0.1.0';

# Under perl -d:STrace the debugger's own hooks are not needed, and cost.
$^P = 0 if ($ENV{PERL5DB} // '') =~ /^\s*use Devel::STrace\b/;

# ringviz's own file, where it runs the program; else one of ours, or that of the program that started this one.
sub _file {
    my $buffer = $ENV{RINGVIZ_FILE} && Devel::RingBuffer->open($ENV{RINGVIZ_FILE});
    return $buffer if $buffer;
    $buffer = Devel::RingBuffer->new(TraceOnCreate => 1);
    return $buffer if $buffer || !$!{EEXIST};
    return Devel::RingBuffer->open($ENV{DEVEL_RINGBUF_FILE});
}

{
    local ($@, $!);
    if (my $buffer = _file()) {
        $buffer->setTraceOnCreate(1);
        local @ENV{qw(RINGVIZ_FILE RINGVIZ_PERL_LINES RINGVIZ_PERL_STACKS)} = ($buffer->getName, 1, 1);
        print STDERR "\n*** Ringbuffer file is $ENV{RINGVIZ_FILE}\n";
        require Devel::RingViz;
    } else {
        print STDERR "Devel::STrace: no ring buffer file: $!\n";
    }
}

1;

__END__

=encoding utf8

=head1 NAME

Devel::STrace - show which subs and lines a running Perl program is in

=head1 SYNOPSIS

    export DEVEL_RINGBUF_FILE=somescript.trace
    export DEVEL_RINGBUF_BUFFERS=50      # threads and processes at a time
    export DEVEL_RINGBUF_SLOTS=10        # innermost frames of each

    perl -d:STrace somescript.pl

    # meanwhile, or after it died
    plstrace.pl -f somescript.trace -s 10 -d 100
    ringviz somescript.trace

=head1 DESCRIPTION

Works as the CPAN module of the same name, on L<Devel::RingViz>: every call, every return from a sub, and the line of each
statement are written to rings in a file, one for each thread of each process. (L<Devel::RingBuffer> documents the
C<DEVEL_RINGBUF_*> variables.) A monitor reads each thread's innermost frames at any time and never delays the program
(L<Devel::STrace::Monitor>, L<plstrace.pl>). B<ringviz> draws all calls, and the last calls of a program that was killed.

The module prints one line to standard error, the file's name, or the reason why there is no file; then the program runs
untraced. Programs that it starts with C<-d:STrace> use the same file if C<DEVEL_RINGBUF_FILE> names it. The file stays when
all have ended.

A call of AUTOLOAD is shown as C<Package::AUTOLOAD for Package::name>, an anonymous sub as C<__ANON__[file:line]>. A forked
child begins with the frames that were open at the fork. A thread that finds no free ring runs untraced.

A thread is traced while the file's C<single> or its ring's C<trace> or C<signal> is not 0; a ring begins with C<trace>
set. While all three are 0 nothing is written, and calls cost next to nothing.

Under C<ringviz -- perl -d:STrace somescript.pl> the file is ringviz's own: its name is printed, and no call is lost, however
many there are.

=head1 SEE ALSO

L<Devel::STrace::Monitor>, L<plstrace.pl>, L<Devel::RingBuffer>, L<Devel::RingViz>, ringviz(1)

=cut
