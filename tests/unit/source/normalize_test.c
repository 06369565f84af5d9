#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ring/map.h"
#include "ring/names.h"
#include "source/normalize.h"

static struct rv_map map;
static struct rv_symbolizer *symbolizer;
static struct rv_name_map names;
static struct rv_normalizer normalizer;
static struct rv_clock clock_of_ring; /* ticks are ns, but where a test says else */
static struct rv_batch batch;
static char path[64];

static void setup(void)
{
    snprintf(path, sizeof path, "/tmp/ringviz-test-%d", getpid());
    unlink(path);
    cr_assert_eq(rv_map_create(&map, path, &(struct rv_map_params){.n_rings = 2, .ring_events = 64}), 0);
    symbolizer = rv_symbolizer_create();
    names = (struct rv_name_map){.map = &map, .symbolizer = symbolizer};
    clock_of_ring = (struct rv_clock){.kind = RV_CLOCK_MONOTONIC, .mult = 1};
    normalizer = (struct rv_normalizer){.clock = &clock_of_ring,
                                        .symbolizer = symbolizer,
                                        .process = rv_symbolizer_process(symbolizer, 0),
                                        .names = &names,
                                        .has_texts = true};
    rv_batch_init(&batch, RV_BATCH_EVENTS);
}

static void teardown(void)
{
    rv_batch_fini(&batch);
    rv_name_map_fini(&names);
    rv_symbolizer_destroy(symbolizer);
    rv_map_close(&map);
    unlink(path);
}

static struct rv_event event(unsigned kind, uint64_t ticks, uint32_t id)
{
    return (struct rv_event){.when = (uint64_t)kind << RV_EVENT_KIND_SHIFT | ticks, .id = id};
}

TestSuite(normalize, .init = setup, .fini = teardown, .timeout = 60);

Test(normalize, raises_times_that_fall)
{
    struct rv_event popped[] = {event(RV_EVENT_CALL, 100, 0), event(RV_EVENT_RETURN, 90, 0),
                                event(RV_EVENT_CALL, 120, 0)};
    cr_assert_eq(rv_normalize(&normalizer, &batch, popped, 3), 3);
    cr_assert_eq(batch.n, 3);
    cr_assert_eq(batch.base_ns, 100);
    cr_assert_eq(rv_event_ticks(&batch.events[1]), 100);
    cr_assert_eq(rv_event_kind(&batch.events[1]), RV_EVENT_RETURN);
    cr_assert_eq(rv_event_ticks(&batch.events[2]), 120);
}

Test(normalize, times_do_not_fall_from_batch_to_batch)
{
    struct rv_event first = event(RV_EVENT_CALL, 500, 0), second = event(RV_EVENT_RETURN, 400, 0);
    rv_normalize(&normalizer, &batch, &first, 1);
    batch.n = batch.n_specials = 0;
    rv_normalize(&normalizer, &batch, &second, 1);
    cr_assert_eq(batch.base_ns, 500);
    cr_assert_eq(rv_event_ticks(&batch.events[0]), 500);
}

Test(normalize, lists_specials)
{
    struct rv_event popped[] = {event(RV_EVENT_CALL, 1, 0), event(RV_EVENT_GC_START, 3, 0),
                                event(RV_EVENT_RETURN, 4, 0), event(RV_EVENT_LOST, 5, 7)};
    rv_normalize(&normalizer, &batch, popped, 4);
    cr_assert_eq(batch.n, 4);
    cr_assert_eq(batch.n_specials, 2);
    cr_assert_eq(batch.specials[0], 1);
    cr_assert_eq(batch.specials[1], 3);
    cr_assert_eq(batch.events[3].id, 7);
}

