/*
 * A dump of the stackprof gem as JSON, taken with `raw: true`: frames by number, and samples in order of time, each as its
 * number of frames, these from the outermost on, and how often it came; newer versions tell their lines in the same way; then
 * the time of each. The file is read in full.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"
#include "import/formats.h"

enum { SAMPLES_PER_STEP = 1 << 12, US_TO_NS = 3 };

enum array { NO_ARRAY, RAW, LINES, TIMES, DELTAS, N_ARRAYS };
enum field { NO_FIELD, NAME, FILE_NAME, LINE, INTERVAL };

struct numbers {
    int64_t *values;
    size_t n, capacity;
};

struct frame {
    int64_t number;
    char *name, *file;
    uint32_t line, id;
};

struct stackprof {
    struct rv_import import; /* first */
    struct rv_json *json;
    struct numbers arrays[N_ARRAYS];
    struct frame *frames; /* sorted by number, once read */
    size_t n_frames, capacity;
    int64_t interval_ns;
    bool is_in_frames;
    enum array array; /* where the parser is */
    enum field field;

    bool is_read;
    uint32_t thread;
    size_t at, n_emitted;       /* place in RAW; samples emitted */
    int64_t n_repeated, now_ns; /* of the last sample before that place */
    uint32_t *stack, *lines;    /* n_stack of them; line 0 = unknown */
    size_t n_stack, stack_capacity, lines_capacity;
    bool is_collecting;
    size_t n_sampled; /* calls of the last sample that was no collection */
};

/* ---- reading ---- */

static void add_frame(struct stackprof *stackprof, const char *bytes, size_t n)
{
    stackprof->frames =
        rv_vec_reserve(stackprof->frames, &stackprof->capacity, stackprof->n_frames + 1, sizeof *stackprof->frames);
    stackprof->frames[stackprof->n_frames++] = (struct frame){.number = rv_import_number(bytes, n, 0)};
}

static int on_key(void *context, const char *bytes, size_t n)
{
    static const struct rv_json_key arrays[] = {{"raw", RAW},
                                                {"raw_lines", LINES},
                                                {"raw_sample_timestamps", TIMES},
                                                {"raw_timestamp_deltas", DELTAS},
                                                {NULL, 0}};
    static const struct rv_json_key fields[] = {{"name", NAME}, {"file", FILE_NAME}, {"line", LINE}, {NULL, 0}};
    struct stackprof *stackprof = context;
    unsigned depth = rv_json_depth(stackprof->json);
    if (depth == 1) {
        stackprof->is_in_frames = rv_json_is(bytes, n, "frames");
        stackprof->array = (enum array)rv_json_key_of(arrays, bytes, n);
        stackprof->field = rv_json_is(bytes, n, "interval") ? INTERVAL : NO_FIELD;
    } else if (depth == 2 && stackprof->is_in_frames) {
        add_frame(stackprof, bytes, n);
    } else {
        stackprof->field =
            depth == 3 && stackprof->is_in_frames ? (enum field)rv_json_key_of(fields, bytes, n) : NO_FIELD;
    }
    return 0;
}

static void take_field(struct stackprof *stackprof, const char *bytes, size_t n)
{
    struct frame *frame = stackprof->n_frames ? &stackprof->frames[stackprof->n_frames - 1] : NULL;
    if (stackprof->field == NAME && frame)
        rv_import_replace(&frame->name, bytes, n);
    else if (stackprof->field == FILE_NAME && frame)
        rv_import_replace(&frame->file, bytes, n);
    else if (stackprof->field == LINE && frame)
        frame->line = (uint32_t)rv_import_number(bytes, n, 0);
}

static int on_value(void *context, const char *bytes, size_t n, bool is_number)
{
    struct stackprof *stackprof = context;
    unsigned depth = rv_json_depth(stackprof->json);
    (void)is_number;
    if (depth == 2 && stackprof->array) {
        struct numbers *array = &stackprof->arrays[stackprof->array];
        array->values = rv_vec_reserve(array->values, &array->capacity, array->n + 1, sizeof *array->values);
        array->values[array->n++] = rv_import_number(bytes, n, stackprof->array < TIMES ? 0 : US_TO_NS);
    } else if (depth == 1 && stackprof->field == INTERVAL) {
        stackprof->interval_ns = rv_import_number(bytes, n, US_TO_NS);
    } else if (depth == 3 && stackprof->is_in_frames) {
        take_field(stackprof, bytes, n);
    }
    return 0;
}

