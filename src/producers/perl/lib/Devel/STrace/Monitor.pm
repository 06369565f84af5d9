package Devel::STrace::Monitor;

use strict;
use warnings;
use Devel::RingBuffer;

our $VERSION = '0.1.0';

sub open {
    my ($class, $file) = @_;
    $file //= $ENV{DEVEL_RINGBUF_FILE} // return undef;
    my $buffer = Devel::RingBuffer->monitor($file) // return undef;
    my $self = bless { buffer => $buffer, rings => [] }, $class;
    return $self->refresh;
}

sub _key {
    my ($pid, $tid) = $_[0]->getHeader;
    return "$pid:$tid";
}

# Rings that are used; when there are none any more, those whose owners were killed in some frame.
sub refresh {
    my ($self) = @_;
    my @is_free = $self->{buffer}->getMap;
    my @rings   = map { $self->{buffer}->getRing($_) } 0 .. $#is_free;
    $self->{is_used} = grep { !$_ } @is_free;
    my @kept = $self->{is_used} ? @rings[grep { !$is_free[$_] } 0 .. $#is_free] : grep { ($_->getHeader)[3] } @rings;
    $self->{rings} = [map { [_key($_), $_] } @kept];
    return $self;
}

sub isUsed { return $_[0]{is_used} > 0 }

# [key, ring] of a list of PID and PID:TID, or of all.
sub _chosen {
    my ($self, @wanted) = @_;
    return @{ $self->{rings} } unless @wanted;
    my %is_wanted = map { $_ => 1 } @wanted;
    return grep { my ($pid) = $_->[0] =~ /^(\d+)/; $is_wanted{ $_->[0] } || $is_wanted{$pid} } @{ $self->{rings} };
}

sub _trace_ring {
    my ($self, $callback, $key, $ring) = @_;
    my $n_slots = $self->{buffer}->getSlots;
    my (undef, undef, $slot, $depth) = $ring->getHeader;
    return unless defined $depth && $slot >= 0;
    for my $above (0 .. ($depth < $n_slots ? $depth : $n_slots) - 1) {
        my $n = ($slot - $above) % $n_slots;
        my ($line, $time, $name) = $ring->getSlot($n) or next;
        $callback->($key, $n, $depth - $above, $line, $time, $name);
    }
}

sub trace {
    my ($self, $callback, @wanted) = @_;
    $self->refresh;
    $self->_trace_ring($callback, @$_) for $self->_chosen(@wanted);
    return $self;
}

sub getPIDTIDs { return map { $_->[0] } @{ $_[0]{rings} } }

sub getRing {
    my ($self, $key) = @_;
    my ($found) = grep { $_->[0] eq $key } @{ $self->{rings} };
    return $found && $found->[1];
}

sub getSingle { $_[0]{buffer}->getSingle }
sub setSingle { $_[0]{buffer}->setSingle($_[1]) }

sub _get {
    my ($self, $get, @wanted) = @_;
    return map { $_->[0] => $_->[1]->$get } $self->_chosen(@wanted);
}

sub _set {
    my ($self, $set, @wanted) = @_;
    my $value = pop @wanted;
    return map { $_->[0] => $_->[1]->$set($value) } $self->_chosen(@wanted);
}

sub getTrace  { my $self = shift; return $self->_get('getTrace',  @_) }
sub setTrace  { my $self = shift; return $self->_set('setTrace',  @_) }
sub getSignal { my $self = shift; return $self->_get('getSignal', @_) }
sub setSignal { my $self = shift; return $self->_set('setSignal', @_) }

1;

__END__

=encoding utf8

=head1 NAME

Devel::STrace::Monitor - look at a program that runs under Devel::STrace, and steer it

=head1 SYNOPSIS

    use Devel::STrace::Monitor;

    my $view = Devel::STrace::Monitor->open('somescript.trace') or die $!;
    print "threads: @{[$view->getPIDTIDs]}\n";

    for (1 .. 3) {
        $view->refresh();
        $view->trace(\&show);
    }

    sub show {
        my ($key, $slot, $depth, $line, $time, $entry) = @_;
        print "$key($depth) : $slot : $entry:$line at ", scalar localtime $time, "\n";
    }

    my %before = $view->setTrace($view->getPIDTIDs, 0);    # traced no more,
    $view->setTrace(%before ? keys %before : (), 1);       # and again

    # any ring, for watches and commands
    for my $ring (map { $view->getRing($_) } $view->getPIDTIDs) {
        my $watch = $ring->addWatch('$main::n');
        $ring->freeWatch($watch) if defined $watch;
    }

=head1 DESCRIPTION

Opens a file of L<Devel::STrace>, or any other of L<Devel::RingBuffer>, from another process. Threads are told by keys,
C<PID:TID>; where a list of keys is taken, a C<PID> is all its threads, and no key is all that there are. The program is
never waited for, and never waits.

=head1 METHODS

=over

=item open([$file])

The file, or that of C<DEVEL_RINGBUF_FILE>. undef, and C<$!>, when it cannot be opened.

=item refresh()

Looks which threads there are. When nobody uses the file any more, they are those that were killed, in the frames that
they were in. Returns the object.

=item trace($callback, [@keys])

Refreshes, then calls C<< $callback->($key, $slot, $depth, $line, $time, $name) >> for each frame that is known, each
thread's innermost first: the slot it is in, how deep it is (1 is the outermost), the line it is on (0: none yet), when
that was told, as L<Time::HiRes> has it, and the sub's name. A frame that deeper ones have overwritten has line -1, time
0, and says so by its name. The frames of a thread that runs are read one after the other. Returns the object.

=item isUsed()

Did any process use the file when it was looked at last?

=item getPIDTIDs()

The keys.

=item getRing($key)

The L<Devel::RingBuffer::Ring> of a key: for watches, commands, and what else it is asked.

=item getSingle(), setSingle($value)

The flag of the whole file. While it is not 0 every thread is traced.

=item getTrace([@keys]), setTrace([@keys,] $value), getSignal([@keys]), setSignal([@keys,] $value)

The flags of threads: a hash of values by key, for those that set of the values before. A thread is traced while one of
the three flags is not 0.

=back

=head1 SEE ALSO

L<plstrace.pl>, L<Devel::STrace>, L<Devel::RingBuffer::Ring>

=cut
