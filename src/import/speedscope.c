/*
 * speedscope's file format, which --export also writes: profiles of open and close events, or of samples with weights,
 * and the frames that both refer to by number, which may come later in the file. So events go through the sorter, on
 * disk beyond RUN_RECORDS, in order of profiles and positions, and are emitted when the whole file is read. A profile
 * name "PROCESS (PID) THREAD (TID)" is split.
 */
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"
#include "import/external_sort.h"
#include "import/formats.h"

enum { RUN_RECORDS = 1 << 20, RECORDS_PER_STEP = 1 << 14, NAME_BYTES = 256, TEXT_BYTES = 4096, STACK_FRAMES = 4096 };
enum { PROFILE_DEPTH = 3, SHARED_DEPTH = 2 }; /* depth directly inside a profile, and inside "shared" */

enum key { OTHER, NAME, UNIT, START, END, EVENTS, SAMPLES, WEIGHTS, TYPE, FRAME, AT, FRAMES, FILE_NAME, LINE };
enum kind { OPEN, CLOSE, SAMPLE_WEIGHT, SAMPLE_FRAME, SAMPLE_END };

static const int64_t BILLION = 1000000000;

/* A number, value * 10^-scale, in the profile's unit, which may come later in the file. */
struct number {
    int64_t value;
    uint32_t scale;
};

struct record {
    uint64_t index; /* of the event or sample */
    struct number number;
    uint32_t profile, position; /* of a frame in its sample */
    uint32_t kind, frame;
};

struct profile {
    char name[NAME_BYTES], unit[16];
    struct number start, end;
    uint64_t n_events, n_samples, n_weights;
    uint32_t thread;
};

struct speedscope {
    struct rv_import import; /* first */
    struct rv_json *json;
    struct rv_external_sort *sorter;
    struct profile *profiles;
    size_t n_profiles, profiles_capacity;
    uint32_t *ids; /* by the frame's number */
    size_t n_ids, ids_capacity;
    /* the parser's state */
    bool is_in_profiles, is_in_shared;
    enum key key, inner_key; /* of a profile; of an event or a frame */
    struct record record;
    char frame_name[TEXT_BYTES], frame_file[TEXT_BYTES];
    uint32_t frame_line;
    /* emitting */
    bool is_read;
    size_t current; /* profile + 1 */
    int64_t now_ns;
    struct number weight; /* of the sample whose frames follow */
    uint32_t stack[STACK_FRAMES];
    size_t n_stack;
};

static int compare(const void *left, const void *right)
{
    const struct record *a = left, *b = right;
    if (a->profile != b->profile)
        return a->profile < b->profile ? -1 : 1;
    if (a->index != b->index)
        return a->index < b->index ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->position < b->position ? -1 : a->position > b->position;
}

/* ---- reading ---- */

static enum key key_of(const char *bytes, size_t n)
{
    static const struct rv_json_key keys[] = {
        {"name", NAME},       {"unit", UNIT},       {"startValue", START}, {"endValue", END}, {"events", EVENTS},
        {"samples", SAMPLES}, {"weights", WEIGHTS}, {"type", TYPE},        {"frame", FRAME},  {"at", AT},
        {"frames", FRAMES},   {"file", FILE_NAME},  {"line", LINE},        {NULL, 0}};
    return (enum key)rv_json_key_of(keys, bytes, n);
}

static void copy(char *out, size_t out_bytes, const char *bytes, size_t n)
{
    n = n < out_bytes - 1 ? n : out_bytes - 1;
    memcpy(out, bytes, n);
    out[n] = '\0';
}

static struct number number_of(const char *bytes, size_t n)
{
    struct number number = {.scale = 9};
    if (!rv_import_decimal(bytes, n, 9, &number.value, NULL)) {
        number.scale = 0;
        if (!rv_import_decimal(bytes, n, 0, &number.value, NULL))
            number.value = 0;
    }
    return number;
}

static uint32_t frame_of(const char *bytes, size_t n)
{
    int64_t value;
    return rv_import_decimal(bytes, n, 0, &value, NULL) && value >= 0 && value < UINT32_MAX ? (uint32_t)value
                                                                                            : UINT32_MAX;
}

static int on_key(void *context, const char *bytes, size_t n)
{
    struct speedscope *speedscope = context;
    unsigned depth = rv_json_depth(speedscope->json);
    if (depth == 1) {
        speedscope->is_in_profiles = rv_json_is(bytes, n, "profiles");
        speedscope->is_in_shared = rv_json_is(bytes, n, "shared");
    } else if ((speedscope->is_in_profiles && depth == PROFILE_DEPTH) ||
               (speedscope->is_in_shared && depth == SHARED_DEPTH)) {
        speedscope->key = key_of(bytes, n);
    } else {
        speedscope->inner_key = key_of(bytes, n);
    }
    return 0;
}

