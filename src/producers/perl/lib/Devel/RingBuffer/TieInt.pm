package Devel::RingBuffer::TieInt;

use strict;
use warnings;
use Carp ();

our $VERSION = '0.1.0';

my %method = (single => 'Single', stop_on_create => 'StopOnCreate', trace_on_create => 'TraceOnCreate', trace => 'Trace', signal => 'Signal');

sub TIESCALAR {
    my ($class, $object, $field) = @_;
    my $name = $method{ $field // '' } // Carp::croak('Devel::RingBuffer::TieInt: no such field');
    my ($get, $set) = map { ref $object && $object->can("$_$name") } 'get', 'set';
    Carp::croak("Devel::RingBuffer::TieInt: the object has no $field") unless $get && $set;
    return bless { object => $object, get => $get, set => $set }, $class;
}

sub FETCH {
    my ($self) = @_;
    return $self->{get}->($self->{object});
}

sub STORE {
    my ($self, $value) = @_;
    $self->{set}->($self->{object}, $value) // Carp::croak("Devel::RingBuffer::TieInt: $!");
    return $value;
}

1;

__END__

=head1 NAME

Devel::RingBuffer::TieInt - a scalar that is a flag in a ring buffer

=head1 SYNOPSIS

    use Devel::RingBuffer;
    use Devel::RingBuffer::TieInt;

    my $buffer = Devel::RingBuffer->new(File => '/tmp/my.rings') or die $!;
    my $ring   = $buffer->allocate();

    tie my $single, 'Devel::RingBuffer::TieInt', $buffer, 'single';
    tie my $signal, 'Devel::RingBuffer::TieInt', $ring,   'signal';
    $signal = 1;
    print "a monitor wants to stop us\n" if $single;

=head1 DESCRIPTION

Reads and writes the 32-bit integer in the shared file; every process sees a write at once. The fields are
C<single>, C<stop_on_create> and C<trace_on_create> of a L<Devel::RingBuffer>, C<trace> and C<signal> of a
L<Devel::RingBuffer::Ring>.

A tied C<$DB::single>, C<$DB::trace> or C<$DB::signal> does not control perl's debugger: perl copies these variables when
they are assigned, and does not read them again. Read the flag where the program can stop.

=cut