Test(normalize, pieces_of_a_batch_make_what_all_at_once_makes)
{
    struct rv_event popped[200];
    enum { N = sizeof popped / sizeof *popped };
    static const unsigned kinds[] = {RV_EVENT_CALL, RV_EVENT_GC_START, RV_EVENT_RETURN, RV_EVENT_RETURN, RV_EVENT_CALL};
    for (unsigned i = 0; i < N; i++)
        popped[i] = event(kinds[i * i % 5], 1000 + i * 7 % 50 + i, 0);
    for (unsigned n_piece = 1; n_piece <= N; n_piece += 13) {
        struct rv_batch whole = {0};
        rv_batch_init(&whole, RV_BATCH_EVENTS);
        batch.n = batch.n_specials = 0;
        normalizer.last_ns = 0;
        cr_assert_eq(rv_normalize(&normalizer, &whole, popped, N), N);
        normalizer.last_ns = 0;
        for (unsigned i = 0; i < N; i += n_piece)
            rv_normalize(&normalizer, &batch, popped + i, n_piece < N - i ? n_piece : N - i);
        cr_assert_eq(batch.n, N);
        cr_assert_eq(batch.base_ns, whole.base_ns);
        cr_assert_arr_eq(batch.events, whole.events, (N + RV_BATCH_PADDING) * sizeof *popped);
        cr_assert_eq(batch.n_specials, whole.n_specials);
        cr_assert_arr_eq(batch.specials, whole.specials, whole.n_specials * sizeof *whole.specials);
        rv_batch_fini(&whole);
    }
}

Test(normalize, a_sync_keeps_its_earlier_start)
{
    struct rv_event popped[] = {event(RV_EVENT_SYNC, 10, 0), event(RV_EVENT_CALL, 1000, 0),
                                event(RV_EVENT_SYNC, 1ull << 59, 0), event(RV_EVENT_RETURN, 1001, 0)};
    cr_assert_eq(rv_normalize(&normalizer, &batch, popped, 4), 4);
    cr_assert_eq(batch.base_ns, 1000);
    cr_assert_eq(rv_event_ticks(&batch.events[0]), 10);
    cr_assert_eq(rv_event_ticks(&batch.events[3]), 1001);
}

Test(normalize, a_gap_of_2_to_the_31_ns_begins_a_new_batch)
{
    struct rv_event popped[] = {event(RV_EVENT_CALL, 10, 0), event(RV_EVENT_RETURN, 10 + (1ull << 31), 0)};
    cr_assert_eq(rv_normalize(&normalizer, &batch, popped, 2), 1);
    cr_assert_eq(batch.n, 1);
    batch.n = batch.n_specials = 0;
    cr_assert_eq(rv_normalize(&normalizer, &batch, popped + 1, 1), 1);
    cr_assert_eq(batch.base_ns, 10 + (1ull << 31));
}

Test(normalize, an_invalid_time_does_not_stop_progress)
{
    struct rv_event popped[] = {event(RV_EVENT_CALL, RV_EVENT_TICKS_MASK, 0), event(RV_EVENT_RETURN, 5, 0)};
    cr_assert_eq(rv_normalize(&normalizer, &batch, popped, 2), 2);
    cr_assert_eq(rv_event_ticks(&batch.events[1]), RV_EVENT_TICKS_MASK);
}

/* A clock of 2.5 ticks a ns whose ticks and ns have different origins. */
static struct rv_clock fast_clock(void)
{
    return (struct rv_clock){
        .kind = RV_CLOCK_TSC, .shift = 32, .mult = (2ull << 32) / 5, .ticks0 = 1ull << 50, .mono0_ns = 1ull << 40};
}

Test(normalize, ticks_become_ns_each_as_its_clock_has_it)
{
    clock_of_ring = fast_clock();
    const uint64_t at = clock_of_ring.ticks0;
    const uint64_t ticks[] = {at + 1000, at + 1001, at + 1004, at + 500, at + 77777, at + 5000000000};
    enum { N = sizeof ticks / sizeof *ticks };
    struct rv_event popped[N];
    for (unsigned i = 0; i < N; i++)
        popped[i] = event(i % 2 ? RV_EVENT_RETURN : RV_EVENT_CALL, ticks[i], 0);
    cr_assert_eq(rv_normalize(&normalizer, &batch, popped, N), N);
    cr_assert_eq(batch.base_ns, rv_clock_to_ns(&clock_of_ring, ticks[0]));
    uint64_t last = 0;
    for (unsigned i = 0; i < N; i++) {
        uint64_t ns = rv_clock_to_ns(&clock_of_ring, ticks[i]);
        last = ns > last ? ns : last;
        cr_assert_eq(rv_event_ticks(&batch.events[i]), last, "event %u", i);
        cr_assert_eq(rv_event_kind(&batch.events[i]), i % 2 ? RV_EVENT_RETURN : RV_EVENT_CALL);
    }
    cr_assert_eq(normalizer.last_ns, last);
}

