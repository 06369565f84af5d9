/*
 * Turns parsed events of a Chrome trace into records for the sorter, and assigns threads, names and the frames of
 * samples.
 */
#include "import/chrome_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"
#include "import/call_nesting.h"
#include "import/chrome_record.h"

/* Keys of processes and threads without a numeric id: distinct from numeric ones, also in the low 32 bits, which are
 * shown; the kernel's ids are below 4194304. */
static const uint64_t TEXT_NUMBER = 1ull << 62 | 4194304;

/* ---- names and numbers ---- */

static struct rv_event_builder_text text_of(const struct rv_chrome_text *text)
{
    return rv_import_text(text->bytes, text->n);
}

static uint32_t intern(struct rv_chrome_reader *reader, struct rv_event_builder_text package,
                       struct rv_event_builder_text name, struct rv_event_builder_text file, uint32_t line)
{
    return rv_event_builder_intern(reader->import->builder, package, name, file, line);
}

/* "name (file:line)", as VizTracer and others write it, is split. */
static uint32_t intern_label(struct rv_chrome_reader *reader, const struct rv_chrome_text *label)
{
    const char *bytes = label->bytes;
    size_t n = label->n, n_digits = 0;
    struct rv_event_builder_text none = {0};
    if (n == 0)
        return intern(reader, none, rv_import_string("(unnamed)"), none, 0);
    size_t at = n - 1;
    while (bytes[n - 1] == ')' && at > 0 && bytes[at - 1] >= '0' && bytes[at - 1] <= '9' && n_digits < 9)
        at--, n_digits++;
    if (n_digits && at > 1 && bytes[at - 1] == ':') {
        const char *open = memrchr(bytes, '(', at);
        if (open && open > bytes + 1 && open[-1] == ' ' && open + 1 < bytes + at - 1)
            return intern(reader, none, rv_import_text(bytes, (size_t)(open - 1 - bytes)),
                          rv_import_text(open + 1, (size_t)(bytes + at - 1 - (open + 1))),
                          (uint32_t)strtoul(bytes + at, NULL, 10));
    }
    return intern(reader, none, text_of(label), none, 0);
}

/* A pid or tid: a number, or other text, to which a number is assigned. */
static uint64_t number_of(struct rv_chrome_reader *reader, const struct rv_chrome_text *text, bool *is_text)
{
    int64_t value;
    const char *end;
    *is_text = false;
    if (text->n == 0)
        return 0;
    if (rv_import_decimal(text->bytes, text->n, 0, &value, &end) && end == text->bytes + text->n)
        return (uint64_t)value;
    *is_text = true;
    struct rv_event_builder_text none = {0};
    return TEXT_NUMBER + intern(reader, none, text_of(text), none, 0);
}

static uint32_t process_of(struct rv_chrome_reader *reader, const struct rv_chrome_event *event)
{
    bool is_text;
    uint64_t pid = number_of(reader, &event->pid, &is_text);
    uint32_t process = rv_event_builder_process(reader->import->builder, pid);
    if (is_text)
        rv_event_builder_name_process(reader->import->builder, process, text_of(&event->pid));
    return process;
}

/* The thread that an event names, with or without events of its own. */
static uint32_t named_thread(struct rv_chrome_reader *reader, const struct rv_chrome_event *event, uint32_t row,
                             uint64_t *tid)
{
    bool is_text;
    uint32_t process = process_of(reader, event);
    *tid = number_of(reader, &event->tid, &is_text);
    uint32_t thread = rv_event_builder_thread(reader->import->builder, process, *tid, row);
    if (is_text)
        rv_event_builder_name_thread(reader->import->builder, thread, text_of(&event->tid));
    return thread;
}

/* The first thread of a number has it, if several processes have one. */
static void number_thread(struct rv_chrome_reader *reader, uint64_t tid, uint32_t thread)
{
    if (!rv_hash_index_get(&reader->by_number, tid))
        rv_hash_index_add(&reader->by_number, tid, thread + 1);
    reader->last_numbered = thread + 1;
}

/* The thread of an event. */
static uint32_t thread_of(struct rv_chrome_reader *reader, const struct rv_chrome_event *event, uint32_t row)
{
    uint64_t tid;
    const uint32_t thread = named_thread(reader, event, row, &tid);
    if (row == RV_CHROME_ROW_CALLS && thread != RV_EVENT_BUILDER_NONE && thread + 1 != reader->last_numbered)
        number_thread(reader, tid, thread);
    return thread;
}

