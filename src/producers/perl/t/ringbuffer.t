# Devel::RingBuffer: the file, its arguments and variables, who owns which ring, flags, the global message.
use strict;
use warnings;
use utf8;
use Config;
use FindBin;
use lib "$FindBin::Bin/lib";
use lib $ENV{RINGVIZ_PERL_MODULES};
use POSIX '_exit';
use RingvizTest;
use Test::More;
use Devel::RingBuffer;
use Devel::RingBuffer::TieInt;

my $n_files = 0;
sub new_path { "$RingvizTest::folder/rings" . $n_files++ }
sub sizes_of { my @header = $_[0]->getHeader; @header[2, 3, 4, 1, 7, 5, 6] }    # as new() takes them

# In a child; true when it returned true.
sub in_child {
    my ($run) = @_;
    my $pid = fork // die;
    _exit(eval { alarm 250; $run->() } ? 0 : 1) if !$pid;
    return $pid;
}
sub ended_well { waitpid $_[0], 0; $? == 0 }

delete @ENV{ grep { /^DEVEL_RINGBUF_/ } keys %ENV };

# Arguments, then variables, then defaults.
my @names  = qw(Rings Slots SlotSize MessageSize GlobalSize StopOnCreate TraceOnCreate);
my %values = (Rings => [3, 'BUFFERS', 20], Slots => [4, 'SLOTS', 10], SlotSize => [24, 'SLOTSZ', 200], MessageSize => [32, 'MSGSZ', 256],
    GlobalSize => [64, 'GLOBALSZ', 16384], StopOnCreate => [1, 'SOC', 0], TraceOnCreate => [1, 'TOC', 0]);
is_deeply([sizes_of(Devel::RingBuffer->new(File => new_path()))], [map { $values{$_}[2] } @names], 'defaults');
for my $i (0 .. $#names) {
    my ($value, $variable) = @{ $values{ $names[$i] } };
    is((sizes_of(Devel::RingBuffer->new(File => new_path(), $names[$i] => $value)))[$i], $value, "$names[$i] by argument");
    local $ENV{"DEVEL_RINGBUF_$variable"} = $value;
    is((sizes_of(Devel::RingBuffer->new(File => new_path())))[$i], $value, "$names[$i] by variable");
    is((sizes_of(Devel::RingBuffer->new(File => new_path(), $names[$i] => $value + 8)))[$i], $i < 5 ? $value + 8 : 1, "$names[$i]: the argument counts");
    $ENV{"DEVEL_RINGBUF_$variable"} = 0;
    is((sizes_of(Devel::RingBuffer->new(File => new_path())))[$i], $values{ $names[$i] }[2], "$names[$i]: 0 in a variable is the default");
    next if $i >= 5;
    ok(!eval { Devel::RingBuffer->new(File => new_path(), $names[$i] => 0) }, "$names[$i]: 0 as argument");
    like($@, qr/$names[$i] must be a positive number/, 'is reported');
}
is((sizes_of(Devel::RingBuffer->new(File => new_path(), SlotSize => 21)))[2], 24, 'sizes are rounded up to 8');

# The file.
my $path = new_path();
{
    local $ENV{DEVEL_RINGBUF_FILE} = $path;
    is(Devel::RingBuffer->new->getName, $path, 'the file by its variable');
    is((stat $path)[2] & 07777, 0600, 'for its user only');
}
{
    local $ENV{DEVEL_RINGBUF_FILE} = $path;
    is_deeply([map { Devel::RingBuffer->$_->getName } qw(open monitor)], [$path, $path], 'and opened by it');
}
my $old = Devel::RingBuffer->open($path);
my $ring = $old->allocate;
ok(!Devel::RingBuffer->new(File => $path) && $!{EEXIST}, 'a file in use is left alone');
undef $ring;
ok(Devel::RingBuffer->new(File => $path), 'one that is not is replaced');
write_file('mine', 'precious');
ok(!Devel::RingBuffer->new(File => "$RingvizTest::folder/precious"), 'a file of another kind is not');
is(read_file("$RingvizTest::folder/precious"), 'mine', 'but left alone');
ok(!Devel::RingBuffer->open("$RingvizTest::folder/precious") && $!{EBADMSG}, 'nor opened');
symlink "$RingvizTest::folder/precious", my $link = new_path();
ok(!Devel::RingBuffer->new(File => $link), 'no symbolic link is followed');
is(read_file("$RingvizTest::folder/precious"), 'mine', 'to what it names');
{
    local $ENV{TEMP} = "$RingvizTest::folder/a.b";
    mkdir $ENV{TEMP};
    local $0 = '/x.y/some.script.pl';
    like(Devel::RingBuffer->new->getName, qr{^\Q$ENV{TEMP}\E/some\.script\.$$(_[A-Z][a-z]{2}_\d+_\d\d_\d\d_\d\d)$}, 'its name tells the program, when it has none');
}

