#include "import/event_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "base/vec.h"
#include "symbols/index.h"

enum { NAME_BYTES = 64, LABEL_BYTES = 4096, FULL_BUFFER = RV_BATCH_EVENTS };
/* A first time from here on does not leave enough room below the 2^60 ns of an event's time. */
static const int64_t FAR_NS = 1ll << 59;
static const int64_t HEADROOM_NS = 1ll << 58;

struct process {
    uint64_t pid;
    uint32_t parent_pid;
    char name[NAME_BYTES];
};

struct thread {
    uint64_t tid;
    uint32_t key_process, row; /* with tid: how it is found. row: more than one lane of one thread */
    uint32_t process;          /* that it belongs to */
    char name[NAME_BYTES];
    void *stream;   /* the pipeline's; NULL before the first flush */
    bool is_named;  /* since the stream was opened */
    uint32_t *open; /* ids of the open calls, outermost first */
    size_t n_open, open_capacity, n_too_deep;
    struct rv_event *events;
    size_t n_events, events_capacity;
    uint64_t last_ns, n_emitted;
};

struct rv_emitter {
    struct rv_filter *filter;
    const struct rv_intake *intake; /* between begin and end */
    struct rv_catalog *catalog;
    uint32_t n_defined;
    struct process *processes;
    size_t n_processes, processes_capacity;
    struct rv_index process_index, thread_index;
    struct thread *threads;
    size_t n_threads, threads_capacity;
    size_t n_buffered;
    bool has_time;
    int64_t origin_ns;
    uint64_t n_left_out;
    bool has_event; /* one at least, whether a filter lets it pass or not */
    char *label;    /* scratch of the interning: three escaped strings */
};

struct rv_emitter *rv_emitter_create(struct rv_filter *filter)
{
    struct rv_emitter *emitter = rv_alloc(1, sizeof *emitter);
    emitter->filter = filter;
    emitter->catalog = rv_catalog_create();
    emitter->label = rv_alloc(3, LABEL_BYTES);
    return emitter;
}

void rv_emitter_destroy(struct rv_emitter *emitter)
{
    if (!emitter)
        return;
    for (size_t i = 0; i < emitter->n_threads; i++) {
        free(emitter->threads[i].open);
        free(emitter->threads[i].events);
    }
    free(emitter->threads);
    free(emitter->processes);
    rv_index_fini(&emitter->process_index);
    rv_index_fini(&emitter->thread_index);
    rv_catalog_destroy(emitter->catalog);
    free(emitter->label);
    free(emitter);
}

/* ---- names ---- */

static const char *escape(struct rv_emitter *emitter, unsigned part, struct rv_emitter_text text)
{
    char *out = emitter->label + (size_t)part * LABEL_BYTES;
    rv_text_escape(out, LABEL_BYTES, text.n ? text.bytes : "", text.n);
    return out;
}

uint32_t rv_emitter_intern(struct rv_emitter *emitter, struct rv_emitter_text package, struct rv_emitter_text name,
                           struct rv_emitter_text file, uint32_t line)
{
    return rv_catalog_intern(emitter->catalog, escape(emitter, 0, package), escape(emitter, 1, name),
                             escape(emitter, 2, file), line);
}

struct rv_emitter_text rv_emitter_name(struct rv_emitter *emitter, uint32_t id)
{
    struct rv_catalog_name name;
    rv_catalog_name(emitter->catalog, id, &name);
    return (struct rv_emitter_text){name.name, strlen(name.name)};
}

static void copy_name(char out[NAME_BYTES], struct rv_emitter_text name)
{
    rv_text_escape(out, NAME_BYTES, name.n ? name.bytes : "", name.n);
}

void rv_emitter_name_process(struct rv_emitter *emitter, uint32_t process, struct rv_emitter_text name)
{
    if (process != RV_EMITTER_NONE)
        copy_name(emitter->processes[process].name, name);
}

void rv_emitter_name_thread(struct rv_emitter *emitter, uint32_t thread, struct rv_emitter_text name)
{
    if (thread == RV_EMITTER_NONE)
        return;
    copy_name(emitter->threads[thread].name, name);
    emitter->threads[thread].is_named = true;
}