static bool is_group(const void *context, uint32_t value, const void *key)
{
    const struct rv_chrome_group *group = &((const struct rv_chrome_reader *)context)->groups[value - 1], *wanted = key;
    return group->process == wanted->process && group->category == wanted->category;
}

static uint32_t group_of(struct rv_chrome_reader *reader, const struct rv_chrome_event *event)
{
    struct rv_event_builder_text none = {0};
    struct rv_chrome_group wanted = {.process = process_of(reader, event),
                                     .category = intern(reader, none, text_of(&event->category), none, 0)};
    uint64_t hash = rv_hash_u64((uint64_t)wanted.process << 32 | wanted.category);
    uint32_t found = rv_hash_index_find(&reader->group_index, hash, is_group, reader, &wanted);
    if (found)
        return found - 1;
    reader->groups =
        rv_vec_reserve(reader->groups, &reader->groups_capacity, reader->n_groups + 1, sizeof *reader->groups);
    reader->groups[reader->n_groups++] = wanted;
    rv_hash_index_put(&reader->group_index, hash, (uint32_t)reader->n_groups);
    return (uint32_t)reader->n_groups - 1;
}

/* ---- events ---- */

static int add(struct rv_chrome_reader *reader, struct rv_chrome_record record)
{
    bool has_end = record.phase == RV_CHROME_COMPLETE && record.end_ns != RV_CALL_NESTING_NO_END;
    int64_t end_ns = has_end ? record.end_ns : record.ns;
    record.order = reader->n_records++;
    if (end_ns > reader->end_ns)
        reader->end_ns = end_ns;
    rv_event_builder_see_time(reader->import->builder, record.ns);
    return rv_external_sort_add(reader->sorter, &record);
}

static void name_thread(struct rv_chrome_reader *reader, const struct rv_chrome_event *event,
                        const struct rv_chrome_text *name)
{
    char samples[64];
    const int n = snprintf(samples, sizeof samples, "%.*s samples", name->n < 48 ? (int)name->n : 48, name->bytes);
    uint64_t tid;
    rv_event_builder_name_thread(reader->import->builder, named_thread(reader, event, RV_CHROME_ROW_CALLS, &tid),
                                 text_of(name));
    rv_event_builder_name_thread(reader->import->builder, named_thread(reader, event, RV_CHROME_ROW_SAMPLES, &tid),
                                 rv_import_text(samples, (size_t)n));
}

static void read_metadata(struct rv_chrome_reader *reader, const struct rv_chrome_event *event)
{
    struct rv_event_builder *builder = reader->import->builder;
    const struct rv_chrome_text *what = &event->name;
    if (event->argument_name.n && what->n == 12 && memcmp(what->bytes, "process_name", 12) == 0)
        rv_event_builder_name_process(builder, process_of(reader, event), text_of(&event->argument_name));
    if (event->argument_name.n && what->n == 11 && memcmp(what->bytes, "thread_name", 11) == 0)
        name_thread(reader, event, &event->argument_name);
}

static int read_switch(struct rv_chrome_reader *reader, const struct rv_chrome_event *event)
{
    if (!event->has_time || event->out.tid < 0 || event->out.state < 0 || event->in.tid < 0)
        return 0;
    return rv_chrome_reader_switch(reader, (uint64_t[2]){(uint64_t)event->out.tid, (uint64_t)event->in.tid}, event->ns,
                                   (unsigned)event->out.state, (uint16_t)event->cpu);
}

static int read_wakeup(struct rv_chrome_reader *reader, const struct rv_chrome_event *event)
{
    bool is_text;
    const uint64_t tid = number_of(reader, &event->tid, &is_text);
    return event->has_time ? rv_chrome_reader_state(reader, tid, event->ns, RV_THREAD_PREEMPTED, (uint16_t)event->cpu)
                           : 0;
}

/* Fuchsia's names of processes and threads, context switches and wakeups. */
static int read_system(struct rv_chrome_reader *reader, const struct rv_chrome_event *event)
{
    if (event->phase == 'k')
        return read_switch(reader, event);
    if (event->phase == 'w')
        return read_wakeup(reader, event);
    if (event->phase == 'p' && event->name.n)
        rv_event_builder_name_process(reader->import->builder, process_of(reader, event), text_of(&event->name));
    if (event->phase == 't' && event->name.n)
        name_thread(reader, event, &event->name);
    return 0;
}

