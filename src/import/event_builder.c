#include "import/event_builder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "base/vec.h"
#include "base/hash_index.h"
#include "ringviz/wire.h"

enum { NAME_BYTES = 64, LABEL_BYTES = 4096, FULL_BUFFER = RV_BATCH_EVENTS };
/* First times from here on leave too little room below 2^60 ns, the limit of event times. */
static const int64_t FAR_NS = 1ll << 59;
static const int64_t HEADROOM_NS = 1ll << 58;

struct process {
    uint64_t pid;
    uint32_t parent_pid;
    char name[NAME_BYTES];
    const char *runtime; /* NULL: not known */
};

struct thread {
    uint64_t tid;
    uint32_t key_process, row; /* with tid: the lookup key. row: one of several lanes of a thread */
    uint32_t process;          /* process it belongs to */
    char name[NAME_BYTES];
    void *stream;   /* the pipeline's handle; NULL before the first flush */
    bool is_named;  /* name given since the stream was opened */
    uint32_t *open; /* ids of the open calls, outermost first */
    size_t n_open, open_capacity, n_too_deep;
    uint32_t *lines; /* of the open calls, where samples tell them */
    size_t n_lines;
    struct rv_event *events;
    size_t n_events, events_capacity;
    uint64_t last_ns, n_emitted;
};

struct rv_event_builder {
    struct rv_capture_filter *filter;
    const struct rv_intake *intake; /* between begin and end */
    struct rv_symbolizer *symbolizer;
    uint32_t n_defined;
    struct process *processes;
    size_t n_processes, processes_capacity;
    struct rv_hash_index process_index, thread_index;
    struct thread *threads;
    size_t n_threads, threads_capacity;
    size_t n_begun; /* of the threads: those before the last whose stream was opened */
    size_t n_buffered;
    bool has_time;
    int64_t origin_ns;
    uint64_t n_left_out;
    bool has_event; /* at least one, even if filtered out */
    char *label;    /* scratch of the interning: three escaped strings */
};

struct rv_event_builder *rv_event_builder_create(struct rv_capture_filter *filter)
{
    struct rv_event_builder *builder = rv_alloc(1, sizeof *builder);
    builder->filter = filter;
    builder->symbolizer = rv_symbolizer_create();
    builder->label = rv_alloc(3, LABEL_BYTES);
    return builder;
}

void rv_event_builder_destroy(struct rv_event_builder *builder)
{
    if (!builder)
        return;
    for (size_t i = 0; i < builder->n_threads; i++) {
        free(builder->threads[i].open);
        free(builder->threads[i].lines);
        free(builder->threads[i].events);
    }
    free(builder->threads);
    free(builder->processes);
    rv_hash_index_fini(&builder->process_index);
    rv_hash_index_fini(&builder->thread_index);
    rv_symbolizer_destroy(builder->symbolizer);
    free(builder->label);
    free(builder);
}

/* ---- names ---- */

static const char *escape(struct rv_event_builder *builder, unsigned part, struct rv_event_builder_text text)
{
    char *out = builder->label + (size_t)part * LABEL_BYTES;
    rv_text_escape(out, LABEL_BYTES, text.n ? text.bytes : "", text.n);
    return out;
}

static uint32_t intern(struct rv_event_builder *builder, struct rv_event_builder_text package,
                       struct rv_event_builder_text name, struct rv_event_builder_text file, uint32_t line_form)
{
    return rv_symbolizer_intern(builder->symbolizer, escape(builder, 0, package), escape(builder, 1, name),
                                escape(builder, 2, file), line_form);
}

uint32_t rv_event_builder_intern(struct rv_event_builder *builder, struct rv_event_builder_text package,
                                 struct rv_event_builder_text name, struct rv_event_builder_text file, uint32_t line)
{
    return intern(builder, package, name, file, rv_name_line_form(line, 0));
}

