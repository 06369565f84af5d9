/* Pages for code that is jumped to from other code, by displacements of 32 bits. */
#ifndef RV_PRODUCERS_NATIVE_NEAR_PAGES_H
#define RV_PRODUCERS_NATIVE_NEAR_PAGES_H

#include <stddef.h>
#include <stdint.h>

#include "producers/native/visibility.h"

/* Memory that code between two addresses can reach, not executable yet: below these, since the heap grows above a
 * program, else far above. NULL: there is none. */
RV_HIDDEN void *rv_near_pages_map(uint64_t first, uint64_t last, size_t n_bytes);

#endif
