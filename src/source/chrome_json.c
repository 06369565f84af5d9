#include "source/chrome_json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yajl/yajl_parse.h>

#include "base/vec.h"
#include "source/import.h"

/* Values nested deeper than this are no trace's. */
enum { MAX_DEPTH = 512 };
/* A string or number is kept until it is whole; one longer than this is no trace's. */
#define MOST_TOKEN_BYTES (16u << 20)

enum section { SECTION_NONE, SECTION_EVENTS, SECTION_SAMPLES, SECTION_FRAMES };

enum field {
    FIELD_OTHER,
    FIELD_NAME,
    FIELD_CATEGORY,
    FIELD_PHASE,
    FIELD_TIME,
    FIELD_DURATION,
    FIELD_THREAD_DURATION, /* on the thread's own clock: where there is no other */
    FIELD_PID,
    FIELD_TID,
    FIELD_ID,
    FIELD_ID2,
    FIELD_ARGUMENTS,
    FIELD_FRAME,
    FIELD_PARENT
};

struct rv_chrome_json {
    yajl_handle parser;
    rv_chrome_event_fn on_event;
    void *context;
    int error; /* of the callback */
    unsigned depth;
    bool is_array; /* the outermost value */
    bool has_trace, has_ended;
    unsigned n_mark; /* bytes of a byte order mark passed; 3: past it */
    enum section section;
    unsigned section_depth; /* of what is directly inside the section's brackets */
    enum field field;
    bool is_name_argument; /* the key inside args was "name" */
    struct rv_chrome_event event;
    struct rv_chrome_text key;
    uint64_t n_fed;
    /* commas wait for what comes after them */
    bool is_in_string, is_escaped, has_comma;
    size_t n_token; /* bytes since the last end of a string or number */
};

static void set_text(struct rv_chrome_text *text, const char *bytes, size_t n)
{
    text->n = n < sizeof text->bytes ? n : sizeof text->bytes;
    memcpy(text->bytes, bytes, text->n);
}

static bool is_key(const char *bytes, size_t n, const char *word)
{
    return n == strlen(word) && memcmp(bytes, word, n) == 0;
}

static enum field field_of(const char *bytes, size_t n)
{
    static const struct {
        const char *key;
        enum field field;
    } fields[] = {{"name", FIELD_NAME},    {"cat", FIELD_CATEGORY},   {"ph", FIELD_PHASE},
                  {"ts", FIELD_TIME},      {"dur", FIELD_DURATION},   {"tdur", FIELD_THREAD_DURATION},
                  {"pid", FIELD_PID},      {"tid", FIELD_TID},        {"id", FIELD_ID},
                  {"id2", FIELD_ID2},      {"args", FIELD_ARGUMENTS}, {"sf", FIELD_FRAME},
                  {"parent", FIELD_PARENT}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (is_key(bytes, n, fields[i].key))
            return fields[i].field;
    return FIELD_OTHER;
}

static void clear_event(struct rv_chrome_event *event)
{
    event->phase = '\0';
    event->has_time = event->has_duration = event->is_before_zero = false;
    event->ns = event->duration_ns = 0;
    event->name.n = event->category.n = event->id.n = event->frame.n = event->parent.n = 0;
    event->pid.n = event->tid.n = event->argument_name.n = 0;
    event->n_series = 0;
    rv_chrome_profile_clear(&event->profile);
}

/* Inside an event of a section, and how deep: 1 is the event's own fields. */
static unsigned event_depth(const struct rv_chrome_json *json)
{
    return json->section == SECTION_NONE || json->depth < json->section_depth ? 0 : json->depth - json->section_depth;
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
        event->has_duration = false; /* it does not stand in the way of a "dur" that comes later */
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
    case FIELD_FRAME:
        set_text(&event->frame, bytes, n);
        break;
    case FIELD_PARENT:
        set_text(&event->parent, bytes, n);
        break;
    case FIELD_OTHER:
    case FIELD_ID2:
    case FIELD_ARGUMENTS:
        break;
    }
}

