/* Times are of flows whose begin and end are both there; their number is exact, since all of them are sorted. */
#include "export/flows_table.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/units.h"
#include "base/vec.h"
#include "export/losses.h"
#include "export/text_buffer.h"
#include "tasks/flow_table.h"

enum { MOST_STEPS = 20 /* of a flow, in a text */, INDENT = 58, CSV_COLUMNS = 19 };

struct row {                       /* the flows, or tasks, of one name */
    const struct rv_flow *longest; /* NULL: none has begin and end */
    uint32_t name;
    bool is_task;
    size_t n, n_whole; /* n_whole: with begin and end */
    uint64_t least_ns, median_ns, p99_ns, total_ns, on_ns;
};

struct table {
    const struct rv_flow_table *flows;
    struct row *rows;
    size_t n;
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    const struct rv_losses *losses;
};

static uint64_t duration_of(const struct rv_flow *flow)
{
    return flow->end_ns - flow->begin_ns;
}

static bool is_whole(const struct rv_flow *flow)
{
    return flow->has_begin && flow->has_end;
}

/* ---- rows ---- */

/* By kind and name, those with begin and end first, by how long they took. */
static int compare_flows(const void *a, const void *b)
{
    const struct rv_flow *x = *(const struct rv_flow *const *)a, *y = *(const struct rv_flow *const *)b;
    if (x->is_task != y->is_task)
        return x->is_task ? 1 : -1;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    if (is_whole(x) != is_whole(y))
        return is_whole(x) ? -1 : 1;
    if (duration_of(x) != duration_of(y))
        return duration_of(x) < duration_of(y) ? -1 : 1;
    return x < y ? -1 : x > y;
}

static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    if (x->is_task != y->is_task)
        return x->is_task ? 1 : -1;
    return x->name < y->name ? -1 : x->name > y->name;
}

/* flows: n of one name, sorted. */
static struct row row_of(const struct rv_flow *const *flows, size_t n)
{
    struct row row = {.name = flows[0]->name, .is_task = flows[0]->is_task, .n = n};
    for (; row.n_whole < n && is_whole(flows[row.n_whole]); row.n_whole++)
        row.total_ns += duration_of(flows[row.n_whole]);
    for (size_t i = 0; i < n; i++)
        row.on_ns += flows[i]->on_ns;
    if (row.n_whole) {
        row.least_ns = duration_of(flows[0]);
        row.median_ns = duration_of(flows[(row.n_whole - 1) / 2]);
        row.p99_ns = duration_of(flows[row.n_whole - 1 - row.n_whole / 100]);
        row.longest = flows[row.n_whole - 1];
    }
    return row;
}

static void make_rows(struct table *table)
{
    const struct rv_flow_table *flows = table->flows;
    const struct rv_flow **sorted = rv_alloc_scratch(flows->n_flows + 1, sizeof *sorted);
    for (size_t i = 0; i < flows->n_flows; i++)
        sorted[i] = &flows->flows[i];
    qsort(sorted, flows->n_flows, sizeof *sorted, compare_flows);
    size_t capacity = 0;
    for (size_t first = 0, end; first < flows->n_flows; first = end) {
        for (end = first + 1; end < flows->n_flows && sorted[end]->is_task == sorted[first]->is_task &&
                              sorted[end]->name == sorted[first]->name;)
            end++;
        table->rows = rv_vec_reserve(table->rows, &capacity, table->n + 1, sizeof *table->rows);
        table->rows[table->n++] = row_of(sorted + first, end - first);
    }
    free(sorted);
    if (table->n)
        qsort(table->rows, table->n, sizeof *table->rows, compare_rows);
}

/* ---- texts ---- */

static const char *kind_of(const struct row *row)
{
    return row->is_task ? "task" : "flow";
}

/* "" for none. The caller frees it. */
static char *take_name(const struct table *table, uint32_t id)
{
    struct rv_subroutine subroutine = rv_subroutines_get(table->subroutines, id);
    return id ? rv_subroutine_take_full_name(&subroutine) : rv_strdup("");
}

struct place { /* texts of a step */
    char *call, thread[RV_LANE_NAME_BYTES];
    uint32_t tid;
};

static struct place take_place(const struct table *table, const struct rv_flow_step *step)
{
    struct rv_lane *lane = rv_lanes_get(table->lanes, step->lane);
    struct place place = {.call = take_name(table, step->call), .tid = lane->tid};
    rv_lane_copy_name(lane, place.thread);
    return place;
}

