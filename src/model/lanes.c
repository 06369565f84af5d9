/*
 * Lanes stand in a table of pointers whose parts double in size and never move, so readers take no lock.
 *
 * Labels: L1 publishes a new lane (and its part of the table) by the count, L2 reads the count before the lanes.
 */
#include "model/lanes.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash_index.h"
#include "base/os.h"
#include "base/text.h"
#include "base/vec.h"

#define FIRST_PART_LANES 64u
#define N_PARTS 26u /* 64 * (2^26 - 1) lanes: more than Linux has thread ids */

struct rv_lanes {
    pthread_mutex_t adding;
    atomic_size_t n;
    struct rv_hash_index by_stack;     /* index + 1, by thread and stack; under adding, */
    struct rv_outside_thread *outside; /* as are these */
    size_t n_outside, outside_capacity;
    struct rv_hash_index outside_by_tid; /* index + 1 */
    struct rv_lane **parts[N_PARTS];
    uint64_t begin_ns;
    atomic_uint_least64_t known_ns; /* see rv_lanes_know_until() */
    atomic_uint_least64_t n_renamed;
    uint32_t finest_level; /* of their timelines */
    bool are_backed;       /* likewise */
    bool keep_stretches, keep_notes, keep_objects;
};

static uint64_t key_of(uint32_t thread, uint32_t stack)
{
    return (uint64_t)thread << 32 | stack;
}

/* Part p holds lanes [64 * (2^p - 1), 64 * (2^(p+1) - 1)). */
static struct rv_lane **slot(const struct rv_lanes *lanes, size_t idx)
{
    size_t shifted = idx / FIRST_PART_LANES + 1;
    unsigned part = 63 - (unsigned)__builtin_clzll(shifted);
    return &lanes->parts[part][idx - FIRST_PART_LANES * (((size_t)1 << part) - 1)];
}

static struct rv_timeline *create_timeline(const struct rv_lanes *lanes)
{
    struct rv_timeline *timeline = rv_timeline_create_from(lanes->finest_level);
    if (lanes->are_backed)
        rv_timeline_back_from(timeline, UINT64_MAX);
    return timeline;
}

static uint32_t notes_max(const struct rv_lanes *lanes)
{
    if (lanes->keep_notes)
        return UINT32_MAX;
    return lanes->finest_level == RV_TIMELINE_LEVELS ? RV_LANE_NOTES_LEFT : RV_LANE_NOTES_MAX;
}

/* Of a new lane, or its lock is held. */
static void name_lane(struct rv_lane *lane, const char *thread_name)
{
    if (lane->stack)
        (void)snprintf(lane->name, sizeof lane->name, "%.50s/%u", thread_name, lane->stack);
    else
        (void)snprintf(lane->name, sizeof lane->name, "%s", thread_name);
}

static struct rv_lane *lane_create(const struct rv_lanes *lanes, const struct rv_lane_identity *identity, size_t idx)
{
    struct rv_lane *lane = rv_alloc(1, sizeof *lane);
    rv_os_init_shared_lock(&lane->lock);
    lane->idx = (uint32_t)idx;
    lane->pid = identity->pid;
    lane->parent_pid = identity->parent_pid;
    lane->tid = identity->tid;
    lane->stack = identity->stack;
    lane->thread = identity->thread;
    lane->process_key = identity->process_key;
    lane->instrumentation = identity->instrumentation;
    const char *process_name = identity->process_name ? identity->process_name : "";
    (void)snprintf(lane->process_name, sizeof lane->process_name, "%s", process_name);
    char of_process[RV_LANE_NAME_BYTES];
    (void)snprintf(of_process, sizeof of_process, "%.48s %u", process_name, identity->tid);
    name_lane(lane, identity->name && identity->name[0] ? identity->name : of_process);
    lane->timeline = create_timeline(lanes);
    lane->keeps_stretches = lanes->keep_stretches;
    lane->keeps_objects = lanes->keep_objects;
    lane->notes_max = notes_max(lanes);
    return lane;
}

