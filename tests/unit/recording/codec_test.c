#include "recording/codec.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "recording/predictor.h"

enum { MOST_DEPTH = 300 };

struct shape { /* of a random stream; chances are one in so many, 0: never */
    const char *name;
    unsigned n_names, escape, special, odd, long_step;
    bool has_bare_returns, has_lines, is_noise;
};

static const struct shape SHAPES[] = {
    {"plain", 200, 0, 0, 0, 0, false, false, false},
    {"many names", 70000, 0, 0, 0, 0, false, false, false},
    {"wide names", 1000, 40, 0, 0, 1000, false, false, false},
    {"bare returns with lines", 900, 40, 0, 0, 1000, true, true, false},
    {"everything", 5000, 30, 20, 50, 100, false, true, false},
    {"bare everything", 60, 30, 20, 50, 100, true, true, false},
    {"noise", 0, 0, 0, 0, 0, false, false, true},
};
static const uint32_t SIZES[] = {1, 2, 63, 64, 65, 127, 1000, 4095, 4096, RV_REC_MAX_EVENTS - 1, RV_REC_MAX_EVENTS};

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static bool chance(uint64_t *seed, unsigned one_in)
{
    return one_in && next_random(seed) % one_in == 0;
}

static struct rv_event special(uint64_t *seed, uint64_t now)
{
    unsigned kind = RV_EVENT_GC_START + (unsigned)(next_random(seed) % (RV_EVENT_KIND_COUNT - RV_EVENT_GC_START));
    uint64_t ticks = kind == RV_EVENT_SYNC ? next_random(seed) % (now + 1) : now;
    uint64_t random = next_random(seed);
    return (struct rv_event){.when = (uint64_t)kind << RV_EVENT_KIND_SHIFT | ticks,
                             .id = (uint32_t)random,
                             .frame = (uint16_t)(random >> 32),
                             .aux = (uint16_t)(random >> 48)};
}

static void make(const struct shape *shape, uint64_t *seed, struct rv_event *events, uint32_t n)
{
    uint32_t open[MOST_DEPTH], depth = 0;
    uint64_t now = next_random(seed) % 1000000;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t random = next_random(seed);
        if (shape->is_noise) {
            memcpy(&events[i], (uint64_t[]){random, next_random(seed)}, sizeof *events);
            continue;
        }
        now += chance(seed, shape->long_step) ? next_random(seed) % (1ull << 40) : random % 300;
        if (chance(seed, shape->special)) {
            events[i] = special(seed, now);
            continue;
        }
        if (chance(seed, shape->escape))
            depth = (uint32_t)(next_random(seed) % (depth + 1));
        bool is_call = depth == 0 || (depth < MOST_DEPTH && random >> 20 & 1);
        if (is_call)
            open[depth++] = 1 + (uint32_t)(random >> 24) % shape->n_names;
        else
            depth--;
        uint32_t frame = is_call ? depth - 1 : depth;
        events[i] = (struct rv_event){
            .when = (uint64_t)!is_call << RV_EVENT_KIND_SHIFT | now,
            .id = !is_call && shape->has_bare_returns ? 0 : open[frame],
            .frame = (uint16_t)(chance(seed, shape->odd) ? random >> 40 : frame),
            .aux = (uint16_t)(shape->has_lines && (is_call || chance(seed, shape->odd)) ? random >> 48 : 0)};
    }
}

Test(codec, returns_what_was_added, .timeout = 60)
{
    struct rv_codec *codec = rv_codec_create();
    struct rv_event *events = calloc(RV_REC_MAX_EVENTS, sizeof *events),
                    *back = calloc(RV_REC_MAX_EVENTS, sizeof *back);
    struct rv_rec_buffer out = {0};
    uint64_t seed = 0x9e3779b97f4a7c15ull;
    for (size_t s = 0; s < sizeof SHAPES / sizeof *SHAPES; s++)
        for (size_t k = 0; k < sizeof SIZES / sizeof *SIZES; k++) {
            struct rv_rec_chunk chunk = {0};
            make(&SHAPES[s], &seed, events, SIZES[k]);
            out.n = 0;
            rv_codec_encode(codec, events, SIZES[k], 77, &chunk, &out);
            cr_assert_eq(chunk.n_events, SIZES[k]);
            cr_assert_eq(rv_codec_decode(codec, &chunk, out.bytes, out.n, back), 0, "%s, %u", SHAPES[s].name, SIZES[k]);
            for (uint32_t i = 0; i < SIZES[k]; i++)
                cr_assert_eq(memcmp(&events[i], &back[i], sizeof *events), 0, "%s, event %u of %u", SHAPES[s].name, i,
                             SIZES[k]);
        }
    rv_rec_buffer_fini(&out);
    free(events);
    free(back);
    rv_codec_destroy(codec);
}