/* Each series of a counter is a value of its own; a series called "value" has the counter's name. */
static int read_counter(struct rv_chrome_reader *reader, const struct rv_chrome_event *event)
{
    int error = 0;
    uint32_t thread = thread_of(reader, event, RV_CHROME_ROW_CALLS);
    for (size_t i = 0; i < event->n_series && !error; i++) {
        const struct rv_chrome_series *series = &event->series[i];
        struct rv_event_builder_text name = rv_import_text(series->name, series->n_name), none = {0};
        bool is_itself = event->n_series == 1 && name.n == 5 && memcmp(name.bytes, "value", 5) == 0;
        uint32_t id =
            is_itself ? intern_label(reader, &event->name) : intern(reader, text_of(&event->name), name, none, 0);
        error = add(reader,
                    (struct rv_chrome_record){
                        .ns = event->ns, .value = series->value, .thread = thread, .id = id, .phase = RV_CHROME_VALUE});
    }
    return error;
}

static uint64_t key_of(const struct rv_chrome_text *text)
{
    uint64_t key = rv_hash_bytes(text->bytes, text->n);
    return key ? key : 1;
}

static int read_async(struct rv_chrome_reader *reader, const struct rv_chrome_event *event, enum rv_chrome_phase phase)
{
    return add(reader, (struct rv_chrome_record){
                           .ns = event->ns,
                           .key = key_of(&event->id),
                           .thread = group_of(reader, event),
                           .id = event->name.n || phase != RV_CHROME_ASYNC_END ? intern_label(reader, &event->name) : 0,
                           .phase = phase});
}

/* ---- flows ---- */

/* Category, name and id make a flow; the name is its own in the trace. */
static int add_flow(struct rv_chrome_reader *reader, const struct rv_chrome_event *event, enum rv_chrome_phase phase,
                    struct rv_chrome_record flow)
{
    flow.ns = event->ns;
    flow.thread = thread_of(reader, event, RV_CHROME_ROW_CALLS);
    flow.phase = phase;
    return add(reader, flow);
}

static int read_flow(struct rv_chrome_reader *reader, const struct rv_chrome_event *event)
{
    const enum rv_chrome_phase phase = event->phase == 's'      ? RV_CHROME_FLOW_BEGIN
                                       : event->phase == 't'    ? RV_CHROME_FLOW_STEP
                                       : event->binds_enclosing ? RV_CHROME_FLOW_END
                                                                : RV_CHROME_FLOW_END_AT_NEXT;
    return add_flow(reader, event, phase,
                    (struct rv_chrome_record){.key = rv_hash_combine(key_of(&event->category), key_of(&event->id)),
                                              .id = intern_label(reader, &event->name)});
}

/* Of a call: its bind_id leads there, from there, or both. */
static int read_bound(struct rv_chrome_reader *reader, const struct rv_chrome_event *event)
{
    const enum rv_chrome_phase phase = !event->has_flow_in   ? RV_CHROME_FLOW_BEGIN
                                       : event->has_flow_out ? RV_CHROME_FLOW_STEP
                                                             : RV_CHROME_FLOW_END;
    const struct rv_event_builder_text none = {0};
    if (!event->bind.n || (!event->has_flow_in && !event->has_flow_out))
        return 0;
    return add_flow(reader, event, phase,
                    (struct rv_chrome_record){.key = key_of(&event->bind),
                                              .id = intern(reader, none, rv_import_string("bind_id"), none, 0)});
}

/* Garbage collections, as --export writes them. */
static bool is_collection(const struct rv_chrome_event *event)
{
    return event->name.n == 2 && memcmp(event->name.bytes, "GC", 2) == 0 && event->category.n == 2 &&
           memcmp(event->category.bytes, "gc", 2) == 0;
}

/* Who had an object that threads waited for, and how many waited, as --export writes them: no calls, no values. */
static bool is_of_holders(const struct rv_chrome_event *event)
{
    static const char word[] = "lock holders";
    return event->category.n == sizeof word - 1 && memcmp(event->category.bytes, word, sizeof word - 1) == 0;
}

