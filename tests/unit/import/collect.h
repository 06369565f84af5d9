/*
 * An intake that keeps what a source delivers, and aborts if the source breaks a rule of intakes, batches or depth
 * tags: for suites and fuzz targets.
 */
#ifndef RV_TEST_COLLECT_H
#define RV_TEST_COLLECT_H

#include "source/source.h"

struct collected_stream {
    uint32_t pid, tid;
    char process_name[64], name[64];
    struct rv_event *events;
    size_t n, capacity;
    uint32_t depth; /* open calls, by the tags */
    uint64_t last_ns, end_ns;
    bool is_closed;
};

struct collected {
    struct rv_intake intake;
    struct rv_batch batch;
    bool is_lent;
    bool is_stopping; /* the source is asked to stop */
    struct collected_stream *streams;
    size_t n_streams, capacity;
    char **names; /* by id; NULL = not defined */
    size_t n_names, names_capacity;
};

void collect_init(struct collected *collected);
void collect_fini(struct collected *collected);

/* Poll until the end, at most n_turns; then it is asked to stop. Aborts when it does not, or leaves a stream open. */
void collect_all(struct collected *collected, struct rv_source *source, unsigned n_turns);

#endif
