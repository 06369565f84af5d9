#include "export/waits_table.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/units.h"
#include "base/vec.h"
#include "export/losses.h"
#include "export/call_stacks.h"
#include "export/silent_threads.h"
#include "export/text_buffer.h"
#include "export/note_words.h"
#include "waits/deadlocks.h"

enum { CSV_COLUMNS = 17 + RV_WAKE_COUNT, ARCS_CSV_COLUMNS = 12 };

enum { WAITER, HOLDER, N_SIDES };

struct table {
    struct rv_waits_row *rows;
    struct rv_call_stack (*stacks)[N_SIDES]; /* by row; NULL: not known */
    size_t n;
    struct rv_subroutines *subroutines;
    const struct rv_losses *losses;
    bool is_incomplete; /* some waits could not be read */
    struct rv_deadlocked_wait *deadlocked;
    struct rv_call_stack *deadlocked_stacks; /* of these; NULL: not known */
    size_t n_deadlocked;
    struct rv_lanes *lanes;
    size_t n_unknown; /* processes whose waits are not known */
    struct rv_silent_threads silent;
};

/* "" for none. The caller frees it. */
static char *take_name(const struct table *table, uint32_t id)
{
    if (id == RV_WAITS_OTHER)
        return rv_strdup("(others)");
    struct rv_subroutine subroutine = rv_subroutines_get(table->subroutines, id);
    return id ? rv_subroutine_take_full_name(&subroutine) : rv_strdup("");
}

char *rv_waits_take_object(struct rv_subroutines *subroutines, enum rv_wait_kind kind, uint32_t object)
{
    struct rv_text_buffer text = {0};
    char *name = take_name(&(struct table){.subroutines = subroutines}, object);
    rv_text_buffer_format(&text, "%s%s%s%c", rv_wait_kind_name(kind), *name ? " " : "", name, '\0');
    free(name);
    return text.bytes;
}

size_t rv_waits_count_unknown(const struct rv_lanes *lanes, bool has_waits)
{
    size_t n, n_unknown = 0;
    struct rv_lane **processes = rv_lanes_take_by_process(lanes, &n);
    for (size_t i = 0; i < n; i++)
        n_unknown += !(processes[i]->instrumentation.instruments & RV_INSTRUMENT_WAITS);
    free(processes);
    return has_waits && n_unknown == n ? 0 : n_unknown; /* older ringviz did not tell */
}

void rv_waits_add_unknown(struct rv_text_buffer *text, size_t n_unknown)
{
    if (n_unknown)
        rv_text_buffer_format(text,
                              "waits of %zu process%s are not known: only the library that is preloaded tells them\n",
                              n_unknown, rv_units_word(n_unknown, "", "es"));
}

/* Of the thread; 0: of none. */
static uint32_t number_of(const struct rv_wait_side *side)
{
    return side->tid & ~RV_WIRE_OUTSIDE;
}

struct side { /* texts of one */
    char *call, thread[RV_LANE_NAME_BYTES];
};

static struct side take_side(const struct table *table, const struct rv_wait_side *from)
{
    struct side side = {.call = take_name(table, from->call)};
    if (!from->lane) {
        if (!rv_lanes_outside_name(table->lanes, from->tid, false, side.thread))
            side.thread[0] = '\0';
    } else {
        rv_lane_copy_name((struct rv_lane *)from->lane, side.thread);
    }
    return side;
}

/* From the outermost call on; stack NULL: "". For the caller to free. */
static char *take_calls(const struct table *table, const struct rv_call_stack *stack, const char *separator)
{
    size_t n = !stack ? 0 : stack->n < RV_CALL_STACK_MOST ? stack->n : RV_CALL_STACK_MOST;
    struct rv_text_buffer text = {0};
    if (stack && stack->n > n)
        rv_text_buffer_format(&text, "(%zu more)%s", stack->n - n, separator);
    while (n-- > 0) {
        char *name = take_name(table, stack->ids[n]);
        rv_text_buffer_add(&text, name);
        rv_text_buffer_add(&text, n ? separator : "");
        free(name);
    }
    rv_text_buffer_add_bytes(&text, "", 1);
    return text.bytes;
}

/* The calls that waited, or in which the holder released the object; NULL: they are not known. */
static const struct rv_call_stack *stack_of(const struct table *table, const struct rv_waits_row *row, int side)
{
    return table->stacks ? &table->stacks[row - table->rows][side] : NULL;
}

