/* Columns to events. Everything is checked first; the loops then follow what was found sound. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "recording/guess.h"

enum { PORTION = 8 * RV_KINDS_GROUP /* events: what one loop leaves is at hand in the next */ };

struct columns { /* raw, in the codec's memory; n in items */
    uint32_t n[RV_REC_COLUMN_END];
};

struct place { /* where a column goes: so many items of so many bytes, at the most */
    void *raw;
    size_t item_bytes;
    uint32_t n_most;
};

static size_t id_bytes(const struct rv_rec_chunk *chunk)
{
    return chunk->flags & RV_REC_IDS_8 ? 1 : chunk->flags & RV_REC_IDS_16 ? 2 : 4;
}

static struct place place_of(const struct rv_codec *codec, const struct rv_rec_chunk *chunk, enum rv_rec_column_id id)
{
    uint32_t n = chunk->n_events;
    switch (id) {
    case RV_REC_KINDS:
        return (struct place){codec->kinds, 1, (n + 7) / 8};
    case RV_REC_TIMES_LOW:
        return (struct place){codec->low, 1, n};
    case RV_REC_TIMES_HIGH:
        return (struct place){codec->high, 1, n};
    case RV_REC_TIMES_WIDE:
        return (struct place){codec->wide, sizeof *codec->wide, n};
    case RV_REC_IDS:
        return (struct place){codec->narrow, id_bytes(chunk), n};
    case RV_REC_ODD_TAGS:
        return (struct place){codec->odd_tags, sizeof *codec->odd_tags, n};
    case RV_REC_ODD_IDS:
        return (struct place){codec->odd_ids, sizeof *codec->odd_ids, n};
    case RV_REC_SPECIALS:
        return (struct place){codec->specials, sizeof *codec->specials, n};
    case RV_REC_CALL_LINES:
    case RV_REC_RETURN_LINES:
        return (struct place){codec->lines, sizeof *codec->lines, n};
    case RV_REC_COLUMN_END:
        break;
    }
    rv_unreachable();
}

/* Planes that the payload has left out are zeros. */
static void clear_planes(struct rv_codec *codec, const struct columns *columns, uint32_t n)
{
    if (!columns->n[RV_REC_KINDS])
        memset(codec->kinds, 0, (n + RV_KINDS_GROUP - 1) / RV_KINDS_GROUP * sizeof *codec->kinds);
    if (!columns->n[RV_REC_TIMES_LOW])
        memset(codec->low, 0, n);
    if (!columns->n[RV_REC_TIMES_HIGH])
        memset(codec->high, 0, n);
}

static int unpack(struct rv_codec *codec, const struct rv_column *column, const struct place *place, uint32_t *n)
{
    uint32_t n_bytes = column->header.raw_bytes;
    if (n_bytes == 0 || n_bytes % place->item_bytes || n_bytes / place->item_bytes > place->n_most)
        return -EBADMSG;
    *n = (uint32_t)(n_bytes / place->item_bytes);
    return rv_column_unpack(codec->compressor, column, place->raw);
}

static bool is_lines(unsigned id)
{
    return id == RV_REC_CALL_LINES || id == RV_REC_RETURN_LINES;
}

/* Everything but the lines, which come last and share their place. */
static int unpack_all(struct rv_codec *codec, const struct rv_rec_chunk *chunk, const uint8_t *at, const uint8_t *end,
                      struct columns *columns)
{
    struct rv_rec_events head;
    memcpy(&head, at, sizeof head);
    at += sizeof head;
    unsigned last_id = 0;
    codec->kinds[(chunk->n_events - 1) / RV_KINDS_GROUP] = 0; /* also the bits after the last event */
    for (unsigned i = 0; i < head.n_columns; i++) {
        struct rv_column column;
        if (rv_column_read(&at, end, &column) != 0 || column.header.id <= last_id)
            return -EBADMSG;
        unsigned id = last_id = column.header.id;
        if (id >= RV_REC_COLUMN_END || is_lines(id))
            continue;
        struct place place = place_of(codec, chunk, (enum rv_rec_column_id)id);
        if (unpack(codec, &column, &place, &columns->n[id]) != 0)
            return -EBADMSG;
    }
    return 0;
}