void rv_emitter_set_parent(struct rv_emitter *emitter, uint32_t process, uint32_t parent_pid)
{
    if (process != RV_EMITTER_NONE)
        emitter->processes[process].parent_pid = parent_pid;
}

/* ---- processes and threads ---- */

static bool is_process(const void *context, uint32_t value, const void *key)
{
    const struct rv_emitter *emitter = context;
    return emitter->processes[value - 1].pid == *(const uint64_t *)key;
}

uint32_t rv_emitter_process(struct rv_emitter *emitter, uint64_t pid)
{
    uint64_t hash = rv_hash_u64(pid);
    uint32_t found = rv_index_find(&emitter->process_index, hash, is_process, emitter, &pid);
    if (found)
        return found - 1;
    if (emitter->n_processes == RV_EMITTER_THREADS)
        return RV_EMITTER_NONE;
    emitter->processes = rv_vec_reserve(emitter->processes, &emitter->processes_capacity, emitter->n_processes + 1,
                                        sizeof *emitter->processes);
    emitter->processes[emitter->n_processes++] = (struct process){.pid = pid};
    rv_index_put(&emitter->process_index, hash, (uint32_t)emitter->n_processes);
    return (uint32_t)emitter->n_processes - 1;
}

struct thread_key {
    uint64_t tid;
    uint32_t process, row;
};

static bool is_thread(const void *context, uint32_t value, const void *key)
{
    const struct thread *thread = &((const struct rv_emitter *)context)->threads[value - 1];
    const struct thread_key *wanted = key;
    return thread->tid == wanted->tid && thread->key_process == wanted->process && thread->row == wanted->row;
}

uint32_t rv_emitter_thread(struct rv_emitter *emitter, uint32_t process, uint64_t tid, uint32_t row)
{
    if (process == RV_EMITTER_NONE)
        return RV_EMITTER_NONE;
    struct thread_key key = {tid, process, row};
    uint64_t hash = rv_hash_combine(rv_hash_u64(tid), (uint64_t)process << 32 | row);
    uint32_t found = rv_index_find(&emitter->thread_index, hash, is_thread, emitter, &key);
    if (found)
        return found - 1;
    if (emitter->n_threads == RV_EMITTER_THREADS)
        return RV_EMITTER_NONE;
    emitter->threads =
        rv_vec_reserve(emitter->threads, &emitter->threads_capacity, emitter->n_threads + 1, sizeof *emitter->threads);
    emitter->threads[emitter->n_threads++] =
        (struct thread){.tid = tid, .key_process = process, .process = process, .row = row};
    rv_index_put(&emitter->thread_index, hash, (uint32_t)emitter->n_threads);
    return (uint32_t)emitter->n_threads - 1;
}

uint32_t rv_emitter_row(struct rv_emitter *emitter, uint32_t thread, uint32_t row, const char *word)
{
    const struct thread *first = &emitter->threads[thread];
    char name[2 * NAME_BYTES];
    int n = snprintf(name, sizeof name, "%.*s%s%s", NAME_BYTES / 2, first->name, *first->name ? " " : "", word);
    uint32_t process = first->process, found = rv_emitter_thread(emitter, first->key_process, first->tid, row);
    rv_emitter_name_thread(emitter, found, (struct rv_emitter_text){name, (size_t)n});
    rv_emitter_move_thread(emitter, found, process);
    return found;
}

uint32_t rv_emitter_thread_process(const struct rv_emitter *emitter, uint32_t thread)
{
    return thread < emitter->n_threads ? emitter->threads[thread].process : RV_EMITTER_NONE;
}

void rv_emitter_move_thread(struct rv_emitter *emitter, uint32_t thread, uint32_t process)
{
    if (thread == RV_EMITTER_NONE || process == RV_EMITTER_NONE || emitter->threads[thread].stream)
        return;
    emitter->threads[thread].process = process;
}

/* ---- time ---- */

