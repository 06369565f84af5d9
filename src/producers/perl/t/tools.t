# Perl's own tools, as they are: under tracing they write the same, byte for byte, and every call has its return.
use strict;
use warnings;
use Config;
use FindBin;
use lib "$FindBin::Bin/lib";
use RingvizTest;
use Test::More;

my $pod = $INC{'Test/More.pm'};
mkdir "$RingvizTest::folder/lib";
mkdir "$RingvizTest::folder/t";
write_file('package Counted; sub new { bless { n => 0 }, shift } sub add { $_[0]{n} += $_[1]; $_[0] } sub n { $_[0]{n} } 1;', 'lib/Counted.pm');
write_file("use Test::More; use Counted; is(Counted->new->add(\$_)->n, \$_, \"adds \$_\") for 1 .. 50; done_testing;", "t/$_.t") for 1 .. 3;

my @cases = (
    ['pod2text',     [$pod]],
    ['pod2man',      ['--date=2000-01-01', $pod]],
    ['podchecker',   [$pod]],
    ['perldoc',      ['-T', '-u', '-F', $pod]],
    ['prove',        ['--norc', '--nocolor', "-I$RingvizTest::folder/lib", "$RingvizTest::folder/t"]],
    ['xsubpp',       ['-version']],
);
for my $case (@cases) {
    my ($name, $arguments) = @$case;
    my ($tool) = grep { -x } map { "$_/$name" } $Config{scriptdirexp}, split /:/, $ENV{PATH};
    SKIP: {
        skip "$name is not installed", 6 unless $tool && read_file($tool) =~ /^#!.*perl/;
        my $plain  = run_plain([$tool, @$arguments]);
        my $traced = run_traced([$tool, @$arguments]);
        my ($first) = map { $_->{process} } sort { $a->{start_ns} <=> $b->{start_ns} } @{ $traced->{spans} };
        for ($plain, $traced) { $_->{out} =~ s/\d+ wallclock.*// }
        is($traced->{status}, $plain->{status}, "$name: status");
        ok($traced->{out} eq $plain->{out}, "$name: output");
        is($traced->{err}, $plain->{err}, "$name: messages");
        cmp_ok(scalar(@{ $traced->{spans} }), '>', 20, "$name: calls");
        is(scalar(grep { !/^(?:open)?$/ } map { $_->{flags} } @{ $traced->{spans} }), 0, "$name: each with its return");
        is(scalar(grep { $_->{process} == $first && $_->{flags} ne '' } @{ $traced->{spans} }), 0, "$name: none open, but in children that go on in exec");
    }
}

done_testing;
