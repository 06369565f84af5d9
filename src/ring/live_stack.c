#include "ring/live_stack.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "ring/file_pages.h"

enum { N_READ_TRIES = 1000, MAX_TEXT_BYTES = 1 << 14 };
static const uint32_t UNKNOWN_LINE = UINT32_MAX, UNKNOWN_NAME = UINT32_MAX; /* a line may still be set later */

void rv_live_stack_view(struct rv_live_stack *slots, struct rv_map *map, uint32_t ring_idx)
{
    struct rv_wire_control *control = rv_map_control(map, ring_idx);
    *slots = (struct rv_live_stack){
        map, ring_idx, control, (uint8_t *)(control + 1), map->geometry.n_slots, map->geometry.slot_bytes,
    };
}

static struct rv_wire_slot *slot_at(const struct rv_live_stack *slots, uint32_t slot_idx)
{
    return (struct rv_wire_slot *)(void *)(slots->first +
                                           slot_idx * (sizeof(struct rv_wire_slot) + (size_t)slots->slot_bytes));
}

static uint64_t *text_words(struct rv_wire_slot *slot)
{
    return (uint64_t *)(void *)(slot + 1);
}

/* ---- owner ---- */

static uint32_t begin_write(struct rv_wire_control *control)
{
    uint32_t sequence = __atomic_load_n(&control->live_sequence, __ATOMIC_RELAXED) | 1;
    __atomic_store_n(&control->live_sequence, sequence, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE); /* L1 -> L2 */
    return sequence;
}

static void end_write(struct rv_wire_control *control, uint32_t sequence)
{
    __atomic_store_n(&control->live_sequence, sequence + 1, __ATOMIC_RELEASE); /* L3 -> L4 */
}

/* The control block is shared: an index or depth that another process wrote over must not take us out of bounds. */
static uint32_t current_of(const struct rv_live_stack *slots)
{
    int32_t current = __atomic_load_n(&slots->control->current_slot, __ATOMIC_RELAXED);
    return current >= 0 && (uint32_t)current < slots->n_slots ? (uint32_t)current : slots->n_slots - 1;
}

int32_t rv_live_stack_depth(const struct rv_live_stack *slots)
{
    int32_t depth = __atomic_load_n(&slots->control->live_depth, __ATOMIC_RELAXED);
    return depth > 0 ? depth : 0;
}

static void set_position(struct rv_wire_control *control, int32_t current, int32_t depth)
{
    __atomic_store_n(&control->current_slot, current, __ATOMIC_RELAXED);
    __atomic_store_n(&control->live_depth, depth, __ATOMIC_RELAXED);
}

static void write_slot(struct rv_wire_slot *slot, uint32_t line, uint32_t name_id, uint64_t ticks)
{
    __atomic_store_n(&slot->line, line, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->name, name_id, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->ticks, ticks, __ATOMIC_RELAXED);
}

static void write_text(struct rv_wire_slot *slot, const char *text, size_t n_bytes)
{
    uint64_t *words = text_words(slot);
    for (size_t done = 0;; done += sizeof *words) {
        uint64_t word = 0;
        size_t n = n_bytes - done < sizeof word ? n_bytes - done : sizeof word;
        memcpy(&word, text + done, n);
        __atomic_store_n(words++, word, __ATOMIC_RELAXED);
        if (n < sizeof word)
            return; /* the zero bytes terminate the text */
    }
}

static bool is_set(const struct rv_live_stack *slots)
{
    return __atomic_load_n(&slots->control->slots_are_set, __ATOMIC_RELAXED);
}

void rv_live_stack_clear(const struct rv_live_stack *slots)
{
    uint32_t sequence = begin_write(slots->control); /* also takes over from a writer that died */
    __atomic_store_n(&slots->control->slots_are_set, 0, __ATOMIC_RELAXED);
    set_position(slots->control, -1, 0);
    end_write(slots->control, sequence);
}

/* Most threads never push: the slots have pages and values from the first push on. False without memory. */
static bool set_slots(const struct rv_live_stack *slots)
{
    if (is_set(slots))
        return true;
    if (rv_file_pages_give_rest(slots->map, slots->ring_idx))
        return false;
    uint32_t sequence = begin_write(slots->control);
    for (uint32_t i = 0; i < slots->n_slots; i++)
        write_slot(slot_at(slots, i), UNKNOWN_LINE, UNKNOWN_NAME, 0);
    __atomic_store_n(&slots->control->slots_are_set, 1, __ATOMIC_RELAXED);
    end_write(slots->control, sequence);
    return true;
}

int32_t rv_live_stack_push(struct rv_live_stack *slots, const char *text, uint32_t name_id, uint64_t ticks)
{
    const bool has_slots = set_slots(slots);
    int32_t depth = rv_live_stack_depth(slots);
    uint32_t next = depth ? (current_of(slots) + 1) % slots->n_slots : 0;
    depth += depth < INT32_MAX;
    struct rv_wire_slot *slot = slot_at(slots, next);
    uint32_t sequence = begin_write(slots->control);
    if (has_slots) {
        write_slot(slot, 0, name_id, ticks);
        write_text(slot, text, strnlen(text, slots->slot_bytes - 1));
    }
    set_position(slots->control, (int32_t)next, depth);
    end_write(slots->control, sequence);
    return depth;
}