static void lane_destroy(struct rv_lane *lane)
{
    rv_timeline_destroy(lane->timeline);
    free(lane->open);
    rv_disk_vec_free(&lane->notes_disk, lane->notes);
    rv_disk_vec_free(&lane->stretches.disk, lane->stretches.items);
    rv_made_objects_fini(&lane->made);
    rv_argument_texts_fini(&lane->texts);
    pthread_rwlock_destroy(&lane->lock);
    free(lane);
}

struct rv_lanes *rv_lanes_create(void)
{
    struct rv_lanes *lanes = rv_alloc(1, sizeof *lanes);
    pthread_mutex_init(&lanes->adding, NULL);
    return lanes;
}

void rv_lanes_destroy(struct rv_lanes *lanes)
{
    if (!lanes)
        return;
    for (size_t i = 0; i < rv_lanes_n(lanes); i++)
        lane_destroy(rv_lanes_get(lanes, i));
    for (unsigned i = 0; i < N_PARTS; i++)
        free(lanes->parts[i]);
    rv_hash_index_fini(&lanes->by_stack);
    rv_hash_index_fini(&lanes->outside_by_tid);
    free(lanes->outside);
    pthread_mutex_destroy(&lanes->adding);
    free(lanes);
}

static void index_lane(struct rv_lanes *lanes, const struct rv_lane *lane)
{
    const uint64_t key = key_of(lane->thread, lane->stack);
    uint32_t *known = rv_hash_index_at(&lanes->by_stack, key);
    if (known)
        *known = lane->idx + 1;
    else
        rv_hash_index_add(&lanes->by_stack, key, lane->idx + 1);
}

struct rv_lane *rv_lanes_add(struct rv_lanes *lanes, const struct rv_lane_identity *identity)
{
    pthread_mutex_lock(&lanes->adding);
    size_t idx = atomic_load_explicit(&lanes->n, memory_order_relaxed);
    struct rv_lane *lane = lane_create(lanes, identity, idx);
    unsigned part = 63 - (unsigned)__builtin_clzll(idx / FIRST_PART_LANES + 1);
    if (!lanes->parts[part])
        lanes->parts[part] = rv_alloc((size_t)FIRST_PART_LANES << part, sizeof(struct rv_lane *));
    *slot(lanes, idx) = lane;
    index_lane(lanes, lane);
    atomic_store_explicit(&lanes->n, idx + 1, memory_order_release); /* L1 -> L2 */
    pthread_mutex_unlock(&lanes->adding);
    return lane;
}

/* ---- threads without a lane ---- */

/* `adding` is held. */
static struct rv_outside_thread *need_outside(struct rv_lanes *lanes, uint32_t tid)
{
    const uint32_t known = rv_hash_index_get(&lanes->outside_by_tid, tid);
    if (known)
        return &lanes->outside[known - 1];
    lanes->outside =
        rv_vec_reserve(lanes->outside, &lanes->outside_capacity, lanes->n_outside + 1, sizeof *lanes->outside);
    rv_hash_index_add(&lanes->outside_by_tid, tid, (uint32_t)++lanes->n_outside);
    return &lanes->outside[lanes->n_outside - 1];
}

void rv_lanes_name_outside(struct rv_lanes *lanes, uint32_t tid, const char *name)
{
    pthread_mutex_lock(&lanes->adding);
    struct rv_outside_thread *outside = need_outside(lanes, tid);
    outside->tid = tid;
    (void)snprintf(outside->name, sizeof outside->name, "%s", name);
    pthread_mutex_unlock(&lanes->adding);
}

struct rv_outside_thread *rv_lanes_take_outside(struct rv_lanes *lanes, size_t *n)
{
    pthread_mutex_lock(&lanes->adding);
    *n = lanes->n_outside;
    struct rv_outside_thread *all = *n ? rv_alloc_scratch(*n, sizeof *all) : NULL;
    if (all)
        memcpy(all, lanes->outside, *n * sizeof *all);
    pthread_mutex_unlock(&lanes->adding);
    return all;
}