/* The calls in which the i-th thread of the deadlocks waits; NULL: unknown. */
static const struct rv_call_stack *deadlocked_stack(const struct table *table, size_t i)
{
    return table->deadlocked_stacks ? &table->deadlocked_stacks[i] : NULL;
}

static bool begins_cycle(const struct table *table, size_t i)
{
    return i == 0 || table->deadlocked[i].cycle != table->deadlocked[i - 1].cycle;
}

/* Who waits, and for whom. */
static struct rv_wait_side waiting_side(const struct table *table, size_t i)
{
    const struct rv_wait *wait = &table->deadlocked[i].wait;
    const struct rv_lane *lane = rv_lanes_get(table->lanes, wait->lane);
    return (struct rv_wait_side){lane, lane->tid, wait->call};
}

/* The thread that holds what the i-th waits for: the next one, or the cycle's first. */
static size_t holder_of(const struct table *table, size_t i)
{
    if (i + 1 < table->n_deadlocked && !begins_cycle(table, i + 1))
        return i + 1;
    while (!begins_cycle(table, i))
        i--;
    return i;
}

static struct rv_wait_side holding_side(const struct table *table, size_t i)
{
    const struct rv_lane *holder = table->deadlocked[i].holder;
    return (struct rv_wait_side){holder, holder->tid, 0};
}

/* ---- text ---- */

enum { INDENT = 46, ARC_INDENT = 38 };

static void add_text_side(struct rv_text_buffer *text, const struct table *table, const struct rv_wait_side *from)
{
    struct side side = take_side(table, from);
    rv_text_buffer_add(text, *side.thread ? side.thread : "thread");
    if (from->tid != RV_WIRE_OUTSIDE)
        rv_text_buffer_format(text, *side.thread ? " (%u)" : " %u", number_of(from));
    if (*side.call)
        rv_text_buffer_format(text, " in %s", side.call);
    free(side.call);
}

static void add_text_calls(struct rv_text_buffer *text, const struct table *table, const struct rv_call_stack *stack)
{
    char *calls = take_calls(table, stack, " > ");
    if (*calls)
        rv_text_buffer_format(text, "%*s%s\n", INDENT + 6, "", calls);
    free(calls);
}

static void add_text_deadlock(struct rv_text_buffer *text, const struct table *table, size_t i)
{
    const struct rv_wait *wait = &table->deadlocked[i].wait;
    const struct rv_wait_side waiting = waiting_side(table, i), holding = holding_side(table, i);
    char *object = rv_waits_take_object(table->subroutines, wait->kind, wait->object);
    char *stack = take_calls(table, deadlocked_stack(table, i), " > ");
    if (begins_cycle(table, i))
        rv_text_buffer_add(text, "\ndeadlock:\n");
    rv_text_buffer_add(text, "    ");
    add_text_side(text, table, &waiting);
    rv_text_buffer_format(text, " waits for %s, which ", object);
    add_text_side(text, table, &holding);
    rv_text_buffer_format(text, " has%s%s\n", *stack ? "\n        " : "", stack);
    free(stack);
    free(object);
}

/* In percent. */
static unsigned share_of(const struct rv_waits_row *row, uint64_t n_ns)
{
    return (unsigned)((double)n_ns * 100.0 / (double)(row->total_ns ? row->total_ns : 1) + 0.5);
}

static void add_text_row(struct rv_text_buffer *text, const struct table *table, const struct rv_waits_row *row)
{
    char *object = take_name(table, row->object);
    rv_text_buffer_format(text, "%12" PRIu64, row->n_waits);
    rv_text_buffer_add_duration(text, row->total_ns);
    rv_text_buffer_add_duration(text, row->p99_ns);
    rv_text_buffer_add_duration(text, row->longest_ns);
    rv_text_buffer_format(text, "  %s%s%s\n%*slongest: ", rv_wait_kind_name(row->kind), *object ? " " : "", object,
                          INDENT + 3, "");
    add_text_side(text, table, &row->waiter);
    rv_text_buffer_add(text, "\n");
    add_text_calls(text, table, stack_of(table, row, WAITER));
    if (row->held_ns) {
        rv_text_buffer_format(text, "%*s%3u %% %s ", INDENT, "", share_of(row, row->held_ns),
                              row->n_of_wake[RV_WAKE_UNKNOWN] == row->n_waits ? "held by" : "ended by");
        add_text_side(text, table, &row->holder);
        rv_text_buffer_add(text, "\n");
        add_text_calls(text, table, stack_of(table, row, HOLDER));
    }
    if (share_of(row, row->idle_ns))
        rv_text_buffer_format(text, "%*s%3u %% idle\n", INDENT, "", share_of(row, row->idle_ns));
    if (share_of(row, row->passed_ns))
        rv_text_buffer_format(text, "%*s%3u %% while who ended it waited for others\n", INDENT, "",
                              share_of(row, row->passed_ns));
    if (row->n_of_wake[RV_WAKE_TIMEOUT])
        rv_text_buffer_format(text, "%*s%" PRIu64 " timed out\n", INDENT + 3, "", row->n_of_wake[RV_WAKE_TIMEOUT]);
    free(object);
}