bool rv_live_stack_update(struct rv_live_stack *slots, uint32_t line, uint64_t ticks)
{
    if (!rv_live_stack_depth(slots) || !is_set(slots))
        return false;
    struct rv_wire_slot *slot = slot_at(slots, current_of(slots));
    uint32_t sequence = begin_write(slots->control);
    __atomic_store_n(&slot->line, line, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->ticks, ticks, __ATOMIC_RELAXED);
    end_write(slots->control, sequence);
    return true;
}

int32_t rv_live_stack_pop(struct rv_live_stack *slots)
{
    int32_t depth = rv_live_stack_depth(slots);
    if (depth == 0)
        return 0;
    depth--;
    uint32_t current = current_of(slots);
    uint32_t previous = current ? current - 1 : slots->n_slots - 1;
    uint32_t sequence = begin_write(slots->control);
    if (is_set(slots))
        write_slot(slot_at(slots, current), UNKNOWN_LINE, UNKNOWN_NAME, 0);
    set_position(slots->control, depth ? (int32_t)previous : -1, depth);
    end_write(slots->control, sequence);
    return depth;
}

/* ---- observers ---- */

static bool begin_read(const struct rv_wire_control *control, uint32_t *sequence)
{
    *sequence = __atomic_load_n(&control->live_sequence, __ATOMIC_ACQUIRE); /* L4 <- L3 */
    return !(*sequence & 1);
}

static bool end_read(const struct rv_wire_control *control, uint32_t sequence)
{
    __atomic_thread_fence(__ATOMIC_ACQUIRE); /* L2 <- L1 */
    return __atomic_load_n(&control->live_sequence, __ATOMIC_RELAXED) == sequence;
}

int rv_live_stack_position(const struct rv_live_stack *slots, int32_t *current_slot, int32_t *depth)
{
    for (unsigned n_tries = 0; n_tries < N_READ_TRIES; n_tries++) {
        uint32_t sequence;
        if (!begin_read(slots->control, &sequence))
            continue;
        int32_t current = __atomic_load_n(&slots->control->current_slot, __ATOMIC_RELAXED);
        *depth = rv_live_stack_depth(slots);
        if (!end_read(slots->control, sequence))
            continue;
        *current_slot = *depth > 0 && current >= 0 && (uint32_t)current < slots->n_slots ? current : -1;
        return 0;
    }
    return -EAGAIN;
}

static size_t copy_text(uint64_t *out, struct rv_wire_slot *slot, size_t n_bytes)
{
    const uint64_t *words = text_words(slot);
    for (size_t i = 0; i < n_bytes / sizeof *words; i++)
        out[i] = __atomic_load_n(words + i, __ATOMIC_RELAXED);
    return strnlen((const char *)out, n_bytes);
}

int rv_live_stack_read(const struct rv_live_stack *slots, int32_t slot_idx, struct rv_slot *slot, char *text,
                       size_t text_bytes)
{
    static const char out_of_range[] = "(Invalid slot; ring has been wrapped)",
                      unknown[] = "(Invalid slot due to prior wrap)";
    *slot = (struct rv_slot){.line = -1};
    if (slot_idx < 0 || (uint32_t)slot_idx >= slots->n_slots) {
        rv_text_escape(text, text_bytes, out_of_range, sizeof out_of_range - 1);
        return -ENOENT;
    }
    struct rv_wire_slot *shared = slot_at(slots, (uint32_t)slot_idx);
    for (unsigned n_tries = 0; n_tries < N_READ_TRIES; n_tries++) {
        uint64_t copy[MAX_TEXT_BYTES / sizeof(uint64_t)];
        uint32_t sequence;
        if (!begin_read(slots->control, &sequence))
            continue;
        struct rv_slot seen = {.line = -1};
        size_t n_bytes = 0;
        if (is_set(slots)) {
            seen = (struct rv_slot){(int32_t)__atomic_load_n(&shared->line, __ATOMIC_RELAXED),
                                    __atomic_load_n(&shared->name, __ATOMIC_RELAXED),
                                    __atomic_load_n(&shared->ticks, __ATOMIC_RELAXED)};
            n_bytes = copy_text(copy, shared, slots->slot_bytes);
        }
        if (!end_read(slots->control, sequence))
            continue;
        *slot = seen;
        if (seen.line == -1 || seen.name_id == UNKNOWN_NAME)
            rv_text_escape(text, text_bytes, unknown, sizeof unknown - 1);
        else
            rv_text_escape(text, text_bytes, (const char *)copy, n_bytes);
        return 0;
    }
    return -EAGAIN;
}
