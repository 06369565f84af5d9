/*
 * Chrome Trace Event JSON, the object form. A call is a complete event ("X"), callers before their callees, so that
 * readers that nest equal times by order nest correctly; ts and dur are microseconds with nanosecond decimals. Flags
 * are categories, CPU times are those of the thread's clock (tts, tdur), and the place is a part of the name, as
 * VizTracer writes it, rather than args: speedscope would make these part of the name. Captured arguments and results
 * are args.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export/format.h"
#include "export/text_cache.h"
#include "export/waits_table.h"
#include "export/note_words.h"

static const char DURATION[] = ",\"dur\":";

struct chrome {
    struct rv_text_buffer head; /* start of a call event of this lane, up to its time */
    struct rv_text_cache names; /* ,"name":"... (file:line)" */
    const struct rv_lane *lane;
    uint32_t pid, tid;
    uint32_t first_row, n_rows;   /* of the object: its threads */
    struct rv_text_buffer object; /* its name, quoted */
    bool has_events;
};

static void begin(void *state, struct rv_export_target *target)
{
    (void)state;
    rv_text_buffer_add(target->text, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"title\":");
    rv_text_buffer_add_json(target->text, target->export->title);
    rv_text_buffer_add(target->text, ",\"clock\":\"CLOCK_MONOTONIC\"");
    if (rv_losses_any(target->export->losses)) {
        rv_text_buffer_add(target->text, ",\"lost\":");
        rv_losses_add_json(target->text, target->export->losses);
    }
    rv_text_buffer_add(target->text, "},\"traceEvents\":[");
}

/* The common start of an event. */
static void begin_event(struct chrome *chrome, struct rv_text_buffer *text, char phase)
{
    rv_text_buffer_add(text, chrome->has_events ? ",\n" : "\n");
    rv_text_buffer_format(text, "{\"ph\":\"%c\",\"pid\":%u,\"tid\":%u", phase, chrome->pid, chrome->tid);
    chrome->has_events = true;
}

static void add_name(struct chrome *chrome, struct rv_text_buffer *text, const char *what, const char *name)
{
    begin_event(chrome, text, 'M');
    rv_text_buffer_format(text, ",\"name\":\"%s\",\"args\":{\"name\":", what);
    rv_text_buffer_add_json(text, name);
    rv_text_buffer_add(text, "}}");
}

static void add_rank(struct chrome *chrome, struct rv_text_buffer *text, const char *what, uint32_t rank)
{
    begin_event(chrome, text, 'M');
    rv_text_buffer_format(text, ",\"name\":\"%s\",\"args\":{\"sort_index\":%u}}", what, rank);
}

