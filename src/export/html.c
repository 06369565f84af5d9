/*
 * One HTML page that needs nothing else: the calls over time, a flame graph and a table, drawn by the script in
 * page.html from one JSON object. What is too small to be seen is folded here, so that a page stays small however many
 * calls there are: a call shorter than a column of the picture adds to its column's coverage, and paths of calls that
 * took less than a 20,000th of all time are left out of the flame graph. The table has every call.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/vec.h"
#include "export/format.h"
#include "export/waits_table.h"
#include "model/stats.h"

enum {
    N_COLUMNS = 1200,
    MOST_LANES = 64, /* in the picture: those with most events */
    MOST_ROWS = 40,  /* rows of a lane, */
    LEAST_ROWS = 3,  /* and of each lane, where there are many */
    MOST_CELLS = 200000,
    MOST_NODES = 1u << 18, /* paths beyond count as their caller's own time */
    NODE_SHARE = 20000
};
#define NO_IDX UINT32_MAX

extern const char rv_html_page[]; /* page.html, with @DATA@ where the JSON object goes */

struct node { /* a path of calls; node 0 is the root */
    uint64_t total_ns, self_ns, n_calls;
    uint32_t id, parent;
};

struct frame {
    uint64_t duration_ns, part_ns, callees_ns; /* the whole call; inside the slice; callees inside the slice */
    uint32_t id, node;
    bool is_counted; /* the table has it */
};

struct cell { /* calls of one depth that are shorter than its column */
    uint64_t covered_ns;
    uint32_t id; /* the subroutine with most of the time, by majority vote */
    uint64_t votes;
};

struct html {
    struct rv_text_buffer lanes; /* JSON of the lanes written so far */
    struct rv_stats *stats;
    uint32_t *as_id, n_ids;
    uint32_t *idx_of; /* by id: its index in `order`, or NO_IDX */
    uint32_t *order, n_order;
    uint32_t *n_open; /* open calls, by id */
    struct node *nodes;
    size_t n_nodes, nodes_capacity;
    struct rv_hash_index by_path; /* (parent, id) to node */
    struct frame *frames;         /* open calls of the lane */
    size_t n_frames, frames_capacity;
    struct cell (*cells)[N_COLUMNS]; /* by depth */
    uint32_t n_rows;                 /* rows of each lane in the picture */
    uint64_t least_events;           /* of a lane in the picture */
    uint64_t first_ns, last_ns, column_ns;
    uint32_t n_lanes, n_lanes_left_out;
    bool is_shown; /* the present lane is in the picture */
    const char *separator;
};

