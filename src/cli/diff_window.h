/* Two captures side by side in one picture, from one moment on, with what differs between them as height and colour. */
#ifndef RV_CLI_DIFF_WINDOW_H
#define RV_CLI_DIFF_WINDOW_H

#include "cli/options.h"
#include "model/compare.h"

/*
 * The window, or the screenshot that the options ask for. The files are read once more.
 *   starts_ns  of each side, on its clock: what is to be one moment
 *   returns    0, or a negative errno with one line printed
 */
int rv_cli_diff_window(const struct rv_options *options, const struct rv_compare *compare,
                       const uint64_t starts_ns[RV_COMPARE_SIDES]);

#endif
