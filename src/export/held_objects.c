#include "export/held_objects.h"

#include <stdlib.h>

#include "base/vec.h"
#include "export/waits_table.h"
#include "waits/holders_reader.h"

struct writing {
    const struct rv_export_format *format;
    void *state;
    struct rv_export_target *target;
    const struct rv_holders *holders;
    uint32_t n; /* objects so far */
    struct change {
        uint64_t at_ns;
        int more; /* waits that begin, less those that end */
    } * changes;  /* scratch */
    size_t capacity;
};

static bool is_in(const struct writing *writing, const struct rv_hold *hold)
{
    const struct rv_export *export = writing->target->export;
    return rv_slice_has_stretch(&export->part, hold->from_ns, hold->to_ns) &&
           rv_slice_has_lane(&export->part, rv_lanes_get(export->lanes, hold->lane));
}

static int by_time(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    return x->at_ns < y->at_ns ? -1 : x->at_ns > y->at_ns;
}

/* The changes of the number of threads that wait. */
static size_t read_changes(struct writing *writing, const struct rv_hold *holds, size_t n)
{
    size_t n_changes = 0;
    writing->changes = rv_vec_reserve(writing->changes, &writing->capacity, 2 * n, sizeof *writing->changes);
    for (size_t i = 0; i < n; i++) {
        if (!holds[i].is_wait || !is_in(writing, &holds[i]))
            continue;
        writing->changes[n_changes++] = (struct change){holds[i].from_ns, 1};
        writing->changes[n_changes++] = (struct change){holds[i].to_ns, -1};
    }
    if (n_changes)
        qsort(writing->changes, n_changes, sizeof *writing->changes, by_time);
    return n_changes;
}

static void write_waiting(struct writing *writing, const struct rv_hold *holds, size_t n)
{
    const size_t n_changes = read_changes(writing, holds, n);
    const struct change *changes = writing->changes;
    int n_waiting = 0;
    for (size_t i = 0; i < n_changes; i++) {
        n_waiting += changes[i].more;
        if (i + 1 < n_changes && changes[i + 1].at_ns == changes[i].at_ns)
            continue;
        writing->format->waiting(writing->state, writing->target, changes[i].at_ns, (size_t)n_waiting);
        rv_export_drain(writing->target);
    }
}

static void write_holds(struct writing *writing, const struct rv_hold *holds, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!holds[i].is_wait && is_in(writing, &holds[i])) {
            writing->format->hold(writing->state, writing->target, &holds[i]);
            rv_export_drain(writing->target);
        }
}

/* False: none of them is in the slice. */
static bool count_rows(const struct writing *writing, const struct rv_hold *holds, size_t n, uint32_t *n_rows)
{
    bool is_any = false;
    *n_rows = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_in(writing, &holds[i]))
            continue;
        is_any = true;
        if (!holds[i].is_wait && holds[i].row >= *n_rows)
            *n_rows = holds[i].row + 1;
    }
    return is_any;
}

static void write_object(struct writing *writing, const struct rv_held_object *object)
{
    const struct rv_hold *holds = writing->holders->holds + object->first;
    uint32_t n_rows;
    if (!count_rows(writing, holds, object->n, &n_rows))
        return;
    char *name = rv_waits_take_object(writing->target->export->subroutines, object->kind, object->object);
    const struct rv_export_object written = {name, writing->n++, n_rows};
    writing->format->begin_object(writing->state, writing->target, &written);
    write_holds(writing, holds, object->n);
    write_waiting(writing, holds, object->n);
    free(name);
}

void rv_held_objects_write(const struct rv_export_format *format, void *state, struct rv_export_target *target)
{
    if (!format->begin_object || !target->export->waits)
        return;
    struct writing writing = {
        .format = format, .state = state, .target = target, .holders = rv_holders_read(target->export->waits, NULL)};
    for (size_t i = 0; i < writing.holders->n_objects && !target->error; i++)
        write_object(&writing, &writing.holders->objects[i]);
    rv_holders_release(writing.holders);
    free(writing.changes);
}