static int by_falling_count(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

static void choose_lanes(struct html *html, struct rv_lanes *lanes)
{
    size_t n;
    struct rv_lane **all = rv_lanes_take_by_thread(lanes, &n);
    uint64_t *counts = rv_alloc(n + 1, sizeof *counts);
    for (size_t i = 0; i < n; i++)
        counts[i] = all[i]->n_events;
    qsort(counts, n, sizeof *counts, by_falling_count);
    html->least_events = n > MOST_LANES ? counts[MOST_LANES - 1] : 0;
    const size_t n_shown = n > MOST_LANES ? MOST_LANES : n ? n : 1, n_rows = MOST_CELLS / (N_COLUMNS * n_shown);
    html->n_rows = (uint32_t)(n_rows > MOST_ROWS ? MOST_ROWS : n_rows < LEAST_ROWS ? LEAST_ROWS : n_rows);
    free(counts);
    free(all);
}

static void begin(void *state, struct rv_export_target *target)
{
    struct html *html = state;
    struct rv_lanes *lanes = target->export->lanes;
    html->stats = rv_stats_create();
    html->as_id = rv_subroutines_take_namesakes(target->export->subroutines, &html->n_ids);
    html->idx_of = rv_alloc(html->n_ids + 1, sizeof *html->idx_of);
    memset(html->idx_of, 0xff, html->n_ids * sizeof *html->idx_of);
    html->order = rv_alloc(html->n_ids + 1, sizeof *html->order);
    html->n_open = rv_alloc(html->n_ids + 1, sizeof *html->n_open);
    html->nodes = rv_vec_reserve(html->nodes, &html->nodes_capacity, 1, sizeof *html->nodes);
    html->nodes[html->n_nodes++] = (struct node){0};
    choose_lanes(html, lanes);
    html->cells = rv_alloc(html->n_rows, sizeof *html->cells);
    if (!rv_lanes_bounds(lanes, &html->first_ns, &html->last_ns))
        html->first_ns = html->last_ns = 0;
    const struct rv_slice *part = &target->export->part;
    html->first_ns = part->from_ns > html->first_ns ? part->from_ns : html->first_ns;
    html->last_ns = part->to_ns && part->to_ns < html->last_ns ? part->to_ns : html->last_ns;
    html->last_ns = html->last_ns > html->first_ns ? html->last_ns : html->first_ns;
    html->column_ns = (html->last_ns - html->first_ns) / N_COLUMNS + 1;
    html->separator = "";
}

/* Its place among the page's subroutines. */
static uint32_t idx_of(struct html *html, uint32_t id)
{
    if (html->idx_of[id] == NO_IDX) {
        html->idx_of[id] = html->n_order;
        html->order[html->n_order++] = id;
    }
    return html->idx_of[id];
}

/* ---- calls ---- */

static uint32_t child_of(struct html *html, uint32_t parent, uint32_t id)
{
    const uint64_t key = (uint64_t)parent << 32 | id;
    const uint32_t found = rv_hash_index_get(&html->by_path, key);
    if (found || html->n_nodes >= MOST_NODES)
        return found ? found : parent;
    html->nodes = rv_vec_reserve(html->nodes, &html->nodes_capacity, html->n_nodes + 1, sizeof *html->nodes);
    const uint32_t node = (uint32_t)html->n_nodes++;
    html->nodes[node] = (struct node){.id = id, .parent = parent};
    rv_hash_index_add(&html->by_path, key, node);
    return node;
}

static void add_cell(struct cell *cell, uint64_t covered_ns, uint32_t id)
{
    cell->covered_ns += covered_ns;
    if (cell->id == id) {
        cell->votes += covered_ns;
    } else if (cell->votes >= covered_ns) {
        cell->votes -= covered_ns;
    } else {
        cell->id = id;
        cell->votes = covered_ns - cell->votes;
    }
}

/* A call that is shorter than a column reaches into two at most. */
static void fold(struct html *html, size_t depth, uint64_t from_ns, uint64_t to_ns, uint32_t id)
{
    const uint64_t column = from_ns / html->column_ns, edge_ns = (column + 1) * html->column_ns;
    if (column >= N_COLUMNS)
        return;
    add_cell(&html->cells[depth][column], (to_ns < edge_ns ? to_ns : edge_ns) - from_ns, id);
    if (to_ns > edge_ns && column + 1 < N_COLUMNS)
        add_cell(&html->cells[depth][column + 1], to_ns - edge_ns, id);
}

/* Within the slice, from its beginning. */
static uint64_t clip(const struct html *html, uint64_t ns)
{
    return (ns < html->first_ns ? html->first_ns : ns > html->last_ns ? html->last_ns : ns) - html->first_ns;
}

static void add_box(struct html *html, size_t depth, const struct rv_span *span, uint32_t id)
{
    const uint64_t from_ns = clip(html, span->start), to_ns = clip(html, span->end);
    if (!html->is_shown || depth >= html->n_rows)
        return;
    if (to_ns - from_ns < html->column_ns) {
        fold(html, depth, from_ns, to_ns, id);
        return;
    }
    rv_text_buffer_format(&html->lanes, "%s%llu,%llu,%zu,%u", html->separator, (unsigned long long)from_ns,
                          (unsigned long long)(to_ns - from_ns), depth, idx_of(html, id));
    html->separator = ",";
}

static void close_frames(struct html *html, size_t n_frames)
{
    while (html->n_frames > n_frames) {
        const struct frame *frame = &html->frames[--html->n_frames];
        const uint64_t self_ns = frame->part_ns > frame->callees_ns ? frame->part_ns - frame->callees_ns : 0;
        const bool is_inner = --html->n_open[frame->id] > 0;
        html->nodes[frame->node].self_ns += self_ns;
        if (html->n_frames > 0)
            html->frames[html->n_frames - 1].callees_ns += frame->part_ns;
        if (frame->is_counted)
            rv_stats_add_call(html->stats, frame->id,
                              &(struct rv_stats_call){.total_ns = is_inner ? 0 : frame->part_ns,
                                                      .self_ns = self_ns,
                                                      .duration_ns = frame->duration_ns});
    }
}

static void open_frame(struct html *html, const struct rv_span *span, uint32_t id)
{
    const uint32_t caller = html->n_frames ? html->frames[html->n_frames - 1].node : 0;
    const uint32_t node = child_of(html, caller, id);
    const uint64_t part_ns = clip(html, span->end) - clip(html, span->start);
    if (node != caller) {
        html->nodes[node].total_ns += part_ns;
        html->nodes[node].n_calls++;
    }
    html->frames = rv_vec_reserve(html->frames, &html->frames_capacity, html->n_frames + 1, sizeof *html->frames);
    html->frames[html->n_frames++] = (struct frame){.duration_ns = span->end - span->start,
                                                    .part_ns = part_ns,
                                                    .id = id,
                                                    .node = node,
                                                    .is_counted = !(span->flags & RV_SPAN_ORPHAN)};
    html->n_open[id]++;
}

static void begin_lane(void *state, struct rv_export_target *target, const struct rv_export_lane *lane)
{
    (void)target;
    struct html *html = state;
    html->is_shown = html->n_lanes < MOST_LANES && lane->lane->n_events >= html->least_events;
    if (!html->is_shown) {
        html->n_lanes_left_out++;
        return;
    }
    rv_text_buffer_format(&html->lanes, "%s{\"process\":%u,\"thread\":%u,\"of\":", html->n_lanes ? "," : "", lane->pid,
                          lane->tid);
    rv_text_buffer_add_json(&html->lanes, lane->lane->process_name);
    rv_text_buffer_add(&html->lanes, ",\"name\":");
    rv_text_buffer_add_json(&html->lanes, lane->lane->name);
    rv_text_buffer_add(&html->lanes, ",\"calls\":[");
    memset(html->cells, 0, html->n_rows * sizeof *html->cells);
    html->separator = "";
    html->n_lanes++;
}

static void add_spans(void *state, struct rv_export_target *target, const struct rv_span *spans, size_t n)
{
    (void)target;
    struct html *html = state;
    for (size_t i = 0; i < n; i++) {
        const uint32_t id = spans[i].id < html->n_ids ? html->as_id[spans[i].id] : spans[i].id;
        if (id >= html->n_ids)
            continue;
        close_frames(html, spans[i].depth);
        add_box(html, spans[i].depth, &spans[i], id);
        open_frame(html, &spans[i], id);
    }
}

/* [column, depth, covered per mille, subroutine], flat. */
static void add_cells(struct html *html)
{
    const char *separator = "";
    for (uint32_t depth = 0; depth < html->n_rows; depth++)
        for (uint32_t column = 0; column < N_COLUMNS; column++) {
            const struct cell *cell = &html->cells[depth][column];
            if (!cell->covered_ns)
                continue;
            const uint64_t share = cell->covered_ns * 1000 / html->column_ns;
            rv_text_buffer_format(&html->lanes, "%s%u,%u,%llu,%u", separator, column, depth,
                                  (unsigned long long)(share > 1000 ? 1000
                                                       : share      ? share
                                                                    : 1),
                                  idx_of(html, cell->id));
            separator = ",";
        }
}

static void end_lane(void *state, struct rv_export_target *target)
{
    (void)target;
    struct html *html = state;
    close_frames(html, 0);
    if (!html->is_shown)
        return;
    rv_text_buffer_add(&html->lanes, "],\"cells\":[");
    add_cells(html);
    rv_text_buffer_add(&html->lanes, "]}");
}

/* ---- the object ---- */

/* [caller's place in this list, subroutine, calls, total, own], flat; the root is not in it. */
static void add_nodes(struct html *html, struct rv_text_buffer *text)
{
    uint64_t all_ns = 0;
    for (size_t i = 1; i < html->n_nodes; i++)
        all_ns += html->nodes[i].parent ? 0 : html->nodes[i].total_ns;
    uint32_t *place = rv_alloc(html->n_nodes, sizeof *place), n = 0;
    for (size_t i = 1; i < html->n_nodes; i++) { /* callers come before what they call */
        const struct node *node = &html->nodes[i];
        if ((node->parent && !place[node->parent]) || node->total_ns < all_ns / NODE_SHARE)
            continue;
        place[i] = ++n;
        rv_text_buffer_format(text, "%s%d,%u,%llu,%llu,%llu", n > 1 ? "," : "", (int)place[node->parent] - 1,
                              idx_of(html, node->id), (unsigned long long)node->n_calls,
                              (unsigned long long)node->total_ns, (unsigned long long)node->self_ns);
    }
    free(place);
}

static void add_subroutine(struct rv_text_buffer *text, struct rv_subroutines *subroutines, uint32_t id,
                           const struct rv_stats_row *row)
{
    struct rv_subroutine subroutine = rv_subroutines_get(subroutines, id);
    char *full = rv_subroutine_take_full_name(&subroutine);
    rv_text_buffer_add(text, "[");
    rv_text_buffer_add_json(text, full);
    rv_text_buffer_add(text, ",");
    rv_text_buffer_add_json(text, subroutine.package);
    rv_text_buffer_add(text, ",");
    rv_text_buffer_add_json(text, subroutine.file);
    const uint64_t numbers[] = {subroutine.line, row->n_calls, row->total_ns, row->self_ns,
                                row->min_ns,     row->p50_ns,  row->p99_ns,   row->max_ns};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        rv_text_buffer_add(text, ",");
        rv_text_buffer_add_u64(text, numbers[i]);
    }
    rv_text_buffer_add(text, "]");
    free(full);
}

