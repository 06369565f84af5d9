#include "fixture.h"

#include "ring/live_stack.h"

static void expect_slot(const struct rv_live_stack *slots, int32_t idx, int32_t line, const char *text)
{
    struct rv_slot slot;
    char shown[100];
    int error = rv_live_stack_read(slots, idx, &slot, shown, sizeof shown);
    cr_assert_eq(error, idx >= 0 && idx < 4 ? 0 : -ENOENT);
    cr_assert_eq(slot.line, line, "slot %d: line %d", idx, slot.line);
    cr_assert_str_eq(shown, text);
}

static void expect_position(const struct rv_live_stack *slots, int32_t current, int32_t depth)
{
    int32_t seen_current, seen_depth;
    cr_assert_eq(rv_live_stack_position(slots, &seen_current, &seen_depth), 0);
    cr_assert_eq(seen_current, current);
    cr_assert_eq(seen_depth, depth);
}

Test(live_stack, the_live_stack_follows_calls_and_returns, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    struct rv_live_stack slots;
    rv_live_stack_view(&slots, &f.map, 0);
    expect_position(&slots, -1, 0);
    cr_assert_not(rv_live_stack_update(&slots, 1, 1));
    cr_assert_eq(rv_live_stack_push(&slots, "main::run", 7, 100), 1);
    cr_assert(rv_live_stack_update(&slots, 12, 101));
    cr_assert_eq(rv_live_stack_push(&slots, "main::inner", 8, 102), 2);
    expect_position(&slots, 1, 2);
    expect_slot(&slots, 0, 12, "main::run");
    expect_slot(&slots, 1, 0, "main::inner");
    cr_assert_eq(rv_live_stack_pop(&slots), 1);
    expect_slot(&slots, 1, -1, "(Invalid slot due to prior wrap)");
    cr_assert_eq(rv_live_stack_pop(&slots), 0);
    expect_position(&slots, -1, 0);
    cr_assert_eq(rv_live_stack_pop(&slots), 0, "no underflow");
    close_fixture(&f);
}

/* Frames that the previous owner of the ring left in the live stack must not be shown as the new owner's. */
Test(live_stack, a_new_owner_begins_with_an_empty_stack, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    struct rv_live_stack slots;
    rv_live_stack_view(&slots, &f.map, 0);
    int process_idx = rv_ownership_enter_process(&f.other);
    cr_assert_geq(process_idx, 0);
    for (unsigned owner = 0; owner < 2; owner++) {
        cr_assert_eq(rv_ownership_claim(&f.other, (uint32_t)process_idx), 0);
        expect_position(&slots, -1, 0);
        for (int32_t i = 0; i < 4; i++)
            expect_slot(&slots, i, -1, "(Invalid slot due to prior wrap)");
        cr_assert_eq(rv_live_stack_push(&slots, "main::run", 7, 100), 1);
        slots.control->live_sequence |= 1; /* it dies while it writes */
        rv_ownership_release(&f.other, 0);
        rv_ownership_reclaim(&f.map, 0);
    }
    close_fixture(&f);
}

Test(live_stack, the_live_stack_wraps_when_calls_are_deeper, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    struct rv_live_stack slots;
    rv_live_stack_view(&slots, &f.map, 0);
    char name[8];
    for (int i = 0; i < 7; i++) {
        snprintf(name, sizeof name, "f%d", i);
        cr_assert_eq(rv_live_stack_push(&slots, name, 0, 0), i + 1);
    }
    expect_position(&slots, 2, 7);
    expect_slot(&slots, 0, 0, "f4");
    expect_slot(&slots, 3, 0, "f3");
    for (int depth = 6; depth >= 4; depth--)
        cr_assert_eq(rv_live_stack_pop(&slots), depth);
    expect_position(&slots, 3, 4);
    expect_slot(&slots, 3, 0, "f3");
    cr_assert_eq(rv_live_stack_pop(&slots), 3);
    expect_position(&slots, 2, 3);
    expect_slot(&slots, 2, -1, "(Invalid slot due to prior wrap)");
    cr_assert(rv_live_stack_update(&slots, 9, 1));
    expect_slot(&slots, 2, 9, "(Invalid slot due to prior wrap)");
    for (int depth = 2; depth >= 0; depth--)
        cr_assert_eq(rv_live_stack_pop(&slots), depth);
    expect_position(&slots, -1, 0);
    close_fixture(&f);
}

