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

Devel::STrace::Monitor - watch and control a program that runs under Devel::STrace

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

    my %before = $view->setTrace($view->getPIDTIDs, 0);    # stop tracing,
    $view->setTrace(%before ? keys %before : (), 1);       # and resume

    # any ring, for watches and commands
    for my $ring (map { $view->getRing($_) } $view->getPIDTIDs) {
        my $watch = $ring->addWatch('$main::n');
        $ring->freeWatch($watch) if defined $watch;
    }

=head1 DESCRIPTION

Opens a file of L<Devel::STrace> or L<Devel::RingBuffer> from another process. A thread is named by its key, C<PID:TID>. In
a list of keys, a C<PID> stands for all its threads, and an empty list for all threads. Neither side waits for the other.

=head1 METHODS

=over

=item open([$file])

Opens the file, or that of C<DEVEL_RINGBUF_FILE>. Returns undef and sets C<$!> when it cannot be opened.

=item refresh()

Reads which threads there are. When no process uses the file any more, these are the threads that were killed, with their
last frames. Returns the object.

=item trace($callback, [@keys])

Refreshes, then calls C<< $callback->($key, $slot, $depth, $line, $time, $name) >> for each known frame, each thread's
innermost first: its slot, its depth (1 is the outermost), its current line (0: none yet), the time at which the line was
written, as of L<Time::HiRes>, and the sub's name. A frame that deeper ones have overwritten has line -1, time 0 and a name
that says so. The frames of a running thread are read one after the other, not at one moment. Returns the object.

=item isUsed()

True if a process used the file at the last refresh.

=item getPIDTIDs()

The keys of all threads.

=item getRing($key)

The L<Devel::RingBuffer::Ring> of a key, for watches, commands and everything else that a ring has.

=item getSingle(), setSingle($value)

The file's flag. While it is not 0 every thread is traced.

=item getTrace([@keys]), setTrace([@keys,] $value), getSignal([@keys]), setSignal([@keys,] $value)

The flags of threads, as a hash of values by key; the setters return the previous values. A thread is traced while one of
the three flags is not 0.

=back

=head1 SEE ALSO

L<plstrace.pl>, L<Devel::STrace>, L<Devel::RingBuffer::Ring>

=cut
