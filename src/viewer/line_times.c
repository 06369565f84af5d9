#include "viewer/line_times.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "viewer/viewer.h"

enum { MOST_SOURCE_LINES = 20000, AROUND = 2 /* lines before the first and behind the last */ };
static const uint64_t WAIT_NS = 10000000;

static void forget_rows(struct rv_viewer_line_times *lines)
{
    free(lines->rows);
    lines->rows = NULL;
    lines->n_rows = 0;
    lines->is_of_one = false;
}

void rv_viewer_line_times_stop(struct rv_viewer_line_times *lines)
{
    rv_line_times_reader_destroy(lines->next);
    lines->next = NULL;
    lines->next_version = lines->version; /* when they are wanted again, they are read */
}

static void forget_shown(struct rv_viewer_line_times *lines)
{
    forget_rows(lines);
    rv_source_text_fini(&lines->source);
    lines->source_path = NULL;
    free(lines->all);
    lines->all = NULL;
    lines->n_all = 0;
    rv_line_times_reader_destroy(lines->reader);
    lines->reader = NULL;
}

void rv_viewer_line_times_fini(struct rv_viewer_line_times *lines)
{
    rv_viewer_line_times_stop(lines);
    forget_shown(lines);
}

/* ---- subroutines ---- */

static uint64_t hash_of(struct rv_subroutines *subroutines, uint32_t id)
{
    const struct rv_subroutine subroutine = rv_subroutines_get(subroutines, id);
    uint64_t hash = rv_hash_bytes(subroutine.package, strlen(subroutine.package));
    hash = rv_hash_combine(hash, rv_hash_bytes(subroutine.name, strlen(subroutine.name)));
    hash = rv_hash_combine(hash, rv_hash_bytes(subroutine.file, strlen(subroutine.file)));
    return rv_hash_combine(hash, subroutine.line);
}

/* A reader has ids of its own: those of the statistics have the same names. */
static void take_ids(struct rv_viewer *viewer, struct rv_viewer_line_times *lines)
{
    const struct rv_viewer_statistics *statistics = &viewer->statistics;
    struct rv_hash_index ids = {0};
    for (size_t i = 0; i < statistics->n_rows; i++)
        rv_hash_index_add(&ids, hash_of(viewer->subroutines, statistics->rows[i].id), statistics->rows[i].id);
    for (size_t i = 0; i < lines->n_all; i++) {
        struct rv_line_table_row *row = &lines->all[i];
        if (row->subroutine)
            row->subroutine =
                rv_hash_index_get(&ids, hash_of(rv_line_times_reader_subroutines(lines->reader), row->subroutine));
    }
    rv_hash_index_fini(&ids);
}

/* ---- reading ---- */

static void begin(struct rv_viewer *viewer)
{
    struct rv_viewer_statistics *statistics = &viewer->statistics;
    struct rv_source *source = rv_session_reopen(viewer->session);
    statistics->lines.next_version = statistics->version;
    if (source)
        statistics->lines.next =
            rv_line_times_reader_start(source, &(struct rv_line_times_params){.from_ns = statistics->shown.from_ns,
                                                                              .to_ns = statistics->shown.to_ns,
                                                                              .filter = statistics->asked_filter});
}

static bool is_wanted(const struct rv_viewer *viewer)
{
    const struct rv_viewer_statistics *statistics = &viewer->statistics;
    return statistics->tab == RV_STATISTICS_LINES && statistics->scope != RV_SCOPE_CLOSED && viewer->session &&
           rv_session_can_reopen(viewer->session) && rv_viewer_statistics_stats(statistics);
}

static void show_read(struct rv_viewer *viewer)
{
    struct rv_viewer_line_times *lines = &viewer->statistics.lines;
    struct rv_line_times_reader *read = lines->next;
    lines->next = NULL;
    forget_shown(lines);
    lines->reader = read;
    lines->version = lines->next_version;
    lines->all = rv_line_times_reader_take(read, &lines->n_all);
    take_ids(viewer, lines);
}

/* ---- of one subroutine ---- */

static bool is_of(const struct rv_viewer_line_times *lines, const struct rv_line_table_row *row, const char *file)
{
    return row->subroutine == lines->id && strcmp(row->file, file) == 0;
}

/* The file in which the subroutine has most own time; NULL: no line of it is known. */
static const struct rv_line_table_row *first_of(const struct rv_viewer_line_times *lines)
{
    for (size_t i = 0; i < lines->n_all; i++)
        if (lines->all[i].subroutine == lines->id)
            return &lines->all[i];
    return NULL;
}

