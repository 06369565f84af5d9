/* Which of the kernel's wakes is put to which wait. */
#include "source/kernel_wakes.h"

#include <criterion/criterion.h>
#include <string.h>

enum { WRITER = 1234, INTERRUPT = RV_WIRE_OUTSIDE };

static struct rv_kernel_wakes wakes;
static struct rv_event event;

static void make(enum rv_event_kind kind, uint64_t at, uint64_t word)
{
    event.when = (uint64_t)kind << RV_EVENT_KIND_SHIFT | at;
    memcpy(&event.id, &word, sizeof word);
}

static void wait_at(uint64_t at, uint32_t kind_and_flags)
{
    make(RV_EVENT_WAIT, at, rv_event_word(0, (uint16_t)kind_and_flags, 0));
    rv_kernel_wakes_follow(&wakes, &event);
}

static void began(uint64_t at, uint64_t since)
{
    make(RV_EVENT_WOKEN, at, rv_event_word_since_begin(since));
    rv_kernel_wakes_follow(&wakes, &event);
}

static void wake_at(uint64_t at, uint32_t tid, enum rv_wake wake)
{
    make(RV_EVENT_THREAD, at, rv_event_word(tid | (uint32_t)wake << RV_EVENT_WAKE_SHIFT, 0, 0));
    rv_kernel_wakes_add(&wakes, &event);
}

/* Of a wait that ends at 100 with what a wrapper knows. */
static void end(uint32_t tid, enum rv_wake wake)
{
    make(RV_EVENT_WOKEN, 100, rv_event_word_woken(tid | (uint32_t)wake << RV_EVENT_WAKE_SHIFT, UINT64_MAX));
    rv_kernel_wakes_follow(&wakes, &event);
}

static bool is(uint32_t tid, enum rv_wake wake, uint32_t since)
{
    return event.id == (tid | (uint32_t)wake << RV_EVENT_WAKE_SHIFT) && rv_event_since(&event) == since;
}

static void begin(void)
{
    wakes = (struct rv_kernel_wakes){0};
}

TestSuite(kernel_wakes, .init = begin, .timeout = 60);

Test(kernel_wakes, the_last_wake_in_a_wait_ended_it)
{
    wait_at(10, RV_WAIT_READ);
    wake_at(50, 1, RV_WAKE_EXACT);
    wake_at(90, WRITER, RV_WAKE_EXACT);
    end(0, RV_WAKE_UNKNOWN);
    cr_expect(is(WRITER, RV_WAKE_EXACT, 10));
}

Test(kernel_wakes, a_wake_before_a_wait_did_not_end_it)
{
    wake_at(9, WRITER, RV_WAKE_EXACT);
    wait_at(10, RV_WAIT_READ);
    end(0, RV_WAKE_UNKNOWN);
    cr_expect(is(0, RV_WAKE_UNKNOWN, UINT32_MAX));
    wake_at(99, WRITER, RV_WAKE_EXACT); /* before the end of the wait before */
    wait_at(100, RV_WAIT_READ);
    end(0, RV_WAKE_UNKNOWN);
    cr_expect(is(0, RV_WAKE_UNKNOWN, UINT32_MAX));
}

Test(kernel_wakes, a_wake_is_known_better_than_a_child_that_has_ended)
{
    wait_at(10, RV_WAIT_SIGNAL | RV_WAIT_PAST);
    wake_at(50, WRITER, RV_WAKE_EXACT);
    end(77, RV_WAKE_LIKELY);
    cr_expect(is(WRITER, RV_WAKE_EXACT, 50));
    wait_at(110, RV_WAIT_SIGNAL);
    end(77, RV_WAKE_LIKELY);
    cr_expect(is(77, RV_WAKE_LIKELY, UINT32_MAX), "no wake was in it");
}

Test(kernel_wakes, a_wait_that_is_told_when_it_has_ended_began_as_it_says)
{
    wake_at(29, 1, RV_WAKE_EXACT);
    wait_at(95, RV_WAIT_READ | RV_WAIT_PAST);
    began(95, 65);
    end(0, RV_WAKE_UNKNOWN);
    cr_expect(is(0, RV_WAKE_UNKNOWN, UINT32_MAX), "it began at 30");
    begin();
    wake_at(30, WRITER, RV_WAKE_EXACT);
    wait_at(95, RV_WAIT_READ | RV_WAIT_PAST);
    began(95, 65);
    end(0, RV_WAKE_UNKNOWN);
    cr_expect(is(WRITER, RV_WAKE_EXACT, 70));
}

Test(kernel_wakes, what_a_wrapper_knows_stays)
{
    wait_at(10, RV_WAIT_READ);
    wake_at(90, WRITER, RV_WAKE_EXACT);
    end(7, RV_WAKE_LIKELY);
    cr_expect(is(7, RV_WAKE_LIKELY, UINT32_MAX));
    wait_at(10, RV_WAIT_MUTEX);
    make(RV_EVENT_WOKEN, 50, rv_event_word_held(7));
    rv_kernel_wakes_follow(&wakes, &event);
    end(7, RV_WAKE_OWNER);
    cr_expect(is(7, RV_WAKE_OWNER, UINT32_MAX));
    wait_at(10, RV_WAIT_FULL_RING | RV_WAIT_PAST);
    end(0, RV_WAKE_UNKNOWN);
    cr_expect(is(0, RV_WAKE_UNKNOWN, UINT32_MAX), "by ringviz");
}

Test(kernel_wakes, a_time_that_ran_out_gets_the_moment_of_the_interrupt)
{
    wait_at(10, RV_WAIT_SLEEP);
    wake_at(80, INTERRUPT, RV_WAKE_EXACT);
    end(0, RV_WAKE_TIMEOUT);
    cr_expect(is(0, RV_WAKE_TIMEOUT, 20));
    wait_at(10, RV_WAIT_POLL);
    wake_at(80, WRITER, RV_WAKE_EXACT); /* for nothing */
    end(0, RV_WAKE_TIMEOUT);
    cr_expect(is(0, RV_WAKE_TIMEOUT, UINT32_MAX));
}

Test(kernel_wakes, a_softirq_is_likely_the_thread_that_sent_and_else_an_interrupt)
{
    wait_at(10, RV_WAIT_READ);
    wake_at(90, WRITER, RV_WAKE_LIKELY);
    end(0, RV_WAKE_UNKNOWN);
    cr_expect(is(WRITER, RV_WAKE_LIKELY, 10));
    wait_at(10, RV_WAIT_SYNC);
    end(0, RV_WAKE_UNKNOWN);
    cr_expect(is(INTERRUPT, RV_WAKE_EXACT, 10));
}

Test(kernel_wakes, where_wakes_are_missing_none_is_put)
{
    wait_at(10, RV_WAIT_READ);
    wake_at(50, WRITER, RV_WAKE_EXACT);
    wake_at(60, 0, RV_WAKE_UNKNOWN);
    end(0, RV_WAKE_UNKNOWN);
    cr_expect(is(0, RV_WAKE_UNKNOWN, UINT32_MAX));
}

Test(kernel_wakes, a_release_is_no_wait)
{
    wait_at(10, RV_WAIT_READ);
    wake_at(50, WRITER, RV_WAKE_EXACT);
    wait_at(70, RV_WAIT_MUTEX | RV_WAIT_RELEASE);
    end(0, RV_WAKE_UNKNOWN);
    cr_expect(is(WRITER, RV_WAKE_EXACT, 50));
}
