/*
 * Folded stacks: every distinct stack of a thread once, with the self time of its innermost frame in ns: all of it, or what
 * was on the CPU or off it. A thread's stacks are a tree in memory; a call adds its time to its node and subtracts it from its
 * caller's.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/vec.h"
#include "export/format.h"
#include "export/text_cache.h"

/* A line has the whole stack, so a recursion needs quadratic space: deeper calls count as one frame. */
enum { MOST_FRAMES = 1000 };
/* Callees of a node that are in its list; further ones are indexed. */
enum { MOST_LISTED = 8 };
static const char DEEPER[] = "(deeper)";
#define DEEPER_ID UINT32_MAX

struct node {
    int64_t self_ns;      /* clocks of calls and of switches may differ by a nanosecond: below 0 */
    uint32_t id, parent;  /* node 0: the thread, its own parent */
    uint32_t depth;       /* frames below */
    uint32_t first, next; /* listed callee; the next of the same caller. 0: none */
};

struct folded {
    const struct rv_lane *lane;
    struct rv_text_cache names;
    struct rv_text_buffer head; /* "process;thread" */
    struct node *nodes;
    size_t n_nodes, nodes_capacity;
    struct rv_hash_index by_path; /* (parent, id) to node, of those that are not listed */
    uint32_t *path;               /* nodes of the open calls, the thread's first */
    size_t path_capacity;
};

static void begin(void *state, struct rv_export_target *target)
{
    (void)state;
    (void)target;
}

/* Semicolons separate frames and line ends separate lines: replace both in names. */
static void add_frame(struct rv_text_buffer *text, const char *name)
{
    size_t first = text->n;
    rv_text_buffer_add_utf8(text, name);
    for (size_t i = first; i < text->n; i++)
        if (text->bytes[i] == ';' || (unsigned char)text->bytes[i] < ' ')
            text->bytes[i] = text->bytes[i] == ';' ? ':' : ' ';
}

static uint32_t add_node(struct folded *folded, uint32_t parent, uint32_t id)
{
    folded->nodes = rv_vec_reserve(folded->nodes, &folded->nodes_capacity, folded->n_nodes + 1, sizeof *folded->nodes);
    folded->nodes[folded->n_nodes] =
        (struct node){.id = id, .parent = parent, .depth = folded->nodes[parent].depth + 1};
    return (uint32_t)folded->n_nodes++;
}

static uint32_t child_of(struct folded *folded, uint32_t parent, uint32_t id)
{
    uint32_t depth = folded->nodes[parent].depth;
    if (depth > MOST_FRAMES)
        return parent;
    if (depth == MOST_FRAMES)
        id = DEEPER_ID;
    uint32_t n = 0, last = 0;
    for (uint32_t child = folded->nodes[parent].first; child; child = folded->nodes[child].next, n++) {
        if (folded->nodes[child].id == id)
            return child;
        last = child;
    }
    const uint64_t key = (uint64_t)parent << 32 | id;
    uint32_t node = n == MOST_LISTED ? rv_hash_index_get(&folded->by_path, key) : 0;
    if (node)
        return node;
    node = add_node(folded, parent, id);
    if (n == MOST_LISTED)
        rv_hash_index_add(&folded->by_path, key, node);
    else if (last)
        folded->nodes[last].next = node;
    else
        folded->nodes[parent].first = node;
    return node;
}

static void begin_lane(void *state, struct rv_export_target *target, const struct rv_export_lane *lane)
{
    (void)target;
    struct folded *folded = state;
    folded->lane = lane->lane;
    folded->head.n = 0;
    add_frame(&folded->head, lane->lane->process_name);
    rv_text_buffer_add(&folded->head, ";");
    add_frame(&folded->head, lane->lane->name);
    folded->nodes = rv_vec_reserve(folded->nodes, &folded->nodes_capacity, 1, sizeof *folded->nodes);
    folded->nodes[0] = (struct node){0};
    folded->n_nodes = 1;
    rv_hash_index_clear(&folded->by_path);
    folded->path = rv_vec_reserve(folded->path, &folded->path_capacity, 1, sizeof *folded->path);
    folded->path[0] = 0;
}

static int64_t time_of(const struct folded *folded, enum rv_time_kind kind, const struct rv_span *span)
{
    if (kind == RV_TIME_WALL)
        return (int64_t)(span->end - span->start);
    const struct rv_state_times off = rv_state_times_sums_between(&folded->lane->stretches, span->start, span->end);
    return (int64_t)rv_state_times_of(&off, kind, span->end - span->start);
}

static void add_spans(void *state, struct rv_export_target *target, const struct rv_span *spans, size_t n)
{
    struct folded *folded = state;
    for (size_t i = 0; i < n; i++) {
        size_t depth = spans[i].depth;
        const int64_t time_ns = time_of(folded, target->export->flame, &spans[i]);
        uint32_t node = child_of(folded, folded->path[depth], spans[i].id);
        folded->path = rv_vec_reserve(folded->path, &folded->path_capacity, depth + 2, sizeof *folded->path);
        folded->nodes[folded->path[depth]].self_ns -= time_ns;
        folded->nodes[node].self_ns += time_ns;
        folded->path[depth + 1] = node;
    }
}

static const struct rv_text_buffer *name_of(struct folded *folded, struct rv_export_target *target, uint32_t id)
{
    struct rv_text_buffer *text = rv_text_cache_at(&folded->names, id);
    if (text->n)
        return text;
    struct rv_subroutine subroutine = rv_subroutines_get(target->export->subroutines, id);
    char *full = rv_subroutine_take_full_name(&subroutine);
    rv_text_buffer_add(text, ";");
    add_frame(text, full);
    free(full);
    return text;
}

static void add_line(struct folded *folded, struct rv_export_target *target, uint32_t node)
{
    struct rv_text_buffer *text = target->text;
    size_t n = 0;
    uint32_t ids[MOST_FRAMES + 1];
    for (uint32_t at = node; at; at = folded->nodes[at].parent)
        ids[n++] = folded->nodes[at].id;
    rv_text_buffer_add_bytes(text, folded->head.bytes, folded->head.n);
    while (n-- > 0) {
        if (ids[n] == DEEPER_ID) {
            rv_text_buffer_format(text, ";%s", DEEPER);
            continue;
        }
        const struct rv_text_buffer *name = name_of(folded, target, ids[n]);
        rv_text_buffer_add_bytes(text, name->bytes, name->n);
    }
    rv_text_buffer_add(text, " ");
    rv_text_buffer_add_u64(text, (uint64_t)folded->nodes[node].self_ns);
    rv_text_buffer_add(text, "\n");
}

static void end_lane(void *state, struct rv_export_target *target)
{
    struct folded *folded = state;
    for (uint32_t i = 1; i < folded->n_nodes; i++)
        if (folded->nodes[i].self_ns > 0) {
            add_line(folded, target, i);
            rv_export_drain(target);
        }
}

/* Comments, which readers skip. */
static void end(void *state, struct rv_export_target *target)
{
    (void)state;
    rv_losses_add_text(target->text, "# lost", target->export->losses, 0);
}

static void fini(void *state)
{
    struct folded *folded = state;
    rv_text_cache_fini(&folded->names);
    rv_text_buffer_fini(&folded->head);
    free(folded->nodes);
    rv_hash_index_fini(&folded->by_path);
    free(folded->path);
}

const struct rv_export_format rv_export_folded = {.state_bytes = sizeof(struct folded),
                                                  .begin = begin,
                                                  .begin_lane = begin_lane,
                                                  .spans = add_spans,
                                                  .end_lane = end_lane,
                                                  .end = end,
                                                  .fini = fini};
