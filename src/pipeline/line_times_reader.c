#include "pipeline/line_times_reader.h"

#include <stdlib.h>

#include "base/vec.h"

struct rv_lines_reader {
    struct rv_lines *lines;
    struct rv_sink sink;
    struct rv_session *session;
};

struct rv_lines_reader *rv_lines_reader_start(struct rv_source *source, const struct rv_lines_params *params)
{
    struct rv_lines_reader *reader = rv_alloc(1, sizeof *reader);
    reader->lines = rv_lines_create(params);
    reader->sink = rv_lines_sink(reader->lines);
    reader->session = rv_session_start(
        &(struct rv_session_params){.n_workers = 1, .leaves_calls = true, .sinks = &reader->sink, .n_sinks = 1},
        source);
    return reader;
}

bool rv_lines_reader_wait(struct rv_lines_reader *reader, uint64_t timeout_ns)
{
    return rv_session_wait(reader->session, timeout_ns);
}

struct rv_line_times *rv_lines_reader_take(struct rv_lines_reader *reader, size_t *n)
{
    return rv_lines_take(reader->lines, rv_session_subroutines(reader->session), n);
}

struct rv_subroutines *rv_lines_reader_subroutines(struct rv_lines_reader *reader)
{
    return rv_session_subroutines(reader->session);
}

void rv_lines_reader_destroy(struct rv_lines_reader *reader)
{
    if (!reader)
        return;
    rv_session_destroy(reader->session);
    rv_lines_destroy(reader->lines);
    free(reader);
}
