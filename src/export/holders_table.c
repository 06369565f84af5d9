#include "export/holders_table.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/vec.h"
#include "export/losses.h"
#include "export/text_buffer.h"
#include "waits/holders_reader.h"

enum { MOST_IN_TEXT = 20 /* the longest of an object */, INDENT = 24, CSV_COLUMNS = 9 };

struct table {
    const struct rv_holders *holders;
    const struct rv_holders_report *report;
    bool is_incomplete; /* some could not be read */
};

struct row { /* texts of a hold or wait */
    char *call, thread[RV_LANE_NAME_BYTES];
    uint32_t tid;
};

static struct row take_row(const struct table *table, const struct rv_hold *hold)
{
    struct rv_lane *lane = rv_lanes_get(table->report->lanes, hold->lane);
    struct rv_subroutine subroutine = rv_subroutines_get(table->report->subroutines, hold->call);
    struct row row = {.call = hold->call ? rv_subroutine_take_full_name(&subroutine) : rv_strdup(""), .tid = lane->tid};
    rv_lane_copy_name(lane, row.thread);
    return row;
}

static char *take_name(const struct table *table, const struct rv_held_object *object)
{
    struct rv_subroutine subroutine = rv_subroutines_get(table->report->subroutines, object->object);
    return rv_subroutine_take_full_name(&subroutine);
}

static const char *what_of(const struct rv_hold *hold)
{
    return hold->is_wait ? "waits" : "has it";
}

/* ---- text ---- */

static int by_length(const void *a, const void *b)
{
    const struct rv_hold *x = *(const struct rv_hold *const *)a, *y = *(const struct rv_hold *const *)b;
    const uint64_t x_ns = x->to_ns - x->from_ns, y_ns = y->to_ns - y->from_ns;
    if (x_ns != y_ns)
        return x_ns > y_ns ? -1 : 1;
    return x < y ? -1 : x > y;
}

static int by_time(const void *a, const void *b)
{
    const struct rv_hold *x = *(const struct rv_hold *const *)a, *y = *(const struct rv_hold *const *)b;
    return x < y ? -1 : x > y;
}

/* The longest, in order of time; for the caller to free. */
static const struct rv_hold **take_longest(const struct table *table, const struct rv_held_object *object, size_t *n)
{
    const struct rv_hold **longest = rv_alloc_scratch(object->n + 1, sizeof *longest);
    for (size_t i = 0; i < object->n; i++)
        longest[i] = &table->holders->holds[object->first + i];
    qsort(longest, object->n, sizeof *longest, by_length);
    *n = object->n < MOST_IN_TEXT ? object->n : MOST_IN_TEXT;
    qsort(longest, *n, sizeof *longest, by_time);
    return longest;
}

static void add_text_hold(struct rv_text_buffer *text, const struct table *table, const struct rv_hold *hold,
                          uint64_t first_ns)
{
    struct row row = take_row(table, hold);
    rv_text_buffer_format(text, "%*s+", INDENT - 1, "");
    rv_text_buffer_add_duration(text, hold->from_ns - first_ns);
    rv_text_buffer_add_duration(text, hold->to_ns - hold->from_ns);
    rv_text_buffer_format(text, "  %s%s%u%s %s%s%s%s\n", row.thread, *row.thread ? " (" : "thread ", row.tid,
                          *row.thread ? ")" : "", what_of(hold), hold->is_cut ? ", perhaps from before" : "",
                          *row.call ? " in " : "", row.call);
    free(row.call);
}

static void add_text_object(struct rv_text_buffer *text, const struct table *table, const struct rv_held_object *object)
{
    size_t n;
    char *name = take_name(table, object);
    const struct rv_hold **longest = take_longest(table, object, &n);
    rv_text_buffer_format(text, "%12" PRIu64, object->n_waits);
    rv_text_buffer_add_duration(text, object->waited_ns);
    rv_text_buffer_add_duration(text, object->held_ns);
    rv_text_buffer_format(text, "  %s %s\n", rv_wait_kind_name(object->kind), name);
    for (size_t i = 0; i < n; i++)
        add_text_hold(text, table, longest[i], table->holders->holds[object->first].from_ns);
    if (object->n > n)
        rv_text_buffer_format(text, "%*s%zu shorter ones: --holders=csv\n", INDENT, "", object->n - n);
    free(longest);
    free(name);
}

