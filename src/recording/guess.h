/*
 * What both directions of the codec share: one thread's working memory, and the predictor that they run over the events
 * once. The loops have no branch on CALL or RETURN, which a processor cannot foresee; what is rare is told by its
 * position and leaves the loop.
 */
#ifndef RV_RECORDING_GUESS_H
#define RV_RECORDING_GUESS_H

#include <string.h>

#include "recording/codec.h"

enum { RV_GUESS_LEVELS = 65536, RV_KINDS_GROUP = 64 /* events in a word of kinds */, RV_TIME_IS_WIDE = 0xffff };

struct rv_codec {
    struct rv_compressor *compressor;
    uint32_t *names; /* by level; all zero between blocks */
    uint64_t *kinds;
    uint8_t *low, *high;
    uint32_t *ids;
    uint64_t *wide;
    uint16_t *lines;
    struct rv_rec_odd_tag *odd_tags;
    struct rv_rec_odd_id *odd_ids;
    struct rv_rec_special *specials;
    uint8_t *narrow; /* ids in fewer bytes */
};

/* What the next event looks like if nothing odd happens. */
struct rv_guess {
    uint16_t level;
    uint32_t return_mask; /* 0 with bare returns */
    uint32_t *names;
};

/* Leave no name behind, after a block of these events. */
static inline void rv_guess_forget(const struct rv_guess *guess, const struct rv_event *events, uint32_t n)
{
    if (n > RV_GUESS_LEVELS / 16)
        memset(guess->names, 0, RV_GUESS_LEVELS * sizeof *guess->names);
    else
        for (uint32_t i = 0; i < n; i++)
            guess->names[events[i].frame] = 0;
}

#endif