/* ---- text ---- */

static void add_text_step(struct rv_text_buffer *text, const struct table *table, const struct rv_flow *flow,
                          const struct rv_flow_step *step)
{
    struct place place = take_place(table, step);
    rv_text_buffer_format(text, "%*s+", INDENT, "");
    rv_text_buffer_add_duration(text, step->at_ns - flow->begin_ns);
    rv_text_buffer_format(text, "  %s%s%u%s%s%s\n", *place.thread ? place.thread : "thread", *place.thread ? " (" : " ",
                          place.tid, *place.thread ? ")" : "", *place.call ? " in " : "", place.call);
    free(place.call);
}

static void add_text_steps(struct rv_text_buffer *text, const struct table *table, const struct rv_flow *flow)
{
    rv_text_buffer_format(text, "%*slongest: id %#" PRIx64 "\n", INDENT, "", flow->id);
    const bool has_all = flow->n <= MOST_STEPS;
    for (size_t i = 0; i < (has_all ? flow->n : MOST_STEPS - 1); i++)
        add_text_step(text, table, flow, &table->flows->steps[flow->first + i]);
    if (has_all)
        return;
    rv_text_buffer_format(text, "%*s%zu more\n", INDENT + 3, "", flow->n - MOST_STEPS);
    add_text_step(text, table, flow, &table->flows->steps[flow->first + flow->n - 1]);
}

static void add_text_row(struct rv_text_buffer *text, const struct table *table, const struct row *row)
{
    char *name = take_name(table, row->name);
    rv_text_buffer_format(text, "%12zu", row->n);
    rv_text_buffer_add_duration(text, row->least_ns);
    rv_text_buffer_add_duration(text, row->median_ns);
    rv_text_buffer_add_duration(text, row->p99_ns);
    rv_text_buffer_add_duration(text, row->longest ? duration_of(row->longest) : 0);
    rv_text_buffer_format(text, "  %s %s", kind_of(row), *name ? name : "(begun before)");
    if (row->n_whole < row->n)
        rv_text_buffer_format(text, ", %zu without %s", row->n - row->n_whole, "begin or end");
    rv_text_buffer_add(text, "\n");
    if (row->is_task) {
        rv_text_buffer_format(text, "%*son threads:", INDENT, "");
        rv_text_buffer_add_duration(text, row->on_ns);
        rv_text_buffer_add(text, "\n");
    }
    if (row->longest)
        add_text_steps(text, table, row->longest);
    free(name);
}

static void write_text(struct rv_text_buffer *text, const void *context)
{
    const struct table *table = context;
    rv_text_buffer_format(text, "%12s %10s %10s %10s %10s  flow or task, from begin to end\n", "number", "least",
                          "median", "p99", "longest");
    for (size_t i = 0; i < table->n; i++)
        add_text_row(text, table, &table->rows[i]);
    if (!table->n)
        rv_text_buffer_add(text, "the program has told no flows and tasks (ringviz_flow(), ringviz_task_begin())\n");
    if (table->flows->n_more)
        rv_text_buffer_format(text, "%" PRIu64 " step%s not in the table: it has the first %u\n", table->flows->n_more,
                              rv_units_word(table->flows->n_more, " is", "s are"), RV_FLOWS_MOST);
    rv_losses_add_text(text, "lost", table->losses, RV_LOSS_EVENTS_DROPPED);
}

/* ---- CSV ---- */

static void add_csv_place(struct rv_text_buffer *text, const struct table *table, const struct rv_flow_step *step)
{
    struct place place = take_place(table, step);
    rv_text_buffer_format(text, ",%u,", place.tid);
    rv_text_buffer_add_csv(text, place.thread);
    rv_text_buffer_add(text, ",");
    rv_text_buffer_add_csv(text, place.call);
    free(place.call);
}

static void add_csv_longest(struct rv_text_buffer *text, const struct table *table, const struct rv_flow *flow)
{
    if (!flow) {
        rv_text_buffer_add(text, ",,,,,,,,\n");
        return;
    }
    rv_text_buffer_format(text, ",%" PRIu64 ",%" PRIu64 ",%zu", flow->id, flow->begin_ns, flow->n);
    add_csv_place(text, table, &table->flows->steps[flow->first]);
    add_csv_place(text, table, &table->flows->steps[flow->first + flow->n - 1]);
    rv_text_buffer_add(text, "\n");
}

