/* What the hooks of a process do once it has followed the viewer's verdicts. */
#include "producers/native/patcher.h"
#include "producers/native/process.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

TestSuite(patcher, .timeout = 60);

Test(patcher, hooks_check_for_rejected_functions_only_where_one_has_a_jump)
{
    struct rv_map map;
    char path[64];
    snprintf(path, sizeof path, "/dev/shm/patcher-test-%d", (int)getpid());
    cr_assert_eq(rv_map_create(&map, path, NULL), 0);
    const int error = rv_process_open(path);
    unlink(path);
    cr_assert_eq(error, 0);
    cr_assert_lt(rv_process_gate(), 0);
    rv_patcher_write();
    cr_assert_eq(rv_patcher_apply(true), 0);
    cr_assert_lt(rv_process_gate(), 0, "each call takes the slow path");
}