# Allocation.
my $buffer = Devel::RingBuffer->new(File => $path = new_path(), Rings => 4, Slots => 3) or die $!;
is_deeply([$buffer->getCount, $buffer->getSlots, $buffer->getSlotSize], [4, 3, 200], 'parts of the header');
ok($buffer->getAddress, 'an address');
my @rings = map { $buffer->allocate } 1 .. 4;
is_deeply([map { $_->getIndex } @rings], [0 .. 3], 'all rings');
ok(!defined $buffer->allocate, 'and no more');
is_deeply([$buffer->getMap], [0, 0, 0, 0], 'all are used');
is_deeply([$rings[1]->getHeader], [$$, 0, -1, 0], 'by this thread');
ok($buffer->free($rings[2]), 'one is freed');
is_deeply([$buffer->getMap], [0, 0, 1, 0], 'and free');
ok(!$buffer->free(2) && !defined $buffer->free(99), 'not twice, nor one that is none');
splice @rings, 2, 1;
my ($index, $address) = $buffer->reallocate;
is_deeply([$index, $address], [2, $buffer->getRing(2)->getAddress], 'reallocate tells index and address');
is_deeply([$buffer->reallocate], [], 'or nothing');
ok(!defined $buffer->getRing(4), 'no ring beyond the last');
ok($buffer->free($index), 'until it is freed');
{
    my $freed = $buffer->allocate;
    $buffer->free($freed);
    my $next = $buffer->getRing(($buffer->reallocate)[0]);
    is($next->getIndex, $freed->getIndex, 'it is allocated again');
    undef $freed;
    is(($next->getHeader)[0], $$, 'and is not freed by its former object');
    $buffer->free($next);
}
@rings = ();
is_deeply([$buffer->getMap], [1, 1, 1, 1], 'rings are free with their objects') or diag join ' ', $buffer->getMap;

# A child inherits objects, not rings; it dies, and its ring is free.
@rings = $buffer->allocate;
pipe my $in, my $out or die;
my $pid = in_child(sub {
    undef @rings;
    my $own = $buffer->allocate;
    $own->nextSlot('child');
    syswrite $out, $own->getIndex;
    sleep 250;
});
sysread $in, $index, 1;
is($index, 1, 'a child has a ring of its own');
is_deeply([$buffer->getMap], [0, 0, 1, 1], 'its parent keeps the one it has');
ok(!defined $buffer->free(1) && $!{EBUSY}, 'which only its owner frees');
ok(!defined $buffer->getRing(1)->nextSlot('x') && $!{EPERM}, 'and writes to');
kill KILL => $pid;
waitpid $pid, 0;
is_deeply([$buffer->getMap], [0, 1, 1, 1], 'killed, it has none');
is(scalar(grep { defined } @rings[1 .. 3] = map { $buffer->allocate } 1 .. 3), 3, 'all others are allocated again');
@rings = ();

