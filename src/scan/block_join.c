/*
 * The carry: the open frames of each stack. A part's reaches pop them, the frames that a part left open are pushed.
 *
 * Only reaches touch carried frames. Local spans need nothing from the carry but the depth of their segment, which is
 * stored in the reach.
 */
#include "scan/block_join.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hash_index.h"
#include "base/vec.h"
#include "scan/block_parts.h"
#include "scan/tag.h"

/* No real program has more stacks; in corrupt input, further ones share the first. */
#define MAX_STACKS 65536u

struct stack {
    uint32_t stack;
    bool is_begun;
    uint32_t n;
    uint32_t n_unchanged, n_alike;
    uint32_t n_doubtful; /* all frames below this index are doubtful */
    uint64_t seen_mark;  /* n_unchanged and n_alike are valid while this equals the carry's */
    uint32_t base_depth; /* may go below 0: wraps */
    struct rv_tag_state tag;
    int64_t min_key;
    uint64_t first_ns;
    uint64_t *start;
    uint32_t *id;
    int64_t *key;
    uint8_t *flags;  /* RV_SPAN_DOUBTFUL or 0 */
    size_t capacity; /* of each of the four arrays */
};

struct rv_block_join {
    struct stack *stacks;
    size_t n_stacks, stack_capacity;
    struct rv_hash_index by_key; /* of stacks: index + 1 */
    uint64_t seen_mark;
    uint64_t last_ns; /* of the last CALL or RETURN */
    struct rv_block_join_counts counts;
};

static struct stack *find_stack(struct rv_block_join *carry, uint32_t key)
{
    uint32_t found = rv_hash_index_get(&carry->by_key, key);
    if (found)
        return &carry->stacks[found - 1];
    if (carry->n_stacks == MAX_STACKS)
        return &carry->stacks[0];
    carry->stacks = rv_vec_reserve(carry->stacks, &carry->stack_capacity, carry->n_stacks + 1, sizeof *carry->stacks);
    struct stack *stack = &carry->stacks[carry->n_stacks++];
    *stack = (struct stack){.stack = key, .min_key = INT64_MAX, .seen_mark = carry->seen_mark};
    rv_hash_index_add(&carry->by_key, key, (uint32_t)carry->n_stacks);
    return stack;
}

/* Record that frames from n on differ from those at the last mark. */
static void touch(const struct rv_block_join *carry, struct stack *stack, uint32_t n)
{
    if (stack->seen_mark != carry->seen_mark) {
        stack->seen_mark = carry->seen_mark;
        stack->n_unchanged = stack->n_alike = n;
    } else if (n < stack->n_unchanged) {
        stack->n_unchanged = n;
    }
    if (n < stack->n_alike)
        stack->n_alike = n;
}

/* Record that only the lowest n frames are unchanged. */
static void keep(const struct rv_block_join *carry, struct stack *stack, uint32_t n)
{
    touch(carry, stack, n);
    if (n < stack->n_doubtful)
        stack->n_doubtful = n;
}

static bool has_top(const struct stack *stack, int64_t key)
{
    return stack->n && stack->key[stack->n - 1] == key;
}

static void cut_top(struct rv_block_join *carry, struct stack *stack, struct rv_block *block)
{
    block->cuts = rv_vec_reserve(block->cuts, &block->cut_capacity, block->n_cuts + 1, sizeof *block->cuts);
    uint32_t top = --stack->n;
    block->cuts[block->n_cuts++] = (struct rv_cut){
        .start = stack->start[top],
        .id = stack->id[top],
        .depth = (int32_t)(stack->base_depth + top),
        .flags = stack->flags[top] | RV_SPAN_CUT,
    };
    carry->counts.n_cut++;
    carry->counts.n_doubtful += stack->flags[top] != 0;
}

