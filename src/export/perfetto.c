/*
 * A Perfetto trace: packets of TrackEvents, with one packet sequence per thread that has its own interned names and an
 * incremental clock. The sequence's first packet gives that clock's start on CLOCK_MONOTONIC, the clock of the whole
 * trace. Field numbers are those of Perfetto's trace_packet.proto and its imports.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "export/format.h"
#include "export/protobuf.h"
#include "export/waits_table.h"
#include "export/note_words.h"

enum { TRACE_PACKET = 1 };
enum {
    PACKET_CLOCK_SNAPSHOT = 6,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE_ID = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED_DATA = 12,
    PACKET_SEQUENCE_FLAGS = 13,
    PACKET_CLOCK_ID = 58,
    PACKET_DEFAULTS = 59,
    PACKET_TRACK_DESCRIPTOR = 60
};
enum { SEQUENCE_CLEARED = 1, SEQUENCE_NEEDS_STATE = 2 };
enum { SNAPSHOT_CLOCKS = 1, SNAPSHOT_PRIMARY = 2, CLOCK_ID = 1, CLOCK_TIMESTAMP = 2, CLOCK_IS_INCREMENTAL = 3 };
enum { CLOCK_MONOTONIC_ID = 3, CLOCK_SEQUENCE_ID = 64 };
enum { DEFAULTS_TRACK_EVENT = 11 };
enum {
    EVENT_ANNOTATIONS = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK = 11,
    EVENT_CATEGORIES = 22,
    EVENT_NAME = 23,
    EVENT_LOCATION_IID = 34,
    EVENT_DOUBLE_VALUE = 44,
    EVENT_FLOWS = 47,
    EVENT_ENDING_FLOWS = 48
};
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum { INTERNED_NAMES = 2, INTERNED_LOCATIONS = 4 };
enum { NAME_IID = 1, NAME_NAME = 2, LOCATION_IID = 1, LOCATION_FILE = 2, LOCATION_FUNCTION = 3, LOCATION_LINE = 4 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5, TRACK_COUNTER = 8 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6, THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum { ANNOTATION_UINT = 3, ANNOTATION_STRING = 6, ANNOTATION_NAME = 10 };

/* Track numbers: the kind of track in the high bits, its index in the low bits. */
#define UUID(kind, idx) ((uint64_t)(kind) << 56 | ((uint64_t)(idx) + 1))
enum {
    UUID_PROCESS = 1,
    UUID_THREAD,
    UUID_PAUSE,
    UUID_COUNTER,
    UUID_LOSS,
    UUID_STATES,
    UUID_OBJECTS,
    UUID_HOLDS,
    UUID_WAITING
};

struct known { /* by subroutine: interned in this sequence; valid if sequence is the current one */
    uint32_t sequence, iid;
    uint32_t counter_sequence; /* sequence in which its counter track was described */
};

struct perfetto {
    const struct rv_lane *lane;
    struct known *known;
    size_t n_known;
    uint32_t sequence, n_iids; /* from 1 */
    bool has_pause_track[RV_NOTE_KIND_COUNT], has_states_track;
    uint64_t now_ns; /* of the sequence's clock */
    uint32_t object; /* the one whose holds are written */
    uint64_t *open_end;
    size_t n_open, open_capacity;
};

static void begin(void *state, struct rv_export_target *target)
{
    (void)state;
    (void)target;
}

static size_t begin_packet(const struct perfetto *perfetto, struct rv_export_target *target)
{
    size_t mark = rv_protobuf_begin(target->text, TRACE_PACKET);
    rv_protobuf_add_varint(target->text, PACKET_SEQUENCE_ID, perfetto->sequence);
    return mark;
}

