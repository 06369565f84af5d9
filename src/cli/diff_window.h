/* Two captures in one picture, aligned at their starts, with differences shown as height and colour. */
#ifndef RV_CLI_DIFF_WINDOW_H
#define RV_CLI_DIFF_WINDOW_H

#include "cli/options.h"
#include "model/diff.h"

/*
 * Show the window or write the screenshot. Reads the files again.
 *   starts_ns  times to align, on each side's clock
 *   returns    0, or a negative errno with one line printed
 */
int rv_cli_diff_window(const struct rv_options *options, const struct rv_diff *diff,
                       const uint64_t starts_ns[RV_DIFF_SIDES]);

#endif