static void reach_return(struct rv_block_join *carry, struct stack *stack, struct rv_block *block,
                         struct rv_reach *reach, int64_t key)
{
    if (reach->id && has_top(stack, key) && stack->id[stack->n - 1] != reach->id)
        cut_top(carry, stack, block);
    if (has_top(stack, key)) {
        reach->outcome = RV_REACH_SPAN;
        stack->n--;
        reach->flags = stack->flags[stack->n];
        carry->counts.n_doubtful += reach->flags != 0;
        reach->start = stack->start[stack->n];
        reach->id = stack->id[stack->n];
        return;
    }
    if (!stack->n && key < stack->min_key)
        stack->base_depth--;
    reach->outcome = RV_REACH_NOTHING;
    if (!reach->id)
        return;
    reach->outcome = RV_REACH_ORPHAN;
    reach->flags = RV_SPAN_ORPHAN;
    reach->start = stack->first_ns;
    carry->counts.n_orphans++;
}

static void apply_reach(struct rv_block_join *carry, struct stack *stack, struct rv_block *block,
                        struct rv_reach *reach, int64_t key)
{
    reach->first_cut = (uint32_t)block->n_cuts;
    while (stack->n && stack->key[stack->n - 1] > key)
        cut_top(carry, stack, block);
    if (reach->is_return)
        reach_return(carry, stack, block, reach, key);
    else if (has_top(stack, key))
        cut_top(carry, stack, block);
    reach->n_cut = (uint32_t)block->n_cuts - reach->first_cut;
    if (key < stack->min_key)
        stack->min_key = key;
    reach->depth = (int32_t)(stack->base_depth + stack->n);
    if (stack->n + reach->peak > carry->counts.max_depth)
        carry->counts.max_depth = stack->n + reach->peak;
}

static void reserve_frames(struct stack *stack, size_t n)
{
    if (n <= stack->capacity)
        return;
    size_t start_capacity = stack->capacity, id_capacity = stack->capacity, key_capacity = stack->capacity;
    size_t flags_capacity = stack->capacity;
    stack->start = rv_vec_reserve(stack->start, &start_capacity, n, sizeof *stack->start);
    stack->id = rv_vec_reserve(stack->id, &id_capacity, n, sizeof *stack->id);
    stack->key = rv_vec_reserve(stack->key, &key_capacity, n, sizeof *stack->key);
    stack->flags = rv_vec_reserve(stack->flags, &flags_capacity, n, sizeof *stack->flags);
    stack->capacity = start_capacity < id_capacity ? start_capacity : id_capacity;
    stack->capacity = key_capacity < stack->capacity ? key_capacity : stack->capacity;
    stack->capacity = flags_capacity < stack->capacity ? flags_capacity : stack->capacity;
}

static void push_frames(struct stack *stack, const struct rv_block *block, const struct rv_part *part, int64_t shift)
{
    uint32_t n = part->events.n_frames;
    if (!n)
        return;
    reserve_frames(stack, (size_t)stack->n + n);
    const uint32_t *start = block->frames + part->events.first_frame;
    const uint32_t *id = start + RV_FRAME_ID, *key = start + RV_FRAME_KEY;
    uint64_t *to_start = stack->start + stack->n, base = block->base_ns;
    uint32_t *to_id = stack->id + stack->n;
    int64_t *to_key = stack->key + stack->n;
    for (uint32_t i = 0; i < n; i++)
        to_start[i] = base + start[i];
    for (uint32_t i = 0; i < n; i++)
        to_id[i] = id[i];
    for (uint32_t i = 0; i < n; i++)
        to_key[i] = shift + ((int32_t)key[i] >> 1);
    memset(stack->flags + stack->n, 0, n);
    stack->n += n;
}

/* Unwrap the next event's tag. Returns its key. */
static int64_t advance_key(const struct rv_block_join *carry, struct stack *stack, uint16_t tag)
{
    uint64_t n_lost = stack->tag.n_lost;
    touch(carry, stack, stack->n);
    int64_t key = rv_tag_advance(&stack->tag, tag);
    if (!n_lost)
        return key;
    uint32_t i = stack->n;
    for (; i > stack->n_doubtful && stack->key[i - 1] >= rv_tag_doubtful(key, n_lost); i--)
        stack->flags[i - 1] = RV_SPAN_DOUBTFUL;
    stack->n_alike = i < stack->n_alike ? i : stack->n_alike;
    if (i == stack->n_doubtful)
        stack->n_doubtful = stack->n;
    return key;
}

