#include "source/max_overhead_marks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/full_name.h"
#include "base/units.h"
#include "base/vec.h"
#include "ring/names.h"
#include "source/max_overhead.h"
#include "stream/not_traced.h"

enum { MOST_CHOICES = 1024 };

struct rv_max_overhead_marks {
    struct rv_map *map;
    struct rv_symbolizer *symbolizer;
    struct rv_capture_control *capture;
    struct rv_max_overhead *overhead;
    struct rv_max_overhead_choice choices[MOST_CHOICES]; /* those that no lane could show yet */
    size_t n;
};

/* What a lane shows of it is the mark "not traced from here: NAME, 48.12 M calls/s", or "traced again from here: NAME". */
static void mark(const struct rv_max_overhead_marks *marks, struct rv_live_ring *slot,
                 const struct rv_max_overhead_choice *choice, uint32_t id, const struct rv_intake *intake)
{
    char full[512], rate[64], text[640];
    struct rv_symbolizer_name name;
    rv_symbolizer_name(marks->symbolizer, id, &name);
    (void)rv_full_name(full, sizeof full, name.package, name.name, name.line_form);
    rv_units_format_rate(rate, sizeof rate, choice->calls_per_s, "calls");
    if (choice->is_back)
        snprintf(text, sizeof text, RV_TRACED_AGAIN "%s", full);
    else
        snprintf(text, sizeof text, RV_NOT_TRACED "%s, %s", full, rate);
    const uint32_t name_id = rv_names_intern(marks->map, &(struct rv_name){RV_NAME_TEXT, "", text, "", 0});
    const struct rv_event event = {.when = (uint64_t)RV_EVENT_MARK << RV_EVENT_KIND_SHIFT | choice->ticks,
                                   .id = name_id};
    if (!name_id)
        return;
    slot->n_added++;
    rv_live_ring_hand_over(slot, &event, 1, intake);
}

static bool is_shown_by(const struct rv_live_ring *slot, const struct rv_max_overhead_choice *choice)
{
    return slot->stream && slot->normalizer.process_idx == choice->process_idx;
}

/* Apply a choice, and mark it in a lane. */
static void put(struct rv_max_overhead_marks *marks, size_t i, const struct rv_live_rings *rings,
                struct rv_live_ring *slot, uint64_t turn_ticks, const struct rv_intake *intake)
{
    struct rv_max_overhead_choice choice = marks->choices[i];
    marks->n--;
    memmove(&marks->choices[i], &marks->choices[i + 1], (marks->n - i) * sizeof choice);
    choice.ticks = choice.is_back ? turn_ticks : choice.ticks;
    const uint32_t id = (choice.is_back ? rv_capture_control_let_in : rv_capture_control_leave_out)(
        marks->capture, choice.process_idx, choice.address, choice.ticks);
    if (id)
        mark(marks, slot, &choice, id, intake);
    rv_live_rings_use_capture(rings, marks->capture);
}

/* The ring that has seen a choice's last call, or another one of its process; NULL: none of them is open now. */
static struct rv_live_ring *find_shower(const struct rv_live_rings *rings, const struct rv_max_overhead_choice *choice)
{
    struct rv_live_ring *slot = &rings->all[choice->ring_idx];
    for (uint32_t i = 0; i < rings->n && !is_shown_by(slot, choice); i++)
        slot = &rings->all[i];
    return is_shown_by(slot, choice) ? slot : NULL;
}

static void forget_those_of_ended(struct rv_max_overhead_marks *marks)
{
    size_t n_left = 0;
    for (size_t i = 0; i < marks->n; i++)
        if (__atomic_load_n(&rv_map_process(marks->map, marks->choices[i].process_idx)->state, __ATOMIC_RELAXED) ==
            RV_PROCESS_LIVE)
            marks->choices[n_left++] = marks->choices[i];
    marks->n = n_left;
}

/* A choice for whose process no ring is open now waits for the next one: threads may end sooner than we look. */
void rv_max_overhead_marks_put(struct rv_max_overhead_marks *marks, const struct rv_live_rings *rings,
                               uint64_t turn_ticks, const struct rv_intake *intake)
{
    if (!marks)
        return;
    forget_those_of_ended(marks);
    const size_t n_late = marks->n;
    marks->n += rv_max_overhead_choose(marks->overhead, marks->choices + n_late, MOST_CHOICES - n_late);
    for (size_t i = n_late; i < marks->n;) {
        struct rv_live_ring *slot = find_shower(rings, &marks->choices[i]);
        if (slot)
            put(marks, i, rings, slot, turn_ticks, intake);
        else
            i++;
    }
}

void rv_max_overhead_marks_put_late(struct rv_max_overhead_marks *marks, const struct rv_live_rings *rings,
                                    struct rv_live_ring *opened, uint64_t turn_ticks, const struct rv_intake *intake)
{
    for (size_t i = 0; marks && i < marks->n;)
        if (is_shown_by(opened, &marks->choices[i]))
            put(marks, i, rings, opened, turn_ticks, intake);
        else
            i++;
}

void rv_max_overhead_marks_count(struct rv_max_overhead_marks *marks, const struct rv_live_ring *slot,
                                 const struct rv_event *popped, size_t n)
{
    if (marks)
        rv_max_overhead_count(marks->overhead, slot->idx, slot->normalizer.process_idx, popped, n);
}

static bool is_wanted(void *context, uint32_t process_idx, uint64_t address, uint64_t ticks)
{
    const struct rv_max_overhead_marks *marks = context;
    const uint32_t id = rv_capture_control_id(marks->capture, process_idx, address, ticks);
    return rv_capture_filter_has(marks->capture->filter, marks->symbolizer, id);
}

void rv_max_overhead_marks_heed_filter(struct rv_max_overhead_marks *marks)
{
    if (marks && marks->capture->filter)
        rv_max_overhead_heed(marks->overhead, is_wanted, marks);
}

struct rv_max_overhead_marks *rv_max_overhead_marks_create(struct rv_map *map, struct rv_symbolizer *symbolizer,
                                                           struct rv_capture_control *capture, double max_overhead)
{
    struct rv_max_overhead_marks *marks = rv_alloc_sparse(1, sizeof *marks); /* most choices are never made */
    marks->map = map;
    marks->symbolizer = symbolizer;
    marks->capture = capture;
    marks->overhead = rv_max_overhead_create(map, max_overhead);
    return marks;
}

void rv_max_overhead_marks_destroy(struct rv_max_overhead_marks *marks)
{
    if (!marks)
        return;
    rv_max_overhead_destroy(marks->overhead);
    free(marks);
}