static bool has_rising_positions(const struct rv_codec *codec, const struct columns *columns, uint32_t n)
{
    int64_t last = -1;
    for (uint32_t i = 0; i < columns->n[RV_REC_ODD_TAGS]; last = codec->odd_tags[i++].position)
        if (codec->odd_tags[i].position <= last)
            return false;
    if (last >= n)
        return false;
    last = -1;
    for (uint32_t i = 0; i < columns->n[RV_REC_ODD_IDS]; last = codec->odd_ids[i++].position)
        if (codec->odd_ids[i].position <= last)
            return false;
    if (last >= n)
        return false;
    last = -1;
    for (uint32_t i = 0; i < columns->n[RV_REC_SPECIALS]; last = codec->specials[i++].position)
        if (codec->specials[i].position <= last)
            return false;
    return last < n;
}

static inline bool is_return_at(const struct rv_codec *codec, uint32_t position)
{
    return codec->kinds[position / RV_KINDS_GROUP] >> position % RV_KINDS_GROUP & 1;
}

static uint32_t count_returns(const struct rv_codec *codec, uint32_t n)
{
    uint32_t n_returns = 0;
    for (uint32_t i = 0; i < (n + RV_KINDS_GROUP - 1) / RV_KINDS_GROUP; i++)
        n_returns += (uint32_t)__builtin_popcountll(codec->kinds[i]);
    return n_returns;
}

static uint32_t count_wide(const struct rv_codec *codec, uint32_t n)
{
    uint32_t n_wide = 0;
    for (uint32_t i = 0; i < n; i++)
        n_wide += (codec->low[i] & codec->high[i]) == UINT8_MAX;
    return n_wide;
}

/* Are kinds, times, specials and lengths of one mind? */
static bool is_sound(const struct rv_codec *codec, const struct columns *columns, uint32_t n)
{
    if (n % RV_KINDS_GROUP && codec->kinds[n / RV_KINDS_GROUP] >> n % RV_KINDS_GROUP)
        return false;
    static const enum rv_rec_column_id planes[] = {RV_REC_TIMES_LOW, RV_REC_TIMES_HIGH};
    for (size_t i = 0; i < sizeof planes / sizeof *planes; i++)
        if (columns->n[planes[i]] && columns->n[planes[i]] != n)
            return false;
    if (columns->n[RV_REC_KINDS] && columns->n[RV_REC_KINDS] != (n + 7) / 8)
        return false;
    if (columns->n[RV_REC_TIMES_WIDE] != count_wide(codec, n) || !has_rising_positions(codec, columns, n))
        return false;
    for (uint32_t i = 0; i < columns->n[RV_REC_SPECIALS]; i++) {
        const struct rv_rec_special *special = &codec->specials[i];
        unsigned kind = (unsigned)(special->when >> RV_EVENT_KIND_SHIFT);
        if (is_return_at(codec, special->position) || kind <= RV_EVENT_RETURN)
            return false;
    }
    for (uint32_t i = 0; i < columns->n[RV_REC_ODD_IDS]; i++)
        if (!is_return_at(codec, codec->odd_ids[i].position))
            return false;
    uint32_t n_calls = n - columns->n[RV_REC_SPECIALS] - count_returns(codec, n);
    return !columns->n[RV_REC_IDS] || columns->n[RV_REC_IDS] == n_calls;
}

/* The ids of the CALLs; zeros, if the payload has left them out. */
static void widen_ids(struct rv_codec *codec, const struct rv_rec_chunk *chunk, const struct columns *columns)
{
    uint32_t n = columns->n[RV_REC_IDS];
    const uint16_t *halves = (const uint16_t *)(const void *)codec->narrow;
    if (n == 0) {
        memset(codec->ids, 0, chunk->n_events * sizeof *codec->ids);
        return;
    }
    switch (id_bytes(chunk)) {
    case 1:
        for (uint32_t i = 0; i < n; i++)
            codec->ids[i] = codec->narrow[i];
        break;
    case 2:
        for (uint32_t i = 0; i < n; i++)
            codec->ids[i] = halves[i];
        break;
    default:
        memcpy(codec->ids, codec->narrow, n * sizeof *codec->ids);
    }
}

struct cursor {
    const struct rv_codec *codec;
    const struct columns *columns;
    struct rv_guess guess;
    uint64_t last;                                             /* time */
    uint32_t n_wide, n_ids, n_odd_tags, n_odd_ids, n_specials; /* used so far */
};