uint32_t rv_event_builder_intern_statement(struct rv_event_builder *builder, struct rv_event_builder_text package,
                                           struct rv_event_builder_text name, struct rv_event_builder_text file,
                                           uint32_t line)
{
    return intern(builder, package, name, file, rv_name_line_form(line, RV_NAME_STATEMENT));
}

struct rv_event_builder_text rv_event_builder_name(struct rv_event_builder *builder, uint32_t id)
{
    struct rv_symbolizer_name name;
    rv_symbolizer_name(builder->symbolizer, id, &name);
    return (struct rv_event_builder_text){name.name, strlen(name.name)};
}

static void copy_name(char out[NAME_BYTES], struct rv_event_builder_text name)
{
    rv_text_escape(out, NAME_BYTES, name.n ? name.bytes : "", name.n);
}

void rv_event_builder_name_process(struct rv_event_builder *builder, uint32_t process,
                                   struct rv_event_builder_text name)
{
    if (process != RV_EVENT_BUILDER_NONE)
        copy_name(builder->processes[process].name, name);
}

const char *rv_event_builder_process_name(const struct rv_event_builder *builder, uint32_t process)
{
    return process != RV_EVENT_BUILDER_NONE ? builder->processes[process].name : "";
}

void rv_event_builder_name_thread(struct rv_event_builder *builder, uint32_t thread, struct rv_event_builder_text name)
{
    if (thread == RV_EVENT_BUILDER_NONE)
        return;
    copy_name(builder->threads[thread].name, name);
    builder->threads[thread].is_named = true;
}

void rv_event_builder_set_parent(struct rv_event_builder *builder, uint32_t process, uint32_t parent_pid)
{
    if (process != RV_EVENT_BUILDER_NONE)
        builder->processes[process].parent_pid = parent_pid;
}

void rv_event_builder_set_runtime(struct rv_event_builder *builder, uint32_t process, const char *runtime)
{
    if (process != RV_EVENT_BUILDER_NONE)
        builder->processes[process].runtime = runtime;
}

/* ---- processes and threads ---- */

uint32_t rv_event_builder_process(struct rv_event_builder *builder, uint64_t pid)
{
    uint32_t found = rv_hash_index_get(&builder->process_index, pid);
    if (found)
        return found - 1;
    if (builder->n_processes == RV_EVENT_BUILDER_THREADS)
        return RV_EVENT_BUILDER_NONE;
    builder->processes = rv_vec_reserve(builder->processes, &builder->processes_capacity, builder->n_processes + 1,
                                        sizeof *builder->processes);
    builder->processes[builder->n_processes++] = (struct process){.pid = pid};
    rv_hash_index_add(&builder->process_index, pid, (uint32_t)builder->n_processes);
    return (uint32_t)builder->n_processes - 1;
}

struct thread_key {
    uint64_t tid;
    uint32_t process, row;
};

static bool is_thread(const void *context, uint32_t value, const void *key)
{
    const struct thread *thread = &((const struct rv_event_builder *)context)->threads[value - 1];
    const struct thread_key *wanted = key;
    return thread->tid == wanted->tid && thread->key_process == wanted->process && thread->row == wanted->row;
}

uint32_t rv_event_builder_thread(struct rv_event_builder *builder, uint32_t process, uint64_t tid, uint32_t row)
{
    if (process == RV_EVENT_BUILDER_NONE)
        return RV_EVENT_BUILDER_NONE;
    struct thread_key key = {tid, process, row};
    uint64_t hash = rv_hash_combine(rv_hash_u64(tid), (uint64_t)process << 32 | row);
    uint32_t found = rv_hash_index_find(&builder->thread_index, hash, is_thread, builder, &key);
    if (found)
        return found - 1;
    if (builder->n_threads == RV_EVENT_BUILDER_THREADS)
        return RV_EVENT_BUILDER_NONE;
    builder->threads =
        rv_vec_reserve(builder->threads, &builder->threads_capacity, builder->n_threads + 1, sizeof *builder->threads);
    builder->threads[builder->n_threads++] =
        (struct thread){.tid = tid, .key_process = process, .process = process, .row = row};
    rv_hash_index_put(&builder->thread_index, hash, (uint32_t)builder->n_threads);
    return (uint32_t)builder->n_threads - 1;
}

