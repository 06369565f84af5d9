/* Events to columns. */
#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "recording/predictor.h"

enum { LEAST_IN_CONTEXTS = 4096 /* events; with fewer, 16 columns cost more than they save */ };

static bool is_plain(const struct rv_event *event)
{
    return rv_event_kind(event) <= RV_EVENT_RETURN;
}

/* Do RETURNs have no id? Judged by the first ones; a wrong answer only costs size. */
static bool has_bare_returns(const struct rv_event *events, uint32_t n)
{
    uint32_t n_bare = 0, n_seen = 0;
    for (uint32_t i = 0; i < n && n_seen < RV_KINDS_GROUP; i++)
        if (rv_event_kind(&events[i]) == RV_EVENT_RETURN) {
            n_bare += events[i].id == 0;
            n_seen++;
        }
    return 2 * n_bare > n_seen;
}

static void put_special(struct rv_codec *codec, struct rv_rows *rows, const struct rv_event *event, uint32_t position)
{
    bool is_sync = rv_event_kind(event) == RV_EVENT_SYNC;
    codec->specials[rows->n_specials++] = (struct rv_rec_special){
        .when = is_sync ? event->when : event->when & ~RV_EVENT_TICKS_MASK,
        .id = event->id,
        .position = (uint16_t)position,
        .frame = event->frame,
        .aux = event->aux,
    };
    if (is_sync) {
        rows->guess.names[event->frame] = event->id;
        rows->guess.levels |= event->frame;
        rows->guess.level = (uint16_t)(event->frame + 1);
    }
}

/* Kinds and times of up to a word of events. */
__attribute__((noinline)) static void put_times(struct rv_codec *codec, struct rv_rows *rows,
                                                const struct rv_event *events, uint32_t begin, uint32_t end)
{
    uint8_t *low = codec->low, *high = codec->high;
    uint64_t kinds = 0, last = rows->last;
    for (uint32_t i = begin; i < end; i++) {
        unsigned kind = rv_event_kind(&events[i]);
        uint64_t now = kind == RV_EVENT_SYNC ? last : rv_event_ticks(&events[i]);
        uint64_t step = (now - last) & RV_EVENT_TICKS_MASK;
        kinds |= (uint64_t)(kind == RV_EVENT_RETURN) << (i - begin);
        last = now;
        if (__builtin_expect(step >= RV_TIME_IS_WIDE, 0)) {
            codec->wide[rows->n_wide++] = step;
            step = RV_TIME_IS_WIDE;
        }
        low[i] = (uint8_t)step;
        high[i] = (uint8_t)(step >> 8);
        *rv_times_next(&rows->times, kind == RV_EVENT_RETURN, events[i].id) = low[i];
    }
    codec->kinds[begin / RV_KINDS_GROUP] = kinds;
    rows->last = last;
}

/* One CALL or RETURN. */
static inline void put_plain(const struct rv_codec *codec, struct rv_rows *rows, const struct rv_event *event,
                             uint32_t i, uint32_t is_return)
{
    struct rv_predictor *guess = &rows->guess;
    uint16_t frame = event->frame;
    uint32_t id = event->id, of_call = is_return - 1; /* mask: all ones for a CALL */
    if (__builtin_expect(frame != (uint16_t)(guess->level - is_return), 0))
        codec->odd_tags[rows->n_odd_tags++] = (struct rv_rec_odd_tag){(uint16_t)i, frame};
    if (__builtin_expect(is_return & (id != (guess->names[frame] & guess->return_mask)), 0))
        codec->odd_ids[rows->n_odd_ids++] = (struct rv_rec_odd_id){(uint16_t)i, (uint16_t)id, (uint16_t)(id >> 16)};
    guess->names[frame] = id;
    guess->levels |= frame;
    guess->level = (uint16_t)(frame + 1 - is_return);
    codec->ids[rows->n_ids] = id;
    rows->n_ids += !is_return;
    rows->all_ids |= id & of_call;
    rows->call_lines |= event->aux & of_call;
    rows->return_lines |= event->aux & ~of_call;
}

/* Tags, names and lines of up to a word of events. Loop variables are local copies, because stores in the loop might
 * alias the structs. */
__attribute__((noinline)) static void put_names(struct rv_codec *codec, struct rv_rows *rows,
                                                const struct rv_event *events, uint32_t begin, uint32_t end)
{
    const struct rv_codec memory = *codec;
    struct rv_rows hot = *rows;
    for (uint32_t i = begin; i < end; i++) {
        unsigned kind = rv_event_kind(&events[i]);
        if (__builtin_expect(kind > RV_EVENT_RETURN, 0)) {
            *rows = hot;
            put_special(codec, rows, &events[i], i);
            hot = *rows;
        } else {
            put_plain(&memory, &hot, &events[i], i, kind);
        }
    }
    *rows = hot;
}

static void put_rows(struct rv_codec *codec, struct rv_rows *rows, const struct rv_event *events, uint32_t n)
{
    for (uint32_t begin = 0; begin < n; begin += RV_KINDS_GROUP) {
        uint32_t end = n - begin < RV_KINDS_GROUP ? n : begin + RV_KINDS_GROUP;
        if (codec->put_word && end - begin == RV_KINDS_GROUP && codec->put_word(codec, rows, events, begin))
            continue;
        put_times(codec, rows, events, begin, end);
        put_names(codec, rows, events, begin, end);
    }
}

static void put_column(struct rv_codec *codec, struct rv_rec_buffer *out, struct rv_rec_events *head, unsigned id,
                       const void *raw, size_t n)
{
    if (n == 0)
        return;
    if (id >= RV_REC_CONTEXTS)
        rv_compress_noise(codec->compressor, out, (uint16_t)id, raw, n);
    else
        rv_compress_column(codec->compressor, out, (uint16_t)id, raw, n);
    head->n_columns++;
}

