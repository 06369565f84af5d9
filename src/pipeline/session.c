#include "pipeline/session.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/vec.h"
#include "stream/queue.h"
#include "pipeline/batch_pool.h"
#include "pipeline/delivery.h"
#include "pipeline/fold_reader.h"
#include "pipeline/history_on_disk.h"
#include "pipeline/history_blocks.h"
#include "pipeline/memory_limit.h"
#include "pipeline/page_loader.h"
#include "pipeline/piece_reader.h"
#include "pipeline/waits_on_demand.h"
#include "pipeline/stream_table.h"

/* With full batches: one is scanned, the next waits; and one more is being filled. */
enum { JOBS_PER_WORKER = 2, MAX_WORKERS = 64 };

static const uint64_t NAMING_INTERVAL_NS = 50000000;
static const uint64_t REST_NS = 10000000; /* longest rest of a RESTING source until it notices a stop */

struct worker {
    struct rv_session *session;
    pthread_t thread;
    struct rv_delivery delivery;
};

struct rv_session {
    /* constant after the start */
    struct rv_session_params params;
    struct rv_source *source;
    struct rv_intake intake;
    struct rv_page_loader page_loader;
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    struct rv_waits *waits;
    struct rv_flows *flows;
    struct worker *workers;
    unsigned n_workers;
    struct rv_batch_pool jobs;
    struct rv_stream_table stream_table;
    enum rv_scan_kernel kernel;
    uint32_t n_opened;       /* drain thread: streams so far */
    struct rv_queue *filled; /* jobs on their way to the workers */
    pthread_t drain, naming;
    _Atomic bool is_stopping; /* the source is to end */
    _Atomic bool is_closing;  /* nothing that it delivered is shown any longer */
    _Atomic uint64_t n_open;  /* open calls of all streams */
    struct rv_memory_limit memory;
    _Atomic int error;
    /* under lock */
    pthread_mutex_t lock;
    pthread_cond_t has_news; /* the source is drained; the session is done */
    uint64_t drain_ns, n_batches;
    uint64_t n_coming;                  /* jobs of streams, not of pages, that are not joined yet */
    struct rv_block_join_counts closed; /* of streams that have ended */
    bool has_drained, is_resting, is_done;
};

/* ---- the drain thread's side: an intake ---- */

static void open_in_sinks(const struct rv_session *session, const struct rv_stream *stream)
{
    for (size_t i = 0; i < session->params.n_sinks; i++)
        if (session->params.sinks[i].open)
            session->params.sinks[i].open(session->params.sinks[i].context, stream->number, &stream->info);
}

static void *open_stream(void *context, const struct rv_stream_info *info)
{
    struct rv_session *session = context;
    struct rv_stream *stream = rv_stream_table_take(&session->stream_table);
    rv_stream_begin(stream, session->lanes, info, session->n_opened++);
    rv_stream_table_list(&session->stream_table, stream);
    open_in_sinks(session, stream);
    return stream;
}

static void rename_stream(void *context, void *stream, const char *thread_name)
{
    (void)context;
    rv_stream_rename(stream, thread_name);
}

static void name_outside(void *context, uint32_t tid, const char *name)
{
    const struct rv_session *session = context;
    rv_lanes_name_outside(session->lanes, tid, name);
}

/* Not while some of them are on their way to the lanes. */
static void know_until(void *context, uint64_t ns)
{
    struct rv_session *session = context;
    pthread_mutex_lock(&session->lock);
    const bool is_all_there = session->n_coming == 0;
    pthread_mutex_unlock(&session->lock);
    if (is_all_there)
        rv_lanes_know_until(session->lanes, ns);
}

static void account_stream(void *context, void *handle, const struct rv_stream_account *account)
{
    (void)context;
    struct rv_stream *stream = handle;
    pthread_mutex_lock(&stream->lock);
    stream->account = *account;
    pthread_mutex_unlock(&stream->lock);
}

static struct rv_batch *acquire_batch(void *context)
{
    struct rv_session *session = context;
    struct rv_job *job = rv_batch_pool_borrow(&session->jobs);
    if (!job)
        rv_queue_wake(session->filled);
    return job ? &job->batch : NULL;
}

