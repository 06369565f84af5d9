/*
 * The samples of V8's profiler, which DevTools puts into `args` of "Profile" and "ProfileChunk" events:
 * data {startTime, timeDeltas [..], cpuProfile {samples [..], nodes [{id, parent, callFrame {functionName, url,
 * lineNumber}}]}}. A part of the JSON parser: it is told of every key and value inside of args.
 */
#ifndef RV_SOURCE_CHROME_PROFILE_H
#define RV_SOURCE_CHROME_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RV_CHROME_PROFILE_DEPTH 8 /* keys are told of below this; 2 is directly inside of args */

struct rv_chrome_node {
    uint64_t id, parent; /* parent 0 = none */
    char name[256], url[512];
    uint32_t line; /* from 1; 0 = not known */
};

struct rv_chrome_profile {                       /* zero = empty */
    unsigned char path[RV_CHROME_PROFILE_DEPTH]; /* which key is open at each depth */
    bool has_start;
    int64_t start_ns;
    struct rv_chrome_node *nodes;
    size_t n_nodes, nodes_capacity;
    uint64_t *samples; /* ids of nodes */
    size_t n_samples, samples_capacity;
    int64_t *deltas_ns; /* of each sample to the one before */
    size_t n_deltas, deltas_capacity;
};

void rv_chrome_profile_clear(struct rv_chrome_profile *profile); /* keeps its memory */
void rv_chrome_profile_fini(struct rv_chrome_profile *profile);

void rv_chrome_profile_key(struct rv_chrome_profile *profile, unsigned depth, const char *key, size_t n);
void rv_chrome_profile_value(struct rv_chrome_profile *profile, unsigned depth, const char *bytes, size_t n);
void rv_chrome_profile_open(struct rv_chrome_profile *profile, unsigned depth); /* an object, whose keys are there */

#endif