static int on_open(void *context, bool is_array)
{
    struct speedscope *speedscope = context;
    unsigned depth = rv_json_depth(speedscope->json);
    if (speedscope->is_in_profiles && depth == PROFILE_DEPTH && !is_array) {
        speedscope->profiles = rv_vec_reserve(speedscope->profiles, &speedscope->profiles_capacity,
                                              speedscope->n_profiles + 1, sizeof *speedscope->profiles);
        speedscope->profiles[speedscope->n_profiles++] = (struct profile){.unit = "none"};
        speedscope->key = OTHER;
    }
    speedscope->record = (struct record){.profile = (uint32_t)speedscope->n_profiles - 1, .frame = UINT32_MAX};
    speedscope->inner_key = OTHER;
    *speedscope->frame_name = *speedscope->frame_file = '\0';
    speedscope->frame_line = 0;
    return 0;
}

static void read_field(struct profile *profile, enum key key, const char *bytes, size_t n)
{
    if (key == NAME)
        copy(profile->name, sizeof profile->name, bytes, n);
    else if (key == UNIT)
        copy(profile->unit, sizeof profile->unit, bytes, n);
    else if (key == START)
        profile->start = number_of(bytes, n);
    else if (key == END)
        profile->end = number_of(bytes, n);
}

static void read_event_field(struct speedscope *speedscope, const char *bytes, size_t n)
{
    if (speedscope->inner_key == TYPE)
        speedscope->record.kind = n == 1 && *bytes == 'C' ? CLOSE : OPEN;
    else if (speedscope->inner_key == FRAME)
        speedscope->record.frame = frame_of(bytes, n);
    else if (speedscope->inner_key == AT)
        speedscope->record.number = number_of(bytes, n);
}

static int add_sample_part(struct speedscope *speedscope, enum kind kind, struct record record)
{
    record.kind = kind;
    record.profile = (uint32_t)speedscope->n_profiles - 1;
    return rv_external_sort_add(speedscope->sorter, &record);
}

static int read_profile_value(struct speedscope *speedscope, unsigned depth, const char *bytes, size_t n)
{
    struct profile *profile = &speedscope->profiles[speedscope->n_profiles - 1];
    if (depth == PROFILE_DEPTH)
        read_field(profile, speedscope->key, bytes, n);
    else if (speedscope->key == EVENTS && depth == PROFILE_DEPTH + 2)
        read_event_field(speedscope, bytes, n);
    else if (speedscope->key == WEIGHTS && depth == PROFILE_DEPTH + 1)
        return add_sample_part(speedscope, SAMPLE_WEIGHT,
                               (struct record){.index = profile->n_weights++, .number = number_of(bytes, n)});
    else if (speedscope->key == SAMPLES && depth == PROFILE_DEPTH + 2)
        return add_sample_part(speedscope, SAMPLE_FRAME,
                               (struct record){.index = profile->n_samples,
                                               .position = speedscope->record.position++,
                                               .frame = frame_of(bytes, n)});
    return 0;
}

static int on_value(void *context, const char *bytes, size_t n, bool is_number)
{
    (void)is_number;
    struct speedscope *speedscope = context;
    unsigned depth = rv_json_depth(speedscope->json);
    if (speedscope->is_in_profiles && speedscope->n_profiles)
        return read_profile_value(speedscope, depth, bytes, n);
    if (!speedscope->is_in_shared || speedscope->key != FRAMES || depth != SHARED_DEPTH + 2)
        return 0;
    if (speedscope->inner_key == NAME)
        copy(speedscope->frame_name, sizeof speedscope->frame_name, bytes, n);
    else if (speedscope->inner_key == FILE_NAME)
        copy(speedscope->frame_file, sizeof speedscope->frame_file, bytes, n);
    else if (speedscope->inner_key == LINE)
        speedscope->frame_line = frame_of(bytes, n);
    return 0;
}

static void add_frame(struct speedscope *speedscope)
{
    struct rv_event_builder_text none = {0};
    const char *name = *speedscope->frame_name ? speedscope->frame_name : "(unnamed)";
    uint32_t line = speedscope->frame_line == UINT32_MAX ? 0 : speedscope->frame_line;
    speedscope->ids =
        rv_vec_reserve(speedscope->ids, &speedscope->ids_capacity, speedscope->n_ids + 1, sizeof *speedscope->ids);
    speedscope->ids[speedscope->n_ids++] = rv_event_builder_intern(
        speedscope->import.builder, none, rv_import_string(name), rv_import_string(speedscope->frame_file), line);
}

