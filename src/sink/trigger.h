/*
 * --trigger: of a recording only the seconds around hits. A trigger is a sink that looks at finished calls, and at what
 * is no call; where one of its conditions holds it notes the time around that. A recording asks it for each of its
 * segments (sink/segments.h) as that becomes too old for a hit to want it, and gives back those that no hit wants: at
 * the beginning of the file and in the midst of it.
 *
 * A name that is not known yet is waited for: what a hit may want is held RV_TRIGGER_SLACK_NS longer than `before`.
 */
#ifndef RV_SINK_TRIGGER_H
#define RV_SINK_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sink/sink.h"

#define RV_TRIGGER_SLACK_NS 500000000u /* naming takes a tenth of that, and workers are behind each other */

struct rv_trigger_keep {
    uint64_t before_ns, after_ns; /* a hit; before_ns > 0 */
};

struct rv_trigger; /* opaque */

struct rv_trigger *rv_trigger_create(void);
void rv_trigger_destroy(struct rv_trigger *trigger);

/*
 * One more condition, an alternative to those before: "slow NAME > 20ms", "call NAME", "depth > N", "gc > 5ms", "lost",
 * "mark TEXT". NAME and TEXT are model/regex.h's. Before the session.
 *   returns  0, or -EINVAL with the reason, without a line end, in `why`
 */
int rv_trigger_add(struct rv_trigger *trigger, const char *text, char *why, size_t why_bytes);

/* What a hit keeps. Before the session. */
void rv_trigger_set_keep(struct rv_trigger *trigger, struct rv_trigger_keep keep);

struct rv_sink rv_trigger_sink(struct rv_trigger *trigger);

/* How old a segment is of which all hits are known that may want it. Any thread, as the rest. */
uint64_t rv_trigger_horizon_ns(const struct rv_trigger *trigger);
uint64_t rv_trigger_before_ns(const struct rv_trigger *trigger);

/* Does a hit so far want something of [first, last]? */
bool rv_trigger_wants(struct rv_trigger *trigger, uint64_t first_ns, uint64_t last_ns);
uint64_t rv_trigger_n_hits(struct rv_trigger *trigger);

#endif
