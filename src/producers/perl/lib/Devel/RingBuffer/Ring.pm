package Devel::RingBuffer::Ring;

use strict;
use warnings;
use Devel::RingBuffer ();
use Devel::RingBuffer::ThreadFacade;

our $VERSION = '0.1.0';

# enum ringviz_flag
use constant { TRACE => 3, SIGNAL => 4 };

use constant WATCHES => 4; # RINGVIZ_WATCHES

# A wait is made of these, so that signal handlers run.
use constant TURN_SECONDS => 0.1;

sub new {
    my ($class, $buffer) = @_;
    my $index = $buffer->_claim(Devel::RingBuffer::ThreadFacade->tid) // return undef;
    return $buffer->_ring($class, $index, 1);
}

sub open {
    my ($class, $buffer, $index) = @_;
    return $buffer->_ring($class, $index);
}

sub clone {
    my ($self) = @_;
    return ref($self)->new($self->{buffer});
}

sub DESTROY {
    my ($self) = @_;
    local ($@, $!);
    return unless $self->{buffer} && eval { $self->_is_owner };
    my ($pid) = $self->getHeader;
    $self->{buffer}->free($self) if defined $pid && $pid == $$;
}

sub getTrace  { $_[0]->_get(TRACE) }
sub setTrace  { $_[0]->_set(TRACE, $_[1]) }
sub getSignal { $_[0]->_get(SIGNAL) }
sub setSignal { $_[0]->_set(SIGNAL, $_[1]) }

sub postCommand  { $_[0]->_post($_[1], $_[2], 0) && $_[0] }
sub postResponse { $_[0]->_post($_[1], $_[2], 1) && $_[0] }

sub checkCommand  { $_[0]->_wait(0, 0) }
sub checkResponse { $_[0]->_wait(0, 1) }

sub _wait_for {
    my ($self, $seconds, $is_response) = @_;
    while (1) {
        my $turn = !defined $seconds || $seconds > TURN_SECONDS ? TURN_SECONDS : $seconds;
        my @found = $self->_wait($turn, $is_response);
        return @found if @found;
        return unless $!{ETIMEDOUT} || $!{EAGAIN};
        next unless defined $seconds;
        $seconds -= $turn;
        return if $seconds <= 0;
    }
}

sub waitForCommand  { $_[0]->_wait_for($_[1], 0) }
sub waitForResponse { $_[0]->_wait_for($_[1], 1) }

sub getWatchExpr {
    my ($self, $watch) = @_;
    my ($found, $expression) = $self->_take_watch($watch);
    return defined $found && $found == $watch ? $expression : undef;
}

sub setWatchResult {
    my ($self, $watch, $result, $error) = @_;
    $self->_set_watch($watch, $result, $error);
    return $watch >= 0 && $watch < WATCHES ? ($watch + 1) % WATCHES : undef;
}

1;

__END__

=encoding utf8

=head1 NAME

Devel::RingBuffer::Ring - one thread's ring: its innermost frames, and how it is steered

=head1 SYNOPSIS

    use Devel::RingBuffer;

    my $buffer = Devel::RingBuffer->new(File => '/tmp/my.rings', TraceOnCreate => 1) or die $!;
    my $ring   = $buffer->allocate();

    # the thread
    my $depth = $ring->nextSlot('main::work');
    $ring->updateSlot(__LINE__);
    for (my $watch = 0; $watch < 4; $watch++) {
        my $expression = $ring->getWatchExpr($watch) // next;
        my $value = eval $expression;
        $ring->setWatchResult($watch, $value, $@ eq '' ? undef : $@);
    }
    my ($command, $message) = $ring->checkCommand();
    $ring->postResponse('OK', 'it is done') if defined $command;
    $ring->freeSlot();

    # its monitor
    my $seen  = Devel::RingBuffer->monitor('/tmp/my.rings')->getRing($ring->getIndex);
    my $watch = $seen->addWatch('$main::n + 1');
    $seen->postCommand('STOP', 'please');
    my ($response, $answer) = $seen->waitForResponse(0.5);
    my ($length, $result, $error) = $seen->getWatchResult($watch);
    $seen->freeWatch($watch);

=head1 METHODS

A method that fails returns undef and sets C<$!>.

=over

=item new($buffer), open($buffer, $index), clone()

A ring claimed for the calling thread; one as it is; another one of the same buffer, for a forked child. Usually
C<allocate> and C<getRing> of L<Devel::RingBuffer> are called instead. When an object goes that
claimed its ring, in the thread that did, the ring is freed.

=item getHeader()

(pid, tid, current slot, depth). The current slot is -1 when nothing is open.

=item getIndex(), getAddress()

Which ring it is, and where it is mapped.

=item nextSlot($name), freeSlot()

A frame is entered, is left; both return the depth after it. The depth counts all frames, of which the innermost are held.
Leaving more than was entered leaves it at 0.

=item updateSlot($line), updateSlot($address, $line)

The line that the innermost frame is on, with the time. Returns the object, or undef when there is no frame. While the
trace flag is 0 nothing is written.

These three, and C<getFlags>, may also be called as functions, or class methods, of a ring's address:
C<Devel::RingBuffer::Ring::nextSlot($address, $name)>.

=item getSlot($n)

(line, time, name) of slot C<$n>; the time is as that of L<Time::HiRes>. A slot that does not exist has line -1, time 0
and C<(Invalid slot; ring has been wrapped)>; one whose frame is not known, as a deeper one has used it, has C<(Invalid
slot due to prior wrap)>.

=item getTrace(), setTrace($n), getSignal(), setSignal($n)

The ring's flags. Those that set return the value before.

=item getFlags()

1 when the buffer's single is set, 2 for trace, 4 for signal, added.

=item postCommand($command, $message), waitForResponse([$seconds]), checkResponse()

The monitor: a command of up to 4 bytes with a message, and what was answered. Posting returns the object, or undef while
another command, or its response, is there. Reading returns (response, message), or nothing: C<checkResponse> does not
wait, C<waitForResponse> waits for ever, or for so long.

=item waitForCommand([$seconds]), checkCommand(), postResponse($response, $message)

The thread's side. A command stays until it is answered.

=item addWatch($expression), getWatchResult($watch), freeWatch($watch)

The monitor: an expression of up to 256 bytes is to be evaluated by the thread; C<addWatch> returns its number, 0 to 3,
or undef when all four are used. C<getWatchResult> returns (length, result, error): length is undef while there is no
result, and 0E0 for one that is undefined or empty. Fetching a result asks for the next.

=item getWatchExpr($watch), setWatchResult($watch, $result, $error)

The thread: the expression, when a value of it is wanted; its value, or the error when that is defined. Up to 512 bytes
are kept. C<setWatchResult> returns the number of the watch that follows, 0 after the last, undef where there is no such
watch.

=back

=cut
