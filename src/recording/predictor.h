/*
 * Shared by encoder and decoder: one thread's working memory, and the predictor that both run over the events. The
 * loops have no branch on CALL or RETURN, which would be mispredicted; exceptions are listed by position and handled
 * outside the loop.
 */
#ifndef RV_RECORDING_PREDICTOR_H
#define RV_RECORDING_PREDICTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "recording/codec.h"

/* In the last four bytes of an event, above aux. */
#define RV_END_FRAME_SHIFT (RV_EVENT_FRAME_SHIFT - 32)
_Static_assert(offsetof(struct rv_event, aux) == 12 && offsetof(struct rv_event, frame) == 14, "the end of an event");

enum {
    RV_PREDICTOR_LEVELS = 65536,
    RV_KINDS_GROUP = 64 /* events in a word of kinds */,
    RV_TIME_IS_WIDE = 0xffff,
    RV_IDS_OVERRUN = 16
};

struct rv_rows;
struct rv_cursor;

/* Process a word of events with SIMD. put: false, with nothing done, if an event is not ordinary. take: for ordinary
 * events; false if a time is wide, with everything done except the times. */
typedef bool rv_put_word_fn(const struct rv_codec *codec, struct rv_rows *rows, const struct rv_event *events,
                            uint32_t begin);
typedef bool rv_take_word_fn(struct rv_cursor *cursor, uint32_t begin, struct rv_event *out);

/* Defined when RV_CODEC_X86 is. */
rv_put_word_fn rv_put_word_avx2, rv_put_word_avx512;
rv_take_word_fn rv_take_word_avx2;

struct rv_codec {
    rv_put_word_fn *put_word; /* NULL: not on this processor */
    rv_take_word_fn *take_word;
    struct rv_compressor *compressor;
    uint32_t *names; /* by level, all zero between blocks; followed by the ids of a word's CALLs */
    uint64_t *kinds;
    uint8_t *low, *high;
    uint8_t (*contexts)[RV_REC_MAX_EVENTS + RV_KINDS_GROUP]; /* low bytes; words are stored past the end */
    uint32_t *ids;
    uint64_t *wide;
    uint16_t *lines;
    struct rv_rec_odd_tag *odd_tags;
    struct rv_rec_odd_id *odd_ids;
    struct rv_rec_special *specials;
    uint8_t *narrow; /* ids in fewer bytes */
};

/* The predicted next event. */
struct rv_predictor {
    uint16_t level;
    uint32_t return_mask; /* 0 with bare returns */
    uint32_t *names;
    uint32_t levels; /* bitwise or of all levels that have names */
};

/* The times of a block by context. */
struct rv_times {
    uint8_t *at[RV_REC_N_CONTEXTS]; /* next position of each context */
    uint32_t recent;                /* kinds of previous events, the last one in bit 0 */
    uint32_t id_before;
};

struct rv_rows { /* number of items in each column */
    uint32_t n_ids, n_wide, n_odd_tags, n_odd_ids, n_specials;
    uint32_t call_lines, return_lines, all_ids; /* bitwise or of all */
    struct rv_predictor guess;
    struct rv_times times;
    uint64_t last; /* time */
};

struct rv_columns { /* raw, in the codec's memory; n in items */
    uint32_t n[RV_REC_COLUMN_END];
};

struct rv_cursor { /* items consumed so far */
    const struct rv_codec *codec;
    const struct rv_columns *columns;
    struct rv_predictor guess;
    bool has_contexts;
    struct rv_times times;
    uint64_t last;     /* time */
    uint32_t next_odd; /* position of the next event in an exception list */
    uint32_t n_wide, n_ids, n_odd_tags, n_odd_ids, n_specials;
};

/* No times yet. */
static inline struct rv_times rv_times_begin(const struct rv_codec *codec)
{
    struct rv_times times = {.recent = 0};
    for (unsigned i = 0; i < RV_REC_N_CONTEXTS; i++)
        times.at[i] = codec->contexts[i];
    return times;
}

/* Number of times in a context so far. */
static inline uint32_t rv_times_count(const struct rv_codec *codec, const struct rv_times *times, unsigned context)
{
    return (uint32_t)(times->at[context] - codec->contexts[context]);
}

/* Address of the low byte of the next event's time. */
static inline uint8_t *rv_times_next(struct rv_times *times, uint32_t is_return, uint32_t id)
{
    times->recent = times->recent << 1 | is_return;
    uint32_t context = (times->recent & 3) | (times->id_before & 3) << 2;
    times->id_before = id;
    return times->at[context]++;
}

/* Clear all names. */
static inline void rv_predictor_forget(const struct rv_predictor *guess)
{
    size_t n_levels = (size_t)2 << (31 - __builtin_clz(guess->levels | 1));
    memset(guess->names, 0, n_levels * sizeof *guess->names);
}

/* Prefetch two words ahead, which hardware does not do across pages. */
static inline void rv_fetch_ahead(const struct rv_event *events)
{
    for (uint32_t i = 0; i < RV_KINDS_GROUP; i += 64 / sizeof *events)
        __builtin_prefetch(&events[2 * RV_KINDS_GROUP + i]);
}

/* Add the exceptions of the word at `begin`, given as masks: unexpected tags, and names of RETURNs. */
static inline void rv_rows_add_odd_tags(const struct rv_codec *codec, struct rv_rows *rows,
                                        const struct rv_event *events, uint32_t begin, uint64_t odd)
{
    for (; odd; odd &= odd - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(odd);
        codec->odd_tags[rows->n_odd_tags++] = (struct rv_rec_odd_tag){(uint16_t)(begin + i), events[i].frame};
    }
}

static inline void rv_rows_add_odd_ids(const struct rv_codec *codec, struct rv_rows *rows,
                                       const struct rv_event *events, uint32_t begin, uint64_t odd)
{
    for (; odd; odd &= odd - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(odd), id = events[i].id;
        codec->odd_ids[rows->n_odd_ids++] =
            (struct rv_rec_odd_id){(uint16_t)(begin + i), (uint16_t)id, (uint16_t)(id >> 16)};
    }
}

#endif