bool rv_lanes_outside_name(const struct rv_lanes *lanes, uint32_t waker, bool is_number_wanted,
                           char name[RV_LANE_NAME_BYTES])
{
    pthread_mutex_t *adding = (pthread_mutex_t *)(uintptr_t)&lanes->adding;
    const uint32_t tid = waker & ~RV_WIRE_OUTSIDE;
    if (waker == RV_WIRE_OUTSIDE) {
        (void)snprintf(name, RV_LANE_NAME_BYTES, "interrupt");
        return true;
    }
    pthread_mutex_lock(adding);
    const uint32_t known = rv_hash_index_get(&lanes->outside_by_tid, tid);
    const char *of = known ? lanes->outside[known - 1].name : "";
    if (is_number_wanted)
        (void)snprintf(name, RV_LANE_NAME_BYTES, "%.48s %u", of, tid);
    else
        (void)snprintf(name, RV_LANE_NAME_BYTES, "%s", of);
    pthread_mutex_unlock(adding);
    return known && *name != '\0' && *name != ' ';
}

size_t rv_lanes_n(const struct rv_lanes *lanes)
{
    return atomic_load_explicit(&lanes->n, memory_order_acquire); /* L2 <- L1 */
}

struct rv_lane *rv_lanes_get(const struct rv_lanes *lanes, size_t idx)
{
    return idx < rv_lanes_n(lanes) ? *slot(lanes, idx) : NULL;
}

int rv_lane_compare(const struct rv_lane *a, const struct rv_lane *b)
{
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->stack != b->stack)
        return a->stack < b->stack ? -1 : 1;
    return (a->idx > b->idx) - (a->idx < b->idx);
}

static int by_thread(const void *a, const void *b)
{
    return rv_lane_compare(*(struct rv_lane *const *)a, *(struct rv_lane *const *)b);
}

struct rv_lane **rv_lanes_take_by_thread(const struct rv_lanes *lanes, size_t *n)
{
    *n = rv_lanes_n(lanes);
    struct rv_lane **sorted = rv_alloc(*n, sizeof(struct rv_lane *));
    for (size_t i = 0; i < *n; i++)
        sorted[i] = rv_lanes_get(lanes, i);
    qsort(sorted, *n, sizeof(struct rv_lane *), by_thread);
    return sorted;
}

static int by_process(const void *a, const void *b)
{
    const struct rv_lane *x = *(struct rv_lane *const *)a, *y = *(struct rv_lane *const *)b;
    if (x->process_key != y->process_key)
        return x->process_key < y->process_key ? -1 : 1;
    return rv_lane_compare(x, y);
}

struct rv_lane **rv_lanes_take_by_process(const struct rv_lanes *lanes, size_t *n)
{
    size_t n_lanes = rv_lanes_n(lanes);
    struct rv_lane **sorted = rv_alloc(n_lanes, sizeof(struct rv_lane *));
    for (size_t i = 0; i < n_lanes; i++)
        sorted[i] = rv_lanes_get(lanes, i);
    qsort(sorted, n_lanes, sizeof(struct rv_lane *), by_process);
    *n = 0;
    for (size_t i = 0; i < n_lanes; i++)
        if (i + 1 == n_lanes || sorted[i + 1]->process_key != sorted[i]->process_key)
            sorted[(*n)++] = sorted[i];
    return sorted;
}

void rv_lanes_set_begin(struct rv_lanes *lanes, uint64_t begin_ns)
{
    lanes->begin_ns = begin_ns;
}

void rv_lanes_leave_calls(struct rv_lanes *lanes)
{
    lanes->finest_level = RV_TIMELINE_LEVELS;
}

void rv_lanes_keep_stretches(struct rv_lanes *lanes)
{
    lanes->keep_stretches = true;
}

void rv_lanes_keep_notes(struct rv_lanes *lanes)
{
    lanes->keep_notes = true;
}

