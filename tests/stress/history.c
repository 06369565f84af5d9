/*
 * A session whose memory holds few of its calls, while two threads make more. At random earlier times every call is
 * found sooner or later, and none twice: in memory, while it is evicted, in a page. Another thread counts the calls of
 * random ranges, whose numbers are known. With a history that keeps all, and with one that is discarded meanwhile: then
 * calls may be missing, but only where the session reports them as released.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "model/timeline_query.h"
#include "pipeline/history_on_disk.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/vec.h"
#include "pipeline/range_reader.h"
#include "pipeline/session.h"

#define SECOND_NS UINT64_C(1000000000)
#define STEP_NS 1000u    /* a call and one inside it */
#define LONG_STEPS 5000u /* one call around them all, too long for the pages near a window */

enum {
    N_STREAMS = 2,
    N_LOOKS = 60,
    LEAST_RANGES = 20,
    RANGE_STEPS = 20000,
    BATCH_STEPS = 1000,
    N_STEPS = 600000,
    CALLS_PER_STEP = 3,
    MOST_BOXES = 64
};

struct maker {
    struct rv_source source;
    void *streams[N_STREAMS];
};

static atomic_uint n_made; /* steps */

static void push(struct rv_batch *batch, unsigned kind, uint64_t ns, uint32_t id)
{
    batch->events[batch->n++] =
        (struct rv_event){.when = (uint64_t)kind << RV_EVENT_KIND_SHIFT | ns, .id = id, .frame = (uint16_t)(id - 1)};
}

static void push_step(struct rv_batch *batch, uint64_t step)
{
    uint64_t ns = step * STEP_NS, jitter = rv_hash_u64(step) % 64;
    if (step % LONG_STEPS == 0)
        push(batch, RV_EVENT_CALL, ns, 1);
    push(batch, RV_EVENT_CALL, ns + 100 + jitter, 2);
    push(batch, RV_EVENT_CALL, ns + 200 + jitter, 3);
    push(batch, RV_EVENT_RETURN, ns + 500 + jitter, 3);
    push(batch, RV_EVENT_RETURN, ns + 900 + jitter, 2);
    if (step % LONG_STEPS == LONG_STEPS - 1)
        push(batch, RV_EVENT_RETURN, ns + 950, 1);
}

static void open_streams(struct maker *maker, const struct rv_intake *intake)
{
    for (uint32_t i = 0; i < N_STREAMS; i++) {
        struct rv_stream_info info = {
            .pid = 1, .tid = i + 1, .process_key = 1, .process_name = "p", .thread_name = "t", .number = i};
        maker->streams[i] = intake->open_stream(intake->context, &info);
    }
}

static enum rv_source_status end(struct maker *maker, const struct rv_intake *intake, uint64_t n)
{
    for (uint32_t i = 0; i < N_STREAMS; i++)
        intake->close_stream(intake->context, maker->streams[i], n * STEP_NS);
    return RV_SOURCE_ENDED;
}

static enum rv_source_status make(struct rv_source *source, const struct rv_intake *intake)
{
    struct maker *maker = (struct maker *)source;
    unsigned n = atomic_load_explicit(&n_made, memory_order_relaxed);
    if (n == 0)
        open_streams(maker, intake);
    if (n == N_STEPS || intake->is_stopping(intake->context))
        return end(maker, intake, n);
    for (uint32_t i = 0; i < N_STREAMS; i++) {
        struct rv_batch *batch;
        while (!(batch = intake->acquire_batch(intake->context)))
            ;
        batch->stream = maker->streams[i];
        batch->n = batch->n_specials = 0;
        batch->base_ns = (uint64_t)n * STEP_NS;
        for (unsigned k = 0; k < BATCH_STEPS; k++)
            push_step(batch, n + k);
        intake->submit_batch(intake->context, batch);
    }
    atomic_store_explicit(&n_made, n + BATCH_STEPS, memory_order_relaxed);
    return RV_SOURCE_MOVED;
}

static void nap(struct rv_source *source)
{
    (void)source;
}

static void resolve(struct rv_source *source, const struct rv_intake *intake, bool is_final)
{
    (void)source;
    (void)intake;
    (void)is_final;
}

static void close_maker(struct rv_source *source)
{
    free(source);
}

static struct rv_source *create_maker(void)
{
    struct maker *maker = rv_alloc(1, sizeof *maker);
    maker->source = (struct rv_source){.poll = make, .nap = nap, .resolve = resolve, .close = close_maker};
    return &maker->source;
}

/* Number of calls of one step in memory; the outer call may still be open. */
static unsigned n_exact(struct rv_lane *lane, uint64_t from_ns)
{
    struct rv_box boxes[MOST_BOXES];
    unsigned n = 0;
    pthread_rwlock_wrlock(&lane->lock);
    size_t n_boxes = rv_timeline_query_boxes(lane->timeline, from_ns, from_ns + STEP_NS, 0, boxes, MOST_BOXES);
    for (size_t i = 0; i < n_boxes; i++)
        n += boxes[i].coverage == RV_BOX_EXACT;
    n += lane->n_open && lane->open[0].start_ns <= from_ns;
    pthread_rwlock_unlock(&lane->lock);
    return n;
}

/* Are calls of this time gone for good? */
static bool is_released(struct rv_lane *lane, uint64_t ns)
{
    pthread_rwlock_wrlock(&lane->lock);
    bool is_released = rv_timeline_released_ns(lane->timeline, 0) > ns;
    pthread_rwlock_unlock(&lane->lock);
    return is_released;
}

