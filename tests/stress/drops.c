/*
 * Events of a real program, dropped at random, against the lossless run of the same stream.
 *
 *     drops HOOKS.so|- FLAGS PROGRAM [ARG...]
 *
 * FLAGS: h = signal handlers interrupt hooks, and then may be taken for callees of the call that was returning; - = no.
 * The program's rings are read whole; then 1 %, 25 % and 99 % of their events are dropped, with LOST events where a
 * ring puts them, and without any. Both the serial oracle and the block scan rebuild the rest. Times are made serial
 * numbers, so that a span's start says which call it is, whatever subroutine it has:
 *
 * - a call whose caller was kept must be in its caller;
 *
 * - any other must be in the nearest of its callers that was kept, or, where LOST events say that some are missing, in
 * a span that is flagged: cut, open at the end, or doubtful.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit/scan/compare.h"
#include "../unit/scan/streams.h"
#include "base/vec.h"
#include "stress/expect.h"
#include "stress/tracee.h"

#define TIMEOUT_MS 500000u
#define MAX_EVENTS 40000u
#define N_SEEDS 3u

/* A stream with serial numbers for times; of each call, that of its caller in the lossless run, 0 = none. */
struct truth {
    struct rv_event *events;
    size_t n;
    uint32_t *callers;
};

/* Counts of a run: is each span inside of its caller? */
struct parents {
    size_t n_kept;    /* calls whose caller was kept */
    size_t n_wrong;   /* of these, in another span */
    size_t n_nearest; /* calls whose caller was lost, in the nearest that was kept */
    size_t n_flagged; /* in a span that is not right, which is flagged */
    size_t n_silent;  /* in one that is not */
};

/* The last span seen at each depth, as spans are visited from the last that closed to the first. */
struct nest {
    const struct rv_span **around;
    uint64_t lowest; /* depth seen */
};

/* The nearest span around this one: at a lesser depth, and begun before it. */
static const struct rv_span *span_around(const struct nest *nest, const struct rv_span *span, uint64_t depth)
{
    while (depth-- > nest->lowest)
        if (nest->around[depth] && nest->around[depth]->start < span->start)
            return nest->around[depth];
    return NULL;
}

typedef void parent_fn(void *context, const struct rv_span *span, const struct rv_span *parent);

/* For every span whose call was seen. */
static void for_each_parent(const struct scanned *scanned, size_t n_events, parent_fn *visit, void *context)
{
    struct nest nest = {calloc(2 * n_events + 2, sizeof *nest.around), UINT64_MAX};
    for (size_t i = scanned->n; i-- > 0;) {
        const struct rv_span *span = &scanned->spans[i];
        uint64_t depth = (uint64_t)((int64_t)(int32_t)span->depth + (int64_t)n_events); /* orphans go below 0 */
        if (span->flags & RV_SPAN_ORPHAN)
            continue;
        nest.lowest = depth < nest.lowest ? depth : nest.lowest;
        visit(context, span, span_around(&nest, span, depth));
        nest.around[depth] = span;
    }
    free(nest.around);
}

static void keep_caller(void *context, const struct rv_span *span, const struct rv_span *parent)
{
    struct truth *truth = context;
    truth->callers[span->start] = parent ? (uint32_t)parent->start : 0;
}

static bool is_plain(const struct rv_event *event)
{
    return rv_event_kind(event) <= RV_EVENT_RETURN_AT;
}

static struct truth find_truth(const struct tracee_stream *stream)
{
    size_t n = stream->n < MAX_EVENTS ? stream->n : MAX_EVENTS;
    struct truth truth = {rv_alloc(n + 1, sizeof *truth.events), 0, rv_alloc(n + 2, sizeof *truth.callers)};
    for (size_t i = 0; i < n; i++) {
        struct rv_event event = stream->events[i];
        uint64_t kind = is_plain(&event) ? rv_event_kind(&event) & 1 : rv_event_kind(&event);
        event.when = kind << RV_EVENT_KIND_SHIFT | (truth.n + 1);
        truth.events[truth.n++] = event;
    }
    struct scanned lossless = scan_serially(truth.events, truth.n);
    expect(lossless.counts.n_orphans == 0, "returns without a call, nothing lost", lossless.counts.n_orphans, 0);
    for_each_parent(&lossless, truth.n, keep_caller, &truth);
    scanned_free(&lossless);
    return truth;
}

struct drop {
    uint32_t percent;
    bool has_marks;
    uint64_t seed;
};

struct run {
    const struct truth *truth;
    struct rv_event *events;
    size_t n;
    bool *is_kept; /* by serial number */
    struct parents parents;
};

