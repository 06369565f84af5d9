/*
 * All names that a session has defined, in their order, as a recording has them: what a file that begins later is told
 * first. Sources may tell again what is known, as a recording of the newest events does in every segment: that adds
 * nothing. One thread at a time.
 */
#ifndef RV_SINK_NAME_LOG_H
#define RV_SINK_NAME_LOG_H

#include <stddef.h>

#include "flow/stream_info.h"
#include "recording/column.h"

struct rv_name_log {            /* zero is empty */
    struct rv_rec_buffer names; /* struct rv_rec_string, each with its three texts */
    size_t *places;             /* where an id's last one begins there, + 1; 0: nowhere */
    size_t n_places;
};

void rv_name_log_add(struct rv_name_log *name_log, const struct rv_definition *definition);
void rv_name_log_fini(struct rv_name_log *name_log);

#endif
