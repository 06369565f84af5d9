#include "app/open.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/err.h"
#include "recording/reader.h"
#include "source/indexed.h"
#include "source/replay.h"

bool rv_open_is_recording(const char *path)
{
    char bytes[sizeof(struct rv_rec_chunk)];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd < 0 ? 0 : read(fd, bytes, sizeof bytes);
    if (fd >= 0)
        close(fd);
    return n > 0 && rv_rec_is_recording(bytes, (size_t)n);
}

static int open_replay(struct rv_source **source, const struct rv_open_params *params)
{
    if (params->live.filter)
        return rv_err(EINVAL, "%s: a recording is replayed whole: --include and --exclude are for capturing",
                      params->path);
    *source = NULL;
    int error = params->is_for_looks ? rv_indexed_open(source, params->path, RV_INDEXED_LEAST_EVENTS) : 0;
    if (error)
        return error;
    if (!*source)
        *source = rv_replay_open(params->path);
    return *source ? 0 : -EBADMSG;
}

static int open_import(struct rv_source **source, const struct rv_import_format *format,
                       const struct rv_open_params *params)
{
    *source = rv_import_open(format, &(struct rv_import_params){params->path, params->live.filter});
    return *source ? 0 : -EBADMSG;
}

int rv_open(struct rv_map *map, struct rv_source **source, const struct rv_open_params *params)
{
    if (!params->format && rv_open_is_recording(params->path))
        return open_replay(source, params);
    const struct rv_import_format *format = params->format ? params->format : rv_import_format_of(params->path);
    if (format)
        return open_import(source, format, params);
    int error = rv_map_open(map, params->path, RV_MAP_CONSUMER, false);
    if (error)
        return error;
    *source = rv_live_open(map, &params->live);
    return *source ? 0 : -EBUSY;
}