Test(normalize, the_past_of_a_sync_becomes_ns_even_before_the_clock_began)
{
    clock_of_ring = fast_clock();
    const uint64_t at = clock_of_ring.ticks0;
    struct rv_event popped[] = {event(RV_EVENT_SYNC, at - 10000, 0), event(RV_EVENT_SYNC, 1, 0),
                                event(RV_EVENT_CALL, at + 100, 0), event(RV_EVENT_SYNC, at + 50, 0)};
    cr_assert_eq(rv_normalize(&normalizer, &batch, popped, 4), 4);
    cr_assert_eq(rv_event_ticks(&batch.events[0]), clock_of_ring.mono0_ns - 3999);
    cr_assert_eq(rv_event_ticks(&batch.events[1]), 0);
    cr_assert_eq(rv_event_ticks(&batch.events[3]), clock_of_ring.mono0_ns + 19);
    cr_assert_eq(rv_event_kind(&batch.events[3]), RV_EVENT_SYNC);
    cr_assert_eq(batch.base_ns, clock_of_ring.mono0_ns + 39);
}

Test(normalize, a_time_that_does_not_fit_in_ns_is_the_last_that_does)
{
    clock_of_ring = (struct rv_clock){.kind = RV_CLOCK_TSC, .mult = 16};
    struct rv_event popped[] = {event(RV_EVENT_CALL, RV_EVENT_TICKS_MASK, 0),
                                event(RV_EVENT_RETURN, RV_EVENT_TICKS_MASK / 2, 0)};
    cr_assert_eq(rv_normalize(&normalizer, &batch, popped, 2), 2);
    cr_assert_eq(batch.events[0].when, (uint64_t)RV_EVENT_CALL << RV_EVENT_KIND_SHIFT | RV_EVENT_TICKS_MASK);
    cr_assert_eq(batch.events[1].when, (uint64_t)RV_EVENT_RETURN << RV_EVENT_KIND_SHIFT | RV_EVENT_TICKS_MASK);
    cr_assert_eq(rv_normalize_time(&clock_of_ring, RV_EVENT_TICKS_MASK), RV_EVENT_TICKS_MASK);
}

Test(normalize, times_that_stop_to_fit_within_a_batch_stay_there)
{
    clock_of_ring = (struct rv_clock){.kind = RV_CLOCK_TSC, .mult = 1, .mono0_ns = RV_EVENT_TICKS_MASK - 100};
    struct rv_event popped[] = {event(RV_EVENT_CALL, 10, 0), event(RV_EVENT_SYNC, 500, 0),
                                event(RV_EVENT_RETURN, 1000, 0)};
    cr_assert_eq(rv_normalize(&normalizer, &batch, popped, 3), 3);
    cr_assert_eq(rv_event_ticks(&batch.events[0]), RV_EVENT_TICKS_MASK - 90);
    for (unsigned i = 1; i < 3; i++) {
        cr_assert_eq(rv_event_kind(&batch.events[i]), rv_event_kind(&popped[i]));
        cr_assert_eq(rv_event_ticks(&batch.events[i]), RV_EVENT_TICKS_MASK);
    }
}

