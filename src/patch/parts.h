/* Work that falls into independent parts, done by one thread or by several at once. */
#ifndef RV_PATCH_PARTS_H
#define RV_PATCH_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#define RV_PATCH_WORKERS 2u /* at most */

/*
 * How parts are shared: runs work(context) in the caller and, where that gains time, once more at the same time, and
 * returns when both have ended. What is run neither allocates nor uses anything else of the thread that it is in.
 *   returns  false: one was ended before its time, so all is to be done again
 */
typedef bool rv_patch_share_fn(void (*work)(void *context), void *context);

/*
 * Run each part from 0 to n once, in any order, in workers of which no two at once have the same number.
 *   share    NULL: by the caller alone, in order
 *   returns  as share
 */
bool rv_patch_parts_run(rv_patch_share_fn *share, size_t n, void (*run)(void *context, unsigned worker, size_t part),
                        void *context);

#endif
