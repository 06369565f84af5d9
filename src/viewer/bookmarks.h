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

/* Mark a time; where one is marked not farther than near_ns from it, that mark goes. Full, nothing is marked. */
void rv_bookmarks_toggle(struct rv_bookmarks *marks, uint64_t ns, uint64_t near_ns);

/* The first mark after a time, the first of all where there is none; false without marks. */
bool rv_bookmarks_next(const struct rv_bookmarks *marks, uint64_t ns, uint64_t *next_ns);

#endif
