#include "cli/check.h"

#include <errno.h>

#include "base/err.h"
#include "sink/check.h"

typedef unsigned long long wide;

static void write_damage(void *context, const struct rv_rec_damage *damage)
{
    FILE *out = context;
    if (damage->n_bytes)
        fprintf(out, "at byte %llu: %llu bytes: %s\n", (wide)damage->offset, (wide)damage->n_bytes, damage->what);
    else
        fprintf(out, "at byte %llu: %s\n", (wide)damage->offset, damage->what);
}

static void write_summary(const char *path, const struct rv_check_result *found, FILE *out)
{
    double seconds = found->n_events ? (double)(found->last_ns - found->first_ns) / 1e9 : 0;
    double each = found->n_events ? (double)found->n_bytes / (double)found->n_events : 0;
    fprintf(out, "%s: %llu events of %llu threads in %llu blocks, %llu names; %.3f s; %llu bytes, %.3f an event\n",
            path, (wide)found->n_events, (wide)found->n_streams, (wide)found->n_blocks, (wide)found->n_strings, seconds,
            (wide)found->n_bytes, each);
    if (found->n_gone)
        fprintf(out, "%s: %llu other events were discarded\n", path, (wide)found->n_gone);
    if (found->n_missing)
        fprintf(out, "%s: %llu more events are missing\n", path, (wide)found->n_missing);
    if (rv_check_is_whole(found))
        fprintf(out, "%s: whole\n", path);
}

int rv_check_write(const struct rv_options *options, FILE *out)
{
    struct rv_rec_reader_params params = {write_damage, out};
    struct rv_check_result found;
    int error = rv_check_read(options->file, &params, options->repair, options->is_forced, &found);
    if (error)
        return error;
    write_summary(options->file, &found, out);
    if (rv_check_is_whole(&found) || options->repair)
        return 0;
    if (found.n_damages == 0)
        return rv_err(EBADMSG, "%s: ends early: its recorder was killed, or is still running", options->file);
    return rv_err(EBADMSG, "%s: damaged in %llu place%s, %llu bytes; --repair=OUT.rvz keeps the rest", options->file,
                  (wide)found.n_damages, found.n_damages == 1 ? "" : "s", (wide)found.n_damaged);
}
