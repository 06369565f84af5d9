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

Devel::RingBuffer::Ring - one thread's ring: its innermost frames, flags, commands and watches

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

C<new> claims a ring for the calling thread; C<open> returns a ring that exists; C<clone> claims another one of the same
buffer, for a forked child. Usually C<allocate> and C<getRing> of L<Devel::RingBuffer> are called instead. An object that
claimed its ring frees it when it is destroyed in the thread that claimed it.

=item getHeader()

(pid, tid, current slot, depth). The current slot is -1 when nothing is open.

=item getIndex(), getAddress()

The ring's index, and the address it is mapped at.

=item nextSlot($name), freeSlot()

Enters and leaves a frame; both return the new depth. The depth counts all frames, of which the ring holds the innermost.
It does not go below 0.

=item updateSlot($line), updateSlot($address, $line)

Writes the current line of the innermost frame, with the time. Returns the object, or undef when there is no frame. Writes
nothing while the trace flag is 0.

These three, and C<getFlags>, may also be called as functions, or class methods, of a ring's address:
C<Devel::RingBuffer::Ring::nextSlot($address, $name)>.

=item getSlot($n)

(line, time, name) of slot C<$n>; the time is as of L<Time::HiRes>. A slot that does not exist has line -1, time 0 and the name
C<(Invalid slot; ring has been wrapped)>; a slot whose frame a deeper one has overwritten has the name C<(Invalid slot due to
prior wrap)>.

=item getTrace(), setTrace($n), getSignal(), setSignal($n)

The ring's flags. The setters return the previous value.

=item getFlags()

The sum of 1 if the buffer's single is set, 2 if trace is, 4 if signal is.

=item postCommand($command, $message), waitForResponse([$seconds]), checkResponse()

For the monitor: sends a command of up to 4 bytes with a message, and reads the response. C<postCommand> returns the object,
or undef while there is another command or its response. The others return (response, message), or nothing: C<checkResponse>
does not wait, C<waitForResponse> waits C<$seconds>, or for ever.

=item waitForCommand([$seconds]), checkCommand(), postResponse($response, $message)

For the thread. A command stays until it has a response.

=item addWatch($expression), getWatchResult($watch), freeWatch($watch)

For the monitor: asks the thread to evaluate an expression of up to 256 bytes. C<addWatch> returns the watch's number, 0 to 3,
or undef when all four are in use. C<getWatchResult> returns (length, result, error): length is undef while there is no
result, and 0E0 for an undefined or empty one. Reading a result asks for the next.

=item getWatchExpr($watch), setWatchResult($watch, $result, $error)

For the thread: C<getWatchExpr> returns the expression when its value is asked for; C<setWatchResult> stores the value, or the
error if that is defined, up to 512 bytes of it, and returns the number of the next watch, 0 after the last, undef if there is
no such watch.

=back

=cut
