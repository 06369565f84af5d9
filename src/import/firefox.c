/*
 * A processed profile of the Firefox profiler, as its page saves it and samply, Vernier and others write it: threads with
 * columns of samples, stacks, frames, functions and strings that refer to each other by row. Newer ones have some of these
 * once, in "shared". The file is read in full; then each thread is emitted, whose stack is each sample's until the next.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"
#include "import/formats.h"

enum { SAMPLES_PER_STEP = 1 << 12, ROWS_PER_STEP = 1 << 22, N_KEYS = 6, KEY_BYTES = 24 };
enum { MS_TO_NS = 6 };

enum column_kind {
    PREFIX,
    PREFIX_OFFSET, /* newer: by how many rows the caller precedes; 0: there is none */
    FRAME,
    FUNCTION,
    FRAME_LINE,
    NAME,
    FILE_NAME,
    SOURCE, /* newer: a row of sources, if the flags say so */
    FLAGS,
    LINE,
    SOURCE_NAME,
    STACK,
    TIME,
    DELTA,
    N_COLUMNS
};
enum { FUNCTION_HAS_SOURCE = 8 };

static const struct {
    const char *table, *key;
    int scale; /* decimal digits of a fraction that are kept */
} COLUMNS[N_COLUMNS] = {
    [PREFIX] = {"stackTable", "prefix", 0},     [PREFIX_OFFSET] = {"stackTable", "prefixOffset", 0},
    [FRAME] = {"stackTable", "frame", 0},       [FUNCTION] = {"frameTable", "func", 0},
    [FRAME_LINE] = {"frameTable", "line", 0},   [NAME] = {"funcTable", "name", 0},
    [FILE_NAME] = {"funcTable", "fileName", 0}, [SOURCE] = {"funcTable", "source", 0},
    [FLAGS] = {"funcTable", "flags", 0},        [LINE] = {"funcTable", "lineNumber", 0},
    [SOURCE_NAME] = {"sources", "filename", 0}, [STACK] = {"samples", "stack", 0},
    [TIME] = {"samples", "time", MS_TO_NS},     [DELTA] = {"samples", "timeDeltas", MS_TO_NS},
};

struct column {
    int64_t *rows; /* -1: null */
    size_t n, capacity;
};

struct tables {
    struct column columns[N_COLUMNS];
    char **strings;
    size_t n_strings, capacity;
};

struct thread {
    struct tables own;
    char *name, *process_name;
    uint64_t pid, tid; /* 0: none */
};

struct firefox {
    struct rv_import import; /* first */
    struct rv_json *json;
    struct thread *threads;
    size_t n_threads, threads_capacity;
    struct tables shared;
    int64_t start_ns, interval_ns; /* of the samples' times, between samples */

    /* the tables that it is in, or NULL; at this depth: */
    char keys[N_KEYS][KEY_BYTES]; /* the last one at each depth */
    struct tables *tables;        /* the tables' column, or -1 */
    unsigned base;
    int column; /* of these, or -1 */

    /* the thread that is emitted */
    bool is_read;
    size_t thread_idx, sample_idx;
    uint32_t thread;
    int64_t now_ns;
    uint32_t *ids;           /* names of its functions; 0: not interned yet */
    uint32_t *stack, *lines; /* of a sample; line 0: unknown */
    size_t stack_capacity, lines_capacity;
    size_t n_rows_walked; /* rows of stacks in this step, which is to be short */
};

/* ---- reading ---- */

static bool is_at(const struct firefox *firefox, unsigned depth, const char *key)
{
    return strcmp(firefox->keys[depth], key) == 0;
}

static int find_column(const struct firefox *firefox)
{
    for (int i = 0; i < N_COLUMNS; i++)
        if (is_at(firefox, firefox->base, COLUMNS[i].table) && is_at(firefox, firefox->base + 1, COLUMNS[i].key))
            return i;
    return -1;
}

static int on_key(void *context, const char *bytes, size_t n)
{
    struct firefox *firefox = context;
    unsigned depth = rv_json_depth(firefox->json);
    if (depth >= N_KEYS)
        return 0;
    n = n < KEY_BYTES ? n : 0; /* none of ours is that long */
    memcpy(firefox->keys[depth], bytes, n);
    firefox->keys[depth][n] = '\0';
    if (firefox->tables && depth <= firefox->base + 1)
        firefox->column = depth == firefox->base + 1 ? find_column(firefox) : -1;
    return 0;
}

