package Devel::RingViz::Frame;

# Loaded into a program when a monitor first asks for the value of an expression.
package DB;

# The expression is evaluated as in the statement that the program is at, whose @_ is ours, too: we are called without
# arguments of our own. Its variables are those of that statement, none of ours.
sub ringviz_evaluate {
    local ($@, $!, $^W) = ($@, $!, 0);
    my $status = $?;    # not localized: exit keeps its status there
    local ($,, $\, $/) = (undef, undef, "\n");
    local $SIG{__DIE__};
    local $SIG{__WARN__} = sub { $DB::ringviz_said .= $_[0] };
    $DB::ringviz_said = '';
    local *STDOUT;
    open STDOUT, '>>', \$DB::ringviz_said;
    my $selected = select STDOUT;
    my @values   = eval $DB::ringviz_text;
    my $error    = $@;
    select $selected;
    close STDOUT;
    $? = $status;
    return ($error, @values);
}

1;

__END__

=encoding utf8

=head1 NAME

Devel::RingViz::Frame - what Devel::RingViz evaluates expressions with

=head1 DESCRIPTION

Part of L<Devel::RingViz>, which loads it when a monitor asks for an expression of a running program.

=cut