static void write_text(struct rv_text_buffer *text, const void *context)
{
    const struct table *table = context;
    uint64_t n_waits = 0, total_ns = 0;
    rv_text_buffer_format(text, "%12s %10s %10s %10s  waited for\n", "waits", "total", "p99", "longest");
    for (size_t i = 0; i < table->n; i++) {
        add_text_row(text, table, &table->rows[i]);
        n_waits += table->rows[i].n_waits;
        total_ns += table->rows[i].total_ns;
    }
    rv_text_buffer_format(text, "%12" PRIu64, n_waits);
    rv_text_buffer_add_duration(text, total_ns);
    rv_text_buffer_format(text, " %21s  all %zu object%s\n", "", table->n, rv_units_word(table->n, "", "s"));
    for (size_t i = 0; i < table->n_deadlocked; i++)
        add_text_deadlock(text, table, i);
    if (table->is_incomplete)
        rv_text_buffer_add(text, "some waits could not be read: see --check\n");
    rv_waits_add_unknown(text, table->n_unknown);
    rv_silent_threads_add_text(text, &table->silent);
    rv_losses_add_text(text, "lost", table->losses, RV_LOSS_EVENTS_DROPPED);
}

/* ---- CSV ---- */

static void add_csv_side(struct rv_text_buffer *text, const struct table *table, const struct rv_wait_side *from)
{
    struct side side = take_side(table, from);
    rv_text_buffer_format(text, ",%u,", number_of(from));
    rv_text_buffer_add_csv(text, side.thread);
    rv_text_buffer_add(text, ",");
    rv_text_buffer_add_csv(text, side.call);
    free(side.call);
}

static void add_csv_calls(struct rv_text_buffer *text, const struct table *table, const struct rv_call_stack *stack)
{
    char *calls = take_calls(table, stack, ";");
    rv_text_buffer_add(text, ",");
    rv_text_buffer_add_csv(text, calls);
    free(calls);
}

static void add_csv_row(struct rv_text_buffer *text, const struct table *table, const struct rv_waits_row *row)
{
    char *object = take_name(table, row->object);
    rv_text_buffer_format(text, "%s,", rv_wait_kind_name(row->kind));
    rv_text_buffer_add_csv(text, object);
    rv_text_buffer_format(text, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, row->n_waits, row->total_ns,
                          row->p99_ns, row->longest_ns);
    for (unsigned i = 0; i < RV_WAKE_COUNT; i++)
        rv_text_buffer_format(text, ",%" PRIu64, row->n_of_wake[i]);
    add_csv_side(text, table, &row->waiter);
    add_csv_side(text, table, &row->holder);
    rv_text_buffer_format(text, ",%" PRIu64, row->held_ns);
    add_csv_calls(text, table, stack_of(table, row, HOLDER));
    add_csv_calls(text, table, stack_of(table, row, WAITER));
    rv_text_buffer_format(text, ",%" PRIu64 ",%" PRIu64 "\n", row->idle_ns, row->passed_ns);
    free(object);
}

/* Columns as of an object: its one wait so far. */
static void add_csv_deadlock(struct rv_text_buffer *text, const struct table *table, size_t i)
{
    const struct rv_wait *wait = &table->deadlocked[i].wait;
    const struct rv_wait_side waiting = waiting_side(table, i), holding = holding_side(table, i);
    const uint64_t n_ns = rv_wait_duration_ns(wait);
    char *object = take_name(table, wait->object);
    rv_text_buffer_add(text, "deadlock,");
    rv_text_buffer_add_csv(text, object);
    rv_text_buffer_format(text, ",1,%" PRIu64 ",%" PRIu64 ",%" PRIu64, n_ns, n_ns, n_ns);
    for (unsigned wake = 0; wake < RV_WAKE_COUNT; wake++)
        rv_text_buffer_add(text, ",");
    add_csv_side(text, table, &waiting);
    add_csv_side(text, table, &holding);
    rv_text_buffer_format(text, ",%" PRIu64, n_ns);
    add_csv_calls(text, table, deadlocked_stack(table, holder_of(table, i)));
    add_csv_calls(text, table, deadlocked_stack(table, i));
    rv_text_buffer_add(text, ",0,0\n");
    free(object);
}

