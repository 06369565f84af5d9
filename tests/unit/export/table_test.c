#include "export/table.h"

#include <criterion/criterion.h>

/* "|" stands for the end of a line. */
static void expect_wrapped(const char *lines, unsigned width, const char *wanted)
{
    struct rv_text_buffer text = {0};
    rv_text_buffer_add(&text, lines);
    for (size_t i = 0; i < text.n; i++)
        text.bytes[i] = text.bytes[i] == '|' ? '\n' : text.bytes[i];
    rv_table_wrap(&text, width);
    for (size_t i = 0; i < text.n; i++)
        text.bytes[i] = text.bytes[i] == '\n' ? '|' : text.bytes[i];
    rv_text_buffer_add_bytes(&text, "", 1);
    cr_expect_str_eq(text.bytes, wanted);
    rv_text_buffer_fini(&text);
}

Test(table, long_lines_go_on_below_their_last_column, .timeout = 60)
{
    expect_wrapped("  calls      total  subroutine|", 40, "  calls      total  subroutine|");
    expect_wrapped("     12     1.0 ms  name::of a_function (file.c:12)|     1  short|", 40,
                   "     12     1.0 ms  name::of a_function|                      (file.c:12)|     1  short|");
    expect_wrapped("     12     1.0 ms  a_name_without_a_space_in_it|", 40,
                   "     12     1.0 ms  a_name_without_a_spa|                      ce_in_it|");
    expect_wrapped("    \xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 > bbbbbbbbbbbbbbbb > ccccccccccc > d", 40,
                   "    \xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 > bbbbbbbbbbbbbbbb >|      ccccccccccc > d");
    expect_wrapped("a sentence without columns that is longer|", 40, "a sentence without columns that is|  longer|");
    expect_wrapped("", 40, "");
}

Test(table, groups_of_columns_are_left_out_in_order, .timeout = 60)
{
    static const struct rv_table_group groups[] = {{"first", 20}, {"none", 0}, {"third", 30}};
    struct rv_text_buffer text = {0};
    cr_expect_eq(rv_table_leave_out(groups, 3, 50, 0), 0);
    cr_expect_eq(rv_table_leave_out(groups, 3, 50, 100), 0);
    cr_expect_eq(rv_table_leave_out(groups, 3, 50, 99), 1);
    cr_expect_eq(rv_table_leave_out(groups, 3, 50, 79), 3);
    cr_expect_eq(rv_table_leave_out(groups, 3, 50, 10), 3);
    rv_table_add_left_out(&text, groups, 0);
    cr_expect_eq(text.n, 0);
    rv_table_add_left_out(&text, groups, 3);
    rv_text_buffer_add_bytes(&text, "", 1);
    cr_expect_str_eq(text.bytes, "left out for want of room: first, third (all columns: | less -S)\n");
    rv_text_buffer_fini(&text);
}
