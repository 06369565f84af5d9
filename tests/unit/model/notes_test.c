#include "model/notes.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "model/lanes.h"

struct sums {
    uint64_t n[RV_NOTE_KIND_COUNT], n_lost, covered_ns;
    float low, high;
};

static struct sums sum(const struct rv_lane_note *notes, size_t n)
{
    struct sums sums = {.low = INFINITY, .high = -INFINITY};
    for (size_t i = 0; i < n; i++) {
        sums.n[notes[i].kind] += notes[i].n_more + UINT64_C(1);
        sums.covered_ns += rv_note_covered_ns(&notes[i]);
        if (notes[i].kind == RV_NOTE_LOST)
            sums.n_lost += notes[i].id;
        if (notes[i].kind == RV_NOTE_VALUE) {
            sums.low = fminf(sums.low, rv_note_low(&notes[i]));
            sums.high = fmaxf(sums.high, rv_note_high(&notes[i]));
        }
    }
    return sums;
}

static struct rv_lane_note random_note(uint64_t *random, uint64_t now_ns, uint32_t n_names)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    uint32_t bits = (uint32_t)(*random >> 32), kind = bits % RV_NOTE_KIND_COUNT;
    uint64_t length_ns = kind == RV_NOTE_GC || kind == RV_NOTE_LOST ? bits % 50 : 0;
    return (struct rv_lane_note){.start_ns = now_ns,
                                 .end_ns = now_ns + length_ns,
                                 .kind = kind,
                                 .id = kind == RV_NOTE_STATE ? bits % 5 : bits / 8 % n_names,
                                 .value = (float)(bits % 1000)};
}

Test(notes, thinning_keeps_every_sum_and_the_order, .timeout = 60)
{
    static const uint32_t names[] = {1, 3, 100, 100000};
    enum { N = 4000 };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct rv_lane_note notes[N];
        uint64_t random = 11 + i, now_ns = 1000;
        for (size_t j = 0; j < N; j++, now_ns += random >> 40 & 255)
            notes[j] = random_note(&random, now_ns, names[i]);
        struct rv_lane_note newest = notes[N - 1];
        struct sums before = sum(notes, N);
        size_t n = rv_notes_thin(notes, N, N * 3 / 4, N / 2);
        cr_assert_leq(n, N / 2, "%zu left of %u names", n, names[i]);
        struct sums after = sum(notes, n);
        for (unsigned kind = 0; kind < RV_NOTE_KIND_COUNT; kind++)
            cr_assert_eq(after.n[kind], before.n[kind], "kind %u", kind);
        cr_assert_eq(after.n_lost, before.n_lost);
        cr_assert_eq(after.covered_ns, before.covered_ns);
        cr_assert_eq(after.low, before.low);
        cr_assert_eq(after.high, before.high);
        for (size_t j = 1; j < n; j++)
            cr_assert_geq(notes[j].start_ns, notes[j - 1].start_ns);
        cr_assert_eq(notes[n - 1].start_ns, newest.start_ns);
        cr_assert_eq(notes[n - 1].n_more, 0, "the newest quarter is left alone");
    }
}

Test(notes, open_notes_and_overflowing_sums_are_not_merged, .timeout = 60)
{
    struct rv_lane_note open = {.start_ns = 5, .end_ns = UINT64_MAX, .kind = RV_NOTE_GC};
    struct rv_lane_note gc = {.start_ns = 1, .end_ns = 3, .kind = RV_NOTE_GC};
    struct rv_lane_note many = {.start_ns = 1, .end_ns = 1, .kind = RV_NOTE_LOST, .id = UINT32_MAX};
    struct rv_lane_note one = {.start_ns = 2, .end_ns = 2, .kind = RV_NOTE_LOST, .id = 1};
    cr_assert_not(rv_note_merge(&gc, &open));
    cr_assert_eq(gc.end_ns, 3);
    cr_assert_not(rv_note_merge(&many, &one));
    cr_assert_eq(many.id, UINT32_MAX);
    cr_assert(rv_note_merge(&one, &(struct rv_lane_note){.start_ns = 9, .end_ns = 12, .kind = RV_NOTE_LOST, .id = 4}));
    cr_assert(one.id == 5 && one.end_ns == 12 && one.n_more == 1 && one.covered_ns == 3);
}