Test(normalize, a_loss_lies_at_the_last_event_before_it)
{
    struct rv_event first = event(RV_EVENT_CALL, 500, 0), second = event(RV_EVENT_RETURN, 700, 0);
    rv_normalize(&normalizer, &batch, &first, 1);
    batch.n = batch.n_specials = 0;
    rv_normalize_loss(&normalizer, &batch, 9);
    cr_assert_eq(rv_normalize(&normalizer, &batch, &second, 1), 1);
    cr_assert_eq(batch.n, 2);
    cr_assert_eq(batch.base_ns, 500);
    cr_assert_eq(batch.events[0].when, (uint64_t)RV_EVENT_LOST << RV_EVENT_KIND_SHIFT | 500);
    cr_assert_eq(batch.events[0].id, 9);
    cr_assert_eq(batch.n_specials, 1);
    cr_assert_eq(rv_event_ticks(&batch.events[1]), 700);
}

Test(normalize, name_ids_become_symbolizer_ids_and_broken_ones_unknown)
{
    uint32_t id = rv_names_intern(&map, &(struct rv_name){RV_NAME_SUBROUTINE, "P", "sub", "f.pl", 3});
    cr_assert_neq(id, 0);
    struct rv_event popped[] = {event(RV_EVENT_CALL, 1, id), event(RV_EVENT_CALL, 2, id + 1000),
                                event(RV_EVENT_CALL, 3, UINT32_MAX)};
    rv_normalize(&normalizer, &batch, popped, 3);
    struct rv_symbolizer_name name;
    cr_assert_eq(rv_symbolizer_name(symbolizer, batch.events[0].id, &name), 0);
    cr_assert_str_eq(name.package, "P");
    cr_assert_str_eq(name.name, "sub");
    cr_assert_eq(name.line_form, 3);
    cr_assert_eq(batch.events[1].id, 0);
    cr_assert_eq(batch.events[2].id, 0);
}

Test(normalize, the_filter_takes_calls_and_returns_out_together)
{
    uint32_t keep = rv_names_intern(&map, &(struct rv_name){RV_NAME_SUBROUTINE, "", "keep", "", 0});
    uint32_t drop = rv_names_intern(&map, &(struct rv_name){RV_NAME_SUBROUTINE, "", "drop", "", 0});
    cr_assert_eq(rv_capture_filter_create(&normalizer.filter, NULL, "^dr"), 0);
    struct rv_event popped[] = {event(RV_EVENT_CALL, 1, keep), event(RV_EVENT_CALL, 2, drop),
                                event(RV_EVENT_RETURN, 3, drop), event(RV_EVENT_MARK, 4, drop),
                                event(RV_EVENT_RETURN, 5, keep)};
    cr_assert_eq(rv_normalize(&normalizer, &batch, popped, 5), 5);
    cr_assert_eq(batch.n, 3);
    cr_assert_eq(rv_event_kind(&batch.events[1]), RV_EVENT_MARK);
    cr_assert_eq(batch.n_specials, 1);
    rv_capture_filter_destroy(normalizer.filter);
}

Test(normalize, a_bad_pattern_is_refused)
{
    struct rv_capture_filter *filter;
    cr_assert_lt(rv_capture_filter_create(&filter, "a(", NULL), 0);
    cr_assert_null(filter);
    cr_assert_eq(rv_capture_filter_create(&filter, NULL, NULL), 0);
    cr_assert_null(filter);
}

/* Kinds, addresses and times: most are calls by their address in order; some are others, earlier, or much later. */
static void fill_at_random(struct rv_event *events, unsigned n)
{
    static const unsigned KINDS[] = {RV_EVENT_GC_START, RV_EVENT_SYNC, RV_EVENT_CALL, RV_EVENT_MARK};
    uint64_t random = 7, ticks = clock_of_ring.ticks0 + 1000000;
    for (unsigned i = 0; i < n; i++) {
        random = random * 6364136223846793005ull + 1442695040888963407ull;
        const unsigned bits = (unsigned)(random >> 40);
        const uint64_t word = rv_event_word_at(0x7f0000001000 + bits % 37 * 16, (uint16_t)bits);
        ticks += bits % 97 == 0 ? UINT64_C(3) << 31 : bits % 50;
        const bool is_call = bits % 8 != 0;
        const uint64_t at = bits % 31 == 0 ? ticks - 5000 : ticks;
        events[i] = event(is_call ? RV_EVENT_CALL_AT + bits / 8 % 2 : KINDS[bits / 8 % 4], at, 0);
        if (is_call)
            memcpy(&events[i].id, &word, sizeof word);
    }
}