uint32_t rv_event_builder_row(struct rv_event_builder *builder, uint32_t thread, uint32_t row, const char *word)
{
    const struct thread *first = &builder->threads[thread];
    char name[2 * NAME_BYTES];
    int n = snprintf(name, sizeof name, "%.*s%s%s", NAME_BYTES / 2, first->name, *first->name ? " " : "", word);
    uint32_t process = first->process, found = rv_event_builder_thread(builder, first->key_process, first->tid, row);
    rv_event_builder_name_thread(builder, found, (struct rv_event_builder_text){name, (size_t)n});
    rv_event_builder_move_thread(builder, found, process);
    return found;
}

uint32_t rv_event_builder_thread_process(const struct rv_event_builder *builder, uint32_t thread)
{
    return thread < builder->n_threads ? builder->threads[thread].process : RV_EVENT_BUILDER_NONE;
}

void rv_event_builder_move_thread(struct rv_event_builder *builder, uint32_t thread, uint32_t process)
{
    if (thread == RV_EVENT_BUILDER_NONE || process == RV_EVENT_BUILDER_NONE || builder->threads[thread].stream)
        return;
    builder->threads[thread].process = process;
}

/* ---- time ---- */

void rv_event_builder_see_time(struct rv_event_builder *builder, int64_t ns)
{
    if (!builder->has_time && ns >= FAR_NS)
        builder->origin_ns = ns - HEADROOM_NS;
    builder->has_time = true;
}

bool rv_event_builder_has_time(const struct rv_event_builder *builder)
{
    return builder->has_time;
}

void rv_event_builder_date(const struct rv_event_builder *builder, struct rv_source *source)
{
    if (!builder->origin_ns)
        return;
    source->origin_ns = (uint64_t)builder->origin_ns;
    source->mono_ns = (uint64_t)HEADROOM_NS;
    source->real_ns = source->origin_ns + source->mono_ns;
}

static uint64_t time_of(const struct rv_event_builder *builder, const struct thread *thread, int64_t ns)
{
    uint64_t since_ns = (uint64_t)ns - (uint64_t)builder->origin_ns;
    if (__builtin_expect(since_ns > RV_EVENT_TICKS_MASK, 0))
        since_ns = ns < builder->origin_ns ? 0 : RV_EVENT_TICKS_MASK;
    return since_ns > thread->last_ns ? since_ns : thread->last_ns;
}

/* ---- output ---- */

static void define_names(struct rv_event_builder *builder)
{
    const struct rv_intake *intake = builder->intake;
    for (uint32_t n = rv_symbolizer_count(builder->symbolizer); builder->n_defined < n; builder->n_defined++) {
        struct rv_symbolizer_name name;
        rv_symbolizer_name(builder->symbolizer, builder->n_defined + 1, &name);
        struct rv_definition definition = {builder->n_defined + 1, name.package, name.name, name.file, name.line_form};
        intake->define(intake->context, &definition, 1);
    }
}

/* A thread of a process without a name is not another process. */
static const char *thread_name(const struct process *process, const struct thread *thread, char out[NAME_BYTES])
{
    if (*thread->name || *process->name || thread->tid == process->pid)
        return thread->name;
    (void)snprintf(out, NAME_BYTES, "thread %" PRIu32, (uint32_t)thread->tid);
    return out;
}

static struct rv_wire_instrumentation instrumentation_of(const struct process *process)
{
    struct rv_wire_instrumentation by = {.instruments = process->runtime ? RV_INSTRUMENT_RUNTIME : 0};
    (void)snprintf(by.runtime, sizeof by.runtime, "%s", process->runtime ? process->runtime : "");
    return by;
}

