/*
 * Scanning a block: it is cut into parts, and a kernel scans each part from an empty stack.
 *
 * SYNC and LOST divide the events into sections; within a section, the events of each stack are gathered and scanned as
 * one part. Long runs of events are scanned in place, short ones are first copied next to each other, because a kernel
 * is only fast on hundreds of events.
 */
#include "scan/block.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/vec.h"
#include "scan/block_parts.h"
#include "scan/push_pop_patterns.h"
#include "scan/tag.h"

#define LONG_RANGE 256u
#define NO_RANGE UINT32_MAX

static const rv_kernel_fn kernels[RV_SCAN_KERNEL_COUNT] = {
    [RV_SCAN_SCALAR] = rv_kernel_scalar,
#ifdef RV_SCAN_X86
    [RV_SCAN_AVX2] = rv_kernel_avx2,
    [RV_SCAN_AVX512] = rv_kernel_avx512,
#endif
};

bool rv_scan_kernel_is_supported(enum rv_scan_kernel kernel)
{
    switch (kernel) {
    case RV_SCAN_SCALAR:
        return true;
#ifdef RV_SCAN_X86
    case RV_SCAN_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    case RV_SCAN_AVX512:
        return __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq");
#else
    case RV_SCAN_AVX2:
    case RV_SCAN_AVX512:
#endif
    case RV_SCAN_KERNEL_COUNT:
        break;
    }
    return false;
}

const char *rv_scan_kernel_name(enum rv_scan_kernel kernel)
{
    static const char *const names[] = {"scalar", "avx2", "avx512"};
    return (unsigned)kernel < RV_SCAN_KERNEL_COUNT ? names[kernel] : "?";
}

enum rv_scan_kernel rv_scan_best_kernel(void)
{
    if (rv_scan_kernel_is_supported(RV_SCAN_AVX512))
        return RV_SCAN_AVX512;
    return rv_scan_kernel_is_supported(RV_SCAN_AVX2) ? RV_SCAN_AVX2 : RV_SCAN_SCALAR;
}

static uint32_t power_of_two_above(uint32_t n)
{
    uint32_t power = 16;
    while (power < n)
        power *= 2;
    return power;
}

struct rv_block *rv_block_create(uint32_t capacity)
{
    rv_assert(capacity <= RV_BLOCK_EVENTS);
#ifdef RV_SCAN_X86
    rv_push_pop_patterns_init();
#endif
    struct rv_block *block = rv_alloc_scratch(1, sizeof *block);
    *block = (struct rv_block){.capacity = capacity};
    size_t n = (size_t)capacity + RV_KERNEL_OVERRUN;
    block->spans = rv_alloc_scratch(4 * RV_LOCAL_STRIDE, sizeof *block->spans);
    block->frames = rv_alloc_scratch(3 * RV_FRAME_STRIDE, sizeof *block->frames);
    block->reaches = rv_alloc_scratch(n, sizeof *block->reaches);
    block->parts = rv_alloc_scratch(n, sizeof *block->parts);
    block->ranges = rv_alloc_scratch(n, sizeof *block->ranges);
    block->groups = rv_alloc_scratch(n, sizeof *block->groups);
    block->n_group_slots = power_of_two_above(2 * capacity);
    block->group_slots = rv_alloc_sparse(block->n_group_slots, sizeof *block->group_slots);
    block->packed = rv_alloc_scratch(n, sizeof *block->packed);
    return block;
}

void rv_block_destroy(struct rv_block *block)
{
    if (!block)
        return;
    free(block->spans);
    free(block->frames);
    free(block->reaches);
    free(block->parts);
    free(block->cuts);
    free(block->ranges);
    free(block->groups);
    free(block->group_slots);
    free(block->packed);
    free(block);
}

uint32_t rv_block_exit_stack(const struct rv_block_input *input)
{
    for (uint32_t i = input->n_specials; i-- > 0;)
        if (input->specials[i] < input->n && rv_event_kind(&input->events[input->specials[i]]) == RV_EVENT_SWITCH)
            return input->events[input->specials[i]].id;
    return input->entry_stack;
}

