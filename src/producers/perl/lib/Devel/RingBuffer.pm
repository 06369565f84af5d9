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

# One that a program has left behind, and nobody uses.
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

Devel::RingBuffer - shared rings that say what each thread of a program is in

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

The interface of the CPAN module of this name, on ringviz's trace file: one file, mapped by all who use it, with a ring
for each thread of each process. A ring holds the innermost frames of its thread, each in a slot, and is how a monitor
steers the thread: flags, commands, watched expressions (L<Devel::RingBuffer::Ring>). Nothing is ever printed.

C<ringviz FILE> draws the file, while it is used and afterwards: each frame is a call, from C<nextSlot> to C<freeSlot>. A
ring keeps its newest 16,384 events for that: calls, returns, lines.

Names, messages and results may hold any characters, and arrive as they were. What is too long is cut between characters
of its UTF-8.

=head1 METHODS

A method that fails returns undef, or an empty list, and sets C<$!>.

=over

=item new(%arguments)

Makes the file, which only its user may open. Each argument may come from the environment instead; an argument of 0 for
a size is an error. A file of this name that no living program uses is replaced, no other file is, and no symbolic link
is followed.

    File           DEVEL_RINGBUF_FILE      see below
    Rings          DEVEL_RINGBUF_BUFFERS   20
    Slots          DEVEL_RINGBUF_SLOTS     10, frames that a ring holds
    SlotSize       DEVEL_RINGBUF_SLOTSZ    200 bytes of a name; sizes are rounded up to 8
    MessageSize    DEVEL_RINGBUF_MSGSZ     256 bytes of a command's message
    GlobalSize     DEVEL_RINGBUF_GLOBALSZ  16384 bytes of the global message's chunks
    StopOnCreate   DEVEL_RINGBUF_SOC       0
    TraceOnCreate  DEVEL_RINGBUF_TOC       0, the trace flag of new rings

Without a name the file is that of the program, less its extension, with pid and time: F<script.4711_Nov_3_08_05_59>, in
the folder that C<TEMP> names, or in F</tmp>. It stays when the program ends.

=item open([$path]), monitor([$path])

A file that is there, or that of C<DEVEL_RINGBUF_FILE>: to allocate rings in it, or to look and steer.

=item allocate()

A ring for the calling thread, or undef when none is free. It is free again when its object goes, when C<free> is called,
or when its process ends, however it ends.

=item reallocate()

The same as (index, address), without an object that frees it: for C<getRing>.

=item free($ring)

Frees a ring, told by its object or its index: one of this process, or one whose owner is gone.

=item getRing($index)

A ring as it is: nothing is allocated.

=item getHeader()

(single, message size, rings, slots, slot size, stop on create, trace on create, global size, global message's length,
length of its chunk). The last two are 0 while no message waits.

=item getMap()

For each ring 1 when it is free, 0 when it is used.

=item getName(), getAddress(), getCount(), getSlots(), getSlotSize()

The file's absolute path, where it is mapped, and parts of the header.

=item getSingle(), setSingle($n), getStopOnCreate(), setStopOnCreate($n), getTraceOnCreate(), setTraceOnCreate($n)

The file's flags. Those that set return the value before.

=item setGlobalMsg($message [, $seconds]), getGlobalMsg([$seconds])

One message for all, of any length. It goes in chunks, and each waits until the one before has been read; the last chunk
is left there, so that a message of one chunk waits for nobody. Either gives up, with undef, when nothing has moved for so
many seconds, or 5; 0 only looks.

=item close(), getMmap()

Do nothing; nothing needs to be closed, and there is no Perl object of the mapping: C<getMmap> is undef.

=back

Threads and forked children keep their objects, but each allocates a ring of its own: what another process writes to is
never written to by this one.

=head1 SEE ALSO

L<Devel::RingBuffer::Ring>, L<Devel::RingBuffer::TieInt>, ringviz(1)

=cut
