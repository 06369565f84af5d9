#include "export/innermost_calls.h"

struct sweep {
    const struct rv_innermost_calls *params;
    uint64_t least_ns; /* earlier time is not passed */
    uint64_t at_ns;    /* later time was passed; UINT64_MAX: none was */
};

static void pass_time(struct sweep *sweep, uint32_t id, uint64_t from_ns)
{
    from_ns = from_ns > sweep->least_ns ? from_ns : sweep->least_ns;
    if (from_ns < sweep->at_ns && sweep->at_ns != UINT64_MAX)
        sweep->params->pass(sweep->params->context, id, from_ns, sweep->at_ns);
    sweep->at_ns = from_ns;
}

static void enter(void *context, const struct rv_span *call, const struct rv_span *caller)
{
    struct sweep *sweep = context;
    pass_time(sweep, caller ? caller->id : UINT32_MAX, call->end);
    if (sweep->params->enter)
        sweep->params->enter(sweep->params->context, call);
}

static void leave(void *context, const struct rv_span *call)
{
    struct sweep *sweep = context;
    pass_time(sweep, call->id, call->start);
    if (sweep->params->leave)
        sweep->params->leave(sweep->params->context, call->id);
}

int rv_innermost_calls_read(const struct rv_innermost_calls *params)
{
    struct sweep sweep = {.params = params, .at_ns = UINT64_MAX};
    const struct rv_slice part = {.from_ns = params->from_ns, .to_ns = params->to_ns};
    const int error = rv_call_walk(&(struct rv_call_walk){.calls = params->calls,
                                                          .lane = params->lane,
                                                          .part = &part,
                                                          .is_needed = params->is_needed,
                                                          .needed_by = params->needed_by,
                                                          .enter = enter,
                                                          .leave = leave,
                                                          .context = &sweep});
    pass_time(&sweep, UINT32_MAX, 0);
    return error;
}

void rv_innermost_calls_of_piece(const struct rv_innermost_calls *params, const struct rv_span_piece *piece)
{
    struct sweep sweep = {.params = params, .least_ns = piece->from_ns, .at_ns = UINT64_MAX};
    rv_call_walk_piece(&(struct rv_call_walk){.lane = params->lane, .enter = enter, .leave = leave, .context = &sweep},
                       piece);
    pass_time(&sweep, UINT32_MAX, 0);
}
