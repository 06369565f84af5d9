/*
 * A thread has an event for taking or releasing a lock only while others wait for it. Who had the lock is therefore known
 * as long as somebody waits, but not since when the first of these holders had it.
 */
#include "waits/holders.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/vec.h"

struct shared {
    struct rv_holders holders;
    atomic_uint n_holders; /* threads that hold it. HO1 -> HO2: every other holder is done before one frees it */
};

struct taken { /* the time at which a thread took the object */
    uint64_t at_ns;
    uint64_t stretch; /* the stretch in which it did: void in others; 0: never */
};

struct making { /* the holders while they are made, object by object */
    struct rv_holders *holders;
    size_t capacity, objects_capacity;
    uint32_t most_held_rows;
    uint64_t *row_ends; /* scratch */
    size_t rows_capacity;
    struct taken *taken; /* by lane */
    size_t n_lanes;
    bool has_releases;                  /* releases of this object are known */
    uint64_t stretch, begin_ns, end_ns; /* a stretch of time in which somebody waits: number from 1 on, and bounds */
};

/* ---- collected ---- */

/* Objects of other waits are kinds of files, but those of which it is known who wrote to them. */
static bool is_of_object(const struct rv_wait_edge *edge)
{
    const enum rv_wait_kind kind = edge->wait.kind;
    if (!edge->wait.object || kind == RV_WAIT_START || kind == RV_WAIT_JOIN)
        return false;
    return kind < RV_WAIT_SLEEP || rv_wait_kind_is_lock(kind) || edge->waker;
}

void rv_holder_collector_add(struct rv_holder_collector *collector, const struct rv_wait_edge *edge)
{
    if (!is_of_object(edge))
        return;
    if (collector->most && collector->n_edges == collector->most) {
        collector->n_left_out++;
        return;
    }
    collector->edges =
        rv_vec_reserve(collector->edges, &collector->edges_capacity, collector->n_edges + 1, sizeof *collector->edges);
    collector->edges[collector->n_edges++] = *edge;
}

void rv_holder_collector_add_release(struct rv_holder_collector *collector, const struct rv_release *release)
{
    if (!release->object || release->object == RV_RELEASE_OF_ANY)
        return;
    if (collector->most && collector->n_releases == collector->most) {
        collector->n_left_out++;
        return;
    }
    collector->releases = rv_vec_reserve(collector->releases, &collector->releases_capacity, collector->n_releases + 1,
                                         sizeof *collector->releases);
    collector->releases[collector->n_releases++] = *release;
}

/* ---- holds of an object ---- */

static struct taken *taken_by(struct making *making, uint32_t lane)
{
    if (lane >= making->n_lanes)
        making->taken = rv_vec_extend(making->taken, &making->n_lanes, (size_t)lane + 1, sizeof *making->taken);
    return &making->taken[lane];
}

static void take(struct making *making, uint32_t lane, uint64_t at_ns)
{
    struct taken *taken = taken_by(making, lane);
    if (taken->stretch != making->stretch)
        *taken = (struct taken){at_ns, making->stretch};
}

static void push(struct making *making, const struct rv_hold *hold)
{
    struct rv_holders *holders = making->holders;
    holders->holds = rv_vec_reserve(holders->holds, &making->capacity, holders->n_holds + 1, sizeof *holders->holds);
    holders->holds[holders->n_holds++] = *hold;
}

static void let_go(struct making *making, const struct rv_release *release)
{
    struct taken *taken = taken_by(making, release->lane);
    const bool is_known = taken->stretch == making->stretch;
    const uint64_t from_ns = is_known ? taken->at_ns : making->begin_ns;
    taken->stretch = 0;
    if (making->stretch && release->at_ns >= from_ns && (is_known || release->at_ns <= making->end_ns))
        push(making, &(struct rv_hold){.from_ns = from_ns,
                                       .to_ns = release->at_ns,
                                       .lane = release->lane,
                                       .call = release->call,
                                       .is_cut = !is_known});
    making->begin_ns = release->at_ns; /* the next holder took it later */
}

