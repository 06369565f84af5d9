#include "import/chrome_json_parser.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "import/import.h"
#include "import/json_parser.h"

enum section { SECTION_NONE, SECTION_EVENTS, SECTION_SAMPLES, SECTION_FRAMES, SECTION_SYSTEM };

enum field {
    FIELD_OTHER,
    FIELD_NAME,
    FIELD_CATEGORY,
    FIELD_PHASE,
    FIELD_TIME,
    FIELD_DURATION,
    FIELD_THREAD_DURATION, /* on the thread's own clock: used if there is no other */
    FIELD_PID,
    FIELD_TID,
    FIELD_ID,
    FIELD_ID2,
    FIELD_BIND,
    FIELD_BINDING_POINT,
    FIELD_FLOW_IN,
    FIELD_FLOW_OUT,
    FIELD_ARGUMENTS,
    FIELD_FRAME,
    FIELD_PARENT,
    FIELD_CPU,
    FIELD_OUT,
    FIELD_IN,
    FIELD_STATE
};

struct rv_chrome_json {
    struct rv_json *json;
    rv_chrome_event_fn on_event;
    void *context;
    bool is_array; /* the outermost value */
    bool has_trace;
    bool is_in_system; /* Fuchsia's "systemTraceEvents": {"type": ..., "events": [...]} */
    enum section section;
    unsigned section_depth; /* depth directly inside the section's brackets */
    enum field field;
    enum field inner_field; /* inside "out" or "in" */
    bool is_name_argument;  /* the key inside args was "name" */
    struct rv_chrome_event event;
    struct rv_chrome_text key;
};

static void set_text(struct rv_chrome_text *text, const char *bytes, size_t n)
{
    text->n = n < sizeof text->bytes ? n : sizeof text->bytes;
    memcpy(text->bytes, bytes, text->n);
}

static enum field field_of(const char *bytes, size_t n)
{
    static const struct rv_json_key fields[] = {{"name", FIELD_NAME},       {"cat", FIELD_CATEGORY},
                                                {"ph", FIELD_PHASE},        {"ts", FIELD_TIME},
                                                {"dur", FIELD_DURATION},    {"tdur", FIELD_THREAD_DURATION},
                                                {"pid", FIELD_PID},         {"tid", FIELD_TID},
                                                {"id", FIELD_ID},           {"id2", FIELD_ID2},
                                                {"bind_id", FIELD_BIND},    {"bp", FIELD_BINDING_POINT},
                                                {"flow_in", FIELD_FLOW_IN}, {"flow_out", FIELD_FLOW_OUT},
                                                {"args", FIELD_ARGUMENTS},  {"sf", FIELD_FRAME},
                                                {"parent", FIELD_PARENT},   {"cpu", FIELD_CPU},
                                                {"out", FIELD_OUT},         {"in", FIELD_IN},
                                                {"state", FIELD_STATE},     {NULL, 0}};
    return (enum field)rv_json_key_of(fields, bytes, n);
}

static void clear_event(struct rv_chrome_event *event)
{
    event->phase = '\0';
    event->has_time = event->has_duration = event->is_before_zero = false;
    event->binds_enclosing = event->has_flow_in = event->has_flow_out = false;
    event->bind.n = 0;
    event->ns = event->duration_ns = 0;
    event->name.n = event->category.n = event->id.n = event->frame.n = event->parent.n = 0;
    event->pid.n = event->tid.n = event->argument_name.n = 0;
    event->n_series = 0;
    event->out = event->in = (struct rv_chrome_switched){-1, -1};
    event->cpu = -1;
    rv_chrome_profile_clear(&event->profile);
}

/* Depth inside an event of a section: 1 for the event's own fields; 0 outside. */
static unsigned event_depth(const struct rv_chrome_json *json)
{
    unsigned depth = rv_json_depth(json->json);
    return json->section == SECTION_NONE || depth < json->section_depth ? 0 : depth - json->section_depth;
}

/* ---- values ---- */

static void set_time(struct rv_chrome_event *event, const char *bytes, size_t n)
{
    event->has_time = rv_import_decimal(bytes, n, 3, &event->ns, NULL);
    event->is_before_zero = event->has_time && event->ns < 0;
    if (event->is_before_zero)
        event->ns = 0;
}