static void open_stream(struct rv_event_builder *builder, struct thread *thread)
{
    const struct rv_intake *intake = builder->intake;
    const struct process *process = &builder->processes[thread->process];
    char name[NAME_BYTES];
    thread->stream =
        intake->open_stream(intake->context, &(struct rv_stream_info){
                                                 .pid = (uint32_t)process->pid,
                                                 .parent_pid = process->parent_pid,
                                                 .tid = (uint32_t)thread->tid,
                                                 .process_key = thread->process,
                                                 .process_name = *process->name ? process->name : "process",
                                                 .thread_name = thread_name(process, thread, name),
                                                 .born_ns = rv_event_ticks(&thread->events[0]),
                                                 .instrumentation = instrumentation_of(process),
                                             });
    thread->is_named = false;
    thread->n_emitted = 0;
}

/* Open the streams of earlier threads first, so that lanes stand in the order in which threads began, not ended. */
static void open_streams(struct rv_event_builder *builder, struct thread *thread)
{
    for (; builder->threads + builder->n_begun < thread; builder->n_begun++) {
        struct thread *before = &builder->threads[builder->n_begun];
        if (!before->stream && before->n_events)
            open_stream(builder, before);
    }
    open_stream(builder, thread);
}

/* How many of the next n events a batch takes, for room and time. */
static uint32_t n_of_batch(const struct rv_event *events, size_t n)
{
    uint32_t n_taken = n < RV_BATCH_EVENTS ? (uint32_t)n : RV_BATCH_EVENTS;
    while (rv_event_ticks(&events[n_taken - 1]) - rv_event_ticks(events) >= RV_BATCH_NS)
        n_taken /= 2; /* one always fits */
    return n_taken;
}

static void send_events(struct rv_event_builder *builder, struct thread *thread)
{
    const struct rv_intake *intake = builder->intake;
    for (size_t i = 0; i < thread->n_events;) {
        struct rv_batch *batch = rv_intake_wait_for_batch(intake);
        batch->stream = thread->stream;
        batch->base_ns = rv_event_ticks(&thread->events[i]);
        batch->n = n_of_batch(thread->events + i, thread->n_events - i);
        memcpy(batch->events, thread->events + i, batch->n * sizeof *batch->events);
        i += batch->n;
        thread->n_emitted += batch->n;
        rv_batch_seal(batch, 0);
        intake->submit_batch(intake->context, batch);
    }
}

static void flush_thread(struct rv_event_builder *builder, struct thread *thread)
{
    const struct rv_intake *intake = builder->intake;
    if (thread->stream && thread->is_named)
        intake->rename_stream(intake->context, thread->stream, thread->name);
    thread->is_named = false;
    if (thread->n_events == 0)
        return;
    define_names(builder);
    if (!thread->stream)
        open_streams(builder, thread);
    send_events(builder, thread);
    builder->n_buffered -= thread->n_events;
    thread->n_events = 0;
    intake->account_stream(intake->context, thread->stream,
                           &(struct rv_stream_account){thread->n_emitted, thread->n_emitted, 0});
}

void rv_event_builder_begin(struct rv_event_builder *builder, const struct rv_intake *intake)
{
    builder->intake = intake;
    builder->has_time = true; /* too late to change the origin */
}

void rv_event_builder_end(struct rv_event_builder *builder)
{
    builder->intake = NULL;
}

void rv_event_builder_flush(struct rv_event_builder *builder)
{
    for (size_t i = 0; i < builder->n_threads; i++) {
        struct thread *thread = &builder->threads[i];
        if (thread->n_events == 0) { /* a busy thread needs its buffer again */
            free(thread->events);
            thread->events = NULL;
            thread->events_capacity = 0;
        }
        flush_thread(builder, thread);
    }
    define_names(builder);
}

static void close_thread(struct rv_event_builder *builder, struct thread *thread)
{
    flush_thread(builder, thread);
    if (thread->stream)
        builder->intake->close_stream(builder->intake->context, thread->stream, thread->last_ns);
    thread->stream = NULL;
    thread->n_open = thread->n_too_deep = 0;
}

void rv_event_builder_close(struct rv_event_builder *builder)
{
    for (size_t i = 0; i < builder->n_threads; i++)
        close_thread(builder, &builder->threads[i]);
    define_names(builder);
}