static int on_close(void *context, bool is_array)
{
    struct speedscope *speedscope = context;
    unsigned depth = rv_json_depth(speedscope->json);
    if (speedscope->is_in_shared && speedscope->key == FRAMES && depth == SHARED_DEPTH + 2 && !is_array)
        add_frame(speedscope);
    if (!speedscope->is_in_profiles || !speedscope->n_profiles || depth != PROFILE_DEPTH + 2)
        return 0;
    struct profile *profile = &speedscope->profiles[speedscope->n_profiles - 1];
    if (speedscope->key == SAMPLES && is_array)
        return add_sample_part(speedscope, SAMPLE_END, (struct record){.index = profile->n_samples++});
    if (speedscope->key != EVENTS || is_array)
        return 0;
    speedscope->record.index = profile->n_events++;
    return rv_external_sort_add(speedscope->sorter, &speedscope->record);
}

/* ---- emitting ---- */

/* A weight that is not a time counts as microseconds. */
static int64_t to_ns(const struct profile *profile, struct number number)
{
    static const struct {
        const char *unit;
        int64_t ns;
    } units[] = {{"nanoseconds", 1}, {"milliseconds", 1000000}, {"seconds", 1000000000}};
    int64_t unit_ns = 1000, whole = number.value, part = 0, ns;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(profile->unit, units[i].unit) == 0)
            unit_ns = units[i].ns;
    if (number.scale) {
        whole = number.value / BILLION;
        part = number.value % BILLION * unit_ns / BILLION;
    }
    if (__builtin_mul_overflow(whole, unit_ns, &ns) || __builtin_add_overflow(ns, part, &ns))
        ns = INT64_MAX;
    return ns < 0 ? 0 : ns;
}

