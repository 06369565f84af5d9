/*
 * Two scans of a block's spans, which come in closing order, children before parents.
 *
 * Backwards, for total_ns: the frame of subroutine i that closed last contains every span of i that starts no earlier.
 * So a span is an outermost activation exactly when it starts before all spans of i seen so far in this pass and before
 * the outermost open frame of i. (Equal starts: the one that closes later contains the other, or the other is empty.)
 * For subroutines of one name the same is asked once more of all of them together: what is outermost of its id, but inside a
 * call of the name, is the inner time of that id. Where names come later than calls, the time of spans that are outermost of
 * their ids is summed up by context until then: the spans around them, each of another id.
 * Forwards, for self_ns: the frames closed one level deeper since the last span of this depth were its children.
 */
#include "model/stats.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/hash_index.h"
#include "base/vec.h"

#define NO_COVER UINT64_MAX
#define MOST_CONTEXTS (1u << 13)    /* 384 KiB, and as much again where threads' states are known */
#define MOST_IN_CONTEXTS (1u << 20) /* calls: each takes some 18 ns more, and some names never come */

struct total { /* separate from the rows, so that the backward pass reads less */
    uint64_t total_ns;
    uint64_t cover_ns; /* start of the outermost activation seen in the block marked by stamp */
    uint32_t stamp;
    bool has_doubtful, has_shared_name;
};

struct shared_name { /* the cover of all subroutines of a name, as in struct total */
    uint64_t cover_ns;
    uint32_t stamp;
};

struct context { /* of calls of blocks in which not all subroutines had names: the calls around them, and the call */
    uint64_t total_ns;
    uint32_t caller; /* its number; 0: none */
    uint32_t id;
};

struct activation { /* the present call, or one around it */
    uint64_t start_ns;
    uint32_t context;
    uint32_t last_callee; /* context; 0: none */
};

struct rv_stats {
    struct rv_stats_calls *rows; /* by id */
    struct total *totals;
    size_t n_rows;
    struct times {
        struct rv_state_times self, total;
    } * times; /* by id; only where they are known */
    size_t n_times;
    uint32_t stamp;
    uint64_t *inner_ns; /* by id; only of shared names */
    size_t n_inner;
    uint32_t *name_of; /* by id, likewise: number of the name */
    size_t n_name_of;
    struct shared_name *names;
    size_t n_names, names_capacity;
    bool *has_name; /* by id; NULL: names are not awaited */
    size_t n_has_name;
    size_t n_named_first;     /* so many of the first ids have names */
    uint32_t greatest;        /* id of the calls that were added last */
    struct context *contexts; /* by number; the first is no call */
    size_t n_contexts, contexts_capacity;
    size_t n_in_contexts;               /* calls */
    struct rv_hash_index context_index; /* by caller and id */
    struct rv_state_times *context_times;
    size_t n_context_times;
    struct activation *stack; /* outermost first; the first is no call */
    size_t n_stack, stack_capacity;
    bool lacks_inner;
};

struct open_id {       /* a subroutine with open frames */
    uint64_t start_ns; /* of the outermost */
    uint32_t id;
    uint32_t n_open; /* 0: none left, or a free entry */
};

struct rv_stats_lane {
    uint64_t *children_ns; /* [depth - first_depth]: time of closed frames whose parent is still open */
    size_t n_depths;
    uint32_t first_depth, last_depth; /* depths with such frames */
    uint32_t *frame_ids;              /* open frames, outermost first */
    size_t n_frames, frames_capacity;
    struct open_id *open; /* open addressing by id, power of two */
    size_t open_slots, n_open_used;
};

struct rv_stats *rv_stats_create(void)
{
    return rv_alloc(1, sizeof(struct rv_stats));
}

void rv_stats_destroy(struct rv_stats *stats)
{
    if (!stats)
        return;
    for (size_t i = 0; i < stats->n_rows; i++)
        rv_histogram_fini(&stats->rows[i].durations);
    free(stats->rows);
    free(stats->totals);
    free(stats->times);
    free(stats->inner_ns);
    free(stats->name_of);
    free(stats->names);
    free(stats->has_name);
    free(stats->contexts);
    rv_hash_index_fini(&stats->context_index);
    free(stats->context_times);
    free(stats->stack);
    free(stats);
}

struct rv_stats_lane *rv_stats_lane_create(void)
{
    return rv_alloc(1, sizeof(struct rv_stats_lane));
}

void rv_stats_lane_destroy(struct rv_stats_lane *lane)
{
    if (!lane)
        return;
    free(lane->children_ns);
    free(lane->frame_ids);
    free(lane->open);
    free(lane);
}