static void open_thread(struct firefox *firefox)
{
    firefox->threads =
        rv_vec_extend(firefox->threads, &firefox->threads_capacity, firefox->n_threads + 1, sizeof *firefox->threads);
}

static int on_open(void *context, bool is_array)
{
    struct firefox *firefox = context;
    unsigned depth = rv_json_depth(firefox->json);
    if (is_array)
        return 0;
    if (depth == 3 && is_at(firefox, 1, "threads")) {
        open_thread(firefox);
        firefox->tables = &firefox->threads[firefox->n_threads++].own;
        firefox->base = depth;
    } else if (depth == 2 && is_at(firefox, 1, "shared")) {
        firefox->tables = &firefox->shared;
        firefox->base = depth;
    }
    return 0;
}

static int on_close(void *context, bool is_array)
{
    struct firefox *firefox = context;
    if (!is_array && firefox->tables && rv_json_depth(firefox->json) == firefox->base)
        firefox->tables = NULL;
    return 0;
}

static void add_row(struct column *column, int64_t row)
{
    column->rows = rv_vec_reserve(column->rows, &column->capacity, column->n + 1, sizeof *column->rows);
    column->rows[column->n++] = row;
}

static void add_string(struct tables *tables, const char *bytes, size_t n)
{
    tables->strings =
        rv_vec_reserve(tables->strings, &tables->capacity, tables->n_strings + 1, sizeof *tables->strings);
    tables->strings[tables->n_strings++] = rv_strndup(bytes, n);
}

/* Processes and threads are numbered, or named by any text: "7.1". */
static uint64_t identity(const char *bytes, size_t n)
{
    uint64_t value = 0, hash = 0;
    bool is_number = n > 0 && n < 19;
    for (size_t i = 0; i < n; i++) {
        is_number &= bytes[i] >= '0' && bytes[i] <= '9';
        value = 10 * value + (uint64_t)(bytes[i] - '0');
        hash = ((hash ^ (unsigned char)bytes[i]) * 0x9e3779b1u) & INT32_MAX;
    }
    return is_number ? value : hash;
}

static void take_of_thread(struct firefox *firefox, const char *bytes, size_t n)
{
    struct thread *thread = &firefox->threads[firefox->n_threads - 1];
    if (is_at(firefox, firefox->base, "name"))
        rv_import_replace(&thread->name, bytes, n);
    else if (is_at(firefox, firefox->base, "processName"))
        rv_import_replace(&thread->process_name, bytes, n);
    else if (is_at(firefox, firefox->base, "pid"))
        thread->pid = identity(bytes, n);
    else if (is_at(firefox, firefox->base, "tid"))
        thread->tid = identity(bytes, n);
}

static int on_value(void *context, const char *bytes, size_t n, bool is_number)
{
    struct firefox *firefox = context;
    const unsigned depth = rv_json_depth(firefox->json);
    struct tables *tables = firefox->tables;
    if (depth == 2 && is_at(firefox, 1, "meta") && is_at(firefox, 2, "startTime"))
        firefox->start_ns = rv_import_number(bytes, n, MS_TO_NS);
    else if (depth == 2 && is_at(firefox, 1, "meta") && is_at(firefox, 2, "interval"))
        firefox->interval_ns = rv_import_number(bytes, n, MS_TO_NS);
    else if (tables && tables != &firefox->shared && depth == firefox->base)
        take_of_thread(firefox, bytes, n);
    else if (tables && depth == firefox->base + 1 && !is_number && is_at(firefox, firefox->base, "stringArray"))
        add_string(tables, bytes, n);
    else if (tables && depth == firefox->base + 2 && firefox->column >= 0)
        add_row(&tables->columns[firefox->column], rv_import_number(bytes, n, COLUMNS[firefox->column].scale));
    return 0;
}

static int on_nothing(void *context)
{
    struct firefox *firefox = context;
    if (firefox->tables && rv_json_depth(firefox->json) == firefox->base + 2 && firefox->column >= 0)
        add_row(&firefox->tables->columns[firefox->column], -1);
    return 0;
}

/* ---- rows of a thread; -1 where there is none ---- */

static const struct column *column_of(const struct firefox *firefox, enum column_kind kind)
{
    const struct column *own = &firefox->threads[firefox->thread_idx].own.columns[kind];
    return own->n ? own : &firefox->shared.columns[kind];
}

