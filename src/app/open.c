#include "app/open.h"

#include <errno.h>

static int open_import(struct rv_source **source, const struct rv_import_format *format,
                       const struct rv_open_params *params)
{
    *source = rv_import_open(format, &(struct rv_import_params){params->path, params->live.filter});
    return *source ? 0 : -EBADMSG;
}

int rv_open(struct rv_map *map, struct rv_source **source, const struct rv_open_params *params)
{
    const struct rv_import_format *format = params->format ? params->format : rv_import_format_of(params->path);
    if (format)
        return open_import(source, format, params);
    int error = rv_map_open(map, params->path, RV_MAP_CONSUMER, false);
    if (error)
        return error;
    *source = rv_live_open(map, &params->live);
    return *source ? 0 : -EBUSY;
}
