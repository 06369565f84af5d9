#include "read_events.h"

#include <errno.h>

#include "pipeline/session.h"
#include "source/replay.h"

int read_events(const char *path, void (*take)(void *context, uint32_t stream, const struct rv_event *events, size_t n))
{
    struct rv_source *source = rv_replay_open(path);
    if (!source)
        return -EBADMSG;
    const struct rv_sink sink = {.events = take};
    struct rv_session *session = rv_session_start(
        &(struct rv_session_params){.n_workers = 1, .sinks = &sink, .n_sinks = 1, .leaves_calls = true}, source);
    while (!rv_session_wait(session, 1000000000))
        continue;
    const int error = rv_session_error(session);
    rv_session_destroy(session);
    return error;
}