# 64 processes allocate and free: a ring has one owner at any time.
{
    my $owners = Devel::RingBuffer->new(File => new_path(), Rings => 8) or die $!;
    open my $marks, '+>', "$RingvizTest::folder/marks" or die;
    my @pids = map {
        in_child(sub {
            open my $mine, '+<', "$RingvizTest::folder/marks" or die;
            my $n = 0;
            while ($n < 1000) {
                my $ring = $owners->allocate;
                select(undef, undef, undef, 0.0002), next unless $ring;
                $n++;
                sysseek $mine, 8 * $ring->getIndex, 0;
                syswrite $mine, my $mark = pack 'Q', $$;
                sysseek $mine, 8 * $ring->getIndex, 0;
                sysread $mine, my $seen, 8;
                return 0 if $seen ne $mark || ($ring->getHeader)[0] != $$ || $ring->nextSlot('x') != 1;
            }
            return 1;
        })
    } 1 .. 64;
    is(scalar(grep { ended_well($_) } @pids), 64, '64 processes, 1,000 rings each: never two owners');
    is_deeply([$owners->getMap], [(1) x 8], 'and all are free then');
}

# 200 processes are killed somewhere: their rings are free again, and what they held can be read.
{
    my $trace  = new_path();
    my $killed = Devel::RingBuffer->new(File => $trace, Rings => 4, TraceOnCreate => 1) or die $!;
    my ($n_without, $n_wrong, $n_frames) = (0) x 3;
    srand 11;
    for (1 .. 200) {
        pipe my $in, my $out or die;
        $pid = in_child(sub {
            while (my $own = $killed->allocate) {
                $own->nextSlot('main::outer');
                syswrite($out, '.'), close $out if defined fileno $out;
                $own->nextSlot("main::inner$_"), $own->updateSlot($_), $own->freeSlot for 1 .. 50;
                $own->freeSlot;
            }
        });
        sysread $in, my $begun, 1 if $_ % 2;
        select undef, undef, undef, rand 0.004;
        kill KILL => $pid;
        waitpid $pid, 0;
        $n_without++ if ($? & 127) != 9;
        $n_wrong++ if join(' ', $killed->getMap) ne '1 1 1 1';
        for my $seen (map { $killed->getRing($_) } 0 .. 3) {
            my (undef, undef, $slot, $depth) = $seen->getHeader or next;    # killed in the middle of a word
            $n_wrong++ if $depth < 0 || $depth > 2 || $slot != $depth - 1;
            for (0 .. $slot) {
                my (undef, undef, $name) = $seen->getSlot($_) or next;
                $n_frames++;
                $n_wrong++ unless $name =~ /^main::(?:outer|inner\d+)$/;
            }
        }
    }
    is($n_without, 0, 'each of 200 killed processes had a ring');
    is($n_wrong, 0, 'which was free again, and whole');
    cmp_ok($n_frames, '>', 0, 'with the frames that it was in');
    my $output = "$RingvizTest::folder/report.json";
    is(run_plain([$ENV{RINGVIZ}, '--report=json', "--output=$output", $trace])->{status}, 0, 'the file opens');
    my ($n_produced, $n_consumed, $n_dropped) = read_file($output) =~ /"produced":(\d+),"consumed":(\d+),"dropped":(\d+)/;
    is($n_produced, $n_consumed + $n_dropped, 'every event is read, or told to be overwritten');
    cmp_ok($n_consumed, '>', 0, 'those of the last ones are read');
}

