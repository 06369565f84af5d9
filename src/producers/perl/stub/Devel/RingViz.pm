package Devel::RingViz;

# Found by a perl of another version or build than ours was made for, which looks in its own folders first: nothing is
# traced, and nothing is said.
if (($ENV{PERL5DB} // '') =~ /^\s*use Devel::RingViz\b/) {
    require Devel::RingViz::Debugger;
    Devel::RingViz::Debugger::begin();
}

1;
