# Functions of a library that Perl calls, patched, and Perl subs that they call: one stack.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use RingvizTest;
use Test::More;

plan skip_all => 'without DBD::SQLite' unless eval { require DBD::SQLite };

my $script = write_file(<<'E');
use DBI;
use POSIX ();
my $db = DBI->connect('dbi:SQLite:dbname=:memory:', '', '', { RaiseError => 1, PrintError => 0 });
sub ask  { $db->selectrow_array($_[0]) }
sub twice { 2 * $_[0] }
sub deep { my ($n) = @_; $n ? 1 + ask("select deep($n - 1)") : 0 }
sub bad  { die "bad\n" }
sub inside { twice(3) == 6 or exit 8; POSIX::_exit(0) }
sub forks { my $pid = fork // exit 7; $pid ? waitpid($pid, 0) && $? : inside() }
$db->sqlite_create_function($_, -1, \&$_) for qw(twice deep bad forks);
sub first { ask('select 1') }
first();
ask('select twice(4)') == 8 or exit 3;
ask('select deep(3)') == 3 or exit 4;
eval { ask('select bad()'); 1 } and exit 5;
ask('select twice(1)') == 2 or exit 6;
ask('select forks()') == 0 or exit 9;
E

my $keeps = sub { $_[0]{name} =~ /^main::(?!BEGIN)/ || $_[0]{name} eq 'sqlite3::sqlite3_step' };
my $result = run_traced(['perl', $script], ['--patch=^sqlite3_step$@sqlite3']);
is($result->{status}, 0, 'results are right') or diag $result->{err};

# A query's second step finds that there is no further row; one that fails has none.
my %is_child = map { $_->{process} => 1 } grep { $_->{name} eq 'main::inside' } @{ $result->{spans} };
my ($parent) = trees([grep { !$is_child{ $_->{process} } } @{ $result->{spans} }], $keeps);
my $expected = 'step first(ask(step step)) ask(step(twice) step)'
    . ' ask(step(deep(ask(step(deep(ask(step(deep(ask(step(deep) step))) step))) step))) step)'
    . ' ask(step(bad)) ask(step(twice) step) ask(step(forks) step)';
is($parent->[2] =~ s/sqlite3::sqlite3_//gr, $expected, 'subs and functions nest in one another');

# The child ends without a return, inside a function that its parent has called.
my %depth = map { $_->{name} => $_->{depth} } grep { $is_child{ $_->{process} } } @{ $result->{spans} };
is($depth{'main::twice'} - $depth{'main::inside'}, 1, 'a child forked by a sub that a function called goes on where it is');

done_testing;
