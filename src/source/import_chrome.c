/*
 * Chrome Trace Event JSON. Tools write events in any order (a complete call stands where it ended, threads are written
 * one after the other), so all of them are sorted first, on disk beyond RUN_RECORDS: memory is that, the names, and
 * what is open at once. Then each thread's events are nested (chrome_nest.h) and told.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/vec.h"
#include "source/chrome_json.h"
#include "source/chrome_nest.h"
#include "source/chrome_record.h"
#include "source/import_formats.h"
#include "source/sorter.h"
#include "symbols/index.h"

enum { RUN_RECORDS = 1 << 20, READ_BYTES = 1 << 16, RECORDS_PER_STEP = 1 << 14, STACK_FRAMES = 4096, MOST_ROWS = 4096 };
/* What the emitter knows processes and threads by that have no number: apart from those that have, also in the low 32
 * bits, which are shown; the kernel's numbers are below 4194304. */
static const uint64_t TEXT_NUMBER = 1ull << 62 | 4194304, GROUP_NUMBER = 1ull << 61 | 1073741824;

struct group { /* asynchronous calls of one category in one process: as many rows as are needed at once */
    uint32_t process, category;
    struct row *rows;
    size_t n_rows, capacity;
};

struct row {
    uint64_t key; /* of the call that has it; 0 = free */
    struct rv_chrome_nest nest;
};

struct frame { /* of `stackFrames` */
    uint64_t key, parent;
    uint32_t id;
};