void rv_event_builder_end_thread(struct rv_event_builder *builder, uint32_t thread_idx, int64_t ns)
{
    if (thread_idx == RV_EVENT_BUILDER_NONE)
        return;
    struct thread *thread = &builder->threads[thread_idx];
    thread->last_ns = time_of(builder, thread, ns);
    if (builder->intake)
        close_thread(builder, thread);
}

bool rv_event_builder_is_empty(const struct rv_event_builder *builder)
{
    return !builder->has_event;
}

void rv_event_builder_leave_out(struct rv_event_builder *builder)
{
    builder->n_left_out++;
}

uint64_t rv_event_builder_n_left_out(const struct rv_event_builder *builder)
{
    return builder->n_left_out;
}

/* ---- events ---- */

/* NULL if there is no such thread; the event is counted as dropped. */
static struct thread *thread_of(struct rv_event_builder *builder, uint32_t thread_idx)
{
    if (thread_idx >= builder->n_threads) {
        builder->n_left_out++;
        return NULL;
    }
    builder->has_event = true;
    return &builder->threads[thread_idx];
}

__attribute__((cold)) static void flush_full(struct rv_event_builder *builder, struct thread *thread)
{
    if (!builder->intake)
        return;
    if (thread->n_events >= FULL_BUFFER)
        flush_thread(builder, thread);
    if (builder->n_buffered >= RV_EVENT_BUILDER_BUFFERED)
        rv_event_builder_flush(builder);
}

static void add(struct rv_event_builder *builder, struct thread *thread, unsigned kind, int64_t ns,
                struct rv_event event)
{
    thread->last_ns = time_of(builder, thread, ns);
    event.when = (uint64_t)kind << RV_EVENT_KIND_SHIFT | thread->last_ns;
    if (thread->n_events == thread->events_capacity)
        thread->events =
            rv_vec_reserve(thread->events, &thread->events_capacity, thread->n_events + 1, sizeof *thread->events);
    thread->events[thread->n_events++] = event;
    builder->n_buffered++;
    if (thread->n_events >= FULL_BUFFER || builder->n_buffered >= RV_EVENT_BUILDER_BUFFERED)
        flush_full(builder, thread);
}

static bool passes(struct rv_event_builder *builder, uint32_t id)
{
    return !builder->filter || rv_capture_filter_has(builder->filter, builder->symbolizer, id);
}

void rv_event_builder_call(struct rv_event_builder *builder, uint32_t thread_idx, int64_t ns, uint32_t id)
{
    struct thread *thread = thread_of(builder, thread_idx);
    if (!thread)
        return;
    if (thread->n_open == RV_EVENT_BUILDER_DEPTH) {
        thread->n_too_deep++;
        builder->n_left_out++;
        return;
    }
    if (thread->n_open == thread->open_capacity)
        thread->open = rv_vec_reserve(thread->open, &thread->open_capacity, thread->n_open + 1, sizeof *thread->open);
    thread->open[thread->n_open++] = id;
    if (passes(builder, id))
        add(builder, thread, RV_EVENT_CALL, ns, (struct rv_event){.id = id, .frame = (uint16_t)(thread->n_open - 1)});
}

static void close_innermost(struct rv_event_builder *builder, struct thread *thread, int64_t ns)
{
    uint32_t id = thread->open[--thread->n_open];
    if (passes(builder, id))
        add(builder, thread, RV_EVENT_RETURN, ns, (struct rv_event){.id = id, .frame = (uint16_t)thread->n_open});
}

void rv_event_builder_return(struct rv_event_builder *builder, uint32_t thread_idx, int64_t ns)
{
    struct thread *thread = thread_of(builder, thread_idx);
    if (!thread || thread->n_open == 0)
        return;
    if (thread->n_too_deep)
        thread->n_too_deep--;
    else
        close_innermost(builder, thread, ns);
}

