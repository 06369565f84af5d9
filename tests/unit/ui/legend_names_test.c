/* Names of a legend's rows that do not fit. The room counts characters. */
#include <criterion/criterion.h>

#include <string.h>

#include "../model/characters.h"
#include "ui/legend_names.h"

static void check(const char *const names[], const char *const wanted[], size_t n)
{
    const struct rv_short_name_room room = {14.0f, n_characters, NULL, NULL};
    char fitted[RV_LEGEND_ROWS][RV_LEGEND_FITTED_BYTES];
    rv_legend_names_fit(names, n, &room, fitted);
    for (size_t i = 0; i < n; i++)
        cr_expect_str_eq(fitted[i], wanted[i], "%s: \"%s\", not \"%s\"", names[i], fitted[i], wanted[i]);
}

Test(legend_names, both_ends_are_left, .timeout = 60)
{
    check((const char *const[]){"Kernel", "RuboCop::AST::Node", "RuboCop::Cop::Team"},
          (const char *const[]){"Kernel", "RuboCo…T::Node", "RuboCo…p::Team"}, 3);
}

Test(legend_names, names_with_the_same_ends_have_what_is_between, .timeout = 60)
{
    check((const char *const[]){"RuboCop::AST::Node", "RuboCop::AST::NodePattern::AtomSubcompiler",
                                "RuboCop::AST::NodePattern::SequenceSubcompiler",
                                "RuboCop::AST::NodePattern::Compiler"},
          (const char *const[]){"RuboCo…T::Node", "AtomSubcompil…", "SequenceSubco…", "Compiler"}, 4);
}

Test(legend_names, the_same_name_twice_is_cut_as_one, .timeout = 60)
{
    check((const char *const[]){"RuboCop::AST::Node", "RuboCop::AST::Node"},
          (const char *const[]){"RuboCo…T::Node", "RuboCo…T::Node"}, 2);
}