static void set_duration(struct rv_chrome_event *event, const char *bytes, size_t n)
{
    event->has_duration = rv_import_decimal(bytes, n, 3, &event->duration_ns, NULL);
    if (!event->has_duration || event->duration_ns < 0)
        event->duration_ns = 0;
}

static void set_number(int64_t *number, const char *bytes, size_t n)
{
    if (!rv_import_decimal(bytes, n, 0, number, NULL))
        *number = -1;
}

/* A field of the event itself; numbers and strings alike, as tools write one for the other. */
static void set_field(struct rv_chrome_event *event, enum field field, const char *bytes, size_t n)
{
    switch (field) {
    case FIELD_NAME:
        set_text(&event->name, bytes, n);
        break;
    case FIELD_CATEGORY:
        set_text(&event->category, bytes, n);
        break;
    case FIELD_PHASE:
        event->phase = n == 1 ? bytes[0] : '\0';
        break;
    case FIELD_TIME:
        set_time(event, bytes, n);
        break;
    case FIELD_DURATION:
        set_duration(event, bytes, n);
        break;
    case FIELD_THREAD_DURATION:
        if (event->has_duration)
            break;
        set_duration(event, bytes, n);
        event->has_duration = false; /* a "dur" that comes later takes precedence */
        break;
    case FIELD_PID:
        set_text(&event->pid, bytes, n);
        break;
    case FIELD_TID:
        set_text(&event->tid, bytes, n);
        break;
    case FIELD_ID:
        set_text(&event->id, bytes, n);
        break;
    case FIELD_BIND:
        set_text(&event->bind, bytes, n);
        break;
    case FIELD_BINDING_POINT:
        event->binds_enclosing = n == 1 && bytes[0] == 'e';
        break;
    case FIELD_FRAME:
        set_text(&event->frame, bytes, n);
        break;
    case FIELD_PARENT:
        set_text(&event->parent, bytes, n);
        break;
    case FIELD_CPU:
        set_number(&event->cpu, bytes, n);
        break;
    case FIELD_OTHER:
    case FIELD_ID2:
    case FIELD_FLOW_IN:
    case FIELD_FLOW_OUT:
    case FIELD_ARGUMENTS:
    case FIELD_OUT:
    case FIELD_IN:
    case FIELD_STATE:
        break;
    }
}

/* A field of the thread that lost a CPU, or got it. */
static void set_switched(struct rv_chrome_switched *switched, enum field field, const char *bytes, size_t n)
{
    if (field == FIELD_TID)
        set_number(&switched->tid, bytes, n);
    else if (field == FIELD_STATE)
        set_number(&switched->state, bytes, n);
}

static void set_inner(struct rv_chrome_json *json, const char *bytes, size_t n, bool is_number)
{
    struct rv_chrome_event *event = &json->event;
    if (json->field == FIELD_ID2)
        set_text(&event->id, bytes, n);
    if (json->field == FIELD_OUT || json->field == FIELD_IN)
        set_switched(json->field == FIELD_OUT ? &event->out : &event->in, json->inner_field, bytes, n);
    if (json->field != FIELD_ARGUMENTS)
        return;
    if (json->is_name_argument)
        set_text(&event->argument_name, bytes, n);
    char number[64];
    if (!is_number || n >= sizeof number || event->n_series == RV_CHROME_SERIES)
        return;
    memcpy(number, bytes, n);
    number[n] = '\0';
    struct rv_chrome_series *series = &event->series[event->n_series++];
    series->n_name = json->key.n < sizeof series->name ? json->key.n : sizeof series->name;
    memcpy(series->name, json->key.bytes, series->n_name);
    series->value = strtod(number, NULL);
}

/* Inside the args of an event, at any depth. */
static bool is_in_arguments(const struct rv_chrome_json *json)
{
    return json->section == SECTION_EVENTS && event_depth(json) >= 2 && json->field == FIELD_ARGUMENTS;
}

/* ---- the parser's callbacks ---- */

static int on_value(void *context, const char *bytes, size_t n, bool is_number)
{
    struct rv_chrome_json *json = context;
    if (is_in_arguments(json))
        rv_chrome_profile_value(&json->event.profile, event_depth(json), bytes, n);
    if (event_depth(json) == 1)
        set_field(&json->event, json->field, bytes, n);
    else if (event_depth(json) == 2)
        set_inner(json, bytes, n, is_number);
    return 0;
}

