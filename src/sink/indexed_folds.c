#include "sink/indexed_folds.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/vec.h"
#include "scan/event_folding.h"
#include "sink/index_totals.h"

enum {
    FIRST_IDS = 1024,
    EVENTS_PER_ROW = 8,  /* a block with more is not folded: to read it takes as long */
    BYTES_PER_BYTE = 40, /* of blocks, and a byte of folds of them at most; */
    BYTES_OF_ANY = 1024, /* more, however few blocks there are */
    USUAL_BYTES = 100,   /* with more than a byte for so many, releases that woke nobody become part of the sums */
    BYTES_A_SUM = 5,     /* compressed */
    BYTES_A_PART = 4
};
/* A stream's last block is left for the next INDEX if it is no older: it may tell whom the block has woken. */
static const uint64_t HELD_NS = 200000000;

struct part { /* sums, and a stretch */
    size_t first_sum, n_sums;
    size_t first_call, n_calls;
    uint64_t stretch_from_ns, stretch_to_ns; /* alike: none */
    bool is_release;
};

struct fold { /* a block */
    uint32_t stream, stack;
    uint64_t from_ns, to_ns;
    size_t first_part, n_parts;
    bool is_put;
};

struct choice {                          /* another INDEX's folds, which are read as ours are put */
    const struct rv_rec_index_table *of; /* NULL: there is none */
    const struct rv_rec_index_part *part;
    const struct rv_rec_index_sum *sum;
    size_t n_parts, n_sums;  /* that are left, */
    uint32_t n_fold_parts;   /* and of the fold */
    uint64_t end_ns;         /* of the fold */
    uint64_t from_ns, to_ns; /* the fold's next stretch; from_ns UINT64_MAX: there is none */
};

struct sum { /* of a subroutine, while parts become one */
    uint64_t own_ns, total_ns;
    uint64_t n_met; /* the last stretch whose calls have it */
    uint32_t n;
    bool is_listed;
};

struct rv_indexed_folds {
    struct rv_event_folding *folding;
    uint32_t n_ids; /* that it knows */
    struct fold *folds;
    struct part *parts;
    struct rv_folded_sum *sums;
    uint32_t *calls;
    size_t n_folds, n_parts, n_sums, n_calls;
    size_t folds_capacity, parts_capacity, sums_capacity, calls_capacity;
    uint64_t n_bytes;     /* of the blocks since the last INDEX */
    uint64_t room_bytes;  /* of folds: what those before have left over, too */
    bool leaves_wakeless; /* there are too many stretches: of releases those that woke nobody are left out */
    /* of the block */
    struct fold fold;
    struct part part; /* the last one, which goes on */
    size_t first_sum, first_call;
    uint64_t n_events, told_ns;
    bool is_foldable;
    bool has_times;     /* any stream: no block before is folded, as nothing can lead a path elsewhere */
    uint64_t *times_ns; /* of the batch, */
    bool *are_releases;
    size_t n_times, times_capacity, releases_capacity;
    size_t n_passed;
    /* while they are put into the table */
    struct rv_rec_index_table *table;
    struct choice choice;
    size_t n_old_parts; /* of blocks that were there as the last table was put */
    uint64_t *woke_ns;
    size_t n_woke, woke_capacity;
    struct sum *joined; /* by 1 + subroutine; 0: outside of calls */
    uint32_t *listed;
    uint32_t n_joined, n_listed;
    uint64_t n_stretches;
    const uint32_t *last_calls; /* of the fold's last stretch */
    size_t n_last_calls;
};

/* ---- blocks ---- */

static void add_part(struct rv_indexed_folds *folds)
{
    folds->part.n_sums = folds->n_sums - folds->part.first_sum;
    folds->part.n_calls = folds->n_calls - folds->part.first_call;
    folds->parts = rv_vec_reserve(folds->parts, &folds->parts_capacity, folds->n_parts + 1, sizeof *folds->parts);
    folds->parts[folds->n_parts++] = folds->part;
    folds->part = (struct part){.first_sum = folds->n_sums, .first_call = folds->n_calls};
}