/* --export writes this among the categories of a call that had not ended. */
static bool is_open(const struct rv_chrome_event *event)
{
    static const char word[] = "open";
    const char *at = event->category.bytes, *end = at + event->category.n;
    for (const char *comma; at < end; at = comma + 1) {
        comma = memchr(at, ',', (size_t)(end - at));
        if (!comma)
            comma = end;
        if (comma - at == sizeof word - 1 && memcmp(at, word, sizeof word - 1) == 0)
            return true;
    }
    return false;
}

/* Chrome omits the duration of calls still running at the trace's end, and gives them a thread duration of 0. */
static int read_complete(struct rv_chrome_reader *reader, const struct rv_chrome_event *event)
{
    struct rv_chrome_record record = {.ns = event->ns, .thread = thread_of(reader, event, RV_CHROME_ROW_CALLS)};
    int64_t end_ns;
    if (__builtin_add_overflow(event->ns, event->duration_ns, &end_ns) || end_ns >= RV_CALL_NESTING_NO_END)
        end_ns = event->ns;
    if (is_collection(event)) {
        record.phase = RV_CHROME_GC_START;
        int error = add(reader, record);
        record.phase = RV_CHROME_GC_END;
        record.ns = end_ns;
        return error ? error : add(reader, record);
    }
    if (!event->has_duration && event->duration_ns == 0)
        end_ns = RV_CALL_NESTING_NO_END;
    record.phase = RV_CHROME_COMPLETE;
    record.id = intern_label(reader, &event->name);
    record.end_ns = end_ns;
    record.is_open = is_open(event);
    return add(reader, record);
}

static int read_plain(struct rv_chrome_reader *reader, const struct rv_chrome_event *event, enum rv_chrome_phase phase)
{
    uint32_t id = phase == RV_CHROME_END && event->name.n == 0 ? 0 : intern_label(reader, &event->name);
    return add(reader,
               (struct rv_chrome_record){
                   .ns = event->ns, .thread = thread_of(reader, event, RV_CHROME_ROW_CALLS), .id = id, .phase = phase});
}

static bool is_profile(const struct rv_chrome_event *event)
{
    return (event->phase == 'P' && event->name.n >= 7 && memcmp(event->name.bytes, "Profile", 7) == 0) ||
           (event->name.n == 10 && memcmp(event->name.bytes, "CpuProfile", 10) == 0 && event->profile.n_samples);
}

/* "Profile" has the thread and start time, "ProfileChunk" the samples; "CpuProfile" has both. */
static int read_profile(struct rv_chrome_reader *reader, const struct rv_chrome_event *event)
{
    const struct rv_chrome_profile *profile = &event->profile;
    uint64_t key = rv_hash_combine(key_of(&event->id), process_of(reader, event));
    struct rv_chrome_sampled *sampled = rv_chrome_samples_profile(&reader->samples, key);
    if (profile->has_start || sampled->thread == RV_EVENT_BUILDER_NONE) {
        sampled->thread = thread_of(reader, event, RV_CHROME_ROW_SAMPLES);
        sampled->now_ns = profile->has_start ? profile->start_ns : event->ns;
    }
    rv_chrome_samples_add_nodes(&reader->samples, reader->import->builder, key, profile);
    reader->import->faults[RV_FAULT_NOT_READ] += profile->n_left_out;
    int error = 0;
    for (size_t i = 0; i < profile->n_samples && !error; i++) {
        int64_t delta_ns = i < profile->n_deltas ? profile->deltas_ns[i] : 0;
        if (__builtin_add_overflow(sampled->now_ns, delta_ns, &sampled->now_ns) || sampled->now_ns < 0)
            sampled->now_ns = 0;
        error = add(reader, (struct rv_chrome_record){.ns = sampled->now_ns,
                                                      .key = rv_chrome_samples_node(key, profile->samples[i]),
                                                      .thread = sampled->thread,
                                                      .phase = RV_CHROME_SAMPLE});
    }
    return error;
}