static void begin_lane(void *state, struct rv_export_target *target, const struct rv_export_lane *lane)
{
    struct chrome *chrome = state;
    chrome->lane = lane->lane;
    chrome->pid = lane->pid;
    chrome->tid = lane->tid;
    if (lane->opens_process) {
        add_name(chrome, target->text, "process_name", lane->lane->process_name);
        add_rank(chrome, target->text, "process_sort_index", lane->process_idx);
    }
    add_name(chrome, target->text, "thread_name", lane->lane->name);
    add_rank(chrome, target->text, "thread_sort_index", lane->rank);
    chrome->head.n = 0;
    rv_text_buffer_format(&chrome->head, ",\n{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":", lane->pid, lane->tid);
}

static const struct rv_text_buffer *name_of(struct chrome *chrome, struct rv_export_target *target, uint32_t id)
{
    struct rv_text_buffer *text = rv_text_cache_at(&chrome->names, id);
    if (text->n)
        return text;
    struct rv_subroutine subroutine = rv_subroutines_get(target->export->subroutines, id);
    char *full = rv_subroutine_take_full_name(&subroutine);
    struct rv_text_buffer name = {0};
    rv_text_buffer_add(&name, full);
    if (*subroutine.file && subroutine.line)
        rv_text_buffer_format(&name, " (%s:%u)", subroutine.file, subroutine.line);
    rv_text_buffer_add_bytes(&name, "", 1);
    rv_text_buffer_add(text, ",\"name\":");
    rv_text_buffer_add_json(text, name.bytes);
    rv_text_buffer_fini(&name);
    free(full);
    return text;
}

/* Categories are separated by commas. */
static void add_flags(struct rv_text_buffer *text, const char *words)
{
    rv_text_buffer_add(text, ",\"cat\":\"");
    for (; *words; words++)
        rv_text_buffer_add_bytes(text, *words == '|' ? "," : words, 1);
    rv_text_buffer_add(text, "\"");
}

static void add_arguments(const struct chrome *chrome, struct rv_export_target *target, const struct rv_span *span)
{
    struct rv_text_buffer *text = target->text;
    struct rv_call_arguments arguments;
    const char *separator = "";
    if (rv_call_arguments_read(&arguments, &chrome->lane->texts, target->export->subroutines, span)) {
        rv_text_buffer_add(text, ",\"args\":{");
        for (size_t i = 0; i < arguments.n; i++, separator = ",") {
            rv_text_buffer_format(text, "%s\"arg%zu\":", separator, i + 1);
            rv_text_buffer_add_json(text, arguments.arguments[i]);
        }
        if (arguments.result) {
            rv_text_buffer_format(text, "%s\"result\":", separator);
            rv_text_buffer_add_json(text, arguments.result);
        }
        rv_text_buffer_add(text, "}");
    }
    rv_call_arguments_fini(&arguments);
}

/* By a clock that stands while the thread does not run; its zero means nothing. */
static void add_cpu_times(const struct chrome *chrome, struct rv_text_buffer *text, const struct rv_span *span)
{
    const struct rv_state_times_sums *stretches = &chrome->lane->stretches;
    const struct rv_state_times before = rv_state_times_sums_between(stretches, 0, span->start);
    const struct rv_state_times inside = rv_state_times_sums_between(stretches, span->start, span->end);
    rv_text_buffer_add(text, ",\"tts\":");
    rv_text_buffer_add_us(text, rv_state_times_cpu_ns(&before, span->start));
    rv_text_buffer_add(text, ",\"tdur\":");
    rv_text_buffer_add_us(text, rv_state_times_cpu_ns(&inside, span->end - span->start));
}

/* What few lanes or calls have. */
static void add_details(const struct chrome *chrome, struct rv_export_target *target, const struct rv_span *span,
                        const char *flags)
{
    if (chrome->lane->stretches.n)
        add_cpu_times(chrome, target->text, span);
    if (*flags)
        add_flags(target->text, flags);
    if (chrome->lane->texts.n)
        add_arguments(chrome, target, span);
    rv_text_buffer_add_bytes(target->text, "}", 1);
}

static void add_spans(void *state, struct rv_export_target *target, const struct rv_span *spans, size_t n)
{
    struct chrome *chrome = state;
    struct rv_text_buffer *text = target->text;
    const bool has_details = chrome->lane->stretches.n || chrome->lane->texts.n;
    for (size_t i = 0; i < n; i++) {
        const struct rv_text_buffer *name = name_of(chrome, target, spans[i].id);
        const char *flags = rv_span_flag_words(spans[i].flags);
        char *at = rv_text_buffer_reserve(text, chrome->head.n + name->n + 2 * RV_TEXT_BUFFER_NUMBER + sizeof DURATION);
        at = mempcpy(at, chrome->head.bytes, chrome->head.n);
        at = rv_text_buffer_put_us(at, spans[i].start);
        at = mempcpy(at, DURATION, sizeof DURATION - 1);
        at = rv_text_buffer_put_us(at, spans[i].end - spans[i].start);
        at = mempcpy(at, name->bytes, name->n);
        *at = '}'; /* room is that of DURATION's NUL */
        const bool is_whole = !has_details && !*flags;
        text->n = (size_t)(at - text->bytes) + is_whole;
        if (!is_whole)
            add_details(chrome, target, &spans[i], flags);
    }
}

static void add_note_head(struct chrome *chrome, struct rv_text_buffer *text, char phase,
                          const struct rv_lane_note *note)
{
    begin_event(chrome, text, phase);
    rv_text_buffer_add(text, ",\"ts\":");
    rv_text_buffer_add_us(text, note->start_ns);
}

static void add_note_name(struct chrome *chrome, struct rv_export_target *target, const struct rv_lane_note *note)
{
    if (note->id == RV_NOTE_SEVERAL) {
        rv_text_buffer_add(target->text, ",\"name\":\"" RV_NOTE_SEVERAL_WORDS "\"");
        return;
    }
    const struct rv_text_buffer *name = name_of(chrome, target, note->id);
    rv_text_buffer_add_bytes(target->text, name->bytes, name->n);
}

static void add_note(void *state, struct rv_export_target *target, const struct rv_lane_note *note)
{
    struct chrome *chrome = state;
    struct rv_text_buffer *text = target->text;
    const char *category = rv_note_facts[note->kind].category, *words = rv_note_words(note);
    switch (rv_note_facts[note->kind].form) {
    case RV_NOTE_FORM_PAUSE:
        add_note_head(chrome, text, 'X', note);
        rv_text_buffer_add(text, ",\"dur\":");
        rv_text_buffer_add_us(text, note->end_ns > note->start_ns ? note->end_ns - note->start_ns : 0);
        rv_text_buffer_format(text, ",\"cat\":\"%s\",\"name\":\"%s\"}", category, words);
        break;
    case RV_NOTE_FORM_LOSS:
        add_note_head(chrome, text, 'i', note);
        rv_text_buffer_format(text, ",\"s\":\"t\",\"cat\":\"%s\",\"name\":\"%s\",\"args\":{\"count\":%u}}", category,
                              words, note->id);
        break;
    case RV_NOTE_FORM_STATE:
        add_note_head(chrome, text, 'i', note);
        rv_text_buffer_format(text, ",\"s\":\"t\",\"cat\":\"%s\",\"name\":\"%s\"}", category, words);
        break;
    case RV_NOTE_FORM_MARK:
        add_note_head(chrome, text, 'i', note);
        rv_text_buffer_add(text, ",\"s\":\"t\"");
        add_note_name(chrome, target, note);
        rv_text_buffer_add(text, "}");
        break;
    case RV_NOTE_FORM_VALUE:
        add_note_head(chrome, text, 'C', note);
        add_note_name(chrome, target, note);
        if (isfinite(note->value))
            rv_text_buffer_format(text, ",\"args\":{\"value\":%.9g}}", (double)note->value);
        else
            rv_text_buffer_add(text, ",\"args\":{\"value\":null}}"); /* JSON has no NaN or infinity */
        break;
    case RV_NOTE_FORM_OFF_CPU: /* the format has no thread states */
    case RV_NOTE_FORM_GAP:
    case RV_NOTE_FORM_COUNT:
        break;
    }
}

/* Tasks go from begin to begin of their turns. */
static void add_step(void *state, struct rv_export_target *target, size_t number, const struct rv_flow_step *step)
{
    struct chrome *chrome = state;
    struct rv_text_buffer *text = target->text;
    const struct rv_flow *flow = &target->flows->flows[number];
    const size_t place = (size_t)(step - target->flows->steps) - flow->first;
    begin_event(chrome, text, place == 0 ? 's' : place + 1 < flow->n ? 't' : 'f');
    rv_text_buffer_add(text, ",\"ts\":");
    rv_text_buffer_add_us(text, step->at_ns);
    rv_text_buffer_format(text, ",\"cat\":\"%s\",\"id\":%zu%s", flow->is_task ? "task" : "flow", number + 1,
                          place + 1 == flow->n ? ",\"bp\":\"e\"" : "");
    const struct rv_text_buffer *name = name_of(chrome, target, flow->name);
    rv_text_buffer_add_bytes(text, name->bytes, name->n);
    rv_text_buffer_add(text, "}");
}

/* A flow, of a number behind those of all others. A thread begins before its first call: there the format means the next one. */
static void add_wake(void *state, struct rv_export_target *target, const struct rv_wake_end *end)
{
    struct rv_text_buffer *text = target->text;
    char *object = rv_waits_take_object(target->export->subroutines, end->kind, end->object);
    begin_event(state, text, end->is_waiter ? 'f' : 's');
    rv_text_buffer_add(text, ",\"ts\":");
    rv_text_buffer_add_us(text, end->at_ns);
    rv_text_buffer_format(text, ",\"cat\":\"wait\",\"id\":%zu", target->n_flows + end->number + 1);
    if (end->is_waiter)
        rv_text_buffer_format(text, "%s,\"args\":{\"waker\":\"%s\"}", end->kind == RV_WAIT_START ? "" : ",\"bp\":\"e\"",
                              rv_wake_word(end->wake));
    rv_text_buffer_add(text, ",\"name\":");
    rv_text_buffer_add_json(text, object);
    rv_text_buffer_add(text, "}");
    free(object);
}

static void end_lane(void *state, struct rv_export_target *target)
{
    (void)state;
    (void)target;
}

/* ---- objects: threads of a process of their own ---- */

static void begin_object(void *state, struct rv_export_target *target, const struct rv_export_object *object)
{
    struct chrome *chrome = state;
    chrome->pid = target->objects_pid;
    chrome->first_row = object->idx == 0 ? 1 : chrome->first_row + chrome->n_rows;
    chrome->n_rows = object->n_rows;
    chrome->tid = chrome->first_row;
    if (object->idx == 0)
        add_name(chrome, target->text, "process_name", "waited for");
    for (; chrome->tid < chrome->first_row + object->n_rows; chrome->tid++) {
        add_name(chrome, target->text, "thread_name", object->name);
        add_rank(chrome, target->text, "thread_sort_index", chrome->tid);
    }
    chrome->object.n = 0;
    rv_text_buffer_add_json(&chrome->object, object->name);
}

/* Named after the call that released the object, if known. */
static void add_hold(void *state, struct rv_export_target *target, const struct rv_hold *hold)
{
    struct chrome *chrome = state;
    struct rv_text_buffer *text = target->text;
    const struct rv_lane *lane = rv_lanes_get(target->export->lanes, hold->lane);
    chrome->tid = chrome->first_row + hold->row;
    begin_event(chrome, text, 'X');
    rv_text_buffer_add(text, ",\"ts\":");
    rv_text_buffer_add_us(text, hold->from_ns);
    rv_text_buffer_add(text, DURATION);
    rv_text_buffer_add_us(text, hold->to_ns - hold->from_ns);
    if (hold->call) {
        const struct rv_text_buffer *name = name_of(chrome, target, hold->call);
        rv_text_buffer_add_bytes(text, name->bytes, name->n);
    } else {
        rv_text_buffer_add(text, ",\"name\":");
        rv_text_buffer_add_json(text, lane->name);
    }
    rv_text_buffer_format(text, ",\"cat\":\"" RV_EXPORT_HOLDERS "\",\"args\":{\"is_cut\":%s,\"tid\":%u,\"thread\":",
                          hold->is_cut ? "true" : "false", lane->tid);
    rv_text_buffer_add_json(text, lane->name);
    rv_text_buffer_add(text, "}}");
}

static void add_waiting(void *state, struct rv_export_target *target, uint64_t from_ns, size_t n_waiting)
{
    struct chrome *chrome = state;
    chrome->tid = chrome->first_row;
    begin_event(chrome, target->text, 'C');
    rv_text_buffer_add(target->text, ",\"ts\":");
    rv_text_buffer_add_us(target->text, from_ns);
    rv_text_buffer_add(target->text, ",\"cat\":\"" RV_EXPORT_HOLDERS "\",\"name\":");
    rv_text_buffer_add_bytes(target->text, chrome->object.bytes, chrome->object.n);
    rv_text_buffer_format(target->text, ",\"args\":{\"waiting\":%zu}}", n_waiting);
}

static void end(void *state, struct rv_export_target *target)
{
    (void)state;
    rv_text_buffer_add(target->text, "\n]}\n");
}

static void fini(void *state)
{
    struct chrome *chrome = state;
    rv_text_buffer_fini(&chrome->head);
    rv_text_buffer_fini(&chrome->object);
    rv_text_cache_fini(&chrome->names);
}

const struct rv_export_format rv_export_chrome = {.state_bytes = sizeof(struct chrome),
                                                  .begin = begin,
                                                  .begin_lane = begin_lane,
                                                  .spans = add_spans,
                                                  .note = add_note,
                                                  .step = add_step,
                                                  .wake = add_wake,
                                                  .end_lane = end_lane,
                                                  .begin_object = begin_object,
                                                  .hold = add_hold,
                                                  .waiting = add_waiting,
                                                  .end = end,
                                                  .fini = fini};