/* " (123)" before *end; moves *end before it. */
static bool take_number(const char *text, size_t *end, uint64_t *number)
{
    size_t at = *end;
    if (at < 4 || text[at - 1] != ')')
        return false;
    for (at--; at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9';)
        at--;
    if (at == *end - 1 || at < 2 || text[at - 1] != '(' || text[at - 2] != ' ')
        return false;
    *number = strtoull(text + at, NULL, 10);
    *end = at - 2;
    return true;
}

struct task { /* as a profile names it */
    struct rv_event_builder_text process, thread;
    uint64_t pid, tid;
};

/* "PROCESS (PID) THREAD (TID)" */
static bool split_name(const char *name, struct task *task)
{
    size_t n = strlen(name);
    if (!take_number(name, &n, &task->tid))
        return false;
    for (size_t first = n; first > 0; first--) {
        size_t n_process = first - 1;
        if (name[first - 1] != ' ' || !take_number(name, &n_process, &task->pid))
            continue;
        task->process = rv_import_text(name, n_process);
        task->thread = rv_import_text(name + first, n - first);
        return true;
    }
    return false;
}

static uint32_t begin_thread(struct speedscope *speedscope, uint32_t profile_idx)
{
    struct rv_event_builder *builder = speedscope->import.builder;
    const char *name = speedscope->profiles[profile_idx].name;
    char *path = rv_strdup(speedscope->import.path);
    struct task task = {0};
    if (!split_name(name, &task))
        task = (struct task){
            .process = rv_import_string(basename(path)), .thread = rv_import_string(name), .tid = profile_idx};
    uint32_t process = rv_event_builder_process(builder, task.pid),
             thread = rv_event_builder_thread(builder, process, task.tid, 0);
    rv_event_builder_name_process(builder, process, task.process);
    rv_event_builder_name_thread(builder, thread, task.thread);
    free(path);
    return thread;
}

/* Calls still open last to the profile's end. */
static void end_profile(struct speedscope *speedscope)
{
    struct rv_event_builder *builder = speedscope->import.builder;
    if (speedscope->current == 0)
        return;
    const struct profile *profile = &speedscope->profiles[speedscope->current - 1];
    int64_t end_ns = to_ns(profile, profile->end);
    if (profile->n_samples)
        rv_event_builder_sample(builder, profile->thread, speedscope->now_ns, NULL, 0);
    else if (rv_event_builder_depth(builder, profile->thread))
        rv_event_builder_end_thread(builder, profile->thread, end_ns);
}

static void begin_profile(struct speedscope *speedscope, uint32_t profile_idx)
{
    struct profile *profile = &speedscope->profiles[profile_idx];
    end_profile(speedscope);
    speedscope->current = profile_idx + 1;
    profile->thread = begin_thread(speedscope, profile_idx);
    speedscope->now_ns = to_ns(profile, profile->start);
    speedscope->n_stack = 0;
}

static void close_call(struct speedscope *speedscope, uint32_t thread, int64_t ns, uint32_t id)
{
    struct rv_import *import = &speedscope->import;
    const uint32_t *open = rv_event_builder_stack(import->builder, thread);
    size_t n = rv_event_builder_depth(import->builder, thread), found = n;
    while (found > 0 && open[found - 1] != id)
        found--;
    if (found == 0) {
        rv_import_fault(import, RV_FAULT_END_ALONE);
        return;
    }
    if (found < n)
        rv_import_fault(import, RV_FAULT_END_MISPLACED);
    rv_event_builder_return_from(import->builder, thread, ns, found - 1);
}

static void emit(struct speedscope *speedscope, const struct record *record)
{
    struct rv_import *import = &speedscope->import;
    if (speedscope->current != record->profile + 1)
        begin_profile(speedscope, record->profile);
    const struct profile *profile = &speedscope->profiles[record->profile];
    uint32_t id = record->frame < speedscope->n_ids ? speedscope->ids[record->frame] : 0;
    bool has_frame = record->kind == OPEN || record->kind == CLOSE || record->kind == SAMPLE_FRAME;
    if (has_frame && !id) {
        rv_import_fault(import, RV_FAULT_NO_FRAME);
        return;
    }
    switch ((enum kind)record->kind) {
    case OPEN:
        rv_event_builder_call(import->builder, profile->thread, to_ns(profile, record->number), id);
        break;
    case CLOSE:
        close_call(speedscope, profile->thread, to_ns(profile, record->number), id);
        break;
    case SAMPLE_WEIGHT: /* precedes its sample's frames */
        speedscope->weight = record->number;
        break;
    case SAMPLE_FRAME:
        if (speedscope->n_stack < STACK_FRAMES)
            speedscope->stack[speedscope->n_stack++] = id;
        break;
    case SAMPLE_END:
        rv_event_builder_sample(import->builder, profile->thread, speedscope->now_ns, speedscope->stack,
                                speedscope->n_stack);
        speedscope->n_stack = 0;
        if (__builtin_add_overflow(speedscope->now_ns, to_ns(profile, speedscope->weight), &speedscope->now_ns))
            speedscope->now_ns = INT64_MAX;
        speedscope->weight = (struct number){0};
        break;
    }
}

static int emit_some(struct speedscope *speedscope)
{
    for (int i = 0; i < RECORDS_PER_STEP; i++) {
        int error;
        const struct record *record = rv_external_sort_next(speedscope->sorter, &error);
        if (error)
            return error;
        if (!record) {
            end_profile(speedscope);
            return 0;
        }
        emit(speedscope, record);
    }
    return 1;
}

/* ---- as a format ---- */

static bool matches(const char *head, size_t n)
{
    static const char *const keys[] = {"profiles", "activeProfileIndex", NULL};
    return rv_json_has_key(head, n, keys);
}

static int begin(struct rv_import *import)
{
    static const struct rv_json_handler handler = {
        .key = on_key, .value = on_value, .open = on_open, .close = on_close};
    struct speedscope *speedscope = (struct speedscope *)import;
    speedscope->sorter = rv_external_sort_create(sizeof(struct record), RUN_RECORDS, compare);
    speedscope->json = rv_json_create(&handler, speedscope);
    return 0;
}

static int end_reading(struct speedscope *speedscope)
{
    struct rv_import *import = &speedscope->import;
    if (speedscope->n_profiles == 0 || speedscope->n_ids == 0)
        return rv_err(EBADMSG, "%s: not a speedscope file: no profiles, or no shared frames", import->path);
    speedscope->is_read = true;
    rv_event_builder_see_time(import->builder, to_ns(&speedscope->profiles[0], speedscope->profiles[0].start));
    int error = rv_external_sort_finish(speedscope->sorter);
    return error ? error : 1;
}

static int step(struct rv_import *import)
{
    struct speedscope *speedscope = (struct speedscope *)import;
    if (speedscope->is_read)
        return emit_some(speedscope);
    int status = rv_import_read_json(import, speedscope->json);
    return status == 0 ? end_reading(speedscope) : status;
}

static void fini(struct rv_import *import)
{
    struct speedscope *speedscope = (struct speedscope *)import;
    rv_json_destroy(speedscope->json);
    rv_external_sort_destroy(speedscope->sorter);
    free(speedscope->profiles);
    free(speedscope->ids);
}

const struct rv_import_format rv_import_speedscope = {.name = "speedscope",
                                                      .describe = "a speedscope file",
                                                      .bytes = sizeof(struct speedscope),
                                                      .is_text = true,
                                                      .matches = matches,
                                                      .begin = begin,
                                                      .step = step,
                                                      .fini = fini};