static void grow_rows(struct rv_stats *stats, uint32_t id)
{
    size_t n_rows = stats->n_rows ? stats->n_rows : 64;
    while (n_rows <= id)
        n_rows *= 2;
    struct rv_stats_calls *rows = rv_alloc(n_rows, sizeof *rows);
    struct total *totals = rv_alloc(n_rows, sizeof *totals);
    if (stats->n_rows) {
        memcpy(rows, stats->rows, stats->n_rows * sizeof *rows);
        memcpy(totals, stats->totals, stats->n_rows * sizeof *totals);
    }
    for (size_t i = stats->n_rows; i < n_rows; i++)
        rows[i].min_ns = UINT64_MAX;
    free(stats->rows);
    free(stats->totals);
    stats->rows = rows;
    stats->totals = totals;
    stats->n_rows = n_rows;
    if (stats->has_name)
        stats->has_name = rv_vec_extend(stats->has_name, &stats->n_has_name, n_rows, sizeof *stats->has_name);
}

/*
 * The id's entry, or the free entry for it; NULL in an empty table. Not a base/hash_index: entries lie in the table,
 * which each block goes through, and ids without open frames leave it.
 */
static struct open_id *find_open(const struct rv_stats_lane *lane, uint32_t id)
{
    if (!lane->open_slots)
        return NULL;
    size_t i = rv_hash_u64(id) & (lane->open_slots - 1);
    while (lane->open[i].start_ns != NO_COVER && lane->open[i].id != id)
        i = (i + 1) & (lane->open_slots - 1);
    return &lane->open[i];
}

/* Keep the table at most half full; entries without open frames are dropped. */
static void make_room_open(struct rv_stats_lane *lane)
{
    if (lane->n_open_used * 2 < lane->open_slots)
        return;
    struct open_id *old = lane->open;
    size_t n_old = lane->open_slots, n_live = 0;
    for (size_t i = 0; i < n_old; i++)
        n_live += old[i].n_open > 0;
    lane->open_slots = 16;
    while (lane->open_slots < 4 * (n_live + 1))
        lane->open_slots *= 2;
    lane->open = rv_alloc(lane->open_slots, sizeof *lane->open);
    for (size_t i = 0; i < lane->open_slots; i++)
        lane->open[i].start_ns = NO_COVER;
    for (size_t i = 0; i < n_old; i++)
        if (old[i].n_open > 0)
            *find_open(lane, old[i].id) = old[i];
    lane->n_open_used = n_live;
    free(old);
}

static void open_frame(struct rv_stats_lane *lane, uint32_t id, uint64_t start_ns)
{
    make_room_open(lane);
    struct open_id *entry = find_open(lane, id);
    if (entry->start_ns == NO_COVER)
        lane->n_open_used++;
    if (entry->n_open++ == 0)
        *entry = (struct open_id){.start_ns = start_ns, .id = id, .n_open = 1};
}

void rv_stats_lane_set_open(struct rv_stats_lane *lane, const uint64_t *start_ns, const uint32_t *ids,
                            uint32_t n_frames, uint32_t n_unchanged)
{
    size_t n_kept = n_unchanged < lane->n_frames ? n_unchanged : lane->n_frames;
    if (n_kept > n_frames)
        n_kept = n_frames;
    while (lane->n_frames > n_kept)
        find_open(lane, lane->frame_ids[--lane->n_frames])->n_open--;
    lane->frame_ids = rv_vec_reserve(lane->frame_ids, &lane->frames_capacity, n_frames, sizeof *lane->frame_ids);
    for (size_t i = n_kept; i < n_frames; i++) {
        open_frame(lane, ids[i], start_ns[i]);
        lane->frame_ids[i] = ids[i];
    }
    lane->n_frames = n_frames;
}

/* Is a call that is outermost of its subroutine outermost of the name, too? */
static bool cover_name(struct rv_stats *stats, uint32_t id, uint64_t start_ns)
{
    if (!stats->totals[id].has_shared_name)
        return true;
    struct shared_name *name = &stats->names[stats->name_of[id]];
    const uint64_t cover_ns = name->stamp == stats->stamp ? name->cover_ns : NO_COVER;
    const bool is_outermost = start_ns < cover_ns;
    *name = (struct shared_name){is_outermost ? start_ns : cover_ns, stats->stamp};
    return is_outermost;
}

static void begin_cover(struct rv_stats *stats)
{
    if (++stats->stamp == 0)
        stats->stamp = 1;
}

