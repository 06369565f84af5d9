/*
 * A simulated program per stack: it calls, returns, jumps out of frames, and its events are then dropped, doubled and
 * mixed with those of other stacks. The truth is kept beside.
 */
#include "streams.h"

#include <stdlib.h>

#define MAX_STACKS 64
#define MAX_DEPTH 40000

uint64_t random_next(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

uint32_t random_below(uint64_t *state, uint32_t n)
{
    return n ? (uint32_t)((random_next(state) >> 32) * n >> 32) : 0;
}

struct program {
    int32_t *keys;
    uint32_t *ids;
    uint64_t *times;
    uint32_t depth;
    int32_t origin;
};

struct generator {
    const struct stream_params *params;
    uint64_t *random;
    struct stream stream;
    struct program programs[MAX_STACKS];
    uint32_t current, call_permille, burst, n_burst_lost;
    uint64_t ns;
};

static bool happens(struct generator *gen, uint32_t permille)
{
    return random_below(gen->random, 1000) < permille;
}

static struct rv_event make_event(struct generator *gen, unsigned kind, uint32_t id, int32_t key)
{
    if (gen->params->has_random_tags)
        key = (int32_t)random_next(gen->random);
    return (struct rv_event){
        .when = (uint64_t)kind << RV_EVENT_KIND_SHIFT | gen->ns,
        .id = id,
        .frame = (uint16_t)key,
        .aux = (uint16_t)random_next(gen->random),
    };
}

static void put(struct generator *gen, struct rv_event event)
{
    gen->stream.events[gen->stream.n++] = event;
}

static bool is_dropped(struct generator *gen)
{
    const struct stream_params *params = gen->params;
    if (params->has_bursts && !gen->burst && happens(gen, 10))
        gen->burst = random_below(gen->random, 10000);
    if (gen->burst) {
        gen->n_burst_lost++;
        if (--gen->burst == 0 && params->has_lost_marks) {
            struct rv_event lost = make_event(gen, RV_EVENT_LOST, gen->n_burst_lost, 0);
            put(gen, lost);
        }
        return true;
    }
    gen->n_burst_lost = 0;
    return random_below(gen->random, 100) < params->drop_percent;
}

static uint32_t new_id(struct generator *gen)
{
    return gen->params->n_ids ? random_below(gen->random, gen->params->n_ids + 1) : ++gen->stream.n_ids;
}

static void call(struct generator *gen, struct program *program)
{
    const struct stream_params *params = gen->params;
    uint32_t id = new_id(gen), d = program->depth;
    int32_t below = d ? program->keys[d - 1] : program->origin;
    int32_t step = 1 + (int32_t)random_below(gen->random, params->frame_size);
    program->keys[d] = below + step;
    program->ids[d] = id;
    program->times[d] = gen->ns;
    program->depth++;
    bool is_kept = !is_dropped(gen);
    if (!params->n_ids) {
        gen->stream.parents[id] = d ? program->ids[d - 1] : 0;
        gen->stream.is_kept[id] = is_kept;
    }
    if (is_kept)
        put(gen, make_event(gen, RV_EVENT_CALL, id, program->keys[d]));
}

static void leave(struct generator *gen, struct program *program)
{
    uint32_t d = --program->depth;
    uint32_t id = gen->params->is_without_return_ids ? 0 : program->ids[d];
    if (d == 0 && happens(gen, 250))
        program->origin -= (int32_t)random_below(gen->random, 30);
    if (!is_dropped(gen))
        put(gen, make_event(gen, RV_EVENT_RETURN, id, program->keys[d]));
}

static void stray_return(struct generator *gen, const struct program *program)
{
    int32_t key = (int32_t)random_below(gen->random, 65536);
    if (happens(gen, 500))
        key = program->origin + (int32_t)random_below(gen->random, 50);
    put(gen, make_event(gen, RV_EVENT_RETURN, random_below(gen->random, 4), key));
}

/* SYNC events of the open frames, outermost first; some may be missing or have a wrong id. */
static void sync(struct generator *gen, const struct program *program)
{
    uint32_t n = program->depth < 40 ? program->depth : 40;
    uint64_t now = gen->ns;
    for (uint32_t i = 0; i < n; i++) {
        if (happens(gen, 100))
            continue;
        gen->ns = program->times[i];
        put(gen, make_event(gen, RV_EVENT_SYNC, program->ids[i] + (uint32_t)happens(gen, 20), program->keys[i]));
    }
    gen->ns = now;
}

static void noise(struct generator *gen)
{
    static const unsigned kinds[] = {RV_EVENT_CALL_AT,
                                     RV_EVENT_RETURN_AT,
                                     RV_EVENT_GC_START,
                                     RV_EVENT_GC_END,
                                     RV_EVENT_THREAD,
                                     RV_EVENT_LINE,
                                     RV_EVENT_MARK,
                                     RV_EVENT_VALUE,
                                     RV_EVENT_KIND_COUNT, /* and 15: unknown kinds */
                                     15};
    unsigned kind = kinds[random_below(gen->random, sizeof kinds / sizeof *kinds)];
    struct rv_event event = make_event(gen, kind, random_below(gen->random, 100), 0);
    event.aux %= RV_THREAD_STATE_COUNT;
    put(gen, event);
    if (happens(gen, 100)) {
        struct rv_event lost = make_event(gen, RV_EVENT_LOST, random_below(gen->random, 100), 0);
        if (happens(gen, 300))
            lost.id = (uint32_t)random_next(gen->random) >> random_below(gen->random, 32);
        if (gen->params->has_lost_marks)
            put(gen, lost);
    }
}

static void switch_stack(struct generator *gen)
{
    gen->current = random_below(gen->random, gen->params->n_stacks);
    put(gen, make_event(gen, RV_EVENT_SWITCH, gen->current * 77, 0));
}

static void step(struct generator *gen)
{
    const struct stream_params *params = gen->params;
    gen->ns += random_below(gen->random, 50);
    if (happens(gen, 5))
        gen->call_permille = 150 + random_below(gen->random, 700);
    if (params->n_stacks > 1 && happens(gen, 20))
        switch_stack(gen);
    struct program *program = &gen->programs[gen->current];
    if (program->depth > 2 && happens(gen, params->longjmp_permille))
        program->depth -= 1 + random_below(gen->random, program->depth - 1);
    if (happens(gen, params->noise_permille))
        noise(gen);
    if (happens(gen, params->sync_permille))
        sync(gen, program);
    bool is_call = program->depth == 0 || (program->depth < MAX_DEPTH && happens(gen, gen->call_permille));
    if (happens(gen, params->orphan_permille))
        stray_return(gen, program);
    else if (params->is_random_kind)
        put(gen, make_event(gen, random_below(gen->random, 2), random_below(gen->random, params->n_ids + 1),
                            (int32_t)random_below(gen->random, 1 + params->frame_size)));
    else if (is_call)
        call(gen, program);
    else
        leave(gen, program);
}

static uint32_t one_of(uint64_t *random, uint32_t a, uint32_t b)
{
    return random_next(random) >> 63 ? a : b;
}

struct stream_params stream_random_params(uint64_t *random)
{
    struct stream_params params = {
        .n = 1 + random_below(random, one_of(random, 300, 12000)),
        .n_stacks = random_below(random, 3) ? 1 : 1 + random_below(random, one_of(random, 8, MAX_STACKS)),
        .n_ids = 1 + random_below(random, one_of(random, 3, 500)),
        .orphan_permille = random_below(random, 3) ? 0 : random_below(random, 30),
        .longjmp_permille = random_below(random, 3) ? random_below(random, 20) : 0,
        .noise_permille = random_below(random, 3) ? 0 : random_below(random, one_of(random, 10, 600)),
        .sync_permille = random_below(random, 4) ? 0 : random_below(random, one_of(random, 3, 30)),
        .has_lost_marks = random_below(random, 2),
        .has_random_tags = random_below(random, 10) == 0,
        .is_random_kind = random_below(random, 8) == 0,
        .is_without_return_ids = random_below(random, 5) == 0,
    };
    static const uint32_t drops[] = {0, 0, 25, 99};
    static const uint32_t sizes[] = {1, 1, 4, 40, 8000};
    params.drop_percent = drops[random_below(random, 4)];
    params.has_bursts = params.drop_percent == 99 || random_below(random, 10) == 0;
    params.frame_size = sizes[random_below(random, 5)];
    if (random_below(random, 2))
        params.frame_size = 1;
    return params;
}

struct stream stream_generate(const struct stream_params *params, uint64_t *random)
{
    struct generator *gen = calloc(1, sizeof *gen);
    gen->params = params;
    gen->random = random;
    gen->call_permille = 500;
    gen->ns = random_next(random) >> 63 ? 1000 : (1ull << 33) - 5000;
    uint32_t n_stacks = params->n_stacks ? params->n_stacks : 1;
    for (uint32_t i = 0; i < n_stacks; i++) {
        struct program *program = &gen->programs[i];
        program->keys = calloc(MAX_DEPTH + 1, sizeof *program->keys);
        program->ids = calloc(MAX_DEPTH + 1, sizeof *program->ids);
        program->times = calloc(MAX_DEPTH + 1, sizeof *program->times);
        program->origin = (int32_t)random_below(random, 70000);
        if (random_below(random, 3))
            program->origin = -1;
    }
    gen->stream.events = calloc((size_t)params->n * 48 + 64, sizeof *gen->stream.events);
    gen->stream.parents = calloc((size_t)params->n + 2, sizeof *gen->stream.parents);
    gen->stream.is_kept = calloc((size_t)params->n + 2, sizeof *gen->stream.is_kept);
    for (uint32_t i = 0; i < params->n; i++)
        step(gen);
    for (uint32_t i = 0; i < n_stacks; i++) {
        free(gen->programs[i].keys);
        free(gen->programs[i].ids);
        free(gen->programs[i].times);
    }
    struct stream stream = gen->stream;
    free(gen);
    return stream;
}

void stream_free(struct stream *stream)
{
    free(stream->events);
    free(stream->parents);
    free(stream->is_kept);
    *stream = (struct stream){0};
}
