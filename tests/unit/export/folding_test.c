/* Random calls, folded in pieces: folding them as a tree gives what walking each call gives. */
#include "export/folding.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "export/folded_pieces.h"

enum { END_NS = 600, MOST_CALLS = 400, MOST_DEPTH = 9, N_IDS = 7, MOST_TIMES = 6, MOST_ENTRIES = 4096 };

static const uint32_t AS_ID[N_IDS] = {0, 1, 2, 3, 1, 0, 6};

static struct rv_span spans[MOST_CALLS], odd[MOST_CALLS];
static size_t n_spans;

/* Some last no time, and some begin before the piece. */
static void make_calls(uint64_t from_ns)
{
    struct rv_span open[MOST_DEPTH];
    uint32_t n_open = 0, n_begun = 0;
    n_spans = 0;
    for (uint64_t now_ns = 0; now_ns < END_NS; now_ns++)
        for (int n = rand() % 4; n > 0; n--)
            if (n_open < MOST_DEPTH && n_begun < MOST_CALLS && rand() % 2) {
                open[n_open] = (struct rv_span){.start = now_ns, .id = (uint32_t)rand() % (N_IDS + 1), .depth = n_open};
                n_open++;
                n_begun++;
            } else if (n_open && now_ns >= from_ns) {
                spans[n_spans] = open[--n_open];
                spans[n_spans++].end = now_ns;
            }
    while (n_open) {
        spans[n_spans] = open[--n_open];
        spans[n_spans++].end = END_NS;
    }
}

/* Break the tree as a lost event does. */
static void damage(void)
{
    struct rv_span *span = &spans[(size_t)rand() % n_spans];
    switch (rand() % 4) {
    case 0:
        span->flags |= RV_SPAN_ORPHAN;
        break;
    case 1:
        span->start = (uint64_t)rand() % (span->end + 1);
        break;
    case 2:
        span->depth = (uint32_t)rand() % MOST_DEPTH;
        break;
    default:
        break;
    }
}

struct entries {
    struct rv_folded_entry all[MOST_ENTRIES];
    struct rv_folded_row rows[MOST_ENTRIES][N_IDS + 1]; /* by subroutine */
    size_t n;
    uint64_t behind_ns;
};

static void read_entries(const struct rv_folded_time *folded, struct entries *entries)
{
    struct rv_folded_reader reader;
    memset(entries, 0, sizeof *entries);
    rv_folded_reader_init(&reader, folded);
    entries->behind_ns = folded->to_ns - reader.at_ns;
    for (struct rv_folded_entry entry; rv_folded_reader_next(&reader, &entry); entries->n++) {
        cr_assert_lt(entries->n, MOST_ENTRIES);
        for (uint32_t i = 0; i < entry.n_rows; i++) {
            const struct rv_folded_row row = rv_folded_reader_row(&reader);
            entries->rows[entries->n][row.id] = row;
        }
        entry.n_rows = 0;
        entries->all[entries->n] = entry;
    }
}

static void fold(struct rv_folding *folding, const struct rv_span *calls, uint64_t from_ns, const uint64_t *times_ns,
                 size_t n_times, struct entries *entries)
{
    const struct rv_span_piece piece = {.from_ns = from_ns, .to_ns = END_NS, .spans = calls, .n = n_spans};
    struct rv_folded_time folded = {.from_ns = from_ns, .to_ns = END_NS};
    folded.bytes = rv_folding_fold(folding, &piece, times_ns, n_times, &folded.n_bytes);
    cr_assert(rv_folded_time_is_valid(&folded, N_IDS));
    read_entries(&folded, entries);
}

static void check(unsigned seed, const struct entries *a, const struct entries *b)
{
    cr_assert(a->n == b->n && a->behind_ns == b->behind_ns, "seed %u: %zu entries, not %zu", seed, a->n, b->n);
    for (size_t i = 0; i < a->n; i++) {
        const struct rv_folded_entry *x = &a->all[i], *y = &b->all[i];
        cr_assert(x->kind == y->kind && x->id == y->id && x->from_ns == y->from_ns && x->to_ns == y->to_ns,
                  "seed %u: entry %zu", seed, i);
        for (uint32_t id = 0; id <= N_IDS; id++) {
            const struct rv_folded_row *r = &a->rows[i][id], *s = &b->rows[i][id];
            cr_assert(
                r->own_ns == s->own_ns && r->n == s->n && r->total_ns == s->total_ns,
                "seed %u: entry %zu, subroutine %u: %lu own, not %lu; %lu stretches, not %lu; %lu in all, not %lu",
                seed, i, id, (unsigned long)r->own_ns, (unsigned long)s->own_ns, (unsigned long)r->n,
                (unsigned long)s->n, (unsigned long)r->total_ns, (unsigned long)s->total_ns);
        }
    }
}

static int by_ns(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* With levels left out between callers and callees, calls are walked one by one. */
Test(folding, trees_are_folded_as_any_calls, .timeout = 60)
{
    static struct entries tree, any;
    struct rv_folding *folding = rv_folding_create(AS_ID, N_IDS), *other = rv_folding_create(AS_ID, N_IDS);
    size_t n_entries = 0;
    for (unsigned seed = 1; seed <= 2000; seed++) {
        uint64_t times_ns[MOST_TIMES];
        srand(seed);
        const uint64_t from_ns = seed % 4 ? 0 : (uint64_t)rand() % END_NS;
        const size_t n_times = (size_t)rand() % (MOST_TIMES + 1);
        make_calls(from_ns);
        if (seed % 3 == 0 && n_spans)
            damage();
        for (size_t i = 0; i < n_times; i++)
            times_ns[i] = from_ns + (uint64_t)rand() % (END_NS + 1 - from_ns);
        qsort(times_ns, n_times, sizeof *times_ns, by_ns);
        memcpy(odd, spans, n_spans * sizeof *odd);
        for (size_t i = 0; i < n_spans; i++)
            odd[i].depth = 2 * odd[i].depth + 3;
        fold(folding, spans, from_ns, times_ns, n_times, &tree);
        fold(other, odd, from_ns, times_ns, n_times, &any);
        check(seed, &tree, &any);
        n_entries += tree.n;
    }
    cr_expect_gt(n_entries, 10000);
    rv_folding_destroy(folding);
    rv_folding_destroy(other);
}
