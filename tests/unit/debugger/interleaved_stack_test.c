#include "../ring/fixture.h"

#include "debugger/interleaved_stack.h"
#include "ring/names.h"

/* One call of the ring, on those before it: "f" is a sub of Perl, "-f" one in C, "*f" a native function at the address f. */
static struct rv_event call_of(struct rv_map *map, const char *call, uint16_t depth)
{
    struct rv_event event = {.when = depth + 1u, .frame = depth};
    if (*call == '*') {
        event.when |= (uint64_t)RV_EVENT_CALL_AT << RV_EVENT_KIND_SHIFT;
        event.id = (uint32_t)strtoul(call + 1, NULL, 16);
        return event;
    }
    const bool is_in_c = *call == '-';
    event.id = rv_names_intern(map, &(struct rv_name){.kind = RV_NAME_SUBROUTINE,
                                                      .package = "main",
                                                      .name = call + is_in_c,
                                                      .file = is_in_c ? "x.c" : "x.pl",
                                                      .line_form = is_in_c ? 0 : 1});
    return event;
}

static void write_event(struct rv_ring *ring, struct rv_event event)
{
    const uint64_t head = ring->control->head;
    ring->events[head & (ring->n_events - 1)] = event;
    __atomic_store_n(&ring->control->head, head + 1, __ATOMIC_RELEASE);
}

/* The calls, outermost first, each a word; `n_before` events without a call before them. */
static void write_calls(struct fixture *f, const char *calls, uint32_t n_before)
{
    char words[256], *rest = words;
    struct rv_ring ring;
    snprintf(words, sizeof words, "%s", calls);
    rv_ring_view(&ring, &f->other, (uint32_t)rv_ownership_claim(&f->other, 0));
    for (uint32_t i = 0; i < n_before; i++)
        write_event(&ring, (struct rv_event){.when = (uint64_t)RV_EVENT_MARK << RV_EVENT_KIND_SHIFT | 1});
    uint16_t depth = 0;
    for (char *word; (word = strsep(&rest, " ")) && *word; depth++)
        write_event(&ring, call_of(&f->other, word, depth));
}

static void expect_after(uint32_t n_before, const char *calls, const char *told, bool is_stopped, const char *expected)
{
    struct fixture f;
    open_fixture(&f, NULL);
    write_calls(&f, calls, n_before);
    struct rv_ring_stack *ring_stack = rv_ring_stack_create(&f.map);
    char *shown = rv_interleaved_stack_show(ring_stack, 0, told, is_stopped);
    cr_assert_str_eq(shown, expected, "%s%s\n%s-- not\n%s", calls, is_stopped ? ", stopped" : "", shown, expected);
    free(shown);
    rv_ring_stack_destroy(ring_stack);
    close_fixture(&f);
}

static void expect(const char *calls, const char *told, bool is_stopped, const char *expected)
{
    expect_after(0, calls, told, is_stopped, expected);
}

static const char TOLD[] = "#0 main::twice(4) at x.pl line 3\n"
                           "#1 main::ask(\"select\") at x.pl line 9\n"
                           "#2 main program at x.pl line 12\n";

TestSuite(interleaved_stack, .timeout = 100);

Test(interleaved_stack, native_calls_lie_between_the_subs_that_both_have)
{
    for (int is_stopped = 0; is_stopped < 2; is_stopped++)
        expect("ask -execute *a000 twice", TOLD, is_stopped,
               "#0 main::twice(4) at x.pl line 3\n"
               "   0xa000\n"
               "   main::execute\n"
               "#1 main::ask(\"select\") at x.pl line 9\n"
               "#2 main program at x.pl line 12\n");
}

Test(interleaved_stack, a_sub_that_calls_itself_is_met_at_each_call)
{
    expect("deep *a000 deep *b000 deep",
           "#0 main::deep(0) at x.pl line 1\n#1 main::deep(1) at x.pl line 2\n#2 main::deep(2) at x.pl line 2\n", true,
           "#0 main::deep(0) at x.pl line 1\n   0xb000\n#1 main::deep(1) at x.pl line 2\n   0xa000\n"
           "#2 main::deep(2) at x.pl line 2\n");
}

Test(interleaved_stack, the_interpreters_own_calls_are_the_outermost)
{
    expect("*a000 *b000 -execute *c000 twice", "#0 main::twice(4) at x.pl line 3\n#1 main program at x.pl line 12\n",
           true,
           "#0 main::twice(4) at x.pl line 3\n   0xc000\n   main::execute\n#1 main program at x.pl line 12\n"
           "   0xb000\n   0xa000\n");
}

Test(interleaved_stack, subs_that_are_not_traced_keep_their_place)
{
    expect("ask *a000", TOLD, true,
           "#0 main::twice(4) at x.pl line 3\n   0xa000\n#1 main::ask(\"select\") at x.pl line 9\n"
           "#2 main program at x.pl line 12\n");
    expect("ask *a000", TOLD, false, TOLD);
    expect("*a000 twice", TOLD, false,
           "#0 main::twice(4) at x.pl line 3\n#1 main::ask(\"select\") at x.pl line 9\n"
           "#2 main program at x.pl line 12\n   0xa000\n");
}

Test(interleaved_stack, blocks_that_are_not_traced_are_what_functions_call_back)
{
    expect("ask *a000 twice",
           "#0 main::twice(4) at x.rb line 3\n#1 block in <main>(n=4) at x.rb line 5\n#2 main::ask(4) at x.rb line 9\n",
           true,
           "#0 main::twice(4) at x.rb line 3\n#1 block in <main>(n=4) at x.rb line 5\n   0xa000\n"
           "#2 main::ask(4) at x.rb line 9\n");
}

Test(interleaved_stack, what_serves_the_monitor_is_left_out)
{
    expect("ask *a000 twice *b000", TOLD, true,
           "#0 main::twice(4) at x.pl line 3\n   0xa000\n#1 main::ask(\"select\") at x.pl line 9\n"
           "#2 main program at x.pl line 12\n");
}

Test(interleaved_stack, a_thread_that_has_gone_on_has_its_own_frames_only)
{
    expect("ask *a000 other", TOLD, false, TOLD);
    expect("other", TOLD, false, TOLD);
    expect("", TOLD, false, TOLD);
    expect("", "", true, "");
}

Test(interleaved_stack, names_are_compared_whole)
{
    expect("twic *a000 twice", TOLD, true,
           "#0 main::twice(4) at x.pl line 3\n#1 main::ask(\"select\") at x.pl line 9\n   0xa000\n"
           "#2 main program at x.pl line 12\n");
}

Test(interleaved_stack, calls_that_the_ring_has_lost_are_told)
{
    expect_after(100, "-execute *a000 twice", TOLD, true,
                 "#0 main::twice(4) at x.pl line 3\n   0xa000\n   main::execute\n"
                 "#1 main::ask(\"select\") at x.pl line 9\n#2 main program at x.pl line 12\n"
                 "(unnumbered calls before the last 63 events are unknown)\n");
    expect_after(100, "twice", TOLD, true, TOLD);
}