/* The codec that handles one event at a time and the one with instructions for several write the same bytes, and each
 * reads what the other wrote. */
static void compare_with_plain(struct rv_codec *codec)
{
    struct rv_codec *plain = rv_codec_create();
    plain->put_word = NULL;
    plain->take_word = NULL;
    struct rv_event *events = calloc(RV_REC_MAX_EVENTS, sizeof *events),
                    *back = calloc(RV_REC_MAX_EVENTS, sizeof *back);
    struct rv_rec_buffer out = {0}, out_plain = {0};
    uint64_t seed = 0x2545f4914f6cdd1dull;
    for (size_t s = 0; s < sizeof SHAPES / sizeof *SHAPES; s++)
        for (size_t k = 0; k < sizeof SIZES / sizeof *SIZES; k++) {
            struct rv_rec_chunk chunk = {0}, chunk_plain = {0};
            make(&SHAPES[s], &seed, events, SIZES[k]);
            out.n = out_plain.n = 0;
            rv_codec_encode(codec, events, SIZES[k], 0, &chunk, &out);
            rv_codec_encode(plain, events, SIZES[k], 0, &chunk_plain, &out_plain);
            cr_assert_eq(memcmp(&chunk, &chunk_plain, sizeof chunk), 0, "%s, %u", SHAPES[s].name, SIZES[k]);
            cr_assert(out.n == out_plain.n && memcmp(out.bytes, out_plain.bytes, out.n) == 0, "%s, %u", SHAPES[s].name,
                      SIZES[k]);
            struct rv_codec *readers[] = {codec, plain};
            for (size_t i = 0; i < 2; i++) {
                memset(back, 0xff, SIZES[k] * sizeof *back);
                cr_assert_eq(rv_codec_decode(readers[i], &chunk, out.bytes, out.n, back), 0);
                cr_assert_eq(memcmp(events, back, SIZES[k] * sizeof *back), 0, "%s, %u", SHAPES[s].name, SIZES[k]);
            }
        }
    rv_rec_buffer_fini(&out);
    rv_rec_buffer_fini(&out_plain);
    free(events);
    free(back);
    rv_codec_destroy(plain);
}

Test(codec, is_the_same_with_and_without_a_kernel, .timeout = 60)
{
    struct rv_codec *codec = rv_codec_create();
    compare_with_plain(codec);
#ifdef __x86_64__
    if (codec->put_word == rv_put_word_avx512) {
        codec->put_word = rv_put_word_avx2;
        compare_with_plain(codec);
    }
#endif
    rv_codec_destroy(codec);
}

/* The subroutine last called at a stack level is forgotten when the next block begins, at every level. */
Test(codec, a_block_leaves_no_name_behind, .timeout = 60)
{
    static const uint16_t LEVELS[] = {0, 1, 63, 64, 4095, 32768, UINT16_MAX};
    struct rv_codec *codec = rv_codec_create();
    struct rv_event call = {.when = 100, .id = 5}, back;
    struct rv_rec_buffer out = {0};
    for (size_t i = 0; i < sizeof LEVELS / sizeof *LEVELS; i++) {
        struct rv_rec_chunk chunk = {0};
        call.frame = LEVELS[i];
        out.n = 0;
        rv_codec_encode(codec, &call, 1, 0, &chunk, &out);
        cr_assert_eq(codec->names[LEVELS[i]], 0);
        cr_assert_eq(rv_codec_decode(codec, &chunk, out.bytes, out.n, &back), 0);
        cr_assert_eq(codec->names[LEVELS[i]], 0);
    }
    rv_rec_buffer_fini(&out);
    rv_codec_destroy(codec);
}

Test(codec, a_block_has_its_times_and_last_level, .timeout = 60)
{
    struct rv_codec *codec = rv_codec_create();
    struct rv_rec_buffer out = {0};
    struct rv_rec_chunk chunk = {0};
    const uint64_t RETURN = 1ull << RV_EVENT_KIND_SHIFT;
    struct rv_event events[] = {{.when = 100, .id = 5, .frame = 7},
                                {.when = 130, .id = 6, .frame = 8},
                                {.when = RETURN | 190, .id = 6, .frame = 8}};
    rv_codec_encode(codec, events, 3, 0, &chunk, &out);
    cr_assert_eq(chunk.first_ns, 100);
    cr_assert_eq(chunk.last_ns, 190);
    cr_assert_eq(chunk.end_level, 8);
    rv_rec_buffer_fini(&out);
    rv_codec_destroy(codec);
}