void rv_emitter_see_time(struct rv_emitter *emitter, int64_t ns)
{
    if (!emitter->has_time && ns >= FAR_NS)
        emitter->origin_ns = ns - HEADROOM_NS;
    emitter->has_time = true;
}

bool rv_emitter_has_time(const struct rv_emitter *emitter)
{
    return emitter->has_time;
}

void rv_emitter_date(const struct rv_emitter *emitter, struct rv_source *source)
{
    if (!emitter->origin_ns)
        return;
    source->origin_ns = (uint64_t)emitter->origin_ns;
    source->mono_ns = (uint64_t)HEADROOM_NS;
    source->real_ns = source->origin_ns + source->mono_ns;
}

static uint64_t time_of(const struct rv_emitter *emitter, const struct thread *thread, int64_t ns)
{
    int64_t since_ns;
    if (__builtin_sub_overflow(ns, emitter->origin_ns, &since_ns) || since_ns < 0)
        since_ns = 0;
    if ((uint64_t)since_ns > RV_EVENT_TICKS_MASK)
        since_ns = (int64_t)RV_EVENT_TICKS_MASK;
    return (uint64_t)since_ns > thread->last_ns ? (uint64_t)since_ns : thread->last_ns;
}

/* ---- out ---- */

static void define_names(struct rv_emitter *emitter)
{
    const struct rv_intake *intake = emitter->intake;
    for (uint32_t n = rv_catalog_count(emitter->catalog); emitter->n_defined < n; emitter->n_defined++) {
        struct rv_catalog_name name;
        rv_catalog_name(emitter->catalog, emitter->n_defined + 1, &name);
        struct rv_definition definition = {emitter->n_defined + 1, name.package, name.name, name.file, name.line};
        intake->define(intake->context, &definition, 1);
    }
}

static void open_stream(struct rv_emitter *emitter, struct thread *thread)
{
    const struct rv_intake *intake = emitter->intake;
    const struct process *process = &emitter->processes[thread->process];
    thread->stream =
        intake->open_stream(intake->context, &(struct rv_stream_info){
                                                 .pid = (uint32_t)process->pid,
                                                 .parent_pid = process->parent_pid,
                                                 .tid = (uint32_t)thread->tid,
                                                 .process_key = thread->process,
                                                 .process_name = *process->name ? process->name : "process",
                                                 .thread_name = thread->name,
                                                 .tag_mode = RV_TAG_DEPTH,
                                                 .born_ns = rv_event_ticks(&thread->events[0]),
                                             });
    thread->is_named = false;
    thread->n_emitted = 0;
}

static struct rv_batch *wait_for_batch(const struct rv_intake *intake)
{
    struct rv_batch *batch;
    while (!(batch = intake->acquire_batch(intake->context)))
        ;
    return batch;
}

static void send_events(struct rv_emitter *emitter, struct thread *thread)
{
    const struct rv_intake *intake = emitter->intake;
    for (size_t i = 0; i < thread->n_events;) {
        struct rv_batch *batch = wait_for_batch(intake);
        batch->stream = thread->stream;
        batch->base_ns = rv_event_ticks(&thread->events[i]);
        for (; i < thread->n_events && batch->n < RV_BATCH_EVENTS &&
               rv_event_ticks(&thread->events[i]) - batch->base_ns < RV_BATCH_NS;
             i++)
            batch->events[batch->n++] = thread->events[i];
        thread->n_emitted += batch->n;
        rv_batch_seal(batch);
        intake->submit_batch(intake->context, batch);
    }
}

static void flush_thread(struct rv_emitter *emitter, struct thread *thread)
{
    const struct rv_intake *intake = emitter->intake;
    if (thread->stream && thread->is_named)
        intake->rename_stream(intake->context, thread->stream, thread->name);
    thread->is_named = false;
    if (thread->n_events == 0)
        return;
    define_names(emitter);
    if (!thread->stream)
        open_stream(emitter, thread);
    send_events(emitter, thread);
    emitter->n_buffered -= thread->n_events;
    thread->n_events = 0;
    intake->account_stream(intake->context, thread->stream,
                           &(struct rv_stream_account){thread->n_emitted, thread->n_emitted, 0});
}