/* What is known from a wait alone, as of a file's lock: who had it, until the moment of the wake or the wait's end. */
static void add_holder(struct making *making, const struct rv_wait_edge *edge)
{
    const struct rv_wait *wait = &edge->wait;
    const uint64_t to_ns = wait->woke_ns > wait->start_ns ? wait->woke_ns : wait->end_ns;
    if (edge->waker && !making->has_releases && wait->wake != RV_WAKE_TIMEOUT && to_ns >= wait->start_ns)
        push(making, &(struct rv_hold){wait->start_ns, to_ns, edge->waker->idx, edge->waker_call, 0, false, true});
}

static void begin_wait(struct making *making, const struct rv_wait_edge *edge)
{
    const struct rv_wait *wait = &edge->wait;
    if (!making->stretch || wait->start_ns > making->end_ns) {
        making->stretch++;
        making->begin_ns = wait->start_ns;
        making->end_ns = wait->start_ns;
    }
    making->end_ns = wait->end_ns > making->end_ns ? wait->end_ns : making->end_ns;
    if (rv_wait_kind_is_lock(wait->kind))
        add_holder(making, edge);
    push(making, &(struct rv_hold){.from_ns = wait->start_ns,
                                   .to_ns = wait->start_ns + rv_wait_duration_ns(wait),
                                   .lane = wait->lane,
                                   .call = wait->call,
                                   .is_wait = true});
}

static bool has_taken(const struct rv_wait *wait)
{
    return rv_wait_kind_is_lock(wait->kind) && wait->wake != RV_WAKE_TIMEOUT &&
           !(wait->wake == RV_WAKE_UNKNOWN && wait->waker);
}

struct parts {                        /* waits and releases of one object, each array in order of time */
    const struct rv_wait_edge *edges; /* by begin */
    const struct rv_wait **ends;      /* of waits that took it, by end */
    const struct rv_release *releases;
    size_t n_edges, n_ends, n_releases;
};

/* At equal times: a thread takes it before it is released, and waits before it takes it. */
static void go_through(struct making *making, const struct parts *parts)
{
    size_t i = 0, k = 0;
    for (size_t r = 0; r <= parts->n_releases; r++) {
        const struct rv_release *release = r < parts->n_releases ? &parts->releases[r] : NULL;
        const uint64_t until_ns = release ? release->at_ns : UINT64_MAX;
        while (i < parts->n_edges || k < parts->n_ends) {
            const uint64_t begin_ns = i < parts->n_edges ? parts->edges[i].wait.start_ns : UINT64_MAX;
            const uint64_t end_ns = k < parts->n_ends ? parts->ends[k]->end_ns : UINT64_MAX;
            if ((begin_ns < end_ns ? begin_ns : end_ns) > until_ns)
                break;
            if (begin_ns <= end_ns && i < parts->n_edges) {
                begin_wait(making, &parts->edges[i++]);
            } else {
                take(making, parts->ends[k]->lane, end_ns);
                k++;
            }
        }
        if (release && release->is_taken)
            take(making, release->lane, release->at_ns);
        else if (release)
            let_go(making, release);
    }
}

/* ---- rows ---- */

static int by_begin(const void *a, const void *b)
{
    const struct rv_hold *x = a, *y = b;
    if (x->from_ns != y->from_ns)
        return x->from_ns < y->from_ns ? -1 : 1;
    if (x->is_wait != y->is_wait)
        return x->is_wait - y->is_wait;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return x->to_ns < y->to_ns ? -1 : x->to_ns > y->to_ns;
}

