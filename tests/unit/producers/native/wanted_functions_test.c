/* Which lines of a request choose functions of the program, and of a library. */
#include "producers/native/wanted_functions.h"

#include <criterion/criterion.h>
#include <string.h>

#include "producers/native/wanted_lines.h"

TestSuite(wanted_functions, .timeout = 30);

static const char *const LIBRARY = "/usr/lib/libparser.so.2";

static const char *find(const char *wanted, const char *object)
{
    static char pattern[RV_WANTED_FUNCTIONS_BYTES];
    return rv_wanted_functions_find(wanted, object, pattern) ? pattern : NULL;
}

Test(wanted_functions, are_the_programs_without_a_library)
{
    cr_assert_str_eq(find("^read\nwrite$", ""), "(^read)|(write$)");
    cr_assert_null(find("^read\nwrite$", LIBRARY));
}

Test(wanted_functions, are_those_of_a_library_by_its_path)
{
    cr_assert_str_eq(find("^read\nparse@libparser\nother@libother", LIBRARY), "(parse)");
    cr_assert_null(find("parse@libparser", ""));
}

Test(wanted_functions, are_those_of_all_behind_a_bare_at)
{
    cr_assert_str_eq(find("a@b@", ""), "(a@b)");
    cr_assert_str_eq(find("a@b@", LIBRARY), "(a@b)");
}

Test(wanted_functions, are_not_chosen_by_off_by_calls_or_by_empty_lines)
{
    cr_assert_null(find("off\n\tmalloc\n\n", ""));
    cr_assert_null(find("", ""));
    cr_assert_str_eq(find("\noffset", ""), "(offset)");
}

Test(wanted_functions, are_not_cut_where_a_pattern_would_be_too_long)
{
    char wanted[RV_WANTED_LINES_BYTES];
    memset(wanted, 'a', sizeof wanted - 1);
    wanted[sizeof wanted - 1] = '\0';
    cr_assert_null(find(wanted, ""));
    memcpy(wanted, "short\n", strlen("short\n"));
    cr_assert_str_eq(find(wanted, ""), "(short)");
}
