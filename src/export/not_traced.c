#include "export/not_traced.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "stream/not_traced.h"

struct list {
    struct rv_not_traced *all;
    size_t n, capacity;
    uint64_t first_ns;
    uint64_t several_ns;  /* of the first note that stands for several marks, */
    uint32_t several_pid; /* and its process; 0: there is none */
};

static bool begins_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* A mark that ends another has until_ns alone, until it is joined to that. */
static void add_name(struct list *list, uint32_t pid, uint64_t ns, const char *name)
{
    const bool is_end = begins_with(name, RV_TRACED_AGAIN);
    if (!is_end && !begins_with(name, RV_NOT_TRACED))
        return;
    list->all = rv_vec_reserve(list->all, &list->capacity, list->n + 1, sizeof *list->all);
    struct rv_not_traced *added = &list->all[list->n++];
    *added = (struct rv_not_traced){.pid = pid, .at_ns = ns, .until_ns = is_end ? ns : 0};
    snprintf(added->what, sizeof added->what, "%s", name + strlen(is_end ? RV_TRACED_AGAIN : RV_NOT_TRACED));
}

static void add(struct list *list, const struct rv_lane *lane, const struct rv_lane_note *note,
                struct rv_subroutines *subroutines)
{
    const uint64_t ns = note->start_ns > list->first_ns ? note->start_ns - list->first_ns : 0;
    char name[640];
    if (note->id == RV_NOTE_SEVERAL && (!list->several_pid || ns < list->several_ns)) {
        list->several_pid = lane->pid;
        list->several_ns = ns;
    }
    add_name(list, lane->pid, ns, rv_subroutines_name_of(subroutines, note->id, name, sizeof name));
}

static bool has(const struct list *list, size_t n, const char *what)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list->all[i].what, what) == 0)
            return true;
    return false;
}

/* Marks that were merged have names still; from when on is not known better than since the first of them. */
static void add_merged(struct list *list, struct rv_subroutines *subroutines)
{
    const size_t n = list->n;
    const uint32_t n_ids = list->several_pid ? rv_subroutines_count(subroutines) : 0;
    char name[640];
    for (uint32_t id = 1; id < n_ids; id++) {
        (void)rv_subroutines_name_of(subroutines, id, name, sizeof name);
        if (begins_with(name, RV_NOT_TRACED) && !has(list, n, name + strlen(RV_NOT_TRACED)))
            add_name(list, list->several_pid, list->several_ns, name);
    }
}

/* Is it open, and of the function that another one ends? */
static bool is_ended_by(const struct rv_not_traced *one, const struct rv_not_traced *end)
{
    return !one->until_ns && begins_with(one->what, end->what) && begins_with(one->what + strlen(end->what), ", ");
}

/* By time: each end is joined to what it ends. */
static void join_ends(struct list *list)
{
    size_t n = 0;
    for (size_t i = 0; i < list->n; i++) {
        const struct rv_not_traced one = list->all[i];
        if (!one.until_ns)
            list->all[n++] = one;
        for (size_t k = n; one.until_ns && k-- > 0;)
            if (is_ended_by(&list->all[k], &one))
                list->all[k].until_ns = one.until_ns;
    }
    list->n = n;
}

char *rv_not_traced_when(const struct rv_not_traced *one, char out[64])
{
    if (one->until_ns)
        snprintf(out, 64, "from %.3f to %.3f s", (double)one->at_ns / 1e9, (double)one->until_ns / 1e9);
    else
        snprintf(out, 64, "after %.3f s", (double)one->at_ns / 1e9);
    return out;
}

static int compare_times(const void *left, const void *right)
{
    const struct rv_not_traced *a = left, *b = right;
    return (a->at_ns > b->at_ns) - (a->at_ns < b->at_ns);
}

static void add_marks(struct list *list, struct rv_lane *lane, struct rv_subroutines *subroutines)
{
    pthread_rwlock_wrlock(&lane->lock);
    for (size_t i = 0; i < lane->n_notes; i++) {
        if (rv_note_is(&lane->notes[i], RV_NOTE_FORM_MARK))
            add(list, lane, &lane->notes[i], subroutines);
        if ((i + 1) % RV_LANE_REST_EVERY == 0)
            rv_lane_rest(lane);
    }
    rv_lane_rest(lane);
    pthread_rwlock_unlock(&lane->lock);
}

struct rv_not_traced *rv_not_traced_take(struct rv_lanes *lanes, struct rv_subroutines *subroutines, size_t *n)
{
    struct list list = {0};
    uint64_t last_ns;
    if (!rv_lanes_bounds(lanes, &list.first_ns, &last_ns))
        list.first_ns = 0;
    for (size_t i = 0; i < rv_lanes_n(lanes); i++)
        add_marks(&list, rv_lanes_get(lanes, i), subroutines);
    add_merged(&list, subroutines);
    if (list.n)
        qsort(list.all, list.n, sizeof *list.all, compare_times);
    join_ends(&list);
    *n = list.n;
    return list.all;
}

/* Bytes of its name: how often it was called stands behind it. */
static size_t function_bytes(const struct rv_not_traced *one)
{
    const char *rate = strrchr(one->what, ',');
    return rate ? (size_t)(rate - one->what) : strlen(one->what);
}

static int compare_functions(const void *left, const void *right)
{
    const struct rv_not_traced *a = left, *b = right;
    const size_t n_a = function_bytes(a), n_b = function_bytes(b);
    const int order = memcmp(a->what, b->what, n_a < n_b ? n_a : n_b);
    return order ? order : n_a != n_b ? (n_a > n_b) - (n_a < n_b) : compare_times(a, b);
}

bool rv_not_traced_has(const struct rv_not_traced *all, size_t n, const char *full_name)
{
    const size_t n_bytes = strlen(full_name);
    for (size_t i = 0; i < n; i++)
        if (function_bytes(&all[i]) == n_bytes && memcmp(all[i].what, full_name, n_bytes) == 0)
            return true;
    return false;
}

size_t rv_not_traced_fold(struct rv_not_traced *all, size_t n)
{
    size_t n_left = 0;
    if (n)
        qsort(all, n, sizeof *all, compare_functions);
    for (size_t i = 0; i < n; i++) {
        struct rv_not_traced *last = n_left ? &all[n_left - 1] : NULL;
        const size_t n_bytes = function_bytes(&all[i]);
        if (last && function_bytes(last) == n_bytes && memcmp(last->what, all[i].what, n_bytes) == 0)
            last->n_more++;
        else
            all[n_left++] = all[i];
    }
    if (n_left)
        qsort(all, n_left, sizeof *all, compare_times);
    return n_left;
}
