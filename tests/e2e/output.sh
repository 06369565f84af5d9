#!/bin/sh
# output.sh RINGVIZ FLOWS SOURCE: each JSON that scripts get is valid, and each of its members and each column of CSV is in
# ringviz-output(7), in the section of its option.
set -u
ringviz=$1 flows=$2 source=$3
. "${0%/*}/harness.sh"

words() { # SECTION: the bold words of it, and of what all sections have in common
    sed 's/\\-/-/g; s/\\&//g' "$source/assets/ringviz-output.7" |
        awk -v section=".SS $1" '/^\.S[HS]/ { on = $0 == ".SH DESCRIPTION" || index($0, section) == 1 } on' |
        sed 's/\\f[PR]/\n/g' | sed -n 's/.*\\fB//p' | sort -u
}

cat >"$folder/names.pl" <<'EOF_PERL'
use JSON::PP;
my %seen;
sub look {
    my $value = shift;
    if (ref $value eq "ARRAY") { look($_) for @$value }
    return if ref $value ne "HASH";
    for (keys %$value) { $seen{$_} = 1; look($value->{$_}) if $_ ne "refused" }
}
my ($format, $file) = @ARGV;
open my $in, "<", $file or die "$file: $!\n";
if ($format eq "csv") {
    chomp(my $line = <$in>);
    s/_(before|after)$//, $seen{$_} = 1 for split /,/, $line;
} else {
    my $json = JSON::PP->new->utf8;
    $json->incr_parse(do { local $/; <$in> });
    while (my $value = $json->incr_parse) { look($value) }
}
print "$_\n" for sort keys %seen;
EOF_PERL

is_documented() { # SECTION FORMAT FILE
    words "$1" >"$folder/known"
    perl "$folder/names.pl" "$2" "$3" >"$folder/names" || fail "$1 is no $2"
    [ "$(wc -l <"$folder/names")" -ge 3 ] || fail "$1 as $2: no names: $(head -c 300 "$3")"
    grep -vxFf "$folder/known" "$folder/names" >"$folder/missing" &&
        fail "$1 as $2: not in ringviz-output(7): $(tr '\n' ' ' <"$folder/missing")"
}

run --headless --record="$folder/run.rvz" -- "$flows" 50
expect "exit status" $status 0
run --headless --policy=switch --ring-events=64 --record="$folder/lossy.rvz" -- "$flows" 500
expect "exit status with drops" $status 0
for format in csv json; do
    for table in report spans waits holders flows critical-path; do
        run --$table=$format "$folder/run.rvz"
        is_documented --$table $format "$folder/out"
        run --$table=$format "$folder/lossy.rvz"
        is_documented --$table $format "$folder/out"
        grep -qE '"events_dropped":[1-9]|events dropped by full rings' "$folder/out" || fail "--$table=$format tells no drops"
    done
    for capture in run lossy; do
        run --waits=arcs-$format "$folder/$capture.rvz"
        is_documented --waits=arcs $format "$folder/out"
    done
    run --diff=$format "$folder/run.rvz" "$folder/lossy.rvz"
    is_documented --diff $format "$folder/out"
    grep -qE '"events_dropped":[1-9]|\(lost after: events dropped' "$folder/out" || fail "--diff=$format tells no drops"
    run --report=lines-$format -- perl -e 'sub twice { 2 * shift } twice($_) for 1 .. 10'
    is_documented --report=lines $format "$folder/out"
done
run --diff "$folder/lossy.rvz" "$folder/run.rvz"
grep -q '^lost before: [1-9][0-9]* events dropped by full rings$' "$folder/out" || fail "--diff tells no drops"
conclude