/* Does the block have too many rows? */
static bool is_too_much(const struct rv_indexed_folds *folds)
{
    return folds->n_sums - folds->first_sum + folds->n_calls - folds->first_call > RV_REC_MAX_EVENTS / EVENTS_PER_ROW;
}

static void take_sums(void *context, uint64_t n_ns, const struct rv_folded_sum *sums, size_t n)
{
    struct rv_indexed_folds *folds = context;
    folds->told_ns += n_ns;
    if (is_too_much(folds))
        return;
    folds->sums = rv_vec_reserve(folds->sums, &folds->sums_capacity, folds->n_sums + n, sizeof *folds->sums);
    for (size_t i = 0; i < n; i++)
        if (sums[i].own_ns || sums[i].total_ns)
            folds->sums[folds->n_sums++] = sums[i];
}

/* Did nothing but releases happen from from_ns to to_ns? */
static bool are_all_releases(struct rv_indexed_folds *folds, uint64_t from_ns, uint64_t to_ns)
{
    while (folds->n_passed < folds->n_times && folds->times_ns[folds->n_passed] < from_ns)
        folds->n_passed++;
    for (size_t i = folds->n_passed; i < folds->n_times && folds->times_ns[i] <= to_ns; i++)
        if (!folds->are_releases[i])
            return false;
    return true;
}

static void take_stretch(void *context, uint64_t n_ns, const uint32_t *open, size_t n)
{
    struct rv_indexed_folds *folds = context;
    struct part *part = &folds->part;
    part->stretch_from_ns = folds->told_ns;
    part->stretch_to_ns = folds->told_ns += n_ns;
    if (is_too_much(folds))
        return;
    part->is_release = are_all_releases(folds, part->stretch_from_ns, part->stretch_to_ns);
    folds->calls = rv_vec_reserve(folds->calls, &folds->calls_capacity, folds->n_calls + n, sizeof *folds->calls);
    if (n)
        memcpy(folds->calls + folds->n_calls, open, n * sizeof *open);
    folds->n_calls += n;
    add_part(folds);
}

static void add_time(struct rv_indexed_folds *folds, uint64_t at_ns, bool is_release)
{
    folds->times_ns =
        rv_vec_reserve(folds->times_ns, &folds->times_capacity, folds->n_times + 1, sizeof *folds->times_ns);
    folds->are_releases =
        rv_vec_reserve(folds->are_releases, &folds->releases_capacity, folds->n_times + 1, sizeof *folds->are_releases);
    folds->times_ns[folds->n_times] = at_ns;
    folds->are_releases[folds->n_times++] = is_release;
}

/* Taking an object wakes nobody. */
static bool is_cut(const struct rv_event *event)
{
    const unsigned kind = rv_event_kind(event);
    return kind == RV_EVENT_WOKEN || rv_batch_is_switch(event) ||
           (kind == RV_EVENT_WAIT && !(event->frame & RV_WAIT_TAKEN));
}

/* Is the event of a wait for room in the thread's ring, as the one before it may be? No other thread's path depends on one. */
static bool is_of_full_ring(const struct rv_event *event, bool is_before)
{
    if (rv_event_kind(event) == RV_EVENT_WAIT)
        return (event->frame & RV_WAIT_KIND_MASK) == RV_WAIT_FULL_RING;
    return is_before && rv_event_kind(event) == RV_EVENT_WOKEN;
}

static void list_times(struct rv_indexed_folds *folds, const struct rv_batch *batch, const struct rv_fold_time *pending)
{
    bool is_own = false;
    folds->n_times = folds->n_passed = 0;
    if (pending->at_ns)
        add_time(folds, pending->at_ns, pending->is_release);
    for (uint32_t i = 0; i < batch->n_specials; i++) {
        const struct rv_event *event = &batch->events[batch->specials[i]];
        const bool is_release = rv_event_kind(event) == RV_EVENT_WAIT && event->frame & RV_WAIT_RELEASE;
        is_own = is_of_full_ring(event, is_own);
        if (is_cut(event))
            add_time(folds, rv_event_ticks(event), is_release);
        folds->has_times |= is_cut(event) && !is_own;
    }
}

