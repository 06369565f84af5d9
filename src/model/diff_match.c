#include "model/diff_match.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* Limit of candidate pairs with one name; beyond it, only equal files match. */
#define MAX_PAIRS 1000000u

struct side {
    struct rv_diff_subject *subjects;
    size_t n;
};

/* ---- subjects of one name ---- */

struct item { /* not matched yet; key is the name to match by */
    const char *key;
    size_t target;
};

struct items {
    struct item *items;
    size_t n;
};

static int compare_items(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    int order = strcmp(a->key, b->key);
    return order ? order : a->target < b->target ? -1 : a->target > b->target;
}

static void sort_items(struct items *items)
{
    if (items->n)
        qsort(items->items, items->n, sizeof *items->items, compare_items);
}

/* Number of equal trailing path components; one more for equal paths. */
static size_t common_tail(const char *a, const char *b)
{
    size_t at_a = strlen(a), at_b = strlen(b), n = 0;
    while (at_a && at_b && a[at_a - 1] == b[at_b - 1]) {
        at_a--;
        at_b--;
        n += a[at_a] == '/';
    }
    if (at_a == 0 && at_b == 0)
        return n + 2;
    bool is_part = (at_a == 0 || a[at_a - 1] == '/') && (at_b == 0 || b[at_b - 1] == '/');
    return n + (is_part && a[at_a] && a[at_a] != '/');
}

struct best {
    size_t other, tail; /* tail 0: none */
    bool is_alone;      /* no other candidate has as long a tail */
};

static struct best find_best(const struct side *from, size_t target, const struct side *to, const struct item *items,
                             size_t n)
{
    struct best best = {0};
    for (size_t i = 0; i < n; i++) {
        const struct rv_diff_subject *other = &to->subjects[items[i].target];
        if (other->match != RV_DIFF_UNMATCHED)
            continue;
        size_t tail = common_tail(from->subjects[target].file, other->file);
        if (tail >= best.tail)
            best.is_alone = tail > best.tail;
        if (tail > best.tail) {
            best.tail = tail;
            best.other = items[i].target;
        }
    }
    return best;
}

static void match(const struct side sides[2], size_t before, size_t after)
{
    sides[0].subjects[before].match = after;
    sides[1].subjects[after].match = before;
}

/* Match pairs that are each other's best candidate. Returns whether there were any. */
static bool match_tails(const struct side sides[2], const struct item *before, size_t n_before,
                        const struct item *after, size_t n_after)
{
    bool has_matched = false;
    for (size_t i = 0; i < n_before; i++) {
        size_t target = before[i].target;
        if (sides[0].subjects[target].match != RV_DIFF_UNMATCHED)
            continue;
        struct best there = find_best(&sides[0], target, &sides[1], after, n_after);
        if (!there.tail || !there.is_alone)
            continue;
        struct best back = find_best(&sides[1], there.other, &sides[0], before, n_before);
        if (back.is_alone && back.other == target) {
            match(sides, target, there.other);
            has_matched = true;
        }
    }
    return has_matched;
}

/* The only unmatched one on a side, or RV_DIFF_UNMATCHED when there are none or several. */
static size_t find_single(const struct side *side, const struct item *items, size_t n)
{
    size_t found = RV_DIFF_UNMATCHED;
    for (size_t i = 0; i < n; i++) {
        if (side->subjects[items[i].target].match != RV_DIFF_UNMATCHED)
            continue;
        if (found != RV_DIFF_UNMATCHED)
            return RV_DIFF_UNMATCHED;
        found = items[i].target;
    }
    return found;
}

static void match_equal(const struct side sides[2], const struct item *before, size_t n_before,
                        const struct item *after, size_t n_after)
{
    for (size_t i = 0, j = 0; i < n_before && j < n_after;) { /* both are sorted by file */
        int order = strcmp(sides[0].subjects[before[i].target].file, sides[1].subjects[after[j].target].file);
        if (order == 0)
            match(sides, before[i].target, after[j].target);
        i += order <= 0;
        j += order >= 0;
    }
}

static void match_group(const struct side sides[2], const struct item *before, size_t n_before,
                        const struct item *after, size_t n_after, bool is_alone_enough)
{
    match_equal(sides, before, n_before, after, n_after);
    if (n_before > MAX_PAIRS / n_after)
        return;
    while (match_tails(sides, before, n_before, after, n_after))
        ;
    size_t single[2] = {find_single(&sides[0], before, n_before), find_single(&sides[1], after, n_after)};
    bool has_files = single[0] != RV_DIFF_UNMATCHED && single[1] != RV_DIFF_UNMATCHED &&
                     *sides[0].subjects[single[0]].file && *sides[1].subjects[single[1]].file;
    if (single[0] != RV_DIFF_UNMATCHED && single[1] != RV_DIFF_UNMATCHED && (is_alone_enough || !has_files))
        match(sides, single[0], single[1]);
}

static size_t group_end(const struct items *items, size_t begin)
{
    size_t end = begin;
    while (end < items->n && strcmp(items->items[end].key, items->items[begin].key) == 0)
        end++;
    return end;
}

