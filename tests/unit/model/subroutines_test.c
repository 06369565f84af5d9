#include "model/subroutines.h"

#include <criterion/criterion.h>

static void expect(const char *package, const char *name, const char *expected)
{
    struct rv_subroutines *subroutines = rv_subroutines_create();
    char shown[60];
    rv_subroutines_define(subroutines, 1, package, name, "", 0);
    (void)rv_subroutines_brief_name_of(subroutines, 1, shown, sizeof shown);
    cr_assert_str_eq(shown, expected);
    rv_subroutines_destroy(subroutines);
}

/* Cut at its end, "channel::Queue<std::__cxx11::basic_string<char, std::char_t" would lack the function's own name. */
Test(subroutines, a_long_name_keeps_its_end, .timeout = 60)
{
    expect("", "channel::Queue<int>::take", "channel::Queue<int>::take");
    expect("", "channel::Queue<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > >::take",
           "channel::Queue<...>::take");
}

Test(subroutines, a_name_that_cannot_be_shortened_is_marked_as_cut, .timeout = 60)
{
    expect("", "0123456789012345678901234567890123456789012345678901234567890123456789",
           "01234567890123456789012345678901234567890123456789012345…");
    expect("", "012345678901234567890123456789012345678901234567890123ä0123456789",
           "012345678901234567890123456789012345678901234567890123ä…");
}

Test(subroutines, a_name_is_appended_as_far_as_there_is_room, .timeout = 60)
{
    struct rv_subroutines *subroutines = rv_subroutines_create();
    rv_subroutines_define(subroutines, 1, "cache", "get", "", 0);
    char text[24] = "worker", full[24] = "a thread with its name";
    rv_subroutines_append_brief_name(subroutines, " in ", 0, text, sizeof text);
    cr_assert_str_eq(text, "worker");
    rv_subroutines_append_brief_name(subroutines, " in ", 1, text, sizeof text);
    cr_assert_str_eq(text, "worker in cache::get");
    rv_subroutines_append_brief_name(subroutines, " in ", 1, full, sizeof full);
    cr_assert_str_eq(full, "a thread with its name");
    rv_subroutines_destroy(subroutines);
}

static uint64_t hash_of(const char *first, const char *second, const char *file, uint32_t line_form)
{
    struct rv_subroutines *subroutines = rv_subroutines_create();
    rv_subroutines_define(subroutines, 1, "a", first, file, line_form);
    rv_subroutines_define(subroutines, 3, "b", second, file, 0);
    const uint64_t hash = rv_subroutines_hash(subroutines);
    rv_subroutines_destroy(subroutines);
    return hash;
}

Test(subroutines, hash_tells_names_files_and_lines_apart, .timeout = 60)
{
    const uint64_t hash = hash_of("f", "g", "h.c", 7);
    cr_expect_eq(hash, hash_of("f", "g", "h.c", 7));
    cr_expect_neq(hash, hash_of("g", "f", "h.c", 7));
    cr_expect_neq(hash, hash_of("f", "g2", "h.c", 7));
    cr_expect_neq(hash, hash_of("f", "g", "i.c", 7));
    cr_expect_neq(hash, hash_of("f", "g", "h.c", 8));
}

static void define(struct rv_subroutines *subroutines, uint32_t id, const char *name, uint32_t line)
{
    rv_subroutines_define(subroutines, id, "", name, "h.c", line);
}

Test(subroutines, definitions_are_read_with_the_first_of_their_name, .timeout = 60)
{
    for (int joins_lines = 0; joins_lines < 2; joins_lines++) {
        struct rv_subroutines *subroutines = rv_subroutines_create();
        struct rv_namesake read[8];
        if (joins_lines)
            rv_subroutines_join_lines(subroutines);
        define(subroutines, 5, "f", 7);
        define(subroutines, 3, "g", 7);
        define(subroutines, 2, "f", 7);
        define(subroutines, 9, "f", 8);
        cr_expect_eq(rv_subroutines_read_namesakes(subroutines, 0, read, 3), 3);
        cr_expect(read[0].id == 5 && read[0].first == 5);
        cr_expect(read[1].id == 3 && read[1].first == 3);
        cr_expect(read[2].id == 2 && read[2].first == 5);
        cr_expect_eq(rv_subroutines_read_namesakes(subroutines, 3, read, 8), 1);
        cr_expect(read[0].id == 9 && read[0].first == (joins_lines ? 5 : 9));
        cr_expect_eq(rv_subroutines_read_namesakes(subroutines, 4, read, 8), 0);
        rv_subroutines_destroy(subroutines);
    }
}
