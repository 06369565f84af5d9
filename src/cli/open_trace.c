#include "cli/open_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "cli/refused_file.h"
#include "base/err.h"
#include "recording/chunk_reader.h"
#include "source/recording_on_demand.h"
#include "source/replay.h"

/* Read up to n first bytes. Returns their number; 0 if unreadable. */
static size_t read_head(const char *path, void *bytes, size_t n_bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd < 0 ? 0 : read(fd, bytes, n_bytes);
    if (fd >= 0)
        close(fd);
    return n > 0 ? (size_t)n : 0;
}

bool rv_open_trace_is_recording(const char *path)
{
    char bytes[sizeof(struct rv_rec_chunk)];
    return rv_rec_is_recording(bytes, read_head(path, bytes, sizeof bytes));
}

static int open_replay(struct rv_source **source, const struct rv_open_trace_params *params)
{
    if (params->live.filter)
        return rv_err(EINVAL, "%s: a recording is replayed in full: --include and --exclude are for capturing",
                      params->path);
    *source = NULL;
    int error =
        params->needs_few_blocks ? rv_recording_on_demand_open(source, params->path, RV_INDEXED_LEAST_EVENTS) : 0;
    if (error)
        return error;
    if (!*source)
        *source = rv_replay_open(params->path);
    return *source ? 0 : -EBADMSG;
}

static int open_import(struct rv_source **source, const struct rv_import_format *format,
                       const struct rv_open_trace_params *params)
{
    *source = rv_import_open(format, &(struct rv_import_params){params->path, params->live.filter});
    return *source ? 0 : -EBADMSG;
}

int rv_open_trace(struct rv_map *map, struct rv_source **source, const struct rv_open_trace_params *params)
{
    if (!params->format && rv_open_trace_is_recording(params->path))
        return open_replay(source, params);
    const struct rv_import_format *format = params->format ? params->format : rv_import_format_of(params->path);
    if (format)
        return open_import(source, format, params);
    int error = rv_refused_file_explain(params->path);
    if (error)
        return error;
    error = rv_map_open(map, params->path, RV_MAP_CONSUMER, false);
    if (error)
        return error;
    *source = rv_live_drain_open(map, &params->live);
    return *source ? 0 : -EBUSY;
}
