#include "export/spool.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { N_LANES = 3, N = 5000 };

/* The fields of span i of a lane are computed from i and the lane. */
static struct rv_span span_of(uint32_t lane_idx, uint64_t i)
{
    return (struct rv_span){.start = i, .end = 2 * i, .id = lane_idx, .depth = (uint32_t)i % 7};
}

static struct rv_lane lanes[N_LANES] = {{.idx = 0}, {.idx = 1}, {.idx = 2}};

static void add(struct rv_spool *spool, const struct rv_lane *lane, const struct rv_span *spans, size_t n)
{
    struct rv_sink sink = rv_spool_sink(spool);
    sink.spans(sink.context, lane, spans, n);
}

/* Lane 0 gets all N, lane 1 a few, lane 2 none; in portions of every size. */
static void fill(struct rv_spool *spool)
{
    struct rv_span portion[700];
    uint64_t done = 0;
    for (size_t size = 0; done < N; size = (size * 7 + 1) % 700) {
        size_t n = N - done < size ? N - done : size;
        for (size_t i = 0; i < n; i++)
            portion[i] = span_of(0, done + i);
        add(spool, &lanes[0], portion, n);
        done += n;
    }
    portion[0] = span_of(1, 0);
    portion[1] = span_of(1, 1);
    add(spool, &lanes[1], portion, 2);
}

/* Walk a lane's blocks from its last to its first; returns how many spans there are. */
static uint64_t walk_back(const struct rv_spool *spool, uint32_t lane_idx, uint64_t n_expected)
{
    struct rv_spool_block block;
    uint64_t n = 0;
    for (uint64_t number = rv_spool_last_block(spool, lane_idx); number; number = block.previous) {
        cr_assert_eq(rv_spool_read(spool, number, &block), 0);
        cr_assert_eq(block.lane_idx, lane_idx);
        for (uint32_t i = block.n; i-- > 0; n++) {
            struct rv_span expected = span_of(lane_idx, n_expected - 1 - n);
            cr_assert_eq(block.spans[i].start, expected.start);
            cr_assert_eq(block.spans[i].end, expected.end);
            cr_assert_eq(block.spans[i].id, expected.id);
            cr_assert_eq(block.spans[i].depth, expected.depth);
        }
    }
    return n;
}

/* Walk a lane's blocks from its first to its last; returns how many spans there are. */
static uint64_t walk_forward(const struct rv_spool *spool, uint32_t lane_idx)
{
    struct rv_spool_block block;
    uint64_t n = 0, number = rv_spool_first_block(spool, lane_idx), last = rv_spool_last_block(spool, lane_idx);
    while (number) {
        cr_assert_eq(rv_spool_read(spool, number, &block), 0);
        cr_assert_eq(block.lane_idx, lane_idx);
        for (uint32_t i = 0; i < block.n; i++)
            cr_assert_eq(block.spans[i].start, n++);
        number = number == last ? 0 : block.next;
    }
    return n;
}

Test(spool, a_lane_is_read_back_from_its_last_span_to_its_first, .timeout = 60)
{
    struct rv_spool *spool = rv_spool_create();
    cr_assert_not_null(spool);
    fill(spool);
    cr_assert_eq(rv_spool_seal(spool), 0);
    cr_assert_eq(rv_spool_n_spans(spool), N + 2);
    cr_assert_eq(walk_back(spool, 0, N), N);
    cr_assert_eq(walk_back(spool, 1, 2), 2);
    cr_assert_eq(rv_spool_last_block(spool, 2), 0);
    cr_assert_eq(rv_spool_last_block(spool, 77), 0);
    rv_spool_destroy(spool);
}

Test(spool, read_forward_it_has_every_span_once, .timeout = 60)
{
    struct rv_spool *spool = rv_spool_create();
    fill(spool);
    cr_assert_eq(rv_spool_seal(spool), 0);
    cr_assert_eq(walk_forward(spool, 0), N);
    cr_assert_eq(walk_forward(spool, 1), 2);
    cr_assert_eq(walk_forward(spool, 2), 0);
    cr_assert_eq(walk_forward(spool, 77), 0);
    rv_spool_destroy(spool);
}

Test(spool, a_lane_whose_last_block_is_full_ends_with_it, .timeout = 60)
{
    struct rv_spool *spool = rv_spool_create();
    struct rv_span spans[2 * RV_SPOOL_SPANS];
    for (size_t i = 0; i < 2 * RV_SPOOL_SPANS; i++)
        spans[i] = span_of(0, i);
    add(spool, &lanes[0], spans, 2 * RV_SPOOL_SPANS);
    cr_assert_eq(rv_spool_seal(spool), 0);
    cr_assert_eq(walk_forward(spool, 0), 2 * RV_SPOOL_SPANS);
    cr_assert_eq(walk_back(spool, 0, 2 * RV_SPOOL_SPANS), 2 * RV_SPOOL_SPANS);
    rv_spool_destroy(spool);
}

Test(spool, data_written_before_the_disk_was_full_is_readable, .timeout = 60)
{
    struct rv_spool *spool = rv_spool_create();
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){3 * sizeof(struct rv_spool_block) + 100, RLIM_INFINITY});
    fill(spool);
    int error = rv_spool_seal(spool);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
    cr_assert_eq(error, -EFBIG);
    cr_assert_eq(rv_spool_n_spans(spool), 3 * RV_SPOOL_SPANS);
    cr_assert_eq(walk_forward(spool, 0), 3 * RV_SPOOL_SPANS);
    cr_assert_eq(walk_forward(spool, 1), 0);
    cr_assert_eq(walk_back(spool, 0, 3 * RV_SPOOL_SPANS), 3 * RV_SPOOL_SPANS);
    rv_spool_destroy(spool);
}

Test(spool, a_missing_temporary_folder_is_reported_and_refused, .timeout = 60)
{
    setenv("TMPDIR", "/nonexistent/folder", 1);
    cr_assert_null(rv_spool_create());
    rv_spool_destroy(NULL);
}
