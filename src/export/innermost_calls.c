#include "export/innermost_calls.h"

#include <stdlib.h>

#include "base/vec.h"

struct sweep {
    const struct rv_innermost_calls_visitor *visitor;
    struct {
        uint64_t end_ns;
        uint32_t id;
    } * frames;
    size_t n_frames, capacity;
    uint64_t at_ns;
};

/* Up to this time, the innermost call is the same. */
static void pass_time(struct sweep *sweep, uint64_t to_ns)
{
    if (to_ns <= sweep->at_ns)
        return;
    sweep->visitor->pass(sweep->visitor->context, sweep->n_frames ? sweep->frames[sweep->n_frames - 1].id : UINT32_MAX,
                         sweep->at_ns, to_ns);
    sweep->at_ns = to_ns;
}

/* All but the outermost n_frames. */
static void end_calls(struct sweep *sweep, size_t n_frames)
{
    while (sweep->n_frames > n_frames) {
        pass_time(sweep, sweep->frames[sweep->n_frames - 1].end_ns);
        sweep->n_frames--;
        if (sweep->visitor->end)
            sweep->visitor->end(sweep->visitor->context, sweep->frames[sweep->n_frames].id);
    }
}

static void add_call(struct sweep *sweep, const struct rv_span *span)
{
    end_calls(sweep, span->depth);
    pass_time(sweep, span->start);
    sweep->frames = rv_vec_reserve(sweep->frames, &sweep->capacity, sweep->n_frames + 1, sizeof *sweep->frames);
    sweep->frames[sweep->n_frames].end_ns = span->end;
    sweep->frames[sweep->n_frames++].id = span->id;
    if (sweep->visitor->begin)
        sweep->visitor->begin(sweep->visitor->context, span->id);
}

int rv_innermost_calls_read(struct rv_preorder *preorder, const struct rv_lane *lane,
                            const struct rv_innermost_calls_visitor *visitor)
{
    struct sweep sweep = {.visitor = visitor};
    const struct rv_span *spans;
    size_t n;
    int error = rv_preorder_begin(preorder, lane);
    while (!error) {
        error = rv_preorder_next(preorder, &spans, &n);
        if (error || n == 0)
            break;
        for (size_t i = 0; i < n; i++)
            add_call(&sweep, &spans[i]);
    }
    end_calls(&sweep, 0);
    free(sweep.frames);
    return error;
}