struct chrome {
    struct rv_import import; /* first */
    struct rv_chrome_json *json;
    struct rv_sorter *sorter;
    bool is_sorted; /* all is read */
    uint64_t n_records;
    struct rv_chrome_nest *nests; /* by the emitter's thread */
    size_t n_nests, nests_capacity;
    struct group *groups;
    size_t n_groups, groups_capacity;
    struct rv_index group_index, frame_index;
    struct frame *frames;
    size_t n_frames, frames_capacity;
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

/* ---- reading: names and numbers ---- */

static struct rv_emitter_text text_of(const struct rv_chrome_text *text)
{
    return rv_import_text(text->bytes, text->n);
}

static uint32_t intern(struct chrome *chrome, struct rv_emitter_text package, struct rv_emitter_text name,
                       struct rv_emitter_text file, uint32_t line)
{
    return rv_emitter_intern(chrome->import.emitter, package, name, file, line);
}

/* "name (file:line)", as VizTracer and others write it, is taken apart. */
static uint32_t intern_label(struct chrome *chrome, const struct rv_chrome_text *label)
{
    const char *bytes = label->bytes;
    size_t n = label->n, n_digits = 0;
    struct rv_emitter_text none = {0};
    if (n == 0)
        return intern(chrome, none, rv_import_string("(unnamed)"), none, 0);
    size_t at = n - 1;
    while (bytes[n - 1] == ')' && at > 0 && bytes[at - 1] >= '0' && bytes[at - 1] <= '9' && n_digits < 9)
        at--, n_digits++;
    if (n_digits && at > 1 && bytes[at - 1] == ':') {
        const char *open = memrchr(bytes, '(', at);
        if (open && open > bytes + 1 && open[-1] == ' ' && open + 1 < bytes + at - 1)
            return intern(chrome, none, rv_import_text(bytes, (size_t)(open - 1 - bytes)),
                          rv_import_text(open + 1, (size_t)(bytes + at - 1 - (open + 1))),
                          (uint32_t)strtoul(bytes + at, NULL, 10));
    }
    return intern(chrome, none, text_of(label), none, 0);
}

/* A pid or tid: a number, or any other text, which gets a number of its own. */
static uint64_t number_of(struct chrome *chrome, const struct rv_chrome_text *text, bool *is_text)
{
    int64_t value;
    const char *end;
    *is_text = false;
    if (text->n == 0)
        return 0;
    if (rv_import_decimal(text->bytes, text->n, 0, &value, &end) && end == text->bytes + text->n)
        return (uint64_t)value;
    *is_text = true;
    struct rv_emitter_text none = {0};
    return TEXT_NUMBER + intern(chrome, none, text_of(text), none, 0);
}

static uint32_t process_of(struct chrome *chrome, const struct rv_chrome_event *event)
{
    bool is_text;
    uint64_t pid = number_of(chrome, &event->pid, &is_text);
    uint32_t process = rv_emitter_process(chrome->import.emitter, pid);
    if (is_text)
        rv_emitter_name_process(chrome->import.emitter, process, text_of(&event->pid));
    return process;
}

static uint32_t thread_of(struct chrome *chrome, const struct rv_chrome_event *event, uint32_t row)
{
    bool is_text;
    uint32_t process = process_of(chrome, event);
    uint64_t tid = number_of(chrome, &event->tid, &is_text);
    uint32_t thread = rv_emitter_thread(chrome->import.emitter, process, tid, row);
    if (is_text)
        rv_emitter_name_thread(chrome->import.emitter, thread, text_of(&event->tid));
    return thread;
}

static bool is_group(const void *context, uint32_t value, const void *key)
{
    const struct group *group = &((const struct chrome *)context)->groups[value - 1], *wanted = key;
    return group->process == wanted->process && group->category == wanted->category;
}

static uint32_t group_of(struct chrome *chrome, const struct rv_chrome_event *event)
{
    struct rv_emitter_text none = {0};
    struct group wanted = {.process = process_of(chrome, event),
                           .category = intern(chrome, none, text_of(&event->category), none, 0)};
    uint64_t hash = rv_hash_u64((uint64_t)wanted.process << 32 | wanted.category);
    uint32_t found = rv_index_find(&chrome->group_index, hash, is_group, chrome, &wanted);
    if (found)
        return found - 1;
    chrome->groups =
        rv_vec_reserve(chrome->groups, &chrome->groups_capacity, chrome->n_groups + 1, sizeof *chrome->groups);
    chrome->groups[chrome->n_groups++] = wanted;
    rv_index_put(&chrome->group_index, hash, (uint32_t)chrome->n_groups);
    return (uint32_t)chrome->n_groups - 1;
}

/* ---- reading: events ---- */

static int add(struct chrome *chrome, struct rv_chrome_record record)
{
    record.order = chrome->n_records++;
    rv_emitter_see_time(chrome->import.emitter, record.ns);
    return rv_sorter_add(chrome->sorter, &record);
}

static void read_metadata(struct chrome *chrome, const struct rv_chrome_event *event)
{
    struct rv_emitter *emitter = chrome->import.emitter;
    const struct rv_chrome_text *what = &event->name;
    if (event->argument_name.n && what->n == 12 && memcmp(what->bytes, "process_name", 12) == 0)
        rv_emitter_name_process(emitter, process_of(chrome, event), text_of(&event->argument_name));
    if (event->argument_name.n && what->n == 11 && memcmp(what->bytes, "thread_name", 11) == 0)
        rv_emitter_name_thread(emitter, thread_of(chrome, event, 0), text_of(&event->argument_name));
}

/* A counter's series are values of their own; one that is called "value" is the counter itself. */
static int read_counter(struct chrome *chrome, const struct rv_chrome_event *event)
{
    int error = 0;
    uint32_t thread = thread_of(chrome, event, 0);
    for (size_t i = 0; i < event->n_series && !error; i++) {
        const struct rv_chrome_series *series = &event->series[i];
        struct rv_emitter_text name = rv_import_text(series->name, series->n_name), none = {0};
        bool is_itself = event->n_series == 1 && name.n == 5 && memcmp(name.bytes, "value", 5) == 0;
        uint32_t id =
            is_itself ? intern_label(chrome, &event->name) : intern(chrome, text_of(&event->name), name, none, 0);
        error = add(chrome,
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

static int read_async(struct chrome *chrome, const struct rv_chrome_event *event, enum rv_chrome_phase phase)
{
    return add(chrome, (struct rv_chrome_record){
                           .ns = event->ns,
                           .key = key_of(&event->id),
                           .thread = group_of(chrome, event),
                           .id = event->name.n || phase != RV_CHROME_ASYNC_END ? intern_label(chrome, &event->name) : 0,
                           .phase = phase});
}

/* Collections, as --export writes them. */
static bool is_collection(const struct rv_chrome_event *event)
{
    return event->name.n == 2 && memcmp(event->name.bytes, "GC", 2) == 0 && event->category.n == 2 &&
           memcmp(event->category.bytes, "gc", 2) == 0;
}

static int read_complete(struct chrome *chrome, const struct rv_chrome_event *event)
{
    struct rv_chrome_record record = {.ns = event->ns, .thread = thread_of(chrome, event, 0)};
    int64_t end_ns;
    if (__builtin_add_overflow(event->ns, event->duration_ns, &end_ns) || end_ns >= RV_CHROME_NO_END)
        end_ns = event->ns;
    if (is_collection(event)) {
        record.phase = RV_CHROME_GC_START;
        int error = add(chrome, record);
        record.phase = RV_CHROME_GC_END;
        record.ns = end_ns;
        return error ? error : add(chrome, record);
    }
    record.phase = RV_CHROME_COMPLETE;
    record.id = intern_label(chrome, &event->name);
    record.end_ns = end_ns;
    return add(chrome, record);
}

static int read_plain(struct chrome *chrome, const struct rv_chrome_event *event, enum rv_chrome_phase phase)
{
    uint32_t id = phase == RV_CHROME_END && event->name.n == 0 ? 0 : intern_label(chrome, &event->name);
    return add(chrome, (struct rv_chrome_record){
                           .ns = event->ns, .thread = thread_of(chrome, event, 0), .id = id, .phase = phase});
}

static int read_event(struct chrome *chrome, const struct rv_chrome_event *event)
{
    struct rv_import *import = &chrome->import;
    if (event->phase == 'M') {
        read_metadata(chrome, event);
        return 0;
    }
    if (!event->has_time && event->phase)
        rv_import_fault(import, RV_FAULT_NO_TIME);
    if (!event->has_time)
        return 0;
    if (event->is_before_zero)
        rv_import_fault(import, RV_FAULT_BEFORE_ZERO);
    switch (event->phase) {
    case 'B':
        return read_plain(chrome, event, RV_CHROME_BEGIN);
    case 'E':
        return read_plain(chrome, event, RV_CHROME_END);
    case 'X':
        return read_complete(chrome, event);
    case 'i':
    case 'I':
    case 'R':
    case 'P':
        return read_plain(chrome, event, RV_CHROME_MARK);
    case 'C':
        return read_counter(chrome, event);
    case 'b':
    case 'S':
        return read_async(chrome, event, RV_CHROME_ASYNC_BEGIN);
    case 'e':
    case 'F':
        return read_async(chrome, event, RV_CHROME_ASYNC_END);
    case 'n':
    case 'T':
    case 'p':
        return read_async(chrome, event, RV_CHROME_ASYNC_MARK);
    case 's': /* arrows between calls, objects, contexts, memory dumps: nothing to draw */
    case 't':
    case 'f':
    case 'N':
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

static int read_sample(struct chrome *chrome, const struct rv_chrome_event *event)
{
    if (!event->has_time || event->frame.n == 0) {
        rv_import_fault(&chrome->import, RV_FAULT_NO_TIME);
        return 0;
    }
    return add(chrome, (struct rv_chrome_record){.ns = event->ns,
                                                 .key = key_of(&event->frame),
                                                 .thread = thread_of(chrome, event, 1),
                                                 .phase = RV_CHROME_SAMPLE});
}

static bool is_frame(const void *context, uint32_t value, const void *key)
{
    return ((const struct chrome *)context)->frames[value - 1].key == *(const uint64_t *)key;
}

static void read_frame(struct chrome *chrome, const struct rv_chrome_event *event)
{
    struct frame frame = {.key = key_of(&event->frame),
                          .parent = event->parent.n ? key_of(&event->parent) : 0,
                          .id = intern_label(chrome, &event->name)};
    chrome->frames =
        rv_vec_reserve(chrome->frames, &chrome->frames_capacity, chrome->n_frames + 1, sizeof *chrome->frames);
    chrome->frames[chrome->n_frames++] = frame;
    rv_index_put(&chrome->frame_index, frame.key, (uint32_t)chrome->n_frames);
}

static int on_event(void *context, const struct rv_chrome_event *event)
{
    struct chrome *chrome = context;
    switch (event->kind) {
    case RV_CHROME_EVENT:
        return read_event(chrome, event);
    case RV_CHROME_SAMPLED:
        return read_sample(chrome, event);
    case RV_CHROME_STACK_FRAME:
        read_frame(chrome, event);
        return 0;
    }
    return 0;
}

/* ---- telling ---- */

static struct rv_chrome_nest *nest_of(struct chrome *chrome, uint32_t thread)
{
    if (thread >= chrome->n_nests) {
        size_t n = (size_t)thread + 1;
        chrome->nests = rv_vec_reserve(chrome->nests, &chrome->nests_capacity, n, sizeof *chrome->nests);
        memset(chrome->nests + chrome->n_nests, 0, (n - chrome->n_nests) * sizeof *chrome->nests);
        for (size_t i = chrome->n_nests; i < n; i++)
            chrome->nests[i].thread = (uint32_t)i;
        chrome->n_nests = n;
    }
    return &chrome->nests[thread];
}

static void tell_sample(struct chrome *chrome, const struct rv_chrome_record *record)
{
    uint32_t ids[STACK_FRAMES];
    size_t n = 0;
    for (uint64_t key = record->key; key && n < STACK_FRAMES;) {
        uint32_t found = rv_index_find(&chrome->frame_index, key, is_frame, chrome, &key);
        if (!found)
            rv_import_fault(&chrome->import, RV_FAULT_NOT_READ);
        if (!found)
            break;
        ids[STACK_FRAMES - ++n] = chrome->frames[found - 1].id;
        key = chrome->frames[found - 1].parent;
    }
    rv_emitter_sample(chrome->import.emitter, record->thread, record->ns, ids + STACK_FRAMES - n, n);
}

static void tell_on_thread(struct chrome *chrome, const struct rv_chrome_record *record)
{
    struct rv_import *import = &chrome->import;
    struct rv_emitter *emitter = import->emitter;
    if (record->phase == RV_CHROME_SAMPLE || record->thread == RV_EMITTER_NONE) {
        if (record->phase == RV_CHROME_SAMPLE)
            tell_sample(chrome, record);
        return;
    }
    struct rv_chrome_nest *nest = nest_of(chrome, record->thread);
    rv_chrome_nest_advance(import, nest, record->ns);
    switch ((enum rv_chrome_phase)record->phase) {
    case RV_CHROME_BEGIN:
        rv_chrome_nest_begin(import, nest, record->ns, RV_CHROME_NO_END, record->id);
        break;
    case RV_CHROME_END:
        rv_chrome_nest_end(import, nest, record->ns, record->id);
        break;
    case RV_CHROME_COMPLETE:
        rv_chrome_nest_begin(import, nest, record->ns, record->end_ns, record->id);
        break;
    case RV_CHROME_MARK:
        rv_emitter_mark(emitter, record->thread, record->ns, record->id);
        break;
    case RV_CHROME_VALUE:
        rv_emitter_value(emitter, record->thread, record->ns, record->id, (float)record->value);
        break;
    case RV_CHROME_GC_START:
    case RV_CHROME_GC_END:
        rv_emitter_gc(emitter, record->thread, record->ns, record->phase == RV_CHROME_GC_START);
        break;
    case RV_CHROME_ASYNC_BEGIN:
    case RV_CHROME_ASYNC_END:
    case RV_CHROME_ASYNC_MARK:
    case RV_CHROME_SAMPLE:
        break;
    }
}

static void begin_row(struct chrome *chrome, struct group *group, size_t idx)
{
    struct rv_emitter *emitter = chrome->import.emitter;
    struct rv_emitter_text category = rv_emitter_name(emitter, group->category);
    char name[64];
    const char *text = category.n ? category.bytes : "async";
    int n = idx ? snprintf(name, sizeof name, "%.40s %zu", text, idx + 1) : snprintf(name, sizeof name, "%.40s", text);
    uint32_t thread = rv_emitter_thread(emitter, group->process, GROUP_NUMBER + group->category, (uint32_t)idx);
    group->rows[idx] = (struct row){.nest.thread = thread};
    rv_emitter_name_thread(emitter, thread, rv_import_text(name, (size_t)n));
}

/* The row where the asynchronous call of this key is, or one that is free, or NULL. */
static struct row *row_of(struct chrome *chrome, struct group *group, uint64_t key, bool is_begin)
{
    size_t free_idx = group->n_rows;
    for (size_t i = 0; i < group->n_rows; i++) {
        if (group->rows[i].key == key)
            return &group->rows[i];
        if (group->rows[i].key == 0 && free_idx == group->n_rows)
            free_idx = i;
    }
    if (!is_begin)
        return NULL;
    if (free_idx == MOST_ROWS)
        return NULL;
    if (free_idx == group->n_rows) {
        group->rows = rv_vec_reserve(group->rows, &group->capacity, group->n_rows + 1, sizeof *group->rows);
        begin_row(chrome, group, group->n_rows++);
    }
    group->rows[free_idx].key = key;
    return &group->rows[free_idx];
}

static void tell_async(struct chrome *chrome, const struct rv_chrome_record *record)
{
    struct rv_import *import = &chrome->import;
    struct group *group = &chrome->groups[record->thread];
    bool is_mark = record->phase == RV_CHROME_ASYNC_MARK;
    struct row *row = row_of(chrome, group, record->key, record->phase != RV_CHROME_ASYNC_END);
    if (!row) {
        rv_import_fault(import, record->phase == RV_CHROME_ASYNC_END ? RV_FAULT_END_ALONE : RV_FAULT_NO_ROOM);
        return;
    }
    if (row->nest.thread == RV_EMITTER_NONE)
        row->key = 0;
    else if (is_mark)
        rv_emitter_mark(import->emitter, row->nest.thread, record->ns, record->id);
    else if (record->phase == RV_CHROME_ASYNC_BEGIN)
        rv_chrome_nest_begin(import, &row->nest, record->ns, RV_CHROME_NO_END, record->id);
    else
        rv_chrome_nest_end(import, &row->nest, record->ns, record->id);
    if (row->nest.n == 0)
        row->key = 0;
}

static int tell_all(struct chrome *chrome)
{
    for (int i = 0; i < RECORDS_PER_STEP; i++) {
        int error;
        const struct rv_chrome_record *record = rv_sorter_next(chrome->sorter, &error);
        if (!record && !error) {
            for (size_t k = 0; k < chrome->n_nests; k++)
                rv_chrome_nest_finish(&chrome->import, &chrome->nests[k]);
            for (size_t k = 0; k < chrome->n_groups; k++)
                for (size_t r = 0; r < chrome->groups[k].n_rows; r++)
                    rv_chrome_nest_finish(&chrome->import, &chrome->groups[k].rows[r].nest);
            return 0;
        }
        if (error)
            return error;
        if (record->phase >= RV_CHROME_ASYNC_BEGIN && record->phase <= RV_CHROME_ASYNC_MARK)
            tell_async(chrome, record);
        else
            tell_on_thread(chrome, record);
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
    chrome->json = rv_chrome_json_create(on_event, chrome);
    chrome->sorter = rv_sorter_create(sizeof(struct rv_chrome_record), RUN_RECORDS, compare);
    return 0;
}

/* All that can be read is: from now on it is told. */
static int end_reading(struct chrome *chrome)
{
    if (!chrome->import.error && rv_chrome_json_is_cut(chrome->json))
        rv_import_fault(&chrome->import, RV_FAULT_CUT);
    chrome->is_sorted = true;
    int error = rv_sorter_finish(chrome->sorter);
    return error ? error : 1;
}

static int step(struct rv_import *import)
{
    struct chrome *chrome = (struct chrome *)import;
    if (chrome->is_sorted)
        return tell_all(chrome);
    size_t n;
    char why[160] = "";
    int error = rv_textfile_read(import->text, chrome->bytes, sizeof chrome->bytes, &n);
    if (!error)
        error = rv_chrome_json_feed(chrome->json, chrome->bytes, n, why, sizeof why);
    if (error && *why)
        rv_err(EBADMSG, "%s: %s", import->path, why);
    if (error && !rv_emitter_has_time(import->emitter))
        return error;
    import->error = error;
    return error || n == 0 ? end_reading(chrome) : 1;
}

static void fini(struct rv_import *import)
{
    struct chrome *chrome = (struct chrome *)import;
    rv_chrome_json_destroy(chrome->json);
    rv_sorter_destroy(chrome->sorter);
    for (size_t i = 0; i < chrome->n_nests; i++)
        free(chrome->nests[i].frames);
    for (size_t i = 0; i < chrome->n_groups; i++) {
        for (size_t k = 0; k < chrome->groups[i].n_rows; k++)
            free(chrome->groups[i].rows[k].nest.frames);
        free(chrome->groups[i].rows);
    }
    free(chrome->nests);
    free(chrome->groups);
    free(chrome->frames);
    rv_index_fini(&chrome->group_index);
    rv_index_fini(&chrome->frame_index);
}

const struct rv_import_format rv_import_chrome = {.name = "chrome",
                                                  .describe = "Chrome Trace Event JSON",
                                                  .bytes = sizeof(struct chrome),
                                                  .is_text = true,
                                                  .matches = matches,
                                                  .begin = begin,
                                                  .step = step,
                                                  .fini = fini};