static void submit_batch(void *context, struct rv_batch *batch)
{
    struct rv_session *session = context;
    struct rv_job *job = (struct rv_job *)batch;
    if (batch->n == 0 && !job->closes_stream) {
        rv_batch_pool_release(&session->jobs, job);
        return;
    }
    struct rv_job_order *order = batch->stream;
    pthread_mutex_lock(&session->lock);
    session->n_coming += !order->page;
    pthread_mutex_unlock(&session->lock);
    const bool is_short = batch->n < RV_BATCH_POOL_SHORT && !order->page;
    if (is_short)
        job = rv_batch_pool_shorten(&session->jobs, job);
    rv_job_order_add(order, job);
    if (is_short) /* waits for the others of its turn: waking a worker takes longer than scanning it */
        rv_queue_put(session->filled, job);
    else
        rv_queue_push(session->filled, job);
}

static void close_stream(void *context, void *stream, uint64_t end_ns)
{
    struct rv_session *session = context;
    struct rv_job *job;
    while (!(job = rv_batch_pool_borrow(&session->jobs)))
        ;
    job->batch.stream = stream;
    job->closes_stream = true;
    job->end_ns = end_ns;
    submit_batch(session, &job->batch);
}

static void define(void *context, const struct rv_definition *definitions, size_t n)
{
    struct rv_session *session = context;
    for (size_t i = 0; i < n; i++)
        rv_subroutines_define(session->subroutines, definitions[i].id, definitions[i].package, definitions[i].name,
                              definitions[i].file, definitions[i].line_form);
    for (size_t i = 0; i < session->params.n_sinks; i++) {
        const struct rv_sink *sink = &session->params.sinks[i];
        if (sink->define)
            sink->define(sink->context, definitions, n);
    }
}

static void summarize(void *context, void *stream, const struct rv_block_summary *summary)
{
    struct rv_session *session = context;
    rv_page_loader_summarize(&session->page_loader, &session->workers[0].delivery, stream, summary);
}

static void add_total(void *context, const struct rv_call_total *total)
{
    rv_page_loader_add_total(&((struct rv_session *)context)->workers[0].delivery, total);
}

static void add_waiter(void *context, void *stream, const struct rv_waiter_summary *waiter)
{
    const struct rv_session *session = context;
    if (session->waits)
        rv_waits_on_demand_add(session->waits, stream, waiter);
}

static bool take_request(void *context, struct rv_page_request *request)
{
    return rv_page_loader_take(&((struct rv_session *)context)->page_loader, request);
}

static void *open_page(void *context, const struct rv_page_request *request, uint32_t entry_stack)
{
    struct rv_session *session = context;
    return rv_page_loader_open(&session->page_loader, request, entry_stack, session->jobs.n);
}

static void add_page_stack(void *context, void *page, const struct rv_page_stack *stack)
{
    (void)context;
    rv_pending_page_add_stack(page, stack);
}

static void miss_page(void *context, const struct rv_page_request *request)
{
    rv_page_loader_miss(&((struct rv_session *)context)->page_loader, request);
}

static const struct rv_intake_pages PAGES = {summarize, add_total,      add_waiter, take_request,
                                             open_page, add_page_stack, miss_page};

static bool is_stopping(void *context)
{
    const struct rv_session *session = context;
    return atomic_load_explicit(&session->is_stopping, memory_order_relaxed) || rv_memory_is_short();
}

/* ---- threads ---- */

static bool is_closing(const struct rv_session *session)
{
    return atomic_load_explicit(&session->is_closing, memory_order_relaxed);
}

/* The program has ended, but its history is still shown. */
static void keep_history(struct rv_session *session)
{
    if (!session->params.history)
        return;
    while (!is_closing(session))
        rv_os_sleep_ns(REST_NS);
    rv_history_end(session->params.history);
}

