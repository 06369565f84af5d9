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

struct rv_excerpt {
    bool is_all;             /* nothing is left out */
    uint64_t from_ns, to_ns; /* of the trace's clock */
    struct rv_lens lens;
};

/* Do the options leave out anything? */
bool rv_excerpt_is_asked(const struct rv_options *options);

/* What the options say of a trace that is complete. */
void rv_excerpt_init(struct rv_excerpt *excerpt, const struct rv_options *options, struct rv_lanes *lanes,
                     struct rv_subroutines *subroutines);
/* The same for what sinks write; its lens is borrowed. */
struct rv_part rv_excerpt_part(const struct rv_excerpt *excerpt);
void rv_excerpt_fini(struct rv_excerpt *excerpt);

/* One line where --from or --at come after all that was captured. */
void rv_excerpt_warn(const struct rv_options *options, struct rv_lanes *lanes);

/* Statistics of it, for the caller to destroy. Warns of what was evicted. */
struct rv_range *rv_excerpt_measure(const struct rv_excerpt *excerpt, struct rv_lanes *lanes,
                                    struct rv_subroutines *subroutines);

#endif