/* Write a column whose length the reader knows; omitted if all zeros. */
static void put_plane(struct rv_codec *codec, struct rv_rec_buffer *out, struct rv_rec_events *head, unsigned id,
                      const void *raw, size_t n)
{
    const uint8_t *bytes = raw;
    if (n && (bytes[0] || memcmp(bytes, bytes + 1, n - 1) != 0))
        put_column(codec, out, head, id, raw, n);
}

static uint16_t put_ids(struct rv_codec *codec, const struct rv_rows *rows, struct rv_rec_buffer *out,
                        struct rv_rec_events *head)
{
    uint8_t *bytes = codec->narrow;
    uint16_t *halves = (uint16_t *)(void *)codec->narrow;
    if (rows->all_ids < 1u << 8) {
        for (uint32_t i = 0; i < rows->n_ids; i++)
            bytes[i] = (uint8_t)codec->ids[i];
        put_plane(codec, out, head, RV_REC_IDS, bytes, rows->n_ids);
        return RV_REC_IDS_8;
    }
    if (rows->all_ids < 1u << 16) {
        for (uint32_t i = 0; i < rows->n_ids; i++)
            halves[i] = (uint16_t)codec->ids[i];
        put_plane(codec, out, head, RV_REC_IDS, halves, rows->n_ids * sizeof *halves);
        return RV_REC_IDS_16;
    }
    put_plane(codec, out, head, RV_REC_IDS, codec->ids, rows->n_ids * sizeof *codec->ids);
    return 0;
}

static void put_lines(struct rv_codec *codec, const struct rv_event *events, uint32_t n, enum rv_event_kind kind,
                      struct rv_rec_buffer *out, struct rv_rec_events *head)
{
    uint32_t n_lines = 0;
    for (uint32_t i = 0; i < n; i++)
        if (rv_event_kind(&events[i]) == (unsigned)kind)
            codec->lines[n_lines++] = events[i].aux;
    put_column(codec, out, head, kind == RV_EVENT_CALL ? RV_REC_CALL_LINES : RV_REC_RETURN_LINES, codec->lines,
               n_lines * sizeof *codec->lines);
}

/* The tag that the first CALL would have. */
static uint16_t first_level(const struct rv_event *events, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (is_plain(&events[i]))
            return (uint16_t)(events[i].frame + rv_event_kind(&events[i]));
    return 0;
}

/* Time before the first event; SYNC does not count, it describes the past. */
static uint64_t first_time(const struct rv_event *events, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (rv_event_kind(&events[i]) != RV_EVENT_SYNC)
            return rv_event_ticks(&events[i]);
    return 0;
}

void rv_codec_encode(struct rv_codec *codec, const struct rv_event *events, uint32_t n, uint64_t ordinal,
                     struct rv_rec_chunk *chunk, struct rv_rec_buffer *out)
{
    rv_assert(n > 0 && n <= RV_REC_MAX_EVENTS);
    bool is_bare = has_bare_returns(events, n), has_contexts = n >= LEAST_IN_CONTEXTS;
    struct rv_rec_events head = {.first_ordinal = ordinal, .first_level = first_level(events, n)};
    uint64_t first = first_time(events, n);
    struct rv_rows rows = {
        .guess = {.level = head.first_level, .return_mask = is_bare ? 0 : UINT32_MAX, .names = codec->names},
        .times = rv_times_begin(codec),
        .last = first};
    put_rows(codec, &rows, events, n);
    rv_predictor_forget(&rows.guess);

    size_t head_at = out->n;
    rv_rec_buffer_add(out, &head, sizeof head);
    put_plane(codec, out, &head, RV_REC_KINDS, codec->kinds, (n + 7) / 8);
    if (!has_contexts)
        put_plane(codec, out, &head, RV_REC_TIMES_LOW, codec->low, n);
    put_plane(codec, out, &head, RV_REC_TIMES_HIGH, codec->high, n);
    put_column(codec, out, &head, RV_REC_TIMES_WIDE, codec->wide, rows.n_wide * sizeof *codec->wide);
    uint16_t id_flag = put_ids(codec, &rows, out, &head);
    put_column(codec, out, &head, RV_REC_ODD_TAGS, codec->odd_tags, rows.n_odd_tags * sizeof *codec->odd_tags);
    put_column(codec, out, &head, RV_REC_ODD_IDS, codec->odd_ids, rows.n_odd_ids * sizeof *codec->odd_ids);
    if (rows.call_lines)
        put_lines(codec, events, n, RV_EVENT_CALL, out, &head);
    if (rows.return_lines)
        put_lines(codec, events, n, RV_EVENT_RETURN, out, &head);
    put_column(codec, out, &head, RV_REC_SPECIALS, codec->specials, rows.n_specials * sizeof *codec->specials);
    for (unsigned i = 0; has_contexts && i < RV_REC_N_CONTEXTS; i++)
        put_column(codec, out, &head, RV_REC_CONTEXTS + i, codec->contexts[i], rv_times_count(codec, &rows.times, i));
    memcpy(out->bytes + head_at, &head, sizeof head);

    chunk->n_events = n;
    chunk->flags =
        (uint16_t)(id_flag | (is_bare ? RV_REC_BARE_RETURNS : 0) | (has_contexts ? RV_REC_TIMES_IN_CONTEXTS : 0));
    chunk->first_ns = first;
    chunk->last_ns = rows.last;
    chunk->end_level = rows.guess.level;
}