static void write_csv(struct rv_text_buffer *text, const void *context)
{
    const struct table *table = context;
    rv_text_buffer_add(text, "kind,object,waits,total_ns,p99_ns,longest_ns");
    for (enum rv_wake i = 0; i < RV_WAKE_COUNT; i++)
        rv_text_buffer_format(text, ",%s", rv_wake_word(i));
    rv_text_buffer_add(text, ",waiter,waiter_name,waiter_call,holder,holder_name,holder_call,held_ns,holder_stack,"
                             "waiter_stack,idle_ns,passed_ns\n");
    for (size_t i = 0; i < table->n; i++)
        add_csv_row(text, table, &table->rows[i]);
    for (size_t i = 0; i < table->n_deadlocked; i++)
        add_csv_deadlock(text, table, i);
    if (table->n_unknown)
        rv_add_csv_count(text, "unknown", "processes", table->n_unknown, CSV_COLUMNS);
    rv_silent_threads_add_csv(text, &table->silent, CSV_COLUMNS);
    rv_losses_add_csv(text, table->losses, CSV_COLUMNS);
}

/* ---- JSON ---- */

static void add_json_side(struct rv_text_buffer *text, const struct table *table, const char *key,
                          const struct rv_wait_side *from)
{
    struct side side = take_side(table, from);
    rv_text_buffer_format(text, ",\"%s\":{\"thread\":%u,\"name\":", key, number_of(from));
    rv_text_buffer_add_json(text, side.thread);
    rv_text_buffer_add(text, ",\"call\":");
    rv_text_buffer_add_json(text, side.call);
    rv_text_buffer_add(text, "}");
    free(side.call);
}

static void add_json_calls(struct rv_text_buffer *text, const struct table *table, const char *key,
                           const struct rv_call_stack *stack)
{
    char *calls = take_calls(table, stack, ";");
    rv_text_buffer_format(text, ",\"%s\":", key);
    rv_text_buffer_add_json(text, calls);
    free(calls);
}

static void add_json_row(struct rv_text_buffer *text, const struct table *table, const struct rv_waits_row *row)
{
    char *object = take_name(table, row->object);
    rv_text_buffer_format(text, "{\"kind\":\"%s\",\"object\":", rv_wait_kind_name(row->kind));
    rv_text_buffer_add_json(text, object);
    rv_text_buffer_format(text,
                          ",\"waits\":%" PRIu64 ",\"total_ns\":%" PRIu64 ",\"p99_ns\":%" PRIu64
                          ",\"longest_ns\":%" PRIu64 ",\"idle_ns\":%" PRIu64 ",\"passed_ns\":%" PRIu64 ",\"wakes\":{",
                          row->n_waits, row->total_ns, row->p99_ns, row->longest_ns, row->idle_ns, row->passed_ns);
    for (unsigned i = 0; i < RV_WAKE_COUNT; i++)
        rv_text_buffer_format(text, "%s\"%s\":%" PRIu64, i ? "," : "", rv_wake_word(i), row->n_of_wake[i]);
    rv_text_buffer_add(text, "}");
    add_json_side(text, table, "waiter", &row->waiter);
    add_json_calls(text, table, "waiter_stack", stack_of(table, row, WAITER));
    if (row->held_ns) {
        add_json_side(text, table, "holder", &row->holder);
        rv_text_buffer_format(text, ",\"held_ns\":%" PRIu64, row->held_ns);
        add_json_calls(text, table, "holder_stack", stack_of(table, row, HOLDER));
    }
    rv_text_buffer_add(text, "}");
    free(object);
}

