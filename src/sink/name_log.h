/*
 * All names that a session has defined, in order and in a recording's format: a file that begins later gets them first.
 * Repeated definitions, as from the segments of a recording, are not added again. One thread at a time.
 */
#ifndef RV_SINK_NAME_LOG_H
#define RV_SINK_NAME_LOG_H

#include <stddef.h>

#include "recording/column_compression.h"
#include "stream/stream_info.h"

struct rv_name_log {            /* zeroed = empty */
    struct rv_rec_buffer names; /* struct rv_rec_string, each with its three texts */
    size_t *places;             /* offset of an id's last record + 1; 0: none */
    size_t n_places;
};

/* Copied; a repeated definition is dropped. */
void rv_name_log_add(struct rv_name_log *name_log, const struct rv_definition *definition);
void rv_name_log_fini(struct rv_name_log *name_log);

#endif
