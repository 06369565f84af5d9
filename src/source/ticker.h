/* The tick word of --clock=tick: a thread increments it about every 100 us, and producers read the clock only then.
 */
#ifndef RV_SOURCE_TICKER_H
#define RV_SOURCE_TICKER_H

#include <stdint.h>

struct rv_ticker; /* opaque */

/* Start the thread. The word is in a trace file's map, which must stay until stop. */
struct rv_ticker *rv_ticker_start(uint32_t *word);
void rv_ticker_stop(struct rv_ticker *ticker); /* NULL-safe */

#endif
