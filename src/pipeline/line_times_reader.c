#include "pipeline/line_times_reader.h"

#include <stdlib.h>

#include "base/vec.h"

struct rv_line_times_reader {
    struct rv_line_times *lines;
    struct rv_sink sink;
    struct rv_session *session;
};

struct rv_line_times_reader *rv_line_times_reader_start(struct rv_source *source,
                                                        const struct rv_line_times_params *params)
{
    struct rv_line_times_reader *reader = rv_alloc(1, sizeof *reader);
    reader->lines = rv_line_times_create(params);
    reader->sink = rv_line_times_sink(reader->lines);
    reader->session = rv_session_start(
        &(struct rv_session_params){.n_workers = 1, .leaves_calls = true, .sinks = &reader->sink, .n_sinks = 1},
        source);
    return reader;
}

bool rv_line_times_reader_wait(struct rv_line_times_reader *reader, uint64_t timeout_ns)
{
    return rv_session_wait(reader->session, timeout_ns);
}

struct rv_line_table_row *rv_line_times_reader_take(struct rv_line_times_reader *reader, size_t *n)
{
    return rv_line_times_take(reader->lines, rv_session_subroutines(reader->session), n);
}

struct rv_subroutines *rv_line_times_reader_subroutines(struct rv_line_times_reader *reader)
{
    return rv_session_subroutines(reader->session);
}

void rv_line_times_reader_destroy(struct rv_line_times_reader *reader)
{
    if (!reader)
        return;
    rv_session_destroy(reader->session);
    rv_line_times_destroy(reader->lines);
    free(reader);
}
