/* Columns to events. Everything is validated first, so that the loops need no checks. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "recording/predictor.h"

struct place { /* destination of a column and its limits */
    void *raw;
    size_t item_bytes;
    uint32_t n_most;
};

static size_t id_bytes(const struct rv_rec_chunk *chunk)
{
    return chunk->flags & RV_REC_IDS_8 ? 1 : chunk->flags & RV_REC_IDS_16 ? 2 : 4;
}

static struct place place_of(const struct rv_codec *codec, const struct rv_rec_chunk *chunk, unsigned id)
{
    uint32_t n = chunk->n_events;
    if (id >= RV_REC_CONTEXTS)
        return (struct place){codec->contexts[id - RV_REC_CONTEXTS], 1, n};
    switch ((enum rv_rec_column_id)id) {
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
    case RV_REC_CONTEXTS:
    case RV_REC_COLUMN_END:
        break;
    }
    rv_unreachable();
}

/* Planes absent from the payload are zeros. */
static void clear_planes(struct rv_codec *codec, const struct rv_columns *columns, uint32_t n)
{
    if (!columns->n[RV_REC_KINDS])
        memset(codec->kinds, 0, (n + RV_KINDS_GROUP - 1) / RV_KINDS_GROUP * sizeof *codec->kinds);
    if (!columns->n[RV_REC_TIMES_LOW])
        memset(codec->low, 0, n);
    if (!columns->n[RV_REC_TIMES_HIGH])
        memset(codec->high, 0, n);
}

static int unpack(struct rv_codec *codec, const struct rv_compressed_column *column, const struct place *place,
                  uint32_t *n)
{
    uint32_t n_bytes = column->header.raw_bytes;
    if (n_bytes == 0 || n_bytes % place->item_bytes || n_bytes / place->item_bytes > place->n_most)
        return -EBADMSG;
    *n = (uint32_t)(n_bytes / place->item_bytes);
    return rv_compress_unpack(codec->compressor, column, place->raw);
}

static bool is_lines(unsigned id)
{
    return id == RV_REC_CALL_LINES || id == RV_REC_RETURN_LINES;
}

/* All columns except the lines, which come last and share a buffer. */
static int unpack_all(struct rv_codec *codec, const struct rv_rec_chunk *chunk, const uint8_t *at, const uint8_t *end,
                      struct rv_columns *columns)
{
    struct rv_rec_events head;
    memcpy(&head, at, sizeof head);
    at += sizeof head;
    unsigned last_id = 0;
    codec->kinds[(chunk->n_events - 1) / RV_KINDS_GROUP] = 0; /* also the bits after the last event */
    for (unsigned i = 0; i < head.n_columns; i++) {
        struct rv_compressed_column column;
        if (rv_compress_next_column(&at, end, &column) != 0 || column.header.id <= last_id)
            return -EBADMSG;
        unsigned id = last_id = column.header.id;
        if (id >= RV_REC_COLUMN_END || is_lines(id))
            continue;
        struct place place = place_of(codec, chunk, id);
        if (unpack(codec, &column, &place, &columns->n[id]) != 0)
            return -EBADMSG;
    }
    return 0;
}

static bool has_rising_positions(const struct rv_codec *codec, const struct rv_columns *columns, uint32_t n)
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

