/* Functions that have not been called yet, but whose jumps are not written: the capture filter rejected their names as
 * the program was patched. */
#ifndef RV_SOURCE_UNCALLED_FUNCTIONS_H
#define RV_SOURCE_UNCALLED_FUNCTIONS_H

#include <stddef.h>

struct rv_capture_control;

/*
 * Publish that the functions are kept which fit the last rule of the filter, of patched programs that run: by the
 * symbols of their modules' files.
 *   returns  how many
 *   thread   drain; reads files
 */
size_t rv_uncalled_functions_show(struct rv_capture_control *capture);

#endif