/* Match group by group of equal keys; the name alone suffices only when the key is the full name. */
static void match_keys(const struct side sides[2], struct items items[2], bool is_alone_enough)
{
    sort_items(&items[0]);
    sort_items(&items[1]);
    for (size_t i = 0, j = 0; i < items[0].n && j < items[1].n;) {
        size_t end[2] = {group_end(&items[0], i), group_end(&items[1], j)};
        int order = strcmp(items[0].items[i].key, items[1].items[j].key);
        if (order == 0)
            match_group(sides, items[0].items + i, end[0] - i, items[1].items + j, end[1] - j, is_alone_enough);
        i = order <= 0 ? end[0] : i;
        j = order >= 0 ? end[1] : j;
    }
}

static void match_names(const struct side sides[2])
{
    struct items items[2];
    for (int side = 0; side < 2; side++) {
        items[side] = (struct items){rv_alloc(sides[side].n, sizeof(struct item)), sides[side].n};
        for (size_t i = 0; i < sides[side].n; i++)
            items[side].items[i] = (struct item){sides[side].subjects[i].full, i};
    }
    match_keys(sides, items, true);
    free(items[0].items);
    free(items[1].items);
}

/* ---- packages ---- */

struct package { /* a package of unmatched subjects */
    const char *name;
    struct items subjects; /* by their names without it */
};

struct packages {
    struct package *packages; /* by name */
    size_t n;
};

static int by_package(const void *left, const void *right, void *subjects)
{
    const struct rv_diff_subject *a = (struct rv_diff_subject *)subjects + ((const struct item *)left)->target;
    const struct rv_diff_subject *b = (struct rv_diff_subject *)subjects + ((const struct item *)right)->target;
    int order = strcmp(a->package, b->package);
    return order ? order : compare_items(left, right);
}

/* Collect unmatched subjects by package. Each package owns its items. */
static struct packages take_packages(const struct side *side, struct item *items)
{
    struct packages found = {0};
    size_t n = 0, capacity = 0;
    for (size_t i = 0; i < side->n; i++)
        if (side->subjects[i].match == RV_DIFF_UNMATCHED && *side->subjects[i].package)
            items[n++] = (struct item){side->subjects[i].name, i};
    if (n)
        qsort_r(items, n, sizeof *items, by_package, side->subjects);
    for (size_t i = 0; i < n; i++) {
        const char *name = side->subjects[items[i].target].package;
        if (found.n == 0 || strcmp(found.packages[found.n - 1].name, name) != 0) {
            found.packages = rv_vec_reserve(found.packages, &capacity, found.n + 1, sizeof *found.packages);
            found.packages[found.n++] = (struct package){.name = name, .subjects.items = &items[i]};
        }
        found.packages[found.n - 1].subjects.n++;
    }
    return found;
}

static bool has_package(const struct side *side, const char *package)
{
    for (size_t i = 0; i < side->n; i++)
        if (strcmp(side->subjects[i].package, package) == 0)
            return true;
    return false;
}

/* Number of names that both packages have, in files with equal ends or unknown files. */
static size_t count_common(const struct side sides[2], const struct items *before, const struct items *after)
{
    size_t n = 0;
    for (size_t i = 0, j = 0; i < before->n && j < after->n;) {
        int order = strcmp(before->items[i].key, after->items[j].key);
        const char *files[2] = {sides[0].subjects[before->items[i].target].file,
                                sides[1].subjects[after->items[j].target].file};
        n += order == 0 && (!*files[0] || !*files[1] || common_tail(files[0], files[1]) > 0);
        i += order <= 0;
        j += order >= 0;
    }
    return n;
}

static size_t find_most_common(const struct side sides[2], const struct packages *before, size_t package,
                               const struct packages *after)
{
    size_t most = 0, found = RV_DIFF_UNMATCHED;
    for (size_t j = 0; j < after->n; j++) {
        size_t n = after->packages[j].name
                       ? count_common(sides, &before->packages[package].subjects, &after->packages[j].subjects)
                       : 0;
        if (n > most) {
            most = n;
            found = j;
        }
    }
    return found;
}

static void match_packages(const struct side sides[2])
{
    struct item *items[2];
    struct packages packages[2];
    for (int side = 0; side < 2; side++) {
        items[side] = rv_alloc(sides[side].n, sizeof(struct item));
        packages[side] = take_packages(&sides[side], items[side]);
    }
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < packages[side].n; i++)
            if (has_package(&sides[!side], packages[side].packages[i].name))
                packages[side].packages[i].name = NULL; /* it exists on both sides */
    for (size_t i = 0; i < packages[0].n; i++) {
        size_t other =
            packages[0].packages[i].name ? find_most_common(sides, &packages[0], i, &packages[1]) : RV_DIFF_UNMATCHED;
        if (other == RV_DIFF_UNMATCHED)
            continue;
        struct items pair[2] = {packages[0].packages[i].subjects, packages[1].packages[other].subjects};
        match_keys(sides, pair, false);
        packages[1].packages[other].name = NULL;
    }
    for (int side = 0; side < 2; side++) {
        free(packages[side].packages);
        free(items[side]);
    }
}

void rv_diff_match(struct rv_diff_subject *before, size_t n_before, struct rv_diff_subject *after, size_t n_after)
{
    const struct side sides[2] = {{before, n_before}, {after, n_after}};
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < sides[side].n; i++)
            sides[side].subjects[i].match = RV_DIFF_UNMATCHED;
    match_names(sides);
    match_packages(sides);
}
