#include "export/not_traced.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "flow/not_traced.h"

struct list {
    struct rv_not_traced *all;
    size_t n, capacity;
    uint64_t first_ns;
};

static void add(struct list *list, const struct rv_lane *lane, const struct rv_lane_note *note,
                struct rv_subroutines *subroutines)
{
    const size_t n_prefix = strlen(RV_NOT_TRACED);
    char name[640];
    (void)rv_subroutines_name_of(subroutines, note->id, name, sizeof name);
    if (strncmp(name, RV_NOT_TRACED, n_prefix) != 0)
        return;
    list->all = rv_vec_reserve(list->all, &list->capacity, list->n + 1, sizeof *list->all);
    struct rv_not_traced *added = &list->all[list->n++];
    *added = (struct rv_not_traced){.pid = lane->pid,
                                    .at_ns = note->start_ns > list->first_ns ? note->start_ns - list->first_ns : 0};
    snprintf(added->what, sizeof added->what, "%s", name + n_prefix);
}

static int compare_times(const void *left, const void *right)
{
    const struct rv_not_traced *a = left, *b = right;
    return (a->at_ns > b->at_ns) - (a->at_ns < b->at_ns);
}

struct rv_not_traced *rv_not_traced_take(struct rv_lanes *lanes, struct rv_subroutines *subroutines, size_t *n)
{
    struct list list = {0};
    uint64_t last_ns;
    if (!rv_lanes_bounds(lanes, &list.first_ns, &last_ns))
        list.first_ns = 0;
    for (size_t i = 0; i < rv_lanes_n(lanes); i++) {
        struct rv_lane *lane = rv_lanes_get(lanes, i);
        pthread_mutex_lock(&lane->lock);
        for (size_t k = 0; k < lane->n_notes; k++)
            if (lane->notes[k].kind == RV_NOTE_MARK)
                add(&list, lane, &lane->notes[k], subroutines);
        pthread_mutex_unlock(&lane->lock);
    }
    if (list.n)
        qsort(list.all, list.n, sizeof *list.all, compare_times);
    *n = list.n;
    return list.all;
}
