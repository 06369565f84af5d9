/* Times that the user has marked. No GL, no SDL. */
#ifndef RV_VIEWER_BOOKMARKS_H
#define RV_VIEWER_BOOKMARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RV_BOOKMARKS_MAX 64u

struct rv_bookmarks {              /* zeroed = none */
    uint64_t ns[RV_BOOKMARKS_MAX]; /* rising */
    size_t n;
};

/* Toggle a bookmark: remove one within near_ns of the time, else add one if there is room. */
void rv_bookmarks_toggle(struct rv_bookmarks *marks, uint64_t ns, uint64_t near_ns);

/* The first bookmark after a time, else the first of all; false without bookmarks. */
bool rv_bookmarks_next(const struct rv_bookmarks *marks, uint64_t ns, uint64_t *next_ns);

#endif
