/*
 * New verdicts come a few at a time, as functions are called or --max-overhead chooses, while a program may have 40,000
 * sites on 30 MB of code. To go through all of them took 4 to 15 ms of CPU time at each of the 50 stops of cc1 in 4 s; now
 * a stop takes 1 ms.
 */
#include "producers/native/patch_verdicts.h"

#if defined(__x86_64__) && defined(__LP64__)

#include <errno.h>

#include "producers/native/process.h"
#include "producers/native/rejected_functions.h"
#include "ring/verdict_section.h"

#define MOST_CHANGED 8192u

static struct {
    bool is_current; /* the sites follow the first n verdicts, which have changed so often: */
    uint32_t n, n_changes;
    bool has_elsewhere; /* some of them reject functions that have no site: their hooks look them up */
    bool are_out;
    struct changed {
        size_t object_idx;
        struct rv_patch_site *site;
    } changed[MOST_CHANGED]; /* sites that have changed and are not written yet */
    size_t n_changed;
    struct rv_patch_site *sites[MOST_CHANGED]; /* sites of one object; here, since a thread's stack may be small */
} followed;

void rv_patch_verdicts_forget(void)
{
    followed.is_current = followed.are_out = false;
    followed.n_changed = 0;
}

void rv_patch_verdicts_begin(void)
{
    followed.is_current = true;
    followed.has_elsewhere = false;
    followed.n = followed.n_changes = 0;
    followed.n_changed = 0;
}

bool rv_patch_verdicts_are_out(void)
{
    return followed.are_out;
}

/* ---- judging ---- */

static struct rv_patch_site *find(struct rv_patcher_object *objects, size_t n_objects, uint64_t function, size_t *idx)
{
    struct rv_patch_site *site = NULL;
    for (*idx = 0; *idx < n_objects && !(site = rv_jumps_find(&objects[*idx], function));)
        ++*idx;
    return site;
}

/* Has a verdict no site? Then what it rejects is an import, or hooks look it up. */
static bool is_elsewhere(struct rv_patcher_object *objects, size_t n_objects, const struct rv_wire_verdict *verdict)
{
    for (size_t i = 0; i < n_objects; i++)
        if (rv_jumps_turn_import(&objects[i], verdict->address, verdict->is_kept))
            return false;
    return !verdict->is_kept;
}

static void turn(struct rv_patcher_object *object, struct rv_patch_site *site)
{
    struct rv_wire_instrumentation *counts = &object->prepared.counts;
    const uint32_t one = site->is_off ? (uint32_t)-1 : 1;
    site->is_off = !site->is_off;
    counts->n_filtered += counts->n_functions ? one : 0;
    counts->n_patched -= counts->n_functions && !site->is_use ? one : 0;
}

/* False: more have changed than can be kept. */
static bool judge(struct rv_patcher_object *objects, size_t n_objects, const struct rv_wire_verdict *verdict)
{
    size_t idx;
    if (!rv_verdict_is_own(verdict))
        return true;
    struct rv_patch_site *site = find(objects, n_objects, verdict->address, &idx);
    followed.has_elsewhere |= !site && is_elsewhere(objects, n_objects, verdict);
    if (!site || site->is_off == !verdict->is_kept)
        return true;
    if (followed.n_changed == MOST_CHANGED)
        return false;
    turn(&objects[idx], site);
    followed.changed[followed.n_changed++] = (struct changed){idx, site};
    return true;
}

/* What the viewer has decided comes before what names do. */
static void judge_anew(struct rv_patcher_object *objects, size_t n_objects, bool expects_clearing)
{
    size_t idx;
    followed.has_elsewhere = false;
    for (size_t i = 0; i < n_objects; i++) {
        rv_jumps_judge_by_names(&objects[i]);
        if (expects_clearing)
            rv_jumps_expect_clearing(&objects[i]);
    }
    for (uint32_t i = 0; i < followed.n; i++) {
        const struct rv_wire_verdict verdict = rv_verdicts_read(rv_process_map(), i);
        if (!rv_verdict_is_own(&verdict))
            continue;
        struct rv_patch_site *site = find(objects, n_objects, verdict.address, &idx);
        if (site)
            site->is_off = !verdict.is_kept;
        followed.has_elsewhere |= !site && is_elsewhere(objects, n_objects, &verdict);
    }
}

/* False: all verdicts and sites are to be judged. */
static bool judge_news(struct rv_patcher_object *objects, size_t n_objects)
{
    const struct rv_map *map = rv_process_map();
    const uint32_t n_changes = rv_verdicts_changes(map), n = rv_verdicts_count(map);
    const bool is_changed = n_changes != followed.n_changes || n < followed.n; /* any of them */
    const uint32_t first = is_changed ? 0 : followed.n;
    followed.n = n;
    followed.n_changes = n_changes;
    followed.has_elsewhere &= !is_changed;
    if (!followed.is_current)
        return false;
    for (uint32_t i = first; i < n; i++) {
        const struct rv_wire_verdict verdict = rv_verdicts_read(map, i);
        if (!judge(objects, n_objects, &verdict))
            return false;
    }
    return true;
}

/* ---- writing ---- */

/* Those that are written, or need not be, are forgotten. 0, 1 or -EAGAIN. */
static int write_changed(struct rv_patcher_object *objects, size_t object_idx, enum rv_jumps_change change)
{
    size_t n = 0, n_left = 0;
    int result = 0;
    for (size_t i = 0; i < followed.n_changed; i++)
        if (followed.changed[i].object_idx == object_idx)
            followed.sites[n++] = followed.changed[i].site;
    if (!n || rv_jumps_write_some(&objects[object_idx], followed.sites, n, change) != 0) {
        followed.is_current &= !n;
        return 0;
    }
    for (size_t i = 0; i < followed.n_changed; i++) {
        const struct changed changed = followed.changed[i];
        const bool is_other = changed.object_idx != object_idx;
        if (!is_other && !rv_jumps_is_missing(changed.site))
            continue;
        if (!is_other)
            result = change == RV_JUMPS_OFF_OUT ? 1 : -EAGAIN;
        changed.site->is_left_out &= change != RV_JUMPS_OFF_OUT;
        followed.changed[n_left++] = changed;
    }
    followed.n_changed = n_left;
    return result;
}

static int write_all(struct rv_patcher_object *object, enum rv_jumps_change change)
{
    int error = rv_jumps_write(object, change);
    followed.is_current &= !error;
    if (error)
        return 0;
    rv_jumps_count(object);
    if (change == RV_JUMPS_OFF_OUT)
        return rv_jumps_have(object, RV_JUMPS_AS_WANTED);
    return rv_jumps_have_missing(object) ? -EAGAIN : 0;
}

int rv_patch_verdicts_apply(struct rv_patcher_object *objects, size_t n_objects, bool is_there(size_t idx),
                            bool are_sites_clear)
{
    const enum rv_jumps_change change = are_sites_clear ? RV_JUMPS_AS_WANTED : RV_JUMPS_OFF_OUT;
    const bool are_all = !judge_news(objects, n_objects);
    int result = 0;
    if (are_all) {
        followed.n_changed = 0;
        judge_anew(objects, n_objects, !are_sites_clear);
    }
    followed.is_current = true;
    for (size_t i = 0; i < n_objects; i++) {
        const int one = !is_there(i) ? 0 : are_all ? write_all(&objects[i], change) : write_changed(objects, i, change);
        result = one ? one : result;
    }
    followed.are_out = followed.is_current && !followed.has_elsewhere;
    followed.is_current &= !are_all || !result;
    return result;
}

#endif