static void set_inner(struct rv_chrome_json *json, const char *bytes, size_t n, bool is_number)
{
    struct rv_chrome_event *event = &json->event;
    if (json->field == FIELD_ID2)
        set_text(&event->id, bytes, n);
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

/* Inside of the args of an event, at whatever depth. */
static bool is_in_arguments(const struct rv_chrome_json *json)
{
    return json->section == SECTION_EVENTS && event_depth(json) >= 2 && json->field == FIELD_ARGUMENTS;
}

static int on_value(struct rv_chrome_json *json, const char *bytes, size_t n, bool is_number)
{
    if (is_in_arguments(json))
        rv_chrome_profile_value(&json->event.profile, event_depth(json), bytes, n);
    if (event_depth(json) == 1)
        set_field(&json->event, json->field, bytes, n);
    else if (event_depth(json) == 2)
        set_inner(json, bytes, n, is_number);
    return json->depth > 0; /* a bare value is no trace */
}

/* ---- yajl's callbacks: 0 stops it ---- */

static int on_null(void *context)
{
    return ((struct rv_chrome_json *)context)->depth > 0;
}

static int on_boolean(void *context, int value)
{
    (void)value;
    return ((struct rv_chrome_json *)context)->depth > 0;
}

static int on_number(void *context, const char *bytes, size_t n)
{
    return on_value(context, bytes, n, true);
}

static int on_string(void *context, const unsigned char *bytes, size_t n)
{
    return on_value(context, (const char *)bytes, n, false);
}

static int on_key(void *context, const unsigned char *key, size_t n)
{
    struct rv_chrome_json *json = context;
    const char *bytes = (const char *)key;
    if (is_in_arguments(json))
        rv_chrome_profile_key(&json->event.profile, event_depth(json), bytes, n);
    if (json->depth == 1 && !json->is_array) {
        json->section = is_key(bytes, n, "traceEvents")   ? SECTION_EVENTS
                        : is_key(bytes, n, "samples")     ? SECTION_SAMPLES
                        : is_key(bytes, n, "stackFrames") ? SECTION_FRAMES
                                                          : SECTION_NONE;
        json->section_depth = 2;
        json->has_trace |= json->section == SECTION_EVENTS || json->section == SECTION_FRAMES;
    } else if (json->section == SECTION_FRAMES && json->depth == 2) {
        set_text(&json->key, bytes, n);
    } else if (event_depth(json) == 1) {
        json->field = field_of(bytes, n);
    } else if (event_depth(json) == 2 && json->field == FIELD_ARGUMENTS) {
        json->is_name_argument = is_key(bytes, n, "name");
        set_text(&json->key, bytes, n);
    }
    return 1;
}

static int open_value(struct rv_chrome_json *json, bool is_array)
{
    if (json->depth++ == 0) {
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
    return json->depth <= MAX_DEPTH;
}

static int on_start_map(void *context)
{
    return open_value(context, false);
}

static int on_start_array(void *context)
{
    return open_value(context, true);
}

static int on_end_map(void *context)
{
    struct rv_chrome_json *json = context;
    if (event_depth(json) == 1) {
        json->event.kind = json->section == SECTION_EVENTS    ? RV_CHROME_EVENT
                           : json->section == SECTION_SAMPLES ? RV_CHROME_SAMPLED
                                                              : RV_CHROME_STACK_FRAME;
        json->error = json->on_event(json->context, &json->event);
    }
    json->depth--;
    json->has_ended = json->depth == 0;
    return json->error == 0;
}

static int on_end_array(void *context)
{
    struct rv_chrome_json *json = context;
    json->depth--;
    json->has_ended = json->depth == 0;
    return 1;
}

/* ---- life ---- */

struct rv_chrome_json *rv_chrome_json_create(rv_chrome_event_fn on_event, void *context)
{
    static const yajl_callbacks callbacks = {.yajl_null = on_null,
                                             .yajl_boolean = on_boolean,
                                             .yajl_number = on_number,
                                             .yajl_string = on_string,
                                             .yajl_start_map = on_start_map,
                                             .yajl_map_key = on_key,
                                             .yajl_end_map = on_end_map,
                                             .yajl_start_array = on_start_array,
                                             .yajl_end_array = on_end_array};
    struct rv_chrome_json *json = rv_alloc(1, sizeof *json);
    json->on_event = on_event;
    json->context = context;
    json->parser = yajl_alloc(&callbacks, NULL, json);
    /* Names are escaped where they are interned. */
    yajl_config(json->parser, yajl_dont_validate_strings, 1);
    yajl_config(json->parser, yajl_allow_trailing_garbage, 1);
    return json;
}

void rv_chrome_json_destroy(struct rv_chrome_json *json)
{
    if (!json)
        return;
    yajl_free(json->parser);
    rv_chrome_profile_fini(&json->event.profile);
    free(json);
}

/* ---- text ---- */

static int explain(const struct rv_chrome_json *json, yajl_status status, const char *bytes, size_t n, char *why,
                   size_t why_bytes)
{
    if (json->error)
        return json->error;
    uint64_t at = json->n_fed + yajl_get_bytes_consumed(json->parser);
    if (status == yajl_status_client_canceled) {
        snprintf(why, why_bytes, "%s at byte %llu", json->depth > MAX_DEPTH ? "values nested too deep" : "no trace",
                 (unsigned long long)at);
        return -EBADMSG;
    }
    unsigned char *said = yajl_get_error(json->parser, 0, (const unsigned char *)bytes, n);
    const char *text = said ? (const char *)said : "not JSON";
    snprintf(why, why_bytes, "%.*s at byte %llu", (int)strcspn(text, "\n"), text, (unsigned long long)at);
    yajl_free_error(json->parser, said);
    return -EBADMSG;
}

static int parse(struct rv_chrome_json *json, const char *bytes, size_t n, char *why, size_t why_bytes)
{
    yajl_status status = yajl_parse(json->parser, (const unsigned char *)bytes, n);
    if (status != yajl_status_ok)
        return explain(json, status, bytes, n, why, why_bytes);
    json->n_fed += n;
    return 0;
}

enum token { TOKEN_PART, TOKEN_BLANK, TOKEN_END };

static const uint8_t TOKENS[256] = {
    [' '] = TOKEN_BLANK, ['\n'] = TOKEN_BLANK, ['\t'] = TOKEN_BLANK, ['\r'] = TOKEN_BLANK,
    [','] = TOKEN_END,   [':'] = TOKEN_END,    ['['] = TOKEN_END,    [']'] = TOKEN_END,
    ['{'] = TOKEN_END,   ['}'] = TOKEN_END,    ['"'] = TOKEN_END,
};

static bool is_space(char byte)
{
    return TOKENS[(uint8_t)byte] == TOKEN_BLANK;
}

/* Bytes to the quote that ends a string, or n. */
static size_t pass_string(struct rv_chrome_json *json, const char *bytes, size_t n)
{
    size_t i = 0;
    for (; i < n; i++) {
        if (json->is_escaped)
            json->is_escaped = false;
        else if (bytes[i] == '\\')
            json->is_escaped = true;
        else if (bytes[i] == '"')
            break;
    }
    json->is_in_string = i == n;
    json->n_token = i == n ? json->n_token + n : 0;
    return i;
}

/*
 * Blank out commas that stand before a closing bracket. Returns the place of one whose next token is not there yet, or
 * n.
 */
static size_t blank_commas(struct rv_chrome_json *json, char *bytes, size_t n)
{
    size_t comma = n;
    for (size_t i = json->is_in_string ? pass_string(json, bytes, n) + 1 : 0; i < n; i++) {
        char byte = bytes[i];
        enum token token = TOKENS[(uint8_t)byte];
        json->n_token = token == TOKEN_PART ? json->n_token + 1 : 0;
        if (token == TOKEN_BLANK)
            continue;
        if ((byte == ']' || byte == '}') && comma < n)
            bytes[comma] = ' ';
        comma = byte == ',' ? i : n;
        if (byte == '"')
            i += 1 + pass_string(json, bytes + i + 1, n - i - 1);
    }
    return comma;
}

/* A comma was kept back at the end of the last piece: is it one between two values? */
static int feed_comma(struct rv_chrome_json *json, const char *bytes, size_t n, char *why, size_t why_bytes)
{
    size_t i = 0;
    while (i < n && is_space(bytes[i]))
        i++;
    if (i == n)
        return 0;
    json->has_comma = false;
    return bytes[i] == ']' || bytes[i] == '}' ? 0 : parse(json, ",", 1, why, why_bytes);
}

/* A byte order mark at the very beginning. */
static size_t pass_mark(struct rv_chrome_json *json, const char *bytes, size_t n)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t i = 0;
    for (; i < n && json->n_mark < sizeof mark - 1 && bytes[i] == mark[json->n_mark]; i++)
        json->n_mark++;
    if (i < n)
        json->n_mark = sizeof mark - 1;
    return i;
}

int rv_chrome_json_feed(struct rv_chrome_json *json, char *bytes, size_t n, char *why, size_t why_bytes)
{
    if (n == 0) {
        if (json->has_trace || json->has_ended)
            return json->has_trace ? 0 : (snprintf(why, why_bytes, "JSON without traceEvents"), -EBADMSG);
        snprintf(why, why_bytes, "no trace");
        return -EBADMSG;
    }
    size_t n_mark = pass_mark(json, bytes, n);
    bytes += n_mark;
    n -= n_mark;
    if (json->has_ended || n == 0)
        return 0;
    int error = json->has_comma ? feed_comma(json, bytes, n, why, why_bytes) : 0;
    if (error || json->has_comma)
        return error;
    size_t comma = blank_commas(json, bytes, n);
    if (json->n_token > MOST_TOKEN_BYTES) {
        snprintf(why, why_bytes, "a string or number without end");
        return -EBADMSG;
    }
    error = parse(json, bytes, comma, why, why_bytes);
    if (error || comma == n)
        return error;
    json->has_comma = true; /* what follows it is blank */
    return 0;
}

bool rv_chrome_json_is_cut(const struct rv_chrome_json *json)
{
    return !json->has_ended && !(json->is_array && json->depth == 1);
}
