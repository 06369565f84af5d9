/* In pieces, on several threads, where those show all calls: not in a range, behind whose end calls may end. */
#include "export/longest_call.h"

#include <pthread.h>

struct search {
    struct rv_longest_call *longest;
    bool is_in_pieces;
    pthread_mutex_t lock; /* of what was found */
};

static bool is_longer(const struct rv_span *a, const struct rv_span *b)
{
    const uint64_t a_ns = a->end - a->start, b_ns = b->end - b->start;
    if (a_ns != b_ns)
        return a_ns > b_ns;
    return a->end != b->end ? a->end < b->end : a->depth > b->depth;
}

/* Does the call end there, and not only the piece? */
static bool has_ended(const struct search *search, const struct rv_span *span)
{
    return !search->is_in_pieces || !(span->flags & RV_SPAN_OPEN) || span->end >= search->longest->lane->last_ns;
}

static void take(void *context, const struct rv_span *spans, size_t n)
{
    struct search *search = context;
    struct rv_longest_call *longest = search->longest;
    const struct rv_span *found = NULL;
    for (size_t i = 0; i < n; i++)
        if ((!found || is_longer(&spans[i], found)) && !(spans[i].flags & RV_SPAN_ORPHAN) &&
            has_ended(search, &spans[i]) && rv_slice_has_span(longest->part, longest->lane, &spans[i]))
            found = &spans[i];
    if (!found)
        return;
    pthread_mutex_lock(&search->lock);
    if (!longest->is_found || is_longer(found, &longest->span))
        longest->span = *found;
    longest->is_found = true;
    pthread_mutex_unlock(&search->lock);
}

static void take_piece(void *context, const struct rv_span_piece *piece)
{
    take(context, piece->spans, piece->n);
}

static void tell(void *context, double done)
{
    const struct rv_longest_call *longest = ((struct search *)context)->longest;
    if (longest->tell)
        longest->tell(longest->teller, done);
}

static bool read_pieces(struct search *search, uint64_t to_ns)
{
    const struct rv_longest_call *longest = search->longest;
    return longest->calls->read_pieces && to_ns >= longest->lane->last_ns &&
           longest->calls->read_pieces(longest->calls->context,
                                       &(struct rv_lane_pieces_wanted){.lane = longest->lane,
                                                                       .from_ns = longest->part->from_ns,
                                                                       .to_ns = to_ns,
                                                                       .take = take_piece,
                                                                       .tell = tell,
                                                                       .context = search});
}

int rv_longest_call_find(struct rv_longest_call *longest)
{
    struct search search = {.longest = longest, .is_in_pieces = true};
    const uint64_t to_ns = longest->part->to_ns ? longest->part->to_ns : UINT64_MAX;
    int error = 0;
    longest->is_found = false;
    pthread_mutex_init(&search.lock, NULL);
    if (!read_pieces(&search, to_ns)) {
        longest->is_found = search.is_in_pieces = false;
        error = longest->calls->read(longest->calls->context,
                                     &(struct rv_lane_calls_wanted){.lane = longest->lane,
                                                                    .from_ns = longest->part->from_ns,
                                                                    .to_ns = to_ns,
                                                                    .take = take,
                                                                    .context = &search});
    }
    pthread_mutex_destroy(&search.lock);
    return error;
}
