/* Several threads read an indexed recording, some by pieces; most are cancelled half-way while another thread views windows. Then
 * one reader of each kind must give every call once, and one is cancelled by the end of the session. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/vec.h"
#include "model/span_iter.h"
#include "pipeline/piece_reader.h"
#include "pipeline/session.h"
#include "source/recording_on_demand.h"

#include "../unit/pipeline/recorded.h"

#define SECOND_NS UINT64_C(1000000000)

enum { N_THREADS = 3, N_READERS = 8, N_LOOKS = 30 };

struct asker {
    pthread_t thread;
    struct rv_session *session;
    uint64_t from_ns[N_READERS], to_ns[N_READERS];
    unsigned n_parts[N_READERS]; /* after which it is given up */
    uint64_t n_in_pieces;        /* calls of the first lane */
    unsigned n_wrong;
};

/* Take up to `most` parts. No edge may be before the previous one, and each lane has to go on where its last part ended.
 * Returns the number of parts. */
static unsigned take(struct rv_span_reader *reader, bool is_backward, unsigned most, uint64_t *n_calls,
                     unsigned *n_wrong)
{
    unsigned n = 0;
    struct rv_span_part part, before = {0};
    for (uint64_t edge_ns = rv_span_reader_edge_ns(reader); n < most; n++) {
        enum rv_span_reader_status status = rv_span_reader_take(reader, 300 * SECOND_NS, &part);
        if (status != RV_SPAN_READER_PART) {
            *n_wrong += status == RV_SPAN_READER_LATER;
            break;
        }
        uint64_t next_ns = rv_span_reader_edge_ns(reader);
        *n_wrong += is_backward ? next_ns > edge_ns : next_ns < edge_ns;
        edge_ns = next_ns;
        if (part.to_ns > part.from_ns) {
            *n_wrong += before.to_ns && (is_backward ? part.to_ns != before.from_ns : part.from_ns != before.to_ns);
            before = part;
        }
        for (size_t i = 0; i < part.n_lanes; i++)
            *n_calls += rv_timeline_n_spans(part.lanes[i].calls);
        rv_span_part_fini(&part);
    }
    return n;
}

/* Several workers at a time. */
static void count_piece(void *taker, const struct rv_span_piece *piece)
{
    atomic_ullong *n = taker;
    for (size_t i = 0; i < piece->n; i++)
        if (!(piece->spans[i].flags & RV_SPAN_OPEN)) /* it ends in a later one */
            atomic_fetch_add_explicit(n, 1, memory_order_relaxed);
}

static uint64_t n_in_pieces(struct rv_session *session)
{
    atomic_ullong n = 0;
    const struct rv_piece_reader_params params = {
        .lane = rv_lanes_get(rv_session_lanes(session), 0), .to_ns = UINT64_MAX, .take = count_piece, .taker = &n};
    return rv_session_read_pieces(session, &params) ? atomic_load(&n) : 0;
}

static void *ask(void *context)
{
    struct asker *asker = context;
    uint64_t n_calls = 0;
    asker->n_wrong += n_in_pieces(asker->session) != asker->n_in_pieces;
    for (unsigned i = 0; i < N_READERS; i++) {
        struct rv_span_reader_params params = {
            .from_ns = asker->from_ns[i], .to_ns = asker->to_ns[i], .is_backward = i % 2};
        struct rv_span_reader *reader = rv_session_read(asker->session, &params);
        (void)take(reader, params.is_backward, asker->n_parts[i], &n_calls, &asker->n_wrong);
        rv_span_reader_close(reader);
    }
    return NULL;
}

static void *ask_until_the_end(void *context)
{
    struct asker *asker = context;
    uint64_t n_calls = 0;
    for (bool is_over = false; !is_over;) {
        struct rv_span_reader *reader =
            rv_session_read(asker->session, &(struct rv_span_reader_params){.to_ns = UINT64_MAX});
        uint64_t n_before = n_calls;
        (void)take(reader, false, UINT32_MAX, &n_calls, &asker->n_wrong);
        is_over = n_calls == n_before;
        rv_span_reader_close(reader);
    }
    return NULL;
}

