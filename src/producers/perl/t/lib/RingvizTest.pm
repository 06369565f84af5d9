package RingvizTest;

# Runs Perl text under ringviz and gives back what it saw. RINGVIZ names the binary.
use strict;
use warnings;
use Exporter 'import';
use File::Temp 'tempdir';
use JSON::PP 'decode_json';
use Test::More;

our @EXPORT = qw(write_file read_file run_traced run_plain trees forest spans_of);
our $folder = tempdir(CLEANUP => 1);
my $n_files = 0;

sub read_file {
    open my $in, '<:raw', $_[0] or return undef;
    local $/;
    return scalar <$in>;
}

sub write_file {
    my ($text, $name) = @_;
    my $path = "$folder/" . ($name // 'script' . $n_files++ . '.pl');
    open my $out, '>:raw', $path or die "$path: $!";
    print $out $text;
    close $out;
    return $path;
}

# Status, stdout and stderr of a command; not what ringviz says where the machine is busy.
sub run_plain {
    my ($command, %env) = @_;
    my ($out, $err) = ("$folder/stdout", "$folder/stderr");
    my $pid = fork // die "fork: $!";
    if (!$pid) {
        $ENV{$_} = $env{$_} for keys %env;
        open STDIN, '<', '/dev/null';
        open STDOUT, '>', $out or die;
        open STDERR, '>', $err or die;
        exec 'timeout', '250', @$command or exit 99;
    }
    waitpid $pid, 0;
    return { status => $? >> 8, out => read_file($out), err => read_file($err) =~ s/^ringviz: .* until ringviz had read their events: .*\n//mr };
}

# The same under ringviz: result has spans, too. options: those of ringviz.
sub run_traced {
    my ($command, $options, %env) = @_;
    my $spans = "$folder/spans.json";
    unlink $spans;
    my $result = run_plain([$ENV{RINGVIZ}, '--spans=json', "--output=$spans", '--patch=off', @{ $options // [] }, '--', @$command], %env);
    $result->{spans} = spans_of($spans);
    return $result;
}

# A line is always written in the same way; JSON::PP takes 100 us for one.
my $string = qr/"((?:[^"\\]|\\.)*)"/;
my $line   = qr/^\{"process":(\d+),"thread":(\d+),"depth":(\d+),"start_ns":(\d+),"duration_ns":(\d+),"name":$string,"file":$string,"line":(\d+),(?:"\w+_ns":\d+,){0,6}"flags":$string\}$/;

sub text_of {
    my ($text) = @_;
    return decode_json(qq(["$text"]))->[0] if $text =~ /\\/;
    utf8::decode($text);
    return $text;
}

sub spans_of {
    my @spans;
    for (split /\n/, read_file($_[0]) // '') {
        next if /^\{"lost":/;
        my %span;
        (@span{qw(process thread depth start_ns duration_ns name file line flags)} = /$line/) == 9 or die "no span: $_";
        $span{$_} = text_of($span{$_}) for qw(name file);
        push @spans, \%span;
    }
    return \@spans;
}

# main::f -> f; an anonymous sub has its line, but not its file.
sub short_name {
    my ($name) = @_;
    $name =~ s/^main:://;
    $name =~ s/__ANON__\[.*?:(\d+)\]$/__ANON__/;
    return $name;
}

# What a thread called, in order: "a(b c) d". Only spans for which `keeps` is true; fails on any that did not pair.
sub tree_of {
    my ($spans, $keeps) = @_;
    my ($text, @ends) = ('');
    for my $span (sort { $a->{start_ns} <=> $b->{start_ns} || $a->{depth} <=> $b->{depth} } @$spans) {
        my $end = $span->{start_ns} + $span->{duration_ns};
        while (@ends && $span->{depth} <= $ends[-1]{depth}) {
            fail("$span->{name} begins before its sibling has ended") if $span->{start_ns} < $ends[-1]{end};
            $text .= ')' if (pop @ends)->{is_kept};
        }
        fail("$span->{name} outlives its caller") if @ends && $end > $ends[-1]{end};
        fail("$span->{name} is $span->{flags}") if $span->{flags} ne '';
        my $is_kept = $keeps->($span);
        $text .= ' ' . short_name($span->{name}) . '(' if $is_kept;
        push @ends, { depth => $span->{depth}, end => $end, is_kept => $is_kept };
    }
    $text .= ')' x grep { $_->{is_kept} } @ends;
    $text =~ s/\(\)//g;
    $text =~ s/\( /(/g;
    $text =~ s/^ //;
    return $text;
}

# [process, thread, tree] of every thread, in order of their first call.
sub trees {
    my ($spans, $keeps) = @_;
    my %threads;
    push @{ $threads{"$_->{process} $_->{thread}"} }, $_ for @$spans;
    my %first = map { my $t = $_; $t => (sort { $a <=> $b } map { $_->{start_ns} } @{ $threads{$t} })[0] } keys %threads;
    return map { [split(/ /, $_), tree_of($threads{$_}, $keeps)] } sort { $first{$a} <=> $first{$b} || $a cmp $b } keys %threads;
}

# The trees of a script's own subs, BEGIN blocks left out.
sub forest {
    my ($result, $script) = @_;
    return map { $_->[2] } trees($result->{spans}, sub { $_[0]{file} eq $script && $_[0]{name} !~ /::BEGIN$/ });
}

1;