void rv_lanes_keep_objects(struct rv_lanes *lanes)
{
    lanes->keep_objects = true;
}

/* The last one has the sums of all. */
static bool has_switches(const struct rv_state_times_sums *stretches)
{
    return stretches->n && rv_state_times_has_switches(&stretches->items[stretches->n - 1].times);
}

bool rv_lanes_have_stretches(const struct rv_lanes *lanes)
{
    bool has = false;
    for (size_t i = 0; i < rv_lanes_n(lanes) && !has; i++)
        has = has_switches(&rv_lanes_get(lanes, i)->stretches);
    return has;
}

void rv_lane_split_stretch(struct rv_lane *lane, uint64_t end_ns, uint64_t n_ns)
{
    rv_state_times_split(&lane->times, n_ns);
    for (size_t i = lane->stretches.n; i-- > 0 && lane->stretches.items[i].at_ns >= end_ns;)
        rv_state_times_split(&lane->stretches.items[i].times, n_ns);
}

void rv_lanes_back(struct rv_lanes *lanes)
{
    lanes->are_backed = true;
}

struct rv_lane *rv_lanes_find(struct rv_lanes *lanes, uint32_t thread, uint32_t stack)
{
    pthread_mutex_lock(&lanes->adding);
    const uint32_t found = rv_hash_index_get(&lanes->by_stack, key_of(thread, stack));
    pthread_mutex_unlock(&lanes->adding);
    return found ? rv_lanes_get(lanes, found - 1) : NULL;
}

static void widen(uint64_t from_ns, uint64_t to_ns, uint64_t *first_ns, uint64_t *last_ns)
{
    if (from_ns < *first_ns)
        *first_ns = from_ns;
    if (to_ns > *last_ns)
        *last_ns = to_ns;
}

static void widen_by_lane(const struct rv_lane *lane, uint64_t *first_ns, uint64_t *last_ns)
{
    if (rv_timeline_n_spans(lane->timeline))
        widen(rv_timeline_first_ns(lane->timeline), rv_timeline_last_ns(lane->timeline), first_ns, last_ns);
    if (lane->n_open)
        widen(lane->open[0].start_ns, lane->open[lane->n_open - 1].start_ns, first_ns, last_ns);
    if (lane->n_notes)
        widen(lane->notes[0].start_ns, lane->notes[lane->n_notes - 1].start_ns, first_ns, last_ns);
    if (lane->last_ns)
        widen(lane->last_ns, lane->last_ns, first_ns, last_ns);
}

bool rv_lane_bounds(struct rv_lane *lane, uint64_t *first_ns, uint64_t *last_ns)
{
    uint64_t first = UINT64_MAX, last = 0;
    pthread_rwlock_rdlock(&lane->lock);
    widen_by_lane(lane, &first, &last);
    pthread_rwlock_unlock(&lane->lock);
    if (first > last)
        return false;
    *first_ns = first;
    *last_ns = last;
    return true;
}

/* Until when calls of the lane go on; 0: none is open. Its lock is held. */
static uint64_t open_until(const struct rv_lanes *lanes, const struct rv_lane *lane)
{
    const uint64_t known_ns = atomic_load_explicit(&lanes->known_ns, memory_order_relaxed);
    return lane->n_open && !lane->has_ended ? known_ns : 0;
}

uint64_t rv_lanes_newest_ns(const struct rv_lanes *lanes)
{
    uint64_t newest_ns = 0;
    for (size_t i = 0; i < rv_lanes_n(lanes); i++) {
        struct rv_lane *lane = rv_lanes_get(lanes, i);
        pthread_rwlock_rdlock(&lane->lock);
        newest_ns = rv_clock_later_ns(newest_ns, rv_clock_later_ns(lane->last_ns, open_until(lanes, lane)));
        pthread_rwlock_unlock(&lane->lock);
    }
    return newest_ns;
}

