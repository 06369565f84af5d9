/* Waits read by lane and time, and what one call waited for. */
#include "waits/reader.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { N_LANES = 4, N_CALLS = 5, LOCK = 99, STEP_NS = 10, LONG_NS = 1000 };

static struct rv_lanes *lanes;
static struct rv_waits *waits;
static struct rv_wait_reader *reader;
static rv_wait_place places[N_LANES];

static void setup(void)
{
    lanes = rv_lanes_create();
    waits = rv_waits_create(lanes, 0);
    for (uint32_t i = 0; i < N_LANES; i++)
        rv_lanes_add(lanes,
                     &(struct rv_lane_identity){.pid = 1, .tid = 100 + i, .thread = i, .name = "", .process_name = ""});
}

static void teardown(void)
{
    rv_wait_reader_close(reader);
    rv_waits_destroy(waits);
    rv_lanes_destroy(lanes);
}

TestSuite(waits_reader, .init = setup, .fini = teardown, .timeout = 120);

/* The i-th: of lane i % N_LANES, ended by the next lane, whose release comes n_late waits later. */
static uint64_t end_of(uint64_t i)
{
    return LONG_NS + i * STEP_NS;
}

static uint64_t duration_of(uint64_t i)
{
    return 1 + i * 7 % STEP_NS;
}

static void add_wait(uint64_t i)
{
    rv_waits_add(waits, &(struct rv_wait){.start_ns = end_of(i) - duration_of(i),
                                          .end_ns = end_of(i),
                                          .woke_ns = end_of(i),
                                          .lane = (uint32_t)(i % N_LANES),
                                          .object = LOCK,
                                          .call = (uint32_t)(1 + i % N_CALLS),
                                          .waker = (uint32_t)(100 + (i + 1) % N_LANES),
                                          .wake = RV_WAKE_EXACT});
}

static void add_release(uint64_t i)
{
    rv_waits_add_release(
        waits,
        &(struct rv_release){.at_ns = end_of(i), .lane = (uint32_t)((i + 1) % N_LANES), .object = LOCK, .call = 50});
}

static void add_all(uint64_t n, uint64_t n_late)
{
    for (uint64_t i = 0; i < n + n_late; i++) {
        if (i < n)
            add_wait(i);
        if (i >= n_late)
            add_release(i - n_late);
    }
    reader = rv_wait_reader_open(waits, NULL, NULL);
}

/* Whether the releases come soon after their waits or, from blocks of other lanes, thousands of waits later. */
Test(waits_reader, each_wait_has_its_release)
{
    enum { N = 10000 };
    struct rv_wait wait;
    rv_wait_place place = RV_WAIT_PLACE_END;
    add_all(N, N / 2);
    for (size_t i = N; i-- > 0;) {
        place = i + N_LANES >= N ? RV_WAIT_PLACE_END : places[i % N_LANES];
        cr_assert(rv_wait_reader_last(reader, i % N_LANES, UINT64_MAX, place, &wait, &places[i % N_LANES]));
        cr_assert_eq(wait.end_ns, end_of(i));
        const struct rv_wait_edge edge = rv_wait_reader_edge(reader, &wait);
        cr_assert_eq(edge.waker, rv_lanes_get(lanes, (i + 1) % N_LANES));
        cr_assert_eq(edge.waker_call, 50);
        cr_assert_eq(edge.released_ns, end_of(i));
    }
    for (uint32_t i = 0; i < N_LANES; i++)
        cr_assert_not(rv_wait_reader_last(reader, i, UINT64_MAX, places[i], &wait, &place));
}

Test(waits_reader, a_call_has_the_waits_of_its_lane_and_time)
{
    struct rv_wait_sum sum;
    struct rv_wait longest;
    add_all(100, 0);
    cr_assert(rv_wait_reader_sum(reader, 1, end_of(10), end_of(29), &sum));
    cr_assert_eq(sum.n, 5); /* 13, 17, 21, 25, 29 */
    cr_assert(rv_wait_reader_get(reader, 1, sum.longest, &longest));
    cr_expect_eq(sum.longest_ns, longest.end_ns - longest.start_ns);
    cr_assert_eq(longest.lane, 1);
    cr_assert_eq(longest.end_ns, end_of(17));
    cr_assert_eq(rv_wait_reader_edge(reader, &longest).waker, rv_lanes_get(lanes, 2));
    cr_assert_not(rv_wait_reader_sum(reader, 1, end_of(200), end_of(300), &sum));
    cr_assert_not(rv_wait_reader_sum(reader, N_LANES, 0, end_of(300), &sum));
}