/* Give those that are waits, or those that are not, rows from `first` on. Returns how many. */
static uint32_t give_rows(struct making *making, struct rv_hold *holds, size_t n, bool are_waits, uint32_t first)
{
    const uint32_t most = are_waits ? RV_HOLDERS_ROWS_MOST : making->most_held_rows;
    uint32_t n_rows = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t row = 0;
        if (holds[i].is_wait != are_waits)
            continue;
        while (row < n_rows && making->row_ends[row] > holds[i].from_ns && row + 1 < most)
            row++;
        making->row_ends = rv_vec_reserve(making->row_ends, &making->rows_capacity, row + 1, sizeof *making->row_ends);
        if (row == n_rows)
            making->row_ends[n_rows++] = 0;
        if (holds[i].to_ns > making->row_ends[row])
            making->row_ends[row] = holds[i].to_ns;
        holds[i].row = first + row;
    }
    return n_rows;
}

/* Join overlapping holds of one thread, each seen by another waiter; sorted by begin. Returns how many are left. */
static size_t join_holds(struct making *making, struct rv_hold *holds, size_t n)
{
    size_t n_left = 0;
    making->stretch++;
    for (size_t i = 0; i < n; i++) {
        struct taken *last = taken_by(making, holds[i].lane); /* here: the place of its last hold */
        struct rv_hold *before = last->stretch == making->stretch ? &holds[last->at_ns] : NULL;
        if (!holds[i].is_wait && before && before->to_ns >= holds[i].from_ns) {
            before->to_ns = holds[i].to_ns > before->to_ns ? holds[i].to_ns : before->to_ns;
            continue;
        }
        if (!holds[i].is_wait)
            *last = (struct taken){n_left, making->stretch};
        holds[n_left++] = holds[i];
    }
    return n_left;
}

static void sum_up(struct rv_held_object *object, const struct rv_hold *holds, const struct parts *parts)
{
    uint64_t longest_ns = 0;
    for (size_t i = 0; i < object->n; i++) {
        const uint64_t n_ns = holds[i].to_ns - holds[i].from_ns;
        object->longest_ns = n_ns > object->longest_ns ? n_ns : object->longest_ns;
        *(holds[i].is_wait ? &object->waited_ns : &object->held_ns) += n_ns;
        object->n_waits += holds[i].is_wait;
    }
    for (size_t i = 0; i < parts->n_edges; i++) {
        const uint64_t n_ns = rv_wait_duration_ns(&parts->edges[i].wait);
        if (i && n_ns <= longest_ns)
            continue;
        object->kind = parts->edges[i].wait.kind;
        longest_ns = n_ns;
    }
}

static int by_end(const void *a, const void *b)
{
    const struct rv_wait *x = *(const struct rv_wait *const *)a, *y = *(const struct rv_wait *const *)b;
    if (x->end_ns != y->end_ns)
        return x->end_ns < y->end_ns ? -1 : 1;
    return x->lane < y->lane ? -1 : x->lane > y->lane;
}

static const struct rv_wait **take_ends(struct parts *parts)
{
    const struct rv_wait **ends = rv_alloc_scratch(parts->n_edges + 1, sizeof *ends);
    for (size_t i = 0; i < parts->n_edges; i++)
        if (has_taken(&parts->edges[i].wait))
            ends[parts->n_ends++] = &parts->edges[i].wait;
    qsort(ends, parts->n_ends, sizeof *ends, by_end);
    return ends;
}

static bool are_for_lock(const struct parts *parts)
{
    for (size_t i = 0; i < parts->n_edges; i++)
        if (rv_wait_kind_is_lock(parts->edges[i].wait.kind))
            return true;
    return false;
}

static void make_object(struct making *making, struct parts *parts)
{
    struct rv_holders *holders = making->holders;
    const size_t first = holders->n_holds;
    struct rv_held_object object = {.object = parts->edges[0].wait.object, .first = first};
    making->begin_ns = making->end_ns = 0;
    making->stretch++;        /* what other objects' holders have taken is void */
    if (!are_for_lock(parts)) /* what is released is no lock that anybody had: a condition, a pipe */
        parts->n_releases = 0;
    making->has_releases = parts->n_releases != 0;
    parts->ends = take_ends(parts);
    go_through(making, parts);
    free(parts->ends);
    object.n = holders->n_holds - first;
    qsort(holders->holds + first, object.n, sizeof *holders->holds, by_begin);
    if (!making->has_releases)
        object.n = join_holds(making, holders->holds + first, object.n);
    holders->n_holds = first + object.n;
    object.n_held_rows = give_rows(making, holders->holds + first, object.n, false, 0);
    object.n_held_rows += object.n_held_rows == 0;
    object.n_rows = object.n_held_rows + give_rows(making, holders->holds + first, object.n, true, object.n_held_rows);
    sum_up(&object, holders->holds + first, parts);
    holders->objects =
        rv_vec_reserve(holders->objects, &making->objects_capacity, holders->n_objects + 1, sizeof *holders->objects);
    holders->objects[holders->n_objects++] = object;
}

