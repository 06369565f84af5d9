/*
 * Chrome Trace Event JSON. Tools write events in any order (a complete call where it ended, threads one after the
 * other), so all events are sorted first, on disk beyond RUN_RECORDS: memory holds these, the names, and what is open
 * at one time. Then each thread's events are nested (call_nesting.h) and emitted.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"
#include "import/call_nesting.h"
#include "import/chrome_reader.h"
#include "import/chrome_record.h"
#include "import/formats.h"

enum { RUN_RECORDS = 1 << 20, READ_BYTES = 1 << 16, RECORDS_PER_STEP = 1 << 14, MOST_ROWS = 4096 };
/* Keys of rows of asynchronous calls in the event builder: distinct from threads, also in the low 32 bits, which are
 * shown. */
static const uint64_t GROUP_NUMBER = 1ull << 61 | 1073741824;

struct row {
    uint64_t key; /* key of the asynchronous call in this row; 0 = free */
    struct rv_call_nesting nest;
};

struct rows { /* grows to the number needed at one time */
    struct row *rows;
    size_t n, capacity;
};

struct lane { /* a thread */
    struct rv_call_nesting nest;
    struct rows overlaps;              /* rows of complete calls that do not nest with those before */
    struct rv_chrome_record *awaiting; /* ends of flows that belong to the next call */
    size_t n_awaiting, awaiting_capacity;
};

