/* The recordings are replayed as one merged source through a session whose only sink is the new recording. */
#include "cli/merge.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/units.h"
#include "base/vec.h"
#include "pipeline/session.h"
#include "sink/recording_writer.h"
#include "source/merged_recordings.h"
#include "source/replay.h"

static const uint64_t TURN_NS = 50000000;

static struct rv_source *open_all(const struct rv_options *options)
{
    const size_t n = options->n_files;
    struct rv_source **sources = rv_alloc(n, sizeof(struct rv_source *));
    for (size_t i = 0; i < n && (sources[i] = rv_replay_open(options->files[i])); i++)
        ;
    struct rv_source *merged = rv_merged_recordings_open(
        &(struct rv_merged_recordings_params){.sources = sources, .paths = options->files, .n = n});
    free(sources);
    return merged;
}

static int run(struct rv_source *source, struct rv_recording_writer *record, unsigned n_threads)
{
    struct rv_sink sink = rv_recording_writer_sink(record);
    const struct rv_session_params params = {
        .n_workers = n_threads, .leaves_calls = true, .sinks = &sink, .n_sinks = 1};
    struct rv_session *session = rv_session_start(&params, source);
    while (!rv_session_wait(session, TURN_NS))
        ;
    int error = rv_session_error(session);
    rv_session_destroy(session);
    return error;
}

int rv_cli_merge(const struct rv_options *options)
{
    struct rv_source *source = open_all(options);
    if (!source)
        return EXIT_FAILURE;
    struct rv_recording_writer *record = rv_recording_writer_create(options->n_threads);
    struct rv_recording_writer_totals totals;
    const struct rv_recording_writer_params params = {.path = options->merge,
                                                      .program = "merged",
                                                      .is_forced = options->is_forced,
                                                      .mono_ns = source->mono_ns,
                                                      .real_ns = source->real_ns};
    if (rv_recording_writer_start(record, &params) != 0) {
        source->close(source);
        rv_recording_writer_destroy(record);
        return EXIT_FAILURE;
    }
    int error = run(source, record, options->n_threads), record_error = rv_recording_writer_stop(record, &totals);
    rv_recording_writer_destroy(record);
    if (error || record_error)
        return EXIT_FAILURE;
    rv_note("%s: %llu event%s in %llu bytes", options->merge, (unsigned long long)totals.n_events,
            rv_units_word(totals.n_events, "", "s"), (unsigned long long)totals.n_bytes);
    return EXIT_SUCCESS;
}