static void bounds_of(const struct rv_viewer_line_times *lines, const char *file, uint32_t bounds[2])
{
    bounds[0] = UINT32_MAX;
    bounds[1] = 0;
    for (size_t i = 0; i < lines->n_all; i++) {
        const struct rv_line_table_row *row = &lines->all[i];
        if (!is_of(lines, row, file))
            continue;
        bounds[0] = row->line < bounds[0] ? row->line : bounds[0];
        bounds[1] = row->line > bounds[1] ? row->line : bounds[1];
    }
    bounds[0] -= bounds[0] > AROUND ? AROUND : bounds[0] - 1;
    bounds[1] += AROUND;
    if (bounds[1] - bounds[0] >= MOST_SOURCE_LINES)
        bounds[1] = bounds[0] + MOST_SOURCE_LINES - 1;
}

static void list_lines(struct rv_viewer_line_times *lines, const char *file)
{
    uint32_t bounds[2];
    bounds_of(lines, file, bounds);
    lines->n_rows = bounds[1] - bounds[0] + 1;
    lines->rows = rv_alloc(lines->n_rows, sizeof *lines->rows);
    for (size_t i = 0; i < lines->n_rows; i++)
        lines->rows[i] =
            (struct rv_line_table_row){.file = file, .line = bounds[0] + (uint32_t)i, .subroutine = lines->id};
    for (size_t i = 0; i < lines->n_all; i++)
        if (is_of(lines, &lines->all[i], file) && lines->all[i].line - bounds[0] < lines->n_rows)
            lines->rows[lines->all[i].line - bounds[0]] = lines->all[i];
}

static bool choose(struct rv_viewer *viewer)
{
    struct rv_viewer_line_times *lines = &viewer->statistics.lines;
    const struct rv_viewer_subroutine_calls *calls = &viewer->statistics.calls;
    if (lines->is_of_one == calls->is_on && (!calls->is_on || lines->id == calls->id))
        return false;
    forget_rows(lines);
    lines->is_of_one = calls->is_on;
    lines->id = calls->id;
    const struct rv_line_table_row *first = calls->is_on ? first_of(lines) : NULL;
    if (first)
        list_lines(lines, first->file);
    return true;
}

/* Its text is read again when a line of it is drawn. */
static bool forget_changed_source(struct rv_viewer_line_times *lines)
{
    const bool has_changed = lines->source_path && rv_source_text_has_changed(&lines->source, lines->source_path);
    if (has_changed)
        lines->source_path = NULL;
    return has_changed;
}

bool rv_viewer_line_times_advance(struct rv_viewer *viewer)
{
    struct rv_viewer_line_times *lines = &viewer->statistics.lines;
    if (!is_wanted(viewer)) {
        rv_viewer_line_times_stop(lines);
        return false;
    }
    const bool is_read = lines->next && rv_line_times_reader_wait(lines->next, 0);
    if (is_read)
        show_read(viewer);
    if (!lines->next && lines->version != viewer->statistics.version &&
        lines->next_version != viewer->statistics.version)
        begin(viewer);
    const bool is_chosen = lines->reader && choose(viewer), is_forgotten = forget_changed_source(lines);
    return is_read || is_chosen || is_forgotten;
}

void rv_viewer_line_times_wait(struct rv_viewer *viewer)
{
    const struct rv_viewer_line_times *lines = &viewer->statistics.lines;
    do
        (void)rv_viewer_line_times_advance(viewer);
    while (lines->next && (rv_line_times_reader_wait(lines->next, WAIT_NS) || true));
}

/* ---- what is shown ---- */

bool rv_viewer_line_times_are_read(const struct rv_viewer *viewer)
{
    const struct rv_viewer_line_times *lines = &viewer->statistics.lines;
    return lines->reader && lines->version == viewer->statistics.version;
}

const struct rv_line_table_row *rv_viewer_line_times_rows(const struct rv_viewer_line_times *lines, size_t *n)
{
    *n = lines->is_of_one ? lines->n_rows : lines->n_all;
    return lines->is_of_one ? lines->rows : lines->all;
}

const char *rv_viewer_line_times_text(struct rv_viewer_line_times *lines, const struct rv_line_table_row *row,
                                      char out[RV_SOURCE_TEXT_LINE_BYTES])
{
    if (!lines->source_path || strcmp(lines->source_path, row->file) != 0) {
        rv_source_text_fini(&lines->source);
        rv_source_text_read(&lines->source, 0, row->file);
        lines->source_path = row->file;
    }
    return rv_source_text_line(&lines->source, row->line, out);
}