void rv_event_builder_return_alone(struct rv_event_builder *builder, uint32_t thread_idx, int64_t ns)
{
    struct thread *thread = thread_of(builder, thread_idx);
    if (thread)
        add(builder, thread, RV_EVENT_RETURN, ns, (struct rv_event){.frame = (uint16_t)thread->n_open});
}

static void close_from(struct rv_event_builder *builder, struct thread *thread, int64_t ns, size_t depth)
{
    thread->n_too_deep = 0;
    if (depth + 1 < thread->n_open && passes(builder, thread->open[depth]))
        thread->n_open = depth + 1; /* its return's tag closes the inner calls */
    while (thread->n_open > depth)
        close_innermost(builder, thread, ns);
}

void rv_event_builder_return_from(struct rv_event_builder *builder, uint32_t thread_idx, int64_t ns, size_t depth)
{
    struct thread *thread = thread_of(builder, thread_idx);
    if (thread && depth < thread->n_open)
        close_from(builder, thread, ns, depth);
}

bool rv_event_builder_return_of(struct rv_event_builder *builder, uint32_t thread_idx, int64_t ns, uint32_t id,
                                size_t most_frames)
{
    struct thread *thread = thread_idx < builder->n_threads ? &builder->threads[thread_idx] : NULL;
    const size_t n = thread ? thread->n_open : 0, least = n > most_frames ? n - most_frames : 0;
    size_t depth = n;
    while (depth > least && thread->open[depth - 1] != id)
        depth--;
    if (depth == least)
        return false;
    close_from(builder, thread, ns, depth - 1);
    return true;
}

static void add_special(struct rv_event_builder *builder, uint32_t thread_idx, unsigned kind, int64_t ns,
                        struct rv_event event)
{
    struct thread *thread = thread_of(builder, thread_idx);
    if (thread)
        add(builder, thread, kind, ns, event);
}

void rv_event_builder_mark(struct rv_event_builder *builder, uint32_t thread, int64_t ns, uint32_t id)
{
    add_special(builder, thread, RV_EVENT_MARK, ns, (struct rv_event){.id = id});
}

static void add_word(struct rv_event_builder *builder, uint32_t thread, int64_t ns, uint64_t word)
{
    add_special(builder, thread, RV_EVENT_MARK, ns,
                (struct rv_event){.id = (uint32_t)word,
                                  .aux = (uint16_t)(word >> 32),
                                  .frame = (uint16_t)(word >> RV_EVENT_FRAME_SHIFT)});
}

void rv_event_builder_step(struct rv_event_builder *builder, uint32_t thread, int64_t ns, enum rv_step_kind kind,
                           uint64_t flow, uint32_t id)
{
    if ((flow & RV_STEP_ID_MASK) >> RV_STEP_LOW_BITS)
        add_word(builder, thread, ns, rv_event_word_of_high(flow));
    add_word(builder, thread, ns, rv_event_word_of_step(kind, flow, id));
}

void rv_event_builder_value(struct rv_event_builder *builder, uint32_t thread, int64_t ns, uint32_t id, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    add_special(builder, thread, RV_EVENT_VALUE, ns,
                (struct rv_event){.id = id, .frame = (uint16_t)bits, .aux = (uint16_t)(bits >> 16)});
}

void rv_event_builder_state(struct rv_event_builder *builder, uint32_t thread, int64_t ns, enum rv_thread_state state,
                            uint16_t cpu)
{
    add_special(builder, thread, RV_EVENT_THREAD, ns, (struct rv_event){.aux = (uint16_t)state, .frame = cpu});
}

void rv_event_builder_gc(struct rv_event_builder *builder, uint32_t thread, int64_t ns, bool is_start)
{
    add_special(builder, thread, is_start ? RV_EVENT_GC_START : RV_EVENT_GC_END, ns, (struct rv_event){.id = 0});
}

void rv_event_builder_lost(struct rv_event_builder *builder, uint32_t thread, int64_t ns, uint32_t n)
{
    add_special(builder, thread, RV_EVENT_LOST, ns, (struct rv_event){.id = n});
}

