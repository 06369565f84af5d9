#include "ui/waits_table.h"

#include <string.h>

#include <criterion/criterion.h>

static const char *holder_of(const char *name, uint64_t n_timed_out)
{
    static char out[sizeof(struct rv_waits_table_row)];
    struct rv_waits_table_row row = {.n_waits = 3, .n_timed_out = n_timed_out};
    strcpy(row.holder.text, name);
    return strcpy(out, rv_waits_table_holder(&row, (char[sizeof row.holder.text]){""}));
}

Test(waits_table, a_wait_without_a_holder_says_why, .timeout = 60)
{
    cr_assert_str_eq(holder_of("", 0), "(not known)");
    cr_assert_str_eq(holder_of("", 2), "(2 timed out)");
    cr_assert_str_eq(holder_of("", 3), "(timed out)");
    cr_assert_str_eq(holder_of("worker in get", 2), "worker in get");
}

Test(waits_table, rows_are_found_by_the_words_that_they_show, .timeout = 60)
{
    const struct rv_waits_table_row row = {
        .object = {"sleep"}, .waiter = {"main in nap"}, .n_waits = 1, .n_timed_out = 1};
    cr_assert(rv_waits_table_is_found(&(struct rv_waits_table_state){.find = "timed sleep"}, &row));
    cr_assert_not(rv_waits_table_is_found(&(struct rv_waits_table_state){.find = "not known"}, &row));
}