struct chrome {
    struct rv_import import; /* first */
    struct rv_chrome_json *json;
    struct rv_sorter *sorter;
    struct rv_chrome_reader reader;
    bool is_sorted;     /* the whole file is read */
    struct lane *lanes; /* by the event builder's thread */
    size_t n_lanes;
    struct rows *groups; /* asynchronous calls; in the reader's order, made when the file is read */
    char bytes[READ_BYTES];
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

static struct lane *lane_of(struct chrome *chrome, uint32_t thread)
{
    if (thread >= chrome->n_lanes) {
        size_t n_before = chrome->n_lanes;
        chrome->lanes = rv_vec_extend(chrome->lanes, &chrome->n_lanes, (size_t)thread + 1, sizeof *chrome->lanes);
        for (size_t i = n_before; i < chrome->n_lanes; i++)
            chrome->lanes[i].nest.thread = (uint32_t)i;
    }
    return &chrome->lanes[thread];
}

static struct row *add_row(struct rows *rows, uint32_t thread)
{
    rows->rows = rv_vec_reserve(rows->rows, &rows->capacity, rows->n + 1, sizeof *rows->rows);
    rows->rows[rows->n] = (struct row){.nest.thread = thread};
    return &rows->rows[rows->n++];
}

static void finish_rows(struct chrome *chrome, struct rows *rows)
{
    for (size_t i = 0; i < rows->n; i++)
        rv_call_nesting_finish(&chrome->import, &rows->rows[i].nest, chrome->reader.end_ns);
}

static void free_rows(struct rows *rows)
{
    for (size_t i = 0; i < rows->n; i++)
        free(rows->rows[i].nest.frames);
    free(rows->rows);
}

/* Emit on the thread's first row where the call nests. */
static void emit_overlap(struct chrome *chrome, struct lane *lane, const struct rv_chrome_record *record)
{
    struct rv_import *import = &chrome->import;
    struct rows *overlaps = &lane->overlaps;
    rv_import_fault(import, RV_FAULT_OVERLAP);
    for (size_t i = 0; i < overlaps->n; i++)
        if (rv_call_nesting_complete(import, &overlaps->rows[i].nest, record->ns, record->end_ns, record->id))
            return;
    if (overlaps->n == MOST_ROWS) {
        rv_import_fault(import, RV_FAULT_NO_ROOM);
        return;
    }
    char word[32];
    snprintf(word, sizeof word, overlaps->n ? "overlaps %zu" : "overlaps", overlaps->n + 1);
    uint32_t row_idx = RV_CHROME_ROW_OVERLAPS + (uint32_t)overlaps->n;
    struct row *row = add_row(overlaps, rv_event_builder_row(import->builder, lane->nest.thread, row_idx, word));
    rv_call_nesting_complete(import, &row->nest, record->ns, record->end_ns, record->id);
}

/* ---- flows ---- */

static void emit_step(struct chrome *chrome, const struct rv_chrome_record *record, int64_t ns)
{
    const enum rv_step_kind kind = record->phase == RV_CHROME_FLOW_BEGIN  ? RV_STEP_FLOW_BEGIN
                                   : record->phase == RV_CHROME_FLOW_STEP ? RV_STEP_FLOW
                                                                          : RV_STEP_FLOW_END;
    rv_event_builder_step(chrome->import.builder, record->thread, ns, kind, record->key, record->id);
}

static void await_call(struct lane *lane, const struct rv_chrome_record *record)
{
    lane->awaiting =
        rv_vec_reserve(lane->awaiting, &lane->awaiting_capacity, lane->n_awaiting + 1, sizeof *lane->awaiting);
    lane->awaiting[lane->n_awaiting++] = *record;
}

/* A call begins, or none does any more. */
static void emit_awaiting(struct chrome *chrome, struct lane *lane, int64_t ns)
{
    for (size_t i = 0; i < lane->n_awaiting; i++)
        emit_step(chrome, &lane->awaiting[i], ns);
    lane->n_awaiting = 0;
}

/* ---- calls ---- */

static void emit_on_thread(struct chrome *chrome, const struct rv_chrome_record *record)
{
    struct rv_import *import = &chrome->import;
    struct rv_event_builder *builder = import->builder;
    if (record->thread == RV_EVENT_BUILDER_NONE) {
        rv_event_builder_leave_out(builder);
        return;
    }
    if (record->phase == RV_CHROME_SAMPLE) {
        if (!rv_chrome_samples_emit(&chrome->reader.samples, builder, record->thread, record->ns, record->key))
            rv_import_fault(import, RV_FAULT_NO_FRAME);
        return;
    }
    struct lane *lane = lane_of(chrome, record->thread);
    struct rv_call_nesting *nest = &lane->nest;
    rv_call_nesting_advance(import, nest, record->ns);
    switch ((enum rv_chrome_phase)record->phase) {
    case RV_CHROME_BEGIN:
        rv_call_nesting_begin(import, nest, record->ns, record->id);
        emit_awaiting(chrome, lane, record->ns);
        break;
    case RV_CHROME_END:
        rv_call_nesting_end(import, nest, record->ns, record->id);
        break;
    case RV_CHROME_COMPLETE:
        if (!rv_call_nesting_complete(import, nest, record->ns, record->end_ns, record->id))
            emit_overlap(chrome, lane, record);
        emit_awaiting(chrome, lane, record->ns);
        break;
    case RV_CHROME_FLOW_BEGIN:
    case RV_CHROME_FLOW_STEP:
    case RV_CHROME_FLOW_END:
        emit_step(chrome, record, record->ns);
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
        break;
    }
}

static uint32_t name_row(struct chrome *chrome, uint32_t group_idx, size_t idx)
{
    const struct rv_chrome_group *group = &chrome->reader.groups[group_idx];
    struct rv_event_builder *builder = chrome->import.builder;
    struct rv_event_builder_text category = rv_event_builder_name(builder, group->category);
    char name[64];
    const char *text = category.n ? category.bytes : "async";
    int n = idx ? snprintf(name, sizeof name, "%.40s %zu", text, idx + 1) : snprintf(name, sizeof name, "%.40s", text);
    uint32_t thread = rv_event_builder_thread(builder, group->process, GROUP_NUMBER + group->category, (uint32_t)idx);
    rv_event_builder_name_thread(builder, thread, rv_import_text(name, (size_t)n));
    return thread;
}

/* The row of the asynchronous call with this key, or a free one, or NULL. */
static struct row *row_of(struct chrome *chrome, uint32_t group_idx, uint64_t key, bool is_begin)
{
    struct rows *group = &chrome->groups[group_idx];
    struct row *row = NULL;
    for (size_t i = 0; i < group->n; i++) {
        if (group->rows[i].key == key)
            return &group->rows[i];
        if (group->rows[i].key == 0 && !row)
            row = &group->rows[i];
    }
    if (!is_begin || (!row && group->n == MOST_ROWS))
        return NULL;
    if (!row)
        row = add_row(group, name_row(chrome, group_idx, group->n));
    row->key = key;
    return row;
}

static void emit_async(struct chrome *chrome, const struct rv_chrome_record *record)
{
    struct rv_import *import = &chrome->import;
    bool is_mark = record->phase == RV_CHROME_ASYNC_MARK;
    struct row *row = row_of(chrome, record->thread, record->key, record->phase != RV_CHROME_ASYNC_END);
    if (!row) {
        rv_import_fault(import, record->phase == RV_CHROME_ASYNC_END ? RV_FAULT_END_ALONE : RV_FAULT_NO_ROOM);
        return;
    }
    if (row->nest.thread == RV_EVENT_BUILDER_NONE)
        rv_event_builder_leave_out(import->builder);
    else if (is_mark)
        rv_event_builder_mark(import->builder, row->nest.thread, record->ns, record->id);
    else if (record->phase == RV_CHROME_ASYNC_BEGIN)
        rv_call_nesting_begin(import, &row->nest, record->ns, record->id);
    else
        rv_call_nesting_end(import, &row->nest, record->ns, record->id);
    if (row->nest.n == 0)
        row->key = 0;
}

static int emit_all(struct chrome *chrome)
{
    for (int i = 0; i < RECORDS_PER_STEP; i++) {
        int error;
        const struct rv_chrome_record *record = rv_sorter_next(chrome->sorter, &error);
        if (!record && !error) {
            for (size_t k = 0; k < chrome->n_lanes; k++) {
                emit_awaiting(chrome, &chrome->lanes[k], chrome->reader.end_ns);
                rv_call_nesting_finish(&chrome->import, &chrome->lanes[k].nest, chrome->reader.end_ns);
                finish_rows(chrome, &chrome->lanes[k].overlaps);
            }
            for (size_t k = 0; k < chrome->reader.n_groups; k++)
                finish_rows(chrome, &chrome->groups[k]);
            return 0;
        }
        if (error)
            return error;
        if (record->phase >= RV_CHROME_ASYNC_BEGIN && record->phase <= RV_CHROME_ASYNC_MARK)
            emit_async(chrome, record);
        else
            emit_on_thread(chrome, record);
    }
    return 1;
}

/* ---- as a format ---- */

/* An array of objects, or an object. */
static bool matches(const char *head, size_t n)
{
    size_t i = n >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    char seen[2] = "";
    for (unsigned n_seen = 0; i < n && n_seen < 2; i++)
        if (!strchr(" \t\r\n", head[i]))
            seen[n_seen++] = head[i];
    return (seen[0] == '[' && (seen[1] == '{' || seen[1] == ']' || !seen[1])) ||
           (seen[0] == '{' && (seen[1] == '"' || seen[1] == '}' || !seen[1]));
}

static int begin(struct rv_import *import)
{
    struct chrome *chrome = (struct chrome *)import;
    chrome->sorter = rv_sorter_create(sizeof(struct rv_chrome_record), RUN_RECORDS, compare);
    chrome->reader = (struct rv_chrome_reader){.import = import, .sorter = chrome->sorter};
    chrome->json = rv_chrome_json_create(rv_chrome_reader_event, &chrome->reader);
    return 0;
}

/* The file is read: emit from now on. */
static int end_reading(struct chrome *chrome)
{
    if (!chrome->import.error && rv_chrome_json_is_cut(chrome->json))
        rv_import_fault(&chrome->import, RV_FAULT_CUT);
    chrome->is_sorted = true;
    chrome->groups = rv_alloc(chrome->reader.n_groups, sizeof *chrome->groups);
    int error = rv_sorter_finish(chrome->sorter);
    return error ? error : 1;
}

static int step(struct rv_import *import)
{
    struct chrome *chrome = (struct chrome *)import;
    if (chrome->is_sorted)
        return emit_all(chrome);
    size_t n;
    char why[160] = "";
    int error = rv_text_reader_read(import->text, chrome->bytes, sizeof chrome->bytes, &n);
    if (!error)
        error = rv_chrome_json_feed(chrome->json, chrome->bytes, n, why, sizeof why);
    if (error && *why)
        rv_err(EBADMSG, "%s: %s", import->path, why);
    if (error && !rv_event_builder_has_time(import->builder))
        return error;
    import->error = error;
    return error || n == 0 ? end_reading(chrome) : 1;
}

static void fini(struct rv_import *import)
{
    struct chrome *chrome = (struct chrome *)import;
    rv_chrome_json_destroy(chrome->json);
    rv_sorter_destroy(chrome->sorter);
    for (size_t i = 0; i < chrome->n_lanes; i++) {
        free(chrome->lanes[i].nest.frames);
        free(chrome->lanes[i].awaiting);
        free_rows(&chrome->lanes[i].overlaps);
    }
    for (size_t i = 0; i < chrome->reader.n_groups && chrome->groups; i++)
        free_rows(&chrome->groups[i]);
    free(chrome->lanes);
    free(chrome->groups);
    rv_chrome_reader_fini(&chrome->reader);
}

const struct rv_import_format rv_import_chrome = {.name = "chrome",
                                                  .describe = "Chrome Trace Event JSON",
                                                  .bytes = sizeof(struct chrome),
                                                  .is_text = true,
                                                  .matches = matches,
                                                  .begin = begin,
                                                  .step = step,
                                                  .fini = fini};
