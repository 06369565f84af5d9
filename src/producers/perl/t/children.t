# Threads and forked children: rings of their own, and the frames that a child goes on in.
use strict;
use warnings;
use Config;
use FindBin;
use lib "$FindBin::Bin/lib";
use RingvizTest;
use Test::More;

my $path = write_file(<<'END');
sub leaf { 1 }
sub splits { my $pid = fork; if (!$pid) { leaf(); return 'child' } waitpid $pid, 0; leaf(); leaf(); 'parent' }
sub outer { my $who = splits(); leaf(); $who }
exit if outer() eq 'child';
leaf();
END
my $result = run_traced(['perl', $path]);
is_deeply([forest($result, $path)], ['outer(splits(leaf leaf) leaf) leaf', 'outer(splits(leaf) leaf)'], 'fork in a frame');
my ($parents, $childs) = map { my $n = $_; [sort { $a->{process} <=> $b->{process} } grep { $_->{name} eq "main::$n" } @{ $result->{spans} }] } qw(outer splits);
is($parents->[0]{start_ns}, $parents->[1]{start_ns}, 'the frames of the child are as old as its parent\'s');
is($childs->[0]{start_ns}, $childs->[1]{start_ns}, 'both of them');

$path = write_file('sub leaf { 1 } sub f { my $n = shift; leaf(); if ($n && !fork) { f($n - 1); exit } 1 while wait > 0; leaf() } f(3);');
is_deeply(
    [sort(forest(run_traced(['perl', $path]), $path))],
    ['f(f(f(f(leaf leaf))))', 'f(f(f(leaf leaf)))', 'f(f(leaf leaf))', 'f(leaf leaf)'],
    'fork in fork'
);

$path = write_file('sub leaf { 1 } sub f { system "true"; print `echo 1`; open my $p, "-|", "echo 2"; print <$p>; leaf() } f();');
$result = run_traced(['perl', $path]);
is($result->{out}, "1\n2\n", 'system, backticks, pipes');
is_deeply([forest($result, $path)], ['f(leaf)'], 'are no calls');

# Far deeper than a ring's stash, and tags, reach.
$path = write_file('no warnings; sub down { my $n = shift; return down($n - 1) if $n; waitpid(fork || exit, 0); 0 } down(100_000);');
$result = run_traced(['perl', $path]);
my %n;
$n{"$_->{process} $_->{flags}"}++ for grep { $_->{name} eq 'main::down' } @{ $result->{spans} };
is_deeply([values %n], [100_001, 100_001], 'a child 100,000 frames deep') or diag explain \%n;

$path = write_file("#!/usr/bin/perl\nsub leaf { 1 } sub f { leaf() } f();\n", 'script');
chmod 0755, $path;
is_deeply([forest(run_traced([$path]), $path)], ['f(leaf)'], 'by its #! line');
is_deeply([forest(run_traced(['sh', '-c', "perl $path"]), $path)], ['f(leaf)'], 'started by another program');
is_deeply([forest(run_traced(['perl', $path], [], PERL5OPT => '-w', PERL5LIB => '/nowhere'), $path)], ['f(leaf)'], 'with PERL5OPT and PERL5LIB of its own');

SKIP: {
    skip 'perl without threads', 3 unless $Config{useithreads};
    # A process that was forked in a thread says at times that one was not joined, also by itself.
    $path = write_file(<<'END');
use threads;
no warnings 'threads';
sub leaf { 1 }
sub work { my $n = shift; leaf() for 1 .. $n; eval { dies() }; $n }
sub dies { die }
sub begins { my @t = map { threads->create(\&work, $_) } 1 .. 4; $_->join for @t; leaf() }
begins();
threads->create(sub { threads->create(\&work, 1)->join; work(2) })->join;
sub forks { my $pid = fork; if (!$pid) { leaf(); exit } waitpid $pid, 0 }
threads->create(\&forks)->join;
END
    $result = run_traced(['perl', $path]);
    is($result->{err}, '', 'threads run');
    is_deeply(
        [sort(forest($result, $path))],
        [sort { $a cmp $b } 'begins(leaf)', (map { 'work(' . 'leaf ' x $_ . 'dies)' } 1 .. 4), '__ANON__(work(leaf leaf dies))', 'work(leaf dies)', 'forks', 'forks(leaf)'],
        'each on a ring of its own'
    );
    $path = write_file('use threads; sub work { my $n = shift; $n ? work($n - 1) : 0 } for (1 .. 20) { $_->join for map { threads->create(\&work, 50) } 1 .. 4 }');
    $result = run_traced(['perl', $path], ['--rings=8']);
    is(scalar(grep { $_->{name} eq 'main::work' } @{ $result->{spans} }), 80 * 51, 'rings of ended threads are used again');
}

done_testing;
