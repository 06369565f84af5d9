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
    my $is_loaded = eval {
        local $SIG{__DIE__};
        require XSLoader;
        XSLoader::load('Devel::RingViz', $VERSION);
        1;
    };
    warn "ringviz: perl's module could not be loaded: ", $@ =~ s/ at \S+ line .*//sr, "\n" if !$is_loaded && $ENV{RINGVIZ_FILE};
}
Devel::RingViz::Debugger::begin() if $is_debugger;

1;

__END__

=encoding utf8

=head1 NAME

Devel::RingViz - trace every call and return of a Perl program for ringviz

=head1 SYNOPSIS

    ringviz -- perl script.pl            # loads it into every perl that is started
    ringviz --report -- ./script.pl

    RINGVIZ_FILE=/path/to/trace perl -d:RingViz script.pl
    RINGVIZ_FILE=/path/to/trace perl -MDevel::RingViz script.pl

=head1 DESCRIPTION

Writes every call of a subroutine and its end to the trace file named by C<RINGVIZ_FILE>, whatever ends the call: C<return>,
C<die>, C<next> and C<last> out of the sub, C<goto &sub>, C<exit>. Each thread and each forked child writes to its own ring; a
child begins with the frames that its parent had open.

Code that is compiled before this module is loaded is not traced, so load it first: C<-d:RingViz> comes before every C<-M>.
B<ringviz> puts it into C<PERL5OPT>, which does not disturb a C<-d> of the command line. The comparison sub of C<sort>, and
blocks that a function runs without a call, such as those of C<List::Util::first>, belong to their caller. Each coroutine of
L<Coro> has its own stack; the functions by which it switches (C<cede>, C<schedule> and others) are seen once at each place
that calls them.

C<ringviz --control=FILE>, with the trace file as FILE, stops the program, steps through it and evaluates expressions in the
stopped frame; L<ringviz-control(1)> has the commands. While no monitor is there, this costs a call and a loop's turn the read
of one word, and a statement nothing. A stopped program resumes within a second after its last monitor has ended.

Without C<RINGVIZ_FILE>, or if its file cannot be used, the module does nothing. It prints only why its library could not be
loaded.

=head1 FLOWS AND TASKS

    Devel::RingViz::flow($id, 'request', 'begin');    # then 'step', last 'end', wherever it leads
    Devel::RingViz::task_begin($id, 'request');       # what is called from here on is its
    Devel::RingViz::task_switch($other);              # or 0
    Devel::RingViz::task_end($id);

As ringviz_flow() and ringviz_task_begin() of L<ringviz/producer.h|ringviz(1)>; C<ringviz --flows> lists them. A program that also
runs without ringviz asks first: C<< Devel::RingViz->can('flow') >>.
A task goes on in closures that are handed to AnyEvent, EV, Mojo::IOLoop, Mojo::Promise or Coro while it is current, and each of Coro's coroutines
has a current task of its own; handlers of other event loops switch where they go on.

=head1 ENVIRONMENT

=over

=item RINGVIZ_FILE

The trace file. B<ringviz> sets it for the command that it runs.

=item RINGVIZ_PERL_XS

C<0>: does not trace calls of XS subs, which are written in C.

=item RINGVIZ_PERL_LINES

C<1>: also writes the file and line of every statement, for C<ringviz --report=lines>.

=item RINGVIZ_PERL_STACKS

C<1>: keeps each thread's stack in its ring, for L<Devel::STrace::Monitor>, and traces the thread while the monitor's flags
ask for it. Set by L<Devel::STrace>.

=back

=head1 SEE ALSO

ringviz(1)

=cut