/* The local stack starts above the frames that earlier parts left open, separated by sentinels. */
static void begin_run(struct rv_block *block, struct rv_run *run)
{
    uint32_t bottom = block->n_frames + RV_STACK_SENTINELS;
    *run = (struct rv_run){
        .spans = block->spans,
        .frames = block->frames + bottom,
        .reaches = block->reaches + block->n_reaches,
        .n_spans = block->n_spans,
        .min_key = INT32_MAX,
        .base = (uint32_t)block->base_ns,
    };
    memset(run->frames - RV_STACK_SENTINELS, 0, RV_STACK_SENTINELS * sizeof *run->frames);
    memset(run->frames + RV_FRAME_ID - RV_STACK_SENTINELS, 0, RV_STACK_SENTINELS * sizeof *run->frames);
    for (int i = 1; i <= RV_STACK_SENTINELS; i++)
        run->frames[RV_FRAME_KEY - i] = INT32_MAX;
}

/* Move the open frames of every part but the first down over the sentinels, to keep the arrays dense. */
static void end_run(struct rv_block *block, struct rv_run *run, uint32_t stack)
{
    run->reaches[run->n_reaches - 1].peak = run->peak;
    uint32_t n_frames = (uint32_t)run->n_frames;
    uint32_t first_frame = block->n_frames + RV_STACK_SENTINELS;
    if (block->n_parts && n_frames) {
        first_frame = block->n_frames;
        for (uint32_t array = 0; array < 3 * RV_FRAME_STRIDE; array += RV_FRAME_STRIDE)
            for (uint32_t i = 0; i < n_frames; i++)
                block->frames[array + first_frame + i] = run->frames[array + i];
    }
    block->parts[block->n_parts++] = (struct rv_part){
        .kind = RV_PART_EVENTS,
        .stack = stack,
        .events = {.first_span = block->n_spans,
                   .n_spans = run->n_spans - block->n_spans,
                   .first_reach = block->n_reaches,
                   .n_reaches = run->n_reaches,
                   .first_frame = first_frame,
                   .n_frames = n_frames,
                   .first_key = run->first_key,
                   .last_key = run->key,
                   .n_cut = run->n_cut,
                   .n_orphans = run->n_orphans},
    };
    block->n_spans = run->n_spans;
    block->n_reaches += run->n_reaches;
    if (n_frames)
        block->n_frames = first_frame + n_frames;
}

static void flush_packed(struct rv_block *block, struct rv_run *run, rv_kernel_fn kernel)
{
    if (block->n_packed)
        kernel(run, block->packed, block->n_packed);
    block->n_packed = 0;
}

/* Copies four at a time: reads and writes up to three events too many, which the padding of both arrays allows. */
static void copy_events(struct rv_event *to, const struct rv_event *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i += 4)
        memcpy(to + i, from + i, 4 * sizeof *to);
}

static void scan_group(struct rv_block *block, const struct rv_block_input *input, const struct rv_group *group,
                       rv_kernel_fn kernel)
{
    struct rv_run run;
    begin_run(block, &run);
    for (uint32_t i = group->first_range; i != NO_RANGE; i = block->ranges[i].next) {
        const struct rv_range *range = &block->ranges[i];
        uint32_t n = range->end - range->begin;
        if (n >= LONG_RANGE) {
            flush_packed(block, &run, kernel);
            kernel(&run, input->events + range->begin, n);
            continue;
        }
        copy_events(block->packed + block->n_packed, input->events + range->begin, n);
        block->n_packed += n;
    }
    flush_packed(block, &run, kernel);
    end_run(block, &run, group->stack);
}