/* ---- all ---- */

static int by_object(const void *a, const void *b)
{
    const struct rv_wait *x = &((const struct rv_wait_edge *)a)->wait, *y = &((const struct rv_wait_edge *)b)->wait;
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->lane < y->lane ? -1 : x->lane > y->lane;
}

static int by_object_of_release(const void *a, const void *b)
{
    const struct rv_release *x = a, *y = b;
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    if (x->is_taken != y->is_taken)
        return y->is_taken - x->is_taken;
    return x->lane < y->lane ? -1 : x->lane > y->lane;
}

/* Conditions and the like, for which workers wait all the time, after locks. */
static int by_waiting(const void *a, const void *b)
{
    const struct rv_held_object *x = a, *y = b;
    if (rv_wait_kind_is_lock(x->kind) != rv_wait_kind_is_lock(y->kind))
        return rv_wait_kind_is_lock(x->kind) ? -1 : 1;
    if (x->waited_ns != y->waited_ns)
        return x->waited_ns > y->waited_ns ? -1 : 1;
    return x->object < y->object ? -1 : x->object > y->object;
}

static void make_objects(struct making *making, const struct rv_holder_collector *collector)
{
    size_t n, r = 0;
    for (size_t i = 0; i < collector->n_edges; i += n) {
        const uint32_t object = collector->edges[i].wait.object;
        struct parts parts = {.edges = &collector->edges[i]};
        for (n = 1; i + n < collector->n_edges && collector->edges[i + n].wait.object == object;)
            n++;
        while (r < collector->n_releases && collector->releases[r].object < object)
            r++;
        parts.releases = collector->releases + r;
        while (r < collector->n_releases && collector->releases[r].object == object) {
            r++;
            parts.n_releases++;
        }
        parts.n_edges = n;
        make_object(making, &parts);
    }
}

/* ---- like others ---- */

static int by_number(const void *a, const void *b)
{
    const struct rv_held_object *x = a, *y = b;
    return x->object < y->object ? -1 : x->object > y->object;
}

/* Waits stand above holders. */
static void raise_waits(struct rv_hold *holds, size_t n, uint32_t n_rows)
{
    for (size_t i = 0; i < n; i++)
        holds[i].row += holds[i].is_wait ? n_rows : 0;
}

/* The sums of one, and the holds of the same one in less time, with room for the rows of both. */
static struct rv_held_object like_object(const struct rv_held_object *like, const struct rv_held_object *own,
                                         struct rv_hold *holds)
{
    struct rv_held_object object = *like;
    const uint32_t n_own_waits = own->n_rows - own->n_held_rows, n_waits = like->n_rows - like->n_held_rows;
    object.first = own->first;
    object.n = own->n;
    if (own->n_held_rows < like->n_held_rows)
        raise_waits(holds + own->first, own->n, like->n_held_rows - own->n_held_rows);
    else
        object.n_held_rows = own->n_held_rows;
    object.n_rows = object.n_held_rows + (n_own_waits > n_waits ? n_own_waits : n_waits);
    return object;
}