/* Tools write these where they are true. */
static int on_flag(void *context)
{
    struct rv_chrome_json *json = context;
    const bool is_own = event_depth(json) == 1;
    json->event.has_flow_in |= is_own && json->field == FIELD_FLOW_IN;
    json->event.has_flow_out |= is_own && json->field == FIELD_FLOW_OUT;
    return 0;
}

static int on_key(void *context, const char *bytes, size_t n)
{
    struct rv_chrome_json *json = context;
    unsigned depth = rv_json_depth(json->json);
    if (is_in_arguments(json))
        rv_chrome_profile_key(&json->event.profile, event_depth(json), bytes, n);
    if (depth == 1 && !json->is_array) {
        json->section = rv_json_is(bytes, n, "traceEvents")   ? SECTION_EVENTS
                        : rv_json_is(bytes, n, "samples")     ? SECTION_SAMPLES
                        : rv_json_is(bytes, n, "stackFrames") ? SECTION_FRAMES
                                                              : SECTION_NONE;
        json->section_depth = 2;
        json->is_in_system = rv_json_is(bytes, n, "systemTraceEvents");
        json->has_trace |= json->section == SECTION_EVENTS || json->section == SECTION_FRAMES;
    } else if (json->is_in_system && depth == 2) {
        json->section = rv_json_is(bytes, n, "events") ? SECTION_SYSTEM : SECTION_NONE;
        json->section_depth = 3;
    } else if (json->section == SECTION_FRAMES && depth == 2) {
        set_text(&json->key, bytes, n);
    } else if (event_depth(json) == 1) {
        json->field = field_of(bytes, n);
    } else if (event_depth(json) == 2 && json->field == FIELD_ARGUMENTS) {
        json->is_name_argument = rv_json_is(bytes, n, "name");
        set_text(&json->key, bytes, n);
    } else if (event_depth(json) == 2) {
        json->inner_field = field_of(bytes, n);
    }
    return 0;
}

static int on_open(void *context, bool is_array)
{
    struct rv_chrome_json *json = context;
    if (rv_json_depth(json->json) == 1) {
        json->is_array = is_array;
        if (is_array) {
            json->section = SECTION_EVENTS;
            json->section_depth = 1;
            json->has_trace = true;
        }
    }
    if (event_depth(json) == 1 && !is_array) {
        clear_event(&json->event);
        json->field = FIELD_OTHER;
        if (json->section == SECTION_FRAMES)
            json->event.frame = json->key;
    } else if (!is_array && is_in_arguments(json)) {
        rv_chrome_profile_open(&json->event.profile, event_depth(json));
    }
    return 0;
}

static int on_close(void *context, bool is_array)
{
    struct rv_chrome_json *json = context;
    if (is_array || event_depth(json) != 1)
        return 0;
    json->event.kind = json->section == SECTION_EVENTS    ? RV_CHROME_EVENT
                       : json->section == SECTION_SAMPLES ? RV_CHROME_SAMPLED
                       : json->section == SECTION_SYSTEM  ? RV_CHROME_SYSTEM
                                                          : RV_CHROME_STACK_FRAME;
    return json->on_event(json->context, &json->event);
}

/* ---- life ---- */

struct rv_chrome_json *rv_chrome_json_create(rv_chrome_event_fn on_event, void *context)
{
    static const struct rv_json_handler handler = {
        .key = on_key, .value = on_value, .nothing = on_flag, .open = on_open, .close = on_close};
    struct rv_chrome_json *json = rv_alloc(1, sizeof *json);
    json->on_event = on_event;
    json->context = context;
    json->json = rv_json_create(&handler, json);
    return json;
}

void rv_chrome_json_destroy(struct rv_chrome_json *json)
{
    if (!json)
        return;
    rv_json_destroy(json->json);
    rv_chrome_profile_fini(&json->event.profile);
    free(json);
}

int rv_chrome_json_feed(struct rv_chrome_json *json, char *bytes, size_t n, char *why, size_t why_bytes)
{
    if (n > 0)
        return rv_json_feed(json->json, bytes, n, why, why_bytes);
    if (json->has_trace)
        return 0;
    snprintf(why, why_bytes, "%s", rv_json_has_ended(json->json) ? "JSON without traceEvents" : "not a trace");
    return -EBADMSG;
}

bool rv_chrome_json_is_cut(const struct rv_chrome_json *json)
{
    return !rv_json_has_ended(json->json) && !(json->is_array && rv_json_depth(json->json) == 1);
}
