# Every way into a sub and out of it, each case as the calls that it makes, nested.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use RingvizTest;
use Test::More;

my $common = <<'END';
no warnings;
use List::Util qw(first reduce);
use Scalar::Util ();
sub leaf { 1 }
sub mid { leaf(); leaf() }
sub dier { die "x\n" }
sub dies_deeper { dier() }
sub returns_from_loop { for (1 .. 2) { if (1) { return leaf() } } }
sub leaves_by_last { last }
sub leaves_by_next { next }
sub target { leaf(); 7 }
sub goes { goto &target }
sub goes_twice { goto &goes }
sub goes_to_xs { @_ = ("a"); goto &utf8::is_utf8 }
sub goes_to_croak { @_ = (); goto &Scalar::Util::dualvar }
sub goes_nowhere { goto &nowhere }
sub recurses { my $n = shift; $n ? recurses($n - 1) : 0 }
sub compares { leaf(); $a <=> $b }
sub handles { leaf() }
sub wants { wantarray }
sub exchanges { my @x = (leaf(), sub { @_ }->(1, 2)); return @x[0, 1] }
sub with_object { my $d = Dies->new; 5 }
sub dies_with_object { my $d = Dies->new; die "y\n" }
my $value = 1;
sub lvalue :lvalue { $value }
sub makes { my $c = shift; sub { leaf(); $c } }
sub empty {}
sub localizes { local $SIG{__DIE__}; die { a => 1 } }
package Auto; our $AUTOLOAD; sub new { bless [], shift } sub AUTOLOAD { return if $AUTOLOAD =~ /DESTROY/; main::leaf() }
package Dies; sub new { bless [], shift } sub DESTROY { main::leaf() }
package Over; use overload '""' => sub { main::leaf(); "over" }, '&{}' => sub { \&main::leaf }; sub new { bless [], shift }
package Tied; sub TIESCALAR { bless [], shift } sub FETCH { main::leaf(); 3 } sub STORE {}
package Filled; sub new { bless {}, shift } sub method { leaf($_[0]) } sub leaf { 1 } package Below; our @ISA = 'Filled'; sub method { $_[0]->SUPER::method }
package main;
END