/* What happened at the last call or return, or after it, belongs to the next stretch, too. */
static void leave_pending(const struct rv_indexed_folds *folds, struct rv_fold_time *pending, uint64_t to_ns)
{
    *pending = (struct rv_fold_time){.at_ns = 0};
    for (size_t i = folds->n_times; i-- > 0 && folds->times_ns[i] >= to_ns;)
        *pending = (struct rv_fold_time){folds->times_ns[i],
                                         folds->are_releases[i] && (!pending->at_ns || pending->is_release)};
}

/* The time of the last call or return, at least from_ns. */
static uint64_t find_end(const struct rv_batch *batch, uint64_t from_ns)
{
    for (uint32_t i = batch->n; i-- > 0;)
        if (rv_event_kind(&batch->events[i]) <= RV_EVENT_RETURN)
            return rv_event_ticks(&batch->events[i]);
    return from_ns;
}

/* False: it is too great. */
static bool know_id(struct rv_indexed_folds *folds, uint32_t id)
{
    if (id < folds->n_ids)
        return true;
    if (id >= RV_INDEX_MOST_ID)
        return false;
    folds->n_ids = id >= 2 * folds->n_ids ? id + 1 : 2 * folds->n_ids;
    rv_event_folding_grow(folds->folding, folds->n_ids);
    return true;
}

/* Calls before the batch. */
static bool know_open(struct rv_indexed_folds *folds, const struct rv_event_piece *piece)
{
    for (uint32_t i = 0; i < piece->open.n_frames; i++)
        if (!know_id(folds, piece->open.id[i]))
            return false;
    return true;
}

/* Calls of the batch. */
static bool know_calls(struct rv_indexed_folds *folds, const struct rv_event_piece *piece)
{
    for (size_t i = 0; i < piece->n; i++)
        if (rv_event_kind(&piece->events[i]) == RV_EVENT_CALL && !know_id(folds, piece->events[i].id))
            return false;
    return true;
}

static bool fold(struct rv_indexed_folds *folds, struct rv_event_piece *piece)
{
    const struct rv_event_folding_taker taker = {take_sums, take_stretch, folds};
    const struct part part = folds->part;
    const size_t n_parts = folds->n_parts, n_sums = folds->n_sums, n_calls = folds->n_calls;
    if (!know_open(folds, piece))
        return false;
    piece->n_ids = folds->n_ids;
    if (rv_event_folding_fold(folds->folding, piece, folds->times_ns, folds->n_times, &taker))
        return true;
    if (!know_calls(folds, piece) || piece->n_ids == folds->n_ids)
        return false;
    piece->n_ids = folds->n_ids;
    folds->part = part;
    folds->n_parts = n_parts;
    folds->n_sums = n_sums;
    folds->n_calls = n_calls;
    folds->told_ns = piece->from_ns;
    folds->n_passed = 0;
    return rv_event_folding_fold(folds->folding, piece, folds->times_ns, folds->n_times, &taker);
}

void rv_indexed_folds_begin_block(struct rv_indexed_folds *folds, uint32_t stream, const struct rv_block_join *carry)
{
    const uint64_t from_ns = rv_block_join_last_ns(carry);
    folds->fold = (struct fold){.stream = stream, .from_ns = from_ns, .to_ns = from_ns, .first_part = folds->n_parts};
    folds->part = (struct part){.first_sum = folds->n_sums, .first_call = folds->n_calls};
    folds->first_sum = folds->n_sums;
    folds->first_call = folds->n_calls;
    folds->is_foldable = from_ns > 0 && folds->has_times;
}