/* Not a base/hash_index: a section begins without clearing what the one before has left. */
static struct rv_group *find_group(struct rv_block *block, uint32_t stack)
{
    uint32_t mask = block->n_group_slots - 1;
    uint32_t i = (uint32_t)rv_hash_u64(stack) & mask;
    for (;; i = (i + 1) & mask) {
        struct rv_group_slot *slot = &block->group_slots[i];
        if (slot->section != block->section) {
            *slot = (struct rv_group_slot){block->section, block->n_groups};
            struct rv_group *group = &block->groups[block->n_groups++];
            *group = (struct rv_group){stack, NO_RANGE, NO_RANGE};
            return group;
        }
        if (block->groups[slot->group].stack == stack)
            return &block->groups[slot->group];
    }
}

static void add_range(struct rv_block *block, uint32_t stack, uint32_t begin, uint32_t end)
{
    struct rv_group *group = find_group(block, stack);
    uint32_t range = block->n_ranges++;
    block->ranges[range] = (struct rv_range){begin, end, NO_RANGE};
    if (group->first_range == NO_RANGE)
        group->first_range = range;
    else
        block->ranges[group->last_range].next = range;
    group->last_range = range;
}

static void begin_section(struct rv_block *block)
{
    block->n_ranges = 0;
    block->n_groups = 0;
    if (++block->section == 0) {
        memset(block->group_slots, 0, block->n_group_slots * sizeof *block->group_slots);
        block->section = 1;
    }
}

static void end_section(struct rv_block *block, const struct rv_block_input *input, rv_kernel_fn kernel)
{
    for (uint32_t i = 0; i < block->n_groups; i++)
        scan_group(block, input, &block->groups[i], kernel);
}

static void add_special_part(struct rv_block *block, const struct rv_event *event, uint32_t stack)
{
    struct rv_part *part = &block->parts[block->n_parts++];
    *part = (struct rv_part){.stack = stack, .now = block->last_ns, .has_now = block->has_events};
    if (rv_event_kind(event) == RV_EVENT_LOST) {
        part->kind = RV_PART_LOST;
        part->n_lost = event->id;
        return;
    }
    part->kind = RV_PART_SYNC;
    part->sync.start = rv_event_ticks(event);
    part->sync.id = event->id;
    part->sync.tag = event->frame;
}

static void note_events(struct rv_block *block, const struct rv_block_input *input, uint32_t begin, uint32_t end)
{
    if (begin < end) {
        block->has_events = true;
        block->last_ns = rv_event_ticks(&input->events[end - 1]);
    }
}

static void scan_sections(struct rv_block *block, const struct rv_block_input *input, rv_kernel_fn kernel)
{
    uint32_t stack = input->entry_stack, begin = 0;
    begin_section(block);
    for (uint32_t i = 0; i < input->n_specials; i++) {
        uint32_t special = input->specials[i];
        if (special < begin || special >= input->n)
            continue;
        const struct rv_event *event = &input->events[special];
        unsigned kind = rv_event_kind(event);
        if (begin < special)
            add_range(block, stack, begin, special);
        note_events(block, input, begin, special);
        begin = special + 1;
        if (rv_event_kind(event) == RV_EVENT_SWITCH) {
            stack = event->id;
        } else if (kind == RV_EVENT_SYNC || kind == RV_EVENT_LOST) {
            end_section(block, input, kernel);
            begin_section(block);
            add_special_part(block, event, stack);
        }
    }
    if (begin < input->n)
        add_range(block, stack, begin, input->n);
    note_events(block, input, begin, input->n);
    end_section(block, input, kernel);
}

void rv_block_scan(struct rv_block *block, const struct rv_block_input *input, enum rv_scan_kernel kernel)
{
    rv_assert(input->n <= block->capacity && rv_scan_kernel_is_supported(kernel));
    block->base_ns = input->base_ns;
    block->has_events = false;
    block->n_spans = block->n_reaches = block->n_frames = block->n_parts = block->n_packed = 0;
    block->n_cuts = 0;
    scan_sections(block, input, kernels[kernel]);
}