Test(live_stack, an_index_out_of_range_is_an_error, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    struct rv_live_stack slots;
    rv_live_stack_view(&slots, &f.map, 0);
    const int32_t indices[] = {-1, 4, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < 4; i++)
        expect_slot(&slots, indices[i], -1, "(Invalid slot; ring has been wrapped)");
    close_fixture(&f);
}

Test(live_stack, names_are_cut_and_escaped, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    struct rv_live_stack slots;
    rv_live_stack_view(&slots, &f.map, 0);
    char name[101], cut[40];
    for (size_t n = 0; n <= 100; n++) {
        memset(name, 'n', n);
        name[n] = '\0';
        rv_live_stack_push(&slots, "previous text in this slot", 0, 0);
        rv_live_stack_pop(&slots);
        rv_live_stack_push(&slots, name, 0, 0);
        snprintf(cut, sizeof cut, "%s", name);
        expect_slot(&slots, 0, 0, cut);
        rv_live_stack_pop(&slots);
    }
    expect_slot(&slots, 1, -1, "(Invalid slot due to prior wrap)");
    rv_live_stack_push(&slots, "a\nb", 0, 0);
    expect_slot(&slots, 0, 0, "a\\x0ab");
    close_fixture(&f);
}

Test(live_stack, overwritten_words_are_never_followed, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    struct rv_live_stack slots;
    rv_live_stack_view(&slots, &f.map, 0);
    slots.control->current_slot = 1 << 30;
    slots.control->live_depth = INT32_MAX;
    cr_assert_eq(rv_live_stack_push(&slots, "x", 0, 0), INT32_MAX);
    slots.control->current_slot = INT32_MIN;
    rv_live_stack_update(&slots, 1, 1);
    cr_assert_eq(rv_live_stack_pop(&slots), INT32_MAX - 1);
    slots.control->live_sequence |= 1; /* its owner died while writing */
    struct rv_slot slot;
    char text[100];
    int32_t current, depth;
    cr_assert_eq(rv_live_stack_read(&slots, 0, &slot, text, sizeof text), -EAGAIN);
    cr_assert_eq(rv_live_stack_position(&slots, &current, &depth), -EAGAIN);
    close_fixture(&f);
}

Test(live_stack, an_observer_never_sees_half_a_frame, .timeout = 100)
{
    struct fixture f;
    open_fixture(&f, NULL);
    pid_t pid = fork_child();
    if (pid == 0) {
        struct rv_map map;
        struct rv_live_stack slots;
        if (rv_map_open(&map, f.path, RV_MAP_PRODUCER, true))
            _exit(1);
        rv_live_stack_view(&slots, &map, 0);
        char name[36] = {0};
        for (uint32_t i = 0;; i++) {
            memset(name, 'a' + (int)(i % 26), 35);
            rv_live_stack_push(&slots, name, i % 26, i % 26);
            rv_live_stack_pop(&slots);
        }
    }
    struct rv_live_stack slots;
    rv_live_stack_view(&slots, &f.map, 0);
    unsigned n_seen = 0;
    uint64_t begin = rv_clock_mono_ns();
    while (n_seen < 20000 && rv_clock_mono_ns() - begin < 60000000000) {
        struct rv_slot slot;
        char text[100];
        if (rv_live_stack_read(&slots, 0, &slot, text, sizeof text) || slot.line != 0 || !text[0])
            continue;
        n_seen++;
        cr_assert_eq(slot.ticks, slot.name_id);
        for (unsigned i = 0; i < 35; i++)
            cr_assert_eq(text[i], 'a' + (char)slot.name_id);
    }
    cr_assert_gt(n_seen, 0);
    kill(pid, SIGKILL);
    reap(pid);
    close_fixture(&f);
}