static void *run_drain(void *context)
{
    struct rv_session *session = context;
    for (;;) {
        enum rv_source_status status = session->source->poll(session->source, &session->intake);
        rv_queue_wake(session->filled);
        pthread_mutex_lock(&session->lock);
        session->drain_ns = rv_clock_thread_cpu_ns();
        session->has_drained = status == RV_SOURCE_ENDED;
        bool is_news = session->has_drained || (status == RV_SOURCE_RESTING && !session->is_resting);
        session->is_resting |= status == RV_SOURCE_RESTING;
        if (is_news)
            pthread_cond_broadcast(&session->has_news);
        pthread_mutex_unlock(&session->lock);
        if (status == RV_SOURCE_ENDED)
            break;
        if (status == RV_SOURCE_RESTING)
            rv_page_loader_await(&session->page_loader, rv_clock_mono_ns() + REST_NS);
        else
            session->source->nap(session->source);
    }
    keep_history(session);
    rv_page_loader_end(&session->page_loader);
    rv_queue_close(session->filled);
    return NULL;
}

static void count_batches(struct rv_session *session, bool is_page, uint64_t n)
{
    pthread_mutex_lock(&session->lock);
    session->n_batches += n;
    session->n_coming -= is_page ? 0 : n;
    if (session->n_coming == 0 && session->has_drained)
        pthread_cond_broadcast(&session->has_news);
    pthread_mutex_unlock(&session->lock);
}

static void count_closed(struct rv_session *session, const struct rv_stream *stream)
{
    struct rv_block_join_counts counts;
    rv_block_join_counts(stream->tracks.carry, &counts);
    pthread_mutex_lock(&session->lock);
    session->closed.n_cut += counts.n_cut;
    session->closed.n_orphans += counts.n_orphans;
    session->closed.n_doubtful += counts.n_doubtful;
    pthread_mutex_unlock(&session->lock);
}

static void limit_open(struct rv_session *session)
{
    const uint64_t most = rv_memory_limit_open_calls(session->memory.bytes);
    if (atomic_load_explicit(&session->n_open, memory_order_relaxed) <= most ||
        atomic_exchange_explicit(&session->error, -ENOMEM, memory_order_relaxed))
        return;
    (void)rv_err(ENOMEM, "more than %llu calls are open at once: use a larger --memory", (unsigned long long)most);
    rv_session_stop(session);
}

/* Its last job is joined. */
static void end_stream(struct rv_session *session, struct rv_stream *stream)
{
    count_closed(session, stream);
    rv_stream_table_unlist(&session->stream_table, stream);
    rv_page_loader_forget(&session->page_loader, stream);
    rv_stream_table_put(&session->stream_table, stream);
}

static void scan(struct worker *worker, struct rv_job *job)
{
    uint64_t began_ns = rv_delivery_cpu_ns(&worker->delivery);
    struct rv_block_input input = rv_job_input(job);
    rv_batch_pool_give_block(&worker->session->jobs, job);
    rv_block_scan(job->block, &input, worker->session->kernel);
    worker->delivery.scan_ns += rv_delivery_cpu_ns(&worker->delivery) - began_ns;
}

/* Pages have a memory limit of their own. */
static void join(struct worker *worker, struct rv_job_order *order, struct rv_job *job)
{
    struct rv_session *session = worker->session;
    if (order->page) {
        rv_delivery_join_page(&worker->delivery, order->page, job);
        return;
    }
    const uint64_t n_spans = rv_delivery_join(&worker->delivery, (struct rv_stream *)order, job);
    if (!session->params.leaves_calls)
        rv_memory_limit_count(&session->memory, n_spans);
    limit_open(session);
}

static void *run_worker(void *context)
{
    struct worker *worker = context;
    struct rv_session *session = worker->session;
    for (struct rv_job *job; (job = rv_queue_pop(session->filled));) {
        struct rv_job_order *order = job->batch.stream;
        if (!job->closes_stream)
            scan(worker, job);
        if (!rv_job_order_put(order, job))
            continue;
        bool is_last = false, is_page = order->page;
        uint64_t n_joined = 0;
        while ((job = rv_job_order_take(order))) {
            is_last = job->closes_stream;
            join(worker, order, job);
            n_joined++;
            rv_batch_pool_release(&session->jobs, job);
        }
        if (is_last && is_page)
            rv_page_loader_publish(&session->page_loader, order->page);
        else if (is_last)
            end_stream(session, (struct rv_stream *)order);
        count_batches(session, is_page, n_joined);
    }
    return NULL;
}

