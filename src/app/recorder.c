#include "app/recorder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"

/* What is recorded, without folders and without a recording's ending. */
static void base_name(const struct rv_options *options, char *name, size_t n_bytes)
{
    const char *path = options->file ? options->file : options->argv[0];
    const char *slash = strrchr(path, '/');
    snprintf(name, n_bytes, "%s", slash && slash[1] ? slash + 1 : path);
    char *ending = strrchr(name, '.');
    if (ending && strcmp(ending, ".rvz") == 0)
        *ending = '\0';
}

int rv_recorder_open(struct rv_recorder *recorder, const struct rv_options *options, uint32_t pid,
                     const struct rv_clock *clock)
{
    if (!options->has_record)
        return 0;
    char name[256];
    base_name(options, name, sizeof name);
    recorder->is_unnamed = !options->record && !pid;
    if (options->record)
        snprintf(recorder->path, sizeof recorder->path, "%s", options->record);
    else if (recorder->is_unnamed)
        snprintf(recorder->path, sizeof recorder->path, "%s.by-%ld.rvz", name, (long)getpid());
    else
        snprintf(recorder->path, sizeof recorder->path, "%s.%u.rvz", name, pid);
    return rv_record_open(&recorder->record, &(struct rv_record_params){.path = recorder->path,
                                                                        .program = name,
                                                                        .pid = pid,
                                                                        .mono_ns = clock->mono0_ns,
                                                                        .real_ns = clock->real0_ns,
                                                                        .is_forced = options->is_forced,
                                                                        .n_threads = options->n_threads});
}

void rv_recorder_name(struct rv_recorder *recorder, const struct rv_options *options, pid_t pid)
{
    if (!recorder->is_unnamed)
        return;
    char name[256], path[sizeof recorder->path];
    base_name(options, name, sizeof name);
    snprintf(path, sizeof path, "%s.%ld.rvz", name, (long)pid);
    int error = rv_record_rename(recorder->record, path);
    if (error)
        rv_warn("%s: %s; recording to %s", path, strerror(-error), recorder->path);
    else
        snprintf(recorder->path, sizeof recorder->path, "%s", path);
}

int rv_recorder_close(struct rv_recorder *recorder)
{
    if (!recorder->record)
        return 0;
    struct rv_record_totals totals;
    int error = rv_record_close(recorder->record, &totals);
    recorder->record = NULL;
    if (totals.n_bytes && !error)
        rv_warn("%s: %llu events in %llu bytes", recorder->path, (unsigned long long)totals.n_events,
                (unsigned long long)totals.n_bytes);
    return error;
}