bool rv_lanes_bounds(struct rv_lanes *lanes, uint64_t *first_ns, uint64_t *last_ns)
{
    uint64_t first = UINT64_MAX, last = 0;
    for (size_t i = 0; i < rv_lanes_n(lanes); i++) {
        struct rv_lane *lane = rv_lanes_get(lanes, i);
        pthread_rwlock_rdlock(&lane->lock);
        widen_by_lane(lane, &first, &last);
        last = rv_clock_later_ns(last, open_until(lanes, lane));
        pthread_rwlock_unlock(&lane->lock);
    }
    if (first > last)
        return false;
    *first_ns = first < lanes->begin_ns && lanes->begin_ns <= last ? lanes->begin_ns : first;
    *last_ns = last;
    return true;
}

void rv_lanes_know_until(struct rv_lanes *lanes, uint64_t ns)
{
    atomic_store_explicit(&lanes->known_ns, ns, memory_order_relaxed);
}

bool rv_lanes_have_sums(struct rv_lanes *lanes)
{
    bool have = false;
    for (size_t i = 0; i < rv_lanes_n(lanes) && !have; i++) {
        struct rv_lane *lane = rv_lanes_get(lanes, i);
        pthread_rwlock_rdlock(&lane->lock);
        have = rv_timeline_sums_level(lane->timeline) > 0 ||
               rv_timeline_paged_before_ns(lane->timeline, 0, UINT64_MAX) > 0;
        pthread_rwlock_unlock(&lane->lock);
    }
    return have;
}

uint64_t rv_lane_known_ns(const struct rv_lane *lane)
{
    return rv_clock_later_ns(rv_timeline_last_ns(lane->timeline), lane->last_ns);
}

uint64_t rv_lane_open_end_ns(const struct rv_lane *lane, uint64_t newest_ns)
{
    const uint64_t known_ns = rv_lane_known_ns(lane);
    return lane->has_ended ? known_ns : rv_clock_later_ns(known_ns, newest_ns);
}

void rv_lanes_rename(struct rv_lanes *lanes, struct rv_lane *lane, const char *thread_name)
{
    pthread_rwlock_wrlock(&lane->lock);
    name_lane(lane, thread_name);
    pthread_rwlock_unlock(&lane->lock);
    atomic_fetch_add_explicit(&lanes->n_renamed, 1, memory_order_relaxed);
}

uint64_t rv_lanes_n_renamed(const struct rv_lanes *lanes)
{
    return atomic_load_explicit(&lanes->n_renamed, memory_order_relaxed);
}

void rv_lane_copy_thread_name(const struct rv_lane *lane, char name[RV_LANE_NAME_BYTES])
{
    memcpy(name, lane->name, RV_LANE_NAME_BYTES);
    char *number = lane->stack ? strrchr(name, '/') : NULL;
    if (number)
        *number = '\0';
}

void rv_lane_copy_name(struct rv_lane *lane, char name[RV_LANE_NAME_BYTES])
{
    pthread_rwlock_rdlock(&lane->lock);
    memcpy(name, lane->name, RV_LANE_NAME_BYTES);
    pthread_rwlock_unlock(&lane->lock);
}

void rv_lane_label(const char *name, uint32_t tid, char *label, size_t label_bytes)
{
    char number[sizeof " 4294967295"];
    const size_t n_number = (size_t)snprintf(number, sizeof number, " %u", tid), n_name = strlen(name);
    const bool has_number = n_name >= n_number && strcmp(name + n_name - n_number, number) == 0;
    const size_t n_shown = rv_text_whole(name, n_name, label_bytes - sizeof number);
    (void)snprintf(label, label_bytes, "%.*s%s", (int)(has_number ? n_name : n_shown), name, has_number ? "" : number);
}

void rv_lane_copy_label(struct rv_lane *lane, char label[RV_LANE_NAME_BYTES])
{
    char name[RV_LANE_NAME_BYTES];
    rv_lane_copy_name(lane, name);
    rv_lane_label(name, lane->tid, label, RV_LANE_NAME_BYTES);
}