Test(codec, refuses_times_that_no_event_has, .timeout = 60)
{
    struct rv_codec *codec = rv_codec_create();
    struct rv_rec_buffer out = {0};
    struct rv_rec_chunk chunk = {0};
    struct rv_event event = {.when = 100, .id = 5}, *back = calloc(RV_REC_MAX_EVENTS, sizeof *back);
    rv_codec_encode(codec, &event, 1, 0, &chunk, &out);
    cr_assert_eq(rv_codec_decode(codec, &chunk, out.bytes, out.n, back), 0);
    chunk.first_ns = RV_EVENT_TICKS_MASK + 1;
    cr_assert_eq(rv_codec_decode(codec, &chunk, out.bytes, out.n, back), -EBADMSG);
    chunk.first_ns = 100;
    chunk.last_ns = UINT64_MAX;
    cr_assert_eq(rv_codec_decode(codec, &chunk, out.bytes, out.n, back), -EBADMSG);
    rv_rec_buffer_fini(&out);
    free(back);
    rv_codec_destroy(codec);
}

Test(codec, a_walk_takes_less_than_a_byte_and_a_quarter_an_event, .timeout = 60)
{
    struct rv_codec *codec = rv_codec_create();
    struct rv_event *events = calloc(RV_REC_MAX_EVENTS, sizeof *events);
    struct rv_rec_buffer out = {0};
    struct rv_rec_chunk chunk = {0};
    uint64_t now = 0;
    for (uint32_t i = 0; i < RV_REC_MAX_EVENTS; i++) /* eight calls down, eight returns up */
        events[i] =
            (struct rv_event){.when = (uint64_t)(i >> 3 & 1) << RV_EVENT_KIND_SHIFT | (now += 20 + i * 7919 % 16),
                              .id = 1 + (i & 8 ? 7 - (i & 7) : i & 7),
                              .frame = (uint16_t)(i & 8 ? 7 - (i & 7) : i & 7)};
    rv_codec_encode(codec, events, RV_REC_MAX_EVENTS, 0, &chunk, &out);
    cr_assert_lt(out.n, RV_REC_MAX_EVENTS * 5 / 4);
    rv_rec_buffer_fini(&out);
    free(events);
    rv_codec_destroy(codec);
}

/* Damaged bytes without a checksum that shows it: the codec must refuse them or give some events, and work on after. */
static void damage(uint32_t n_events, unsigned n_rounds)
{
    struct rv_codec *codec = rv_codec_create();
    struct rv_event *events = calloc(n_events, sizeof *events), *back = calloc(RV_REC_MAX_EVENTS, sizeof *back);
    struct rv_rec_buffer out = {0};
    struct rv_rec_chunk chunk = {0};
    uint64_t seed = 12345;
    unsigned n_refused = 0;
    make(&SHAPES[4], &seed, events, n_events);
    rv_codec_encode(codec, events, n_events, 0, &chunk, &out);
    uint8_t *bytes = malloc(out.n);
    for (unsigned i = 0; i < n_rounds; i++) {
        struct rv_rec_chunk changed = chunk;
        size_t n = i % 4 ? out.n : next_random(&seed) % out.n;
        memcpy(bytes, out.bytes, out.n);
        for (unsigned k = 0; k < 1 + i % 3; k++)
            bytes[next_random(&seed) % out.n] = (uint8_t)next_random(&seed);
        if (i % 5 == 0)
            changed.n_events = (uint32_t)(next_random(&seed) % (4 * n_events));
        if (i % 7 == 0)
            changed.flags = (uint16_t)(next_random(&seed) % (RV_REC_EVENTS_FLAGS + 1));
        n_refused += rv_codec_decode(codec, &changed, bytes, n, back) != 0;
    }
    cr_assert_gt(n_refused, n_rounds / 4);
    cr_assert_lt(n_refused, n_rounds);
    cr_assert_eq(rv_codec_decode(codec, &chunk, out.bytes, out.n, back), 0, "damage leaves nothing behind");
    cr_assert_eq(memcmp(events, back, n_events * sizeof *events), 0);
    free(bytes);
    rv_rec_buffer_fini(&out);
    free(events);
    free(back);
    rv_codec_destroy(codec);
}

Test(codec, survives_any_payload, .timeout = 60)
{
    damage(500, 4000);
}

Test(codec, survives_any_payload_in_contexts, .timeout = 60)
{
    damage(5000, 2000);
}