static void write_csv(struct rv_text_buffer *text, const void *context)
{
    const struct table *table = context;
    rv_text_buffer_add(text, "kind,name,number,whole,least_ns,median_ns,p99_ns,longest_ns,total_ns,on_threads_ns,"
                             "longest_id,longest_begin_ns,longest_steps,from,from_name,from_call,to,to_name,to_call\n");
    for (size_t i = 0; i < table->n; i++) {
        const struct row *row = &table->rows[i];
        char *name = take_name(table, row->name);
        rv_text_buffer_format(text, "%s,", kind_of(row));
        rv_text_buffer_add_csv(text, name);
        rv_text_buffer_format(text, ",%zu,%zu,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
                              row->n, row->n_whole, row->least_ns, row->median_ns, row->p99_ns,
                              row->longest ? duration_of(row->longest) : 0, row->total_ns, row->on_ns);
        add_csv_longest(text, table, row->longest);
        free(name);
    }
    if (table->flows->n_more)
        rv_add_csv_count(text, "not kept", "steps", table->flows->n_more, CSV_COLUMNS);
    rv_losses_add_csv(text, table->losses, CSV_COLUMNS);
}

/* ---- JSON ---- */

static void add_json_step(struct rv_text_buffer *text, const struct table *table, const struct rv_flow_step *step)
{
    struct place place = take_place(table, step);
    rv_text_buffer_format(text, "{\"at_ns\":%" PRIu64 ",\"thread\":%u,\"name\":", step->at_ns, place.tid);
    rv_text_buffer_add_json(text, place.thread);
    rv_text_buffer_add(text, ",\"call\":");
    rv_text_buffer_add_json(text, place.call);
    if (step->until_ns != UINT64_MAX && step->until_ns > step->at_ns)
        rv_text_buffer_format(text, ",\"until_ns\":%" PRIu64, step->until_ns);
    rv_text_buffer_add(text, "}");
    free(place.call);
}

static void add_json_row(struct rv_text_buffer *text, const struct table *table, const struct row *row)
{
    char *name = take_name(table, row->name);
    rv_text_buffer_format(text, "{\"kind\":\"%s\",\"name\":", kind_of(row));
    rv_text_buffer_add_json(text, name);
    rv_text_buffer_format(text,
                          ",\"number\":%zu,\"whole\":%zu,\"least_ns\":%" PRIu64 ",\"median_ns\":%" PRIu64
                          ",\"p99_ns\":%" PRIu64 ",\"total_ns\":%" PRIu64 ",\"on_threads_ns\":%" PRIu64,
                          row->n, row->n_whole, row->least_ns, row->median_ns, row->p99_ns, row->total_ns, row->on_ns);
    for (size_t i = 0; row->longest && i < row->longest->n; i++) {
        if (i == 0)
            rv_text_buffer_format(text, ",\"longest_ns\":%" PRIu64 ",\"longest\":{\"id\":\"%#" PRIx64 "\",\"steps\":[",
                                  duration_of(row->longest), row->longest->id);
        rv_text_buffer_add(text, i ? "," : "");
        add_json_step(text, table, &table->flows->steps[row->longest->first + i]);
    }
    rv_text_buffer_add(text, row->longest ? "]}}" : "}");
    free(name);
}

static void write_json(struct rv_text_buffer *text, const void *context)
{
    const struct table *table = context;
    rv_text_buffer_add(text, "{\"flows\":[");
    for (size_t i = 0; i < table->n; i++) {
        rv_text_buffer_add(text, i ? "," : "");
        add_json_row(text, table, &table->rows[i]);
    }
    rv_text_buffer_format(text, "],\"not_kept\":%" PRIu64 ",\"lost\":", table->flows->n_more);
    rv_losses_add_json(text, table->losses);
    rv_text_buffer_add(text, "}\n");
}

static const struct rv_table_forms FORMS = {write_text, write_csv, write_json};

int rv_flows_write(const struct rv_flows_report *report, enum rv_report_format format, FILE *out)
{
    struct table table = {.flows = rv_flow_table_create(report->flows, report->lanes),
                          .lanes = report->lanes,
                          .subroutines = report->subroutines,
                          .losses = report->losses};
    make_rows(&table);
    const int result = rv_table_write(&FORMS, &table, format, out, 0);
    free(table.rows);
    rv_flow_table_release(table.flows);
    return result;
}