static void reserve_note(struct rv_lane *lane)
{
    const size_t n = lane->n_notes + 1, n_bytes = sizeof *lane->notes;
    if (lane->notes_max == UINT32_MAX)
        lane->notes = rv_disk_vec_reserve(&lane->notes_disk, lane->notes, &lane->notes_capacity, n, n_bytes);
    else
        lane->notes = rv_vec_reserve(lane->notes, &lane->notes_capacity, n, n_bytes);
}

static void thin_notes(struct rv_lane *lane)
{
    lane->n_notes = rv_notes_thin(lane->notes, lane->n_notes, lane->n_notes * 3 / 4, lane->n_notes / 2);
    memset(lane->until_last, 0, sizeof lane->until_last);
    for (size_t i = 0; i < lane->n_notes; i++)
        lane->until_last[lane->notes[i].kind] = i + 1;
}

void rv_lane_rest(const struct rv_lane *lane)
{
    rv_disk_vec_rest(&lane->notes_disk, lane->notes);
    rv_disk_vec_rest(&lane->stretches.disk, lane->stretches.items);
}

void rv_lane_add_note(struct rv_lane *lane, const struct rv_lane_note *note)
{
    if (lane->n_notes >= lane->notes_max)
        thin_notes(lane);
    reserve_note(lane);
    lane->notes[lane->n_notes++] = *note;
    lane->until_last[note->kind] = lane->n_notes;
}

struct rv_box rv_lane_frame_box(const struct rv_lane_frame *frame, uint64_t end_ns)
{
    return (struct rv_box){.start_ns = frame->start_ns,
                           .duration_ns = end_ns > frame->start_ns ? end_ns - frame->start_ns : 0,
                           .id = frame->id,
                           .count = 1,
                           .depth = frame->depth,
                           .coverage = RV_BOX_EXACT,
                           .flags = RV_SPAN_OPEN};
}

struct rv_box rv_lane_open_box(const struct rv_lane *lane, size_t idx)
{
    return rv_lane_frame_box(&lane->open[idx], lane->last_ns);
}

void rv_lane_end(struct rv_lane *lane)
{
    lane->has_ended = true;
    lane->n_open = 0;
    rv_timeline_end(lane->timeline);
}

bool rv_lane_has_ended(struct rv_lane *lane)
{
    pthread_rwlock_rdlock(&lane->lock);
    const bool has_ended = lane->has_ended;
    pthread_rwlock_unlock(&lane->lock);
    return has_ended;
}

void rv_lane_end_note(struct rv_lane *lane, enum rv_note_kind kind, uint64_t now_ns)
{
    const size_t n = lane->until_last[kind];
    if (n > 0 && lane->notes[n - 1].end_ns == UINT64_MAX)
        lane->notes[n - 1].end_ns = now_ns;
}

uint64_t rv_lane_off_cpu_since(struct rv_lane *lane, enum rv_note_kind kind, uint64_t from_ns, uint64_t end_ns)
{
    pthread_rwlock_rdlock(&lane->lock);
    const size_t n = lane->until_last[kind];
    const struct rv_lane_note *note = n > 0 ? &lane->notes[n - 1] : NULL;
    const bool lasts = note && !note->n_more && note->start_ns <= end_ns && note->end_ns >= from_ns;
    const uint64_t since_ns = lasts ? note->start_ns : end_ns;
    pthread_rwlock_unlock(&lane->lock);
    return since_ns;
}

bool rv_lane_split_note(struct rv_lane *lane, enum rv_note_kind kind, uint64_t at_ns, enum rv_note_kind rest)
{
    const size_t n = lane->until_last[kind];
    struct rv_lane_note *note = n > 0 ? &lane->notes[n - 1] : NULL;
    if (!note || note->n_more || at_ns < note->start_ns || at_ns >= note->end_ns || note->end_ns == UINT64_MAX)
        return false;
    struct rv_lane_note second = *note;
    second.kind = rest;
    second.start_ns = at_ns;
    note->end_ns = at_ns;
    const size_t n_after = lane->n_notes - n;
    reserve_note(lane);
    memmove(lane->notes + n + 1, lane->notes + n, n_after * sizeof *lane->notes);
    lane->notes[n] = second;
    lane->n_notes++;
    for (unsigned k = 0; k < RV_NOTE_KIND_COUNT; k++)
        lane->until_last[k] += lane->until_last[k] > n;
    if (lane->until_last[rest] <= n)
        lane->until_last[rest] = n + 1;
    return true;
}