static void apply_events(struct rv_block_join *carry, struct rv_block *block, struct rv_part *part)
{
    struct stack *stack = find_stack(carry, part->stack);
    struct rv_reach *reaches = block->reaches + part->events.first_reach;
    uint32_t n_reaches = part->events.n_reaches;
    if (!stack->is_begun) {
        stack->is_begun = true;
        stack->first_ns = block->base_ns + reaches[0].offset;
    }
    part->events.first_ns = stack->first_ns;
    int64_t first = advance_key(carry, stack, (uint16_t)part->events.first_key);
    int64_t shift = first - part->events.first_key;
    uint32_t n_kept = stack->n;
    for (uint32_t i = 0; i < n_reaches; i++) {
        apply_reach(carry, stack, block, &reaches[i], shift + reaches[i].key);
        n_kept = stack->n < n_kept ? stack->n : n_kept;
    }
    keep(carry, stack, n_kept);
    push_frames(stack, block, part, shift);
    stack->tag.key = shift + part->events.last_key;
    struct rv_block_join_counts *counts = &carry->counts;
    counts->n_calls += part->events.n_spans - part->events.n_orphans + part->events.n_frames;
    counts->n_cut += part->events.n_cut;
    counts->n_orphans += part->events.n_orphans;
}

/* Is a frame with this key and id open? Keys increase. */
static bool has_frame(const struct stack *stack, int64_t key, uint32_t id)
{
    uint32_t low = 0, high = stack->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (stack->key[middle] <= key)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && stack->key[low - 1] == key && stack->id[low - 1] == id;
}

static void begin_cuts(const struct rv_block_join *carry, const struct rv_block *block, struct rv_part *part)
{
    part->first_cut = (uint32_t)block->n_cuts;
    if (!part->has_now)
        part->now = carry->last_ns;
}

static void apply_sync(struct rv_block_join *carry, struct rv_block *block, struct rv_part *part)
{
    struct stack *stack = find_stack(carry, part->stack);
    int64_t key = advance_key(carry, stack, part->sync.tag);
    begin_cuts(carry, block, part);
    if (!has_frame(stack, key, part->sync.id)) {
        while (stack->n && stack->key[stack->n - 1] > key)
            cut_top(carry, stack, block);
        if (has_top(stack, key))
            cut_top(carry, stack, block);
        keep(carry, stack, stack->n);
        reserve_frames(stack, (size_t)stack->n + 1);
        stack->start[stack->n] = part->sync.start;
        stack->id[stack->n] = part->sync.id;
        stack->key[stack->n] = key;
        stack->flags[stack->n] = 0;
        stack->n++;
    }
    if (key < stack->min_key)
        stack->min_key = key;
    if (stack->n > carry->counts.max_depth)
        carry->counts.max_depth = stack->n;
    part->n_cut = (uint32_t)block->n_cuts - part->first_cut;
}

static void apply_lost(struct rv_block_join *carry, const struct rv_part *part)
{
    carry->counts.n_lost += part->n_lost;
    rv_tag_lose(&find_stack(carry, part->stack)->tag, part->n_lost);
}

void rv_block_join_apply(struct rv_block_join *carry, struct rv_block *block)
{
    block->n_cuts = 0;
    for (uint32_t i = 0; i < block->n_parts; i++) {
        struct rv_part *part = &block->parts[i];
        switch (part->kind) {
        case RV_PART_EVENTS:
            apply_events(carry, block, part);
            break;
        case RV_PART_SYNC:
            apply_sync(carry, block, part);
            break;
        case RV_PART_LOST:
            apply_lost(carry, part);
            break;
        }
    }
    if (block->has_events)
        carry->last_ns = block->last_ns;
}

struct rv_block_join *rv_block_join_create(void)
{
    return rv_alloc(1, sizeof(struct rv_block_join));
}