static void add_process(const struct perfetto *perfetto, struct rv_export_target *target,
                        const struct rv_export_lane *lane)
{
    struct rv_text_buffer *text = target->text;
    size_t packet = begin_packet(perfetto, target);
    size_t track = rv_protobuf_begin(text, PACKET_TRACK_DESCRIPTOR);
    rv_protobuf_add_varint(text, TRACK_UUID, UUID(UUID_PROCESS, lane->process_idx));
    size_t process = rv_protobuf_begin(text, TRACK_PROCESS);
    rv_protobuf_add_varint(text, PROCESS_PID, lane->pid);
    rv_protobuf_add_string(text, PROCESS_NAME, lane->lane->process_name);
    rv_protobuf_end(text, process);
    rv_protobuf_end(text, track);
    rv_protobuf_end(text, packet);
}

static void add_thread(const struct perfetto *perfetto, struct rv_export_target *target,
                       const struct rv_export_lane *lane)
{
    struct rv_text_buffer *text = target->text;
    size_t packet = begin_packet(perfetto, target);
    size_t track = rv_protobuf_begin(text, PACKET_TRACK_DESCRIPTOR);
    rv_protobuf_add_varint(text, TRACK_UUID, UUID(UUID_THREAD, lane->rank));
    rv_protobuf_add_varint(text, TRACK_PARENT, UUID(UUID_PROCESS, lane->process_idx));
    size_t thread = rv_protobuf_begin(text, TRACK_THREAD);
    rv_protobuf_add_varint(text, THREAD_PID, lane->pid);
    rv_protobuf_add_varint(text, THREAD_TID, lane->tid);
    rv_protobuf_add_string(text, THREAD_NAME, lane->lane->name);
    rv_protobuf_end(text, thread);
    rv_protobuf_end(text, track);
    rv_protobuf_end(text, packet);
}

static void add_clock(struct rv_text_buffer *text, uint32_t id, uint64_t now_ns, bool is_incremental)
{
    size_t clock = rv_protobuf_begin(text, SNAPSHOT_CLOCKS);
    rv_protobuf_add_varint(text, CLOCK_ID, id);
    rv_protobuf_add_varint(text, CLOCK_TIMESTAMP, now_ns);
    if (is_incremental)
        rv_protobuf_add_varint(text, CLOCK_IS_INCREMENTAL, 1);
    rv_protobuf_end(text, clock);
}

/* Defaults for later packets of the sequence: their track and clock. */
static void add_sequence(const struct perfetto *perfetto, struct rv_export_target *target, uint64_t track_uuid)
{
    struct rv_text_buffer *text = target->text;
    size_t packet = begin_packet(perfetto, target);
    rv_protobuf_add_varint(text, PACKET_SEQUENCE_FLAGS, SEQUENCE_CLEARED);
    size_t snapshot = rv_protobuf_begin(text, PACKET_CLOCK_SNAPSHOT);
    add_clock(text, CLOCK_MONOTONIC_ID, perfetto->now_ns, false);
    add_clock(text, CLOCK_SEQUENCE_ID, perfetto->now_ns, true);
    rv_protobuf_add_varint(text, SNAPSHOT_PRIMARY, CLOCK_MONOTONIC_ID);
    rv_protobuf_end(text, snapshot);
    size_t defaults = rv_protobuf_begin(text, PACKET_DEFAULTS);
    rv_protobuf_add_varint(text, PACKET_CLOCK_ID, CLOCK_SEQUENCE_ID);
    size_t event = rv_protobuf_begin(text, DEFAULTS_TRACK_EVENT);
    rv_protobuf_add_varint(text, EVENT_TRACK, track_uuid);
    rv_protobuf_end(text, event);
    rv_protobuf_end(text, defaults);
    rv_protobuf_end(text, packet);
}

static void begin_lane(void *state, struct rv_export_target *target, const struct rv_export_lane *lane)
{
    struct perfetto *perfetto = state;
    perfetto->lane = lane->lane;
    perfetto->sequence = lane->rank + 1;
    perfetto->n_iids = 0;
    perfetto->n_open = 0;
    memset(perfetto->has_pause_track, 0, sizeof perfetto->has_pause_track);
    perfetto->has_states_track = false;
    perfetto->now_ns = target->first_ns;
    add_sequence(perfetto, target, UUID(UUID_THREAD, lane->rank));
    if (lane->opens_process)
        add_process(perfetto, target, lane);
    add_thread(perfetto, target, lane);
}