Test(notes, marks_of_other_names_become_several, .timeout = 60)
{
    struct rv_lane_note mark = {.start_ns = 1, .end_ns = 1, .kind = RV_NOTE_MARK, .id = 7};
    struct rv_lane_note other = {.start_ns = 2, .end_ns = 2, .kind = RV_NOTE_MARK, .id = 8};
    cr_assert(rv_note_merge(&mark, &other));
    cr_assert_eq(mark.id, RV_NOTE_SEVERAL);
    cr_assert_eq(mark.n_more, 1);
}

Test(notes, a_lane_holds_a_bounded_number_and_loses_none, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_lane *lane = rv_lanes_add(lanes, &(struct rv_lane_identity){.tid = 1, .process_name = "prog"});
    enum { N = 1000000 };
    uint64_t random = 3;
    for (uint64_t i = 0; i < N; i++) {
        struct rv_lane_note note = random_note(&random, 1000 + i, 5);
        rv_lane_add_note(lane, &note);
    }
    cr_assert_leq(lane->n_notes, RV_LANE_NOTES_MAX);
    struct sums sums = sum(lane->notes, lane->n_notes);
    uint64_t n = 0;
    for (unsigned kind = 0; kind < RV_NOTE_KIND_COUNT; kind++)
        n += sums.n[kind];
    cr_assert_eq(n, N);
    rv_lanes_limit_memory(lanes, 200000);
    cr_assert_leq(lane->notes_capacity * sizeof *lane->notes, 4000000);
    for (unsigned i = 0; i < 20; i++)
        rv_lanes_limit_memory(lanes, 200000);
    cr_assert_leq(lane->notes_capacity * sizeof *lane->notes, 200000);
    sums = sum(lane->notes, lane->n_notes);
    n = 0;
    for (unsigned kind = 0; kind < RV_NOTE_KIND_COUNT; kind++)
        n += sums.n[kind];
    cr_assert_eq(n, N);
    rv_lanes_destroy(lanes);
}

Test(notes, a_note_ends_once, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_lane *lane = rv_lanes_add(lanes, &(struct rv_lane_identity){.tid = 1, .process_name = "prog"});
    rv_lane_end_note(lane, RV_NOTE_GC, 5);
    rv_lane_add_note(lane, &(struct rv_lane_note){.start_ns = 10, .end_ns = UINT64_MAX, .kind = RV_NOTE_GC});
    rv_lane_add_note(lane, &(struct rv_lane_note){.start_ns = 11, .end_ns = 11, .kind = RV_NOTE_MARK});
    rv_lane_end_note(lane, RV_NOTE_GC, 20);
    rv_lane_end_note(lane, RV_NOTE_GC, 30);
    cr_assert_eq(lane->notes[0].end_ns, 20);
    cr_assert_eq(lane->notes[1].end_ns, 11);
    rv_lanes_destroy(lanes);
}

Test(notes, the_time_that_notes_cover_of_a_range_is_counted, .timeout = 60)
{
    const struct rv_lane_note all[] = {
        {.start_ns = 10, .end_ns = 30, .kind = RV_NOTE_GC},
        {.start_ns = 20, .end_ns = 90, .kind = RV_NOTE_BLOCKED},
        {.start_ns = 40, .end_ns = 80, .kind = RV_NOTE_GC, .n_more = 3, .covered_ns = 20}, /* half of the time */
        {.start_ns = 90, .end_ns = UINT64_MAX, .kind = RV_NOTE_GC},
    };
    static const struct {
        uint64_t range_ns[2], covered_ns, n;
    } CASES[] = {{{0, 10}, 0, 0},  {{0, 11}, 1, 1},   {{15, 40}, 15, 1},
                 {{30, 40}, 0, 0}, {{20, 60}, 20, 5}, {{85, 100}, 10, 1}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        uint64_t n;
        cr_assert_eq(rv_notes_covered_ns(all, 4, RV_NOTE_GC, CASES[i].range_ns, &n), CASES[i].covered_ns, "case %zu",
                     i);
        cr_assert_eq(n, CASES[i].n, "case %zu", i);
    }
}
