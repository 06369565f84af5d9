# Tasks go on in what event loops call: closures that are handed over run for the task that was current then.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use RingvizTest;
use Test::More;

# How many calls of `part` each task has, by the task's name; '' for none.
sub parts_of {
    my ($script) = @_;
    my %n;
    for (`$ENV{RINGVIZ} --report=csv --group-by=task -- $^X $script`) {
        chomp;
        my @cells = split /,/, $_, -1;
        $n{ $cells[-1] } = $cells[3] if $cells[0] eq 'main::part';
    }
    is($?, 0, 'the program ends as without ringviz');
    return \%n;
}

sub goes_on {
    my ($module, $body, $expected) = @_;
    SKIP: {
        eval "require $module; 1" or skip "no $module", 2;
        my $script = write_file("use strict; use warnings; use $module;\n" . <<'E' . $body);
sub part  { 1 }
sub tasks { for my $id (1, 2) { Devel::RingViz::task_begin($id, "task$id"); $_[0]->($id); Devel::RingViz::task_switch(0) } part() }
E
        is_deeply(parts_of($script), $expected, $module);
    }
}

my $expected = { task1 => 3, task2 => 6, '' => 2 };
goes_on('AnyEvent', <<'E', $expected);
my $all = AE::cv();
my @timers;
tasks(sub {
    my ($id) = @_;
    $all->begin;
    push @timers, AnyEvent->timer(after => 0.01 * (3 - $id), cb => sub {
        part() for 1 .. $id;
        my $left = 2 * $id;
        my $timer; $timer = AnyEvent->timer(after => 0.005, interval => 0.005, cb => sub { part(); undef($timer), $all->end if !--$left });
    });
});
$all->recv;
part();
E
goes_on('Mojo::IOLoop', <<'E', $expected);
use Mojo::Promise;
tasks(sub {
    my ($id) = @_;
    Mojo::IOLoop->timer(0.01 * (3 - $id) => sub {
        part() for 1 .. $id;
        my $promise = Mojo::Promise->timer(0.01);
        $promise->then(sub { part() for 1 .. $id; Mojo::IOLoop->next_tick(sub { part() for 1 .. $id }) });
    });
});
Mojo::IOLoop->start;
part();
E
goes_on('Coro', <<'E', $expected);
my @coroutines;
tasks(sub {
    my ($id) = @_;
    push @coroutines, async { for (1 .. 3) { part() for 1 .. $id; cede() } };
});
$_->join for @coroutines;
part();
E
goes_on('EV', <<'E', $expected);
my @watchers;
tasks(sub {
    my ($id) = @_;
    my $left = 3;
    push @watchers, EV::timer(0.01 * (3 - $id), 0.01, sub { part() for 1 .. $id; $_[0]->stop if !--$left });
});
EV::run();
part();
E

done_testing;
