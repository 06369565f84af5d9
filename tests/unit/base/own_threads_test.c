#include "base/own_threads.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

TestSuite(own_threads, .timeout = 10);

static const uint8_t THREAD[] = {0xbf, 0x00, 0x0f, 0x05, 0x00,                   /* mov $CLONE_VM | ... | CLONE_THREAD, %edi */
                                 0x31, 0xd2,                                     /* xor %edx, %edx */
                                 0x48, 0xc7, 0xc0, 0x38, 0x00, 0x00, 0x00,       /* mov $SYS_clone, %rax */
                                 0x0f, 0x05};                                    /* syscall */

static bool are_made_with(size_t at, uint8_t byte)
{
    uint8_t bytes[sizeof THREAD];
    memcpy(bytes, THREAD, sizeof bytes);
    bytes[at] = byte;
    return rv_own_threads_are_made(bytes, sizeof bytes);
}

Test(own_threads, a_system_call_that_makes_a_thread_is_found)
{
    cr_assert(rv_own_threads_are_made(THREAD, sizeof THREAD));
    cr_assert(are_made_with(9, 0xc0));
    cr_assert_not(are_made_with(10, 0x39), "another system call");
    cr_assert_not(are_made_with(3, 0x04), "a process");
    cr_assert_not(are_made_with(2, 0x0e), "memory of its own");
    cr_assert_not(are_made_with(sizeof THREAD - 1, 0x04), "no system call");
}

Test(own_threads, flags_and_number_are_looked_for_close_by)
{
    uint8_t bytes[sizeof THREAD + 200] = {0};
    memcpy(bytes + 200, THREAD, sizeof THREAD);
    cr_assert(rv_own_threads_are_made(bytes, sizeof bytes));
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, THREAD, 14);
    memcpy(bytes + 100, THREAD + 14, 2);
    cr_assert_not(rv_own_threads_are_made(bytes, sizeof bytes));
    for (size_t n = 0; n < sizeof THREAD; n++)
        cr_assert_not(rv_own_threads_are_made(THREAD, n));
}
