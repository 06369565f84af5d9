#include "model/mark_names.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/bisect.h"

#define TABLE 256u /* a power of two, more than RV_MARK_NAMES_MOST */

static size_t find(struct rv_mark_names *names, uint8_t table[TABLE], uint32_t id)
{
    size_t at = id * 2654435761u / (UINT32_MAX / TABLE + 1);
    while (table[at] && names->items[table[at] - 1].id != id)
        at = (at + 1) % TABLE;
    if (table[at])
        return table[at] - 1u;
    if (names->n + 1 >= RV_MARK_NAMES_MOST && id != RV_NOTE_SEVERAL)
        return find(names, table, RV_NOTE_SEVERAL);
    names->items[names->n] = (struct rv_mark_name){id, 0};
    table[at] = (uint8_t)++names->n;
    return names->n - 1;
}

static int by_number(const void *left, const void *right)
{
    const struct rv_mark_name *a = left, *b = right;
    if ((a->id == RV_NOTE_SEVERAL) != (b->id == RV_NOTE_SEVERAL))
        return a->id == RV_NOTE_SEVERAL ? 1 : -1;
    if (a->n != b->n)
        return a->n > b->n ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

void rv_mark_names_count(struct rv_mark_names *names, const struct rv_lane_note *notes, size_t n, uint64_t from_ns,
                         uint64_t to_ns)
{
    uint8_t table[TABLE] = {0}; /* by id: index + 1 */
    names->n = 0;
    names->n_marks = 0;
    for (size_t i = rv_bisect_below(notes, n, sizeof *notes, offsetof(struct rv_lane_note, start_ns), from_ns);
         i < n && notes[i].start_ns <= to_ns; i++) {
        if (!rv_note_is(&notes[i], RV_NOTE_FORM_MARK))
            continue;
        const uint64_t n_marks = (uint64_t)notes[i].n_more + 1;
        names->items[find(names, table, notes[i].id)].n += n_marks;
        names->n_marks += n_marks;
    }
    qsort(names->items, names->n, sizeof *names->items, by_number);
}