/* [name, package, file, line, calls, total, own, min, p50, p99, max], in the order of their places. */
static void add_subroutines(struct html *html, struct rv_text_buffer *text, struct rv_subroutines *subroutines)
{
    size_t n;
    struct rv_stats_row *rows = rv_stats_take_rows(html->stats, &n), *by_id = rv_alloc(html->n_ids + 1, sizeof *by_id);
    for (size_t i = 0; i < n; i++) {
        by_id[rows[i].id] = rows[i];
        (void)idx_of(html, rows[i].id);
    }
    for (uint32_t i = 0; i < html->n_order; i++) {
        rv_text_buffer_add(text, i ? ",\n" : "");
        add_subroutine(text, subroutines, html->order[i], &by_id[html->order[i]]);
    }
    free(rows);
    free(by_id);
}

/* A name must not end the script element that the object stands in: '<' occurs in strings only. */
static void hide_tags(struct rv_text_buffer *text, struct rv_text_buffer *into)
{
    const char *at = text->bytes, *end = text->bytes + text->n;
    while (at < end) {
        const char *tag = memchr(at, '<', (size_t)(end - at));
        rv_text_buffer_add_bytes(into, at, (size_t)((tag ? tag : end) - at));
        if (!tag)
            return;
        rv_text_buffer_add(into, "\\u003c");
        at = tag + 1;
    }
}