size_t rv_event_builder_depth(const struct rv_event_builder *builder, uint32_t thread)
{
    return thread < builder->n_threads ? builder->threads[thread].n_open : 0;
}

const uint32_t *rv_event_builder_stack(const struct rv_event_builder *builder, uint32_t thread)
{
    return thread < builder->n_threads ? builder->threads[thread].open : NULL;
}

/* A sample tells all calls: those that were too deep before are not waited for. */
void rv_event_builder_sample_inner(struct rv_event_builder *builder, uint32_t thread, int64_t ns, size_t n_outer,
                                   const uint32_t *ids, size_t n)
{
    size_t n_open = rv_event_builder_depth(builder, thread), n_kept = n_outer < n_open ? n_outer : n_open, n_same = 0;
    const uint32_t *open = rv_event_builder_stack(builder, thread);
    if (thread < builder->n_threads)
        builder->threads[thread].n_too_deep = 0;
    while (n_same < n && n_kept + n_same < n_open && open[n_kept + n_same] == ids[n_same])
        n_same++;
    for (; n_open > n_kept + n_same; n_open--)
        rv_event_builder_return(builder, thread, ns);
    for (; n_same < n; n_same++)
        rv_event_builder_call(builder, thread, ns, ids[n_same]);
    if (thread < builder->n_threads) /* open calls last at least until now */
        builder->threads[thread].last_ns = time_of(builder, &builder->threads[thread], ns);
}

void rv_event_builder_sample(struct rv_event_builder *builder, uint32_t thread, int64_t ns, const uint32_t *ids,
                             size_t n)
{
    rv_event_builder_sample_inner(builder, thread, ns, 0, ids, n);
}

static void set_line(struct rv_event_builder *builder, struct thread *thread, int64_t ns, size_t depth, uint32_t line)
{
    if (depth >= thread->n_open || (!line && !thread->lines[depth]))
        return;
    thread->lines[depth] = line;
    if (passes(builder, thread->open[depth]))
        add(builder, thread, RV_EVENT_LINE, ns, (struct rv_event){.id = line});
}

void rv_event_builder_sample_again(struct rv_event_builder *builder, uint32_t thread_idx, int64_t ns)
{
    struct thread *thread = thread_of(builder, thread_idx);
    if (!thread)
        return;
    thread->last_ns = time_of(builder, thread, ns);
    if (thread->n_open > 0 && thread->n_open <= thread->n_lines && !thread->n_too_deep)
        set_line(builder, thread, ns, thread->n_open - 1, thread->lines[thread->n_open - 1]);
}

/* How many of the open calls go on. */
static size_t count_same(const struct thread *thread, const uint32_t *ids, const uint32_t *lines, size_t n)
{
    size_t n_same = 0;
    while (n_same < n && n_same < thread->n_open && thread->open[n_same] == ids[n_same]) {
        const uint32_t line = thread->lines[n_same];
        if (line != lines[n_same++] && n_same < thread->n_open)
            break;
    }
    return n_same;
}

void rv_event_builder_sample_lines(struct rv_event_builder *builder, uint32_t thread_idx, int64_t ns,
                                   const uint32_t *ids, const uint32_t *lines, size_t n)
{
    struct thread *thread = thread_of(builder, thread_idx);
    if (!thread)
        return;
    thread->lines = rv_vec_extend(thread->lines, &thread->n_lines, n + 1, sizeof *thread->lines);
    const size_t n_same = count_same(thread, ids, lines, n);
    rv_event_builder_sample(builder, thread_idx, ns, ids, n_same);
    if (n_same && (n_same == n || thread->lines[n_same - 1] != lines[n_same - 1]))
        set_line(builder, thread, ns, n_same - 1, lines[n_same - 1]);
    for (size_t i = n_same; i < n; i++) {
        rv_event_builder_call(builder, thread_idx, ns, ids[i]);
        thread->lines[i] = 0;
        set_line(builder, thread, ns, i, lines[i]);
    }
}