/* Returns whether every lane has the calls of a step, and each once, or they are released. */
static bool find(struct rv_session *session, uint64_t step)
{
    struct rv_lanes *lanes = rv_session_lanes(session);
    uint64_t from_ns = step * STEP_NS, until_ns = rv_clock_mono_ns() + 60 * SECOND_NS;
    size_t n_lanes = rv_lanes_n(lanes), n_right = 0;
    while (n_right < n_lanes && rv_clock_mono_ns() < until_ns) {
        (void)rv_session_want(session, from_ns, from_ns + STEP_NS, 0);
        n_right = 0;
        for (size_t i = 0; i < n_lanes; i++) {
            unsigned n = n_exact(rv_lanes_get(lanes, i), from_ns);
            n_right += n == CALLS_PER_STEP || is_released(rv_lanes_get(lanes, i), from_ns);
            if (n > CALLS_PER_STEP) {
                fprintf(stderr, "step %llu: %u calls\n", (unsigned long long)step, n);
                return false;
            }
        }
        usleep(500);
    }
    if (n_right < n_lanes)
        fprintf(stderr, "step %llu: %zu of %zu lanes\n", (unsigned long long)step, n_right, n_lanes);
    return n_right == n_lanes;
}

/* ---- ranges ---- */

struct counter { /* of calls, in a thread */
    struct rv_session *session;
    pthread_t thread;
    atomic_bool is_over;
    atomic_uint n_ranges;
    unsigned n_missing, n_wrong, seed;
};

static uint64_t n_calls_of(const struct rv_range_statistics *range, uint32_t id)
{
    struct rv_stats_row rows[8];
    size_t n = rv_stats_rows(rv_range_statistics_stats(range), rows, 8);
    for (size_t i = 0; i < n && i < 8; i++)
        if (rows[i].id == id)
            return rows[i].n_calls;
    return 0;
}

static void count_range(struct counter *counter, uint64_t from_step, uint64_t n_steps)
{
    const uint64_t from_ns = from_step * STEP_NS, to_ns = from_ns + n_steps * STEP_NS;
    struct rv_range_statistics *range = rv_range_statistics_create(
        &(struct rv_range_statistics_params){.from_ns = from_ns,
                                             .to_ns = to_ns,
                                             .lanes = rv_session_lanes(counter->session),
                                             .subroutines = rv_session_subroutines(counter->session)});
    struct rv_range_reader reader;
    rv_range_reader_init(&reader, range, counter->session);
    while (!rv_range_reader_step(&reader, 4096, 1000000))
        ;
    rv_range_reader_fini(&reader);
    const uint64_t n_expected = n_steps * N_STREAMS, missing_ns = rv_range_statistics_missing_before_ns(range);
    atomic_fetch_add_explicit(&counter->n_ranges, 1, memory_order_relaxed);
    counter->n_missing += missing_ns > 0;
    for (uint32_t id = 2; id <= 3; id++) {
        const uint64_t n = n_calls_of(range, id);
        if (n == n_expected || (n < n_expected && missing_ns > 0))
            continue;
        fprintf(stderr, "%llu steps from %llu: %llu calls\n", (unsigned long long)n_steps,
                (unsigned long long)from_step, (unsigned long long)n);
        counter->n_wrong++;
    }
    rv_range_statistics_destroy(range);
}

static void *count_ranges(void *context)
{
    struct counter *counter = context;
    while (!atomic_load_explicit(&counter->is_over, memory_order_relaxed)) {
        unsigned n = atomic_load_explicit(&n_made, memory_order_relaxed) - LONG_STEPS;
        uint64_t n_steps = 1 + (uint64_t)rand_r(&counter->seed) % RANGE_STEPS;
        if (n > n_steps)
            count_range(counter, (uint64_t)rand_r(&counter->seed) % (n - n_steps), n_steps);
    }
    return NULL;
}

/* ---- */

static bool try_history(uint64_t n_bytes)
{
    struct rv_history *history = rv_history_create(n_bytes);
    if (!history)
        return false;
    struct rv_sink sink = rv_history_sink(history);
    atomic_store_explicit(&n_made, 0, memory_order_relaxed);
    struct rv_session *session = rv_session_start(
        &(struct rv_session_params){
            .n_workers = 2, .memory_bytes = 8 << 20, .sinks = &sink, .n_sinks = 1, .history = history},
        create_maker());
    struct counter counter = {.session = session, .seed = 3};
    while (atomic_load_explicit(&n_made, memory_order_relaxed) < N_STEPS / 4)
        usleep(100);
    pthread_create(&counter.thread, NULL, count_ranges, &counter);
    unsigned n_found = 0, n_looks = 0;
    for (; n_looks < N_LOOKS || atomic_load_explicit(&counter.n_ranges, memory_order_relaxed) < LEAST_RANGES;
         n_looks++) {
        unsigned n = atomic_load_explicit(&n_made, memory_order_relaxed);
        n_found += find(session, (uint64_t)rand() % (n - LONG_STEPS));
    }
    atomic_store_explicit(&counter.is_over, true, memory_order_relaxed);
    pthread_join(counter.thread, NULL);
    struct rv_session_counts counts;
    rv_session_counts(session, &counts);
    rv_session_destroy(session);
    rv_history_destroy(history);
    printf("%u of %u looks, %llu pages; %u ranges, %u wrong, %u with calls missing\n", n_found, n_looks,
           (unsigned long long)counts.n_pages, counter.n_ranges, counter.n_wrong, counter.n_missing);
    return n_found == n_looks && counts.n_pages > 0 && counter.n_wrong == 0;
}

int main(void)
{
    srand(7);
    return try_history(UINT64_C(1) << 30) && try_history(RV_HISTORY_LEAST_BYTES) ? 0 : 1;
}