static bool has_drained(struct rv_session *session)
{
    pthread_mutex_lock(&session->lock);
    bool has = session->has_drained;
    pthread_mutex_unlock(&session->lock);
    return has;
}

/* Every batch of the source is in the model. */
static void await_joined(struct rv_session *session)
{
    pthread_mutex_lock(&session->lock);
    while (session->n_coming > 0)
        pthread_cond_wait(&session->has_news, &session->lock);
    pthread_mutex_unlock(&session->lock);
}

static void begin_sinks(const struct rv_session *session)
{
    for (size_t i = 0; i < session->params.n_sinks; i++)
        if (session->params.sinks[i].begin)
            session->params.sinks[i].begin(session->params.sinks[i].context, session->source->origin_ns);
}

static void tell_silent(const struct rv_session *session)
{
    struct rv_silent_threads silent;
    rv_session_silent(session, &silent);
    for (size_t i = 0; i < session->params.n_sinks && silent.n_threads; i++)
        if (session->params.sinks[i].silent)
            session->params.sinks[i].silent(session->params.sinks[i].context, &silent);
    rv_silent_threads_fini(&silent);
}

static void tell_outside(const struct rv_session *session)
{
    size_t n;
    struct rv_outside_thread *all = rv_lanes_take_outside(session->lanes, &n);
    for (size_t i = 0; i < session->params.n_sinks && n; i++)
        if (session->params.sinks[i].outside)
            session->params.sinks[i].outside(session->params.sinks[i].context, all, n);
    free(all);
}

static void end_sinks(struct rv_session *session)
{
    if (session->params.n_sinks == 0)
        return;
    tell_silent(session);
    tell_outside(session);
    struct rv_stats *totals = rv_session_stats(session);
    for (size_t i = 0; i < session->params.n_sinks; i++)
        if (session->params.sinks[i].end)
            session->params.sinks[i].end(session->params.sinks[i].context, totals);
    rv_stats_destroy(totals);
}

/* The last blocks are listed when the recording has ended. */
static void await_history(struct rv_session *session)
{
    while (session->params.history && !rv_history_is_listed(session->params.history) && !is_closing(session))
        rv_os_sleep_ns(REST_NS / 10);
}

/* The naming thread: names while the program runs, the memory limit, and the end of the session. */
static void *run_naming(void *context)
{
    struct rv_session *session = context;
    while (!has_drained(session)) {
        session->source->resolve(session->source, &session->intake, false);
        rv_memory_limit_check(&session->memory);
        pthread_mutex_lock(&session->lock);
        uint64_t end_ns = rv_clock_mono_ns() + NAMING_INTERVAL_NS;
        while (!session->has_drained && rv_os_wait_until(&session->has_news, &session->lock, end_ns))
            ;
        pthread_mutex_unlock(&session->lock);
    }
    await_joined(session);
    session->source->resolve(session->source, &session->intake, true);
    end_sinks(session);
    await_history(session);
    rv_memory_limit_check(&session->memory);
    pthread_mutex_lock(&session->lock);
    session->is_done = true;
    pthread_cond_broadcast(&session->has_news);
    pthread_mutex_unlock(&session->lock);
    return NULL;
}

/* ---- life ---- */

static void init_params(struct rv_session *session, const struct rv_session_params *params)
{
    session->params = *params;
    unsigned n_cpus = rv_os_n_cpus();
    if (session->params.n_workers == 0)
        session->params.n_workers = n_cpus > 1 && !session->source->is_on_demand ? n_cpus - 1 : n_cpus;
    if (session->params.n_workers > MAX_WORKERS)
        session->params.n_workers = MAX_WORKERS;
    session->kernel = params->has_kernel ? params->kernel : rv_scan_best_kernel();
}