static void add_json_deadlock(struct rv_text_buffer *text, const struct table *table, size_t i)
{
    const struct rv_wait *wait = &table->deadlocked[i].wait;
    const struct rv_wait_side waiting = waiting_side(table, i), holding = holding_side(table, i);
    char *object = take_name(table, wait->object);
    rv_text_buffer_add(text, !begins_cycle(table, i) ? "," : i ? "],[" : "[");
    rv_text_buffer_format(text, "{\"kind\":\"%s\",\"object\":", rv_wait_kind_name(wait->kind));
    rv_text_buffer_add_json(text, object);
    rv_text_buffer_format(text, ",\"total_ns\":%" PRIu64, rv_wait_duration_ns(wait));
    add_json_side(text, table, "waiter", &waiting);
    add_json_side(text, table, "holder", &holding);
    add_json_calls(text, table, "waiter_stack", deadlocked_stack(table, i));
    rv_text_buffer_add(text, i + 1 == table->n_deadlocked ? "}]" : "}");
    free(object);
}

static void add_json(struct rv_text_buffer *text, const struct table *table)
{
    rv_text_buffer_add(text, "{\"waits\":[");
    for (size_t i = 0; i < table->n; i++) {
        rv_text_buffer_add(text, i ? "," : "");
        add_json_row(text, table, &table->rows[i]);
    }
    rv_text_buffer_add(text, "],\"deadlocks\":[");
    for (size_t i = 0; i < table->n_deadlocked; i++)
        add_json_deadlock(text, table, i);
    rv_text_buffer_format(text, "],\"is_incomplete\":%s,\"processes_unknown\":%zu",
                          table->is_incomplete ? "true" : "false", table->n_unknown);
    rv_silent_threads_add_json(text, &table->silent);
    rv_text_buffer_add(text, ",\"lost\":");
    rv_losses_add_json(text, table->losses);
    rv_text_buffer_add(text, "}");
}

static void write_json(struct rv_text_buffer *text, const void *table)
{
    add_json(text, table);
    rv_text_buffer_add(text, "\n");
}

/* ---- arcs: from who ended waits to who had them ---- */

static void add_text_arc(struct rv_text_buffer *text, const struct table *table, const struct rv_waits_row *arc)
{
    char *object = rv_waits_take_object(table->subroutines, arc->kind, arc->object);
    rv_text_buffer_format(text, "%12" PRIu64, arc->n_waits);
    rv_text_buffer_add_duration(text, arc->total_ns);
    rv_text_buffer_add_duration(text, arc->longest_ns);
    rv_text_buffer_format(text, "  %s\n%*sfrom ", object, ARC_INDENT, "");
    add_text_side(text, table, &arc->holder);
    rv_text_buffer_format(text, "\n%*sto ", ARC_INDENT, "");
    add_text_side(text, table, &arc->waiter);
    rv_text_buffer_add(text, "\n");
    free(object);
}

static void write_text_arcs(struct rv_text_buffer *text, const void *context)
{
    const struct table *table = context;
    rv_text_buffer_format(text, "%12s %10s %10s  from who ended waits to who had them\n", "waits", "total", "longest");
    for (size_t i = 0; i < table->n; i++)
        add_text_arc(text, table, &table->rows[i]);
    if (table->is_incomplete)
        rv_text_buffer_add(text, "some waits could not be read: see --check\n");
    rv_waits_add_unknown(text, table->n_unknown);
    rv_losses_add_text(text, "lost", table->losses, RV_LOSS_EVENTS_DROPPED);
}

static void write_csv_arcs(struct rv_text_buffer *text, const void *context)
{
    const struct table *table = context;
    rv_text_buffer_add(text,
                       "kind,object,waits,total_ns,longest_ns,end_ns,from,from_name,from_call,to,to_name,to_call\n");
    for (size_t i = 0; i < table->n; i++) {
        const struct rv_waits_row *arc = &table->rows[i];
        char *object = take_name(table, arc->object);
        rv_text_buffer_format(text, "%s,", rv_wait_kind_name(arc->kind));
        rv_text_buffer_add_csv(text, object);
        rv_text_buffer_format(text, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, arc->n_waits, arc->total_ns,
                              arc->longest_ns, arc->waited_ns);
        add_csv_side(text, table, &arc->holder);
        add_csv_side(text, table, &arc->waiter);
        rv_text_buffer_add(text, "\n");
        free(object);
    }
    if (table->n_unknown)
        rv_add_csv_count(text, "unknown", "processes", table->n_unknown, ARCS_CSV_COLUMNS);
    rv_losses_add_csv(text, table->losses, ARCS_CSV_COLUMNS);
}