static void write_text(struct rv_text_buffer *text, const void *context)
{
    const struct table *table = context;
    rv_text_buffer_format(text, "%12s %10s %10s  who had it, and who waited\n", "waits", "waited", "held");
    for (size_t i = 0; i < table->holders->n_objects; i++)
        add_text_object(text, table, &table->holders->objects[i]);
    if (table->is_incomplete)
        rv_text_buffer_add(text, "some waits could not be read: see --check\n");
    rv_losses_add_text(text, "lost", table->report->losses, RV_LOSS_EVENTS_DROPPED);
}

/* ---- CSV ---- */

static void add_csv_object(struct rv_text_buffer *text, const struct table *table, const struct rv_held_object *object)
{
    char *name = take_name(table, object);
    for (size_t i = object->first; i < object->first + object->n; i++) {
        const struct rv_hold *hold = &table->holders->holds[i];
        struct row row = take_row(table, hold);
        rv_text_buffer_format(text, "%s,", rv_wait_kind_name(object->kind));
        rv_text_buffer_add_csv(text, name);
        rv_text_buffer_format(text, ",%s,%" PRIu64 ",%" PRIu64 ",%d,%u,", what_of(hold), hold->from_ns, hold->to_ns,
                              hold->is_cut, row.tid);
        rv_text_buffer_add_csv(text, row.thread);
        rv_text_buffer_add(text, ",");
        rv_text_buffer_add_csv(text, row.call);
        rv_text_buffer_add(text, "\n");
        free(row.call);
    }
    free(name);
}

static void write_csv(struct rv_text_buffer *text, const void *context)
{
    const struct table *table = context;
    rv_text_buffer_add(text, "kind,object,what,from_ns,to_ns,is_cut,thread,name,call\n");
    for (size_t i = 0; i < table->holders->n_objects; i++)
        add_csv_object(text, table, &table->holders->objects[i]);
    rv_losses_add_csv(text, table->report->losses, CSV_COLUMNS);
}

/* ---- JSON ---- */

static void add_json_hold(struct rv_text_buffer *text, const struct table *table, const struct rv_hold *hold)
{
    struct row row = take_row(table, hold);
    rv_text_buffer_format(
        text, "{\"what\":\"%s\",\"from_ns\":%" PRIu64 ",\"to_ns\":%" PRIu64 ",\"is_cut\":%s,\"thread\":%u,\"name\":",
        what_of(hold), hold->from_ns, hold->to_ns, hold->is_cut ? "true" : "false", row.tid);
    rv_text_buffer_add_json(text, row.thread);
    rv_text_buffer_add(text, ",\"call\":");
    rv_text_buffer_add_json(text, row.call);
    rv_text_buffer_add(text, "}");
    free(row.call);
}

static void add_json_object(struct rv_text_buffer *text, const struct table *table, const struct rv_held_object *object)
{
    char *name = take_name(table, object);
    rv_text_buffer_format(text, "{\"kind\":\"%s\",\"object\":", rv_wait_kind_name(object->kind));
    rv_text_buffer_add_json(text, name);
    rv_text_buffer_format(text, ",\"waits\":%" PRIu64 ",\"total_ns\":%" PRIu64 ",\"held_ns\":%" PRIu64 ",\"parts\":[",
                          object->n_waits, object->waited_ns, object->held_ns);
    for (size_t i = 0; i < object->n; i++) {
        rv_text_buffer_add(text, i ? "," : "");
        add_json_hold(text, table, &table->holders->holds[object->first + i]);
    }
    rv_text_buffer_add(text, "]}");
    free(name);
}

static void write_json(struct rv_text_buffer *text, const void *context)
{
    const struct table *table = context;
    rv_text_buffer_add(text, "{\"holders\":[");
    for (size_t i = 0; i < table->holders->n_objects; i++) {
        rv_text_buffer_add(text, i ? "," : "");
        add_json_object(text, table, &table->holders->objects[i]);
    }
    rv_text_buffer_format(text, "],\"is_incomplete\":%s,\"lost\":", table->is_incomplete ? "true" : "false");
    rv_losses_add_json(text, table->report->losses);
    rv_text_buffer_add(text, "}\n");
}

/* ---- all ---- */

static const struct rv_table_forms FORMS = {write_text, write_csv, write_json};

int rv_holders_write(const struct rv_holders_report *report, enum rv_report_format format, FILE *out)
{
    struct table table = {.report = report};
    table.holders = rv_holders_read(report->waits, &table.is_incomplete);
    const int result = rv_table_write(&FORMS, &table, format, out, 0);
    rv_holders_release(table.holders);
    return result;
}