struct rv_session *rv_session_start(const struct rv_session_params *params, struct rv_source *source)
{
    struct rv_session *session = rv_alloc(1, sizeof *session);
    session->source = source;
    init_params(session, params);
    session->n_workers = session->params.n_workers;
    session->lanes = rv_lanes_create();
    const uint64_t bytes =
        params->memory_bytes ? params->memory_bytes : rv_memory_limit_default(params->history != NULL);
    rv_memory_limit_init(&session->memory, bytes, session->lanes);
    if (params->leaves_calls)
        rv_lanes_leave_calls(session->lanes);
    if (params->keeps_stretches)
        rv_lanes_keep_stretches(session->lanes);
    if (params->keeps_notes)
        rv_lanes_keep_notes(session->lanes);
    if (!params->leaves_calls && !source->is_on_demand) /* whose events are read for a window's pages only */
        rv_lanes_keep_objects(session->lanes);
    session->subroutines = rv_subroutines_create();
    if (params->joins_lines)
        rv_subroutines_join_lines(session->subroutines);
    if (params->keeps_waits)
        session->waits = rv_waits_create(session->lanes, rv_memory_limit_waits(bytes));
    if (session->waits && source->read_waits)
        rv_waits_on_demand_serve(session->waits, source, false);
    session->flows = session->params.keeps_flows ? rv_flows_create() : NULL;
    session->intake =
        (struct rv_intake){session,      open_stream, rename_stream, account_stream, close_stream, acquire_batch,
                           submit_batch, is_stopping, define,        name_outside,   know_until,   &PAGES};
    rv_page_loader_init(&session->page_loader, rv_memory_limit_pages(bytes, params->history != NULL),
                        rv_memory_limit_block_list(bytes));
    if (params->history)
        rv_history_begin(params->history, session->lanes, session->waits, &session->page_loader, &session->intake);
    pthread_mutex_init(&session->lock, NULL);
    rv_os_init_condition(&session->has_news);
    rv_batch_pool_init(&session->jobs, (size_t)JOBS_PER_WORKER * session->n_workers + 1);
    rv_stream_table_init(&session->stream_table, session->jobs.n);
    session->filled = rv_queue_create(session->jobs.n);
    rv_lanes_set_begin(session->lanes, source->origin_ns + source->begin_ns);
    begin_sinks(session);
    session->workers = rv_alloc(session->n_workers, sizeof *session->workers);
    for (unsigned i = 0; i < session->n_workers; i++) {
        struct worker *worker = &session->workers[i];
        worker->session = session;
        worker->delivery =
            (struct rv_delivery){.params = &session->params,
                                 .origin_ns = source->origin_ns,
                                 .n_open = &session->n_open,
                                 .spans = {.origin_ns = source->origin_ns, .max_depth = session->params.max_depth},
                                 .stretches.disk.stays_in_memory = true,
                                 .subroutines = session->subroutines,
                                 .waits = session->waits,
                                 .flows = session->flows,
                                 .stats = rv_stats_create()};
        rv_stats_await_names(worker->delivery.stats);
        pthread_mutex_init(&worker->delivery.lock, NULL);
        rv_os_start_thread(&worker->thread, run_worker, worker);
    }
    rv_os_start_thread(&session->drain, run_drain, session);
    rv_os_start_thread(&session->naming, run_naming, session);
    return session;
}

bool rv_session_is_done(struct rv_session *session)
{
    return rv_session_wait(session, 0);
}

bool rv_session_wait(struct rv_session *session, uint64_t timeout_ns)
{
    uint64_t end_ns = rv_clock_mono_ns() + timeout_ns;
    pthread_mutex_lock(&session->lock);
    while (!session->is_done && !session->is_resting && rv_os_wait_until(&session->has_news, &session->lock, end_ns))
        ;
    bool is_done = session->is_done || session->is_resting;
    pthread_mutex_unlock(&session->lock);
    return is_done;
}

void rv_session_stop(struct rv_session *session)
{
    atomic_store_explicit(&session->is_stopping, true, memory_order_relaxed);
}

