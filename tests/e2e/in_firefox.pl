# in_firefox.pl FOLDER PAGE SCRIPT...: what each script returns on the page in Firefox, a line each. Spoken is Marionette:
# packets "LENGTH:JSON".
use strict;
use warnings;
use IO::Socket::INET;
use JSON::PP;
use Time::HiRes 'sleep';

my ($folder, $page, @scripts) = @ARGV;
my $profile = "$folder/profile";
mkdir $profile;
unlink "$profile/MarionetteActivePort";
open(my $settings, '>', "$profile/user.js") or die $!;
print $settings qq{user_pref("marionette.port", 0);\n};    # a free port, which Firefox writes into the file
close $settings;

my $firefox = fork // die $!;
if (!$firefox) {
    setpgrp;
    $ENV{HOME} = $folder;
    open(STDOUT, '>', '/dev/null');
    open(STDERR, '>', '/dev/null');
    exec 'firefox-esr', '--headless', '--no-remote', '--marionette', '--profile', $profile;
    exit 1;
}
END { local $?; $firefox and kill(KILL => -$firefox) and waitpid($firefox, 0) }    # and its helpers
$SIG{ALRM} = sub { die "Firefox does not answer\n" };
alarm 300;

my $port;
until ($port) {
    sleep 0.1;
    open(my $told, '<', "$profile/MarionetteActivePort") or next;
    $port = <$told>;
}
my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port) or die $!;
my $json = JSON::PP->new->allow_nonref;

sub take {
    my ($n_bytes, $packet) = ('', '');
    while (read($socket, my $byte, 1)) {
        last if $byte eq ':';
        $n_bytes .= $byte;
    }
    read($socket, $packet, $n_bytes) == $n_bytes or die "Firefox has ended\n";
    return $json->decode($packet);
}

my $n = 0;

sub ask {
    my $packet = $json->encode([0, ++$n, @_]);
    print $socket length($packet), ':', $packet;
    my $answer = take();
    die $answer->[2]{message}, "\n" if $answer->[2];
    return $answer->[3]{value};
}

take();
ask('WebDriver:NewSession', {});
ask('WebDriver:Navigate', {url => "file://$page"});
print ask('WebDriver:ExecuteScript', {script => $_, args => []}), "\n" for @scripts;
