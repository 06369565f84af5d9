/* Interface of a format of --export. */
#ifndef RV_EXPORT_FORMAT_H
#define RV_EXPORT_FORMAT_H

#include <stdbool.h>

#include "export/export.h"
#include "export/losses.h"
#include "export/text_buffer.h"
#include "export/wakes.h"
#include "tasks/flow_table.h"
#include "waits/holders.h"

#define RV_EXPORT_HOLDERS "lock holders"     /* category of the holds of objects, which are no calls */
#define RV_EXPORT_FIRST_FREE_NUMBER 4194304u /* the kernel's process and thread ids are below */

struct rv_export_lane {
    const struct rv_lane *lane;
    uint32_t rank;        /* among all lanes, including those not exported */
    uint32_t pid, tid;    /* unique in the export */
    uint32_t process_idx; /* dense, in order of appearance */
    bool opens_process;   /* first lane of its process */
};

struct rv_export_object { /* that threads waited for */
    const char *name;     /* with its kind */
    uint32_t idx;         /* dense, in order of appearance */
    uint32_t n_rows;      /* of holds, since several threads may have it at a time; 0: none is known */
};

/* Argument of every callback: append to text, which is written out between calls. */
struct rv_export_target {
    const struct rv_export *export;
    struct rv_text_buffer *text;
    uint64_t first_ns;                 /* of all lanes */
    const struct rv_flow_table *flows; /* NULL = none */
    size_t n_flows;
    uint32_t objects_pid; /* unique in the export, for a process that has the objects */
    FILE *out;
    int error; /* negative errno of the first write that failed; later text is dropped */
};

/* Write the text out, for a callback that appends more than a few kilobytes. */
void rv_export_drain(struct rv_export_target *target);

struct rv_export_format {
    size_t state_bytes; /* zeroed before begin */
    void (*begin)(void *state, struct rv_export_target *target);
    void (*begin_lane)(void *state, struct rv_export_target *target, const struct rv_export_lane *lane);
    /* The lane's calls in calling order, from rv_preorder_next(); called any number of times. */
    void (*spans)(void *state, struct rv_export_target *target, const struct rv_span *spans, size_t n);
    void (*note)(void *state, struct rv_export_target *target, const struct rv_lane_note *note); /* may be NULL */
    /* Where a flow or task of this number goes on in the lane. May be NULL. */
    void (*step)(void *state, struct rv_export_target *target, size_t flow, const struct rv_flow_step *step);
    /* Where the lane ended another's wait, or a wait of its own ends. May be NULL. */
    void (*wake)(void *state, struct rv_export_target *target, const struct rv_wake_end *end);
    void (*end_lane)(void *state, struct rv_export_target *target);
    /*
     * After all lanes, of each object that threads waited for: the times in which a thread had it, as far as known, in
     * order of their begins, and how many wait for it from a time on. All may be NULL.
     */
    void (*begin_object)(void *state, struct rv_export_target *target, const struct rv_export_object *object);
    void (*hold)(void *state, struct rv_export_target *target, const struct rv_hold *hold);
    void (*waiting)(void *state, struct rv_export_target *target, uint64_t from_ns, size_t n_waiting);
    void (*end)(void *state, struct rv_export_target *target);
    void (*fini)(void *state);
};

#define EXPORT_FORMAT(id, name) extern const struct rv_export_format rv_export_##name;
#include "export/format_rows.h"
#undef EXPORT_FORMAT

#endif