void rv_session_destroy(struct rv_session *session)
{
    if (!session)
        return;
    rv_session_stop(session);
    atomic_store_explicit(&session->is_closing, true, memory_order_relaxed);
    pthread_join(session->naming, NULL);
    pthread_join(session->drain, NULL);
    for (unsigned i = 0; i < session->n_workers; i++)
        pthread_join(session->workers[i].thread, NULL);
    if (session->params.history && rv_history_is_stuck(session->params.history))
        return;
    session->source->close(session->source);
    for (unsigned i = 0; i < session->n_workers; i++)
        rv_delivery_fini(&session->workers[i].delivery);
    rv_stream_table_fini(&session->stream_table);
    rv_batch_pool_fini(&session->jobs);
    rv_page_loader_fini(&session->page_loader);
    rv_queue_destroy(session->filled);
    rv_waits_destroy(session->waits);
    rv_lanes_destroy(session->lanes);
    rv_subroutines_destroy(session->subroutines);
    rv_flows_destroy(session->flows);
    pthread_cond_destroy(&session->has_news);
    rv_memory_limit_fini(&session->memory);
    pthread_mutex_destroy(&session->lock);
    free(session->workers);
    free(session);
}

/* ---- what others read ---- */

int rv_session_error(struct rv_session *session)
{
    int error = atomic_load_explicit(&session->error, memory_order_relaxed);
    return error || !session->source->error ? error : session->source->error(session->source);
}

struct rv_lanes *rv_session_lanes(struct rv_session *session)
{
    return session->lanes;
}

struct rv_subroutines *rv_session_subroutines(struct rv_session *session)
{
    return session->subroutines;
}

bool rv_session_lacks_flows(const struct rv_session *session)
{
    return session->source->read_waits != NULL;
}

bool rv_session_lacks_waits(const struct rv_session *session)
{
    return session->source->lacks_waits;
}

struct rv_waits *rv_session_waits(struct rv_session *session)
{
    return session->waits;
}

uint64_t rv_session_most_fold_bytes(const struct rv_session *session)
{
    return rv_memory_limit_folds(session->memory.bytes);
}

struct rv_flows *rv_session_flows(struct rv_session *session)
{
    return session->flows;
}

size_t rv_session_want(struct rv_session *session, uint64_t from_ns, uint64_t to_ns, uint32_t level)
{
    return rv_page_loader_want(&session->page_loader, from_ns, to_ns, level);
}

bool rv_session_can_read(struct rv_session *session)
{
    return session->params.history || rv_session_is_done(session);
}

struct rv_span_reader *rv_session_read(struct rv_session *session, const struct rv_span_reader_params *params)
{
    return rv_span_reader_open(session ? &session->page_loader : NULL, params);
}

bool rv_session_read_pieces(struct rv_session *session, const struct rv_piece_reader_params *params)
{
    return rv_piece_reader_read(&(struct rv_piece_reader){.page_loader = &session->page_loader,
                                                          .source = session->source,
                                                          .n_threads = session->n_workers,
                                                          .max_depth = session->params.max_depth},
                                params);
}

/* They are of all depths, in the recording's own time. */
void rv_session_read_folds(struct rv_session *session, uint64_t from_ns, uint64_t to_ns,
                           void (*take)(void *taker, const struct rv_lane *lane, const struct rv_fold_summary *fold),
                           void *taker)
{
    const struct rv_fold_reader reader = {&session->page_loader, session->source, from_ns, to_ns, take, taker};
    if (session->source->read_folds && !session->source->origin_ns && !session->params.max_depth)
        rv_fold_reader_read(&reader);
}

struct rv_stats *rv_session_stats(struct rv_session *session)
{
    struct rv_stats *merged = rv_stats_create();
    for (unsigned i = 0; i < session->n_workers; i++) {
        struct rv_delivery *delivery = &session->workers[i].delivery;
        pthread_mutex_lock(&delivery->lock);
        rv_delivery_learn_names(delivery);
        rv_stats_correct(delivery->stats);
        rv_stats_merge(merged, delivery->stats);
        pthread_mutex_unlock(&delivery->lock);
    }
    return merged;
}