void rv_emitter_begin(struct rv_emitter *emitter, const struct rv_intake *intake)
{
    emitter->intake = intake;
    emitter->has_time = true; /* the session has taken the origin */
}

void rv_emitter_end(struct rv_emitter *emitter)
{
    emitter->intake = NULL;
}

void rv_emitter_flush(struct rv_emitter *emitter)
{
    for (size_t i = 0; i < emitter->n_threads; i++) {
        struct thread *thread = &emitter->threads[i];
        flush_thread(emitter, thread);
        free(thread->events);
        thread->events = NULL;
        thread->events_capacity = 0;
    }
    define_names(emitter);
}

static void close_thread(struct rv_emitter *emitter, struct thread *thread)
{
    flush_thread(emitter, thread);
    if (thread->stream)
        emitter->intake->close_stream(emitter->intake->context, thread->stream, thread->last_ns);
    thread->stream = NULL;
    thread->n_open = thread->n_too_deep = 0;
}

void rv_emitter_close(struct rv_emitter *emitter)
{
    for (size_t i = 0; i < emitter->n_threads; i++)
        close_thread(emitter, &emitter->threads[i]);
    define_names(emitter);
}

void rv_emitter_end_thread(struct rv_emitter *emitter, uint32_t thread_idx, int64_t ns)
{
    if (thread_idx == RV_EMITTER_NONE)
        return;
    struct thread *thread = &emitter->threads[thread_idx];
    thread->last_ns = time_of(emitter, thread, ns);
    if (emitter->intake)
        close_thread(emitter, thread);
}

bool rv_emitter_is_empty(const struct rv_emitter *emitter)
{
    return !emitter->has_event;
}

void rv_emitter_leave_out(struct rv_emitter *emitter)
{
    emitter->n_left_out++;
}

uint64_t rv_emitter_n_left_out(const struct rv_emitter *emitter)
{
    return emitter->n_left_out;
}

/* ---- events ---- */

/* NULL, and counted, where there is no such thread. */
static struct thread *thread_of(struct rv_emitter *emitter, uint32_t thread_idx)
{
    if (thread_idx >= emitter->n_threads) {
        emitter->n_left_out++;
        return NULL;
    }
    emitter->has_event = true;
    return &emitter->threads[thread_idx];
}

static void add(struct rv_emitter *emitter, struct thread *thread, unsigned kind, int64_t ns, struct rv_event event)
{
    thread->last_ns = time_of(emitter, thread, ns);
    event.when = (uint64_t)kind << RV_EVENT_KIND_SHIFT | thread->last_ns;
    thread->events =
        rv_vec_reserve(thread->events, &thread->events_capacity, thread->n_events + 1, sizeof *thread->events);
    thread->events[thread->n_events++] = event;
    emitter->n_buffered++;
    if (!emitter->intake)
        return;
    if (thread->n_events >= FULL_BUFFER)
        flush_thread(emitter, thread);
    if (emitter->n_buffered >= RV_EMITTER_BUFFERED)
        rv_emitter_flush(emitter);
}

static bool passes(struct rv_emitter *emitter, uint32_t id)
{
    return !emitter->filter || rv_filter_has(emitter->filter, emitter->catalog, id);
}

void rv_emitter_call(struct rv_emitter *emitter, uint32_t thread_idx, int64_t ns, uint32_t id)
{
    struct thread *thread = thread_of(emitter, thread_idx);
    if (!thread)
        return;
    if (thread->n_open == RV_EMITTER_DEPTH) {
        thread->n_too_deep++;
        emitter->n_left_out++;
        return;
    }
    thread->open = rv_vec_reserve(thread->open, &thread->open_capacity, thread->n_open + 1, sizeof *thread->open);
    thread->open[thread->n_open++] = id;
    if (passes(emitter, id))
        add(emitter, thread, RV_EVENT_CALL, ns, (struct rv_event){.id = id, .frame = (uint16_t)(thread->n_open - 1)});
}

