#include "sink/name_log.h"

#include <criterion/criterion.h>

TestSuite(name_log, .timeout = 60);

static size_t add(struct rv_name_log *name_log, uint32_t id, const char *name, uint32_t line)
{
    size_t before = name_log->names.n;
    rv_name_log_add(name_log, &(struct rv_definition){id, "P", name, "file", line});
    return name_log->names.n - before;
}

Test(name_log, only_new_and_changed_names_are_added)
{
    struct rv_name_log name_log = {0};
    cr_assert_eq(add(&name_log, 1, "one", 1), 8 + 2 + 4 + 5);
    cr_assert_eq(add(&name_log, 1000, "one", 1), 8 + 2 + 4 + 5);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(add(&name_log, 1, "one", 1), 0);
        cr_assert_eq(add(&name_log, 1000, "one", 1), 0);
    }
    cr_assert_gt(add(&name_log, 1, "one", 2), 0, "another line");
    cr_assert_gt(add(&name_log, 1, "ones", 2), 0, "a longer name");
    cr_assert_gt(add(&name_log, 1, "one", 2), 0, "what it was before the last one is not what it is");
    cr_assert_eq(add(&name_log, 1, "one", 2), 0);
    cr_assert_eq(add(&name_log, 1000, "one", 1), 0);
    rv_name_log_fini(&name_log);
}
