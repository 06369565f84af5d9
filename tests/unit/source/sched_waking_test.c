/* Where the fields of a wake's record are, by the text that the kernel gives. */
#include "source/sched_waking.h"

#include <criterion/criterion.h>
#include <string.h>

/* Of Linux 6.18, and one with other places and sizes. */
#define COMMON                                                                                                         \
    "name: sched_waking\nID: 375\nformat:\n"                                                                           \
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
static const char NOW[] = COMMON "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
                                 "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
                                 "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
                                 "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
                                 "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
                                 "\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n";
static const char OTHER[] = COMMON "\tfield:unsigned short common_flags;\toffset:12;\tsize:2;\tsigned:0;\n"
                                   "\tfield:pid_t pid;\toffset:0;\tsize:4;\tsigned:1;\n";

TestSuite(sched_waking, .timeout = 60);

Test(sched_waking, fields_are_where_the_format_says)
{
    struct rv_sched_waking waking;
    unsigned char record[32] = {[2] = 0x01, [24] = 0x39, [25] = 0x30, [4] = 0xff};
    enum rv_sched_waking_context context;
    uint32_t woken;
    cr_assert(rv_sched_waking_read_format(&waking, NOW));
    cr_assert(rv_sched_waking_decode(&waking, record, sizeof record, &woken, &context));
    cr_expect(woken == 12345 && context == RV_WAKING_IN_THREAD, "%u", woken);
    record[2] = 0x09;
    cr_assert(rv_sched_waking_decode(&waking, record, sizeof record, &woken, &context));
    cr_expect_eq(context, RV_WAKING_IN_INTERRUPT);
    record[2] = 0x18; /* of an interrupt that came during a softirq */
    cr_assert(rv_sched_waking_decode(&waking, record, sizeof record, &woken, &context));
    cr_expect_eq(context, RV_WAKING_IN_INTERRUPT);

    cr_assert(rv_sched_waking_read_format(&waking, OTHER));
    memset(record, 0, sizeof record);
    record[0] = 7;
    record[12] = 0x10;
    cr_assert(rv_sched_waking_decode(&waking, record, sizeof record, &woken, &context));
    cr_expect(woken == 7 && context == RV_WAKING_IN_SOFTIRQ, "%u", woken);
}

Test(sched_waking, a_record_that_is_too_short_and_a_format_without_a_field_are_refused)
{
    struct rv_sched_waking waking;
    enum rv_sched_waking_context context;
    uint32_t woken;
    const unsigned char record[32] = {0};
    cr_assert(rv_sched_waking_read_format(&waking, NOW));
    cr_expect(rv_sched_waking_decode(&waking, record, 28, &woken, &context));
    cr_expect_not(rv_sched_waking_decode(&waking, record, 27, &woken, &context));
    cr_expect_not(rv_sched_waking_decode(&waking, record, 0, &woken, &context));
    cr_expect_not(rv_sched_waking_read_format(&waking, ""));
    cr_expect_not(rv_sched_waking_read_format(&waking, COMMON));
    cr_expect_not(rv_sched_waking_read_format(&waking,
                                              COMMON "\tfield:u64 common_flags;\toffset:2;\tsize:8;\tsigned:0;\n"
                                                     "\tfield:pid_t pid;\toffset:0;\tsize:4;\tsigned:1;\n"));
}