static struct known *known_of(struct perfetto *perfetto, uint32_t id)
{
    if (id >= perfetto->n_known)
        perfetto->known = rv_vec_extend(perfetto->known, &perfetto->n_known, (size_t)id + 1, sizeof *perfetto->known);
    return &perfetto->known[id];
}

/* The interned id of a subroutine's name and place; interned in this packet if new to the sequence. */
static uint32_t intern(struct perfetto *perfetto, struct rv_export_target *target, uint32_t id)
{
    struct known *known = known_of(perfetto, id);
    if (known->sequence == perfetto->sequence)
        return known->iid;
    known->sequence = perfetto->sequence;
    known->iid = ++perfetto->n_iids;
    struct rv_subroutine subroutine = rv_subroutines_get(target->export->subroutines, id);
    char *full = rv_subroutine_take_full_name(&subroutine);
    struct rv_text_buffer *text = target->text;
    size_t interned = rv_protobuf_begin(text, PACKET_INTERNED_DATA);
    size_t name = rv_protobuf_begin(text, INTERNED_NAMES);
    rv_protobuf_add_varint(text, NAME_IID, known->iid);
    rv_protobuf_add_string(text, NAME_NAME, full);
    rv_protobuf_end(text, name);
    size_t location = rv_protobuf_begin(text, INTERNED_LOCATIONS);
    rv_protobuf_add_varint(text, LOCATION_IID, known->iid);
    if (subroutine.file[0])
        rv_protobuf_add_string(text, LOCATION_FILE, subroutine.file);
    rv_protobuf_add_string(text, LOCATION_FUNCTION, full);
    if (subroutine.line)
        rv_protobuf_add_varint(text, LOCATION_LINE, subroutine.line);
    rv_protobuf_end(text, location);
    rv_protobuf_end(text, interned);
    free(full);
    return known->iid;
}

static size_t begin_event(struct perfetto *perfetto, struct rv_export_target *target, uint64_t now_ns)
{
    size_t packet = begin_packet(perfetto, target);
    rv_protobuf_add_varint(target->text, PACKET_TIMESTAMP, now_ns > perfetto->now_ns ? now_ns - perfetto->now_ns : 0);
    rv_protobuf_add_varint(target->text, PACKET_SEQUENCE_FLAGS, SEQUENCE_NEEDS_STATE);
    perfetto->now_ns = now_ns > perfetto->now_ns ? now_ns : perfetto->now_ns;
    return packet;
}

static void close_calls(struct perfetto *perfetto, struct rv_export_target *target, size_t n_kept)
{
    while (perfetto->n_open > n_kept) {
        size_t packet = begin_event(perfetto, target, perfetto->open_end[--perfetto->n_open]);
        size_t event = rv_protobuf_begin(target->text, PACKET_TRACK_EVENT);
        rv_protobuf_add_varint(target->text, EVENT_TYPE, TYPE_END);
        rv_protobuf_end(target->text, event);
        rv_protobuf_end(target->text, packet);
    }
}

static void add_annotation(struct rv_text_buffer *text, const char *name, const char *value)
{
    size_t annotation = rv_protobuf_begin(text, EVENT_ANNOTATIONS);
    rv_protobuf_add_string(text, ANNOTATION_NAME, name);
    rv_protobuf_add_string(text, ANNOTATION_STRING, value);
    rv_protobuf_end(text, annotation);
}

static void add_arguments(const struct perfetto *perfetto, struct rv_export_target *target, const struct rv_span *span)
{
    struct rv_call_arguments arguments;
    char name[32];
    (void)rv_call_arguments_read(&arguments, &perfetto->lane->texts, target->export->subroutines, span);
    for (size_t i = 0; i < arguments.n; i++) {
        snprintf(name, sizeof name, "arg%zu", i + 1);
        add_annotation(target->text, name, arguments.arguments[i]);
    }
    if (arguments.result)
        add_annotation(target->text, "result", arguments.result);
    rv_call_arguments_fini(&arguments);
}

