/*
 * The JSON of a Chrome trace, parsed incrementally into events: the array form and the object form, with `samples` and
 * `stackFrames`.
 */
#ifndef RV_IMPORT_CHROME_JSON_PARSER_H
#define RV_IMPORT_CHROME_JSON_PARSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "import/chrome_profile.h"

struct rv_chrome_json; /* opaque */

#define RV_CHROME_TEXT_BYTES 4096u
#define RV_CHROME_SERIES 16u

struct rv_chrome_text { /* truncated if too long; n == 0: missing */
    size_t n;
    char bytes[RV_CHROME_TEXT_BYTES];
};

struct rv_chrome_series { /* of a counter */
    char name[64];
    size_t n_name;
    double value;
};

struct rv_chrome_switched { /* of Fuchsia's context switches and wakeups: a thread. Numbers that are missing are -1 */
    int64_t tid, state;
};

/* One event, sample or stack frame, as written. */
struct rv_chrome_event {
    enum { RV_CHROME_EVENT, RV_CHROME_SAMPLED, RV_CHROME_STACK_FRAME, RV_CHROME_SYSTEM } kind;
    char phase;
    bool has_time, has_duration;
    bool is_before_zero;
    bool binds_enclosing;           /* bp is "e" */
    bool has_flow_in, has_flow_out; /* with bind */
    int64_t ns, duration_ns;
    struct rv_chrome_text name, category, id, bind, frame,
        parent; /* frame: its own number, or the sample's; numbers as text */
    struct rv_chrome_text pid, tid, argument_name;
    struct rv_chrome_series series[RV_CHROME_SERIES];
    size_t n_series;
    struct rv_chrome_switched out, in; /* who lost a CPU, who got it */
    int64_t cpu;
    struct rv_chrome_profile profile;
};

typedef int (*rv_chrome_event_fn)(void *context, const struct rv_chrome_event *event); /* 0, or an error to stop with */

struct rv_chrome_json *rv_chrome_json_create(rv_chrome_event_fn on_event, void *context);
void rv_chrome_json_destroy(struct rv_chrome_json *json);

/*
 * Parse the next n bytes, which are modified; n == 0 at the end.
 *   returns  0; the callback's error; -EBADMSG with why (at most why_bytes) when it is not JSON or not a trace
 */
int rv_chrome_json_feed(struct rv_chrome_json *json, char *bytes, size_t n, char *why, size_t why_bytes);

/* At the end: is the JSON truncated? (The array of events may be left open.) */
bool rv_chrome_json_is_cut(const struct rv_chrome_json *json);

#endif
