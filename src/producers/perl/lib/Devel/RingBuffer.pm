package Devel::RingBuffer;

use strict;
use warnings;
use Carp ();
use Errno ();
use XSLoader ();

our $VERSION = '0.1.0';
XSLoader::load('Devel::RingBuffer', $VERSION);

use Devel::RingBuffer::Ring;
use Devel::RingBuffer::ThreadFacade;

# enum ringviz_flag
use constant { SINGLE => 0, STOP_ON_CREATE => 1, TRACE_ON_CREATE => 2 };
use constant MESSAGE_SECONDS => 5;

# [argument, variable, default], in the order of _create
my @sizes = (
    [qw(Rings BUFFERS 20)], [qw(Slots SLOTS 10)], [qw(SlotSize SLOTSZ 200)],
    [qw(MessageSize MSGSZ 256)], [qw(GlobalSize GLOBALSZ 16384)],
);

sub _size {
    my ($args, $name, $variable, $default) = @_;
    if (defined(my $value = $args->{$name})) {
        Carp::croak("Devel::RingBuffer->new: $name must be a positive number") unless $value =~ /^[0-9]{1,9}$/a && $value > 0;
        return $value;
    }
    my $value = $ENV{"DEVEL_RINGBUF_$variable"} // '';
    return $value =~ /^[0-9]{1,9}$/a && $value > 0 ? $value : $default;
}

sub _default_path {
    my ($name) = $0 =~ m{([^/]*)\z};
    $name =~ s/(.)\.[^.]*\z/$1/s;
    my ($second, $minute, $hour, $day, $month) = localtime;
    my $begun = join '_', (qw(Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec))[$month], $day, map { sprintf '%02d', $_ } $hour, $minute, $second;
    return ($ENV{TEMP} || '/tmp') . '/' . ($name eq '' ? 'perl' : $name) . ".$$" . "_$begun";
}

# A file that an ended program has left behind.
sub _is_left_behind {
    my ($path) = @_;
    my $old = bless {}, __PACKAGE__;
    return 0 if _open($old, $path);
    return !grep { !$_ } $old->getMap;
}

sub new {
    my ($class, %args) = @_;
    my @values = map { _size(\%args, @$_) } @sizes;
    my $path = $args{File} || $ENV{DEVEL_RINGBUF_FILE} || _default_path();
    push @values, $args{StopOnCreate} // $ENV{DEVEL_RINGBUF_SOC} // 0, $args{TraceOnCreate} // $ENV{DEVEL_RINGBUF_TOC} // 0;
    my $self = bless {}, $class;
    my $error = _create($self, $path, @values);
    if ($error == Errno::EEXIST && _is_left_behind($path)) {
        unlink $path;
        $error = _create($self, $path, @values);
    }
    return $self unless $error;
    $! = $error;
    return undef;
}

