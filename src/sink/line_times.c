/*
 * A stack machine for each stack, by the rules of scan/serial.c. The innermost frame's line gets the time between two
 * events as its own. Total time is counted when a line ends, without what executions of the same line inside of it have
 * got by then.
 *
 * Rules of the filter over durations are judged when a call ends: until then what its lines have got is pending. Rules
 * over names are judged by rv_line_times_take(), since names may be defined late.
 */
#include "sink/line_times.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "scan/tag.h"

enum { NO_ROW = 0, LEAST_TO_COMPACT = 256 };
enum { MOST_STACKS = 65536 }; /* of a stream, as scan/block_join.c tells apart; further ones share the first */

struct frame {
    int64_t key;
    uint64_t start_ns;
    uint32_t id;
    size_t row;                            /* of the frame's current line: row of the table + 1; NO_ROW: none yet */
    uint64_t begin_ns, self_ns, total0_ns; /* of that line: its begin, own time so far, the row's total at its begin */
    size_t first_pending, compact_at;      /* of the frame's lines that are pending */
};

struct pending { /* times of a line in a frame that the filter may still reject */
    size_t row;
    struct rv_line_sums sums;
};

struct stack {
    struct rv_tag_state tag;
    struct frame *frames; /* the first one stands for the time outside of all calls */
    size_t n, capacity;
    uint64_t last_ns; /* times are added up to here */
    struct pending *pending;
    size_t n_pending, pending_capacity;
    struct rv_line_table table;
};

struct stream {
    struct stack *stacks;
    size_t n, capacity, current;
    struct rv_hash_index by_stack; /* of stacks: index + 1 */
    struct rv_lane thread;         /* its name only, for the filter */
    bool passes;                   /* the filter's rules over threads, by its name so far */
};

struct rv_line_times {
    uint64_t from_ns, to_ns;
    const struct rv_filter *names, *calls; /* rules over names, and the others; NULL: none */
    bool has_rules;                        /* over calls */
    pthread_mutex_t lock;                  /* protects the rest, but not what a stream is */
    uint64_t origin_ns;
    struct stream **streams; /* by number */
    size_t n_streams;
    struct rv_line_table table; /* of streams that have ended */
    bool are_known;             /* some line was known, once the lines were taken */
};

/* ---- filter ---- */

/* The rules are compiled anew: the names that match are those of this reading's subroutines. */
static const struct rv_filter *copy_rules(const struct rv_filter *filter, bool over_names)
{
    const struct rv_filter *copy = NULL;
    char why[160];
    for (size_t i = 0; i < rv_filter_n_rules(filter); i++)
        if (rv_filter_is_over_names(filter, i) == over_names)
            (void)rv_filter_add(&copy, rv_filter_text(filter, i), why, sizeof why);
    return copy;
}

struct rv_line_times *rv_line_times_create(const struct rv_line_times_params *params)
{
    struct rv_line_times *lines = rv_alloc(1, sizeof *lines);
    lines->from_ns = params->from_ns;
    lines->to_ns = params->to_ns ? params->to_ns : UINT64_MAX;
    lines->names = copy_rules(params->filter, true);
    lines->calls = copy_rules(params->filter, false);
    lines->has_rules = rv_filter_n_rules(lines->calls) > 0;
    pthread_mutex_init(&lines->lock, NULL);
    return lines;
}

/* ---- lines ---- */

static uint64_t clip(const struct rv_line_times *lines, uint64_t at_ns)
{
    at_ns += lines->origin_ns;
    return at_ns < lines->from_ns ? lines->from_ns : at_ns > lines->to_ns ? lines->to_ns : at_ns;
}

static struct frame *top_of(const struct stack *stack)
{
    return &stack->frames[stack->n - 1];
}

/* The time since the last event was the innermost line's. */
static void advance(const struct rv_line_times *lines, struct stack *stack, uint64_t at_ns)
{
    if (at_ns <= stack->last_ns)
        return;
    top_of(stack)->self_ns += clip(lines, at_ns) - clip(lines, stack->last_ns);
    stack->last_ns = at_ns;
}

static void add_to_row(struct stack *stack, const struct pending *from)
{
    rv_line_sums_add(&stack->table.rows[from->row].sums, &from->sums);
}