static int64_t row_of(const struct firefox *firefox, enum column_kind kind, int64_t row)
{
    const struct column *column = column_of(firefox, kind);
    return row >= 0 && (uint64_t)row < column->n ? column->rows[row] : -1;
}

static struct rv_event_builder_text string_of(const struct firefox *firefox, int64_t row)
{
    const struct tables *own = &firefox->threads[firefox->thread_idx].own;
    const struct tables *tables = own->n_strings ? own : &firefox->shared;
    return rv_import_string(row >= 0 && (uint64_t)row < tables->n_strings ? tables->strings[row] : NULL);
}

static int64_t caller_of(const struct firefox *firefox, int64_t stack)
{
    int64_t offset = row_of(firefox, PREFIX_OFFSET, stack);
    return offset > 0 ? stack - offset : row_of(firefox, PREFIX, stack);
}

static struct rv_event_builder_text file_of(const struct firefox *firefox, int64_t function)
{
    bool has_source = row_of(firefox, FLAGS, function) & FUNCTION_HAS_SOURCE; /* true without flags */
    int64_t source = has_source ? row_of(firefox, SOURCE, function) : -1, name = row_of(firefox, SOURCE_NAME, source);
    return string_of(firefox, name >= 0 ? name : row_of(firefox, FILE_NAME, function));
}

/* The subroutine of a stack's innermost frame; 0: it is not in the file. */
static uint32_t subroutine_of(struct firefox *firefox, int64_t stack)
{
    int64_t function = row_of(firefox, FUNCTION, row_of(firefox, FRAME, stack)), name = row_of(firefox, NAME, function);
    if (name < 0)
        return 0;
    uint32_t *id = &firefox->ids[function];
    if (!*id) {
        int64_t line = row_of(firefox, LINE, function);
        *id = rv_event_builder_intern(firefox->import.builder, rv_import_string(NULL), string_of(firefox, name),
                                      file_of(firefox, function), line > 0 && line < UINT32_MAX ? (uint32_t)line : 0);
    }
    return *id;
}

static uint32_t line_of(const struct firefox *firefox, int64_t stack)
{
    const int64_t line = row_of(firefox, FRAME_LINE, row_of(firefox, FRAME, stack));
    return line > 0 && line < UINT32_MAX ? (uint32_t)line : 0;
}

static void swap(uint32_t *a, uint32_t *b)
{
    const uint32_t kept = *a;
    *a = *b;
    *b = kept;
}

/*
 * Write the frames into firefox->stack and lines, outermost first. A caller has a lower row than what it calls. Returns
 * the number of frames.
 */
static size_t take_stack(struct firefox *firefox, int64_t innermost)
{
    size_t n = 0;
    size_t n_rows = 0;
    for (int64_t at = innermost, caller; at >= 0; at = caller, n_rows++) {
        uint32_t id = subroutine_of(firefox, at);
        caller = caller_of(firefox, at);
        if (!id || caller >= at || n_rows == RV_EVENT_BUILDER_DEPTH)
            rv_import_fault(&firefox->import, RV_FAULT_NO_FRAME);
        if (n_rows == RV_EVENT_BUILDER_DEPTH)
            break;
        if (caller >= at)
            caller = -1;
        if (!id)
            continue;
        firefox->stack = rv_vec_reserve(firefox->stack, &firefox->stack_capacity, n + 1, sizeof *firefox->stack);
        firefox->lines = rv_vec_reserve(firefox->lines, &firefox->lines_capacity, n + 1, sizeof *firefox->lines);
        firefox->lines[n] = line_of(firefox, at);
        firefox->stack[n++] = id;
    }
    for (size_t i = 0; i < n / 2; i++) {
        swap(&firefox->stack[i], &firefox->stack[n - 1 - i]);
        swap(&firefox->lines[i], &firefox->lines[n - 1 - i]);
    }
    firefox->n_rows_walked += n_rows;
    return n;
}

/* ---- emitting ---- */

static void begin_thread(struct firefox *firefox)
{
    struct rv_event_builder *builder = firefox->import.builder;
    const struct thread *thread = &firefox->threads[firefox->thread_idx];
    uint32_t process = rv_event_builder_process(builder, thread->pid);
    uint64_t tid = thread->tid ? thread->tid : firefox->thread_idx + 1;
    firefox->thread = rv_event_builder_thread(builder, process, tid, 0);
    if (thread->process_name)
        rv_event_builder_name_process(builder, process, rv_import_string(thread->process_name));
    rv_event_builder_name_thread(builder, firefox->thread, rv_import_string(thread->name));
    free(firefox->ids);
    firefox->ids = rv_alloc_sparse(column_of(firefox, NAME)->n + 1, sizeof *firefox->ids);
    firefox->now_ns = firefox->start_ns;
}