Test(waits_reader, a_wait_is_present_between_its_ends)
{
    struct rv_wait wait;
    rv_wait_place place;
    add_all(100, 0);
    cr_assert(rv_wait_reader_present(reader, 1, end_of(17) - 1, &wait, &place));
    cr_assert_eq(wait.end_ns, end_of(17));
    cr_assert_not(rv_wait_reader_present(reader, 1, end_of(17) - duration_of(17), &wait, &place));
    cr_assert_not(rv_wait_reader_present(reader, 1, end_of(17), &wait, &place));
}

/* ---- pages ---- */

enum { N_PAGES = 4 };
static unsigned n_loads;

/* Of a third of what is kept in memory. */
static bool load(void *context, uint64_t page, struct rv_wait_page *out)
{
    *out = (struct rv_wait_page){.n_waits = (24u << 20) / sizeof *out->waits};
    out->waits = calloc(out->n_waits, sizeof *out->waits);
    out->waits[0].end_ns = LONG_NS * (page + 1);
    ++*(unsigned *)context;
    return true;
}

Test(waits_reader, pages_are_kept_by_their_size)
{
    struct rv_wait wait;
    rv_wait_place place;
    rv_waits_set_loader(waits, load, &n_loads, false);
    for (uint64_t i = 0; i < N_PAGES; i++)
        rv_waits_add_stretch(waits,
                             &(struct rv_wait_stretch){
                                 .page = i, .n_waits = 1, .first_ns = LONG_NS * (i + 1), .last_ns = LONG_NS * (i + 1)});
    reader = rv_wait_reader_open(waits, NULL, NULL);
    for (uint64_t i = 0; i < 2 * N_PAGES; i++) {
        const uint64_t end_ns = LONG_NS * (i % N_PAGES + 1);
        cr_assert(rv_wait_reader_last(reader, 0, end_ns, RV_WAIT_PLACE_END, &wait, &place));
        cr_assert_eq(wait.end_ns, end_ns);
        const unsigned n_before = n_loads;
        cr_assert(rv_wait_reader_last(reader, 0, end_ns, RV_WAIT_PLACE_END, &wait, &place));
        cr_assert_eq(n_loads, n_before, "the last one is kept");
    }
    cr_expect_gt(n_loads, N_PAGES, "all pages were kept");
    cr_expect_not(rv_wait_reader_has_missed(reader));
}

/* ---- releases that are loaded ---- */

enum { N_RELEASES = 10, RELEASE_STEP_NS = 100 };

/* Page p has those of lane p, from p * 1000 on. */
static bool load_releases(void *context, uint64_t page, struct rv_wait_page *out)
{
    (void)context;
    *out = (struct rv_wait_page){.releases = calloc(N_RELEASES, sizeof *out->releases), .n_releases = N_RELEASES};
    for (uint64_t i = 0; i < N_RELEASES; i++)
        out->releases[i] = (struct rv_release){.at_ns = page * 1000 + (i + 1) * RELEASE_STEP_NS, .object = LOCK};
    return true;
}

struct seen {
    uint64_t n_of_lane[N_LANES], first_ns, last_ns;
};

static bool see(void *context, const struct rv_release *release)
{
    struct seen *seen = context;
    seen->n_of_lane[release->lane]++;
    seen->first_ns = !seen->first_ns || release->at_ns < seen->first_ns ? release->at_ns : seen->first_ns;
    seen->last_ns = release->at_ns > seen->last_ns ? release->at_ns : seen->last_ns;
    return true;
}

/* So it is for a range of time: releases after its begin, up to its end. */
Test(waits_reader, releases_are_read_from_pages_and_memory_once)
{
    struct seen seen = {.first_ns = 0};
    rv_waits_set_loader(waits, load_releases, NULL, false);
    for (uint32_t lane = 0; lane < 2; lane++)
        rv_waits_add_stretch(waits,
                             &(struct rv_wait_stretch){.page = lane,
                                                       .lane = lane,
                                                       .n_releases = N_RELEASES,
                                                       .first_release_ns = lane * 1000 + RELEASE_STEP_NS,
                                                       .last_release_ns = lane * 1000 + N_RELEASES * RELEASE_STEP_NS});
    rv_waits_add_release(waits, &(struct rv_release){.at_ns = 5000, .lane = 2, .object = LOCK});
    reader = rv_wait_reader_open(waits, NULL, NULL);
    rv_wait_reader_each_release(reader, 0, UINT64_MAX, see, &seen);
    cr_expect(seen.n_of_lane[0] == N_RELEASES && seen.n_of_lane[1] == N_RELEASES && seen.n_of_lane[2] == 1);
    seen = (struct seen){.first_ns = 0};
    rv_wait_reader_each_release(reader, 500, 1300, see, &seen);
    cr_expect(seen.n_of_lane[0] == 5 && seen.n_of_lane[1] == 3 && seen.n_of_lane[2] == 0);
    cr_expect(seen.first_ns == 600 && seen.last_ns == 1300);
}
