package Devel::RingBuffer::ThreadFacade;

# The calling thread's number, without loading threads.
use strict;
use warnings;

our $VERSION = '0.1.0';

sub tid {
    return 0 if $ENV{DEVEL_RINGBUF_NOTHREADS} || !$INC{'threads.pm'};
    return threads->tid;
}

1;

__END__

=head1 NAME

Devel::RingBuffer::ThreadFacade - the number of the calling thread

=head1 SYNOPSIS

    use Devel::RingBuffer::ThreadFacade;
    my $tid = Devel::RingBuffer::ThreadFacade->tid;

=head1 DESCRIPTION

C<tid> is that of L<threads> where it is loaded, else 0. C<DEVEL_RINGBUF_NOTHREADS>, when true, makes it always 0.

=cut
