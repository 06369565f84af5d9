/* The part of a trace that --find, --filter, --from and --to leave, for what is written as text at the end. */
#ifndef RV_CLI_SLICE_H
#define RV_CLI_SLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/options.h"
#include "model/lanes.h"
#include "model/filter.h"
#include "model/range.h"
#include "model/subroutines.h"
#include "export/slice.h"

struct rv_cli_slice {
    bool is_all;             /* nothing is left out */
    uint64_t from_ns, to_ns; /* of the trace's clock */
    struct rv_filter filter;
};

/* Do the options leave out anything? */
bool rv_cli_slice_is_asked(const struct rv_options *options);

/* What the options say of a trace that is complete. */
void rv_cli_slice_init(struct rv_cli_slice *slice, const struct rv_options *options, struct rv_lanes *lanes,
                       struct rv_subroutines *subroutines);
/* The same for what sinks write; its filter is borrowed. */
struct rv_slice rv_cli_slice_part(const struct rv_cli_slice *slice);
void rv_cli_slice_fini(struct rv_cli_slice *slice);

/* One line where --from or --at come after all that was captured. */
void rv_cli_slice_warn(const struct rv_options *options, struct rv_lanes *lanes);

/* Statistics of it, for the caller to destroy. Warns of what was evicted. */
struct rv_range *rv_cli_slice_measure(const struct rv_cli_slice *slice, struct rv_lanes *lanes,
                                      struct rv_subroutines *subroutines);

#endif