void rv_emitter_return(struct rv_emitter *emitter, uint32_t thread_idx, int64_t ns)
{
    struct thread *thread = thread_of(emitter, thread_idx);
    if (!thread || thread->n_open == 0)
        return;
    if (thread->n_too_deep) {
        thread->n_too_deep--;
        return;
    }
    uint32_t id = thread->open[--thread->n_open];
    if (passes(emitter, id))
        add(emitter, thread, RV_EVENT_RETURN, ns, (struct rv_event){.id = id, .frame = (uint16_t)thread->n_open});
}

void rv_emitter_return_alone(struct rv_emitter *emitter, uint32_t thread_idx, int64_t ns)
{
    struct thread *thread = thread_of(emitter, thread_idx);
    if (thread)
        add(emitter, thread, RV_EVENT_RETURN, ns, (struct rv_event){.frame = (uint16_t)thread->n_open});
}

void rv_emitter_return_from(struct rv_emitter *emitter, uint32_t thread_idx, int64_t ns, size_t depth)
{
    struct thread *thread = thread_of(emitter, thread_idx);
    if (!thread || depth >= thread->n_open)
        return;
    thread->n_too_deep = 0;
    if (passes(emitter, thread->open[depth]))
        thread->n_open = depth + 1; /* the tag of its return says the rest */
    while (thread->n_open > depth)
        rv_emitter_return(emitter, thread_idx, ns);
}

static void add_special(struct rv_emitter *emitter, uint32_t thread_idx, unsigned kind, int64_t ns,
                        struct rv_event event)
{
    struct thread *thread = thread_of(emitter, thread_idx);
    if (thread)
        add(emitter, thread, kind, ns, event);
}

void rv_emitter_mark(struct rv_emitter *emitter, uint32_t thread, int64_t ns, uint32_t id)
{
    add_special(emitter, thread, RV_EVENT_MARK, ns, (struct rv_event){.id = id});
}

void rv_emitter_value(struct rv_emitter *emitter, uint32_t thread, int64_t ns, uint32_t id, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    add_special(emitter, thread, RV_EVENT_VALUE, ns,
                (struct rv_event){.id = id, .frame = (uint16_t)bits, .aux = (uint16_t)(bits >> 16)});
}

void rv_emitter_state(struct rv_emitter *emitter, uint32_t thread, int64_t ns, enum rv_thread_state state)
{
    add_special(emitter, thread, RV_EVENT_THREAD, ns, (struct rv_event){.aux = (uint16_t)state});
}

void rv_emitter_gc(struct rv_emitter *emitter, uint32_t thread, int64_t ns, bool is_start)
{
    add_special(emitter, thread, is_start ? RV_EVENT_GC_START : RV_EVENT_GC_END, ns, (struct rv_event){.id = 0});
}

void rv_emitter_lost(struct rv_emitter *emitter, uint32_t thread, int64_t ns, uint32_t n)
{
    add_special(emitter, thread, RV_EVENT_LOST, ns, (struct rv_event){.id = n});
}

size_t rv_emitter_depth(const struct rv_emitter *emitter, uint32_t thread)
{
    return thread < emitter->n_threads ? emitter->threads[thread].n_open : 0;
}

const uint32_t *rv_emitter_stack(const struct rv_emitter *emitter, uint32_t thread)
{
    return thread < emitter->n_threads ? emitter->threads[thread].open : NULL;
}

void rv_emitter_sample(struct rv_emitter *emitter, uint32_t thread, int64_t ns, const uint32_t *ids, size_t n)
{
    size_t n_open = rv_emitter_depth(emitter, thread), n_same = 0;
    const uint32_t *open = rv_emitter_stack(emitter, thread);
    while (n_same < n && n_same < n_open && open[n_same] == ids[n_same])
        n_same++;
    for (; n_open > n_same; n_open--)
        rv_emitter_return(emitter, thread, ns);
    for (; n_same < n; n_same++)
        rv_emitter_call(emitter, thread, ns, ids[n_same]);
    if (thread < emitter->n_threads) /* what is open has been seen now */
        emitter->threads[thread].last_ns = time_of(emitter, &emitter->threads[thread], ns);
}