/* Memory besides spans and notes. */
static size_t rest_bytes(const struct rv_lane *lane)
{
    return rv_argument_texts_bytes(&lane->texts) + rv_made_objects_bytes(&lane->made);
}

/* The common upper limit so that all fit: large ones are cut to it, small ones are unaffected. */
static size_t fair_share(const size_t *sizes, size_t n, size_t n_bytes)
{
    size_t low = 0, high = n_bytes;
    while (low < high) {
        size_t middle = high - (high - low) / 2, sum = 0;
        for (size_t i = 0; i < n && sum <= n_bytes; i++)
            sum += sizes[i] < middle ? sizes[i] : middle;
        if (sum <= n_bytes)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static size_t notes_bytes(const struct rv_lane *lane)
{
    return lane->notes_disk.n_bytes ? 0 : lane->notes_capacity * sizeof *lane->notes;
}

static void limit_notes(struct rv_lane *lane, size_t n_bytes)
{
    if (lane->notes_disk.n_bytes || lane->n_notes <= n_bytes / sizeof *lane->notes ||
        lane->n_notes <= 2 * RV_NOTE_KIND_COUNT)
        return;
    thin_notes(lane);
    lane->notes = rv_realloc(lane->notes, lane->n_notes * sizeof *lane->notes);
    lane->notes_capacity = lane->n_notes;
}

/* Notes, texts and objects are small compared to spans: they are cut only when they take more than half of a lane's share. */
static void limit_lane(struct rv_lane *lane, size_t share)
{
    const size_t sizes[] = {notes_bytes(lane), rv_argument_texts_bytes(&lane->texts),
                            rv_made_objects_bytes(&lane->made)};
    const size_t most = fair_share(sizes, sizeof sizes / sizeof *sizes, share / 2);
    limit_notes(lane, most);
    rv_argument_texts_limit(&lane->texts, most);
    rv_made_objects_limit(&lane->made, most);
    size_t other_bytes = notes_bytes(lane) + rest_bytes(lane);
    (void)rv_timeline_evict(lane->timeline, share > other_bytes ? share - other_bytes : 0);
}

static size_t lane_bytes(struct rv_lane *lane)
{
    pthread_rwlock_rdlock(&lane->lock);
    size_t n_bytes = rv_timeline_bytes(lane->timeline) + notes_bytes(lane) + rest_bytes(lane);
    pthread_rwlock_unlock(&lane->lock);
    return n_bytes;
}

size_t rv_lanes_bytes(const struct rv_lanes *lanes)
{
    size_t n_bytes = 0;
    for (size_t i = 0, n = rv_lanes_n(lanes); i < n; i++)
        n_bytes += lane_bytes(rv_lanes_get(lanes, i));
    return n_bytes;
}

void rv_lanes_limit_memory(struct rv_lanes *lanes, size_t n_bytes)
{
    size_t n = rv_lanes_n(lanes), sum = 0;
    size_t *sizes = rv_alloc(n, sizeof *sizes);
    for (size_t i = 0; i < n; i++)
        sum += sizes[i] = lane_bytes(rv_lanes_get(lanes, i));
    if (sum > n_bytes) {
        size_t share = fair_share(sizes, n, n_bytes);
        for (size_t i = 0; i < n; i++) {
            struct rv_lane *lane = rv_lanes_get(lanes, i);
            if (sizes[i] <= share)
                continue;
            pthread_rwlock_wrlock(&lane->lock);
            limit_lane(lane, share);
            pthread_rwlock_unlock(&lane->lock);
        }
    }
    free(sizes);
}
