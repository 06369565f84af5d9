package Devel::RingViz::Debugger;

# Under perl -d:RingViz, which is how ringviz has it loaded ahead of what -M names, perl's own debugger hooks are not
# needed, and cost. Where the command line has a -d of its own, that debugger is begun as if ours had not been named.

# The words of a file of /proc.
sub words {
    open my $in, '<', $_[0] or return;
    local $/ = "\0";
    chomp(my @words = <$in>);
    return @words;
}

# Switches that may stand before another one in a word, and such as take the next word when they end one.
my $leading = qr/(?:[acfgnpsStTuUvwWX-]|0x[[:xdigit:]]*|[0l][0-7]*|C\d*)*/;

# Those of a command line, up to the script's name.
sub switches {
    my (undef, @words) = @_;
    my @switches;
    while (@words && $words[0] =~ /^-./ && $words[0] ne '--') {
        push @switches, shift @words;
        shift @words if $switches[-1] =~ /^-(?:$leading)[eEI]$/;
    }
    return @switches;
}

# The text that perl would run: of the last -d:MODULE, else what PERL5DB was before, where there is a -d at all.
sub wanted {
    my ($before, @switches) = @_;
    my $wanted;
    for (@switches) {
        next unless /^-?${leading}d(?:t\b)?([:=](-?)([^=]*)(?:=(.*))?)?/s && ($3 // '') ne 'RingViz';
        $wanted = !$1 ? $wanted // $before // q(BEGIN { require 'perl5db.pl' })
                      : ($2 ? 'no' : 'use') . " Devel::$3" . (defined $4 ? " split(/,/,q\0$4\0)" : '') . ';';
    }
    return $wanted;
}

my ($before) = map { /^PERL5DB=(.*)/s } words('/proc/self/environ');
undef $before if ($before // '') =~ /^\s*use Devel::RingViz\b/;
our $wanted = wanted($before, switches(words('/proc/self/cmdline')), split ' ', $ENV{PERL5OPT} // '');
$^P = 0 unless defined $wanted;

my $left = ($wanted // '') =~ /^BEGIN/ ? $before : $wanted // $before;
if (defined $left) { $ENV{PERL5DB} = $left } else { delete $ENV{PERL5DB} }

sub begin { eval "package main; $wanted; 1" or die $@ if defined $wanted }

1;