static void add_number(struct rv_text_buffer *text, const char *name, uint64_t value)
{
    size_t annotation = rv_protobuf_begin(text, EVENT_ANNOTATIONS);
    rv_protobuf_add_string(text, ANNOTATION_NAME, name);
    rv_protobuf_add_varint(text, ANNOTATION_UINT, value);
    rv_protobuf_end(text, annotation);
}

/* Of calls in which the thread did not run all the time. */
static void add_off_cpu(const struct perfetto *perfetto, struct rv_text_buffer *text, const struct rv_span *span)
{
    const struct rv_state_times off = rv_state_times_sums_between(&perfetto->lane->stretches, span->start, span->end);
    if (!off.blocked_ns && !off.runnable_ns)
        return;
    add_number(text, "cpu_ns", rv_state_times_cpu_ns(&off, span->end - span->start));
    add_number(text, "blocked_ns", off.blocked_ns);
    add_number(text, "runnable_ns", off.runnable_ns);
}

static void open_call(struct perfetto *perfetto, struct rv_export_target *target, const struct rv_span *span)
{
    struct rv_text_buffer *text = target->text;
    const char *flags = rv_span_flag_words(span->flags);
    size_t packet = begin_event(perfetto, target, span->start);
    uint32_t iid = intern(perfetto, target, span->id);
    size_t event = rv_protobuf_begin(text, PACKET_TRACK_EVENT);
    rv_protobuf_add_varint(text, EVENT_TYPE, TYPE_BEGIN);
    rv_protobuf_add_varint(text, EVENT_NAME_IID, iid);
    rv_protobuf_add_varint(text, EVENT_LOCATION_IID, iid);
    if (*flags)
        add_annotation(text, "flags", flags);
    if (perfetto->lane->texts.n)
        add_arguments(perfetto, target, span);
    if (perfetto->lane->stretches.n)
        add_off_cpu(perfetto, text, span);
    rv_protobuf_end(text, event);
    rv_protobuf_end(text, packet);
}

static void add_spans(void *state, struct rv_export_target *target, const struct rv_span *spans, size_t n)
{
    struct perfetto *perfetto = state;
    for (size_t i = 0; i < n; i++) {
        close_calls(perfetto, target, spans[i].depth);
        perfetto->open_end = rv_vec_reserve(perfetto->open_end, &perfetto->open_capacity, perfetto->n_open + 1,
                                            sizeof *perfetto->open_end);
        perfetto->open_end[perfetto->n_open++] = spans[i].end;
        open_call(perfetto, target, &spans[i]);
    }
}

/* ---- what is not a call: by the trace's clock, after the calls ---- */

struct track {
    uint64_t uuid, parent_uuid; /* parent_uuid 0: none */
    const char *name;
    bool is_counter;
};

static void add_track(const struct perfetto *perfetto, struct rv_export_target *target, const struct track *added)
{
    struct rv_text_buffer *text = target->text;
    size_t packet = begin_packet(perfetto, target);
    size_t track = rv_protobuf_begin(text, PACKET_TRACK_DESCRIPTOR);
    rv_protobuf_add_varint(text, TRACK_UUID, added->uuid);
    if (added->parent_uuid)
        rv_protobuf_add_varint(text, TRACK_PARENT, added->parent_uuid);
    rv_protobuf_add_string(text, TRACK_NAME, added->name);
    if (added->is_counter)
        rv_protobuf_end(text, rv_protobuf_begin(text, TRACK_COUNTER));
    rv_protobuf_end(text, track);
    rv_protobuf_end(text, packet);
}

static uint64_t thread_uuid(const struct perfetto *perfetto)
{
    return UUID(UUID_THREAD, perfetto->sequence - 1);
}