my @cases = (
    ['plain calls',          'mid(); leaf()',                                   'mid(leaf leaf) leaf'],
    ['an empty sub',         'empty(); &empty; leaf()',                         'empty empty leaf'],
    ['die',                  'eval { dier() }; leaf()',                         'dier leaf'],
    ['die, two deep',        'eval { dies_deeper() }; leaf()',                  'dies_deeper(dier) leaf'],
    ['die in nested evals',  'eval { eval { localizes() }; die }; leaf()',      'localizes leaf'],
    ['eval in a sub',        'sub { eval { dies_deeper() }; leaf() }->()',      '__ANON__(dies_deeper(dier) leaf)'],
    ['return in loops',      'returns_from_loop(); leaf()',                     'returns_from_loop(leaf) leaf'],
    ['last out of a sub',    'for (1) { leaves_by_last() } leaf()',             'leaves_by_last leaf'],
    ['next out of a sub',    'for (1, 2) { leaves_by_next() } leaf()',          'leaves_by_next leaves_by_next leaf'],
    ['last out of two',      'L: for (1) { sub { sub { last L }->() }->() } leaf()', '__ANON__(__ANON__) leaf'],
    ['goto label in a sub',  'sub { goto X; leaf(); X: leaf() }->()',           '__ANON__(leaf)'],
    ['goto sub',             'goes(1); leaf()',                                 'goes target(leaf) leaf'],
    ['goto, twice',          'goes_twice(1); leaf()',                           'goes_twice goes target(leaf) leaf'],
    ['goto XS',              'goes_to_xs(); leaf()',                            'goes_to_xs utf8::is_utf8 leaf'],
    ['goto XS that croaks',  'eval { goes_to_croak() }; leaf()',                'goes_to_croak Scalar::Util::dualvar leaf'],
    ['goto no sub',          'eval { goes_nowhere() }; leaf()',                 'goes_nowhere leaf'],
    ['an XS sub',            'Scalar::Util::blessed(1); leaf()',                'Scalar::Util::blessed leaf'],
    ['an XS sub by name',    '&{"Scalar::Util::blessed"}(1); leaf()',           'Scalar::Util::blessed leaf'],
    ['an XS sub croaks',     'eval { &Scalar::Util::dualvar(1) }; leaf()',      'Scalar::Util::dualvar leaf'],
    ['an undefined sub',     'eval { nosuch() }; eval { &{"nosuch"}() }; leaf()', 'leaf'],
    ['AUTOLOAD',             'my $o = Auto->new; $o->foo; undef $o; leaf()',    'Auto::new Auto::AUTOLOAD(leaf) Auto::AUTOLOAD leaf'],
    ['DESTROY of a lexical', 'with_object(); leaf()',                           'with_object(Dies::new Dies::DESTROY(leaf)) leaf'],
    ['DESTROY in die',       'eval { dies_with_object() }; leaf()',             'dies_with_object(Dies::new Dies::DESTROY(leaf)) leaf'],
    ['overload',             'my $o = Over->new; my $s = "$o"; leaf()',         'Over::new Over::__ANON__(leaf) leaf'],
    ['overloaded call',      'my $o = Over->new; $o->(); leaf()',               'Over::new Over::__ANON__ leaf leaf'],
    ['tie',                  'tie my $t, "Tied"; my $v = $t; $t = 4; leaf()',   'Tied::TIESCALAR Tied::FETCH(leaf) Tied::STORE leaf'],
    ['SUPER',                'bless({}, "Below")->method',                      'Below::method(Filled::method(Filled::leaf))'],
    ['sort block',           'my @s = sort { leaf(); $a <=> $b } 2, 1; leaf()', 'leaf leaf'],
    ['sort sub',             'my @s = sort compares 2, 1; leaf()',              'leaf leaf'],
    ['map and grep',         'my @m = map { leaf() } grep { leaf() } 1, 2',     'leaf leaf leaf leaf'],
    ['List::Util',           'my $f = first { leaf(); $_ == 2 } 1, 2; leaf()',  'List::Util::first(leaf leaf) leaf'],
    ['s///e',                'my $s = "aa"; $s =~ s/a/leaf()/ge; leaf()',       'leaf leaf leaf'],
    ['(?{ })',               '"ab" =~ /a(?{ leaf() })b/; leaf()',               'leaf leaf'],
    ['string eval',          'eval q{ sub { leaf() }->(); dier(); 1 }; leaf()', '__ANON__(leaf) dier leaf'],
    ['__WARN__',             'local $SIG{__WARN__} = \&handles; warn "w"; leaf()', 'handles(leaf) leaf'],
    ['__DIE__',              'local $SIG{__DIE__} = \&handles; eval { dier() }; leaf()', 'dier(handles(leaf)) leaf'],
    ['a signal',             'local $SIG{ALRM} = \&handles; kill ALRM => $$; 1 for 1 .. 1000; leaf()', 'handles(leaf) leaf'],
    ['lvalue sub',           'lvalue() = 3; lvalue() += 1; leaf()',             'lvalue lvalue leaf'],
    ['closures',             'my $c = makes(2); $c->(); &$c; makes(3)->()',     'makes __ANON__(leaf) __ANON__(leaf) makes __ANON__(leaf)'],
    ['contexts',             'my @l = wants(); my $s = wants(); exchanges()',   'wants wants exchanges(leaf __ANON__)'],
    ['recursion',            'recurses(3)',                                     'recurses(recurses(recurses(recurses)))'],
    ['die in a sort block',  'eval { my @s = sort { dier() } 1, 2 }; leaf()',   'dier leaf'],
    ['caller sees no more',  'sub a_ { (caller(1))[3] } sub b_ { a_() } die if b_() ne "main::b_"; leaf()', 'b_(a_) leaf'],
);

my $script = $common;
$script .= "sub case_$_ { $cases[$_][1] }\n" for 0 .. $#cases;
$script .= "case_$_();\n" for 0 .. $#cases;
my $path = write_file($script);
my $result = run_traced(['perl', $path]);
is($result->{status}, 0,  'the program runs');
is($result->{err},    '', 'and prints nothing else');

my %wanted_in;    # spans of a case: those between its start and end
my @all = sort { $a->{start_ns} <=> $b->{start_ns} } @{ $result->{spans} };
for my $i (0 .. $#cases) {
    my ($case) = grep { $_->{name} eq "main::case_$i" } @all;
    my $end = $case->{start_ns} + $case->{duration_ns};
    my @inside = grep { $_->{start_ns} > $case->{start_ns} && $_->{start_ns} < $end } @all;
    my ($tree) = trees(\@inside, sub { 1 });
    is($tree ? $tree->[2] : '', $cases[$i][2], $cases[$i][0]);
}

# A frame ends when it is left, not at the next event.
$path   = write_file('sub dier { die } sub last_ { no warnings; last } sub after {} eval { dier() }; select undef, undef, undef, 0.05; after(); for (1) { last_() } select undef, undef, undef, 0.05; after();');
$result = run_traced(['perl', $path]);
my ($die, $last, @after) = map { my $n = $_; grep { $_->{name} eq "main::$n" } sort { $a->{start_ns} <=> $b->{start_ns} } @{ $result->{spans} } } qw(dier last_ after);
cmp_ok($after[0]{start_ns} - $die->{start_ns} - $die->{duration_ns},   '>=', 4.5e7, 'die ends a frame at once');
cmp_ok($after[1]{start_ns} - $last->{start_ns} - $last->{duration_ns}, '>=', 4.5e7, 'so does last');

done_testing;
