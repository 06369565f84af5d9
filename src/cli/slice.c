#include "cli/slice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/units.h"
#include "base/vec.h"

static const uint64_t WAIT_NS = 50000000; /* for a block */

bool rv_cli_slice_is_asked(const struct rv_options *options)
{
    return rv_options_has_part(options) || rv_filter_n_rules(options->filter) || options->find;
}

void rv_cli_slice_times(const struct rv_options *options, struct rv_lanes *lanes, uint64_t *from_ns, uint64_t *to_ns)
{
    uint64_t first_ns = 0, last_ns = 0;
    (void)rv_lanes_bounds(lanes, &first_ns, &last_ns);
    *from_ns = rv_clock_after_ns(first_ns, options->from_ns);
    *to_ns = options->to_ns ? rv_clock_after_ns(first_ns, options->to_ns) : UINT64_MAX;
}

void rv_cli_slice_init(struct rv_cli_slice *slice, const struct rv_options *options, struct rv_lanes *lanes,
                       struct rv_subroutines *subroutines)
{
    *slice =
        (struct rv_cli_slice){.is_all = !rv_cli_slice_is_asked(options), .filter = rv_filter_hold(options->filter)};
    rv_cli_slice_times(options, lanes, &slice->from_ns, &slice->to_ns);
    if (options->find) {
        char why[160];
        size_t n_bytes = strlen(options->find) + sizeof "name:";
        char *rule = rv_alloc(n_bytes, 1);
        (void)snprintf(rule, n_bytes, "%s%s", rv_filter_is_for_arguments(options->find) ? "" : "name:", options->find);
        (void)rv_filter_add(&slice->filter, rule, why, sizeof why);
        free(rule);
    }
    (void)rv_filter_update(slice->filter, subroutines, SIZE_MAX);
}

static void warn_of_times(const struct rv_options *options, struct rv_lanes *lanes)
{
    uint64_t first_ns, last_ns;
    const uint64_t begins_ns = options->at_ns > options->from_ns ? options->at_ns : options->from_ns;
    if (!begins_ns || !rv_lanes_bounds(lanes, &first_ns, &last_ns) || begins_ns <= last_ns - first_ns)
        return;
    char duration[32];
    rv_units_format_ns(duration, sizeof duration, last_ns - first_ns);
    rv_warn("--%s is after the end: the capture is %s long", begins_ns == options->from_ns ? "from" : "at", duration);
}

static bool passes_any_thread(const struct rv_filter *filter, struct rv_lanes *lanes)
{
    const size_t n = rv_lanes_n(lanes);
    bool passes = n == 0;
    for (size_t i = 0; i < n && !passes; i++) {
        struct rv_lane *lane = rv_lanes_get(lanes, i);
        pthread_rwlock_wrlock(&lane->lock);
        passes = rv_filter_passes_thread(filter, lane->name);
        pthread_rwlock_unlock(&lane->lock);
    }
    return passes;
}

/* Outputs without a call look the same, whatever the reason. */
static void warn_of_rules(const struct rv_options *options, struct rv_lanes *lanes, struct rv_subroutines *subroutines)
{
    static const char *const by[] = {"--find", "--filter", "--find and --filter"};
    const uint32_t n = rv_subroutines_count(subroutines);
    const int which = (options->find != NULL) + 2 * (rv_filter_n_rules(options->filter) != 0) - 1;
    struct rv_cli_slice slice;
    if (which < 0 || !n)
        return;
    rv_cli_slice_init(&slice, options, lanes, subroutines);
    if (!rv_filter_passes_any_name(slice.filter, n))
        rv_warn("no subroutine has a name that passes %s", by[which]);
    else if (!passes_any_thread(slice.filter, lanes))
        rv_warn("no thread has a name that passes %s", by[which]);
    rv_cli_slice_fini(&slice);
}

void rv_cli_slice_warn(const struct rv_options *options, struct rv_session *session)
{
    struct rv_lanes *lanes = rv_session_lanes(session);
    warn_of_times(options, lanes);
    warn_of_rules(options, lanes, rv_session_subroutines(session));
}

struct rv_slice rv_cli_slice_part(const struct rv_cli_slice *slice)
{
    if (slice->is_all)
        return (struct rv_slice){0};
    return (struct rv_slice){.from_ns = slice->from_ns, .to_ns = slice->to_ns, .filter = slice->filter};
}

void rv_cli_slice_fini(struct rv_cli_slice *slice)
{
    rv_filter_release(slice->filter);
}

struct rv_range_statistics *rv_cli_slice_measure(const struct rv_cli_slice *slice, struct rv_session *session)
{
    struct rv_lanes *lanes = rv_session_lanes(session);
    struct rv_range_statistics *range =
        rv_range_statistics_create(&(struct rv_range_statistics_params){.from_ns = slice->from_ns,
                                                                        .to_ns = slice->to_ns,
                                                                        .lanes = lanes,
                                                                        .subroutines = rv_session_subroutines(session),
                                                                        .filter = slice->filter});
    struct rv_range_reader reader;
    rv_range_reader_init(&reader, range, session);
    while (!rv_range_reader_step(&reader, SIZE_MAX, WAIT_NS))
        continue;
    rv_range_reader_fini(&reader);
    uint64_t missing_ns = rv_range_statistics_missing_before_ns(range), first_ns = 0, last_ns = 0;
    char text[32];
    (void)rv_lanes_bounds(lanes, &first_ns, &last_ns);
    rv_units_format_ns(text, sizeof text, missing_ns > first_ns ? missing_ns - first_ns : 0);
    if (missing_ns)
        rv_warn("calls that ended in the first %s were evicted and are not counted; use --memory", text);
    if (rv_range_statistics_is_damaged(range))
        rv_warn("calls in damaged blocks are not counted");
    return range;
}
