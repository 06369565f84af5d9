/*
 * A session whose memory holds few of its calls, while two threads make more: looks at random earlier times find every
 * call, sooner or later, and none twice, whether it is in memory, on its way out or in a page.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/vec.h"
#include "pipeline/session.h"

#define SECOND_NS UINT64_C(1000000000)
#define STEP_NS 1000u    /* a call and one inside it */
#define LONG_STEPS 5000u /* one call around them all, too long for the pages near a window */

enum { N_STREAMS = 2, N_LOOKS = 60, BATCH_STEPS = 1000, N_STEPS = 600000, CALLS_PER_STEP = 3, MOST_BOXES = 64 };

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
    uint64_t ns = step * STEP_NS;
    if (step % LONG_STEPS == 0)
        push(batch, RV_EVENT_CALL, ns, 1);
    push(batch, RV_EVENT_CALL, ns + 100, 2);
    push(batch, RV_EVENT_CALL, ns + 200, 3);
    push(batch, RV_EVENT_RETURN, ns + 500, 3);
    push(batch, RV_EVENT_RETURN, ns + 900, 2);
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

/* Of one step; the outer call may still be open. */
static unsigned n_exact(struct rv_lane *lane, uint64_t from_ns)
{
    struct rv_box boxes[MOST_BOXES];
    unsigned n = 0;
    pthread_mutex_lock(&lane->lock);
    size_t n_boxes = rv_timeline_query(lane->timeline, from_ns, from_ns + STEP_NS, 0, boxes, MOST_BOXES);
    for (size_t i = 0; i < n_boxes; i++)
        n += boxes[i].coverage == RV_BOX_EXACT;
    n += lane->n_open && lane->open[0].start_ns <= from_ns;
    pthread_mutex_unlock(&lane->lock);
    return n;
}

/* Returns whether every lane has the calls of a step, and each once. */
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
            n_right += n == CALLS_PER_STEP;
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

int main(void)
{
    struct rv_history *history = rv_history_create(UINT64_C(1) << 30);
    if (!history)
        return 1;
    struct rv_sink sink = rv_history_sink(history);
    struct rv_session *session = rv_session_start(
        &(struct rv_session_params){
            .n_workers = 2, .memory_bytes = 8 << 20, .sinks = &sink, .n_sinks = 1, .history = history},
        create_maker());
    unsigned n_found = 0;
    srand(7);
    while (atomic_load_explicit(&n_made, memory_order_relaxed) < 2 * LONG_STEPS)
        usleep(100);
    for (unsigned i = 0; i < N_LOOKS; i++) {
        unsigned n = atomic_load_explicit(&n_made, memory_order_relaxed);
        n_found += find(session, (uint64_t)rand() % (n - LONG_STEPS));
    }
    struct rv_session_counts counts;
    rv_session_counts(session, &counts);
    rv_session_destroy(session);
    rv_history_destroy(history);
    printf("%u of %u looks, %llu pages\n", n_found, N_LOOKS, (unsigned long long)counts.n_pages);
    return n_found == N_LOOKS && counts.n_pages > 0 ? 0 : 1;
}