static uint64_t hold_uuid(const struct perfetto *perfetto, uint32_t row)
{
    return UUID(UUID_HOLDS, (uint64_t)row << 32 | perfetto->object);
}

struct note_packet {
    size_t packet, event;
};

static struct note_packet begin_note(const struct perfetto *perfetto, struct rv_export_target *target, uint64_t now_ns,
                                     unsigned type)
{
    struct note_packet note = {.packet = begin_packet(perfetto, target)};
    rv_protobuf_add_varint(target->text, PACKET_TIMESTAMP, now_ns);
    rv_protobuf_add_varint(target->text, PACKET_CLOCK_ID, CLOCK_MONOTONIC_ID);
    rv_protobuf_add_varint(target->text, PACKET_SEQUENCE_FLAGS, SEQUENCE_NEEDS_STATE);
    note.event = rv_protobuf_begin(target->text, PACKET_TRACK_EVENT);
    rv_protobuf_add_varint(target->text, EVENT_TYPE, type);
    return note;
}

static void end_note(struct rv_export_target *target, struct note_packet note)
{
    rv_protobuf_end(target->text, note.event);
    rv_protobuf_end(target->text, note.packet);
}

/* On a track of its own below the thread's. */
static void add_stretch(struct perfetto *perfetto, struct rv_export_target *target, const struct rv_lane_note *note)
{
    const bool is_pause = rv_note_is(note, RV_NOTE_FORM_PAUSE);
    bool *has_track = is_pause ? &perfetto->has_pause_track[note->kind] : &perfetto->has_states_track;
    const uint64_t thread = perfetto->sequence - 1;
    const uint64_t uuid = is_pause ? UUID(UUID_PAUSE, (uint64_t)note->kind << 32 | thread) : UUID(UUID_STATES, thread);
    if (!*has_track)
        add_track(perfetto, target,
                  &(struct track){.uuid = uuid,
                                  .parent_uuid = thread_uuid(perfetto),
                                  .name = is_pause ? rv_note_words(note) : "thread states"});
    *has_track = true;
    struct note_packet packet = begin_note(perfetto, target, note->start_ns, TYPE_BEGIN);
    rv_protobuf_add_varint(target->text, EVENT_TRACK, uuid);
    rv_protobuf_add_string(target->text, EVENT_NAME, rv_note_words(note));
    end_note(target, packet);
    packet = begin_note(perfetto, target, note->end_ns > note->start_ns ? note->end_ns : note->start_ns, TYPE_END);
    rv_protobuf_add_varint(target->text, EVENT_TRACK, uuid);
    end_note(target, packet);
}

static void add_value(struct perfetto *perfetto, struct rv_export_target *target, const struct rv_lane_note *note)
{
    uint64_t uuid = UUID(UUID_COUNTER, (uint64_t)note->id << 24 ^ perfetto->sequence);
    if (note->id == RV_NOTE_SEVERAL) /* a counter's value says nothing about another */
        return;
    struct known *known = known_of(perfetto, note->id);
    if (known->counter_sequence != perfetto->sequence) {
        struct rv_subroutine subroutine = rv_subroutines_get(target->export->subroutines, note->id);
        char *full = rv_subroutine_take_full_name(&subroutine);
        add_track(
            perfetto, target,
            &(struct track){.uuid = uuid, .parent_uuid = thread_uuid(perfetto), .name = full, .is_counter = true});
        free(full);
    }
    known->counter_sequence = perfetto->sequence;
    struct note_packet packet = begin_note(perfetto, target, note->start_ns, TYPE_COUNTER);
    rv_protobuf_add_varint(target->text, EVENT_TRACK, uuid);
    rv_protobuf_add_double(target->text, EVENT_DOUBLE_VALUE, (double)note->value);
    end_note(target, packet);
}

