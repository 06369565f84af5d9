package Devel::RingViz;

# Little is loaded here but the object: whatever is compiled before it is not traced.
our $VERSION = '0.1.0';

my $is_debugger = ($ENV{PERL5DB} // '') =~ /^\s*use Devel::RingViz\b/;
require Devel::RingViz::Debugger if $is_debugger;

# What is loaded when a monitor asks for an expression.
our $Frame = __FILE__;
substr($Frame, -3) = '/Frame.pm';

{
    local ($@, $!);
    eval {
        local $SIG{__DIE__};
        require XSLoader;
        XSLoader::load('Devel::RingViz', $VERSION);
    };
}
Devel::RingViz::Debugger::begin() if $is_debugger;

1;

__END__

=encoding utf8

=head1 NAME

Devel::RingViz - tell ringviz of every call and return of a Perl program

=head1 SYNOPSIS

    ringviz -- perl script.pl            # loads it into every perl that is started
    ringviz --report -- ./script.pl

    RINGVIZ_FILE=/path/to/trace perl -d:RingViz script.pl
    RINGVIZ_FILE=/path/to/trace perl -MDevel::RingViz script.pl

=head1 DESCRIPTION

Every call of a subroutine and every way out of it is written to the trace file that C<RINGVIZ_FILE> names: C<return>,
C<die>, C<next> and C<last> out of the sub, C<goto &sub>, C<exit>. Threads and forked children write to rings of their
own; a child begins with the frames that its parent had open.

What is compiled before this module is loaded is not traced; load it first: C<-d:RingViz> comes before what C<-M> names.
B<ringviz> puts it into C<PERL5OPT>; a C<-d> of the command line is heeded all the same. A comparison sub of C<sort>, and
a block given to functions that call it without a call of its own, such as C<List::Util::first>, belong to their caller.
Coroutines of L<Coro> have a stack each; what it switches by (C<cede>, C<schedule> and the like) is seen once at each
place that calls it.

C<ringviz --control=FILE>, FILE being the trace file, stops the program, steps through it and evaluates expressions where
it is; ringviz(1) has the commands. Without that a call costs one look at a word more, a turn of a loop too, and a
statement nothing. A stopped program goes on within a second when no monitor is left.

Without C<RINGVIZ_FILE>, or where its file cannot be used, the module does nothing. It never prints.

=head1 ENVIRONMENT

=over

=item RINGVIZ_FILE

The trace file. B<ringviz> sets it for the command that it runs.

=item RINGVIZ_PERL_XS

C<0>: calls of XS subs, which are written in C, are left out.

=item RINGVIZ_PERL_LINES

C<1>: every statement's line is written, too.

=item RINGVIZ_PERL_STACKS

C<1>: each thread's stack is shown in its ring, for L<Devel::STrace::Monitor>, and it is traced while the monitor's flags
say so. L<Devel::STrace> sets it.

=back

=head1 SEE ALSO

ringviz(1)

=cut