/* What the i-th of events must become, after one at last_ns. */
static struct rv_event expected(const struct rv_event *event, uint64_t last_ns)
{
    struct rv_event expected = *event;
    unsigned kind = rv_event_kind(event);
    uint64_t ns = rv_clock_to_ns(&clock_of_ring, rv_event_ticks(event));
    ns = ns < last_ns && kind != RV_EVENT_SYNC ? last_ns : ns;
    if (kind == RV_EVENT_CALL_AT || kind == RV_EVENT_RETURN_AT) {
        kind -= RV_EVENT_CALL_AT;
        expected.id = rv_symbolizer_look_up(normalizer.process, rv_event_address(event), ns);
        expected.aux = 0;
    }
    expected.when = (uint64_t)kind << RV_EVENT_KIND_SHIFT | ns;
    return expected;
}

Test(normalize, calls_by_address_become_calls_with_ids_wherever_they_stand)
{
    enum { N = 3000 };
    struct rv_event popped[N];
    clock_of_ring = fast_clock();
    fill_at_random(popped, N);
    uint64_t last_ns = 0;
    for (unsigned i = 0, n_done; i < N; i += n_done) {
        batch.n = batch.n_specials = 0;
        n_done = rv_normalize(&normalizer, &batch, popped + i, N - i);
        cr_assert_gt(n_done, 0);
        cr_assert_eq(batch.n, n_done);
        for (unsigned j = 0; j < n_done; j++) {
            const struct rv_event event = expected(&popped[i + j], last_ns);
            cr_assert_arr_eq(&batch.events[j], &event, sizeof event, "event %u", i + j);
            last_ns = rv_event_kind(&event) == RV_EVENT_SYNC ? last_ns : rv_event_ticks(&event);
        }
        cr_assert_eq(normalizer.last_ns, last_ns);
    }
}

Test(normalize, objects_that_are_waited_for_get_ids_and_delays_become_ns)
{
    clock_of_ring = (struct rv_clock){.kind = RV_CLOCK_TSC, .mult = 2};
    struct rv_event popped[] = {event(RV_EVENT_WAIT, 1000, 0x5000), event(RV_EVENT_WOKEN, 2000, 77),
                                event(RV_EVENT_WAIT, 3000, 0x5000), event(RV_EVENT_WOKEN, 4000, 0),
                                event(RV_EVENT_WAIT, 5000, 0x6000)};
    popped[0].aux = popped[2].aux = 0x7f00; /* the address's upper bits */
    popped[1].aux = 0x8000;
    popped[1].frame = 1;
    popped[3].aux = popped[3].frame = 0xffff; /* unknown */
    cr_assert_eq(rv_normalize(&normalizer, &batch, popped, 5), 5);
    cr_assert_neq(batch.events[0].id, 0);
    cr_assert_eq(batch.events[0].aux, 0);
    cr_assert_eq(batch.events[2].id, batch.events[0].id);
    cr_assert_neq(batch.events[4].id, batch.events[0].id);
    cr_assert_eq(batch.events[1].id, 77);
    cr_assert_eq(rv_event_since(&batch.events[1]), 2 * 0x18000);
    cr_assert_eq(rv_event_since(&batch.events[3]), UINT32_MAX);
}