void rv_indexed_folds_add(struct rv_indexed_folds *folds, const struct rv_block_join *carry, uint32_t entry_stack,
                          const struct rv_batch *batch, struct rv_fold_time *pending)
{
    struct rv_event_piece piece = {.from_ns = folds->fold.to_ns, .events = batch->events, .n = batch->n};
    list_times(folds, batch, pending);
    piece.to_ns = folds->fold.to_ns = find_end(batch, piece.from_ns);
    folds->told_ns = piece.from_ns;
    folds->is_foldable &= rv_block_join_n_stacks(carry) == 1;
    if (folds->is_foldable) {
        rv_block_join_open_stack(carry, 0, &piece.open);
        folds->fold.stack = piece.open.stack;
        folds->is_foldable = piece.open.stack == entry_stack && !piece.open.n_lost && piece.to_ns >= piece.from_ns &&
                             fold(folds, &piece) && !is_too_much(folds);
    }
    leave_pending(folds, pending, piece.to_ns);
}

void rv_indexed_folds_end_block(struct rv_indexed_folds *folds, uint64_t n_bytes)
{
    folds->n_bytes += n_bytes;
    add_part(folds);
    if (!folds->is_foldable || folds->fold.from_ns == folds->fold.to_ns) {
        folds->n_parts = folds->fold.first_part;
        folds->n_sums = folds->first_sum;
        folds->n_calls = folds->first_call;
        return;
    }
    folds->fold.n_parts = folds->n_parts - folds->fold.first_part;
    folds->folds = rv_vec_reserve(folds->folds, &folds->folds_capacity, folds->n_folds + 1, sizeof *folds->folds);
    folds->folds[folds->n_folds++] = folds->fold;
}

/* ---- sums of several parts ---- */

static struct sum *join(struct rv_indexed_folds *folds, uint32_t id)
{
    const uint32_t place = id == RV_FOLDED_OUTSIDE ? 0 : id + 1;
    struct sum *sum = &folds->joined[place];
    if (!sum->is_listed)
        folds->listed[folds->n_listed++] = place;
    sum->is_listed = true;
    return sum;
}

static void join_sums(struct rv_indexed_folds *folds, const struct part *part)
{
    for (size_t i = part->first_sum; i < part->first_sum + part->n_sums; i++) {
        const struct rv_folded_sum *told = &folds->sums[i];
        struct sum *sum = join(folds, told->id);
        sum->own_ns += told->own_ns;
        sum->total_ns += told->total_ns;
        sum->n += (uint32_t)told->n;
    }
}

static void join_stretch(struct rv_indexed_folds *folds, const struct part *part)
{
    const uint32_t *calls = folds->calls + part->first_call;
    const uint64_t n_ns = part->stretch_to_ns - part->stretch_from_ns;
    struct sum *own = join(folds, part->n_calls ? calls[part->n_calls - 1] : RV_FOLDED_OUTSIDE);
    own->own_ns += n_ns;
    own->n++;
    folds->n_stretches++;
    for (size_t i = 0; i < part->n_calls; i++) {
        struct sum *sum = join(folds, calls[i]);
        sum->total_ns += sum->n_met == folds->n_stretches ? 0 : n_ns;
        sum->n_met = folds->n_stretches;
    }
}

/* ---- rows ---- */

