# Programs that keep rings by Devel::RingBuffer are drawn: frames are calls, while they run and after they died.
use strict;
use warnings;
use File::Copy 'copy';
use FindBin;
use lib "$FindBin::Bin/lib";
use lib $ENV{RINGVIZ_PERL_MODULES};
use POSIX ();
use RingvizTest;
use Test::More;
use Devel::RingBuffer;

my $path = "$RingvizTest::folder/rings";

# What ringviz sees in the file.
sub spans_in {
    my ($file) = @_;
    my $output = "$RingvizTest::folder/spans.json";
    my $result = run_plain([$ENV{RINGVIZ}, '--spans=json', '--force', "--output=$output", $file]);
    is($result->{status}, 0, "$file opens") or diag $result->{err};
    return spans_of($output);
}

# "a(b c)": what was called, by its whole name, but frames that are still open.
sub tree_of {
    my ($text, $depth) = ('', -1);
    for my $span (sort { $a->{start_ns} <=> $b->{start_ns} || $a->{depth} <=> $b->{depth} } grep { $_->{flags} eq '' } @_) {
        $text .= $span->{depth} > $depth ? '(' : ')' x ($depth - $span->{depth}) . ' ';
        $text .= $span->{name};
        $depth = $span->{depth};
    }
    return substr($text, 1) . ')' x $depth;
}

# Who drains it; offsets as in ringviz/wire.h.
sub consumer_of { unpack 'x576 L<', read_file($_[0]) }

sub open_spans { join ' ', map { "$_->{depth}:$_->{name}" } sort { $a->{depth} <=> $b->{depth} } grep { $_->{flags} eq 'open' } @_ }

# A killed program, at rest.
my $pid = fork // die;
if (!$pid) {
    my $buffer = Devel::RingBuffer->new(File => $path, Slots => 2, TraceOnCreate => 1);
    my $ring   = $buffer->allocate;
    $ring->nextSlot('main::work');
    for (1 .. 3) {
        $ring->nextSlot('Shape::AUTOLOAD for Shape::area');
        $ring->updateSlot(40 + $_);
        $ring->nextSlot("plain gr\xfc\xdfe");
        $ring->freeSlot;
        $ring->freeSlot;
    }
    $ring->freeSlot;
    $ring->freeSlot;
    $ring->nextSlot('main::last');
    $ring->nextSlot('main::deeper');
    $ring->updateSlot(77);
    kill KILL => $$;
}
waitpid $pid, 0;
my $report = "$RingvizTest::folder/report";
copy($path, "$path.copy");
chmod 0600, "$path.copy";
run_plain([$ENV{RINGVIZ}, '--report=json', "--output=$report", "$path.copy"]);
like(read_file($report), qr/"last_line":77\}/, 'the last line of a killed program');
my @spans = @{ spans_in($path) };
my ($work) = grep { $_->{name} eq 'main::work' } @spans;
is(tree_of(@spans), 'main::work(' . join(' ', ("Shape::AUTOLOAD for Shape::area(plain gr\xfc\xdfe)") x 3) . ')', 'calls nest as the slots did');
is($work->{process}, $pid, 'of this process');
is(open_spans(@spans), '0:main::last 1:main::deeper', 'and what it was in');

# While it runs: every call of a program that goes on until it is watched, or else until its ring is nearly full.
unlink $path;
my $buffer = Devel::RingBuffer->new(File => $path) or die $!;
$pid = fork // die;
if (!$pid) {
    my $ring = $buffer->allocate;
    my $n = 0;
    for (my $n_left = 50; $n_left; $n_left -= !!-e "$path.stop") {
        select undef, undef, undef, 0.01 until $n++ < 1000 || -e "$path.stop";
        $ring->nextSlot('main::turn');
        $ring->nextSlot('main::step'), $ring->freeSlot for 1 .. 5;
        $ring->freeSlot;
        select undef, undef, undef, 0.0005;
    }
    POSIX::_exit(0);
}
my $watcher = fork // die;
if (!$watcher) {
    exec $ENV{RINGVIZ}, '--spans=json', "--output=$RingvizTest::folder/live.json", $path or POSIX::_exit(99);
}
my $deadline = time + 60;
select undef, undef, undef, 0.01 until consumer_of($path) == $watcher || time > $deadline;
is(consumer_of($path), $watcher, 'it is watched');
write_file('', 'rings.stop');
waitpid $pid, 0;
waitpid $watcher, 0;
is($?, 0, 'until it ends');
my %n;
$n{"$_->{name} $_->{flags}"}++ for @{ spans_of("$RingvizTest::folder/live.json") };
cmp_ok($n{'main::turn '}, '>', 10, 'its calls are seen');
is($n{'main::step '}, 5 * $n{'main::turn '}, 'each with all that it called') or diag explain \%n;

# More programs than rings, one after the other: each gets one, and the last ones can be seen.
unlink $path;
$buffer = Devel::RingBuffer->new(File => $path, Rings => 2) or die $!;
for my $n (1 .. 9) {
    waitpid(fork || do { my $ring = $buffer->allocate or POSIX::_exit(1); $ring->nextSlot("main::run$n"); kill KILL => $$ }, 0);
    is($?, 9, "killed program $n had a ring");
}
like(open_spans(@{ spans_in($path) }), qr/main::run9/, 'the last of them is seen');

done_testing;
