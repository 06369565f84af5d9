# Functions of a library that Perl calls, patched, and Perl subs that they call: one stack.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use RingvizMonitor;
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

# ---- the stack of a stopped thread ----
my $program = RingvizMonitor->start(<<'E', options => ['--patch=^sqlite3_step$@sqlite3'])->attach;
use DBI;
my $db = DBI->connect('dbi:SQLite:dbname=:memory:', '', '', { RaiseError => 1, PrintError => 0 });
sub ask  { $db->selectrow_array($_[0]) }
sub deep { my ($n) = @_; $n ? 1 + ask("select deep($n - 1)") : 0 }
$db->sqlite_create_function('deep', -1, \&deep);
my $go;
select undef, undef, undef, 0.01 until $go;
ask('select deep(1)');
E
my $at = "at $program->{script} line";
RingvizMonitor::wait_for(sub { $program->ask('stack') =~ /^#0 main program \Q$at\E 7$/m });
$program->ask('stop', 'break deep if $_[0] == 0', 'eval $go = 1', 'run');
is($program->ask('wait'), "ring 0 stopped: main::deep(0) $at 4", 'a sub that a function has called');
my $functions = "   sqlite3::sqlite3_step\n   DBI::db::selectrow_array\n"; # without files, which debug information may tell
is($program->ask('stack') =~ s/^(   \S+) at .*/$1/gmr, <<"E" =~ s/\n\z//r, 'functions lie between the subs');
#0 main::deep(0) $at 4
$functions#1 main::ask("select deep(1 - 1)") $at 3
#2 main::deep(1) $at 4
$functions#3 main::ask("select deep(1)") $at 3
#4 main program $at 8
E
is($program->ask('up'), qq(#1 main::ask("select deep(1 - 1)") $at 3), 'only subs have numbers');
is($program->ask('eval $_[0]'), '"select deep(1 - 1)"', 'by which they are known');
is($program->ask('frame 2', 'eval $n'), '1', 'above functions, too');
is($program->ask('frame 4'), "#4 main program $at 8", 'to the last one');
$program->ask('break delete all', 'run');
is($program->end, 'status 0', 'what the program did');

done_testing;