static void add_json_arc(struct rv_text_buffer *text, const struct table *table, const struct rv_waits_row *arc)
{
    char *object = take_name(table, arc->object);
    rv_text_buffer_format(text, "{\"kind\":\"%s\",\"object\":", rv_wait_kind_name(arc->kind));
    rv_text_buffer_add_json(text, object);
    rv_text_buffer_format(
        text, ",\"waits\":%" PRIu64 ",\"total_ns\":%" PRIu64 ",\"longest_ns\":%" PRIu64 ",\"end_ns\":%" PRIu64,
        arc->n_waits, arc->total_ns, arc->longest_ns, arc->waited_ns);
    add_json_side(text, table, "from", &arc->holder);
    add_json_side(text, table, "to", &arc->waiter);
    rv_text_buffer_add(text, "}");
    free(object);
}

static void write_json_arcs(struct rv_text_buffer *text, const void *context)
{
    const struct table *table = context;
    rv_text_buffer_add(text, "{\"arcs\":[");
    for (size_t i = 0; i < table->n; i++) {
        rv_text_buffer_add(text, i ? "," : "");
        add_json_arc(text, table, &table->rows[i]);
    }
    rv_text_buffer_format(text, "],\"is_incomplete\":%s,\"processes_unknown\":%zu,\"lost\":",
                          table->is_incomplete ? "true" : "false", table->n_unknown);
    rv_losses_add_json(text, table->losses);
    rv_text_buffer_add(text, "}\n");
}

static void free_table(struct table *table)
{
    free(table->rows);
    free(table->stacks);
    free(table->deadlocked);
    free(table->deadlocked_stacks);
}

static int read_stacks(struct table *table, const struct rv_spool *spool)
{
    table->stacks = rv_alloc(table->n + 1, sizeof *table->stacks);
    for (size_t i = 0; i < table->n; i++) {
        const struct rv_waits_row *row = &table->rows[i];
        table->stacks[i][WAITER].lane_idx = row->waiter.lane ? row->waiter.lane->idx : UINT32_MAX;
        table->stacks[i][WAITER].at_ns = row->waited_ns;
        table->stacks[i][HOLDER].lane_idx = row->holder.lane ? row->holder.lane->idx : UINT32_MAX;
        table->stacks[i][HOLDER].at_ns = row->released_ns;
    }
    table->deadlocked_stacks = rv_alloc(table->n_deadlocked + 1, sizeof *table->deadlocked_stacks);
    for (size_t i = 0; i < table->n_deadlocked; i++) {
        table->deadlocked_stacks[i].lane_idx = table->deadlocked[i].wait.lane;
        table->deadlocked_stacks[i].at_ns = table->deadlocked[i].wait.start_ns + 1;
    }
    const int error = rv_call_stacks_read(spool, *table->stacks, table->n * N_SIDES);
    return error ? error : rv_call_stacks_read(spool, table->deadlocked_stacks, table->n_deadlocked);
}

/* 0, or a negative errno: the stacks are not known. */
static int read_table(struct table *table, const struct rv_waits_report *report)
{
    *table = (struct table){.subroutines = report->subroutines, .losses = report->losses, .silent = report->silent};
    struct rv_wait_reader *reader = rv_wait_reader_open(report->waits, NULL, NULL);
    table->rows = (report->of_arcs ? rv_wait_reader_take_arcs : rv_wait_reader_take_rows)(reader, &table->n);
    table->lanes = report->lanes;
    if (!report->of_arcs)
        table->deadlocked = rv_deadlocks_take(reader, report->lanes, &table->n_deadlocked);
    table->is_incomplete = rv_wait_reader_has_missed(reader);
    table->n_unknown = rv_waits_count_unknown(report->lanes, table->n > 0);
    rv_wait_reader_close(reader);
    return report->spool && !report->of_arcs ? read_stacks(table, report->spool) : 0;
}

void rv_waits_add_json(struct rv_text_buffer *text, const struct rv_waits_report *report)
{
    struct table table;
    (void)read_table(&table, report);
    add_json(text, &table);
    free_table(&table);
}

static const struct rv_table_forms FORMS = {write_text, write_csv, write_json},
                                   FORMS_OF_ARCS = {write_text_arcs, write_csv_arcs, write_json_arcs};

int rv_waits_write(const struct rv_waits_report *report, enum rv_report_format format, FILE *out)
{
    struct table table;
    const int error = read_table(&table, report);
    const int result = rv_table_write(report->of_arcs ? &FORMS_OF_ARCS : &FORMS, &table, format, out, error);
    free_table(&table);
    return result;
}