static int by_id(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Time outside of calls has no callees. */
static void put_sum(struct rv_indexed_folds *folds, uint32_t place)
{
    struct sum *sum = &folds->joined[place];
    rv_rec_index_add(folds->table, RV_REC_INDEX_SUMS,
                     &(struct rv_rec_index_sum){.own_ns = sum->own_ns,
                                                .callees_ns = place ? sum->total_ns - sum->own_ns : 0,
                                                .n = sum->n,
                                                .id = place ? place - 1 : RV_REC_SUM_OUTSIDE});
    sum->own_ns = sum->total_ns = sum->n = 0;
    sum->is_listed = false;
}

/* Alike calls of two stretches. */
static uint32_t count_kept(const struct rv_indexed_folds *folds, const uint32_t *calls, size_t n)
{
    size_t n_kept = 0;
    while (n_kept < n && n_kept < folds->n_last_calls && calls[n_kept] == folds->last_calls[n_kept])
        n_kept++;
    return (uint32_t)n_kept;
}

/* Put what is summed up, and the part's stretch, if it has one. */
static void put_part(struct rv_indexed_folds *folds, const struct part *part)
{
    const uint32_t *calls = folds->calls + part->first_call;
    struct rv_rec_index_part row = {.stretch_ns = part->stretch_to_ns - part->stretch_from_ns,
                                    .n_sums = folds->n_listed};
    if (folds->n_listed)
        qsort(folds->listed, folds->n_listed, sizeof *folds->listed, by_id);
    for (uint32_t i = 0; i < folds->n_listed; i++)
        put_sum(folds, folds->listed[i]);
    folds->n_listed = 0;
    if (row.stretch_ns) {
        row.n_kept = count_kept(folds, calls, part->n_calls);
        row.n_calls = (uint32_t)part->n_calls - row.n_kept;
        folds->last_calls = calls;
        folds->n_last_calls = part->n_calls;
    }
    for (uint32_t i = 0; i < row.n_calls; i++)
        rv_rec_index_add(folds->table, RV_REC_INDEX_CALLS, &(struct rv_rec_index_call){calls[row.n_kept + i]});
    rv_rec_index_add(folds->table, RV_REC_INDEX_PARTS, &row);
}

/* ---- which stretches are listed ---- */

static int by_ns(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Add when threads were woken, but not before they waited. */
static void list_wakes(struct rv_indexed_folds *folds)
{
    size_t n;
    const struct rv_rec_index_wait *waits = rv_rec_index_rows(folds->table, RV_REC_INDEX_WAITS, &n);
    folds->woke_ns = rv_vec_reserve(folds->woke_ns, &folds->woke_capacity, folds->n_woke + n, sizeof *folds->woke_ns);
    for (size_t i = 0; i < n; i++)
        if (waits[i].since_ns < waits[i].waited_ns)
            folds->woke_ns[folds->n_woke++] = waits[i].end_ns - waits[i].since_ns;
    if (folds->n_woke)
        qsort(folds->woke_ns, folds->n_woke, sizeof *folds->woke_ns, by_ns);
}

static bool has_woken(const struct rv_indexed_folds *folds, const struct part *part)
{
    const size_t i = rv_bisect_below(folds->woke_ns, folds->n_woke, sizeof *folds->woke_ns, 0, part->stretch_from_ns);
    return i < folds->n_woke && folds->woke_ns[i] <= part->stretch_to_ns;
}

/* Read on to the fold's next stretch in the other INDEX. */
static void choose_next(struct choice *choice)
{
    uint64_t at_ns = choice->to_ns;
    choice->from_ns = UINT64_MAX;
    for (; choice->n_fold_parts && choice->n_parts && choice->from_ns == UINT64_MAX; choice->n_fold_parts--) {
        for (uint32_t i = 0; i < choice->part->n_sums && choice->n_sums; i++, choice->n_sums--)
            at_ns += choice->sum++->own_ns;
        if (choice->part->stretch_ns) {
            choice->from_ns = at_ns;
            choice->to_ns = at_ns + choice->part->stretch_ns;
        }
        choice->part++;
        choice->n_parts--;
    }
}

/* Does the other INDEX list it? */
static bool is_chosen(struct choice *choice, const struct part *part)
{
    const bool is_next = part->stretch_from_ns == choice->from_ns && part->stretch_to_ns == choice->to_ns;
    if (is_next)
        choose_next(choice);
    return is_next;
}

static bool is_told(struct rv_indexed_folds *folds, const struct part *part)
{
    if (part->stretch_from_ns == part->stretch_to_ns)
        return false;
    const bool is_kept = folds->choice.of ? is_chosen(&folds->choice, part) : !folds->leaves_wakeless;
    return is_kept || !part->is_release || has_woken(folds, part);
}

static bool follows(const struct fold *fold, const struct fold *before)
{
    return fold->stream == before->stream && fold->stack == before->stack && fold->from_ns == before->to_ns;
}

/* A block's parts; its last one is left for the next block, unless the fold ends. Returns how many were put. */
static uint32_t put_block(struct rv_indexed_folds *folds, const struct fold *fold)
{
    uint32_t n_put = 0;
    for (size_t i = fold->first_part; i < fold->first_part + fold->n_parts; i++) {
        const struct part *part = &folds->parts[i];
        join_sums(folds, part);
        if (is_told(folds, part)) {
            put_part(folds, part);
            n_put++;
        } else if (part->stretch_from_ns != part->stretch_to_ns) {
            join_stretch(folds, part);
        }
    }
    return n_put;
}

/* Has the fold all its blocks? What is cut within sums is read from blocks: so a stretch ends it. */
static bool is_whole(const struct rv_indexed_folds *folds, const struct rv_rec_index_fold *row)
{
    return folds->choice.of ? row->to_ns >= folds->choice.end_ns : row->n_parts > 1;
}

/* The first of n blocks, and those that follow, until the fold is whole. Returns how many. */
static size_t put_fold(struct rv_indexed_folds *folds, struct fold *first, size_t n)
{
    struct rv_rec_index_fold row = {first->from_ns, first->to_ns, first->stream, first->stack, 1, 0};
    size_t i = 0;
    folds->n_last_calls = 0;
    do {
        row.n_parts += put_block(folds, &first[i]);
        first[i].is_put = true;
        row.to_ns = first[i++].to_ns;
    } while (i < n && !is_whole(folds, &row) && follows(&first[i], &first[i - 1]));
    put_part(folds, &(struct part){.n_sums = 0});
    rv_rec_index_add(folds->table, RV_REC_INDEX_FOLDS, &row);
    return i;
}

/* ---- the end of an INDEX ---- */

static uint64_t bytes_of(const struct rv_rec_index_table *table)
{
    size_t n_parts, n_sums, n_calls;
    (void)rv_rec_index_rows(table, RV_REC_INDEX_PARTS, &n_parts);
    (void)rv_rec_index_rows(table, RV_REC_INDEX_SUMS, &n_sums);
    (void)rv_rec_index_rows(table, RV_REC_INDEX_CALLS, &n_calls);
    return BYTES_A_SUM * n_sums + BYTES_A_PART * n_parts + n_calls;
}

static const enum rv_rec_index_column COLUMNS[] = {RV_REC_INDEX_FOLDS, RV_REC_INDEX_PARTS, RV_REC_INDEX_SUMS,
                                                   RV_REC_INDEX_CALLS};
enum { N_COLUMNS = sizeof COLUMNS / sizeof *COLUMNS };

/* Put n folds. With a limit, of all blocks the same share. Returns whether they have room. */
static bool put_all(struct rv_indexed_folds *folds, size_t n, bool is_limited)
{
    for (size_t i = 0; i < n;) {
        size_t before[N_COLUMNS];
        for (size_t k = 0; k < N_COLUMNS; k++)
            before[k] = folds->table->columns[COLUMNS[k]].n;
        i += put_fold(folds, &folds->folds[i], n - i);
        const bool fits = !is_limited || bytes_of(folds->table) <= folds->room_bytes * i / n;
        for (size_t k = 0; k < N_COLUMNS && !fits; k++)
            folds->table->columns[COLUMNS[k]].n = before[k];
    }
    return bytes_of(folds->table) <= folds->room_bytes;
}

/* Put n folds, or as many as there is room for. */
static void put_some(struct rv_indexed_folds *folds, size_t n)
{
    if (put_all(folds, n, false))
        return;
    for (size_t k = 0; k < N_COLUMNS; k++)
        folds->table->columns[COLUMNS[k]].n = 0;
    (void)put_all(folds, n, true);
}

static bool comes_before(const struct fold *fold, const struct rv_rec_index_fold *row)
{
    return fold->stream != row->stream ? fold->stream < row->stream : fold->from_ns < row->from_ns;
}

/* Put the folds that the other INDEX has, up to one of which there are no such blocks. */
static void put_chosen(struct rv_indexed_folds *folds)
{
    struct choice *choice = &folds->choice;
    size_t n, i = 0;
    const struct rv_rec_index_fold *rows = rv_rec_index_rows(choice->of, RV_REC_INDEX_FOLDS, &n);
    choice->part = rv_rec_index_rows(choice->of, RV_REC_INDEX_PARTS, &choice->n_parts);
    choice->sum = rv_rec_index_rows(choice->of, RV_REC_INDEX_SUMS, &choice->n_sums);
    for (size_t k = 0; k < n; k++) {
        while (i < folds->n_folds && comes_before(&folds->folds[i], &rows[k]))
            i++;
        if (i == folds->n_folds || folds->folds[i].stream != rows[k].stream ||
            folds->folds[i].from_ns != rows[k].from_ns)
            return;
        choice->n_fold_parts = rows[k].n_parts;
        choice->to_ns = rows[k].from_ns;
        choice->end_ns = rows[k].to_ns;
        choose_next(choice);
        i += put_fold(folds, &folds->folds[i], folds->n_folds - i);
    }
}

/* Is the block left for the next table? Of a choice: another one may have come later. */
static bool is_held(const struct rv_indexed_folds *folds, size_t i, uint64_t from_ns)
{
    const struct fold *fold = &folds->folds[i];
    const bool is_last = i + 1 == folds->n_folds || fold[1].stream != fold->stream;
    if (folds->choice.of)
        return !fold->is_put && (fold->to_ns > from_ns || fold->first_part >= folds->n_old_parts);
    return is_last && fold->to_ns > from_ns;
}

/* Move blocks that are left behind the others. Returns how many of those there are. */
static size_t hold(struct rv_indexed_folds *folds, uint64_t from_ns)
{
    size_t n_put = 0, n_held = 0;
    struct fold *held = rv_alloc_scratch(folds->n_folds + 1, sizeof *held);
    for (size_t i = 0; i < folds->n_folds; i++) {
        const struct fold fold = folds->folds[i];
        if (is_held(folds, i, from_ns))
            held[n_held++] = fold;
        else
            folds->folds[n_put++] = fold;
    }
    if (n_held)
        memcpy(folds->folds + n_put, held, n_held * sizeof *held);
    free(held);
    return n_put;
}

static int by_stream_and_time(const void *a, const void *b)
{
    const struct fold *x = a, *y = b;
    if (x->stream != y->stream)
        return x->stream < y->stream ? -1 : 1;
    return (x->first_part > y->first_part) - (x->first_part < y->first_part);
}

static void reserve_sums(struct rv_indexed_folds *folds)
{
    if (folds->n_joined > folds->n_ids)
        return;
    folds->n_joined = folds->n_ids + 1;
    free(folds->joined);
    free(folds->listed);
    folds->joined = rv_alloc(folds->n_joined, sizeof *folds->joined);
    folds->listed = rv_alloc(folds->n_joined, sizeof *folds->listed);
}

static int by_place(const void *a, const void *b)
{
    const struct fold *x = a, *y = b;
    return (x->first_part > y->first_part) - (x->first_part < y->first_part);
}

/* Move a part's rows down, to the end of those that are kept. */
static void move_part(struct rv_indexed_folds *folds, struct part *part)
{
    if (part->n_sums)
        memmove(folds->sums + folds->n_sums, folds->sums + part->first_sum, part->n_sums * sizeof *folds->sums);
    if (part->n_calls)
        memmove(folds->calls + folds->n_calls, folds->calls + part->first_call, part->n_calls * sizeof *folds->calls);
    part->first_sum = folds->n_sums;
    part->first_call = folds->n_calls;
    folds->n_sums += part->n_sums;
    folds->n_calls += part->n_calls;
}

/* Of what there was, keep the folds from the n-th on, and when threads were woken in their time or later. */
static void keep_held(struct rv_indexed_folds *folds, size_t n)
{
    uint64_t from_ns = UINT64_MAX;
    folds->n_folds -= n;
    if (folds->n_folds)
        memmove(folds->folds, folds->folds + n, folds->n_folds * sizeof *folds->folds);
    folds->n_parts = folds->n_sums = folds->n_calls = 0;
    if (folds->n_folds)
        qsort(folds->folds, folds->n_folds, sizeof *folds->folds, by_place);
    for (size_t i = 0; i < folds->n_folds; i++) {
        struct fold *fold = &folds->folds[i];
        memmove(folds->parts + folds->n_parts, folds->parts + fold->first_part, fold->n_parts * sizeof *folds->parts);
        fold->first_part = folds->n_parts;
        for (size_t k = 0; k < fold->n_parts; k++)
            move_part(folds, &folds->parts[folds->n_parts++]);
        from_ns = fold->from_ns < from_ns ? fold->from_ns : from_ns;
    }
    folds->n_old_parts = folds->n_parts;
    const size_t n_old = rv_bisect_below(folds->woke_ns, folds->n_woke, sizeof *folds->woke_ns, 0, from_ns);
    folds->n_woke -= n_old;
    if (folds->n_woke)
        memmove(folds->woke_ns, folds->woke_ns + n_old, folds->n_woke * sizeof *folds->woke_ns);
}

static uint64_t find_last(const struct rv_indexed_folds *folds)
{
    uint64_t last_ns = 0;
    for (size_t i = 0; i < folds->n_folds; i++)
        last_ns = folds->folds[i].to_ns > last_ns ? folds->folds[i].to_ns : last_ns;
    return last_ns;
}

void rv_indexed_folds_choose(struct rv_indexed_folds *folds, const struct rv_rec_index_table *other)
{
    folds->choice = (struct choice){.of = other};
}

/* Put all but those that are left, as far as there is room. Returns how many need not be kept. */
static size_t put_own(struct rv_indexed_folds *folds, uint64_t held_ns)
{
    const size_t n = hold(folds, held_ns);
    put_some(folds, n);
    folds->room_bytes -= bytes_of(folds->table);
    return n;
}

void rv_indexed_folds_put(struct rv_indexed_folds *folds, struct rv_rec_index_table *table)
{
    const uint64_t last_ns = find_last(folds), held_ns = last_ns > HELD_NS ? last_ns - HELD_NS : 0;
    folds->room_bytes += folds->n_bytes / BYTES_PER_BYTE;
    folds->leaves_wakeless = BYTES_A_SUM * (uint64_t)folds->n_sums > folds->n_bytes / USUAL_BYTES + BYTES_OF_ANY;
    folds->table = table;
    reserve_sums(folds);
    folds->n_woke = folds->choice.of ? 0 : folds->n_woke; /* who chose may not have known earlier ones */
    list_wakes(folds);
    if (folds->n_folds)
        qsort(folds->folds, folds->n_folds, sizeof *folds->folds, by_stream_and_time);
    if (folds->choice.of)
        put_chosen(folds);
    keep_held(folds, folds->choice.of ? hold(folds, held_ns) : put_own(folds, held_ns));
    folds->n_bytes = 0;
    folds->choice.of = NULL;
}

/* ---- public ---- */

struct rv_indexed_folds *rv_indexed_folds_create(void)
{
    struct rv_indexed_folds *folds = rv_alloc(1, sizeof *folds);
    folds->folding = rv_event_folding_create(NULL, 0);
    folds->n_ids = FIRST_IDS;
    folds->room_bytes = BYTES_OF_ANY;
    rv_event_folding_grow(folds->folding, folds->n_ids);
    return folds;
}

void rv_indexed_folds_destroy(struct rv_indexed_folds *folds)
{
    if (!folds)
        return;
    rv_event_folding_destroy(folds->folding);
    free(folds->folds);
    free(folds->parts);
    free(folds->sums);
    free(folds->calls);
    free(folds->times_ns);
    free(folds->are_releases);
    free(folds->woke_ns);
    free(folds->joined);
    free(folds->listed);
    free(folds);
}