static void add_instant(struct perfetto *perfetto, struct rv_export_target *target, const struct rv_lane_note *note)
{
    struct rv_text_buffer *text = target->text;
    struct note_packet packet = begin_note(perfetto, target, note->start_ns, TYPE_INSTANT);
    if (rv_note_has_name(note) && note->id == RV_NOTE_SEVERAL) {
        rv_protobuf_add_string(text, EVENT_NAME, RV_NOTE_SEVERAL_WORDS);
    } else if (rv_note_has_name(note)) {
        struct rv_subroutine subroutine = rv_subroutines_get(target->export->subroutines, note->id);
        char *full = rv_subroutine_take_full_name(&subroutine);
        rv_protobuf_add_string(text, EVENT_NAME, full);
        free(full);
    } else {
        rv_protobuf_add_string(text, EVENT_NAME, rv_note_words(note));
    }
    if (rv_note_is(note, RV_NOTE_FORM_LOSS))
        add_number(text, "count", note->id);
    end_note(target, packet);
}

static void add_note(void *state, struct rv_export_target *target, const struct rv_lane_note *note)
{
    switch (rv_note_facts[note->kind].form) {
    case RV_NOTE_FORM_PAUSE:
    case RV_NOTE_FORM_OFF_CPU:
    case RV_NOTE_FORM_GAP:
        add_stretch(state, target, note);
        break;
    case RV_NOTE_FORM_VALUE:
        add_value(state, target, note);
        break;
    case RV_NOTE_FORM_LOSS:
    case RV_NOTE_FORM_MARK:
    case RV_NOTE_FORM_STATE:
        add_instant(state, target, note);
        break;
    case RV_NOTE_FORM_COUNT:
        break;
    }
}

/* An instant in the call that is its place: arrows lead from one of a flow to the next. */
static void add_step(void *state, struct rv_export_target *target, size_t number, const struct rv_flow_step *step)
{
    const struct rv_flow *flow = &target->flows->flows[number];
    struct rv_subroutine subroutine = rv_subroutines_get(target->export->subroutines, flow->name);
    char *full = rv_subroutine_take_full_name(&subroutine);
    const bool is_last = (size_t)(step - target->flows->steps) + 1 == flow->first + flow->n;
    struct note_packet packet = begin_note(state, target, step->at_ns, TYPE_INSTANT);
    rv_protobuf_add_string(target->text, EVENT_NAME, full);
    rv_protobuf_add_fixed(target->text, is_last ? EVENT_ENDING_FLOWS : EVENT_FLOWS, number + 1);
    end_note(target, packet);
    free(full);
}

/* Likewise, of a number behind those of all flows. */
static void add_wake(void *state, struct rv_export_target *target, const struct rv_wake_end *end)
{
    char *object = rv_waits_take_object(target->export->subroutines, end->kind, end->object);
    struct note_packet packet = begin_note(state, target, end->at_ns, TYPE_INSTANT);
    add_annotation(target->text, "waker", rv_wake_word(end->wake));
    rv_protobuf_add_string(target->text, EVENT_CATEGORIES, "wait");
    rv_protobuf_add_string(target->text, EVENT_NAME, object);
    rv_protobuf_add_fixed(target->text, end->is_waiter ? EVENT_ENDING_FLOWS : EVENT_FLOWS,
                          target->n_flows + end->number + 1);
    end_note(target, packet);
    free(object);
}

static void end_calls(void *state, struct rv_export_target *target)
{
    close_calls(state, target, 0);
}

/* ---- objects: tracks of their own below one for all, a sequence for each ---- */

static void add_child_track(const struct perfetto *perfetto, struct rv_export_target *target, uint64_t uuid,
                            const char *name, bool is_counter)
{
    add_track(
        perfetto, target,
        &(struct track){.uuid = uuid, .parent_uuid = UUID(UUID_OBJECTS, 0), .name = name, .is_counter = is_counter});
}

