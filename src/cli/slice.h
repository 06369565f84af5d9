/* The slice selected by --find, --filter, --from and --to, for text output at the end. */
#ifndef RV_CLI_SLICE_H
#define RV_CLI_SLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/options.h"
#include "model/lanes.h"
#include "model/filter.h"
#include "model/subroutines.h"
#include "export/slice.h"
#include "pipeline/range_reader.h"

struct rv_cli_slice {
    bool is_all;             /* the whole capture */
    uint64_t from_ns, to_ns; /* of the trace's clock */
    const struct rv_filter *filter;
};

/* Do the options select a slice? */
bool rv_cli_slice_is_asked(const struct rv_options *options);

/* Its range of time, of the trace's clock. */
void rv_cli_slice_times(const struct rv_options *options, struct rv_lanes *lanes, uint64_t *from_ns, uint64_t *to_ns);

/* Compute the slice of a complete trace. */
void rv_cli_slice_init(struct rv_cli_slice *slice, const struct rv_options *options, struct rv_lanes *lanes,
                       struct rv_subroutines *subroutines);
/* The same for sinks' outputs; borrows the filter. */
struct rv_slice rv_cli_slice_part(const struct rv_cli_slice *slice);
void rv_cli_slice_fini(struct rv_cli_slice *slice);

/* Print one line if --from or --at is after the end of the capture, and one if no name of its subroutines or threads
 * passes --find and --filter. */
void rv_cli_slice_warn(const struct rv_options *options, struct rv_session *session);

/* Statistics of the slice; the caller destroys them. Loads the blocks of the slice that are not loaded. Warns about
 * evicted calls. */
struct rv_range_statistics *rv_cli_slice_measure(const struct rv_cli_slice *slice, struct rv_session *session);

#endif