sub open {
    my ($class, $path) = @_;
    my $self = bless {}, $class;
    my $error = _open($self, $path // $ENV{DEVEL_RINGBUF_FILE} // '') or return $self;
    $! = $error;
    return undef;
}

sub monitor { goto &open }

sub close { return 1 }

sub _ring {
    my ($self, $class, $index, $is_owner) = @_;
    my $ring = bless { buffer => $self }, $class;
    return _bind($self, $ring, $index, $is_owner) ? $ring : undef;
}

sub getRing {
    my ($self, $index) = @_;
    return undef unless $index =~ /^[0-9]+$/a;
    return $self->_ring('Devel::RingBuffer::Ring', $index);
}

sub allocate {
    my ($self) = @_;
    return Devel::RingBuffer::Ring->new($self);
}

sub reallocate {
    my ($self) = @_;
    my $index = $self->_claim(Devel::RingBuffer::ThreadFacade->tid) // return;
    return ($index, $self->getRing($index)->getAddress);
}

sub getCount    { ($_[0]->getHeader)[2] }
sub getSlots    { ($_[0]->getHeader)[3] }
sub getSlotSize { ($_[0]->getHeader)[4] }
sub getMmap     { undef }

sub getSingle        { $_[0]->_get(SINGLE) }
sub setSingle        { $_[0]->_set(SINGLE, $_[1]) }
sub getStopOnCreate  { $_[0]->_get(STOP_ON_CREATE) }
sub setStopOnCreate  { $_[0]->_set(STOP_ON_CREATE, $_[1]) }
sub getTraceOnCreate { $_[0]->_get(TRACE_ON_CREATE) }
sub setTraceOnCreate { $_[0]->_set(TRACE_ON_CREATE, $_[1]) }

sub setGlobalMsg {
    my ($self, $message, $seconds) = @_;
    return $self->_post($message, $seconds // MESSAGE_SECONDS) ? $self : undef;
}

sub getGlobalMsg {
    my ($self, $seconds) = @_;
    return $self->_receive($seconds // MESSAGE_SECONDS);
}

1;

__END__

=encoding utf8

=head1 NAME

Devel::RingBuffer - shared rings that hold the open subs of each thread of a program

=head1 SYNOPSIS

    use Devel::RingBuffer;

    my $buffer = Devel::RingBuffer->new(
        File          => "/tmp/my.rings",
        Rings         => 20,
        Slots         => 10,
        SlotSize      => 200,
        MessageSize   => 256,
        GlobalSize    => 16 * 1024,
        StopOnCreate  => 0,
        TraceOnCreate => 1,
    ) or die "no rings: $!";

    my $ring = $buffer->allocate() or die "all rings are used";
    $ring->nextSlot('main::work');
    $ring->updateSlot(__LINE__);
    $ring->freeSlot();

    # another program
    my $seen = Devel::RingBuffer->monitor("/tmp/my.rings") or die $!;
    $seen->setSingle(1);
    my @is_free = $seen->getMap();
    my ($pid, $tid, $slot, $depth) = $seen->getRing(0)->getHeader();
    my ($line, $time, $name) = $seen->getRing(0)->getSlot($slot);

=head1 DESCRIPTION

Has the interface of the CPAN module of the same name and stores its data in ringviz's trace file: one file, mapped by every
process that uses it, with a ring for each thread of each process. A ring holds the innermost frames of its thread, each in a
slot. A monitor controls the thread through it: flags, commands, watched expressions (L<Devel::RingBuffer::Ring>). The module
never prints.

C<ringviz FILE> draws the file, while it is in use and afterwards: each frame is a call, from C<nextSlot> to C<freeSlot>. A
ring keeps its newest 16,384 events for that: calls, returns, lines.

Names, messages and results may hold any characters, and arrive unchanged. Longer ones are cut between two characters of their
UTF-8.

=head1 METHODS

A method that fails returns undef, or an empty list, and sets C<$!>.

=over

=item new(%arguments)

Creates the file, which only its user may open. Each argument has an environment variable that is used without it; a size
of 0 is an error. A ring buffer of the same name that no living program uses is replaced. Any other file stays, and symbolic
links are not followed.

    File           DEVEL_RINGBUF_FILE      see below
    Rings          DEVEL_RINGBUF_BUFFERS   20
    Slots          DEVEL_RINGBUF_SLOTS     10 frames in a ring
    SlotSize       DEVEL_RINGBUF_SLOTSZ    200 bytes of a name; sizes are rounded up to 8
    MessageSize    DEVEL_RINGBUF_MSGSZ     256 bytes of a command's message
    GlobalSize     DEVEL_RINGBUF_GLOBALSZ  16384 bytes of the global message's chunks
    StopOnCreate   DEVEL_RINGBUF_SOC       0
    TraceOnCreate  DEVEL_RINGBUF_TOC       0, the trace flag of new rings

Without C<File> the name is the program's without its extension, with pid and time: F<script.4711_Nov_3_08_05_59>, in
the folder C<TEMP>, or in F</tmp>. The file stays when the program ends.

=item open([$path]), monitor([$path])

Opens an existing file, or that of C<DEVEL_RINGBUF_FILE>: C<open> to allocate rings in it, C<monitor> to read and control them.

=item allocate()

A ring for the calling thread, or undef when none is free. It is freed when its object is destroyed, by C<free>, or when
its process ends, in any way.

=item reallocate()

The same, but returns (index, address) for C<getRing>, without an object that frees the ring.

=item free($ring)

Frees a ring, given by its object or its index: one of this process, or one whose owner has ended.

=item getRing($index)

The ring at an index; allocates nothing.

=item getHeader()

(single, message size, rings, slots, slot size, stop on create, trace on create, global size, global message's length,
length of its chunk). The last two are 0 while there is no message.

=item getMap()

For each ring 1 when it is free, 0 when it is used.

=item getName(), getAddress(), getCount(), getSlots(), getSlotSize()

The file's absolute path, the address it is mapped at, and fields of the header.

=item getSingle(), setSingle($n), getStopOnCreate(), setStopOnCreate($n), getTraceOnCreate(), setTraceOnCreate($n)

The file's flags. The setters return the previous value.

=item setGlobalMsg($message [, $seconds]), getGlobalMsg([$seconds])

One message for all, of any length. It is sent in chunks: each is written once the previous one has been read. The last chunk
is not waited for, so a message of one chunk returns at once. Both return undef when the other side has done nothing for
C<$seconds>, 5 without it; 0 does not wait.

=item close(), getMmap()

For programs written for the CPAN module: C<close> does nothing, C<getMmap> is undef.

=back

Threads and forked children keep their objects, but each allocates its own ring: no process writes to the ring of another.

=head1 SEE ALSO

L<Devel::RingBuffer::Ring>, L<Devel::RingBuffer::TieInt>, ringviz(1)

=cut