static void begin_object(void *state, struct rv_export_target *target, const struct rv_export_object *object)
{
    struct perfetto *perfetto = state;
    perfetto->sequence++;
    perfetto->object = object->idx;
    perfetto->now_ns = target->first_ns;
    add_sequence(perfetto, target, UUID(UUID_WAITING, object->idx));
    if (object->idx == 0)
        add_track(perfetto, target, &(struct track){.uuid = UUID(UUID_OBJECTS, 0), .name = "waited for"});
    for (uint32_t row = 0; row < object->n_rows; row++)
        add_child_track(perfetto, target, hold_uuid(perfetto, row), object->name, false);
    struct rv_text_buffer waiting = {0};
    rv_text_buffer_format(&waiting, "waiting for %s%c", object->name, '\0');
    add_child_track(perfetto, target, UUID(UUID_WAITING, object->idx), waiting.bytes, true);
    rv_text_buffer_fini(&waiting);
}

/* Named after the call that released the object, if known. */
static void add_hold(void *state, struct rv_export_target *target, const struct rv_hold *hold)
{
    struct perfetto *perfetto = state;
    struct rv_text_buffer *text = target->text;
    const struct rv_lane *lane = rv_lanes_get(target->export->lanes, hold->lane);
    const struct rv_subroutine call = rv_subroutines_get(target->export->subroutines, hold->call);
    char *name = hold->call ? rv_subroutine_take_full_name(&call) : rv_strdup(lane->name);
    struct note_packet packet = begin_note(perfetto, target, hold->from_ns, TYPE_BEGIN);
    rv_protobuf_add_varint(text, EVENT_TRACK, hold_uuid(perfetto, hold->row));
    rv_protobuf_add_string(text, EVENT_CATEGORIES, RV_EXPORT_HOLDERS);
    rv_protobuf_add_string(text, EVENT_NAME, name);
    add_annotation(text, "thread", lane->name);
    add_number(text, "tid", lane->tid);
    if (hold->is_cut)
        add_number(text, "is_cut", 1);
    end_note(target, packet);
    packet = begin_note(perfetto, target, hold->to_ns, TYPE_END);
    rv_protobuf_add_varint(text, EVENT_TRACK, hold_uuid(perfetto, hold->row));
    end_note(target, packet);
    free(name);
}

static void add_waiting(void *state, struct rv_export_target *target, uint64_t from_ns, size_t n_waiting)
{
    struct note_packet packet = begin_note(state, target, from_ns, TYPE_COUNTER);
    rv_protobuf_add_double(target->text, EVENT_DOUBLE_VALUE, (double)n_waiting);
    end_note(target, packet);
}

/* Losses of the whole trace, on a track of their own at its beginning. */
static void end(void *state, struct rv_export_target *target)
{
    struct perfetto *perfetto = state;
    const struct rv_losses *losses = target->export->losses;
    const uint64_t uuid = UUID(UUID_LOSS, 0);
    if (!rv_losses_any(losses))
        return;
    perfetto->sequence++;
    perfetto->now_ns = target->first_ns;
    add_sequence(perfetto, target, uuid);
    add_track(perfetto, target, &(struct track){.uuid = uuid, .name = "lost"});
    for (enum rv_loss loss = 0; loss < RV_LOSS_COUNT; loss++) {
        if (!losses->n[loss])
            continue;
        struct note_packet packet = begin_note(perfetto, target, target->first_ns, TYPE_INSTANT);
        rv_protobuf_add_string(target->text, EVENT_NAME, rv_loss_words(loss));
        add_number(target->text, "count", losses->n[loss]);
        end_note(target, packet);
    }
}

static void fini(void *state)
{
    struct perfetto *perfetto = state;
    free(perfetto->known);
    free(perfetto->open_end);
}

const struct rv_export_format rv_export_perfetto = {.state_bytes = sizeof(struct perfetto),
                                                    .begin = begin,
                                                    .begin_lane = begin_lane,
                                                    .spans = add_spans,
                                                    .note = add_note,
                                                    .step = add_step,
                                                    .wake = add_wake,
                                                    .end_lane = end_calls,
                                                    .begin_object = begin_object,
                                                    .hold = add_hold,
                                                    .waiting = add_waiting,
                                                    .end = end,
                                                    .fini = fini};