static void emit_sample(struct firefox *firefox)
{
    int64_t row = (int64_t)firefox->sample_idx++, time_ns = row_of(firefox, TIME, row);
    size_t n = take_stack(firefox, row_of(firefox, STACK, row));
    firefox->now_ns = column_of(firefox, TIME)->n ? rv_import_later_ns(firefox->start_ns, time_ns)
                                                  : rv_import_later_ns(firefox->now_ns, row_of(firefox, DELTA, row));
    rv_event_builder_sample_lines(firefox->import.builder, firefox->thread, firefox->now_ns, firefox->stack,
                                  firefox->lines, n);
}

static int emit(struct firefox *firefox)
{
    firefox->n_rows_walked = 0;
    for (int i = 0; i < SAMPLES_PER_STEP && firefox->n_rows_walked < ROWS_PER_STEP; i++) {
        if (firefox->thread_idx == firefox->n_threads)
            return 0;
        if (firefox->sample_idx == 0)
            begin_thread(firefox);
        if (firefox->sample_idx < firefox->threads[firefox->thread_idx].own.columns[STACK].n) {
            emit_sample(firefox);
            continue;
        }
        if (firefox->sample_idx)
            rv_event_builder_sample(firefox->import.builder, firefox->thread,
                                    rv_import_later_ns(firefox->now_ns, firefox->interval_ns), NULL, 0);
        firefox->thread_idx++;
        firefox->sample_idx = 0;
    }
    return 1;
}

/* ---- as a format ---- */

static bool matches(const char *head, size_t n)
{
    static const char *const keys[] = {"meta", NULL}, version[] = "\"preprocessedProfileVersion\"";
    return rv_json_has_key(head, n, keys) && memmem(head, n, version, sizeof version - 1);
}

static int begin(struct rv_import *import)
{
    static const struct rv_json_handler handler = {
        .key = on_key, .value = on_value, .nothing = on_nothing, .open = on_open, .close = on_close};
    struct firefox *firefox = (struct firefox *)import;
    firefox->column = -1;
    firefox->interval_ns = 1000000;
    firefox->json = rv_json_create(&handler, firefox);
    return 0;
}

static int end_reading(struct firefox *firefox)
{
    struct rv_import *import = &firefox->import;
    size_t n_samples = 0;
    for (size_t i = 0; i < firefox->n_threads; i++)
        n_samples += firefox->threads[i].own.columns[STACK].n;
    if (n_samples == 0)
        return rv_err(EBADMSG, "%s: a profile of the Firefox profiler without samples", import->path);
    firefox->is_read = true;
    if (firefox->start_ns < 0)
        firefox->start_ns = 0;
    if (firefox->interval_ns < 0)
        firefox->interval_ns = 0;
    rv_event_builder_see_time(import->builder, rv_import_later_ns(firefox->start_ns, row_of(firefox, TIME, 0)));
    return 1;
}

static int step(struct rv_import *import)
{
    struct firefox *firefox = (struct firefox *)import;
    if (firefox->is_read)
        return emit(firefox);
    int status = rv_import_read_json(import, firefox->json);
    return status == 0 ? end_reading(firefox) : status;
}

static void tables_fini(struct tables *tables)
{
    for (int i = 0; i < N_COLUMNS; i++)
        free(tables->columns[i].rows);
    for (size_t i = 0; i < tables->n_strings; i++)
        free(tables->strings[i]);
    free(tables->strings);
}

static void fini(struct rv_import *import)
{
    struct firefox *firefox = (struct firefox *)import;
    rv_json_destroy(firefox->json);
    for (size_t i = 0; i < firefox->n_threads; i++) {
        tables_fini(&firefox->threads[i].own);
        free(firefox->threads[i].name);
        free(firefox->threads[i].process_name);
    }
    tables_fini(&firefox->shared);
    free(firefox->threads);
    free(firefox->ids);
    free(firefox->stack);
    free(firefox->lines);
}

const struct rv_import_format rv_import_firefox = {.name = "firefox",
                                                   .describe = "a profile of the Firefox profiler",
                                                   .bytes = sizeof(struct firefox),
                                                   .is_text = true,
                                                   .matches = matches,
                                                   .begin = begin,
                                                   .step = step,
                                                   .fini = fini};