/* A ring writes its LOST event ahead of the next one that it takes, with the time of the first that it did not. */
static void drop_events(struct run *run, const struct drop *drop)
{
    uint64_t random = drop->seed, lost_ticks = 0;
    uint32_t n_lost = 0;
    for (size_t i = 0; i < run->truth->n; i++) {
        struct rv_event event = run->truth->events[i];
        bool is_call_or_return = rv_event_kind(&event) <= RV_EVENT_RETURN;
        if (is_call_or_return && random_below(&random, 100) < drop->percent) {
            lost_ticks = n_lost++ ? lost_ticks : rv_event_ticks(&event);
            continue;
        }
        if (n_lost && drop->has_marks)
            run->events[run->n++] =
                (struct rv_event){.when = (uint64_t)RV_EVENT_LOST << RV_EVENT_KIND_SHIFT | lost_ticks, .id = n_lost};
        n_lost = 0;
        run->is_kept[rv_event_ticks(&event)] = true;
        run->events[run->n++] = event;
    }
}

static void judge_parent(void *context, const struct rv_span *span, const struct rv_span *parent)
{
    struct run *run = context;
    struct parents *parents = &run->parents;
    uint32_t caller = run->truth->callers[span->start], shown = parent ? (uint32_t)parent->start : 0;
    bool is_caller_kept = caller && run->is_kept[caller];
    parents->n_kept += is_caller_kept;
    while (caller && !run->is_kept[caller])
        caller = run->truth->callers[caller];
    if (shown == caller)
        parents->n_nearest += !is_caller_kept;
    else if (is_caller_kept)
        parents->n_wrong++;
    if (shown == caller)
        return;
    if (parent && parent->flags & (RV_SPAN_CUT | RV_SPAN_OPEN | RV_SPAN_DOUBTFUL))
        parents->n_flagged++;
    else
        parents->n_silent++;
}

static void check_drops(const struct truth *truth, const struct drop *drop, struct parents *sum)
{
    struct run run = {
        .truth = truth,
        .events = rv_alloc(2 * truth->n + 1, sizeof *run.events),
        .is_kept = rv_alloc(truth->n + 2, sizeof *run.is_kept),
    };
    drop_events(&run, drop);
    struct scanned serial = scan_serially(run.events, run.n);
    struct cutting cutting = {.kernel = rv_scan_best_kernel(), .block_events = 1 + (uint32_t)drop->seed * 1000};
    struct scanned blocks = scan_in_blocks(run.events, run.n, &cutting);
    expect(scanned_is_equal(&serial, &blocks), "blocks unlike the oracle", drop->percent, 0);
    for_each_parent(&blocks, truth->n, judge_parent, &run);
    sum->n_kept += run.parents.n_kept;
    sum->n_wrong += run.parents.n_wrong;
    sum->n_nearest += run.parents.n_nearest;
    sum->n_flagged += run.parents.n_flagged;
    sum->n_silent += run.parents.n_silent;
    scanned_free(&serial);
    scanned_free(&blocks);
    free(run.events);
    free(run.is_kept);
}

static void check_streams(const struct truth *truths, size_t n, bool has_handlers)
{
    static const uint32_t percents[] = {1, 25, 99};
    for (size_t p = 0; p < sizeof percents / sizeof *percents; p++)
        for (int has_marks = 0; has_marks < 2; has_marks++) {
            struct parents sum = {0};
            for (size_t i = 0; i < n; i++)
                for (uint64_t seed = 1; seed <= N_SEEDS; seed++)
                    check_drops(&truths[i], &(struct drop){percents[p], has_marks, seed}, &sum);
            printf("%2u %% lost, %s LOST: caller kept %zu, wrong %zu; caller lost: in the nearest %zu, "
                   "in a flagged one %zu, in another %zu\n",
                   percents[p], has_marks ? "with" : "without", sum.n_kept, sum.n_wrong, sum.n_nearest, sum.n_flagged,
                   sum.n_silent);
            expect(sum.n_wrong == 0 || has_handlers, "calls outside their caller", sum.n_wrong, 0);
            if (has_marks)
                expect(sum.n_silent == 0, "calls in an unflagged span that is not theirs", sum.n_silent, 0);
            expect(sum.n_kept > 0, "calls", sum.n_kept, 1);
        }
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    struct tracee tracee;
    tracee_open(&tracee, &(struct rv_map_params){.policy = RV_POLICY_BLOCK});
    tracee_start(&tracee, (const char *const *)argv + 3, strcmp(argv[1], "-") ? argv[1] : NULL, -1);
    expect(tracee_drain(&tracee, TIMEOUT_MS), "ended in time", 0, 1);
    struct truth *truths = rv_alloc(tracee.n_streams + 1, sizeof *truths);
    size_t n_events = 0;
    for (size_t i = 0; i < tracee.n_streams; i++) {
        truths[i] = find_truth(&tracee.streams[i]);
        n_events += truths[i].n;
    }
    printf("%zu events of %zu threads\n", n_events, tracee.n_streams);
    check_streams(truths, tracee.n_streams, strchr(argv[2], 'h') != NULL);
    for (size_t i = 0; i < tracee.n_streams; i++) {
        free(truths[i].events);
        free(truths[i].callers);
    }
    free(truths);
    tracee_close(&tracee);
    return expect_n_failures() != 0;
}
