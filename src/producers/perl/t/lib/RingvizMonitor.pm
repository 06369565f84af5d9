package RingvizMonitor;

# A traced program in the background, and ringviz --control on its trace file.
use strict;
use warnings;
use IPC::Open2;
use RingvizTest;
use Time::HiRes qw(clock_gettime sleep CLOCK_MONOTONIC);

my $n_traces = 0;

# Starts Perl text under ringviz; waits until its trace file is there.
sub start {
    my ($class, $text, %with) = @_;
    utf8::encode($text);
    my $self = bless { script => write_file($text, $with{name}), trace => "$RingvizTest::folder/controlled" . $n_traces++ }, $class;
    $self->{out} = "$self->{trace}.out";
    my @command = ($ENV{RINGVIZ}, @{ $with{mode} // ['--headless'] }, "--trace-file=$self->{trace}", @{ $with{options} // [] }, '--', 'perl', $self->{script});
    $self->{program} = fork // die "fork: $!";
    if (!$self->{program}) {
        local $ENV{RINGVIZ_PERL_LINES} = $with{lines} if $with{lines};
        open STDIN,  '<', '/dev/null';
        open STDOUT, '>', $self->{out} or die;
        open STDERR, '>&', \*STDOUT;
        exec 'timeout', '250', @command or exit 99;
    }
    wait_for(sub { is_ready($self->{trace}) }) or die "no trace file: " . (read_file($self->{out}) // '');
    return $self;
}

# Its state, as in ringviz/wire.h.
sub is_ready {
    my ($trace) = @_;
    open my $in, '<:raw', $trace or return 0;
    my $bytes;
    return read($in, $bytes, 0x204) == 0x204 && unpack('x512 L', $bytes);
}

sub wait_for {
    my ($is_so) = @_;
    my $end = clock_gettime(CLOCK_MONOTONIC) + 60;
    sleep 0.01 until $is_so->() || clock_gettime(CLOCK_MONOTONIC) > $end;
    return $is_so->();
}

# Another monitor of the same file.
sub attach {
    my ($self) = @_;
    $self->{monitor} = open2 $self->{answers}, $self->{commands}, 'timeout', '250', $ENV{RINGVIZ}, "--control=$self->{trace}";
    binmode $_, ':utf8' for @$self{qw(answers commands)};
    return $self;
}

# The answer of each command. That of one that does not exist ends it.
sub ask {
    my ($self, @commands) = @_;
    my @answers;
    for my $command (@commands) {
        print { $self->{commands} } "$command\n=\n";
        $self->{commands}->flush;
        my $answer = '';
        while (defined(my $line = readline $self->{answers})) {
            last if $line =~ /^error: no command '='/;
            $answer .= $line;
        }
        chomp $answer;
        push @answers, $answer;
    }
    return wantarray ? @answers : $answers[-1];
}

# The exit status of the monitor.
sub detach {
    my ($self) = @_;
    close $self->{commands};
    close $self->{answers};
    waitpid delete $self->{monitor}, 0;
    return $? >> 8;
}

# What the program printed, with its status.
sub end {
    my ($self) = @_;
    $self->detach if $self->{monitor};
    waitpid $self->{program}, 0;
    return read_file($self->{out}) . 'status ' . ($? >> 8);
}

1;
