# One process reads a ring's frames, watches and messages while its owner writes them flat out: all that is read is whole.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use lib $ENV{RINGVIZ_PERL_MODULES};
use POSIX '_exit';
use RingvizTest;
use Test::More;
use Time::HiRes 'time';
use Devel::RingBuffer;

use constant { WANTED => 2000, SECONDS => 250 };

my $path   = "$RingvizTest::folder/rings";
my $buffer = Devel::RingBuffer->new(File => $path, Rings => 1, Slots => 8, TraceOnCreate => 1) or die $!;

# A text that tells whether it is whole: a letter, as often as the letter says.
sub text_of { my ($n) = @_; return chr(97 + $n % 26) x (1 + 7 * ($n % 26)) }
sub is_whole { my ($text) = @_; return $text eq text_of(ord($text) - 97) }

my $pid = fork // die;
if (!$pid) {
    alarm 2 * SECONDS;
    my $own = $buffer->allocate;
    for (my $n = 0; ; $n++) {
        my $depth = $own->nextSlot(text_of($n));
        $own->updateSlot(1000 * $depth + $n % 26);
        if (defined $own->getWatchExpr(0)) {
            $own->setWatchResult(0, $n % 2 ? text_of($n) : undef, $n % 2 ? undef : text_of($n));
        }
        if (my ($code, $message) = $own->checkCommand) {
            $own->postResponse($code, $message . text_of($n));
        }
        if ($depth == 5) { $own->freeSlot for 1 .. 1 + $n % 5 }
    }
}
my $until = time + SECONDS;
my $ring  = Devel::RingBuffer->monitor($path)->getRing(0);
my $watch;
select undef, undef, undef, 0.001 until defined($watch = $ring->addWatch('anything')) || time > $until;
my ($n_frames, $n_results, $n_errors, $n_answers, %torn) = (0) x 4;
is($watch, 0, 'a watch');
ok($ring->postCommand('ASK', 'q0'), 'a command');
while (($n_frames < WANTED || $n_results < WANTED / 4 || $n_errors < WANTED / 4 || $n_answers < WANTED / 4) && time < $until) {
    my (undef, undef, $slot, $depth) = $ring->getHeader;
    $torn{"slot $slot at depth $depth"}++ if defined $depth && $slot != $depth - 1;
    for (0 .. 4) {
        my ($line, $time, $name) = $ring->getSlot($_) or next;
        next if $line == -1;
        $n_frames++;
        $torn{"name $name"}++ unless is_whole($name);
        $torn{"line $line of slot $_, $name"}++ if $line && $line != 1000 * ($_ + 1) + ord($name) - 97;
        $torn{"time $time"}++ if abs($time - time) > 60;
    }
    if (defined((my ($length, $result, $error) = $ring->getWatchResult(0))[0])) {
        my $text = $result // $error;
        $result ? $n_results++ : $n_errors++;
        $torn{"result $text"}++ unless is_whole($text) && $length == length $text;
    }
    if (my ($code, $answer) = $ring->checkResponse) {
        my $question = "q$n_answers";
        $torn{"answer $code $answer"}++ unless $code eq 'ASK' && $answer =~ s/^$question// && is_whole($answer);
        $n_answers++;
        $ring->postCommand('ASK', "q$n_answers");
    }
}
cmp_ok($n_frames,  '>=', WANTED,     'frames are read');
cmp_ok($n_results, '>=', WANTED / 4, 'values of a watch');
cmp_ok($n_errors,  '>=', WANTED / 4, 'and errors');
cmp_ok($n_answers, '>=', WANTED / 4, 'answers');
is_deeply(\%torn, {}, 'each of them whole');
kill KILL => $pid;
waitpid $pid, 0;

done_testing;