/* The others', then those that they do not have. Objects are in the order of their numbers. */
static void arrange_like(struct rv_holders *holders, const struct rv_holders *like)
{
    struct rv_held_object *objects = rv_alloc(like->n_objects + holders->n_objects + 1, sizeof *objects);
    size_t n = 0;
    for (size_t i = 0; i < like->n_objects; i++) {
        struct rv_held_object *own =
            bsearch(&like->objects[i], holders->objects, holders->n_objects, sizeof *holders->objects, by_number);
        const struct rv_held_object none = {.object = like->objects[i].object, .n_held_rows = 1, .n_rows = 1};
        objects[n++] = like_object(&like->objects[i], own ? own : &none, holders->holds);
        if (own)
            own->n = 0;
    }
    for (size_t i = 0; i < holders->n_objects; i++)
        if (holders->objects[i].n)
            objects[n++] = holders->objects[i];
    free(holders->objects);
    holders->objects = objects;
    holders->n_objects = n;
}

const struct rv_holders *rv_holders_create(struct rv_holder_collector *collector)
{
    struct shared *shared = rv_alloc(1, sizeof *shared);
    struct making making = {.holders = &shared->holders,
                            .most_held_rows =
                                collector->most_held_rows ? collector->most_held_rows : RV_HOLDERS_ROWS_MOST};
    atomic_init(&shared->n_holders, 1);
    if (collector->n_edges)
        qsort(collector->edges, collector->n_edges, sizeof *collector->edges, by_object);
    if (collector->n_releases)
        qsort(collector->releases, collector->n_releases, sizeof *collector->releases, by_object_of_release);
    make_objects(&making, collector);
    if (collector->like)
        arrange_like(&shared->holders, collector->like);
    else if (shared->holders.n_objects)
        qsort(shared->holders.objects, shared->holders.n_objects, sizeof *shared->holders.objects, by_waiting);
    shared->holders.n_left_out = collector->n_left_out;
    free(making.taken);
    free(making.row_ends);
    free(collector->edges);
    free(collector->releases);
    *collector = (struct rv_holder_collector){.most = collector->most, .most_held_rows = collector->most_held_rows};
    return &shared->holders;
}

static struct shared *shared_of(const struct rv_holders *holders)
{
    return (struct shared *)(uintptr_t)holders;
}

const struct rv_holders *rv_holders_hold(const struct rv_holders *holders)
{
    if (holders)
        atomic_fetch_add_explicit(&shared_of(holders)->n_holders, 1, memory_order_relaxed);
    return holders;
}

void rv_holders_release(const struct rv_holders *holders)
{
    struct shared *shared = holders ? shared_of(holders) : NULL;
    if (!shared ||
        atomic_fetch_sub_explicit(&shared->n_holders, 1, memory_order_acq_rel) != 1) /* HO1 -> HO2, HO2 <- HO1 */
        return;
    free(shared->holders.objects);
    free(shared->holders.holds);
    free(shared);
}

/* ---- looked up ---- */

size_t rv_holders_first(const struct rv_holders *holders, const struct rv_held_object *object, uint64_t from_ns)
{
    const uint64_t least_ns = from_ns > object->longest_ns ? from_ns - object->longest_ns : 0;
    return object->first + rv_bisect_below(holders->holds + object->first, object->n, sizeof *holders->holds,
                                           offsetof(struct rv_hold, from_ns), least_ns);
}

const struct rv_hold *rv_holders_at(const struct rv_holders *holders, const struct rv_held_object *object, uint32_t row,
                                    uint64_t at_ns)
{
    const struct rv_hold *found = NULL;
    const size_t end = object->first + object->n;
    for (size_t i = rv_holders_first(holders, object, at_ns); i < end && holders->holds[i].from_ns <= at_ns; i++)
        if (holders->holds[i].row == row && holders->holds[i].to_ns >= at_ns)
            found = &holders->holds[i];
    return found;
}

size_t rv_holders_n_waiting(const struct rv_holders *holders, const struct rv_held_object *object, uint64_t at_ns)
{
    size_t n = 0;
    const size_t end = object->first + object->n;
    for (size_t i = rv_holders_first(holders, object, at_ns); i < end && holders->holds[i].from_ns <= at_ns; i++)
        n += holders->holds[i].is_wait && holders->holds[i].to_ns > at_ns;
    return n;
}