Test(normalize, what_a_call_blocks_in_gets_a_name_and_its_begin_becomes_ns)
{
    clock_of_ring = (struct rv_clock){.kind = RV_CLOCK_TSC, .mult = 2};
    struct rv_event popped[] = {event(RV_EVENT_WAIT, 1000, RV_WAIT_ON_PIPE), event(RV_EVENT_WOKEN, 1001, 0),
                                event(RV_EVENT_WAIT, 2000, RV_WAIT_ON_NOTHING), event(RV_EVENT_WAIT, 3000, 12345)};
    const uint64_t word = rv_event_word_since_begin(UINT64_C(0x80000000)); /* in ns it is longer than 32 bits */
    memcpy(&popped[1].id, &word, sizeof word);
    popped[0].frame = popped[3].frame = RV_WAIT_READ | RV_WAIT_PAST;
    popped[2].frame = RV_WAIT_SLEEP | RV_WAIT_PAST;
    cr_assert_eq(rv_normalize(&normalizer, &batch, popped, 4), 4);
    struct rv_symbolizer_name name;
    cr_assert_eq(rv_symbolizer_name(symbolizer, batch.events[0].id, &name), 0);
    cr_assert_str_eq(name.name, "pipe");
    cr_assert_eq(batch.events[0].frame, RV_WAIT_READ | RV_WAIT_PAST);
    cr_assert_eq(batch.events[1].id >> RV_EVENT_WAKE_SHIFT, RV_WAKE_BEGAN);
    cr_assert_eq(rv_event_since_begin(&batch.events[1]), UINT64_C(0x100000000));
    cr_assert_eq(batch.events[2].id, 0);
    cr_assert_eq(batch.events[3].id, 0, "a ring's bytes may be wrong");
}

Test(normalize, a_wait_may_name_its_file)
{
    const struct rv_name file = {.package = "", .name = "/dev/pts/3", .file = ""};
    const uint32_t id = rv_names_intern(&map, &file);
    struct rv_event popped[] = {event(RV_EVENT_WAIT, 1000, id), event(RV_EVENT_WAIT, 2000, 12345)};
    struct rv_symbolizer_name name;
    popped[0].frame = popped[1].frame = RV_WAIT_READ | RV_WAIT_PAST | RV_WAIT_NAMED;
    cr_assert_eq(rv_normalize(&normalizer, &batch, popped, 2), 2);
    cr_assert_eq(rv_symbolizer_name(symbolizer, batch.events[0].id, &name), 0);
    cr_assert_str_eq(name.name, "/dev/pts/3");
    cr_assert_eq(batch.events[1].id, rv_name_map_lookup(&names, 12345), "a ring's bytes may be wrong");
}

static struct rv_event call_site(uint64_t ticks, uint64_t address)
{
    const uint64_t word = rv_event_word_at(address, RV_LINE_AT_ADDRESS);
    struct rv_event line = event(RV_EVENT_LINE, ticks, 0);
    memcpy(&line.id, &word, sizeof word);
    return line;
}

Test(normalize, places_of_calls_get_ids_that_recordings_keep)
{
    struct rv_event popped[] = {call_site(10, 0x7f0012345678), call_site(20, 0x7f0012345678),
                                call_site(30, 0x7f0012345680)};
    rv_normalize(&normalizer, &batch, popped, 3);
    cr_assert_eq(batch.n, 3);
    for (uint32_t i = 0; i < 3; i++) {
        cr_assert_eq(rv_event_line(&batch.events[i]), RV_LINE_OF_CALL);
        cr_assert(rv_event_has_name(&batch.events[i]));
    }
    cr_assert_neq(batch.events[0].id, 0);
    cr_assert_eq(batch.events[0].id, batch.events[1].id);
    cr_assert_neq(batch.events[0].id, batch.events[2].id);
}

Test(normalize, the_place_of_a_call_that_the_filter_leaves_out_goes_with_it)
{
    cr_assert_eq(rv_capture_filter_create(&normalizer.filter, NULL, "0x7f0000000100"), 0);
    struct rv_event popped[] = {call_site(10, 0x7f0000000010), event(RV_EVENT_CALL_AT, 10, 0x200),
                                call_site(20, 0x7f0000000020), event(RV_EVENT_CALL_AT, 20, 0x100)};
    popped[1].aux = popped[3].aux = 0x7f00;
    rv_normalize(&normalizer, &batch, popped, 4);
    cr_assert_eq(batch.n, 2);
    cr_assert_eq(rv_event_kind(&batch.events[0]), RV_EVENT_LINE);
    cr_assert_eq(rv_event_kind(&batch.events[1]), RV_EVENT_CALL);
    rv_capture_filter_destroy(normalizer.filter);
}

