/* Entries of return addresses over many attachments: taken by calls that are open, put back at each end. */
#include "producers/native/replaced_returns.h"
#include "producers/native/thread.h"

#include <criterion/criterion.h>

#define N_OPEN 200
#define N_ENDS 8000 /* times N_OPEN: more entries than there are */

static uint64_t stack[N_OPEN];

static void start(void)
{
    cr_assert_eq(rv_returns_init(), 0);
}

TestSuite(replaced_returns, .init = start, .timeout = 60);

static uint32_t begin_call(uint64_t *slot, uint64_t returns_to)
{
    const uint32_t number = rv_returns_take(slot);
    cr_assert_neq(number, 0, "no entry is left");
    *slot = returns_to;
    (void)rv_returns_replace(number, slot, 1);
    cr_assert_eq(*slot, rv_returns_trampoline(number));
    return number;
}

Test(replaced_returns, calls_that_are_open_at_each_end_get_their_addresses_back_however_often)
{
    for (unsigned end = 0; end < N_ENDS; end++) {
        for (uint64_t i = 0; i < N_OPEN; i++)
            (void)begin_call(&stack[i], 1000 + i);
        rv_returns_restore();
        for (uint64_t i = 0; i < N_OPEN; i++)
            cr_assert_eq(stack[i], 1000 + i);
    }
}

Test(replaced_returns, an_entry_that_was_put_back_stays_for_threads_about_to_read_it)
{
    const uint32_t number = begin_call(&stack[0], 1000);
    rv_returns_restore();
    cr_assert_eq(rv_returns_entries[number].address, 1000);
    cr_assert_eq(rv_returns_entries[number].function, 0);
    for (unsigned end = 1; end <= RV_RETURNS_KEPT_ENDS; end++) {
        for (unsigned i = 1; i < N_OPEN; i++)
            cr_assert_neq(begin_call(&stack[i], 2000), number, "taken again after %u ends", end);
        cr_assert_eq(rv_returns_entries[number].address, 1000);
        rv_returns_restore();
    }
    cr_assert_eq(rv_returns_entries[number].slot, 0);
}

/* The count of ends has 16 bits, and is not 0 again. */
Test(replaced_returns, entries_that_were_put_back_are_kept_and_freed_while_the_count_of_ends_begins_anew)
{
    enum { N = 6, BEFORE = UINT16_MAX - N / 2 };
    uint32_t numbers[N];
    for (unsigned end = 0; end < BEFORE; end++)
        rv_returns_restore();
    for (unsigned i = 0; i < N; i++) {
        numbers[i] = begin_call(&stack[i], 1000);
        rv_returns_restore();
    }
    for (unsigned end = N; end < RV_RETURNS_KEPT_ENDS; end++)
        rv_returns_restore();
    for (unsigned i = 1; i < N; i++)
        cr_assert_neq(rv_returns_entries[numbers[i]].slot, 0, "entry %u is free too early", i);
    for (unsigned end = 0; end < N; end++)
        rv_returns_restore();
    for (unsigned i = 0; i < N; i++)
        cr_assert_eq(rv_returns_entries[numbers[i]].slot, 0, "entry %u is kept", i);
}

/* The thread is in a signal handler that interrupted it behind the trampoline's pushes: of the address and of the number. */
Test(replaced_returns, an_entry_whose_trampoline_is_being_run_is_kept)
{
    const uint32_t number = begin_call(&stack[1], 1000);
    rv_returns_restore();
    stack[0] = number;
    for (unsigned end = 0; end < 2 * RV_RETURNS_KEPT_ENDS; end++)
        rv_returns_restore();
    cr_assert_eq(rv_returns_entries[number].address, 1000);
    cr_assert_neq(rv_returns_entries[number].slot, 0);
}

/* The thread is in front of its trampoline's call, which is to push the trampoline's address over the real one. */
Test(replaced_returns, an_entry_whose_call_is_still_to_be_made_stays_as_it_is)
{
    const uint32_t number = begin_call(&stack[0], 1000);
    stack[0] = 1000;
    for (unsigned end = 0; end < 2 * RV_RETURNS_KEPT_ENDS; end++)
        rv_returns_restore();
    cr_assert_eq(rv_returns_entries[number].address, 1000);
    cr_assert_eq(rv_returns_entries[number].function, 1);
    cr_assert_neq(rv_returns_entries[number].slot, 0);
}

/* A loop whose call is left by longjmp() each time: its return address is the same as that of the entries left. */
Test(replaced_returns, calls_that_are_left_at_one_place_of_the_stack_take_no_more_entries_for_ever)
{
    uint64_t slot;
    for (unsigned call = 0; call < 2 * RV_RETURNS_ENTRIES; call++)
        (void)begin_call(&slot, 1000);
}

Test(replaced_returns, a_slot_whose_memory_is_gone_is_left_alone)
{
    const uint32_t number = begin_call(&stack[0], 1000);
    rv_returns_entries[number].slot = 16;
    rv_returns_restore();
    cr_assert_eq(rv_returns_entries[number].n_restored, 0);
}

/* A handler interrupts a take: its own calls take the same entry and free it, and it returns from older calls. */
Test(replaced_returns, an_entry_that_a_handler_took_and_freed_meanwhile_is_not_taken_with_the_next_one_of_before)
{
    struct rv_returns *returns = &rv_thread.returns;
    const uint32_t older = begin_call(&stack[0], 1000);
    rv_returns_free(begin_call(&stack[1], 1000));
    const uint64_t head = returns->head;
    const uint32_t first = (uint32_t)(head >> RV_RETURNS_NUMBER_SHIFT);
    const uint64_t next = rv_returns_entries[first].function;
    cr_assert_eq(rv_returns_take(stack), first);
    rv_returns_free(older);
    rv_returns_free(first);
    cr_assert_eq(returns->head >> RV_RETURNS_NUMBER_SHIFT, first);
    cr_assert_not(rv_returns_change(returns, head, next | (uint32_t)(head + 1)));
    cr_assert_eq(rv_returns_take(stack), first);
    cr_assert_eq(rv_returns_take(stack), older);
}

/* A fork's child may have copied the head of the free list at one time and the entries at another. Make the last entry
 * of a batch lead to `next`, which is no free entry: no entry may be taken twice. */
static void take_where_it_leads_to(uint64_t next)
{
    static bool is_taken[RV_RETURNS_PER_PAGE * 64];
    uint32_t number = rv_returns_take(stack); /* of the first batch the lowest: the next batch is the 15 below */
    rv_returns_entries[number - 14].function = next;
    rv_returns_entries[5].slot = 1;
    is_taken[5] = true;
    for (unsigned n = 0; n < 2000; n++, number = rv_returns_take(stack)) {
        cr_assert_neq(number, 0);
        cr_assert_lt(number, sizeof is_taken);
        cr_assert_not(is_taken[number], "%u is taken twice", number);
        is_taken[number] = true;
    }
}

Test(replaced_returns, a_list_that_leads_to_no_entry_is_forgotten)
{
    take_where_it_leads_to(0x7f1234567890);
}

Test(replaced_returns, a_list_that_leads_to_an_entry_in_use_is_forgotten)
{
    take_where_it_leads_to(5ull << RV_RETURNS_NUMBER_SHIFT);
}