static int read_event(struct rv_chrome_reader *reader, const struct rv_chrome_event *event)
{
    struct rv_import *import = reader->import;
    if (event->phase == 'M') {
        read_metadata(reader, event);
        return 0;
    }
    if (!event->has_time && event->phase)
        rv_import_fault(import, RV_FAULT_NO_TIME);
    if (!event->has_time || is_of_holders(event))
        return 0;
    if (event->is_before_zero)
        rv_import_fault(import, RV_FAULT_BEFORE_ZERO);
    if (is_profile(event))
        return read_profile(reader, event);
    int error;
    switch (event->phase) {
    case 'B':
        error = read_plain(reader, event, RV_CHROME_BEGIN);
        return error ? error : read_bound(reader, event);
    case 'E':
        return read_plain(reader, event, RV_CHROME_END);
    case 'X':
        error = read_complete(reader, event);
        return error ? error : read_bound(reader, event);
    case 'i':
    case 'I':
    case 'R':
    case 'P':
        return read_plain(reader, event, RV_CHROME_MARK);
    case 'C':
        return read_counter(reader, event);
    case 'b':
    case 'S':
        return read_async(reader, event, RV_CHROME_ASYNC_BEGIN);
    case 'e':
    case 'F':
        return read_async(reader, event, RV_CHROME_ASYNC_END);
    case 'n':
    case 'T':
    case 'p':
        return read_async(reader, event, RV_CHROME_ASYNC_MARK);
    case 's':
    case 't':
    case 'f':
        return read_flow(reader, event);
    case 'N': /* objects, contexts, memory dumps: nothing to draw */

    case 'O':
    case 'D':
    case '(':
    case ')':
    case 'V':
    case 'v':
    case 'c':
        return 0;
    default:
        rv_import_fault(import, RV_FAULT_NOT_READ);
        return 0;
    }
}

static int read_sample(struct rv_chrome_reader *reader, const struct rv_chrome_event *event)
{
    if (!event->has_time || event->frame.n == 0) {
        rv_import_fault(reader->import, RV_FAULT_NO_TIME);
        return 0;
    }
    return add(reader, (struct rv_chrome_record){.ns = event->ns,
                                                 .key = key_of(&event->frame),
                                                 .thread = thread_of(reader, event, RV_CHROME_ROW_SAMPLES),
                                                 .phase = RV_CHROME_SAMPLE});
}

static void read_frame(struct rv_chrome_reader *reader, const struct rv_chrome_event *event)
{
    rv_chrome_samples_add(&reader->samples, key_of(&event->frame), event->parent.n ? key_of(&event->parent) : 0,
                          intern_label(reader, &event->name));
}

int rv_chrome_reader_event(void *context, const struct rv_chrome_event *event)
{
    struct rv_chrome_reader *reader = context;
    switch (event->kind) {
    case RV_CHROME_EVENT:
        return read_event(reader, event);
    case RV_CHROME_SAMPLED:
        return read_sample(reader, event);
    case RV_CHROME_STACK_FRAME:
        read_frame(reader, event);
        return 0;
    case RV_CHROME_SYSTEM:
        return read_system(reader, event);
    }
    return 0;
}

int rv_chrome_reader_state(struct rv_chrome_reader *reader, uint64_t tid, int64_t ns, enum rv_thread_state state,
                           uint16_t cpu)
{
    return add(reader,
               (struct rv_chrome_record){.ns = ns, .key = tid, .thread = state, .id = cpu, .phase = RV_CHROME_STATE});
}

/* One that has ended has no state. */
int rv_chrome_reader_switch(struct rv_chrome_reader *reader, const uint64_t tids[2], int64_t ns, unsigned left,
                            uint16_t cpu)
{
    enum { LEFT_NEW, LEFT_RUNNING, LEFT_SUSPENDED, LEFT_BLOCKED, LEFT_DYING };
    const bool is_ready = left == LEFT_NEW || left == LEFT_RUNNING;
    const enum rv_thread_state state = is_ready ? RV_THREAD_PREEMPTED : RV_THREAD_BLOCKED;
    const int error = left < LEFT_DYING ? rv_chrome_reader_state(reader, tids[0], ns, state, cpu) : 0;
    return error ? error : rv_chrome_reader_state(reader, tids[1], ns, RV_THREAD_RUNNING, cpu);
}

uint32_t rv_chrome_reader_thread(const struct rv_chrome_reader *reader, uint64_t tid)
{
    const uint32_t found = rv_hash_index_get(&reader->by_number, tid);
    return found ? found - 1 : RV_EVENT_BUILDER_NONE;
}

void rv_chrome_reader_fini(struct rv_chrome_reader *reader)
{
    free(reader->groups);
    rv_hash_index_fini(&reader->group_index);
    rv_hash_index_fini(&reader->by_number);
    rv_chrome_samples_fini(&reader->samples);
}
