/* Records of a Chrome trace, in any order, to calls of threads in time order. */
#include "import/chrome_emitter.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "import/call_nesting.h"
#include "import/chrome_record.h"
#include "import/chrome_rows.h"

enum { RUN_RECORDS = 1 << 20, RECORDS_PER_STEP = 1 << 14, MOST_OVERLAPS = 4096 /* rows of a thread */ };
/* Keys of rows of asynchronous calls in the event builder: distinct from threads, also in the low 32 bits, which are
 * shown. */
static const uint64_t GROUP_NUMBER = 1ull << 61 | 1073741824;

struct rv_chrome_lane { /* a thread */
    struct rv_call_nesting nest;
    bool is_off_cpu;                  /* according to its last change of state */
    struct rv_call_nesting *overlaps; /* rows of complete calls that do not nest with those before */
    size_t n_overlaps, overlaps_capacity;
    struct rv_chrome_record *awaiting; /* ends of flows that belong to the next call */
    size_t n_awaiting, awaiting_capacity;
};

static int compare(const void *left, const void *right)
{
    const struct rv_chrome_record *a = left, *b = right;
    if (a->ns != b->ns)
        return a->ns < b->ns ? -1 : 1;
    bool a_is_complete = a->phase == RV_CHROME_COMPLETE, b_is_complete = b->phase == RV_CHROME_COMPLETE;
    if (a_is_complete != b_is_complete)
        return a_is_complete ? 1 : -1;
    if (a_is_complete && a->end_ns != b->end_ns)
        return a->end_ns > b->end_ns ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* ---- emitting ---- */

static struct rv_chrome_lane *lane_of(struct rv_chrome_emitter *emitter, uint32_t thread)
{
    if (thread >= emitter->n_lanes) {
        size_t n_before = emitter->n_lanes;
        emitter->lanes = rv_vec_extend(emitter->lanes, &emitter->n_lanes, (size_t)thread + 1, sizeof *emitter->lanes);
        for (size_t i = n_before; i < emitter->n_lanes; i++)
            emitter->lanes[i].nest.thread = (uint32_t)i;
    }
    return &emitter->lanes[thread];
}

static struct rv_call_nesting_frame frame_of(const struct rv_chrome_record *record)
{
    return (struct rv_call_nesting_frame){.end_ns = record->end_ns, .id = record->id, .is_open = record->is_open};
}

/* Emit on the thread's first row where the call nests. */
static void emit_overlap(struct rv_chrome_emitter *emitter, struct rv_chrome_lane *lane,
                         const struct rv_chrome_record *record)
{
    struct rv_import *import = emitter->reader.import;
    const size_t n = lane->n_overlaps;
    rv_import_fault(import, RV_FAULT_OVERLAP);
    for (size_t i = 0; i < n; i++)
        if (rv_call_nesting_complete(import, &lane->overlaps[i], record->ns, frame_of(record)))
            return;
    if (n == MOST_OVERLAPS) {
        rv_import_fault(import, RV_FAULT_NO_ROOM);
        return;
    }
    char word[32];
    snprintf(word, sizeof word, n ? "overlaps %zu" : "overlaps", n + 1);
    lane->overlaps = rv_vec_reserve(lane->overlaps, &lane->overlaps_capacity, n + 1, sizeof *lane->overlaps);
    lane->overlaps[lane->n_overlaps++] = (struct rv_call_nesting){
        .thread = rv_event_builder_row(import->builder, lane->nest.thread, RV_CHROME_ROW_OVERLAPS + (uint32_t)n, word)};
    rv_call_nesting_complete(import, &lane->overlaps[n], record->ns, frame_of(record));
}

/* ---- flows ---- */

static void emit_step(struct rv_chrome_emitter *emitter, const struct rv_chrome_record *record, int64_t ns)
{
    const enum rv_step_kind kind = record->phase == RV_CHROME_FLOW_BEGIN  ? RV_STEP_FLOW_BEGIN
                                   : record->phase == RV_CHROME_FLOW_STEP ? RV_STEP_FLOW
                                                                          : RV_STEP_FLOW_END;
    rv_event_builder_step(emitter->reader.import->builder, record->thread, ns, kind, record->key, record->id);
}

static void await_call(struct rv_chrome_lane *lane, const struct rv_chrome_record *record)
{
    lane->awaiting =
        rv_vec_reserve(lane->awaiting, &lane->awaiting_capacity, lane->n_awaiting + 1, sizeof *lane->awaiting);
    lane->awaiting[lane->n_awaiting++] = *record;
}

/* A call begins, or none does any more. */
static void emit_awaiting(struct rv_chrome_emitter *emitter, struct rv_chrome_lane *lane, int64_t ns)
{
    for (size_t i = 0; i < lane->n_awaiting; i++)
        emit_step(emitter, &lane->awaiting[i], ns);
    lane->n_awaiting = 0;
}

/* ---- states ---- */

static void set_state(struct rv_chrome_emitter *emitter, struct rv_chrome_lane *lane, int64_t ns,
                      enum rv_thread_state state, uint16_t cpu)
{
    rv_event_builder_state(emitter->reader.import->builder, lane->nest.thread, ns, state, cpu);
    lane->is_off_cpu = state != RV_THREAD_RUNNING;
}

/* Of threads without events nothing is shown: a trace of a system names each of its threads. */
static void emit_state(struct rv_chrome_emitter *emitter, const struct rv_chrome_record *record)
{
    const uint32_t thread = rv_chrome_reader_thread(&emitter->reader, record->key);
    if (thread == RV_EVENT_BUILDER_NONE)
        return;
    struct rv_chrome_lane *lane = lane_of(emitter, thread);
    rv_call_nesting_advance(emitter->reader.import, &lane->nest, record->ns);
    set_state(emitter, lane, record->ns, (enum rv_thread_state)record->thread, (uint16_t)record->id);
}

/* A thread that calls has a CPU, though the trace lacks the switch: else a call could have been off it for longer than
 * it took. */
static void see_running(struct rv_chrome_emitter *emitter, struct rv_chrome_lane *lane, int64_t ns)
{
    if (lane->is_off_cpu)
        set_state(emitter, lane, ns, RV_THREAD_RUNNING, 0);
}

/* ---- calls ---- */

static void emit_on_thread(struct rv_chrome_emitter *emitter, const struct rv_chrome_record *record)
{
    struct rv_import *import = emitter->reader.import;
    struct rv_event_builder *builder = import->builder;
    if (record->thread == RV_EVENT_BUILDER_NONE) {
        rv_event_builder_leave_out(builder);
        return;
    }
    if (record->phase == RV_CHROME_SAMPLE) {
        if (!rv_chrome_samples_emit(&emitter->reader.samples, builder, record->thread, record->ns, record->key))
            rv_import_fault(import, RV_FAULT_NO_FRAME);
        return;
    }
    struct rv_chrome_lane *lane = lane_of(emitter, record->thread);
    struct rv_call_nesting *nest = &lane->nest;
    rv_call_nesting_advance(import, nest, record->ns);
    switch ((enum rv_chrome_phase)record->phase) {
    case RV_CHROME_BEGIN:
        see_running(emitter, lane, record->ns);
        rv_call_nesting_begin(import, nest, record->ns, record->id);
        emit_awaiting(emitter, lane, record->ns);
        break;
    case RV_CHROME_END:
        rv_call_nesting_end(import, nest, record->ns, record->id);
        break;
    case RV_CHROME_COMPLETE:
        see_running(emitter, lane, record->ns);
        if (!rv_call_nesting_complete(import, nest, record->ns, frame_of(record)))
            emit_overlap(emitter, lane, record);
        emit_awaiting(emitter, lane, record->ns);
        break;
    case RV_CHROME_FLOW_BEGIN:
    case RV_CHROME_FLOW_STEP:
    case RV_CHROME_FLOW_END:
        emit_step(emitter, record, record->ns);
        break;
    case RV_CHROME_FLOW_END_AT_NEXT:
        await_call(lane, record);
        break;
    case RV_CHROME_MARK:
        rv_event_builder_mark(builder, record->thread, record->ns, record->id);
        break;
    case RV_CHROME_VALUE:
        rv_event_builder_value(builder, record->thread, record->ns, record->id, (float)record->value);
        break;
    case RV_CHROME_GC_START:
    case RV_CHROME_GC_END:
        rv_event_builder_gc(builder, record->thread, record->ns, record->phase == RV_CHROME_GC_START);
        break;
    case RV_CHROME_ASYNC_BEGIN:
    case RV_CHROME_ASYNC_END:
    case RV_CHROME_ASYNC_MARK:
    case RV_CHROME_SAMPLE:
    case RV_CHROME_STATE:
        break;
    }
}

static uint32_t name_row(struct rv_chrome_emitter *emitter, uint32_t group_idx, size_t idx)
{
    const struct rv_chrome_group *group = &emitter->reader.groups[group_idx];
    struct rv_event_builder *builder = emitter->reader.import->builder;
    struct rv_event_builder_text category = rv_event_builder_name(builder, group->category);
    char name[64];
    const char *text = category.n ? category.bytes : "async";
    int n = idx ? snprintf(name, sizeof name, "%.40s %zu", text, idx + 1) : snprintf(name, sizeof name, "%.40s", text);
    uint32_t thread = rv_event_builder_thread(builder, group->process, GROUP_NUMBER + group->category, (uint32_t)idx);
    rv_event_builder_name_thread(builder, thread, rv_import_text(name, (size_t)n));
    return thread;
}

/* The row of an asynchronous call that begins, or of a mark of one that may have ended. */
static struct rv_chrome_row *make_row(struct rv_chrome_emitter *emitter, uint32_t group_idx, uint64_t key)
{
    struct rv_chrome_rows *group = &emitter->groups[group_idx];
    const size_t n = group->n;
    struct rv_chrome_row *row = rv_chrome_rows_take(group, key);
    if (group->n > n)
        row->nest.thread = name_row(emitter, group_idx, n);
    return row;
}

static void emit_async(struct rv_chrome_emitter *emitter, const struct rv_chrome_record *record)
{
    struct rv_import *import = emitter->reader.import;
    struct rv_chrome_row *row = rv_chrome_rows_find(&emitter->groups[record->thread], record->key);
    if (!row && record->phase == RV_CHROME_ASYNC_END) {
        rv_import_fault(import, RV_FAULT_END_ALONE);
        return;
    }
    row = row ? row : make_row(emitter, record->thread, record->key);
    const bool is_left_out = row->nest.thread == RV_EVENT_BUILDER_NONE;
    if (is_left_out)
        rv_event_builder_leave_out(import->builder);
    else if (record->phase == RV_CHROME_ASYNC_MARK)
        rv_event_builder_mark(import->builder, row->nest.thread, record->ns, record->id);
    else if (record->phase == RV_CHROME_ASYNC_BEGIN)
        rv_call_nesting_begin(import, &row->nest, record->ns, record->id);
    else
        rv_call_nesting_end(import, &row->nest, record->ns, record->id);
    if (is_left_out ? record->phase != RV_CHROME_ASYNC_BEGIN : row->nest.n == 0)
        rv_chrome_rows_give_back(&emitter->groups[record->thread], row);
}

/* ---- the whole trace ---- */

void rv_chrome_emitter_begin(struct rv_chrome_emitter *emitter, struct rv_import *import)
{
    emitter->sorter = rv_external_sort_create(sizeof(struct rv_chrome_record), RUN_RECORDS, compare);
    emitter->reader = (struct rv_chrome_reader){.import = import, .sorter = emitter->sorter};
}

int rv_chrome_emitter_sort(struct rv_chrome_emitter *emitter)
{
    emitter->is_sorted = true;
    emitter->groups = rv_alloc(emitter->reader.n_groups, sizeof *emitter->groups);
    int error = rv_external_sort_finish(emitter->sorter);
    return error ? error : 1;
}

static void finish(struct rv_chrome_emitter *emitter)
{
    int64_t end_ns = emitter->reader.end_ns;
    for (size_t i = 0; i < emitter->n_lanes; i++) {
        emit_awaiting(emitter, &emitter->lanes[i], end_ns);
        rv_call_nesting_finish(emitter->reader.import, &emitter->lanes[i].nest, end_ns);
        for (size_t j = 0; j < emitter->lanes[i].n_overlaps; j++)
            rv_call_nesting_finish(emitter->reader.import, &emitter->lanes[i].overlaps[j], end_ns);
    }
    for (size_t i = 0; i < emitter->reader.n_groups; i++)
        for (size_t j = 0; j < emitter->groups[i].n; j++)
            rv_call_nesting_finish(emitter->reader.import, &emitter->groups[i].rows[j].nest, end_ns);
}

int rv_chrome_emitter_step(struct rv_chrome_emitter *emitter)
{
    for (int i = 0; i < RECORDS_PER_STEP; i++) {
        int error;
        const struct rv_chrome_record *record = rv_external_sort_next(emitter->sorter, &error);
        if (!record && !error)
            finish(emitter);
        if (!record)
            return error;
        if (record->phase >= RV_CHROME_ASYNC_BEGIN && record->phase <= RV_CHROME_ASYNC_MARK)
            emit_async(emitter, record);
        else if (record->phase == RV_CHROME_STATE)
            emit_state(emitter, record);
        else
            emit_on_thread(emitter, record);
    }
    return 1;
}

void rv_chrome_emitter_fini(struct rv_chrome_emitter *emitter)
{
    rv_external_sort_destroy(emitter->sorter);
    for (size_t i = 0; i < emitter->n_lanes; i++) {
        struct rv_chrome_lane *lane = &emitter->lanes[i];
        free(lane->nest.frames);
        free(lane->awaiting);
        for (size_t j = 0; j < lane->n_overlaps; j++)
            free(lane->overlaps[j].frames);
        free(lane->overlaps);
    }
    for (size_t i = 0; i < emitter->reader.n_groups && emitter->groups; i++) {
        for (size_t j = 0; j < emitter->groups[i].n; j++)
            free(emitter->groups[i].rows[j].nest.frames);
        rv_chrome_rows_fini(&emitter->groups[i]);
    }
    free(emitter->lanes);
    free(emitter->groups);
    rv_chrome_reader_fini(&emitter->reader);
}
