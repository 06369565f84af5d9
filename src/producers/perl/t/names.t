# A sub's name, file and line, whatever happened to its glob, its ops' addresses or its closures.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use RingvizTest;
use Test::More;

sub calls_of {
    my ($text, %env) = @_;
    my $path   = write_file($text);
    my $result = run_traced(['perl', $path], [], %env);
    is($result->{status}, 0, 'the program runs') or diag $result->{err};
    my @spans = grep { $_->{name} !~ /::(BEGIN|import|unimport)$/ } sort { $a->{start_ns} <=> $b->{start_ns} } @{ $result->{spans} };
    return ($path, @spans);
}

my ($path, @spans) = calls_of(<<'END');
sub orig { 1 }
*alias = \&orig;
alias(); orig();
*Foo::bar = sub {
    2 };
Foo::bar();
{ no strict; local *tmp = sub { 4 }; tmp() }
sub Other::Package::method { 1 }
Other::Package->method;
#line 77 "elsewhere.pl"
sub moved { 1 }
moved();
sub empty {}
empty();
END
is_deeply(
    [map { "$_->{name} $_->{line}" } @spans],
    ['main::orig 1', 'main::orig 1', "main::__ANON__[$path:5] 5", "main::__ANON__[$path:7] 7", 'Other::Package::method 8',
     'main::moved 77', 'main::empty 79'],
    'globs, aliases, packages'
) or diag explain [map { "$_->{name} $_->{line}" } @spans];
is($_->{file}, $_->{line} < 77 ? $path : 'elsewhere.pl', "file of $_->{name}") for @spans;

# The ops of one eval take the addresses of the last one's.
($path, @spans) = calls_of('for (1 .. 500) { eval "sub n$_ { 1 } n$_(); undef &n$_; delete \$main::{n$_};" }');
is_deeply([map { $_->{name} } @spans], [map { "main::n$_" } 1 .. 500], '500 evals, 500 names');
is(scalar(grep { $_->{file} =~ /^\(eval \d+\)$/ } @spans), 500, 'in 500 files');
($path, @spans) = calls_of('for (1 .. 100) { eval "sub { 1 }->()" }');
is_deeply([map { $_->{name} } @spans], [map { "main::__ANON__[(eval $_):1]" } 1 .. 100], 'nameless ones, too');

# Closures share their ops; set_subname() gives one of them a name of its own, gone with it.
($path, @spans) = calls_of(<<'END');
use Sub::Util 'set_subname';
my @c = map { my $x = $_; sub { $x } } 1 .. 100;
$_->() for @c;
for my $n (1 .. 200) {
    my $x = $n;
    set_subname("Named::n$n", sub { $x })->();
}
END
my @closures = grep { $_->{name} =~ /__ANON__/ } @spans;
is(scalar(@closures), 100, 'closures');
is_deeply([map { $_->{name} } grep { $_->{name} =~ /^Named/ } @spans], [map { "Named::n$_" } 1 .. 200], 'named closures');

($path, @spans) = calls_of(<<'END');
use utf8;
use Sub::Util 'set_subname';
sub füße { 1 }
sub Пакет::метод { 1 }
füße(); Пакет->метод;
eval "sub f\x{3b1} { 1 } f\x{3b1}()";
set_subname("main::latin\xe9", sub { 1 })->();
END
is_deeply(
    [map { $_->{name} } grep { $_->{file} eq $path || $_->{file} =~ /eval/ } @spans],
    ["main::f\x{fc}\x{df}e", "\x{41f}\x{430}\x{43a}\x{435}\x{442}::\x{43c}\x{435}\x{442}\x{43e}\x{434}", "main::f\x{3b1}", "main::latin\x{e9}"],
    'UTF-8, and Latin-1 as UTF-8'
);

my $xs = 'use Scalar::Util (); use POSIX (); sub f { 1 } Scalar::Util::blessed(1); POSIX::floor(1.5); POSIX->can("ceil")->(1.2); f();';
($path, @spans) = calls_of($xs);
my @seen = map { $_->{name} } grep { $_->{name} =~ /floor|ceil|blessed|main::f/ } @spans;
is_deeply(\@seen, ['Scalar::Util::blessed', 'POSIX::floor', 'POSIX::ceil', 'main::f'], 'XS subs');
is((grep { $_->{name} eq 'POSIX::floor' } @spans)[0]{file}, 'POSIX.c', 'by their C file');
($path, @spans) = calls_of($xs, RINGVIZ_PERL_XS => 0);
@seen = map { $_->{name} } grep { $_->{file} =~ /\.c$/ || $_->{name} eq 'main::f' } @spans;
is_deeply(\@seen, ['main::f'], 'RINGVIZ_PERL_XS=0 leaves them out');

done_testing;
