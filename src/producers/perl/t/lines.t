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

# --report=lines: every line in its file, whatever the frame.
sub rows_of {
    my ($options, @what) = @_;
    my $result = run_plain([$ENV{RINGVIZ}, '--report=lines-csv', '--force', "--output=$output", @$options, @what]);
    is($result->{status}, 0, "@$options") or diag $result->{err};
    my @rows = grep { length } split /\n/, read_file($output);
    is(shift @rows, 'file,line,hits,self_ns,total_ns,name', 'the columns');
    return map { my @row = split /,/; $row[0] =~ s{.*/}{}; \@row } @rows;
}

sub hits_of {
    return join ' ', sort map { "$_->[0]:$_->[1]x$_->[2]" . ($_->[5] ? " in $_->[5]" : '') } @_;
}

sub sum_of {
    my $sum = 0;
    $sum += $_->[3] for @_;
    return $sum;
}

my $module = write_file("package Other;\nour \@list = map { \$_ } 1 .. 3;\nsub twice {\n return 2 * shift;\n}\n1;\n", 'Other.pm');
my $script = write_file(<<'PERL', 'main.pl');
require Other;
sub fact {
    my $n = shift;
    return 1 if $n < 2;
    return $n * fact($n - 1);
}
for (1 .. 3) {
    fact(4);
    Other::twice($_);
}
eval "\nsub made {\n 3 }\nmade();\n";
PERL
my $folder   = $RingvizTest::folder;
my $expected = join ' ', sort '(eval 1):3x1 in main::made', '(eval 1):4x1', 'Other.pm:2x1', 'Other.pm:4x3 in Other::twice',
    'Other.pm:6x1', 'main.pl:1x1', 'main.pl:11x1', 'main.pl:3x12 in main::fact', 'main.pl:4x12 in main::fact', 'main.pl:5x9 in main::fact',
    'main.pl:7x1', 'main.pl:8x3', 'main.pl:9x3';
my @live = rows_of(["--record=$folder/lines.rvz"], '--', 'perl', "-I$folder", $script);
is(hits_of(@live), $expected, 'every line of every file');
my ($recursive) = grep { $_->[1] == 5 && $_->[0] eq 'main.pl' } @live;
my ($outer)     = grep { $_->[1] == 8 && $_->[0] eq 'main.pl' } @live;
ok($recursive->[4] <= $outer->[4], 'a recursive line is not counted twice');
ok($recursive->[3] < $recursive->[4], 'its own time is without callees');
my @recorded = rows_of([], "$folder/lines.rvz");
is_deeply(\@recorded, \@live, 'a recording has the same');
my $middle = '--to=' . int(sum_of(@live) / 2) . 'ns';
my @parts  = map { rows_of([$_], "$folder/lines.rvz") } $middle, $middle =~ s/to/from/r;
is(sum_of(@parts), sum_of(@live), 'two ranges have the time of all');
is(hits_of(rows_of(['--filter=name:fact'], "$folder/lines.rvz")), join(' ', grep { /fact/ } split / (?!in |main::fact)/, $expected), 'of one subroutine');
is(hits_of(rows_of(['--find=fact', '--filter=depth:=0'], "$folder/lines.rvz")),
    'main.pl:3x3 in main::fact main.pl:4x3 in main::fact main.pl:5x3 in main::fact', 'of its outermost calls');
is(hits_of(rows_of(['--filter=name:twice'], '--', 'perl', "-I$folder", $script)), 'Other.pm:4x3 in Other::twice', 'live, of one subroutine');
my $without = run_plain([$ENV{RINGVIZ}, '--report=lines', '--', 'perl', "-I$folder", $script], RINGVIZ_PERL_LINES => 0);
like($without->{err}, qr/^ringviz: no line is known: .*RINGVIZ_PERL_LINES=1/m, 'a program whose environment has 0');

done_testing;