/* Start a block: only the open frames cover anything. */
static void cover_open(struct rv_stats *stats, const struct rv_stats_lane *lane)
{
    begin_cover(stats);
    for (size_t i = 0; i < lane->open_slots; i++) {
        const struct open_id *entry = &lane->open[i];
        if (entry->n_open == 0)
            continue;
        if (entry->id >= stats->n_rows)
            grow_rows(stats, entry->id);
        stats->totals[entry->id].stamp = stats->stamp;
        stats->totals[entry->id].cover_ns = entry->start_ns;
        (void)cover_name(stats, entry->id, entry->start_ns);
    }
}

/* Is it an outermost activation? Spans come in the reverse of the order in which they closed. */
static inline bool cover(struct rv_stats *stats, const struct rv_span *span)
{
    struct total *total = &stats->totals[span->id];
    const uint64_t cover_ns = total->stamp == stats->stamp ? total->cover_ns : NO_COVER;
    const bool is_outermost = span->start < cover_ns;
    total->stamp = stats->stamp;
    total->cover_ns = is_outermost ? span->start : cover_ns;
    return is_outermost;
}

static void add_inner(struct rv_stats *stats, uint32_t id, uint64_t duration_ns)
{
    stats->inner_ns = rv_vec_extend(stats->inner_ns, &stats->n_inner, (size_t)id + 1, sizeof *stats->inner_ns);
    stats->inner_ns[id] += duration_ns;
}

/* Of a subroutine with a shared name; not inlined, so that the loop over the others stays without branches. */
__attribute__((noinline)) static void add_outermost(struct rv_stats *stats, const struct rv_span *span)
{
    if (!cover_name(stats, span->id, span->start))
        add_inner(stats, span->id, span->end - span->start);
}

static void add_totals(struct rv_stats *stats, const struct rv_span *spans, size_t n)
{
    uint32_t greatest = 0;
    for (size_t i = n; i-- > 0;) {
        const struct rv_span *span = &spans[i];
        if (span->flags & RV_SPAN_ORPHAN)
            continue;
        if (__builtin_expect(span->id >= stats->n_rows, 0))
            grow_rows(stats, span->id);
        greatest = span->id > greatest ? span->id : greatest;
        const bool is_outermost = cover(stats, span);
        stats->totals[span->id].total_ns += (span->end - span->start) & -(uint64_t)is_outermost;
        stats->totals[span->id].has_doubtful |= (span->flags & RV_SPAN_DOUBTFUL) != 0;
        if (__builtin_expect(stats->totals[span->id].has_shared_name & is_outermost, 0))
            add_outermost(stats, span);
    }
    stats->greatest = greatest;
}

/* ---- names that come after calls ---- */

/* Has each subroutine of the block that was added last a name, also of its open frames? */
static bool are_named(const struct rv_stats *stats, const struct rv_stats_lane *lane, const struct rv_span *spans,
                      size_t n)
{
    bool are = true;
    for (size_t i = 0; i < lane->open_slots && are; i++)
        are = lane->open[i].n_open == 0 || stats->has_name[lane->open[i].id];
    for (size_t i = 0; i < n && are && stats->greatest >= stats->n_named_first; i++)
        are = (spans[i].flags & RV_SPAN_ORPHAN) || stats->has_name[spans[i].id];
    return are;
}

static uint32_t add_context(struct rv_stats *stats, uint32_t caller, uint32_t id)
{
    stats->contexts =
        rv_vec_reserve(stats->contexts, &stats->contexts_capacity, stats->n_contexts + 1, sizeof *stats->contexts);
    stats->contexts[stats->n_contexts] = (struct context){.caller = caller, .id = id};
    return (uint32_t)stats->n_contexts++;
}

static void push_activation(struct rv_stats *stats, uint64_t start_ns, uint32_t context)
{
    stats->stack = rv_vec_reserve(stats->stack, &stats->stack_capacity, stats->n_stack + 1, sizeof *stats->stack);
    stats->stack[stats->n_stack++] = (struct activation){.start_ns = start_ns, .context = context};
}

static void clear_contexts(struct rv_stats *stats)
{
    stats->n_contexts = stats->n_in_contexts = 0;
    stats->n_context_times = 0;
    rv_hash_index_clear(&stats->context_index);
    (void)add_context(stats, 0, 0);
}

/* Too much was counted without names: they are not waited for any more. */
static void give_up_names(struct rv_stats *stats)
{
    free(stats->has_name);
    stats->has_name = NULL;
    stats->n_has_name = 0;
    stats->lacks_inner = true;
}

