/*
 * The samples of V8's profiler: {startTime, endTime, timeDeltas [..], samples [..], nodes [{id, parent or children
 * [..], callFrame {functionName, url, lineNumber},
 * positionTicks [{line, ticks}]}]}. DevTools puts them into `args` of "CpuProfile" events, as data
 * {cpuProfile {..}}, or split over those of "Profile" and "ProfileChunk", with startTime and timeDeltas next to
 * cpuProfile. A .cpuprofile file is one such object. A part of the JSON parsers, which pass it every key and value.
 */
#ifndef RV_IMPORT_CHROME_PROFILE_H
#define RV_IMPORT_CHROME_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RV_CHROME_PROFILE_DEPTH 9  /* keys below this depth are passed; 2 is directly inside args */
#define RV_CHROME_PROFILE_FIELDS 4 /* the depth of startTime and the others in a cpuProfile, or in a file */

struct rv_chrome_node {
    uint64_t id, parent; /* parent 0 = none */
    char name[256], url[512];
    uint32_t line; /* from 1; 0 = unknown */
    uint32_t n_ticks, first_tick;
};

struct rv_chrome_tick { /* of a node's samples so many were at this line */
    uint32_t line, n;
};

struct rv_chrome_edge { /* numbers of nodes */
    uint64_t caller, callee;
};

struct rv_chrome_profile {                       /* zero = empty */
    unsigned char path[RV_CHROME_PROFILE_DEPTH]; /* the open key at each depth */
    bool has_start, has_end, is_node_kept;
    int64_t start_ns, end_ns;
    uint64_t n_left_out; /* entries beyond the limit */
    struct rv_chrome_node *nodes;
    size_t n_nodes, nodes_capacity;
    struct rv_chrome_edge *edges; /* from nodes with lists of children */
    size_t n_edges, edges_capacity;
    struct rv_chrome_tick *ticks; /* of the nodes, in their order */
    size_t n_ticks, ticks_capacity;
    uint64_t *samples; /* ids of nodes */
    size_t n_samples, samples_capacity;
    int64_t *deltas_ns; /* time since the previous sample */
    size_t n_deltas, deltas_capacity;
};

void rv_chrome_profile_clear(struct rv_chrome_profile *profile); /* keeps its memory */
/* The same, for a file whose outermost object is the cpuProfile. */
void rv_chrome_profile_begin_file(struct rv_chrome_profile *profile);
void rv_chrome_profile_fini(struct rv_chrome_profile *profile);

/* What the JSON parser has met at a depth: a key, a value, the begin of an object. */
void rv_chrome_profile_key(struct rv_chrome_profile *profile, unsigned depth, const char *key, size_t n);
void rv_chrome_profile_value(struct rv_chrome_profile *profile, unsigned depth, const char *bytes, size_t n);
void rv_chrome_profile_open(struct rv_chrome_profile *profile, unsigned depth); /* an object, whose keys are there */

#endif
