#include "viewer/bookmarks.h"

#include <string.h>

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

void rv_bookmarks_toggle(struct rv_bookmarks *marks, uint64_t ns, uint64_t near_ns)
{
    size_t at = 0;
    for (size_t i = 0; i < marks->n; i++) {
        if (distance(marks->ns[i], ns) > near_ns)
            continue;
        marks->n--;
        memmove(&marks->ns[i], &marks->ns[i + 1], (marks->n - i) * sizeof *marks->ns);
        return;
    }
    if (marks->n == RV_BOOKMARKS_MAX)
        return;
    while (at < marks->n && marks->ns[at] < ns)
        at++;
    memmove(&marks->ns[at + 1], &marks->ns[at], (marks->n - at) * sizeof *marks->ns);
    marks->ns[at] = ns;
    marks->n++;
}

bool rv_bookmarks_next(const struct rv_bookmarks *marks, uint64_t ns, uint64_t *next_ns)
{
    for (size_t i = 0; i < marks->n; i++) {
        if (marks->ns[i] <= ns)
            continue;
        *next_ns = marks->ns[i];
        return true;
    }
    if (marks->n)
        *next_ns = marks->ns[0];
    return marks->n > 0;
}
