#include "import/chrome_samples.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"
#include "import/import.h"

struct rv_call_nesting_frame_entry {
    uint64_t key, caller;
    uint32_t id;
    bool is_on_top;               /* runs on top of the previous sample */
    uint32_t n_ticks, first_tick; /* that no sample has got yet */
};

enum { STACK_FRAMES = 4096 };

void rv_chrome_samples_fini(struct rv_chrome_samples *samples)
{
    free(samples->frames);
    free(samples->profiles);
    free(samples->ticks);
    rv_hash_index_fini(&samples->index);
}

static void add(struct rv_chrome_samples *samples, struct rv_call_nesting_frame_entry frame)
{
    samples->frames =
        rv_vec_reserve(samples->frames, &samples->frames_capacity, samples->n_frames + 1, sizeof *samples->frames);
    samples->frames[samples->n_frames++] = frame;
    rv_hash_index_add(&samples->index, frame.key, (uint32_t)samples->n_frames);
}

/* The line of one of the frame's samples: their order is not in the file. 0: unknown. */
static uint32_t take_tick(const struct rv_chrome_samples *samples, struct rv_call_nesting_frame_entry *frame)
{
    while (frame->n_ticks) {
        struct rv_chrome_tick *tick = &samples->ticks[frame->first_tick];
        if (tick->n) {
            tick->n--;
            return tick->line;
        }
        frame->first_tick++;
        frame->n_ticks--;
    }
    return 0;
}

void rv_chrome_samples_add(struct rv_chrome_samples *samples, uint64_t key, uint64_t caller, uint32_t id)
{
    add(samples, (struct rv_call_nesting_frame_entry){.key = key, .caller = caller, .id = id});
}

static struct rv_call_nesting_frame_entry *find(const struct rv_chrome_samples *samples, uint64_t key)
{
    uint32_t found = rv_hash_index_get(&samples->index, key);
    return found ? &samples->frames[found - 1] : NULL;
}

/* ---- V8's profiles ---- */

/* V8's "(idle)" is an empty stack, and its root is not a frame. */
static uint32_t intern_node(struct rv_event_builder *builder, const struct rv_chrome_node *node)
{
    struct rv_event_builder_text none = {0};
    if (strcmp(node->name, "(root)") == 0 || strcmp(node->name, "(idle)") == 0)
        return 0;
    return rv_event_builder_intern(builder, none, rv_import_string(*node->name ? node->name : "(anonymous)"),
                                   rv_import_string(node->url), *node->url ? node->line : 0);
}

uint64_t rv_chrome_samples_node(uint64_t key, uint64_t number)
{
    return rv_hash_combine(key, number);
}

void rv_chrome_samples_add_nodes(struct rv_chrome_samples *samples, struct rv_event_builder *builder, uint64_t key,
                                 const struct rv_chrome_profile *profile)
{
    for (size_t i = 0; i < profile->n_nodes; i++) {
        const struct rv_chrome_node *node = &profile->nodes[i];
        add(samples,
            (struct rv_call_nesting_frame_entry){
                .key = rv_chrome_samples_node(key, node->id),
                .caller = node->parent ? rv_chrome_samples_node(key, node->parent) : 0,
                .id = intern_node(builder, node),
                .n_ticks = node->n_ticks,
                .first_tick = (uint32_t)samples->n_ticks + node->first_tick,
                .is_on_top = strcmp(node->name, "(garbage collector)") == 0 || strcmp(node->name, "(program)") == 0,
            });
    }
    samples->ticks = rv_vec_reserve(samples->ticks, &samples->ticks_capacity, samples->n_ticks + profile->n_ticks,
                                    sizeof *samples->ticks);
    if (profile->n_ticks)
        memcpy(samples->ticks + samples->n_ticks, profile->ticks, profile->n_ticks * sizeof *samples->ticks);
    samples->n_ticks += profile->n_ticks;
    for (size_t i = 0; i < profile->n_edges; i++) {
        struct rv_call_nesting_frame_entry *callee =
            find(samples, rv_chrome_samples_node(key, profile->edges[i].callee));
        if (callee)
            callee->caller = rv_chrome_samples_node(key, profile->edges[i].caller);
    }
}

/* ---- samples ---- */

/* Copy the thread's open calls below the n ids at the end of ids: all of them, or those below the outermost id. */
static size_t put_below(const struct rv_event_builder *builder, uint32_t thread, uint32_t ids[STACK_FRAMES], size_t n)
{
    const uint32_t *open = rv_event_builder_stack(builder, thread);
    size_t n_open = rv_event_builder_depth(builder, thread), n_below = 0;
    while (n_below < n_open && open[n_below] != ids[STACK_FRAMES - n])
        n_below++;
    for (; n_below > 0 && n < STACK_FRAMES; n++)
        ids[STACK_FRAMES - n - 1] = open[--n_below];
    return n;
}

bool rv_chrome_samples_emit(const struct rv_chrome_samples *samples, struct rv_event_builder *builder, uint32_t thread,
                            int64_t ns, uint64_t key)
{
    uint32_t ids[STACK_FRAMES], lines[STACK_FRAMES] = {0};
    size_t n = 0;
    struct rv_call_nesting_frame_entry *frame = NULL;
    for (size_t n_steps = 0; key && n < STACK_FRAMES && n_steps < STACK_FRAMES; n_steps++) { /* there may be cycles */
        frame = find(samples, key);
        if (!frame)
            break;
        if (frame->id && n == 0)
            lines[STACK_FRAMES - 1] = take_tick(samples, frame);
        if (frame->id)
            ids[STACK_FRAMES - ++n] = frame->id;
        if (frame->is_on_top)
            n = put_below(builder, thread, ids, n);
        key = frame->is_on_top ? 0 : frame->caller;
    }
    rv_event_builder_sample_lines(builder, thread, ns, ids + STACK_FRAMES - n, lines + STACK_FRAMES - n, n);
    return !key || frame;
}

struct rv_chrome_sampled *rv_chrome_samples_profile(struct rv_chrome_samples *samples, uint64_t key)
{
    for (size_t i = samples->n_profiles; i-- > 0 && samples->n_profiles - i < 256;)
        if (samples->profiles[i].key == key)
            return &samples->profiles[i];
    samples->profiles = rv_vec_reserve(samples->profiles, &samples->profiles_capacity, samples->n_profiles + 1,
                                       sizeof *samples->profiles);
    samples->profiles[samples->n_profiles] = (struct rv_chrome_sampled){.key = key, .thread = UINT32_MAX};
    return &samples->profiles[samples->n_profiles++];
}