static void add_object(struct html *html, struct rv_export_target *target, struct rv_text_buffer *text)
{
    const struct rv_export *export = target->export;
    rv_text_buffer_add(text, "{\"title\":");
    rv_text_buffer_add_json(text, export->title);
    rv_text_buffer_format(text, ",\"column_ns\":%llu,\"columns\":%d,\"lanes_left_out\":%u,\"lost\":",
                          (unsigned long long)html->column_ns, N_COLUMNS, html->n_lanes_left_out);
    rv_losses_add_json(text, export->losses);
    if (export->waits) {
        rv_text_buffer_add(text, ",\n\"waits\":");
        rv_waits_add_json(text, &(struct rv_waits_report){.waits = export->waits,
                                                          .lanes = export->lanes,
                                                          .subroutines = export->subroutines,
                                                          .losses = export->losses,
                                                          .spool = export->spool});
    }
    rv_text_buffer_add(text, ",\n\"lanes\":[");
    rv_text_buffer_add_bytes(text, html->lanes.bytes, html->lanes.n);
    rv_text_buffer_add(text, "],\n\"paths\":[");
    add_nodes(html, text);
    rv_text_buffer_add(text, "],\n\"subroutines\":[");
    add_subroutines(html, text, export->subroutines);
    rv_text_buffer_add(text, "]}");
}

static void end(void *state, struct rv_export_target *target)
{
    static const char MARKER[] = "@DATA@";
    const char *marker = strstr(rv_html_page, MARKER);
    struct rv_text_buffer object = {0};
    add_object(state, target, &object);
    rv_text_buffer_add_bytes(target->text, rv_html_page, (size_t)(marker - rv_html_page));
    hide_tags(&object, target->text);
    rv_text_buffer_add(target->text, marker + sizeof MARKER - 1);
    rv_text_buffer_fini(&object);
}

static void fini(void *state)
{
    struct html *html = state;
    rv_text_buffer_fini(&html->lanes);
    rv_stats_destroy(html->stats);
    rv_hash_index_fini(&html->by_path);
    free(html->as_id);
    free(html->idx_of);
    free(html->order);
    free(html->n_open);
    free(html->nodes);
    free(html->frames);
    free(html->cells);
}

const struct rv_export_format rv_export_html = {.state_bytes = sizeof(struct html),
                                                .begin = begin,
                                                .begin_lane = begin_lane,
                                                .spans = add_spans,
                                                .end_lane = end_lane,
                                                .end = end,
                                                .fini = fini};
