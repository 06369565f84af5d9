#include "cli/recorder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/units.h"

/* In a block, without a window: with as many as there may be files are 3 % smaller, but two threads take 2 MiB more. */
enum { LEAN_BLOCK_EVENTS = 1 << 15 };

/* Of a process that ringviz attaches to. */
static void process_name(uint32_t pid, char name[64])
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/comm", pid);
    FILE *comm = fopen(path, "re");
    if (!comm || !fgets(name, 64, comm))
        snprintf(name, 64, "program");
    name[strcspn(name, "\n")] = '\0';
    if (comm)
        fclose(comm);
}

/* The name of what is recorded, without folders and without .rvz. */
static void base_name(const struct rv_options *options, char *name, size_t n_bytes)
{
    char running[64] = "";
    if (options->pid)
        process_name(options->pid, running);
    const char *path = options->file ? options->file : options->argv ? options->argv[0] : running;
    const char *slash = strrchr(path, '/');
    snprintf(name, n_bytes, "%s", slash && slash[1] ? slash + 1 : path);
    char *ending = strrchr(name, '.');
    if (ending && strcmp(ending, ".rvz") == 0)
        *ending = '\0';
}

static uint64_t n_hits(const struct rv_recorder *recorder)
{
    struct rv_trigger *trigger = recorder->options->record_limit.trigger;
    return trigger ? rv_trigger_n_hits(trigger) : 0;
}

static int start(struct rv_recorder *recorder)
{
    char name[256];
    const struct rv_options *options = recorder->options;
    base_name(options, name, sizeof name);
    int error = rv_recording_writer_start(
        recorder->record,
        &(struct rv_recording_writer_params){.path = recorder->path,
                                             .program = name,
                                             .pid = recorder->pid,
                                             .mono_ns = recorder->mono_ns,
                                             .real_ns = recorder->real_ns,
                                             .is_forced = options->is_forced,
                                             .is_all = options->is_headless && !options->max_depth,
                                             .block_events = options->is_headless ? LEAN_BLOCK_EVENTS : 0,
                                             .limit = options->record_limit});
    recorder->is_on = !error;
    recorder->n_hits_before = n_hits(recorder);
    return error;
}

static void print_kept(const struct rv_recorder *recorder, const struct rv_recording_writer_totals *totals)
{
    const unsigned long long n_events = totals->n_events, n_bytes = totals->n_bytes, n_gone = totals->n_events_gone;
    const unsigned long long n_around = n_hits(recorder) - recorder->n_hits_before;
    if (recorder->options->record_limit.trigger)
        rv_warn("%s: %llu hit%s: %llu event%s around them and of the end in %llu bytes; %llu other%s discarded",
                recorder->path, n_around, rv_units_word(n_around, "", "s"), n_events, rv_units_word(n_events, "", "s"),
                n_bytes, n_gone, rv_units_word(n_gone, " was", "s were"));
    else if (n_gone)
        rv_warn("%s: the newest %llu event%s in %llu bytes; %llu before them %s discarded", recorder->path, n_events,
                rv_units_word(n_events, "", "s"), n_bytes, n_gone, rv_units_word(n_gone, "was", "were"));
    else
        rv_warn("%s: %llu event%s in %llu bytes", recorder->path, n_events, rv_units_word(n_events, "", "s"), n_bytes);
}

static void stop(struct rv_recorder *recorder)
{
    struct rv_recording_writer_totals totals;
    if (!recorder->is_on)
        return;
    recorder->is_on = false;
    int error = rv_recording_writer_stop(recorder->record, &totals);
    if (totals.n_bytes && !error)
        print_kept(recorder, &totals);
    if (error)
        recorder->error = error;
}

/* COMMAND.PID.rvz, or the first COMMAND.PID-N.rvz that does not exist. */
static void choose_name(struct rv_recorder *recorder)
{
    enum { MOST_NAMES = 10000 };
    char name[256];
    base_name(recorder->options, name, sizeof name);
    snprintf(recorder->path, sizeof recorder->path, "%s.%u.rvz", name, recorder->pid);
    for (unsigned i = 2; i < MOST_NAMES && access(recorder->path, F_OK) == 0; i++)
        snprintf(recorder->path, sizeof recorder->path, "%s.%u-%u.rvz", name, recorder->pid, i);
}

int rv_recorder_open(struct rv_recorder *recorder, const struct rv_options *options, uint32_t pid,
                     const struct rv_source *source)
{
    if (!rv_options_has(options, RV_OPTION_RECORD) && options->is_headless)
        return 0;
    char name[256];
    base_name(options, name, sizeof name);
    recorder->options = options;
    recorder->pid = pid;
    recorder->mono_ns = source->mono_ns;
    recorder->real_ns = source->real_ns;
    recorder->record = rv_recording_writer_create(options->n_threads);
    recorder->is_unnamed = rv_options_has(options, RV_OPTION_RECORD) && !options->record && !pid;
    if (options->record)
        snprintf(recorder->path, sizeof recorder->path, "%s", options->record);
    else if (recorder->is_unnamed)
        snprintf(recorder->path, sizeof recorder->path, "%s.by-%ld.rvz", name, (long)getpid());
    else
        snprintf(recorder->path, sizeof recorder->path, "%s.%u.rvz", name, pid);
    return rv_options_has(options, RV_OPTION_RECORD) ? start(recorder) : 0;
}

void rv_recorder_name(struct rv_recorder *recorder, pid_t pid)
{
    recorder->pid = (uint32_t)pid;
    if (!recorder->is_unnamed)
        return;
    char name[256], path[sizeof recorder->path];
    base_name(recorder->options, name, sizeof name);
    snprintf(path, sizeof path, "%s.%ld.rvz", name, (long)pid);
    int error = rv_recording_writer_rename(recorder->record, path);
    if (error)
        rv_warn("%s: %s; recording to %s", path, strerror(-error), recorder->path);
    else
        snprintf(recorder->path, sizeof recorder->path, "%s", path);
}

bool rv_recorder_switch(struct rv_recorder *recorder, bool is_on)
{
    if (!recorder->record || is_on == recorder->is_on)
        return recorder->is_on;
    if (is_on) {
        choose_name(recorder);
        recorder->is_later = true;
        if (start(recorder) == 0)
            rv_warn("recording to %s", recorder->path);
    } else {
        stop(recorder);
    }
    return recorder->is_on;
}

const char *rv_recorder_later_path(const struct rv_recorder *recorder)
{
    return recorder->is_later && recorder->is_on ? recorder->path : NULL;
}

int rv_recorder_close(struct rv_recorder *recorder)
{
    stop(recorder);
    rv_recording_writer_destroy(recorder->record);
    recorder->record = NULL;
    return recorder->error;
}