void rv_block_join_destroy(struct rv_block_join *carry)
{
    if (!carry)
        return;
    for (size_t i = 0; i < carry->n_stacks; i++) {
        free(carry->stacks[i].start);
        free(carry->stacks[i].id);
        free(carry->stacks[i].key);
        free(carry->stacks[i].flags);
    }
    free(carry->stacks);
    rv_hash_index_fini(&carry->by_key);
    free(carry);
}

size_t rv_block_join_n_stacks(const struct rv_block_join *carry)
{
    return carry->n_stacks;
}

void rv_block_join_open_stack(const struct rv_block_join *carry, size_t stack_idx, struct rv_open_stack *out)
{
    rv_assert(stack_idx < carry->n_stacks);
    const struct stack *stack = &carry->stacks[stack_idx];
    bool has_moved = stack->seen_mark == carry->seen_mark;
    *out = (struct rv_open_stack){
        .stack = stack->stack,
        .base_depth = (int32_t)stack->base_depth,
        .n_frames = stack->n,
        .n_unchanged = has_moved ? stack->n_unchanged : stack->n,
        .n_alike = has_moved ? stack->n_alike : stack->n,
        .has_moved = has_moved,
        .is_begun = stack->is_begun,
        .first_ns = stack->first_ns,
        .least_key = stack->min_key,
        .last_key = stack->tag.key,
        .n_lost = stack->tag.n_lost,
        .start = stack->start,
        .id = stack->id,
        .key = stack->key,
        .flags = stack->flags,
    };
}

void rv_block_join_mark_seen(struct rv_block_join *carry)
{
    carry->seen_mark++;
}

uint32_t rv_block_join_shift(const struct rv_block_join *carry, uint32_t shift)
{
    for (size_t i = 0; i < carry->n_stacks; i++) {
        int64_t base_depth = (int32_t)carry->stacks[i].base_depth;
        if (base_depth + shift < 0)
            shift = (uint32_t)-base_depth;
    }
    return shift;
}

uint64_t rv_block_join_last_ns(const struct rv_block_join *carry)
{
    return carry->last_ns;
}

void rv_block_join_resume(struct rv_block_join *carry, const struct rv_open_stack *open, uint64_t last_ns)
{
    struct stack *stack = find_stack(carry, open->stack);
    const size_t n = open->n_frames;
    carry->last_ns = last_ns > carry->last_ns ? last_ns : carry->last_ns;
    stack->is_begun = open->is_begun;
    stack->first_ns = open->first_ns;
    stack->base_depth = (uint32_t)open->base_depth;
    stack->min_key = open->least_key;
    stack->tag = (struct rv_tag_state){open->last_key, open->n_lost, open->least_key != INT64_MAX};
    stack->n = stack->n_unchanged = stack->n_alike = (uint32_t)n;
    if (n == 0)
        return;
    reserve_frames(stack, n);
    memcpy(stack->start, open->start, n * sizeof *stack->start);
    memcpy(stack->id, open->id, n * sizeof *stack->id);
    memcpy(stack->key, open->key, n * sizeof *stack->key);
    memcpy(stack->flags, open->flags, n * sizeof *stack->flags);
}

size_t rv_block_join_finish(struct rv_block_join *carry, uint64_t end_ns, struct rv_span *out, size_t max)
{
    size_t n = 0;
    for (size_t i = 0; i < carry->n_stacks && n < max; i++) {
        struct stack *stack = &carry->stacks[i];
        for (; stack->n && n < max; n++) {
            uint32_t top = --stack->n;
            carry->counts.n_doubtful += stack->flags[top] != 0;
            out[n] = (struct rv_span){
                .start = stack->start[top],
                .end = end_ns > stack->start[top] ? end_ns : stack->start[top],
                .id = stack->id[top],
                .depth = stack->base_depth + top,
                .stack = stack->stack,
                .flags = stack->flags[top] | RV_SPAN_OPEN,
            };
        }
        touch(carry, stack, stack->n);
    }
    return n;
}

void rv_block_join_counts(const struct rv_block_join *carry, struct rv_block_join_counts *out)
{
    *out = carry->counts;
}