Test(normalize, the_place_of_a_call_goes_with_it_from_another_turn_too)
{
    cr_assert_eq(rv_capture_filter_create(&normalizer.filter, NULL, "0x7f0000000100"), 0);
    struct rv_event popped[] = {call_site(10, 0x7f0000000010), event(RV_EVENT_CALL_AT, 11, 0x200),
                                call_site(20, 0x7f0000000020), event(RV_EVENT_THREAD, 21, 0),
                                event(RV_EVENT_CALL_AT, 22, 0x100)};
    popped[1].aux = popped[4].aux = 0x7f00;
    for (unsigned i = 0; i < 5; i++)
        cr_assert_eq(rv_normalize(&normalizer, &batch, &popped[i], 1), 1);
    cr_assert_eq(batch.n, 3);
    cr_assert_eq(rv_event_kind(&batch.events[0]), RV_EVENT_LINE);
    cr_assert_eq(rv_event_ticks(&batch.events[0]), 11, "the time is the call's");
    cr_assert_eq(rv_event_line(&batch.events[0]), RV_LINE_OF_CALL);
    cr_assert_eq(rv_event_kind(&batch.events[1]), RV_EVENT_CALL);
    cr_assert_eq(rv_event_kind(&batch.events[2]), RV_EVENT_THREAD);
    rv_capture_filter_destroy(normalizer.filter);
}

Test(normalize, the_place_of_a_call_has_room_in_a_full_batch)
{
    cr_assert_eq(rv_capture_filter_create(&normalizer.filter, NULL, "0x7f0000000100"), 0);
    struct rv_event site = call_site(10, 0x7f0000000010), call = event(RV_EVENT_CALL_AT, 11, 0x200);
    call.aux = 0x7f00;
    rv_normalize(&normalizer, &batch, &site, 1);
    while (batch.n < RV_BATCH_EVENTS - 1)
        batch.events[batch.n++] = event(RV_EVENT_RETURN, 10, 0);
    cr_assert_eq(rv_normalize(&normalizer, &batch, &call, 1), 0);
    batch.n = 0;
    cr_assert_eq(rv_normalize(&normalizer, &batch, &call, 1), 1);
    cr_assert_eq(batch.n, 2);
    rv_capture_filter_destroy(normalizer.filter);
}

Test(normalize, arguments_tell_how_far_they_are_behind_their_call)
{
    struct rv_event first[] = {event(RV_EVENT_CALL, 100, 0)};
    struct rv_event second[] = {event(RV_EVENT_ARGUMENTS, 100, 7), event(RV_EVENT_RETURN, 80000, 0)};
    cr_assert_eq(rv_normalize(&normalizer, &batch, first, 1), 1);
    normalizer.last_ns = 100 + 70000; /* a switch of the thread was handed over meanwhile */
    cr_assert_eq(rv_normalize(&normalizer, &batch, second, 2), 2);
    const struct rv_event *arguments = &batch.events[1];
    cr_assert_eq(rv_event_kind(arguments), RV_EVENT_ARGUMENTS);
    cr_assert_eq(rv_event_ticks(arguments), 70100);
    cr_assert_eq(rv_event_lag(arguments), 70000);
    cr_assert_eq(arguments->id, 7);
}

Test(normalize, arguments_that_come_too_late_are_counted)
{
    struct rv_event popped[] = {event(RV_EVENT_ARGUMENTS, 100, 7)};
    normalizer.last_ns = 1ull << 33;
    cr_assert_eq(rv_normalize(&normalizer, &batch, popped, 1), 1);
    cr_assert_eq(batch.n, 0);
    cr_assert_eq(normalizer.n_late, 1);
}

