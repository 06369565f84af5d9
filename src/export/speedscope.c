/*
 * speedscope's file format: a profile of open and close events for each thread that has calls, with a common origin, in
 * ns; the frames that they refer to by number come at the end.
 */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "export/format.h"

struct speedscope {
    uint32_t *frame_of; /* by id: its frame's number + 1 */
    size_t n_ids;
    uint32_t *frames; /* ids by number */
    size_t n_frames, frames_capacity;
    uint64_t *open_end, last_ns; /* of open calls, outermost first, relative to the origin */
    uint32_t *open_frame;
    size_t n_open, end_capacity, frame_capacity;
    const struct rv_export_lane *lane;
    bool has_profiles, has_events; /* has_events: of this lane */
};

static void begin(void *state, struct rv_export_target *target)
{
    (void)state;
    rv_text_buffer_add(target->text, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"name\":");
    rv_text_buffer_add_json(target->text, target->export->title);
    if (rv_losses_any(target->export->losses)) {
        rv_text_buffer_add(target->text, ",\"lost\":");
        rv_losses_add_json(target->text, target->export->losses);
    }
    rv_text_buffer_add(target->text, ",\"exporter\":\"ringviz\",\"activeProfileIndex\":0,\"profiles\":[");
}

static void begin_lane(void *state, struct rv_export_target *target, const struct rv_export_lane *lane)
{
    (void)target;
    struct speedscope *speedscope = state;
    speedscope->lane = lane;
    speedscope->has_events = false;
    speedscope->n_open = 0;
}

static uint32_t frame_of(struct speedscope *speedscope, uint32_t id)
{
    if (id >= speedscope->n_ids)
        speedscope->frame_of =
            rv_vec_extend(speedscope->frame_of, &speedscope->n_ids, (size_t)id + 1, sizeof *speedscope->frame_of);
    if (!speedscope->frame_of[id]) {
        speedscope->frames = rv_vec_reserve(speedscope->frames, &speedscope->frames_capacity, speedscope->n_frames + 1,
                                            sizeof(uint32_t));
        speedscope->frames[speedscope->n_frames++] = id;
        speedscope->frame_of[id] = (uint32_t)speedscope->n_frames;
    }
    return speedscope->frame_of[id] - 1;
}

static void add_event(struct speedscope *speedscope, struct rv_export_target *target, char type, uint32_t frame,
                      uint64_t at_ns)
{
    static const char head[] = ",\n{\"type\":\"O\",\"frame\":", when[] = ",\"at\":";
    enum { TYPE_AT = 11 };
    struct rv_text_buffer *text = target->text;
    bool is_first = !speedscope->has_events;
    char *first = rv_text_buffer_reserve(text, sizeof head + sizeof when + 2 * RV_TEXT_BUFFER_NUMBER + 1);
    char *at = mempcpy(first, head + is_first, sizeof head - 1 - is_first);
    first[TYPE_AT - is_first] = type;
    at = rv_text_buffer_put_u64(at, frame);
    at = mempcpy(at, when, sizeof when - 1);
    at = rv_text_buffer_put_u64(at, at_ns > target->first_ns ? at_ns - target->first_ns : 0);
    *at++ = '}';
    text->n = (size_t)(at - text->bytes);
    speedscope->has_events = true;
    speedscope->last_ns = at_ns;
}

static void close_calls(struct speedscope *speedscope, struct rv_export_target *target, size_t n_kept)
{
    while (speedscope->n_open > n_kept) {
        speedscope->n_open--;
        add_event(speedscope, target, 'C', speedscope->open_frame[speedscope->n_open],
                  speedscope->open_end[speedscope->n_open]);
    }
}

static void begin_profile(struct speedscope *speedscope, struct rv_export_target *target)
{
    const struct rv_export_lane *lane = speedscope->lane;
    struct rv_text_buffer *text = target->text, name = {0};
    rv_text_buffer_format(&name, "%s (%u) %s (%u)", lane->lane->process_name, lane->pid, lane->lane->name, lane->tid);
    rv_text_buffer_add_bytes(&name, "", 1);
    rv_text_buffer_add(text, speedscope->has_profiles ? ",\n" : "\n");
    rv_text_buffer_add(text, "{\"type\":\"evented\",\"unit\":\"nanoseconds\",\"name\":");
    rv_text_buffer_add_json(text, name.bytes);
    rv_text_buffer_add(text, ",\"startValue\":0,\"events\":[");
    rv_text_buffer_fini(&name);
    speedscope->has_profiles = true;
}

static void add_spans(void *state, struct rv_export_target *target, const struct rv_span *spans, size_t n)
{
    struct speedscope *speedscope = state;
    if (!speedscope->has_events)
        begin_profile(speedscope, target);
    for (size_t i = 0; i < n; i++) {
        close_calls(speedscope, target, spans[i].depth);
        size_t n_open = speedscope->n_open + 1;
        speedscope->open_end =
            rv_vec_reserve(speedscope->open_end, &speedscope->end_capacity, n_open, sizeof(uint64_t));
        speedscope->open_frame =
            rv_vec_reserve(speedscope->open_frame, &speedscope->frame_capacity, n_open, sizeof(uint32_t));
        speedscope->open_end[n_open - 1] = spans[i].end;
        speedscope->open_frame[n_open - 1] = frame_of(speedscope, spans[i].id);
        speedscope->n_open = n_open;
        add_event(speedscope, target, 'O', speedscope->open_frame[n_open - 1], spans[i].start);
    }
}

static void end_lane(void *state, struct rv_export_target *target)
{
    struct speedscope *speedscope = state;
    if (!speedscope->has_events)
        return;
    close_calls(speedscope, target, 0);
    rv_text_buffer_add(target->text, "\n],\"endValue\":");
    rv_text_buffer_add_u64(target->text,
                           speedscope->last_ns > target->first_ns ? speedscope->last_ns - target->first_ns : 0);
    rv_text_buffer_add(target->text, "}");
}

static void end(void *state, struct rv_export_target *target)
{
    struct speedscope *speedscope = state;
    struct rv_text_buffer *text = target->text;
    rv_text_buffer_add(text, "\n],\"shared\":{\"frames\":[");
    for (size_t i = 0; i < speedscope->n_frames; i++) {
        struct rv_subroutine subroutine = rv_subroutines_get(target->export->subroutines, speedscope->frames[i]);
        char *full = rv_subroutine_take_full_name(&subroutine);
        rv_text_buffer_add(text, i ? ",\n{\"name\":" : "\n{\"name\":");
        rv_text_buffer_add_json(text, full);
        free(full);
        if (subroutine.file[0]) {
            rv_text_buffer_add(text, ",\"file\":");
            rv_text_buffer_add_json(text, subroutine.file);
        }
        if (subroutine.line)
            rv_text_buffer_format(text, ",\"line\":%u", subroutine.line);
        rv_text_buffer_add(text, "}");
    }
    rv_text_buffer_add(text, "\n]}}\n");
}

static void fini(void *state)
{
    struct speedscope *speedscope = state;
    free(speedscope->frame_of);
    free(speedscope->frames);
    free(speedscope->open_end);
    free(speedscope->open_frame);
}

const struct rv_export_format rv_export_speedscope = {.state_bytes = sizeof(struct speedscope),
                                                      .begin = begin,
                                                      .begin_lane = begin_lane,
                                                      .spans = add_spans,
                                                      .end_lane = end_lane,
                                                      .end = end,
                                                      .fini = fini};