/*
 * Kinds and times of events [begin, end), from a word's first one. What the loop needs is copied out of memory that its
 * stores might be to; not inlined, because its caller has no registers left for it.
 */
__attribute__((noinline)) static void take_times(struct cursor *cursor, uint32_t begin, uint32_t end,
                                                 struct rv_event *out)
{
    const uint8_t *low = cursor->codec->low, *high = cursor->codec->high;
    const uint64_t *wide = cursor->codec->wide + cursor->n_wide, *all_kinds = cursor->codec->kinds;
    uint64_t last = cursor->last;
    for (uint32_t i = begin; i < end;) {
        uint64_t kinds = all_kinds[i / RV_KINDS_GROUP];
        uint32_t word_end = end - i < RV_KINDS_GROUP ? end : i + RV_KINDS_GROUP;
        for (; i < word_end; i++, kinds >>= 1) {
            uint64_t step = low[i] | (uint64_t)high[i] << 8;
            if (__builtin_expect(step == RV_TIME_IS_WIDE, 0))
                step = *wide++;
            last += step; /* wraps where the ticks do not: the bits above them are cut off */
            out[i].when = (kinds & 1) << RV_EVENT_KIND_SHIFT | (last & RV_EVENT_TICKS_MASK);
        }
    }
    cursor->last = last;
    cursor->n_wide = (uint32_t)(wide - cursor->codec->wide);
}

static inline void put_name(struct rv_guess *guess, struct rv_event *out, uint32_t is_return, uint16_t frame,
                            uint32_t id)
{
    guess->names[frame] = id;
    guess->level = (uint16_t)(frame + 1 - is_return);
    out->id = id;
    out->frame = frame;
    out->aux = 0;
}

static void take_special(struct cursor *cursor, struct rv_event *out)
{
    const struct rv_rec_special *special = &cursor->codec->specials[cursor->n_specials++];
    bool is_sync = special->when >> RV_EVENT_KIND_SHIFT == RV_EVENT_SYNC;
    uint64_t kind = special->when & ~RV_EVENT_TICKS_MASK;
    *out = (struct rv_event){is_sync ? special->when : kind | out->when, special->id, special->frame, special->aux};
    if (is_sync) {
        cursor->guess.names[special->frame] = special->id;
        cursor->guess.level = (uint16_t)(special->frame + 1);
    }
}

/* The event at i, of which one of the lists speaks. */
static void take_odd(struct cursor *cursor, uint32_t i, struct rv_event *out)
{
    const struct rv_codec *codec = cursor->codec;
    const uint32_t *n = cursor->columns->n;
    uint32_t is_return = is_return_at(codec, i);
    uint16_t frame = (uint16_t)(cursor->guess.level - is_return);
    if (cursor->n_odd_tags < n[RV_REC_ODD_TAGS] && codec->odd_tags[cursor->n_odd_tags].position == i)
        frame = codec->odd_tags[cursor->n_odd_tags++].frame;
    uint32_t id = cursor->guess.names[frame] & cursor->guess.return_mask;
    if (cursor->n_odd_ids < n[RV_REC_ODD_IDS] && codec->odd_ids[cursor->n_odd_ids].position == i) {
        const struct rv_rec_odd_id *odd = &codec->odd_ids[cursor->n_odd_ids++];
        id = odd->id_low | (uint32_t)odd->id_high << 16;
    }
    if (cursor->n_specials < n[RV_REC_SPECIALS] && codec->specials[cursor->n_specials].position == i) {
        take_special(cursor, out);
        return;
    }
    if (!is_return)
        id = codec->ids[cursor->n_ids++];
    put_name(&cursor->guess, out, is_return, frame, id);
}

/* The next of which a list speaks, or end. */
static uint32_t next_odd(const struct cursor *cursor, uint32_t end)
{
    const struct rv_codec *codec = cursor->codec;
    const uint32_t *n = cursor->columns->n;
    uint32_t next = end;
    if (cursor->n_odd_tags < n[RV_REC_ODD_TAGS] && codec->odd_tags[cursor->n_odd_tags].position < next)
        next = codec->odd_tags[cursor->n_odd_tags].position;
    if (cursor->n_odd_ids < n[RV_REC_ODD_IDS] && codec->odd_ids[cursor->n_odd_ids].position < next)
        next = codec->odd_ids[cursor->n_odd_ids].position;
    if (cursor->n_specials < n[RV_REC_SPECIALS] && codec->specials[cursor->n_specials].position < next)
        next = codec->specials[cursor->n_specials].position;
    return next;
}

