# RINGVIZ_PERL_LINES=1, read from the trace file itself.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use RingvizTest;
use Test::More;

use constant { CALL => 0, RETURN => 1, LINE => 8 };

# [kind, id or line, frame, aux] of every event of the first ring; offsets as in ringviz/wire.h.
sub events_of {
    my ($trace) = @_;
    my $bytes    = read_file($trace);
    my $controls = unpack 'x64 Q<', $bytes;
    my $rings    = unpack 'x144 Q<', $bytes;
    my $n        = unpack 'Q<', substr $bytes, $controls + 0x80, 8;
    return map { my ($when, $id, $aux, $frame) = unpack 'Q< L< S< S<', substr $bytes, $rings + 16 * $_, 16; [$when >> 60, ($when >> 60) == LINE ? $frame << 16 | $aux : $id, $frame, $aux] } 0 .. $n - 1;
}

sub trace_of {
    my ($text, %env) = @_;
    my $trace  = "$RingvizTest::folder/trace" . rand;
    my $result = run_traced(['perl', write_file($text)], ["--trace-file=$trace", '--rings=2', '--ring-events=4096'], %env);
    is($result->{status}, 0, 'the program runs') or diag $result->{err};
    my @events = events_of($trace);
    shift @events while @events && $events[0][0] != LINE && $events[0][0] != CALL;
    return @events;
}

my $text = "sub f {\n my \$x = 1;\n return \$x }\nfor (1 .. 2) {\n f();\n}\n1;\n";
my @events = trace_of($text, RINGVIZ_PERL_LINES => 1);
is(join(' ', map { $_->[0] == LINE ? $_->[1] : $_->[0] == CALL ? "call from $_->[3]" : 'return' } @events),
    '4 5 call from 5 2 3 return 5 call from 5 2 3 return 7', 'every statement, in its place');
is_deeply([map { $_->[2] } grep { $_->[0] == CALL } @events], [0, 0], 'at depth 0');

@events = trace_of($text);
is(join(' ', map { $_->[0] == LINE ? $_->[1] : $_->[0] == CALL ? "call from $_->[3]" : 'return' } @events),
    'call from 5 return call from 5 return', 'without: calls and returns only');

# Post mortem: where it was.
my $path   = write_file("sub leaf { 1 }\nsub work {\n leaf();\n kill KILL => \$\$;\n sleep 9;\n}\nwork();\n");
my $output = "$RingvizTest::folder/report";
for my $case (['json', qr/"max_depth":2,.*"last_line":4\}/], ['text', qr/^ +\d+ +\d+ +7 +2 .* script\d+\.pl, last at line 4$/m]) {
    my ($format, $pattern) = @$case;
    run_plain([$ENV{RINGVIZ}, "--report=$format", '--force', "--output=$output", '--', 'perl', $path], RINGVIZ_PERL_LINES => 1);
    like(read_file($output), $pattern, "the last line of a killed program: $format");
}

done_testing;
