/*
 * All that the ring still has is scanned as the drain's batches are, and what stays open is where the thread is: the
 * innermost frames are always among it, however old the outer ones are.
 */
#include "debugger/ring_stack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "flow/batch.h"
#include "ring/ring.h"
#include "scan/carry.h"
#include "source/module_watch.h"
#include "source/normalize.h"

enum { MOST_FRAMES = 10000 };

struct rv_standing {
    struct rv_map *map;
    struct rv_catalog *catalog;
    struct rv_name_map names;
    struct rv_module_watch modules;
    struct rv_block *block;
    struct rv_batch batch;
    struct rv_event *peeked; /* a whole ring */
};

struct rv_standing *rv_standing_create(struct rv_map *map)
{
    struct rv_standing *standing = rv_alloc(1, sizeof *standing);
    standing->map = map;
    standing->catalog = rv_catalog_create();
    standing->names = (struct rv_name_map){.map = map, .catalog = standing->catalog};
    standing->modules = (struct rv_module_watch){.map = map, .catalog = standing->catalog};
    standing->block = rv_block_create(RV_BATCH_EVENTS);
    standing->peeked = rv_alloc(map->geometry.ring_events, sizeof *standing->peeked);
    rv_batch_init(&standing->batch);
    return standing;
}

void rv_standing_destroy(struct rv_standing *standing)
{
    if (!standing)
        return;
    rv_batch_fini(&standing->batch);
    rv_block_destroy(standing->block);
    rv_module_watch_fini(&standing->modules);
    rv_name_map_fini(&standing->names);
    rv_catalog_destroy(standing->catalog);
    free(standing->peeked);
    free(standing);
}

/* The batch as one block of the stream. Returns the stack that the next one begins on. */
static uint32_t scan_batch(struct rv_standing *standing, struct rv_carry *carry, uint32_t entry_stack)
{
    struct rv_batch *batch = &standing->batch;
    const struct rv_block_input input = {.events = batch->events,
                                         .n = batch->n,
                                         .specials = batch->specials,
                                         .n_specials = batch->n_specials,
                                         .base_ns = batch->base_ns,
                                         .entry_stack = entry_stack};
    rv_block_scan(standing->block, &input, RV_SCAN_SCALAR);
    rv_carry_apply(carry, standing->block);
    batch->n = batch->n_specials = 0;
    return rv_block_exit_stack(&input);
}

/* Returns the stack that the thread is on. */
static uint32_t scan(struct rv_standing *standing, struct rv_carry *carry, const struct rv_wire_control *control,
                     size_t n)
{
    uint32_t process = __atomic_load_n(&control->process, __ATOMIC_RELAXED), stack = 0;
    struct rv_normalizer normalizer = {
        .clock = &standing->map->clock,
        .catalog = standing->catalog,
        .process = rv_catalog_process(standing->catalog, process < standing->map->geometry.n_processes ? process : 0),
        .names = &standing->names,
        .last_ns = rv_normalize_time(&standing->map->clock, control->born_ticks),
    };
    for (size_t done = 0; done < n;) {
        size_t n_left = n - done;
        done += rv_normalize(&normalizer, &standing->batch, standing->peeked + done,
                             n_left < RV_BATCH_EVENTS ? (uint32_t)n_left : RV_BATCH_EVENTS);
        stack = scan_batch(standing, carry, stack);
    }
    return stack;
}

static void show_frame(FILE *text, struct rv_catalog *catalog, unsigned number, uint32_t id)
{
    struct rv_catalog_name name = {"", "?", "", 0};
    if (id)
        rv_catalog_name(catalog, id, &name);
    fprintf(text, "#%u %s%s%s", number, name.package, *name.package ? "::" : "", name.name);
    if (*name.file && name.line)
        fprintf(text, " at %s line %u", name.file, name.line);
    fputc('\n', text);
}

static void show_frames(FILE *text, struct rv_catalog *catalog, const struct rv_carry *carry, uint32_t stack)
{
    unsigned n_shown = 0;
    for (size_t i = 0; i < rv_carry_n_stacks(carry); i++) {
        struct rv_open_stack open;
        rv_carry_open_stack(carry, i, &open);
        for (uint32_t frame = open.n_frames; open.stack == stack && frame > 0 && n_shown < MOST_FRAMES; frame--)
            show_frame(text, catalog, n_shown++, open.id[frame - 1]);
    }
}

char *rv_standing_show(struct rv_standing *standing, uint32_t ring_idx)
{
    struct rv_ring ring;
    rv_ring_view(&ring, standing->map, ring_idx);
    uint64_t begin = ring.control->claim_head, cursor = begin;
    struct rv_ring_read read = rv_ring_peek(&ring, &cursor, standing->peeked, ring.n_events);
    rv_module_watch_refresh(&standing->modules);

    struct rv_carry *carry = rv_carry_create();
    char *shown = NULL;
    size_t n_bytes;
    FILE *text = open_memstream(&shown, &n_bytes);
    if (!text)
        abort();
    uint32_t stack = scan(standing, carry, ring.control, read.n);
    show_frames(text, standing->catalog, carry, stack);
    if (read.n_overwritten)
        fprintf(text, "(what was called before the last %zu events is not known)\n", read.n);
    fclose(text);
    rv_carry_destroy(carry);
    return shown;
}
