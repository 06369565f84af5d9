/*
 * Scans all events still in the ring as the drain's batches are scanned; the calls still open are the thread's stack.
 * It always includes the innermost frames, however old the outer ones are.
 */
#include "debugger/ring_stack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/full_name.h"
#include "base/memory.h"
#include "base/vec.h"
#include "stream/batch.h"
#include "ring/ring.h"
#include "scan/block_join.h"
#include "source/module_watch.h"
#include "source/normalize.h"
#include "ringviz/wire.h"

enum { MOST_FRAMES = 10000, MOST_NAME_BYTES = 1 << 14 };

struct rv_ring_stack {
    struct rv_map *map;
    struct rv_symbolizer *symbolizer;
    struct rv_name_map names;
    struct rv_module_watch modules;
    struct rv_block *block;
    struct rv_batch batch;
    struct rv_event *peeked; /* a whole ring */
};

struct rv_ring_stack *rv_ring_stack_create(struct rv_map *map)
{
    struct rv_ring_stack *ring_stack = rv_alloc(1, sizeof *ring_stack);
    ring_stack->map = map;
    ring_stack->symbolizer = rv_symbolizer_create();
    ring_stack->names = (struct rv_name_map){.map = map, .symbolizer = ring_stack->symbolizer};
    ring_stack->modules = (struct rv_module_watch){.map = map, .symbolizer = ring_stack->symbolizer};
    ring_stack->block = rv_block_create(RV_BATCH_EVENTS);
    ring_stack->peeked = rv_alloc(map->geometry.ring_events, sizeof *ring_stack->peeked);
    rv_batch_init(&ring_stack->batch, RV_BATCH_EVENTS);
    return ring_stack;
}

void rv_ring_stack_destroy(struct rv_ring_stack *ring_stack)
{
    if (!ring_stack)
        return;
    rv_batch_fini(&ring_stack->batch);
    rv_block_destroy(ring_stack->block);
    rv_module_watch_fini(&ring_stack->modules);
    rv_name_map_fini(&ring_stack->names);
    rv_symbolizer_destroy(ring_stack->symbolizer);
    free(ring_stack->peeked);
    free(ring_stack);
}

/* Scan the batch as one block of the stream. Returns the stack selected after it. */
static uint32_t scan_batch(struct rv_ring_stack *ring_stack, struct rv_block_join *carry, uint32_t entry_stack)
{
    struct rv_batch *batch = &ring_stack->batch;
    const struct rv_block_input input = {.events = batch->events,
                                         .n = batch->n,
                                         .specials = batch->specials,
                                         .n_specials = batch->n_specials,
                                         .base_ns = batch->base_ns,
                                         .entry_stack = entry_stack};
    rv_block_scan(ring_stack->block, &input, RV_SCAN_SCALAR);
    rv_block_join_apply(carry, ring_stack->block);
    batch->n = batch->n_specials = 0;
    return rv_block_exit_stack(&input);
}

/* Returns the thread's current stack. */
static uint32_t scan(struct rv_ring_stack *ring_stack, struct rv_block_join *carry,
                     const struct rv_wire_control *control, size_t n)
{
    uint32_t process = __atomic_load_n(&control->process, __ATOMIC_RELAXED), stack = 0;
    struct rv_normalizer normalizer = {
        .clock = &ring_stack->map->clock,
        .symbolizer = ring_stack->symbolizer,
        .process = rv_symbolizer_process(ring_stack->symbolizer,
                                         process < ring_stack->map->geometry.n_processes ? process : 0),
        .names = &ring_stack->names,
        .last_ns = rv_normalize_time(&ring_stack->map->clock, control->born_ticks),
    };
    for (size_t done = 0; done < n;) {
        size_t n_left = n - done;
        done += rv_normalize(&normalizer, &ring_stack->batch, ring_stack->peeked + done,
                             n_left < RV_BATCH_EVENTS ? (uint32_t)n_left : RV_BATCH_EVENTS);
        stack = scan_batch(ring_stack, carry, stack);
    }
    return stack;
}

static enum rv_ring_stack_kind kind_of(const struct rv_symbolizer *symbolizer, uint32_t id, uint32_t line_form)
{
    if (!rv_symbolizer_is_interned(symbolizer, id))
        return RV_RING_STACK_NATIVE;
    const bool has_line = rv_name_line(line_form) && !(rv_name_form(line_form) & RV_NAME_C);
    return has_line ? RV_RING_STACK_SUB : RV_RING_STACK_C;
}

static void visit_frame(struct rv_symbolizer *symbolizer, uint32_t id, rv_ring_stack_visit_fn *visit, void *context)
{
    struct rv_symbolizer_name name = {"", "?", "", 0};
    if (id)
        rv_symbolizer_name(symbolizer, id, &name);
    char call[MOST_NAME_BYTES];
    (void)rv_full_name(call, sizeof call, name.package, name.name, name.line_form);
    visit(context, &(struct rv_ring_stack_frame){.kind = kind_of(symbolizer, id, name.line_form),
                                                 .call = call,
                                                 .file = name.file,
                                                 .line = rv_name_line(name.line_form)});
}

static void visit_frames(struct rv_symbolizer *symbolizer, const struct rv_block_join *carry, uint32_t stack,
                         rv_ring_stack_visit_fn *visit, void *context)
{
    unsigned n_left = MOST_FRAMES;
    for (size_t i = 0; i < rv_block_join_n_stacks(carry); i++) {
        struct rv_open_stack open;
        rv_block_join_open_stack(carry, i, &open);
        for (uint32_t frame = open.n_frames; open.stack == stack && frame > 0 && n_left > 0; frame--, n_left--)
            visit_frame(symbolizer, open.id[frame - 1], visit, context);
    }
}

size_t rv_ring_stack_visit(struct rv_ring_stack *ring_stack, uint32_t ring_idx, rv_ring_stack_visit_fn *visit,
                           void *context)
{
    struct rv_ring ring;
    rv_ring_view(&ring, ring_stack->map, ring_idx);
    uint64_t begin = ring.control->claim_head, cursor = begin;
    struct rv_ring_read read = rv_ring_peek(&ring, &cursor, ring_stack->peeked, ring.n_events);
    rv_module_watch_refresh(&ring_stack->modules);

    struct rv_block_join *carry = rv_block_join_create();
    uint32_t stack = scan(ring_stack, carry, ring.control, read.n);
    visit_frames(ring_stack->symbolizer, carry, stack, visit, context);
    rv_block_join_destroy(carry);
    return read.n_overwritten ? read.n : 0;
}

/* ---- as text ---- */

struct listing {
    FILE *text;
    unsigned n_frames;
};

static void show_frame(void *context, const struct rv_ring_stack_frame *frame)
{
    struct listing *listing = context;
    fprintf(listing->text, "#%u %s", listing->n_frames++, frame->call);
    if (*frame->file && frame->line)
        fprintf(listing->text, " at %s line %u", frame->file, frame->line);
    fputc('\n', listing->text);
}

char *rv_ring_stack_show(struct rv_ring_stack *ring_stack, uint32_t ring)
{
    char *shown = NULL;
    size_t n_bytes;
    struct listing listing = {.n_frames = 0};
    for (unsigned n_tries = 0; !(listing.text = open_memstream(&shown, &n_bytes)); n_tries++)
        rv_memory_refused(0, n_tries);
    const size_t n_known = rv_ring_stack_visit(ring_stack, ring, show_frame, &listing);
    if (n_known)
        fprintf(listing.text, "(calls before the last %zu events are unknown)\n", n_known);
    fclose(listing.text);
    return shown;
}