Test(normalize, arguments_of_a_call_that_the_filter_has_left_out_go_with_it)
{
    uint32_t dropped = rv_names_intern(&map, &(struct rv_name){RV_NAME_SUBROUTINE, "", "drop", "", 0});
    struct rv_event call = event(RV_EVENT_CALL, 100, dropped), arguments = event(RV_EVENT_ARGUMENTS, 100, 7);
    cr_assert_eq(rv_capture_filter_create(&normalizer.filter, NULL, "^dr"), 0);
    cr_assert_eq(rv_normalize(&normalizer, &batch, &call, 1), 1);
    cr_assert_eq(rv_normalize(&normalizer, &batch, &arguments, 1), 1);
    cr_assert_eq(batch.n, 0);
    rv_capture_filter_destroy(normalizer.filter);
}

Test(normalize, a_call_that_was_captured_ends_though_its_function_is_left_out_by_then)
{
    const uint32_t name = rv_names_intern(&map, &(struct rv_name){RV_NAME_SUBROUTINE, "", "hot", "", 0});
    const struct rv_event before = event(RV_EVENT_CALL, 100, name),
                          after[] = {event(RV_EVENT_CALL, 200, name), event(RV_EVENT_RETURN, 300, name)};
    normalizer.filter = rv_capture_filter_create_open();
    rv_normalize(&normalizer, &batch, &before, 1);
    rv_capture_filter_leave_out(normalizer.filter, symbolizer, batch.events[0].id);
    rv_normalize(&normalizer, &batch, after, 2);
    cr_assert_eq(batch.n, 2);
    cr_assert_eq(rv_event_kind(&batch.events[1]), RV_EVENT_RETURN);
    cr_assert_eq(rv_event_ticks(&batch.events[1]), 300);
    cr_assert_eq(batch.events[1].id, 0, "it would be an orphan where its call was left out");
    rv_capture_filter_destroy(normalizer.filter);
}

Test(normalize, the_last_rule_that_fits_decides, .timeout = 60)
{
    struct rv_symbolizer *symbolizer = rv_symbolizer_create();
    struct rv_capture_filter *filter = rv_capture_filter_create_open();
    char why[80];
    const uint32_t a = rv_symbolizer_intern(symbolizer, "pack", "alpha", "", 0),
                   b = rv_symbolizer_intern(symbolizer, "pack", "beta", "", 0);
    cr_assert(rv_capture_filter_has(filter, symbolizer, a));
    cr_assert_eq(rv_capture_filter_add(filter, symbolizer, RV_CAPTURE_EXCLUDE, "^pack::", why, sizeof why), 2);
    cr_assert_eq(rv_capture_filter_add(filter, symbolizer, RV_CAPTURE_EXCLUDE, "^pack::", why, sizeof why), 0);
    cr_assert_eq(rv_capture_filter_add(filter, symbolizer, RV_CAPTURE_TRACE, "beta", why, sizeof why), 1);
    cr_assert(!rv_capture_filter_has(filter, symbolizer, a));
    cr_assert(rv_capture_filter_has(filter, symbolizer, b));
    cr_assert_eq(rv_capture_filter_add(filter, symbolizer, RV_CAPTURE_INCLUDE, "(", why, sizeof why), -EINVAL);
    cr_assert(*why);
    cr_assert_eq(rv_capture_filter_add(filter, symbolizer, RV_CAPTURE_UNTRACE, "pack::beta", why, sizeof why), 1);
    cr_assert_eq(rv_capture_filter_add(filter, symbolizer, RV_CAPTURE_UNTRACE, "bet", why, sizeof why), 0);
    cr_assert(!rv_capture_filter_has(filter, symbolizer, b));
    const uint32_t later = rv_symbolizer_intern(symbolizer, "pack", "gamma", "", 0);
    cr_assert(!rv_capture_filter_has(filter, symbolizer, later), "rules are for what is seen later, too");
    rv_capture_filter_destroy(filter);
    rv_symbolizer_destroy(symbolizer);
}