/* The ordinary events [i, end), likewise. */
__attribute__((noinline)) static void take_plain(struct cursor *cursor, uint32_t i, uint32_t end, struct rv_event *out)
{
    const uint32_t *ids = cursor->codec->ids + cursor->n_ids;
    const uint32_t mask = cursor->guess.return_mask;
    uint32_t *names = cursor->guess.names, level = cursor->guess.level;
    for (; i < end; i++) {
        uint32_t is_return = (uint32_t)(out[i].when >> RV_EVENT_KIND_SHIFT), of_return = 0 - is_return;
        uint16_t frame = (uint16_t)(level - is_return);
        uint32_t id = (names[frame] & mask & of_return) | (*ids & ~of_return);
        ids += !is_return;
        level += 1 - 2 * is_return;
        names[frame] = id;
        out[i].id = id;
        out[i].frame = frame;
        out[i].aux = 0;
    }
    cursor->guess.level = (uint16_t)level;
    cursor->n_ids = (uint32_t)(ids - cursor->codec->ids);
}

/* Events [i, end), of which kinds and times are there. */
static void take_names(struct cursor *cursor, uint32_t i, uint32_t end, struct rv_event *out)
{
    for (uint32_t odd; i < end; i = odd + 1) {
        odd = next_odd(cursor, end);
        take_plain(cursor, i, odd, out);
        if (odd < end)
            take_odd(cursor, odd, &out[odd]);
    }
}

static int take_lines(struct rv_codec *codec, const struct rv_rec_chunk *chunk, const uint8_t *at, const uint8_t *end,
                      struct rv_event *out)
{
    struct rv_rec_events head;
    memcpy(&head, at, sizeof head);
    at += sizeof head;
    for (unsigned i = 0; i < head.n_columns; i++) {
        struct rv_column column;
        uint32_t n_lines, n_used = 0;
        if (rv_column_read(&at, end, &column) != 0)
            return -EBADMSG;
        if (!is_lines(column.header.id))
            continue;
        unsigned kind = column.header.id == RV_REC_CALL_LINES ? RV_EVENT_CALL : RV_EVENT_RETURN;
        struct place place = place_of(codec, chunk, (enum rv_rec_column_id)column.header.id);
        if (unpack(codec, &column, &place, &n_lines) != 0)
            return -EBADMSG;
        for (uint32_t k = 0; k < chunk->n_events && n_used < n_lines; k++)
            if (rv_event_kind(&out[k]) == kind)
                out[k].aux = codec->lines[n_used++];
        if (n_used != n_lines)
            return -EBADMSG;
    }
    return 0;
}

int rv_codec_decode(struct rv_codec *codec, const struct rv_rec_chunk *chunk, const uint8_t *payload, size_t n_bytes,
                    struct rv_event *out)
{
    uint32_t n = chunk->n_events;
    struct rv_rec_events head;
    struct columns columns = {0};
    if (n == 0 || n > RV_REC_MAX_EVENTS || n_bytes < sizeof head || (chunk->flags & ~RV_REC_EVENTS_FLAGS))
        return -EBADMSG;
    memcpy(&head, payload, sizeof head);
    if (unpack_all(codec, chunk, payload, payload + n_bytes, &columns) != 0)
        return -EBADMSG;
    clear_planes(codec, &columns, n);
    if (!is_sound(codec, &columns, n))
        return -EBADMSG;
    widen_ids(codec, chunk, &columns);
    struct cursor cursor = {.codec = codec,
                            .columns = &columns,
                            .guess = {.level = head.first_level,
                                      .return_mask = chunk->flags & RV_REC_BARE_RETURNS ? 0 : UINT32_MAX,
                                      .names = codec->names},
                            .last = chunk->first_ns & RV_EVENT_TICKS_MASK};
    for (uint32_t begin = 0; begin < n; begin += PORTION) {
        uint32_t end = n - begin < PORTION ? n : begin + PORTION;
        take_times(&cursor, begin, end, out);
        take_names(&cursor, begin, end, out);
    }
    rv_guess_forget(&cursor.guess, out, n);
    return take_lines(codec, chunk, payload, payload + n_bytes, out);
}