static int by_row(const void *a, const void *b)
{
    const struct pending *x = a, *y = b;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Sum up what is pending of a frame, by lines. */
static void compact(struct stack *stack, struct frame *frame)
{
    struct pending *first = stack->pending + frame->first_pending;
    const size_t n = stack->n_pending - frame->first_pending;
    size_t kept = 0;
    qsort(first, n, sizeof *first, by_row);
    for (size_t i = 0; i < n; i++) {
        if (kept == 0 || first[kept - 1].row != first[i].row)
            first[kept++] = first[i];
        else
            rv_line_sums_add(&first[kept - 1].sums, &first[i].sums);
    }
    stack->n_pending = frame->first_pending + kept;
    frame->compact_at = 2 * kept + LEAST_TO_COMPACT;
}

static void put_off(struct stack *stack, struct frame *frame, const struct pending *line)
{
    if (stack->n_pending - frame->first_pending >= frame->compact_at)
        compact(stack, frame);
    stack->pending =
        rv_vec_reserve(stack->pending, &stack->pending_capacity, stack->n_pending + 1, sizeof *stack->pending);
    stack->pending[stack->n_pending++] = *line;
}

static bool overlaps(const struct rv_line_times *lines, uint64_t begin_ns, uint64_t end_ns)
{
    begin_ns += lines->origin_ns;
    end_ns += lines->origin_ns;
    return begin_ns < lines->to_ns && (begin_ns >= lines->from_ns || end_ns > lines->from_ns);
}

static bool is_of_call(const struct stack *stack, const struct frame *frame)
{
    return frame->row != NO_ROW && stack->table.rows[frame->row - 1].line == RV_LINE_OF_CALL;
}

/* The innermost frame's line ends. Of a call's line self time is what its events took. */
static void end_line(const struct rv_line_times *lines, struct stack *stack, uint64_t at_ns)
{
    struct frame *frame = top_of(stack);
    if (frame->row != NO_ROW && overlaps(lines, frame->begin_ns, at_ns)) {
        const uint64_t inner_ns = stack->table.rows[frame->row - 1].sums.total_ns - frame->total0_ns;
        const uint64_t total_ns = clip(lines, at_ns) - clip(lines, frame->begin_ns);
        const struct pending line = {
            frame->row - 1,
            {1, is_of_call(stack, frame) ? 0 : frame->self_ns, total_ns > inner_ns ? total_ns - inner_ns : 0}};
        if (lines->has_rules)
            put_off(stack, frame, &line);
        else
            add_to_row(stack, &line);
    }
    frame->row = NO_ROW;
    frame->self_ns = 0;
}

static void begin_line(const struct rv_line_times *lines, struct stack *stack, const struct rv_event *event)
{
    end_line(lines, stack, rv_event_ticks(event));
    struct frame *frame = top_of(stack);
    frame->row = 1 + rv_line_table_find(&stack->table, frame->id, rv_event_line_file(event), rv_event_line(event));
    frame->begin_ns = rv_event_ticks(event);
    frame->total0_ns = stack->table.rows[frame->row - 1].sums.total_ns;
}

/* ---- frames ---- */

static void push_frame(struct stack *stack, int64_t key, uint32_t id, uint64_t start_ns)
{
    stack->frames = rv_vec_reserve(stack->frames, &stack->capacity, stack->n + 1, sizeof *stack->frames);
    stack->frames[stack->n++] = (struct frame){
        .key = key, .start_ns = start_ns, .id = id, .first_pending = stack->n_pending, .compact_at = LEAST_TO_COMPACT};
}

static bool passes(const struct rv_line_times *lines, const struct stream *stream, const struct stack *stack,
                   uint64_t at_ns)
{
    const struct frame *frame = top_of(stack);
    const struct rv_box box = {.start_ns = frame->start_ns,
                               .duration_ns = at_ns > frame->start_ns ? at_ns - frame->start_ns : 0,
                               .id = frame->id,
                               .count = 1,
                               .depth = (uint32_t)stack->n - 2,
                               .coverage = RV_BOX_EXACT};
    return stream->passes && stack->n > 1 && rv_filter_passes_box(lines->calls, &stream->thread, &box);
}

/* The innermost frame's lines are what they are. */
static void settle(const struct rv_line_times *lines, const struct stream *stream, struct stack *stack, uint64_t at_ns)
{
    const struct frame *frame = top_of(stack);
    const bool is_kept = stack->n_pending > frame->first_pending && passes(lines, stream, stack, at_ns);
    for (size_t i = frame->first_pending; i < stack->n_pending && is_kept; i++)
        add_to_row(stack, &stack->pending[i]);
    stack->n_pending = frame->first_pending;
}

static void close_frame(const struct rv_line_times *lines, const struct stream *stream, struct stack *stack,
                        uint64_t at_ns)
{
    end_line(lines, stack, at_ns);
    settle(lines, stream, stack, at_ns);
    stack->n--;
}

/* Frames with this key, or above it. */
static void close_from(const struct rv_line_times *lines, const struct stream *stream, struct stack *stack, int64_t key,
                       uint64_t at_ns)
{
    while (stack->n > 1 && top_of(stack)->key >= key)
        close_frame(lines, stream, stack, at_ns);
}

static bool has_frame(const struct stack *stack, int64_t key, uint32_t id)
{
    for (size_t i = 1; i < stack->n; i++)
        if (stack->frames[i].key == key)
            return stack->frames[i].id == id;
    return false;
}

/* ---- events ---- */

static struct stack *current_of(struct stream *stream)
{
    return &stream->stacks[stream->current];
}

static size_t find_stack(struct stream *stream, uint32_t key, uint64_t at_ns)
{
    const uint32_t found = rv_hash_index_get(&stream->by_stack, key);
    if (found)
        return found - 1;
    if (stream->n == MOST_STACKS)
        return 0;
    stream->stacks = rv_vec_reserve(stream->stacks, &stream->capacity, stream->n + 1, sizeof *stream->stacks);
    stream->stacks[stream->n] = (struct stack){.last_ns = at_ns};
    push_frame(&stream->stacks[stream->n++], INT64_MIN, 0, at_ns);
    rv_hash_index_add(&stream->by_stack, key, (uint32_t)stream->n);
    return stream->n - 1;
}

static void choose_stack(struct stream *stream, uint32_t key, uint64_t at_ns)
{
    stream->current = find_stack(stream, key, at_ns);
    struct stack *stack = current_of(stream);
    if (stack->last_ns < at_ns) /* meanwhile the thread was on another stack */
        stack->last_ns = at_ns;
}

static void on_return(const struct rv_line_times *lines, const struct stream *stream, struct stack *stack, int64_t key,
                      uint64_t at_ns)
{
    const size_t n = stack->n;
    close_from(lines, stream, stack, key, at_ns);
    if (n == 1 || is_of_call(stack, top_of(stack))) /* 1: the frame was open before its thread was seen */
        end_line(lines, stack, at_ns);
}

static void on_sync(const struct rv_line_times *lines, struct stream *stream, const struct rv_event *event)
{
    struct stack *stack = current_of(stream);
    const int64_t key = rv_tag_advance(&stack->tag, event->frame);
    if (has_frame(stack, key, event->id))
        return;
    close_from(lines, stream, stack, key, stack->last_ns);
    push_frame(stack, key, event->id, rv_event_ticks(event));
}

static void on_plain(const struct rv_line_times *lines, struct stream *stream, const struct rv_event *event)
{
    struct stack *stack = current_of(stream);
    const uint64_t at_ns = rv_event_ticks(event);
    const int64_t key = rv_tag_advance(&stack->tag, event->frame);
    advance(lines, stack, at_ns);
    if (rv_event_kind(event) == RV_EVENT_RETURN) {
        on_return(lines, stream, stack, key, at_ns);
        return;
    }
    close_from(lines, stream, stack, key, at_ns);
    push_frame(stack, key, event->id, at_ns);
}

static void on_switch(const struct rv_line_times *lines, struct stream *stream, const struct rv_event *event)
{
    advance(lines, current_of(stream), rv_event_ticks(event));
    choose_stack(stream, event->id, rv_event_ticks(event));
}

static void on_event(const struct rv_line_times *lines, struct stream *stream, const struct rv_event *event)
{
    switch (rv_event_kind(event)) {
    case RV_EVENT_CALL:
    case RV_EVENT_RETURN:
        on_plain(lines, stream, event);
        break;
    case RV_EVENT_SWITCH:
        on_switch(lines, stream, event);
        break;
    case RV_EVENT_LOST:
        rv_tag_lose(&current_of(stream)->tag, event->id);
        break;
    case RV_EVENT_SYNC:
        on_sync(lines, stream, event);
        break;
    case RV_EVENT_LINE:
        advance(lines, current_of(stream), rv_event_ticks(event));
        begin_line(lines, current_of(stream), event);
        break;
    default:
        break;
    }
}

/* ---- the sink ---- */

static void begin(void *context, uint64_t origin_ns)
{
    ((struct rv_line_times *)context)->origin_ns = origin_ns;
}

static void name_thread(const struct rv_line_times *lines, struct stream *stream, const char *name)
{
    (void)snprintf(stream->thread.name, sizeof stream->thread.name, "%s", name);
    stream->passes = rv_filter_passes_thread(lines->calls, stream->thread.name);
}

static void open_stream(void *context, uint32_t number, const struct rv_stream_info *info)
{
    struct rv_line_times *lines = context;
    struct stream *stream = rv_alloc(1, sizeof *stream);
    char name[RV_LANE_NAME_BYTES];
    (void)snprintf(name, sizeof name, "%.40s %u", info->process_name, info->tid);
    name_thread(lines, stream, *info->thread_name ? info->thread_name : name);
    choose_stack(stream, 0, 0);
    pthread_mutex_lock(&lines->lock);
    lines->streams = rv_vec_extend(lines->streams, &lines->n_streams, (size_t)number + 1, sizeof(struct stream *));
    lines->streams[number] = stream;
    pthread_mutex_unlock(&lines->lock);
}

static struct stream *stream_at(struct rv_line_times *lines, uint32_t number)
{
    pthread_mutex_lock(&lines->lock);
    struct stream *stream = lines->streams[number];
    pthread_mutex_unlock(&lines->lock);
    return stream;
}

static void rename_stream(void *context, uint32_t number, const char *thread_name)
{
    struct rv_line_times *lines = context;
    name_thread(lines, stream_at(lines, number), thread_name);
}

static void take_events(void *context, uint32_t number, const struct rv_event *events, size_t n)
{
    struct rv_line_times *lines = context;
    struct stream *stream = stream_at(lines, number);
    for (size_t i = 0; i < n; i++)
        on_event(lines, stream, &events[i]);
}

/* There, a LINE tells other things. */
static void take_preamble(void *context, uint32_t number, const struct rv_event *events, size_t n)
{
    struct rv_line_times *lines = context;
    struct stream *stream = stream_at(lines, number);
    for (size_t i = 0; i < n; i++)
        if (rv_event_kind(&events[i]) != RV_EVENT_LINE)
            on_event(lines, stream, &events[i]);
}

static void destroy_stream(struct stream *stream)
{
    for (size_t i = 0; stream && i < stream->n; i++) {
        free(stream->stacks[i].frames);
        free(stream->stacks[i].pending);
        rv_line_table_fini(&stream->stacks[i].table);
    }
    if (stream) {
        rv_hash_index_fini(&stream->by_stack);
        free(stream->stacks);
    }
    free(stream);
}

static void close_stream(void *context, uint32_t number, uint64_t end_ns, const struct rv_stream_account *account)
{
    struct rv_line_times *lines = context;
    struct stream *stream = stream_at(lines, number);
    (void)account;
    advance(lines, current_of(stream), end_ns);
    for (size_t i = 0; i < stream->n; i++)
        while (stream->stacks[i].n)
            close_frame(lines, stream, &stream->stacks[i], end_ns);
    pthread_mutex_lock(&lines->lock);
    for (size_t i = 0; i < stream->n; i++)
        rv_line_table_merge(&lines->table, &stream->stacks[i].table);
    lines->streams[number] = NULL;
    pthread_mutex_unlock(&lines->lock);
    destroy_stream(stream);
}

struct rv_sink rv_line_times_sink(struct rv_line_times *lines)
{
    return (struct rv_sink){.context = lines,
                            .begin = begin,
                            .open = open_stream,
                            .rename = rename_stream,
                            .events = take_events,
                            .preamble = take_preamble,
                            .close = close_stream};
}

void rv_line_times_destroy(struct rv_line_times *lines)
{
    if (!lines)
        return;
    for (size_t i = 0; i < lines->n_streams; i++)
        destroy_stream(lines->streams[i]);
    free(lines->streams);
    rv_line_table_fini(&lines->table);
    rv_filter_release(lines->names);
    rv_filter_release(lines->calls);
    pthread_mutex_destroy(&lines->lock);
    free(lines);
}

struct rv_line_table_row *rv_line_times_take(struct rv_line_times *lines, struct rv_subroutines *subroutines, size_t *n)
{
    lines->are_known = rv_line_table_has_places(&lines->table, subroutines);
    return rv_line_table_take(&lines->table, subroutines, lines->names, n);
}

bool rv_line_times_are_known(const struct rv_line_times *lines)
{
    return lines->are_known;
}
