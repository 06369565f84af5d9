/*
 * --trigger: a recording keeps only the time around hits. A trigger is a sink that checks finished calls and notes
 * against its conditions, and stores the time around each hit. A recording asks it about each segment
 * (sink/record_limit.h) once no later hit can want it, and discards the segments that no hit wants.
 *
 * Names may become known late: segments are held RV_TRIGGER_SLACK_NS longer than before_ns.
 */
#ifndef RV_SINK_TRIGGER_H
#define RV_SINK_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sink/sink.h"

#define RV_TRIGGER_SLACK_NS 500000000u /* naming takes a tenth of this; workers differ in progress */

struct rv_trigger_keep {
    uint64_t before_ns, after_ns; /* time kept around a hit; before_ns > 0 */
};

struct rv_trigger; /* opaque */

struct rv_trigger *rv_trigger_create(void);
void rv_trigger_destroy(struct rv_trigger *trigger);

/*
 * Add a condition, an alternative to the others: "slow NAME > 20ms", "call NAME", "depth > N", "gc > 5ms", "lost",
 * "mark TEXT". NAME and TEXT are model/regex.h's. Before the session.
 *   returns  0, or -EINVAL with the reason, without a line end, in `why`
 */
int rv_trigger_add(struct rv_trigger *trigger, const char *text, char *why, size_t why_bytes);

/* Set the time kept around hits. Before the session. */
void rv_trigger_set_keep(struct rv_trigger *trigger, struct rv_trigger_keep keep);

/* The sink that looks for hits; borrows the trigger. */
struct rv_sink rv_trigger_sink(struct rv_trigger *trigger);

/* Age of a segment at which all hits that may want it are known. Any thread, like the rest. */
uint64_t rv_trigger_horizon_ns(const struct rv_trigger *trigger);
uint64_t rv_trigger_before_ns(const struct rv_trigger *trigger);

/* Does a hit so far want a part of [first, last]? */
bool rv_trigger_wants(struct rv_trigger *trigger, uint64_t first_ns, uint64_t last_ns);
uint64_t rv_trigger_n_hits(struct rv_trigger *trigger);

#endif
