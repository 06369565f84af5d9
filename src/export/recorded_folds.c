#include "export/recorded_folds.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "export/folded_parts.h"
#include "stream/block_summary.h"

struct of_lane {
    struct rv_folded_time *pieces;
    size_t n, capacity;
};

struct counted { /* as a subroutine */
    uint64_t in; /* number of the last fold that had such a one, */
    uint32_t id; /* and which it was */
};

struct rv_recorded_folds {
    struct rv_recorded_folds_params params;
    struct of_lane *lanes; /* by idx */
    size_t n_lanes;
    struct counted *counted; /* by subroutine; the last one is time outside of calls */
    uint64_t n_folds;
    uint64_t n_bytes; /* of all pieces */
    struct rv_folded_parts *parts;
    /* of the present fold */
    struct rv_folded_sum *sums;
    uint32_t *open;
    size_t sums_capacity, open_capacity;
    bool has_namesakes;
};

/* What a subroutine is counted as; in a fold no other may be counted so. */
static uint32_t count_as(struct rv_recorded_folds *folds, uint32_t id)
{
    const struct rv_recorded_folds_params *params = &folds->params;
    const uint32_t as = id < params->n_ids ? params->as_id[id] : params->n_ids;
    struct counted *counted = &folds->counted[as];
    folds->has_namesakes |= counted->in == folds->n_folds && counted->id != id;
    *counted = (struct counted){folds->n_folds, id};
    return as == params->n_ids ? RV_FOLDED_OUTSIDE : as;
}

static void tell_sums(struct rv_recorded_folds *folds, const struct rv_rec_index_sum *sums, size_t n,
                      const struct rv_event_folding_taker *taker)
{
    uint64_t n_ns = 0;
    folds->sums = rv_vec_reserve(folds->sums, &folds->sums_capacity, n, sizeof *folds->sums);
    for (size_t i = 0; i < n; i++) {
        const struct rv_rec_index_sum *sum = &sums[i];
        const uint32_t as = count_as(folds, sum->id);
        folds->sums[i] = (struct rv_folded_sum){as, sum->own_ns, sum->n, sum->own_ns + sum->callees_ns};
        n_ns += sum->own_ns;
    }
    if (n_ns)
        taker->take_sums(taker->context, n_ns, folds->sums, n);
}

/* Of the calls that were open in the stretch before, the lowest are those of this one, too. */
static void tell_stretch(struct rv_recorded_folds *folds, const struct rv_rec_index_part *part,
                         const struct rv_rec_index_call *calls, const struct rv_event_folding_taker *taker)
{
    const size_t n = (size_t)part->n_kept + part->n_calls;
    folds->open = rv_vec_reserve(folds->open, &folds->open_capacity, n, sizeof *folds->open);
    for (uint32_t i = 0; i < part->n_calls; i++)
        folds->open[part->n_kept + i] = count_as(folds, calls[i].id);
    if (part->stretch_ns)
        taker->take_stretch(taker->context, part->stretch_ns, folds->open, n);
}

static void tell(struct rv_recorded_folds *folds, const struct rv_fold_summary *fold,
                 const struct rv_event_folding_taker *taker)
{
    const struct rv_rec_index_sum *sum = fold->sums;
    const struct rv_rec_index_call *call = fold->calls;
    folds->n_folds++;
    folds->has_namesakes = false;
    for (uint32_t i = 0; i < fold->row->n_parts; i++) {
        const struct rv_rec_index_part *part = &fold->parts[i];
        tell_sums(folds, sum, part->n_sums, taker);
        tell_stretch(folds, part, call, taker);
        sum += part->n_sums;
        call += part->n_calls;
    }
}

static void add_piece(struct of_lane *of_lane, const struct rv_folded_time *piece)
{
    of_lane->pieces = rv_vec_reserve(of_lane->pieces, &of_lane->capacity, of_lane->n + 1, sizeof *of_lane->pieces);
    uint8_t *bytes = rv_alloc_scratch(piece->n_bytes, 1);
    memcpy(bytes, piece->bytes, piece->n_bytes);
    of_lane->pieces[of_lane->n++] = (struct rv_folded_time){piece->from_ns, piece->to_ns, bytes, piece->n_bytes};
}

static void take(void *context, const struct rv_lane *lane, const struct rv_fold_summary *fold)
{
    struct rv_recorded_folds *folds = context;
    struct rv_folded_time piece = {.from_ns = fold->row->from_ns, .to_ns = fold->row->to_ns};
    const struct rv_event_folding_taker taker = rv_folded_parts_begin(folds->parts);
    tell(folds, fold, &taker);
    piece.bytes = rv_folded_parts_end(folds->parts, &piece.n_bytes);
    const uint64_t n_bytes = folds->n_bytes + sizeof piece + piece.n_bytes;
    if (folds->has_namesakes || n_bytes > folds->params.most_bytes ||
        !rv_folded_time_is_valid(&piece, folds->params.n_ids))
        return;
    folds->n_bytes = n_bytes;
    folds->lanes = rv_vec_extend(folds->lanes, &folds->n_lanes, (size_t)lane->idx + 1, sizeof *folds->lanes);
    add_piece(&folds->lanes[lane->idx], &piece);
}

/* ---- public ---- */

const struct rv_folded_time *rv_recorded_folds_of(const struct rv_recorded_folds *folds, const struct rv_lane *lane,
                                                  size_t *n)
{
    const struct of_lane *of_lane = lane->idx < folds->n_lanes ? &folds->lanes[lane->idx] : NULL;
    *n = of_lane ? of_lane->n : 0;
    return of_lane ? of_lane->pieces : NULL;
}

struct rv_recorded_folds *rv_recorded_folds_create(const struct rv_recorded_folds_params *params)
{
    struct rv_recorded_folds *folds = rv_alloc(1, sizeof *folds);
    folds->params = *params;
    folds->counted = rv_alloc((size_t)params->n_ids + 1, sizeof *folds->counted);
    folds->parts = rv_folded_parts_create(params->n_ids);
    if (params->calls->read_folds)
        params->calls->read_folds(params->calls->context,
                                  &(struct rv_lane_folds_wanted){params->from_ns, params->to_ns, take, folds});
    return folds;
}

void rv_recorded_folds_destroy(struct rv_recorded_folds *folds)
{
    if (!folds)
        return;
    for (size_t i = 0; i < folds->n_lanes; i++) {
        for (size_t k = 0; k < folds->lanes[i].n; k++)
            free((void *)(uintptr_t)folds->lanes[i].pieces[k].bytes);
        free(folds->lanes[i].pieces);
    }
    free(folds->lanes);
    free(folds->counted);
    rv_folded_parts_destroy(folds->parts);
    free(folds->sums);
    free(folds->open);
    free(folds);
}
