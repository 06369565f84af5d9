#include "source/publish_rejected_functions.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/vec.h"
#include "ring/verdict_section.h"

#define N_SLOTS (4u * RV_VERDICTS_MAX) /* a power of two */

struct rv_verdict_publisher {
    struct rv_map *map;
    uint32_t n;
    uint64_t n_published;
    bool is_full_said;
    struct slot {
        uint64_t address; /* 0: none */
        uint32_t process, id;
        int record; /* its index; negative: the list was full */
        bool is_kept;
    } slots[N_SLOTS];
};

struct rv_verdict_publisher *rv_verdict_publisher_create(struct rv_map *map)
{
    struct rv_verdict_publisher *publisher = rv_alloc(1, sizeof *publisher);
    publisher->map = map;
    return publisher;
}

void rv_verdict_publisher_destroy(struct rv_verdict_publisher *publisher)
{
    free(publisher);
}

static struct slot *find(struct rv_verdict_publisher *publisher, uint64_t address, uint32_t process)
{
    uint64_t hash = (address ^ (uint64_t)process << 32) * 0x9e3779b97f4a7c15ull;
    for (uint64_t i = hash >> 40;; i++) {
        struct slot *slot = &publisher->slots[i % N_SLOTS];
        if (slot->address == 0 || (slot->address == address && slot->process == process))
            return slot;
    }
}

static void add(struct rv_verdict_publisher *publisher, struct slot *slot, const struct rv_verdict_function *function,
                bool is_kept)
{
    const struct rv_wire_verdict record = {
        .address = function->address, .ticks = function->ticks, .process = function->process_idx, .is_kept = is_kept};
    *slot = (struct slot){.address = function->address,
                          .process = function->process_idx,
                          .id = function->id,
                          .record = rv_verdicts_add(publisher->map, &record),
                          .is_kept = is_kept};
    publisher->n++;
    publisher->n_published++;
}

static void change(struct rv_verdict_publisher *publisher, struct slot *slot, bool is_kept)
{
    if (slot->is_kept == is_kept || slot->record < 0)
        return;
    slot->is_kept = is_kept;
    rv_verdicts_change(publisher->map, (uint32_t)slot->record, slot->process, is_kept);
    publisher->n_published++;
}

static void say_full(struct rv_verdict_publisher *publisher)
{
    if (!publisher->is_full_said)
        rv_warn("more than %u functions are left out: programs still write the calls of the others", RV_VERDICTS_MAX);
    publisher->is_full_said = true;
}

void rv_verdict_put(struct rv_verdict_publisher *publisher, const struct rv_verdict_function *function, bool is_kept)
{
    struct slot *slot = find(publisher, function->address, function->process_idx);
    if (slot->address)
        change(publisher, slot, is_kept);
    else if (publisher->n < RV_VERDICTS_MAX)
        add(publisher, slot, function, is_kept);
    else
        say_full(publisher);
}

void rv_verdict_publish(struct rv_verdict_publisher *publisher, uint32_t process_idx, const struct rv_event *popped,
                        uint32_t id, bool is_kept)
{
    const struct rv_verdict_function function = {process_idx, id, rv_event_address(popped), rv_event_ticks(popped)};
    if (rv_event_kind(popped) == RV_EVENT_CALL_AT && function.address &&
        !(is_kept && !publisher->map->geometry.max_depth))
        rv_verdict_put(publisher, &function, is_kept);
}

void rv_verdict_publish_again(struct rv_verdict_publisher *publisher, struct rv_capture_filter *filter,
                              struct rv_symbolizer *symbolizer)
{
    for (size_t i = 0; i < N_SLOTS; i++)
        if (publisher->slots[i].address)
            change(publisher, &publisher->slots[i], rv_capture_filter_has(filter, symbolizer, publisher->slots[i].id));
}

uint64_t rv_verdict_publisher_n(const struct rv_verdict_publisher *publisher)
{
    return publisher->n_published;
}