static int on_bracket(void *context, bool is_array)
{
    (void)context, (void)is_array;
    return 0;
}

static int by_number(const void *a, const void *b)
{
    const struct frame *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* ---- emitting ---- */

static struct frame *find_frame(struct stackprof *stackprof, int64_t number)
{
    const struct frame key = {.number = number};
    return bsearch(&key, stackprof->frames, stackprof->n_frames, sizeof key, by_number);
}

/* 0: the frame is not in the file. */
static uint32_t subroutine_of(struct stackprof *stackprof, int64_t number)
{
    struct frame *frame = find_frame(stackprof, number);
    if (frame && !frame->id)
        frame->id = rv_event_builder_intern(stackprof->import.builder, rv_import_string(NULL),
                                            rv_import_string(frame->name), rv_import_string(frame->file), frame->line);
    return frame ? frame->id : 0;
}

/* Such a sample has no callers: the collection runs inside the calls sampled before. */
static bool is_collection(struct stackprof *stackprof, int64_t number)
{
    const struct frame *frame = find_frame(stackprof, number);
    return frame && frame->name && strcmp(frame->name, "(garbage collection)") == 0;
}

/* Of the frame at that place of RAW; 0 = unknown. */
static uint32_t line_at(const struct stackprof *stackprof, size_t at)
{
    const struct numbers *lines = &stackprof->arrays[LINES];
    const int64_t line = at < lines->n ? lines->values[at] : 0;
    return line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0;
}

/* The stack of the sample that begins at that place of RAW, and what follows it; false at the end, or where it is cut. */
static bool next_stack(struct stackprof *stackprof)
{
    const struct numbers *raw = &stackprof->arrays[RAW];
    int64_t n = stackprof->at < raw->n ? raw->values[stackprof->at++] : -1;
    if (n < 0 || (uint64_t)n >= raw->n - stackprof->at)
        return false;
    stackprof->is_collecting = n > 0 && is_collection(stackprof, raw->values[stackprof->at]);
    stackprof->n_stack = 0;
    stackprof->stack =
        rv_vec_reserve(stackprof->stack, &stackprof->stack_capacity, (size_t)n + 1, sizeof *stackprof->stack);
    stackprof->lines =
        rv_vec_reserve(stackprof->lines, &stackprof->lines_capacity, (size_t)n + 1, sizeof *stackprof->lines);
    for (int64_t i = 0; i < n; i++) {
        uint32_t id = subroutine_of(stackprof, raw->values[stackprof->at]), line = line_at(stackprof, stackprof->at);
        stackprof->at++;
        if (!id) {
            rv_import_fault(&stackprof->import, RV_FAULT_NO_FRAME);
            continue;
        }
        stackprof->lines[stackprof->n_stack] = line;
        stackprof->stack[stackprof->n_stack++] = id;
    }
    stackprof->n_repeated = raw->values[stackprof->at++];
    return true;
}

static void emit_stack(struct stackprof *stackprof)
{
    struct rv_event_builder *builder = stackprof->import.builder;
    if (stackprof->is_collecting) {
        rv_event_builder_sample_inner(builder, stackprof->thread, stackprof->now_ns, stackprof->n_sampled,
                                      stackprof->stack, stackprof->n_stack);
        return;
    }
    stackprof->n_sampled = stackprof->n_stack;
    rv_event_builder_sample_lines(builder, stackprof->thread, stackprof->now_ns, stackprof->stack, stackprof->lines,
                                  stackprof->n_stack);
}

/* Of a sample; without times, an interval after the one before. */
static int64_t time_of(const struct stackprof *stackprof, size_t sample)
{
    const struct numbers *times = &stackprof->arrays[TIMES], *deltas = &stackprof->arrays[DELTAS];
    if (sample < times->n)
        return times->values[sample];
    return rv_import_later_ns(stackprof->now_ns, sample < deltas->n ? deltas->values[sample] : stackprof->interval_ns);
}

/* To the last of the samples that follow each other with one stack: each is a hit of its line. */
static void skip_repeated(struct stackprof *stackprof)
{
    const size_t n_timed = stackprof->arrays[TIMES].n + stackprof->arrays[DELTAS].n;
    int64_t n = stackprof->n_repeated > 1 ? stackprof->n_repeated - 1 : 0, all_ns;
    if (n_timed == 0 && !__builtin_mul_overflow(n, stackprof->interval_ns, &all_ns))
        stackprof->now_ns = rv_import_later_ns(stackprof->now_ns, all_ns);
    for (; n > 0 && stackprof->n_emitted < n_timed; n--) {
        stackprof->now_ns = time_of(stackprof, ++stackprof->n_emitted);
        if (stackprof->arrays[LINES].n && !stackprof->is_collecting)
            rv_event_builder_sample_again(stackprof->import.builder, stackprof->thread, stackprof->now_ns);
    }
}

static int emit(struct stackprof *stackprof)
{
    struct rv_event_builder *builder = stackprof->import.builder;
    for (int i = 0; i < SAMPLES_PER_STEP; i++) {
        if (!next_stack(stackprof)) {
            int64_t end_ns = rv_import_later_ns(stackprof->now_ns, stackprof->interval_ns);
            rv_event_builder_sample(builder, stackprof->thread, end_ns, NULL, 0);
            return 0;
        }
        stackprof->now_ns = time_of(stackprof, stackprof->n_emitted);
        emit_stack(stackprof);
        skip_repeated(stackprof);
        stackprof->n_emitted++;
    }
    return 1;
}

/* ---- as a format ---- */

static bool matches(const char *head, size_t n)
{
    static const char *const keys[] = {"missed_samples", NULL};
    return rv_json_has_key(head, n, keys);
}

static int begin(struct rv_import *import)
{
    static const struct rv_json_handler handler = {
        .key = on_key, .value = on_value, .open = on_bracket, .close = on_bracket};
    struct stackprof *stackprof = (struct stackprof *)import;
    stackprof->thread = rv_import_only_thread(import, "samples");
    stackprof->interval_ns = 1000000;
    stackprof->json = rv_json_create(&handler, stackprof);
    return 0;
}

static int end_reading(struct stackprof *stackprof)
{
    struct rv_import *import = &stackprof->import;
    if (stackprof->arrays[RAW].n == 0)
        return rv_err(EBADMSG, "%s: a dump of stackprof without the order of its samples: run it with raw: true",
                      import->path);
    qsort(stackprof->frames, stackprof->n_frames, sizeof *stackprof->frames, by_number);
    stackprof->is_read = true;
    rv_event_builder_see_time(import->builder, time_of(stackprof, 0));
    return 1;
}

static int step(struct rv_import *import)
{
    struct stackprof *stackprof = (struct stackprof *)import;
    if (stackprof->is_read)
        return emit(stackprof);
    int status = rv_import_read_json(import, stackprof->json);
    return status == 0 ? end_reading(stackprof) : status;
}

static void fini(struct rv_import *import)
{
    struct stackprof *stackprof = (struct stackprof *)import;
    rv_json_destroy(stackprof->json);
    for (size_t i = 0; i < stackprof->n_frames; i++) {
        free(stackprof->frames[i].name);
        free(stackprof->frames[i].file);
    }
    for (int i = 0; i < N_ARRAYS; i++)
        free(stackprof->arrays[i].values);
    free(stackprof->frames);
    free(stackprof->stack);
    free(stackprof->lines);
}

const struct rv_import_format rv_import_stackprof = {.name = "stackprof",
                                                     .describe = "a dump of stackprof",
                                                     .bytes = sizeof(struct stackprof),
                                                     .is_text = true,
                                                     .matches = matches,
                                                     .begin = begin,
                                                     .step = step,
                                                     .fini = fini};
