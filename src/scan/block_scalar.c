/*
 * The scalar kernel: branch-free for regular events, one call for each irregular one.
 *
 * A regular CALL's key is above the top frame's, a regular RETURN's equals it and the ids match. Every event writes a
 * span and a frame and advances the ends of the two arrays by 0 or 1, so there is no branch to mispredict.
 */
#include "scan/block_parts.h"

#include "scan/span.h"
#include "scan/tag.h"

/* n: the event's fields, already extracted. */
struct plain {
    uint32_t offset, id;
    int32_t key;
    bool is_return;
};

static void close_top(struct rv_run *run, uint32_t end, uint32_t flags)
{
    int32_t top = --run->n_frames;
    uint32_t span = run->n_spans++;
    run->spans[span] = run->frames[top];
    run->spans[RV_LOCAL_END + span] = end;
    run->spans[RV_LOCAL_ID + span] = run->frames[RV_FRAME_ID + top];
    run->spans[RV_LOCAL_PLACE + span] = (uint32_t)top << RV_PLACE_SHIFT | flags;
    run->n_cut += flags == RV_SPAN_CUT;
}

static int32_t key_of_top(const struct rv_run *run)
{
    return (int32_t)run->frames[RV_FRAME_KEY + run->n_frames - 1];
}

static bool has_top(const struct rv_run *run, int32_t key)
{
    return run->n_frames && key_of_top(run) == 2 * key;
}

static void add_reach(struct rv_run *run, const struct plain *event)
{
    if (run->n_reaches)
        run->reaches[run->n_reaches - 1].peak = run->peak;
    run->peak = 0;
    run->reaches[run->n_reaches++] = (struct rv_reach){
        .offset = event->offset,
        .id = event->id,
        .key = event->key,
        .first_span = run->n_spans,
        .is_return = event->is_return,
    };
    run->min_key = event->key;
    run->frames[RV_FRAME_KEY - 1] = (uint32_t)(2 * event->key - 1);
}

static void add_orphan(struct rv_run *run, const struct plain *event)
{
    uint32_t span = run->n_spans++;
    run->spans[span] = 0;
    run->spans[RV_LOCAL_END + span] = event->offset;
    run->spans[RV_LOCAL_ID + span] = event->id;
    run->spans[RV_LOCAL_PLACE + span] = (uint32_t)run->n_frames << RV_PLACE_SHIFT | RV_SPAN_ORPHAN;
    run->n_orphans++;
}

static void on_return(struct rv_run *run, const struct plain *event)
{
    while (event->id && has_top(run, event->key) && run->frames[RV_FRAME_ID + run->n_frames - 1] != event->id)
        close_top(run, event->offset, RV_SPAN_CUT);
    if (has_top(run, event->key))
        close_top(run, event->offset, 0);
    else if (!run->n_frames && event->key < run->min_key)
        add_reach(run, event);
    else if (event->id)
        add_orphan(run, event);
}

static void on_call(struct rv_run *run, const struct plain *event)
{
    if (has_top(run, event->key))
        close_top(run, event->offset, RV_SPAN_CUT);
    else if (!run->n_frames && event->key < run->min_key)
        add_reach(run, event);
    int32_t top = run->n_frames++;
    run->frames[top] = event->offset;
    run->frames[RV_FRAME_ID + top] = event->id;
    run->frames[RV_FRAME_KEY + top] = (uint32_t)(2 * event->key);
    if ((uint32_t)run->n_frames > run->peak)
        run->peak = (uint32_t)run->n_frames;
}

static inline int32_t unwrap_step(int32_t key, uint32_t tag)
{
    const uint32_t fall = 65536 - RV_TAG_RISE;
    return (int32_t)((tag - (uint32_t)key + fall) & 0xffff) - (int32_t)fall;
}

/* Handle any event by the rule of serial.c, from an empty stack. */
static __attribute__((noinline)) void on_event(struct rv_run *run, const struct rv_event *raw)
{
    struct plain event = {
        .offset = ((uint32_t)raw->when - run->base) & RV_OFFSET_MASK,
        .id = raw->id,
        .key = run->has_key ? run->key + unwrap_step(run->key, raw->frame) : (int32_t)raw->frame,
        .is_return = raw->when >> RV_EVENT_KIND_SHIFT & 1,
    };
    if (!run->has_key)
        run->first_key = event.key;
    run->has_key = true;
    run->key = event.key;
    while (run->n_frames && key_of_top(run) > 2 * event.key)
        close_top(run, event.offset, RV_SPAN_CUT);
    if (event.is_return)
        on_return(run, &event);
    else
        on_call(run, &event);
}

void rv_kernel_scalar(struct rv_run *run, const struct rv_event *events, uint32_t n)
{
    if (n && !run->has_key) {
        on_event(run, events++);
        n--;
    }
    uint32_t *const spans = run->spans, *const frames = run->frames;
    const uint32_t base = run->base;
    int64_t n_frames = run->n_frames;
    uint64_t n_spans = run->n_spans;
    int32_t key = run->key;
    uint32_t peak = run->peak;
    for (const struct rv_event *event = events, *end = events + n; event < end; event++) {
        uint64_t when = event->when;
        uint32_t id = event->id, offset = ((uint32_t)when - base) & RV_OFFSET_MASK;
        uint32_t is_return = when >> RV_EVENT_KIND_SHIFT & 1, call_mask = is_return - 1;
        int32_t next = key + unwrap_step(key, event->frame);
        uint32_t rise = (uint32_t)(2 * next) - frames[n_frames - 1 + RV_FRAME_KEY];
        uint32_t least = call_mask & 1;
        uint32_t id_difference = id ? (frames[n_frames - 1 + RV_FRAME_ID] ^ id) & ~call_mask : 0;
        if (__builtin_expect((rise - least > (call_mask & 0x7fffffff)) | (id_difference != 0), 0)) {
            run->n_frames = (int32_t)n_frames;
            run->n_spans = (uint32_t)n_spans;
            run->key = key;
            run->peak = peak;
            on_event(run, event);
            n_frames = run->n_frames;
            n_spans = run->n_spans;
            key = run->key;
            peak = run->peak;
            continue;
        }
        key = next;
        spans[n_spans] = frames[n_frames - 1];
        spans[n_spans + RV_LOCAL_END] = offset;
        spans[n_spans + RV_LOCAL_ID] = frames[n_frames - 1 + RV_FRAME_ID];
        spans[n_spans + RV_LOCAL_PLACE] = (uint32_t)(n_frames - 1) << RV_PLACE_SHIFT;
        n_spans += is_return;
        frames[n_frames] = offset;
        frames[n_frames + RV_FRAME_ID] = id;
        frames[n_frames + RV_FRAME_KEY] = (uint32_t)(2 * next);
        n_frames += 1 - 2 * (int64_t)is_return;
        peak = n_frames > (int64_t)peak ? (uint32_t)n_frames : peak;
    }
    run->n_frames = (int32_t)n_frames;
    run->n_spans = (uint32_t)n_spans;
    run->key = key;
    run->peak = peak;
}