/* The context of a call; 0: there are too many. Calls come in the reverse of the order in which they closed. */
static uint32_t enter_context(struct rv_stats *stats, uint32_t id, uint64_t start_ns)
{
    while (stats->stack[stats->n_stack - 1].start_ns > start_ns)
        stats->n_stack--;
    struct activation *caller = &stats->stack[stats->n_stack - 1];
    if (!caller->last_callee || stats->contexts[caller->last_callee].id != id) {
        const uint64_t key = (uint64_t)caller->context << 32 | id;
        uint32_t found = rv_hash_index_get(&stats->context_index, key);
        if (!found && stats->n_contexts == MOST_CONTEXTS) {
            give_up_names(stats);
            return 0;
        }
        if (!found) {
            found = add_context(stats, caller->context, id);
            rv_hash_index_add(&stats->context_index, key, found);
        }
        caller->last_callee = found;
    }
    const uint32_t context = caller->last_callee;
    push_activation(stats, start_ns, context);
    return context;
}

static int by_start(const void *a, const void *b)
{
    const struct open_id *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Begin with the open frames around the calls of a block. False: there are too many contexts. */
static bool enter_open(struct rv_stats *stats, const struct rv_stats_lane *lane)
{
    struct open_id *open = rv_alloc(lane->open_slots + 1, sizeof *open);
    size_t n = 0, n_entered = 0;
    for (size_t i = 0; i < lane->open_slots; i++)
        if (lane->open[i].n_open)
            open[n++] = lane->open[i];
    qsort(open, n, sizeof *open, by_start);
    stats->n_stack = 0;
    push_activation(stats, 0, 0);
    while (n_entered < n && enter_context(stats, open[n_entered].id, open[n_entered].start_ns))
        n_entered++;
    free(open);
    return n_entered == n;
}

/* Sum up the outermost activations of a block by context. */
static void add_contexts(struct rv_stats *stats, const struct rv_stats_lane *lane, const struct rv_span *spans,
                         size_t n)
{
    stats->n_in_contexts += n;
    cover_open(stats, lane);
    if (!enter_open(stats, lane))
        return;
    for (size_t i = n; i-- > 0;) {
        if ((spans[i].flags & RV_SPAN_ORPHAN) || !cover(stats, &spans[i]))
            continue;
        const uint32_t context = enter_context(stats, spans[i].id, spans[i].start);
        if (!context)
            return;
        if (cover_name(stats, spans[i].id, spans[i].start))
            stats->contexts[context].total_ns += spans[i].end - spans[i].start;
    }
}

/* Is it inside a call of the same name? */
static bool is_inner(const struct rv_stats *stats, const struct context *context)
{
    if (!stats->totals[context->id].has_shared_name)
        return false;
    const uint32_t name = stats->name_of[context->id];
    bool is_found = false;
    for (uint32_t i = context->caller; i && !is_found; i = stats->contexts[i].caller) {
        const uint32_t id = stats->contexts[i].id;
        is_found = stats->totals[id].has_shared_name && stats->name_of[id] == name;
    }
    return is_found;
}

void rv_stats_correct(struct rv_stats *stats)
{
    for (size_t i = 1; i < stats->n_contexts; i++) {
        struct context *context = &stats->contexts[i];
        if (!is_inner(stats, context))
            continue;
        if (context->total_ns)
            add_inner(stats, context->id, context->total_ns);
        context->total_ns = 0;
        if (i >= stats->n_context_times || !rv_state_times_any(&stats->context_times[i]))
            continue;
        rv_state_times_subtract(&stats->times[context->id].total, &stats->context_times[i]);
        stats->context_times[i] = (struct rv_state_times){0};
    }
}

static bool are_contexts_named(const struct rv_stats *stats)
{
    bool are = true;
    for (size_t i = 1; i < stats->n_contexts && are; i++)
        are = stats->has_name[stats->contexts[i].id];
    return are;
}

/* Before a block: contexts of names that have come since are not needed any more. */
static void make_room_for_contexts(struct rv_stats *stats)
{
    if (stats->n_contexts < MOST_CONTEXTS / 2 && stats->n_in_contexts < MOST_IN_CONTEXTS / 2)
        return;
    if (are_contexts_named(stats)) {
        rv_stats_correct(stats);
        clear_contexts(stats);
    } else if (stats->n_in_contexts >= MOST_IN_CONTEXTS) {
        give_up_names(stats);
    }
}

void rv_stats_await_names(struct rv_stats *stats)
{
    stats->has_name = rv_vec_extend(NULL, &stats->n_has_name, stats->n_rows + 1, sizeof *stats->has_name);
    stats->has_name[0] = true; /* what is unknown */
    clear_contexts(stats);
}

void rv_stats_lack_inner(struct rv_stats *stats)
{
    stats->lacks_inner = true;
}

bool rv_stats_lacks_inner(const struct rv_stats *stats)
{
    return stats->lacks_inner;
}

static void set_name(struct rv_stats *stats, uint32_t id, uint32_t name)
{
    stats->name_of = rv_vec_extend(stats->name_of, &stats->n_name_of, (size_t)id + 1, sizeof *stats->name_of);
    stats->name_of[id] = name;
    stats->totals[id].has_shared_name = true;
}

/* The number of the name, which another subroutine has, too. */
static uint32_t share_name(struct rv_stats *stats, uint32_t first)
{
    if (!stats->totals[first].has_shared_name) {
        stats->names = rv_vec_reserve(stats->names, &stats->names_capacity, stats->n_names + 1, sizeof *stats->names);
        stats->names[stats->n_names] = (struct shared_name){.stamp = 0};
        set_name(stats, first, (uint32_t)stats->n_names++);
    }
    return stats->name_of[first];
}

static void name_one(struct rv_stats *stats, const struct rv_namesake *namesake)
{
    const uint32_t id = namesake->id, first = namesake->first, most = id > first ? id : first;
    if (stats->has_name) {
        stats->has_name = rv_vec_extend(stats->has_name, &stats->n_has_name, (size_t)id + 1, sizeof *stats->has_name);
        stats->has_name[id] = true;
    }
    while (stats->n_named_first < stats->n_has_name && stats->has_name[stats->n_named_first])
        stats->n_named_first++;
    if (id == first)
        return;
    if (most >= stats->n_rows)
        grow_rows(stats, most);
    set_name(stats, id, share_name(stats, first));
}

void rv_stats_name(struct rv_stats *stats, const struct rv_namesake *namesakes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        name_one(stats, &namesakes[i]);
}

/* ---- time off the CPU ---- */

static struct times *times_at(struct rv_stats *stats, uint32_t id)
{
    stats->times = rv_vec_extend(stats->times, &stats->n_times, (size_t)id + 1, sizeof *stats->times);
    return &stats->times[id];
}

static void add_total_times(struct rv_stats *stats, uint32_t id, const struct rv_state_times *times)
{
    if (rv_state_times_any(times))
        rv_state_times_add(&times_at(stats, id)->total, times);
}

static void add_context_times(struct rv_stats *stats, uint32_t context, const struct rv_state_times *times)
{
    stats->context_times =
        rv_vec_extend(stats->context_times, &stats->n_context_times, (size_t)context + 1, sizeof *stats->context_times);
    rv_state_times_add(&stats->context_times[context], times);
}

/* Does no other open frame of its name contain it? Of those that began at once, the one with the least id counts. */
static bool is_outermost_open(const struct rv_stats *stats, const struct rv_stats_lane *lane,
                              const struct open_id *open)
{
    if (!stats->totals[open->id].has_shared_name)
        return true;
    const uint32_t name = stats->name_of[open->id];
    bool is_outermost = open->start_ns == stats->names[name].cover_ns;
    for (size_t i = 0; i < lane->open_slots && is_outermost; i++) {
        const struct open_id *other = &lane->open[i];
        is_outermost = other->n_open == 0 || other->start_ns != open->start_ns || other->id >= open->id ||
                       !stats->totals[other->id].has_shared_name || stats->name_of[other->id] != name;
    }
    return is_outermost;
}

/*
 * The parts of open calls that lie in this block. A call that began before was open in earlier blocks, too, and got its
 * parts there.
 */
static void add_open_stretches(struct rv_stats *stats, const struct rv_stats_lane *lane,
                               const struct rv_state_times_sums *stretches)
{
    for (size_t i = 0; i < lane->open_slots; i++) {
        const struct open_id *open = &lane->open[i];
        const struct rv_state_times times = rv_state_times_sums_between(stretches, open->start_ns, UINT64_MAX);
        if (open->n_open && is_outermost_open(stats, lane, open))
            add_total_times(stats, open->id, &times);
    }
}

/* The same by context. */
static bool add_open_contexts(struct rv_stats *stats, const struct rv_stats_lane *lane,
                              const struct rv_state_times_sums *stretches)
{
    if (!enter_open(stats, lane))
        return false;
    for (size_t i = 1; i < stats->n_stack; i++) {
        const uint32_t context = stats->stack[i].context;
        const struct open_id *open = find_open(lane, stats->contexts[context].id);
        const struct rv_state_times times = rv_state_times_sums_between(stretches, open->start_ns, UINT64_MAX);
        if (is_outermost_open(stats, lane, open) && rv_state_times_any(&times))
            add_context_times(stats, context, &times);
    }
    return true;
}

void rv_stats_add_stretches(struct rv_stats *stats, const struct rv_stats_lane *lane, const struct rv_span *spans,
                            size_t n, const struct rv_state_times_sums *stretches)
{
    cover_open(stats, lane);
    add_open_stretches(stats, lane, stretches);
    bool has_contexts =
        stats->has_name && !are_named(stats, lane, spans, n) && add_open_contexts(stats, lane, stretches);
    size_t n_until = stretches->n; /* those that end with the span or before: most spans have none */
    for (size_t i = n; i-- > 0;) {
        const struct rv_span *span = &spans[i];
        while (n_until > 0 && stretches->items[n_until - 1].at_ns > span->end)
            n_until--;
        if ((span->flags & RV_SPAN_ORPHAN) || !cover(stats, span))
            continue;
        const bool is_outermost = cover_name(stats, span->id, span->start);
        if (n_until == 0 || stretches->items[n_until - 1].at_ns <= span->start)
            continue;
        const struct rv_state_times times = rv_state_times_sums_between(stretches, span->start, span->end);
        const uint32_t context = has_contexts ? enter_context(stats, span->id, span->start) : 0;
        has_contexts = context != 0;
        if (!is_outermost)
            continue;
        add_total_times(stats, span->id, &times);
        if (has_contexts)
            add_context_times(stats, context, &times);
    }
}

/* The depth has fallen to this one: times pending at deeper levels count as children of the closing frame. */
static void close_gap(struct rv_stats_lane *lane, uint32_t depth)
{
    uint64_t *children_ns = lane->children_ns, left_ns = 0;
    const uint32_t first_depth = lane->first_depth, begin = depth < first_depth ? first_depth : depth + 2;
    for (uint32_t i = begin; i <= lane->last_depth; i++) {
        left_ns += children_ns[i - first_depth];
        children_ns[i - first_depth] = 0;
    }
    lane->first_depth = depth < first_depth ? depth : first_depth;
    lane->last_depth = depth + 1;
    children_ns[depth + 1 - lane->first_depth] += left_ns;
}

/* Make room for a depth and the next one. Depths are stored relative to the lowest one seen, since those of
 * frames open before the capture are far lower. */
static void reach(struct rv_stats_lane *lane, uint32_t depth)
{
    if (lane->n_depths == 0)
        lane->first_depth = lane->last_depth = depth;
    else if (depth < lane->first_depth)
        close_gap(lane, depth);
    const size_t n_reached = (size_t)(depth - lane->first_depth) + 2;
    if (n_reached <= lane->n_depths)
        return;
    uint64_t *children_ns = rv_alloc(2 * n_reached, sizeof *children_ns);
    if (lane->n_depths)
        memcpy(children_ns, lane->children_ns, lane->n_depths * sizeof *children_ns);
    free(lane->children_ns);
    lane->children_ns = children_ns;
    lane->n_depths = 2 * n_reached;
}

static inline bool has_reached(const struct rv_stats_lane *lane, uint32_t depth)
{
    return (size_t)(uint32_t)(depth - lane->first_depth) + 2 <= lane->n_depths;
}

void rv_stats_lane_lower(struct rv_stats_lane *lane, uint32_t by)
{
    lane->first_depth += by;
    lane->last_depth += by;
}

void rv_stats_lane_set_children(struct rv_stats_lane *lane, uint32_t depth, uint64_t children_ns)
{
    if (!has_reached(lane, depth))
        reach(lane, depth);
    lane->children_ns[depth + 1 - lane->first_depth] = children_ns;
    lane->last_depth = depth + 1 > lane->last_depth ? depth + 1 : lane->last_depth;
}

uint64_t rv_stats_lane_children(const struct rv_stats_lane *lane, uint32_t depth)
{
    const uint32_t at = depth + 1 - lane->first_depth;
    return at < lane->n_depths ? lane->children_ns[at] : 0;
}

/* Returns the time of this span's children, and adds the span's time to its parent's. */
static uint64_t take_children(struct rv_stats_lane *lane, const struct rv_span *span, bool is_orphan)
{
    const uint32_t depth = span->depth;
    if (__builtin_expect(!has_reached(lane, depth), 0))
        reach(lane, depth);
    if (__builtin_expect(depth + 1 < lane->last_depth, 0))
        close_gap(lane, depth);
    lane->last_depth = depth;
    uint64_t *at = &lane->children_ns[depth - lane->first_depth], children_ns = at[1];
    at[1] = 0;
    at[0] += is_orphan ? children_ns : span->end - span->start;
    return children_ns;
}

static inline uint64_t own_time(uint64_t duration_ns, uint64_t children_ns)
{
    return duration_ns > children_ns ? duration_ns - children_ns : 0;
}

bool rv_stats_lane_own(struct rv_stats_lane *lane, const struct rv_span *span, uint64_t *own_ns)
{
    bool is_orphan = span->flags & RV_SPAN_ORPHAN;
    *own_ns = own_time(span->end - span->start, take_children(lane, span, is_orphan));
    return !is_orphan;
}

static inline void add_to_row(struct rv_stats_calls *row, uint64_t duration_ns, uint64_t self_ns)
{
    rv_stats_calls_add(row, duration_ns);
    row->self_ns += self_ns;
}

void rv_stats_add_call(struct rv_stats *stats, uint32_t id, const struct rv_stats_call *call)
{
    if (id >= stats->n_rows)
        grow_rows(stats, id);
    stats->totals[id].total_ns += call->total_ns;
    stats->totals[id].has_doubtful |= call->is_doubtful;
    add_to_row(&stats->rows[id], call->duration_ns, call->self_ns);
}

/* Prefetch the rows and buckets of a step before using them. */
enum { STEP_SPANS = 32 };

struct call {
    uint64_t duration_ns, self_ns;
    struct rv_stats_calls *row;
};

static inline void add_to_rows(const struct call *calls, size_t n)
{
    for (size_t i = 0; i < n; i++)
        rv_histogram_prefetch(&calls[i].row->durations, calls[i].duration_ns);
    for (size_t i = 0; i < n; i++)
        add_to_row(calls[i].row, calls[i].duration_ns, calls[i].self_ns);
}

/* Collect the spans of a step that have a row. Returns their number. */
static size_t take_calls(struct rv_stats *stats, struct rv_stats_lane *lane, const struct rv_span *spans, size_t n,
                         struct call *calls)
{
    size_t n_calls = 0;
    for (size_t i = 0; i < n; i++) {
        const struct rv_span *span = &spans[i];
        bool is_orphan = span->flags & RV_SPAN_ORPHAN;
        const uint64_t children_ns = take_children(lane, span, is_orphan), duration_ns = span->end - span->start;
        struct rv_stats_calls *row = is_orphan ? NULL : &stats->rows[span->id];
        __builtin_prefetch(row, 1);
        calls[n_calls] = (struct call){duration_ns, own_time(duration_ns, children_ns), row};
        n_calls += !is_orphan;
    }
    return n_calls;
}

void rv_stats_add(struct rv_stats *stats, struct rv_stats_lane *lane, const struct rv_span *spans, size_t n)
{
    struct call calls[STEP_SPANS];
    cover_open(stats, lane);
    add_totals(stats, spans, n);
    if (stats->has_name && !are_named(stats, lane, spans, n)) {
        make_room_for_contexts(stats);
        if (stats->has_name)
            add_contexts(stats, lane, spans, n);
    }
    for (size_t at = 0; at < n; at += STEP_SPANS) {
        size_t n_calls = take_calls(stats, lane, spans + at, n - at < STEP_SPANS ? n - at : STEP_SPANS, calls);
        add_to_rows(calls, n_calls);
    }
}

void rv_stats_add_times(struct rv_stats *stats, uint32_t id, const struct rv_state_times *self,
                        const struct rv_state_times *total)
{
    if (id >= stats->n_rows)
        grow_rows(stats, id);
    struct times *times = times_at(stats, id);
    rv_state_times_add(&times->self, self);
    rv_state_times_add(&times->total, total);
}

static struct times times_of(const struct rv_stats *stats, size_t id)
{
    return id < stats->n_times ? stats->times[id] : (struct times){0};
}

static uint64_t inner_of(const struct rv_stats *stats, size_t id)
{
    return id < stats->n_inner ? stats->inner_ns[id] : 0;
}

void rv_stats_put(struct rv_stats *stats, const struct rv_stats_row *row, const struct rv_histogram *durations)
{
    if (row->id >= stats->n_rows)
        grow_rows(stats, row->id);
    struct rv_stats_calls *sum = &stats->rows[row->id];
    rv_histogram_merge(&sum->durations, durations);
    sum->n_calls += row->n_calls;
    stats->totals[row->id].total_ns += row->total_ns + row->inner_ns;
    stats->totals[row->id].has_doubtful |= row->has_doubtful;
    if (row->inner_ns)
        add_inner(stats, row->id, row->inner_ns);
    sum->self_ns += row->self_ns;
    if (row->min_ns < sum->min_ns)
        sum->min_ns = row->min_ns;
    if (row->max_ns > sum->max_ns)
        sum->max_ns = row->max_ns;
    if (rv_state_times_any(&row->total_times) || rv_state_times_any(&row->self_times))
        rv_stats_add_times(stats, row->id, &row->self_times, &row->total_times);
}

void rv_stats_merge_as(struct rv_stats *into, const struct rv_stats *from, const uint32_t *as_id, size_t n_ids)
{
    into->lacks_inner |= from->lacks_inner;
    for (size_t i = 0; i < from->n_rows; i++) {
        const struct rv_stats_calls *row = &from->rows[i];
        const struct times times = times_of(from, i);
        if (!row->n_calls && !row->self_ns && !from->totals[i].total_ns && !rv_state_times_any(&times.total))
            continue; /* calls that are counted elsewhere or still open may have times */
        rv_stats_put(into,
                     &(struct rv_stats_row){.id = i < n_ids ? as_id[i] : (uint32_t)i,
                                            .n_calls = row->n_calls,
                                            .total_ns = from->totals[i].total_ns - inner_of(from, i),
                                            .inner_ns = inner_of(from, i),
                                            .self_ns = row->self_ns,
                                            .min_ns = row->min_ns,
                                            .max_ns = row->max_ns,
                                            .self_times = times.self,
                                            .total_times = times.total,
                                            .has_doubtful = from->totals[i].has_doubtful},
                     &row->durations);
    }
}

void rv_stats_merge(struct rv_stats *into, const struct rv_stats *from)
{
    rv_stats_merge_as(into, from, NULL, 0);
}

/* The smallest value that at least this share of the calls does not exceed. */
static uint64_t percentile(const struct rv_stats_calls *row, unsigned percent)
{
    uint64_t rank = row->n_calls / 100 * percent + (row->n_calls % 100 * percent + 99) / 100;
    uint64_t value_ns = rv_histogram_at(&row->durations, rank);
    if (value_ns < row->min_ns)
        return row->min_ns;
    return value_ns > row->max_ns ? row->max_ns : value_ns;
}

size_t rv_stats_rows(const struct rv_stats *stats, struct rv_stats_row *out, size_t max)
{
    size_t n = 0;
    for (size_t i = 0; i < stats->n_rows; i++) {
        const struct rv_stats_calls *row = &stats->rows[i];
        if (!row->n_calls)
            continue;
        if (n < max)
            out[n] = (struct rv_stats_row){.id = (uint32_t)i,
                                           .n_calls = row->n_calls,
                                           .total_ns = stats->totals[i].total_ns - inner_of(stats, i),
                                           .inner_ns = inner_of(stats, i),
                                           .self_ns = row->self_ns,
                                           .min_ns = row->min_ns,
                                           .p50_ns = percentile(row, 50),
                                           .p99_ns = percentile(row, 99),
                                           .max_ns = row->max_ns,
                                           .self_times = times_of(stats, i).self,
                                           .total_times = times_of(stats, i).total,
                                           .has_doubtful = stats->totals[i].has_doubtful};
        n++;
    }
    return n;
}

struct rv_stats *rv_stats_by_name(const struct rv_stats *stats, struct rv_subroutines *subroutines)
{
    uint32_t n_ids, *as_id = rv_subroutines_take_namesakes(subroutines, &n_ids);
    struct rv_stats *merged = rv_stats_create();
    rv_stats_merge_as(merged, stats, as_id, n_ids);
    free(as_id);
    return merged;
}

bool rv_stats_has_doubtful_totals(const struct rv_stats *stats, const struct rv_stats *by_name)
{
    return stats->lacks_inner && rv_stats_rows(stats, NULL, 0) > rv_stats_rows(by_name, NULL, 0);
}

struct rv_stats_row *rv_stats_take_rows(const struct rv_stats *stats, size_t *n)
{
    *n = rv_stats_rows(stats, NULL, 0);
    struct rv_stats_row *rows = rv_alloc(*n, sizeof *rows);
    (void)rv_stats_rows(stats, rows, *n);
    return rows;
}

struct rv_stats_calls *rv_stats_calls(struct rv_stats *stats)
{
    return stats->rows;
}

size_t rv_stats_n_buckets(const struct rv_stats *stats)
{
    size_t n_octaves = 0;
    for (size_t i = 0; i < stats->n_rows; i++)
        n_octaves += stats->rows[i].durations.n;
    return n_octaves * RV_HISTOGRAM_BUCKETS;
}

const struct rv_histogram *rv_stats_durations(const struct rv_stats *stats, uint32_t id)
{
    return id < stats->n_rows && stats->rows[id].n_calls ? &stats->rows[id].durations : NULL;
}

uint64_t rv_stats_at_most(const struct rv_stats *stats, uint32_t id, uint64_t duration_ns, uint64_t *n_calls)
{
    *n_calls = id < stats->n_rows ? stats->rows[id].n_calls : 0;
    return *n_calls ? rv_histogram_at_most(&stats->rows[id].durations, duration_ns) : 0;
}
