/* The progress of long work in one line, on a terminal only. */
#ifndef RV_CLI_PROGRESS_H
#define RV_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct rv_progress {
    const char *what; /* NULL: nothing is shown */
    uint64_t said_ns;
    bool has_said;
};

/* what: a path or a name; borrowed. */
void rv_progress_begin(struct rv_progress *progress, const char *what);

/* So much is done, from 0 to 1, of a struct rv_progress. Short work shows nothing. */
void rv_progress_tell(void *progress, double done);
void rv_progress_end(struct rv_progress *progress); /* then nothing is shown */

#endif