# Flags.
$ring = $buffer->allocate;
is_deeply([map { $ring->$_ } qw(getTrace getSignal getFlags)], [0, 0, 0], 'flags are clear');
is($ring->setSignal(5), 0, 'what sets returns what was');
is_deeply([$ring->getSignal, $ring->setTrace(-1), $ring->getTrace, $buffer->setSingle(1), $buffer->getSingle], [5, 0, -1, 0, 1], 'and what gets, what is');
is($ring->getFlags, 7, 'all flags');
my $monitor = Devel::RingBuffer->monitor($path) or die $!;
is($monitor->setSingle(0), 1, 'a monitor sets the file\'s');
is($monitor->getRing($ring->getIndex)->setSignal(0), 5, 'and a ring\'s');
is($ring->getFlags, 2, 'in the one file');
is_deeply([$buffer->setStopOnCreate(1), $buffer->setStopOnCreate(0), $buffer->setTraceOnCreate(1)], [0, 1, 0], 'those for new rings');
is($buffer->allocate->getTrace, 1, 'which obey');
$buffer->setStopOnCreate(1);
is($buffer->allocate->getSignal, 1, 'both of them');
$buffer->setStopOnCreate(0);
tie my $single, 'Devel::RingBuffer::TieInt', $buffer, 'single';
tie my $signal, 'Devel::RingBuffer::TieInt', $ring,   'signal';
($single, $signal) = (3, 1 << 30);
is_deeply([$monitor->getSingle, $monitor->getRing($ring->getIndex)->getSignal], [3, 1 << 30], 'a tied scalar is stored to the file');
ok(ended_well(in_child(sub { $signal = -7; $single++; 1 })), 'and by another process');
is_deeply([$single, $signal], [4, -7], 'and read from there');
ok(!eval { tie my $none, 'Devel::RingBuffer::TieInt', $buffer, $_; 1 }, 'TieInt: no such field') for qw(signal depth);

chmod 0400, $path;
SKIP: {
    skip 'root may write anything', 2 if $> == 0;
    $monitor = Devel::RingBuffer->monitor($path) or die $!;
    ok(!defined $monitor->setSingle(1) && $!{EROFS}, 'a file that can be read only');
    ok(!defined $monitor->getRing(0)->setTrace(1) && !defined $monitor->allocate, 'kills nobody');
}

# The global message.
my $messages = Devel::RingBuffer->new(File => $path = new_path(), GlobalSize => 4096) or die $!;
ok(!defined $messages->getGlobalMsg(0), 'no message');
for my $message ('', 'short', 'x' x 4096, "gr\xfc\xdf \x{263a}", join '', map { chr } 0 .. 255) {
    is($messages->setGlobalMsg($message), $messages, 'a message of ' . length($message) . ' is left there');
    is(($messages->getHeader)[8] > 0, length $message > 0, 'its length is in the header');
    is($messages->getGlobalMsg, $message, 'and read');
}
ok($messages->setGlobalMsg('first'), 'one');
ok(!defined $messages->setGlobalMsg('second', 0.01), 'does not replace the other');
is($messages->getGlobalMsg, 'first', 'which is read');
for my $n_bytes (10_000, 1 << 20) {
    my $long = join '', map { chr(32 + $_ % 90) } 1 .. $n_bytes;
    $pid = in_child(sub { Devel::RingBuffer->open($path)->setGlobalMsg($long) });
    ok($messages->getGlobalMsg eq $long, "a message of $n_bytes bytes in chunks");
    ok(ended_well($pid), 'is sent');
}
$pid = in_child(sub { Devel::RingBuffer->open($path)->setGlobalMsg('y' x 10_000, 30) });
select undef, undef, undef, 0.001 until ($messages->getHeader)[8];
kill KILL => $pid;
waitpid $pid, 0;
ok(!defined $messages->getGlobalMsg(1), 'its sender died midway');
ok($messages->setGlobalMsg('after') && $messages->getGlobalMsg eq 'after', 'the next one arrives');

SKIP: {
    skip 'perl without threads', 6 unless $Config{useithreads};
    require threads;
    my $seen = threads->create(sub { my $own = $buffer->allocate; $own->nextSlot('thread'); ($own->getHeader)[1] . ($own->getIndex == $ring->getIndex ? ' same' : ' own') })->join;
    like($seen, qr/^[1-9]\d* own$/, 'a thread has its number, and a ring of its own');
    is(($ring->getHeader)[0], $$, 'the ring of its creator is not freed with it');
    ok(defined $ring->nextSlot('still'), 'and still written to');
    local $ENV{DEVEL_RINGBUF_NOTHREADS} = 1;
    is(threads->create(sub { ($buffer->allocate->getHeader)[1] })->join, 0, 'threads have no number where none is wanted');
    is(($ring->getHeader)[0], $$, 'nor do they free the ring of their creator then');
    ok(defined $ring->nextSlot('still'), 'which is still written to');
}

done_testing;