static uint64_t n_in_lanes(struct rv_lanes *lanes)
{
    enum { PIECE = 4096 };
    static struct rv_box boxes[PIECE];
    uint64_t n = 0;
    for (size_t i = 0; i < rv_lanes_n(lanes); i++) {
        struct rv_lane *lane = rv_lanes_get(lanes, i);
        struct rv_span_iter walk = {.n_missed = 0};
        pthread_rwlock_wrlock(&lane->lock);
        for (size_t n_more = PIECE; n_more == PIECE; n += n_more)
            n_more = rv_span_iter_next(&walk, lane->timeline, boxes, PIECE);
        pthread_rwlock_unlock(&lane->lock);
    }
    return n;
}

static unsigned ask_at_once(struct rv_session *session)
{
    struct asker askers[N_THREADS] = {{.session = NULL}};
    uint64_t first_ns, last_ns;
    const uint64_t n_calls = n_in_pieces(session);
    unsigned n_wrong = !rv_lanes_bounds(rv_session_lanes(session), &first_ns, &last_ns) + (n_calls == 0);
    for (unsigned i = 0; i < N_THREADS; i++) {
        askers[i].session = session;
        askers[i].n_in_pieces = n_calls;
        for (unsigned k = 0; k < N_READERS; k++) {
            askers[i].from_ns[k] = first_ns + recorded_draw(last_ns - first_ns);
            askers[i].to_ns[k] = askers[i].from_ns[k] + 1 + recorded_draw(last_ns - first_ns);
            askers[i].n_parts[k] = (unsigned)recorded_draw(8);
        }
        pthread_create(&askers[i].thread, NULL, ask, &askers[i]);
    }
    for (unsigned i = 0; i < N_LOOKS; i++) {
        uint64_t from_ns = first_ns + recorded_draw(last_ns - first_ns);
        (void)rv_session_want(session, from_ns, from_ns + 1000000, 0);
        usleep(1000); /* pages may come meanwhile; nothing waits for them */
    }
    for (unsigned i = 0; i < N_THREADS; i++) {
        pthread_join(askers[i].thread, NULL);
        n_wrong += askers[i].n_wrong;
    }
    return n_wrong;
}

static unsigned count_all(struct rv_session *session)
{
    struct rv_session_counts counts;
    unsigned n_wrong = 0;
    uint64_t n_calls = n_in_lanes(rv_session_lanes(session));
    struct rv_span_reader *reader = rv_session_read(session, &(struct rv_span_reader_params){.to_ns = UINT64_MAX});
    (void)take(reader, false, UINT32_MAX, &n_calls, &n_wrong);
    rv_span_reader_close(reader);
    rv_session_counts(session, &counts);
    if (n_calls != counts.n_spans)
        fprintf(stderr, "%llu calls, of %llu\n", (unsigned long long)n_calls, (unsigned long long)counts.n_spans);
    return n_wrong + (n_calls != counts.n_spans);
}

int main(void)
{
    char path[] = "/tmp/ringviz-survey-XXXXXX";
    int fd = mkstemp(path);
    struct rv_source *source;
    if (fd < 0)
        return 1;
    close(fd);
    recorded_make(path,
                  &(struct recorded_params){.n_events = {250000, 150000, 3000, 1}, .step_ns = {40, 90, 9000, 10}});
    if (rv_recording_on_demand_open(&source, path, 0) != 0 || !source)
        return 1;
    struct rv_session *session = rv_session_start(&(struct rv_session_params){.n_workers = 2}, source);
    unsigned n_wrong = !rv_session_wait(session, 300 * SECOND_NS);
    n_wrong += ask_at_once(session);
    n_wrong += count_all(session);
    struct asker last = {.session = session};
    pthread_create(&last.thread, NULL, ask_until_the_end, &last);
    rv_session_stop(session);
    pthread_join(last.thread, NULL);
    n_wrong += last.n_wrong;
    rv_session_destroy(session);
    unlink(path);
    if (n_wrong)
        fprintf(stderr, "%u things went wrong\n", n_wrong);
    return n_wrong > 0;
}
