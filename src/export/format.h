/* What a format of --export is to the loop that feeds it. */
#ifndef RV_EXPORT_FORMAT_H
#define RV_EXPORT_FORMAT_H

#include <stdbool.h>

#include "export/export.h"
#include "export/losses.h"
#include "export/text_buffer.h"

#define RV_EXPORT_FIRST_FREE_NUMBER 4194304u /* the kernel's process and thread numbers are below */

struct rv_export_lane {
    const struct rv_lane *lane;
    uint32_t rank;        /* among all lanes, those that are left out too */
    uint32_t pid, tid;    /* unique in the export */
    uint32_t process_idx; /* dense, by first sight */
    bool opens_process;   /* the first lane of its process */
};

/* Handed to every callback: append to text, which is written out between them. */
struct rv_export_target {
    const struct rv_export *export;
    struct rv_text_buffer *text;
    uint64_t first_ns; /* of all lanes */
    FILE *out;
    int error; /* negative errno of the first write that failed; later text is dropped */
};

/* Write out what has come together, for a callback that appends more than a few kilobytes. */
void rv_export_drain(struct rv_export_target *target);

struct rv_export_format {
    size_t state_bytes; /* zeroed before begin */
    void (*begin)(void *state, struct rv_export_target *target);
    void (*begin_lane)(void *state, struct rv_export_target *target, const struct rv_export_lane *lane);
    /* Calls of the lane in calling order, as rv_preorder_next() gives them: once or more, or never. */
    void (*spans)(void *state, struct rv_export_target *target, const struct rv_span *spans, size_t n);
    void (*note)(void *state, struct rv_export_target *target, const struct rv_lane_note *note); /* may be NULL */
    void (*end_lane)(void *state, struct rv_export_target *target);
    void (*end)(void *state, struct rv_export_target *target);
    void (*fini)(void *state);
};

extern const struct rv_export_format rv_export_chrome, rv_export_perfetto, rv_export_folded, rv_export_speedscope;

#endif
