#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>

TestSuite(memory, .timeout = 60);

Test(memory, memory_is_not_short_before_an_allocation_fails)
{
    cr_assert_not(rv_memory_is_short());
    rv_memory_keep_reserve();
    cr_assert_not(rv_memory_is_short());
}

Test(memory, a_failed_allocation_frees_the_reserve)
{
    rv_memory_keep_reserve();
    rv_memory_refused(100, 0);
    cr_assert(rv_memory_is_short());
}

Test(memory, a_thread_whose_allocation_failed_meanwhile_tries_again)
{
    rv_memory_keep_reserve();
    rv_memory_refused(100, 0);
    rv_memory_refused(200, 0);
    cr_assert(rv_memory_is_short());
}

Test(memory, a_second_refusal_of_an_allocation_ends_the_program, .exit_code = 1)
{
    rv_memory_keep_reserve();
    rv_memory_refused(100, 0);
    rv_memory_refused(100, 1);
}

Test(memory, without_a_reserve_nothing_is_short_and_the_second_refusal_ends_the_program, .exit_code = 1)
{
    rv_memory_refused(100, 0);
    if (rv_memory_is_short())
        _Exit(2);
    rv_memory_refused(100, 1);
}

static void leave_a_mark(void)
{
    _Exit(7);
}

/* Destructors are not safe here: other threads still run, and may use what destructors free. */
Test(memory, the_end_runs_no_destructors, .exit_code = 7)
{
    atexit(abort);
    at_quick_exit(leave_a_mark);
    rv_memory_refused(100, 1);
}