/* Are kinds, specials and lengths consistent? The number of times is checked after decoding them. */
static bool is_sound(const struct rv_codec *codec, const struct rv_columns *columns, uint32_t n)
{
    if (n % RV_KINDS_GROUP && codec->kinds[n / RV_KINDS_GROUP] >> n % RV_KINDS_GROUP)
        return false;
    static const enum rv_rec_column_id planes[] = {RV_REC_TIMES_LOW, RV_REC_TIMES_HIGH};
    for (size_t i = 0; i < sizeof planes / sizeof *planes; i++)
        if (columns->n[planes[i]] && columns->n[planes[i]] != n)
            return false;
    if (columns->n[RV_REC_KINDS] && columns->n[RV_REC_KINDS] != (n + 7) / 8)
        return false;
    if (!has_rising_positions(codec, columns, n))
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

/* The ids of the CALLs; zeros if absent from the payload. */
static void widen_ids(struct rv_codec *codec, const struct rv_rec_chunk *chunk, const struct rv_columns *columns)
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

/* Fill in the low bytes of the times of up to a word of events. */
static void gather_times(struct rv_cursor *cursor, uint32_t begin, uint32_t end, const struct rv_event *out)
{
    uint64_t kinds = cursor->codec->kinds[begin / RV_KINDS_GROUP];
    for (uint32_t i = begin; i < end; i++, kinds >>= 1)
        cursor->codec->low[i] = *rv_times_next(&cursor->times, kinds & 1, out[i].id);
}

/*
 * Kinds and times of up to a word of events. There are never more wide steps than events, so they always fit.
 */
static void take_times(struct rv_cursor *cursor, uint32_t begin, uint32_t end, struct rv_event *out)
{
    const uint8_t *low = cursor->codec->low, *high = cursor->codec->high;
    uint64_t kinds = cursor->codec->kinds[begin / RV_KINDS_GROUP], last = cursor->last;
    for (uint32_t i = begin; i < end; i++, kinds >>= 1) {
        uint64_t step = low[i] | (uint64_t)high[i] << 8;
        if (__builtin_expect(step == RV_TIME_IS_WIDE, 0))
            step = cursor->codec->wide[cursor->n_wide++];
        last += step; /* may exceed 60 bits: the upper ones are cut off */
        out[i].when = (kinds & 1) << RV_EVENT_KIND_SHIFT | (last & RV_EVENT_TICKS_MASK);
    }
    cursor->last = last;
}

static inline void put_name(struct rv_predictor *guess, struct rv_event *out, uint32_t is_return, uint16_t frame,
                            uint32_t id)
{
    guess->names[frame] = id;
    guess->levels |= frame;
    guess->level = (uint16_t)(frame + 1 - is_return);
    out->id = id;
    out->frame = frame;
    out->aux = 0;
}

static void take_special(struct rv_cursor *cursor, struct rv_event *out)
{
    const struct rv_rec_special *special = &cursor->codec->specials[cursor->n_specials++];
    *out = (struct rv_event){.id = special->id, .aux = special->aux, .frame = special->frame};
    if (special->when >> RV_EVENT_KIND_SHIFT == RV_EVENT_SYNC) {
        cursor->guess.names[special->frame] = special->id;
        cursor->guess.levels |= special->frame;
        cursor->guess.level = (uint16_t)(special->frame + 1);
    }
}

/* Set the kinds of the specials decoded since `first`, whose times are set; SYNC has its own time. */
static void mark_specials(const struct rv_cursor *cursor, uint32_t first, struct rv_event *out)
{
    for (uint32_t i = first; i < cursor->n_specials; i++) {
        const struct rv_rec_special *special = &cursor->codec->specials[i];
        uint64_t *when = &out[special->position].when;
        bool is_sync = special->when >> RV_EVENT_KIND_SHIFT == RV_EVENT_SYNC;
        *when = is_sync ? special->when : (special->when & ~RV_EVENT_TICKS_MASK) | *when;
    }
}

/* Decode event i, which is in one of the exception lists. */
static void take_odd(struct rv_cursor *cursor, uint32_t i, struct rv_event *out)
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

/* Position of the next event in an exception list. */
static uint32_t next_odd(const struct rv_cursor *cursor)
{
    const struct rv_codec *codec = cursor->codec;
    const uint32_t *n = cursor->columns->n;
    uint32_t next = UINT32_MAX;
    if (cursor->n_odd_tags < n[RV_REC_ODD_TAGS] && codec->odd_tags[cursor->n_odd_tags].position < next)
        next = codec->odd_tags[cursor->n_odd_tags].position;
    if (cursor->n_odd_ids < n[RV_REC_ODD_IDS] && codec->odd_ids[cursor->n_odd_ids].position < next)
        next = codec->odd_ids[cursor->n_odd_ids].position;
    if (cursor->n_specials < n[RV_REC_SPECIALS] && codec->specials[cursor->n_specials].position < next)
        next = codec->specials[cursor->n_specials].position;
    return next;
}

/* The ordinary events [i, end) of one word. */
static void take_plain(struct rv_cursor *cursor, uint32_t i, uint32_t end, struct rv_event *out)
{
    const uint32_t *ids = cursor->codec->ids + cursor->n_ids;
    const uint32_t mask = cursor->guess.return_mask;
    uint32_t *names = cursor->guess.names, level = cursor->guess.level, levels = 0;
    uint64_t kinds = cursor->codec->kinds[i / RV_KINDS_GROUP] >> i % RV_KINDS_GROUP;
    for (; i < end; i++, kinds >>= 1) {
        uint32_t is_return = kinds & 1, of_return = 0 - is_return;
        uint16_t frame = (uint16_t)(level - is_return);
        uint32_t id = (names[frame] & mask & of_return) | (*ids & ~of_return);
        ids += !is_return;
        level += 1 - 2 * is_return;
        levels |= frame;
        names[frame] = id;
        out[i].id = id;
        out[i].frame = frame;
        out[i].aux = 0;
    }
    cursor->guess.level = (uint16_t)level;
    cursor->guess.levels |= levels;
    cursor->n_ids = (uint32_t)(ids - cursor->codec->ids);
}

/* All fields except the times, of up to a word of events. */
static void take_names(struct rv_cursor *cursor, uint32_t i, uint32_t end, struct rv_event *out)
{
    for (uint32_t odd; i < end; i = odd + 1) {
        odd = cursor->next_odd < end ? cursor->next_odd : end;
        take_plain(cursor, i, odd, out);
        if (odd < end) {
            take_odd(cursor, odd, &out[odd]);
            cursor->next_odd = next_odd(cursor);
        }
    }
}

/* Up to a word of events. */
static void take_word(struct rv_cursor *cursor, uint32_t begin, uint32_t end, struct rv_event *out)
{
    rv_take_word_fn *take = cursor->codec->take_word;
    if (take && end - begin == RV_KINDS_GROUP && cursor->next_odd >= end) {
        if (!take(cursor, begin, out))
            take_times(cursor, begin, end, out);
        return;
    }
    uint32_t n_specials = cursor->n_specials;
    take_names(cursor, begin, end, out);
    if (cursor->has_contexts)
        gather_times(cursor, begin, end, out);
    take_times(cursor, begin, end, out);
    mark_specials(cursor, n_specials, out);
}

static int take_lines(struct rv_codec *codec, const struct rv_rec_chunk *chunk, const uint8_t *at, const uint8_t *end,
                      struct rv_event *out)
{
    struct rv_rec_events head;
    memcpy(&head, at, sizeof head);
    at += sizeof head;
    for (unsigned i = 0; i < head.n_columns; i++) {
        struct rv_compressed_column column;
        uint32_t n_lines, n_used = 0;
        if (rv_compress_next_column(&at, end, &column) != 0)
            return -EBADMSG;
        if (!is_lines(column.header.id))
            continue;
        unsigned kind = column.header.id == RV_REC_CALL_LINES ? RV_EVENT_CALL : RV_EVENT_RETURN;
        struct place place = place_of(codec, chunk, column.header.id);
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

/* Were all times consumed, and no more? */
static bool has_used_times(const struct rv_cursor *cursor)
{
    const uint32_t *n = cursor->columns->n;
    for (unsigned i = 0; cursor->has_contexts && i < RV_REC_N_CONTEXTS; i++)
        if (n[RV_REC_CONTEXTS + i] != rv_times_count(cursor->codec, &cursor->times, i))
            return false;
    return n[RV_REC_TIMES_WIDE] == cursor->n_wide;
}

int rv_codec_decode(struct rv_codec *codec, const struct rv_rec_chunk *chunk, const uint8_t *payload, size_t n_bytes,
                    struct rv_event *out)
{
    uint32_t n = chunk->n_events;
    struct rv_rec_events head;
    struct rv_columns columns = {0};
    if (n == 0 || n > RV_REC_MAX_EVENTS || n_bytes < sizeof head || (chunk->flags & ~RV_REC_EVENTS_FLAGS) ||
        (chunk->first_ns | chunk->last_ns) > RV_EVENT_TICKS_MASK)
        return -EBADMSG;
    memcpy(&head, payload, sizeof head);
    if (unpack_all(codec, chunk, payload, payload + n_bytes, &columns) != 0)
        return -EBADMSG;
    clear_planes(codec, &columns, n);
    if (!is_sound(codec, &columns, n))
        return -EBADMSG;
    widen_ids(codec, chunk, &columns);
    struct rv_cursor cursor = {.codec = codec,
                               .columns = &columns,
                               .guess = {.level = head.first_level,
                                         .return_mask = chunk->flags & RV_REC_BARE_RETURNS ? 0 : UINT32_MAX,
                                         .names = codec->names},
                               .has_contexts = chunk->flags & RV_REC_TIMES_IN_CONTEXTS,
                               .times = rv_times_begin(codec),
                               .last = chunk->first_ns & RV_EVENT_TICKS_MASK};
    cursor.next_odd = next_odd(&cursor);
    for (uint32_t begin = 0; begin < n; begin += RV_KINDS_GROUP)
        take_word(&cursor, begin, n - begin < RV_KINDS_GROUP ? n : begin + RV_KINDS_GROUP, out);
    rv_predictor_forget(&cursor.guess);
    if (!has_used_times(&cursor))
        return -EBADMSG;
    return take_lines(codec, chunk, payload, payload + n_bytes, out);
}