uint64_t rv_session_calls_at_most(struct rv_session *session, uint32_t id, uint64_t duration_ns, uint64_t *n_calls)
{
    uint64_t n_below = 0;
    *n_calls = 0;
    for (unsigned i = 0; i < session->n_workers; i++) {
        struct rv_delivery *delivery = &session->workers[i].delivery;
        uint64_t n_here;
        pthread_mutex_lock(&delivery->lock);
        n_below += rv_stats_at_most(delivery->stats, id, duration_ns, &n_here);
        pthread_mutex_unlock(&delivery->lock);
        *n_calls += n_here;
    }
    return n_below;
}

uint64_t rv_session_range_bytes(const struct rv_session *session)
{
    return rv_memory_limit_ranges(session ? session->memory.bytes : UINT64_MAX);
}

static void sum_workers(struct rv_session *session, struct rv_session_counts *counts)
{
    for (unsigned i = 0; i < session->n_workers; i++) {
        struct rv_delivery *delivery = &session->workers[i].delivery;
        pthread_mutex_lock(&delivery->lock);
        counts->n_spans += delivery->counts.n_spans;
        counts->n_switches += delivery->counts.n_switches;
        counts->scan_ns += delivery->counts.scan_ns;
        counts->carry_ns += delivery->counts.carry_ns;
        counts->timeline_ns += delivery->counts.timeline_ns;
        counts->stats_ns += delivery->counts.stats_ns;
        pthread_mutex_unlock(&delivery->lock);
    }
}

void rv_session_counts(struct rv_session *session, struct rv_session_counts *counts)
{
    *counts = (struct rv_session_counts){0};
    sum_workers(session, counts);
    counts->n_pages = rv_page_loader_n_pages(&session->page_loader);
    counts->history_bytes = rv_history_blocks_bytes(&session->page_loader, &counts->n_history_streams);
    counts->has_lost_history = session->params.history && rv_history_has_failed(session->params.history);
    pthread_mutex_lock(&session->lock);
    counts->drain_ns = session->drain_ns;
    counts->n_batches = session->n_batches;
    counts->n_cut = session->closed.n_cut;
    counts->n_orphans = session->closed.n_orphans;
    counts->n_doubtful = session->closed.n_doubtful;
    pthread_mutex_unlock(&session->lock);
    struct rv_stream_account account = rv_stream_table_account(&session->stream_table);
    counts->n_produced = account.n_produced > counts->n_switches ? account.n_produced - counts->n_switches : 0;
    counts->n_consumed = account.n_consumed > counts->n_switches ? account.n_consumed - counts->n_switches : 0;
    counts->n_dropped = account.n_dropped;
}

static uint64_t count_switches_lost(struct rv_session *session)
{
    uint64_t n = 0;
    for (size_t i = 0; i < rv_lanes_n(session->lanes); i++) {
        struct rv_lane *lane = rv_lanes_get(session->lanes, i);
        pthread_rwlock_wrlock(&lane->lock);
        n += lane->n_switches_lost;
        pthread_rwlock_unlock(&lane->lock);
    }
    return n;
}

void rv_session_losses(struct rv_session *session, struct rv_losses *losses)
{
    *losses = (struct rv_losses){.n[RV_LOSS_EVENTS_DROPPED] = rv_stream_table_account(&session->stream_table).n_dropped,
                                 .n[RV_LOSS_SWITCHES] = count_switches_lost(session)};
    if (session->source->losses)
        session->source->losses(session->source, losses);
}

void rv_session_silent(const struct rv_session *session, struct rv_silent_threads *silent)
{
    *silent = (struct rv_silent_threads){0};
    if (session->source->silent)
        session->source->silent(session->source, silent);
}

bool rv_session_can_reopen(const struct rv_session *session)
{
    return session->params.history ? !rv_history_has_failed(session->params.history) : session->params.reopen != NULL;
}

struct rv_source *rv_session_reopen(struct rv_session *session)
{
    const struct rv_session_params *params = &session->params;
    if (!rv_session_can_reopen(session))
        return NULL;
    return params->history ? rv_history_reopen(params->history) : params->reopen(params->reopen_context);
}
