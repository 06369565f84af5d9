# tables_of_spans.pl SPANS REPORT SUBJECT FROM TO FOLDER: the tables of the statistics, made call by call from --spans=csv of the
# range [FROM, TO) in ns; rows from --report=csv. A file for each in the folder.
use strict;
use warnings;

my ($spans, $report, $subject, $from, $to, $folder) = @ARGV;

sub write_table {
    my ($name, @lines) = @_;
    open my $out, '>', "$folder/$name" or die "$folder/$name: $!";
    print $out "$_\n" for @lines;
    close $out;
}

sub columns {
    open my $in, '<', shift or die $!;
    my @columns = split /,/, do { chomp(my $head = <$in>); $head };
    my @rows;
    while (<$in>) {
        chomp;
        my %row;
        @row{@columns} = split /,/, $_, -1;
        push @rows, \%row;
    }
    return @rows;
}

my @numbers = qw(calls total_ns self_ns min_ns p50_ns p99_ns max_ns
    self_blocked_ns self_runnable_ns total_blocked_ns total_runnable_ns);
my @rows = grep { $_->{calls} } columns($report);

sub write_rows {
    my ($name, @numbers) = @_;
    write_table($name, map { my $row = $_; join ',', $row->{name}, map { $row->{$_} || 0 } @numbers } @rows);
}

write_rows('rows', @numbers);
@rows = grep { length $_->{total_cpu_ns} } @rows; # the states of the threads are known
write_rows("times.$_", "total_${_}_ns", "self_${_}_ns") for qw(cpu blocked runnable);

# ---- calls with their callers: in the order of their begins, a thread at a time ----

my @calls = sort { $a->{thread} <=> $b->{thread} || $a->{start_ns} <=> $b->{start_ns} || $a->{depth} <=> $b->{depth} }
    grep { $_->{process} } columns($spans);
my (@stack, $thread);
for my $call (@calls) {
    @stack = () unless defined $thread && $thread == $call->{thread};
    $thread = $call->{thread};
    pop @stack while @stack && $stack[-1]{depth} >= $call->{depth};
    my $end = $call->{start_ns} + $call->{duration_ns};
    my $begins = $call->{start_ns} > $from ? $call->{start_ns} : $from;
    my $ends = $end < $to ? $end : $to;
    $call->{inside} = $ends > $begins ? $ends - $begins : 0;
    $call->{own} = $call->{inside};
    $stack[-1]{own} -= $call->{inside} if @stack;
    $call->{caller} = @stack ? $stack[-1]{name} : '';
    $call->{is_outermost} = !grep { $_->{name} eq $call->{name} } @stack;
    $call->{is_inside_its_like} = grep { $_->{name} eq $call->{name} && $_->{args} eq $call->{args} } @stack;
    push @stack, $call;
    $call->{path} = @stack > 1 ? "$stack[-2]{path};$call->{name}" : $call->{name};
}
for (@calls) {
    $_->{total} = $_->{is_outermost} ? $_->{inside} : 0;
    $_->{total_of_args} = $_->{is_inside_its_like} ? 0 : $_->{inside};
}

my @chosen = grep { $_->{name} eq $subject } @calls;

sub call_text { my $call = shift; join ',', @$call{qw(process thread depth start_ns duration_ns own caller)} }

my %order = (start => 'start_ns', duration => 'duration_ns', self => 'own', thread => 'thread');
for my $column (keys %order) {
    my $key = $order{$column};
    write_table("calls.$column", map { call_text($_) } sort { $b->{$key} <=> $a->{$key} } @chosen);
}

my %buckets;
for (@chosen) {
    my ($octave, $rest) = (0, $_->{duration_ns} >> 6);
    for (; $rest; $rest >>= 1) { $octave++ }
    $buckets{$octave * 64 + ($_->{duration_ns} >> ($octave ? $octave - 1 : 0) & 63)}++;
}
write_table('durations', map { "$_,$buckets{$_}" } keys %buckets);

for my $by (qw(caller thread process args)) {
    my %group;
    for (@chosen) {
        my $sums = $group{$_->{$by} // ''} ||= [0, 0, 0, 0];
        $sums->[0]++;
        $sums->[1] += $by eq 'args' ? $_->{total_of_args} : $_->{total};
        $sums->[2] += $_->{own};
        $sums->[3] = $_->{duration_ns} if $_->{duration_ns} > $sums->[3];
    }
    write_table($by eq 'args' ? 'by.arguments' : "by.$by", map { join ',', $_, @{ $group{$_} } } keys %group);
}

# ---- paths, and the trees made of them ----

my %path;
for (@calls) {
    my $sums = $path{$_->{path}} ||= [0, 0, 0];
    $sums->[0]++;
    $sums->[1] += $_->{inside};
    $sums->[2] += $_->{own};
}

sub write_tree { my ($name, $tree) = @_; write_table($name, map { join ',', $_, @{ $tree->{$_} } } keys %$tree) }

sub add {
    my ($tree, $node, @sums) = @_;
    my $at = $tree->{$node} ||= [0, 0, 0];
    $at->[$_] += $sums[$_] for 0 .. 2;
}

write_tree('top_down', \%path);
my (%bottom_up, %callers, %callees);
for my $path (keys %path) {
    my ($n, $total, $own) = @{ $path{$path} };
    my @frames = split /;/, $path;
    my $node = '';
    add(\%bottom_up, $node = $node eq '' ? $_ : "$node;$_", $n, $own, $own) for reverse @frames;
    my ($first) = grep { $frames[$_] eq $subject } 0 .. $#frames;
    next unless defined $first;
    add(\%callees, join(';', @frames[$first .. $#frames]), $n, $total, $own);
    next unless $frames[-1] eq $subject;
    $node = '';
    add(\%callers, $node = $node eq '' ? $_ : "$node;$_", $n, $first == $#frames ? $total : 0, $own)
        for reverse @frames[0 .. $first];
}
write_tree('bottom_up', \%bottom_up);
write_tree('callers', \%callers);
write_tree('callees', \%callees);
