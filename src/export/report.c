/* Rows of one subroutine under several ids are merged with their histograms before anything is printed. */
#include "base/units.h"
#include "export/not_traced.h"
#include "export/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/instrumentation_text.h"
#include "base/vec.h"
#include "export/losses.h"
#include "export/silent_threads.h"
#include "export/table_names.h"
#include "export/name_form.h"
#include "export/text_buffer.h"
#include "export/thread_owners.h"

struct name { /* of a subroutine in the report */
    char *full;
    const char *file;
    uint32_t line, line_form;
};

struct line {
    struct rv_stats_row row;
    struct name name;
    const char *argument; /* of a group, else NULL */
    bool is_in_part;      /* not traced all the time, for its cost: it had more calls */
};

/* Those that a narrow terminal has no room for, the least telling first. */
enum column_group { TOTAL_STATES, LOW_DURATIONS, SELF_STATES, HIGH_DURATIONS, N_COLUMN_GROUPS };

struct table {
    const struct rv_report *report;
    struct line *lines;
    size_t n;
    struct rv_lane **lanes; /* by thread */
    size_t n_lanes;
    struct rv_not_traced *not_traced;
    size_t n_not_traced;
    bool has_switches, has_turns, has_objects;     /* of the threads: by the kernel, by a runtime twice */
    bool has_doubtful_totals;                      /* see rv_stats_has_doubtful_totals() */
    struct rv_table_group groups[N_COLUMN_GROUPS]; /* of columns of the text */
    int n_left_out;                                /* of these */
};

static struct name name_of(struct rv_subroutines *subroutines, uint32_t id)
{
    struct rv_subroutine subroutine = rv_subroutines_get(subroutines, id);
    return (struct name){.full = rv_subroutine_take_full_name(&subroutine),
                         .file = subroutine.file,
                         .line = subroutine.line,
                         .line_form = subroutine.line_form};
}

static int compare_names(const struct name *a, const struct name *b)
{
    int order = strcmp(a->full, b->full);
    if (order == 0)
        order = strcmp(a->file, b->file);
    if (order == 0)
        order = a->line < b->line ? -1 : a->line > b->line;
    return order;
}

static int by_self_time(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->row.self_ns != y->row.self_ns)
        return x->row.self_ns > y->row.self_ns ? -1 : 1;
    const int order = compare_names(&x->name, &y->name);
    return order || !x->argument ? order : strcmp(x->argument, y->argument);
}

static struct rv_state_times times_of(struct rv_lane *lane)
{
    pthread_rwlock_wrlock(&lane->lock);
    const struct rv_state_times times = lane->times;
    pthread_rwlock_unlock(&lane->lock);
    return times;
}

static void take_groups(struct table *table, const struct rv_report *report)
{
    table->n = rv_group_by_rows(report->group_by, NULL, 0);
    table->lines = rv_alloc(table->n, sizeof *table->lines);
    struct rv_stats_row *rows = rv_alloc(table->n, sizeof *rows);
    (void)rv_group_by_rows(report->group_by, rows, table->n);
    for (size_t i = 0; i < table->n; i++) {
        const struct rv_call_group *group = rv_group_by_at(report->group_by, rows[i].id);
        table->lines[i] = (struct line){
            .row = rows[i], .name = name_of(report->subroutines, group->subroutine), .argument = group->text};
    }
    free(rows);
}

static void take_subroutines(struct table *table, const struct rv_report *report)
{
    struct rv_stats *merged = rv_stats_by_name(report->stats, report->subroutines);
    struct rv_stats_row *rows = rv_stats_take_rows(merged, &table->n);
    table->has_doubtful_totals = rv_stats_has_doubtful_totals(report->stats, merged);
    table->lines = rv_alloc(table->n, sizeof *table->lines);
    for (size_t i = 0; i < table->n; i++)
        table->lines[i] = (struct line){.row = rows[i], .name = name_of(report->subroutines, rows[i].id)};
    free(rows);
    rv_stats_destroy(merged);
}

static void take_not_traced(struct table *table, const struct rv_report *report)
{
    table->not_traced = rv_not_traced_take(report->lanes, report->subroutines, &table->n_not_traced);
    for (size_t i = 0; i < table->n; i++)
        table->lines[i].is_in_part =
            rv_not_traced_has(table->not_traced, table->n_not_traced, table->lines[i].name.full);
}

static void table_init(struct table *table, const struct rv_report *report)
{
    *table = (struct table){.report = report};
    (report->group_by ? take_groups : take_subroutines)(table, report);
    take_not_traced(table, report);
    qsort(table->lines, table->n, sizeof *table->lines, by_self_time);
    table->lanes = rv_lanes_take_by_thread(report->lanes, &table->n_lanes);
    table->has_switches = report->n_switches && !report->group_by;
    for (size_t i = 0; i < table->n_lanes && !report->group_by; i++) {
        const struct rv_state_times times = times_of(table->lanes[i]);
        table->has_switches |= rv_state_times_has_switches(&times);
        table->has_turns |= rv_state_times_has_turns(&times);
        table->has_objects |= times.n_objects > 0 && !report->lacks_objects;
    }
}

static void table_fini(struct table *table)
{
    for (size_t i = 0; i < table->n; i++)
        free(table->lines[i].name.full);
    free(table->lines);
    free(table->lanes);
    free(table->not_traced);
}

/* ---- times in which calls ran and did not ---- */

enum { MOST_ROWS = 50, COLUMN_WIDTH = 11, NAME_WIDTH = 36 }; /* of the text; of names what most need */
enum { MOST_STACKS = 20 };                                   /* of a thread, besides its first */
enum { N_SWITCH_TIMES = 3, SELF_TIMES = 0, TOTAL_TIMES = 5, SELF_OBJECTS = 10, TOTAL_OBJECTS = 11, N_TIMES = 12 };

/*
 * Own times, then those of outermost activations: three by the kernel's switches, two by a runtime's turns; and objects
 * made.
 */
static const char *const TIME_NAMES[N_TIMES] = {"self_cpu_ns",        "self_blocked_ns",   "self_runnable_ns",
                                                "self_ready_ns",      "self_suspended_ns", "total_cpu_ns",
                                                "total_blocked_ns",   "total_runnable_ns", "total_ready_ns",
                                                "total_suspended_ns", "self_objects",      "total_objects"};

static void list_times(uint64_t *out, const struct rv_state_times *times, uint64_t all_ns)
{
    out[0] = rv_state_times_cpu_ns(times, all_ns);
    out[1] = times->blocked_ns;
    out[2] = times->runnable_ns;
    out[3] = times->ready_ns;
    out[4] = rv_state_times_suspended_ns(times);
}

static void list_row_times(uint64_t out[N_TIMES], const struct rv_stats_row *row)
{
    list_times(out + SELF_TIMES, &row->self_times, row->self_ns);
    list_times(out + TOTAL_TIMES, &row->total_times, row->total_ns);
    out[SELF_OBJECTS] = row->self_times.n_objects;
    out[TOTAL_OBJECTS] = row->total_times.n_objects;
}

static bool knows(const struct table *table, int time)
{
    if (time >= SELF_OBJECTS)
        return table->has_objects;
    return time % TOTAL_TIMES < N_SWITCH_TIMES ? table->has_switches : table->has_turns;
}

/* ---- JSON ---- */

static void add_json_number(struct rv_text_buffer *text, const char *key, uint64_t value)
{
    rv_text_buffer_add(text, key);
    rv_text_buffer_add_u64(text, value);
}

static void add_json_times(struct rv_text_buffer *text, const struct table *table, const struct rv_stats_row *row)
{
    uint64_t times[N_TIMES];
    list_row_times(times, row);
    for (int i = 0; i < N_TIMES; i++)
        if (knows(table, i))
            rv_text_buffer_format(text, ",\"%s\":%llu", TIME_NAMES[i], (unsigned long long)times[i]);
}

static void add_json_line(struct rv_text_buffer *text, const struct table *table, const struct line *line)
{
    rv_text_buffer_add(text, "{\"name\":");
    rv_text_buffer_add_json(text, line->name.full);
    if (line->argument) {
        rv_text_buffer_add(text, ",\"argument\":");
        rv_text_buffer_add_json(text, line->argument);
    }
    rv_text_buffer_add(text, ",\"file\":");
    rv_text_buffer_add_json(text, line->name.file);
    add_json_number(text, ",\"line\":", line->name.line);
    rv_add_json_form(text, line->name.line_form);
    rv_text_buffer_add(text, line->is_in_part ? ",\"in_part\":true" : "");
    rv_text_buffer_add(text, line->row.has_doubtful ? ",\"doubtful\":true" : "");
    add_json_number(text, ",\"calls\":", line->row.n_calls);
    add_json_number(text, ",\"total_ns\":", line->row.total_ns);
    add_json_number(text, ",\"self_ns\":", line->row.self_ns);
    add_json_number(text, ",\"min_ns\":", line->row.min_ns);
    add_json_number(text, ",\"p50_ns\":", line->row.p50_ns);
    add_json_number(text, ",\"p99_ns\":", line->row.p99_ns);
    add_json_number(text, ",\"max_ns\":", line->row.max_ns);
    add_json_times(text, table, &line->row);
    rv_text_buffer_add(text, "}");
}

static void add_json_thread_times(struct rv_text_buffer *text, const struct table *table,
                                  const struct rv_state_times *times)
{
    if (table->has_switches) {
        add_json_number(text, ",\"blocked_ns\":", times->blocked_ns);
        add_json_number(text, ",\"runnable_ns\":", times->runnable_ns);
        add_json_number(text, ",\"unknown_ns\":", times->unknown_ns);
    }
    if (table->has_turns) {
        add_json_number(text, ",\"ready_ns\":", times->ready_ns);
        add_json_number(text, ",\"suspended_ns\":", rv_state_times_suspended_ns(times));
    }
    if (table->has_objects)
        add_json_number(text, ",\"objects\":", times->n_objects);
}

static void add_json_thread(struct rv_text_buffer *text, const struct table *table, struct rv_lane *lane)
{
    pthread_rwlock_wrlock(&lane->lock);
    add_json_number(text, "{\"process\":", lane->pid);
    add_json_number(text, ",\"thread\":", lane->tid);
    rv_text_buffer_add(text, ",\"name\":");
    rv_text_buffer_add_json(text, lane->name);
    add_json_number(text, ",\"events\":", lane->n_events);
    add_json_number(text, ",\"max_depth\":", lane->max_depth);
    add_json_thread_times(text, table, &lane->times);
    if (lane->last_line)
        add_json_number(text, ",\"last_line\":", lane->last_line);
    rv_text_buffer_add(text, "}");
    pthread_rwlock_unlock(&lane->lock);
}

static void add_json_owners(struct rv_text_buffer *text, const struct table *table)
{
    size_t n;
    struct rv_thread_owner *owners = rv_thread_owners_take(table->lanes, table->n_lanes, &n);
    rv_text_buffer_add(text, ",\"thread_groups\":[");
    for (size_t i = 0; i < n; i++) {
        add_json_number(text, i ? ",{\"process\":" : "{\"process\":", owners[i].pid);
        rv_text_buffer_add(text, ",\"name\":");
        rv_text_buffer_add_json(text, owners[i].name);
        add_json_number(text, ",\"threads\":", owners[i].n_threads);
        add_json_number(text, ",\"events\":", owners[i].n_events);
        add_json_number(text, ",\"max_depth\":", owners[i].max_depth);
        add_json_thread_times(text, table, &owners[i].times);
        rv_text_buffer_add(text, "}");
    }
    rv_text_buffer_add(text, "]");
    free(owners);
}

/* The processes whose instrumentation is known. */
static struct rv_lane **take_processes(const struct rv_report *report, size_t *n)
{
    size_t n_lanes;
    struct rv_lane **lanes = rv_lanes_take_by_process(report->lanes, &n_lanes);
    *n = 0;
    for (size_t i = 0; i < n_lanes; i++)
        if (lanes[i]->instrumentation.instruments & ~(uint32_t)RV_INSTRUMENT_WAITS)
            lanes[(*n)++] = lanes[i];
    return lanes;
}

static void add_json_patches(struct rv_text_buffer *text, const struct rv_wire_instrumentation *instrumentation)
{
    const char *separator = "";
    add_json_number(text, ",\"patches\":{\"functions\":", instrumentation->n_functions);
    add_json_number(text, ",\"patched\":", instrumentation->n_patched);
    add_json_number(text, ",\"trivial\":", instrumentation->n_trivial);
    add_json_number(text, ",\"filtered\":", instrumentation->n_filtered);
    rv_text_buffer_add(text, ",\"refused\":{");
    for (unsigned i = RV_PATCH_FITS + 1; i < RV_PATCH_REFUSAL_COUNT; i++) {
        if (!instrumentation->n_refused[i])
            continue;
        rv_text_buffer_format(text, "%s\"%s\":%u", separator, rv_refusal_text((enum rv_patch_refusal)i),
                              instrumentation->n_refused[i]);
        separator = ",";
    }
    add_json_number(text, "},\"imports\":", instrumentation->n_imports);
    rv_text_buffer_add(text, "}");
}

static void add_json_process(struct rv_text_buffer *text, const struct rv_lane *lane)
{
    const uint32_t instruments = lane->instrumentation.instruments;
    char runtime[sizeof lane->instrumentation.runtime + 1] = "";
    memcpy(runtime, lane->instrumentation.runtime, sizeof lane->instrumentation.runtime);
    add_json_number(text, "{\"process\":", lane->pid);
    rv_text_buffer_add(text, ",\"name\":");
    rv_text_buffer_add_json(text, lane->process_name);
    rv_text_buffer_format(text, ",\"hooks\":%s,\"profile_hooks\":%s",
                          instruments & RV_INSTRUMENT_HOOKS ? "true" : "false",
                          instruments & RV_INSTRUMENT_PROFILE_HOOKS ? "true" : "false");
    if (instruments & RV_INSTRUMENT_RUNTIME) {
        rv_text_buffer_add(text, ",\"runtime\":");
        rv_text_buffer_add_json(text, runtime);
    }
    if (instruments & RV_INSTRUMENT_PATCHES)
        add_json_patches(text, &lane->instrumentation);
    if (instruments & RV_INSTRUMENT_SYSCALLS)
        rv_text_buffer_add(text, ",\"system_calls\":true");
    rv_text_buffer_add(text, "}");
}

static void add_json_processes(struct rv_text_buffer *text, const struct rv_report *report)
{
    size_t n;
    struct rv_lane **processes = take_processes(report, &n);
    rv_text_buffer_add(text, ",\"processes\":[");
    for (size_t i = 0; i < n; i++) {
        rv_text_buffer_add(text, i ? "," : "");
        add_json_process(text, processes[i]);
    }
    rv_text_buffer_add(text, "]");
    free(processes);
}

static void add_json_not_traced(struct rv_text_buffer *text, const struct table *table)
{
    const struct rv_not_traced *all = table->not_traced;
    rv_text_buffer_add(text, ",\"not_traced\":[");
    for (size_t i = 0; i < table->n_not_traced; i++) {
        add_json_number(text, i ? ",{\"process\":" : "{\"process\":", all[i].pid);
        add_json_number(text, ",\"from_ns\":", all[i].at_ns);
        if (all[i].until_ns)
            add_json_number(text, ",\"to_ns\":", all[i].until_ns);
        rv_text_buffer_add(text, ",\"what\":");
        rv_text_buffer_add_json(text, all[i].what);
        rv_text_buffer_add(text, "}");
    }
    rv_text_buffer_add(text, "]");
}

static void write_json(struct rv_text_buffer *text, const void *context)
{
    const struct table *table = context;
    const struct rv_report *report = table->report;
    add_json_number(text, "{\"events\":{\"produced\":", report->n_produced);
    add_json_number(text, ",\"consumed\":", report->n_consumed);
    add_json_number(text, ",\"dropped\":", report->n_dropped);
    add_json_number(text, "},\"spans\":", report->n_spans);
    add_json_number(text, ",\"state_changes\":", report->n_switches);
    rv_text_buffer_format(text, ",\"states_known\":%s%s", table->has_switches ? "true" : "false",
                          table->has_doubtful_totals ? ",\"totals_doubtful\":true" : "");
    rv_text_buffer_add(text, ",\"lost\":");
    rv_losses_add_json(text, report->losses);
    rv_silent_threads_add_json(text, &report->silent);
    rv_full_rings_add_json(text, &report->full_rings);
    add_json_processes(text, report);
    add_json_not_traced(text, table);
    rv_text_buffer_add(text, ",\"threads\":[");
    for (size_t i = 0; i < table->n_lanes; i++) {
        rv_text_buffer_add(text, i ? "," : "");
        add_json_thread(text, table, table->lanes[i]);
    }
    rv_text_buffer_add(text, "]");
    add_json_owners(text, table);
    rv_text_buffer_add(text, ",\"subroutines\":[");
    for (size_t i = 0; i < table->n; i++) {
        rv_text_buffer_add(text, i ? "," : "");
        add_json_line(text, table, &table->lines[i]);
    }
    rv_text_buffer_add(text, "]}\n");
}

/* Losses as rows like those of subroutines: kind as a name in parentheses, number as calls. */
static void add_csv_losses(struct rv_text_buffer *text, const struct rv_report *report)
{
    const struct rv_losses *losses = report->losses;
    for (enum rv_loss loss = 0; losses && loss < RV_LOSS_COUNT; loss++)
        if (losses->n[loss])
            rv_text_buffer_format(text, "(lost: %s),,0,%llu,0,0,0,0,0,0,,,,,,,,,,,,%s\n", rv_loss_words(loss),
                                  (unsigned long long)losses->n[loss], report->group_by ? "," : "");
}

/* Likewise: the time of the threads, and what of it they waited. */
static void add_csv_full_rings(struct rv_text_buffer *text, const struct rv_report *report)
{
    const struct rv_full_rings *full_rings = &report->full_rings;
    if (full_rings->n_threads)
        rv_text_buffer_format(text, "(full rings: %zu thread%s),,0,0,%llu,0,0,0,0,0,,,,,,,%llu,,,,,%s\n",
                              full_rings->n_threads, rv_units_word(full_rings->n_threads, "", "s"),
                              (unsigned long long)full_rings->lasted_ns, (unsigned long long)full_rings->waited_ns,
                              report->group_by ? "," : "");
}

/* Likewise. */
static void add_csv_not_traced(struct rv_text_buffer *text, const struct table *table)
{
    const struct rv_not_traced *all = table->not_traced;
    for (size_t i = 0; i < table->n_not_traced; i++) {
        char when[64], name[sizeof all->what + sizeof when + 64];
        snprintf(name, sizeof name, "(not traced %s: %s)", rv_not_traced_when(&all[i], when), all[i].what);
        rv_text_buffer_add_csv(text, name);
        rv_text_buffer_format(text, ",,0,0,0,0,0,0,0,0,,,,,,,,,,,,%s\n", table->report->group_by ? "," : "");
    }
}

/* Likewise. */
static void add_csv_doubtful(struct rv_text_buffer *text, const struct table *table)
{
    if (table->has_doubtful_totals)
        rv_text_buffer_add(text, "(doubtful totals),,0,0,0,0,0,0,0,0,,,,,,,,,,,,\n");
    for (size_t i = 0; i < table->n; i++) {
        if (!table->lines[i].row.has_doubtful)
            continue;
        struct rv_text_buffer name = {0};
        rv_text_buffer_format(&name, "(doubtful: %s)", table->lines[i].name.full);
        rv_text_buffer_add_bytes(&name, "", 1);
        rv_text_buffer_add_csv(text, name.bytes);
        rv_text_buffer_fini(&name);
        rv_text_buffer_format(text, ",,0,0,0,0,0,0,0,0,,,,,,,,,,,,%s\n", table->report->group_by ? "," : "");
    }
}

/* What is not known is empty. */
static void add_csv_times(struct rv_text_buffer *text, const struct table *table, const struct rv_stats_row *row)
{
    uint64_t times[N_TIMES];
    list_row_times(times, row);
    for (int i = 0; i < N_TIMES; i++) {
        rv_text_buffer_add(text, ",");
        if (knows(table, i))
            rv_text_buffer_add_u64(text, times[i]);
    }
}

static void write_csv(struct rv_text_buffer *text, const void *context)
{
    const struct table *table = context;
    const struct rv_report *report = table->report;
    rv_text_buffer_add(text, "name,file,line,calls,total_ns,self_ns,min_ns,p50_ns,p99_ns,max_ns");
    for (int i = 0; i < N_TIMES; i++)
        rv_text_buffer_format(text, ",%s", TIME_NAMES[i]);
    rv_text_buffer_add(text, report->group_by ? ",argument\n" : "\n");
    for (size_t i = 0; i < table->n; i++) {
        const struct line *line = &table->lines[i];
        const uint64_t numbers[] = {line->name.line,  line->row.n_calls, line->row.total_ns, line->row.self_ns,
                                    line->row.min_ns, line->row.p50_ns,  line->row.p99_ns,   line->row.max_ns};
        rv_text_buffer_add_csv(text, line->name.full);
        rv_text_buffer_add(text, ",");
        rv_text_buffer_add_csv(text, line->name.file);
        for (size_t j = 0; j < sizeof numbers / sizeof *numbers; j++) {
            rv_text_buffer_add(text, ",");
            rv_text_buffer_add_u64(text, numbers[j]);
        }
        add_csv_times(text, table, &line->row);
        rv_text_buffer_add(text, line->argument ? "," : "");
        rv_text_buffer_add_csv(text, line->argument ? line->argument : "");
        rv_text_buffer_add(text, "\n");
    }
    add_csv_losses(text, report);
    add_csv_full_rings(text, report);
    add_csv_not_traced(text, table);
    add_csv_doubtful(text, table);
}

/* Those of a thread have no time of which the rest is its CPU time. */
static void add_times(struct rv_text_buffer *text, const struct table *table, const struct rv_state_times *times,
                      const uint64_t *all_ns)
{
    uint64_t numbers[TOTAL_TIMES];
    list_times(numbers, times, all_ns ? *all_ns : 0);
    for (int i = all_ns ? 0 : 1; i < TOTAL_TIMES; i++)
        if (knows(table, i))
            rv_text_buffer_add_duration(text, numbers[i]);
    if (table->has_objects)
        rv_text_buffer_format(text, " %10llu", (unsigned long long)times->n_objects);
}

static void add_times_heading(struct rv_text_buffer *text, const struct table *table, bool has_cpu)
{
    static const char *const names[TOTAL_TIMES] = {"cpu", "blocked", "runnable", "ready", "suspended"};
    for (int i = has_cpu ? 0 : 1; i < TOTAL_TIMES; i++)
        if (knows(table, i))
            rv_text_buffer_format(text, " %10s", names[i]);
    if (table->has_objects)
        rv_text_buffer_add(text, "    objects");
}

static bool shows(const struct table *table, enum column_group group)
{
    return (int)group >= table->n_left_out;
}

/* The width of a group's columns, where they are shown. */
static int width_of(const struct table *table, enum column_group group)
{
    return shows(table, group) ? table->groups[group].width : 0;
}

static void fit(struct table *table, unsigned width)
{
    int n_states = table->has_objects;
    for (int i = 0; i < TOTAL_TIMES; i++)
        n_states += knows(table, i);
    table->groups[TOTAL_STATES] = (struct rv_table_group){"states of total", COLUMN_WIDTH * n_states};
    table->groups[LOW_DURATIONS] = (struct rv_table_group){"min, p50", COLUMN_WIDTH * 2};
    table->groups[SELF_STATES] = (struct rv_table_group){"states of self", COLUMN_WIDTH * n_states};
    table->groups[HIGH_DURATIONS] = (struct rv_table_group){"p99", COLUMN_WIDTH};
    table->n_left_out = rv_table_leave_out(table->groups, N_COLUMN_GROUPS, 12 + 3 * COLUMN_WIDTH + NAME_WIDTH, width);
}

/* Rows of a table that are shown: on a terminal, not so many that those of the beginning are lost. */
static size_t n_shown(const struct table *table, size_t n)
{
    return table->report->width && n > MOST_ROWS ? MOST_ROWS : n;
}

static void add_text_more(struct rv_text_buffer *text, const struct table *table, size_t n, const char *what)
{
    if (n_shown(table, n) < n)
        rv_text_buffer_format(text, "%12s  %zu more %s (all: | less -S)\n", "...", n - n_shown(table, n), what);
}

/* On a terminal a file's folders would take several lines. Files of a runtime have theirs in angle brackets. */
static void add_place(struct rv_text_buffer *text, const struct table *table, const struct name *name)
{
    const char *slash = table->report->width ? strrchr(name->file, '/') : NULL;
    if (!name->file[0])
        return;
    rv_text_buffer_format(text, " (%s%s", slash && name->file[0] == '<' ? "<" : "", slash ? slash + 1 : name->file);
    if (name->line)
        rv_text_buffer_format(text, ":%u", name->line);
    rv_text_buffer_add(text, ")");
}

static void add_text_line(struct rv_text_buffer *text, const struct table *table, const struct line *line,
                          const char *name)
{
    const struct rv_stats_row *row = &line->row;
    rv_text_buffer_format(text, "%12llu", (unsigned long long)row->n_calls);
    rv_text_buffer_add_duration(text, row->total_ns);
    if (shows(table, TOTAL_STATES))
        add_times(text, table, &row->total_times, &row->total_ns);
    rv_text_buffer_add_duration(text, row->self_ns);
    if (shows(table, SELF_STATES))
        add_times(text, table, &row->self_times, &row->self_ns);
    if (shows(table, LOW_DURATIONS)) {
        rv_text_buffer_add_duration(text, row->min_ns);
        rv_text_buffer_add_duration(text, row->p50_ns);
    }
    if (shows(table, HIGH_DURATIONS))
        rv_text_buffer_add_duration(text, row->p99_ns);
    rv_text_buffer_add_duration(text, row->max_ns);
    rv_text_buffer_format(text, "  %s", name);
    add_place(text, table, &line->name);
    if (line->argument && *line->argument) {
        rv_text_buffer_add(text, "  ");
        rv_text_buffer_add(text, line->argument);
    }
    rv_text_buffer_add(text, line->is_in_part ? "  in part" : "");
    rv_text_buffer_add(text, line->row.has_doubtful ? "  doubtful\n" : "\n");
}

static void add_text_thread(struct rv_text_buffer *text, const struct table *table, struct rv_lane *lane)
{
    pthread_rwlock_wrlock(&lane->lock);
    rv_text_buffer_format(text, "%12u %10u", lane->pid, lane->tid);
    if (lane->stack == 0 || lane->n_events)
        rv_text_buffer_format(text, " %12llu %10u", (unsigned long long)lane->n_events, lane->max_depth);
    else /* those of all its stacks are the thread's */
        rv_text_buffer_format(text, " %12s %10s", "", "");
    add_times(text, table, &lane->times, NULL);
    rv_text_buffer_format(text, "  %s", lane->name);
    if (lane->last_line)
        rv_text_buffer_format(text, ", last at line %u", lane->last_line);
    if (lane->times.unknown_ns) {
        rv_text_buffer_add(text, ", state not known for");
        rv_text_buffer_add_duration(text, lane->times.unknown_ns);
    }
    rv_text_buffer_add(text, "\n");
    pthread_rwlock_unlock(&lane->lock);
}

/* Of a thread's stacks, which may be thousands of fibers, the first ones. */
static void add_text_threads(struct rv_text_buffer *text, const struct table *table)
{
    size_t n_rows = 0, n_stacks = 0, i = 0;
    rv_text_buffer_format(text, "\n%12s %10s %12s %10s", "process", "thread", "events", "max depth");
    add_times_heading(text, table, false);
    rv_text_buffer_add(text, "  thread\n");
    for (; i < table->n_lanes && n_rows < n_shown(table, table->n_lanes); i++) {
        const bool is_last = i + 1 == table->n_lanes || table->lanes[i + 1]->thread != table->lanes[i]->thread;
        const size_t n_left_out = n_stacks > MOST_STACKS ? n_stacks - MOST_STACKS : 0;
        if (n_left_out == 0)
            add_text_thread(text, table, table->lanes[i]);
        else if (is_last)
            rv_text_buffer_format(text, "%12s  %zu more stack%s of that thread (all: --report=json)\n", "...",
                                  n_left_out, rv_units_word(n_left_out, "", "s"));
        n_rows += n_left_out == 0 || is_last;
        n_stacks = is_last ? 0 : n_stacks + 1;
    }
    if (i < table->n_lanes)
        rv_text_buffer_format(text, "%12s  %zu more threads (all: | less -S)\n", "...", table->n_lanes - i);
}

static void add_text_owners(struct rv_text_buffer *text, const struct table *table)
{
    size_t n;
    struct rv_thread_owner *owners = rv_thread_owners_take(table->lanes, table->n_lanes, &n);
    if (n) {
        rv_text_buffer_format(text, "\n%12s %10s %12s %10s", "process", "threads", "events", "max depth");
        add_times_heading(text, table, false);
        rv_text_buffer_add(text, "  group\n");
    }
    for (size_t i = 0; i < n_shown(table, n); i++) {
        rv_text_buffer_format(text, "%12u %10u %12llu %10u", owners[i].pid, owners[i].n_threads,
                              (unsigned long long)owners[i].n_events, owners[i].max_depth);
        add_times(text, table, &owners[i].times, NULL);
        rv_text_buffer_format(text, "  %s\n", owners[i].name);
    }
    add_text_more(text, table, n, "groups");
    free(owners);
}

static void add_text_processes(struct rv_text_buffer *text, const struct table *table)
{
    char by[RV_INSTRUMENTATION_BYTES];
    size_t n;
    struct rv_lane **processes = take_processes(table->report, &n);
    if (n)
        rv_text_buffer_format(text, "\n%12s  traced by\n", "process");
    for (size_t i = 0; i < n_shown(table, n); i++)
        rv_text_buffer_format(text, "%12u  %s: %s\n", processes[i]->pid, processes[i]->process_name,
                              rv_instrumentation_text(&processes[i]->instrumentation, by));
    add_text_more(text, table, n, "processes");
    free(processes);
}

/* The times of a function together. */
static void add_text_not_traced(struct rv_text_buffer *text, const struct table *table)
{
    if (!table->n_not_traced)
        return;
    struct rv_not_traced *all = rv_alloc(table->n_not_traced, sizeof *all);
    memcpy(all, table->not_traced, table->n_not_traced * sizeof *all);
    const size_t n = rv_not_traced_fold(all, table->n_not_traced);
    rv_text_buffer_format(text, "\n%12s %10s %10s  not traced in any process, for its cost in this one\n", "process",
                          "from", "to");
    for (size_t i = 0; i < n_shown(table, n); i++) {
        rv_text_buffer_format(text, "%12u", all[i].pid);
        rv_text_buffer_add_duration(text, all[i].at_ns);
        if (all[i].until_ns)
            rv_text_buffer_add_duration(text, all[i].until_ns);
        else
            rv_text_buffer_format(text, " %10s", "");
        rv_text_buffer_format(text, "  %s", all[i].what);
        if (all[i].n_more)
            rv_text_buffer_format(text, " (and %zu time%s later)", all[i].n_more,
                                  rv_units_word(all[i].n_more, "", "s"));
        rv_text_buffer_add(text, "\n");
    }
    add_text_more(text, table, n, "functions");
    free(all);
}

/* Where the columns are missing. */
static void add_text_unknown(struct rv_text_buffer *text, const struct rv_report *report, const struct table *table)
{
    if (table->n && !table->has_switches && !report->group_by)
        rv_text_buffer_add(text, "threads' states are not known: no columns of cpu, blocked and runnable time\n");
}

static void add_text_full_rings(struct rv_text_buffer *text, const struct rv_report *report)
{
    char words[RV_FULL_RINGS_BYTES];
    if (*rv_full_rings_words(&report->full_rings, words))
        rv_text_buffer_format(text, "%s\n", words);
}

static void add_text_heading(struct rv_text_buffer *text, const struct table *table)
{
    rv_text_buffer_format(text, "%12s %10s", "calls", "total");
    if (shows(table, TOTAL_STATES))
        add_times_heading(text, table, true);
    rv_text_buffer_format(text, " %10s", "self");
    if (shows(table, SELF_STATES))
        add_times_heading(text, table, true);
    if (shows(table, LOW_DURATIONS))
        rv_text_buffer_format(text, " %10s %10s", "min", "p50");
    if (shows(table, HIGH_DURATIONS))
        rv_text_buffer_format(text, " %10s", "p99");
    rv_text_buffer_format(text, " %10s  subroutine\n", "max");
}

/* Own times of subroutines are without those of others; those of statements are theirs once more. */
static bool is_subroutine(const struct line *line)
{
    return !(rv_name_form(line->name.line_form) & RV_NAME_STATEMENT);
}

/* What marks behind rows mean, and how many have one. */
static void add_text_marks(struct rv_text_buffer *text, const struct table *table)
{
    size_t n_in_part = 0, n_doubtful = 0;
    for (size_t i = 0; i < table->n; i++) {
        n_in_part += table->lines[i].is_in_part;
        n_doubtful += table->lines[i].row.has_doubtful;
    }
    if (n_in_part)
        rv_text_buffer_format(text,
                              "in part: %zu had more calls, which were not traced, for their cost (see below; "
                              "--max-overhead=off)\n",
                              n_in_part);
    if (n_doubtful)
        rv_text_buffer_format(
            text,
            "doubtful: events are missing while calls of %zu were open; such a call may be several, so "
            "p99 and max may be too long (--spans flags it)\n",
            n_doubtful);
    if (table->has_doubtful_totals)
        rv_text_buffer_add(text,
                           "doubtful totals: names came late; of subroutines of one name, calls inside each other "
                           "may count twice (--from=0 measures anew)\n");
}

static void write_text(struct rv_text_buffer *text, const void *context)
{
    const struct table *table = context;
    const struct rv_report *report = table->report;
    uint64_t n_calls = 0, self_ns = 0;
    size_t n_subroutines = 0;
    char **names =
        rv_table_names_create(table->lines, sizeof *table->lines, offsetof(struct line, name.full), table->n);
    const int behind_self =
        width_of(table, SELF_STATES) + width_of(table, LOW_DURATIONS) + width_of(table, HIGH_DURATIONS) + COLUMN_WIDTH;
    add_text_heading(text, table);
    for (size_t i = 0; i < n_shown(table, table->n); i++)
        add_text_line(text, table, &table->lines[i], names[i]);
    add_text_more(text, table, table->n, "rows with less own time");
    for (size_t i = 0; i < table->n; i++) {
        if (!is_subroutine(&table->lines[i]))
            continue;
        n_subroutines++;
        n_calls += table->lines[i].row.n_calls;
        self_ns += table->lines[i].row.self_ns;
    }
    rv_table_names_destroy(names, table->n);
    rv_text_buffer_format(text, "%12llu%*s", (unsigned long long)n_calls, COLUMN_WIDTH + width_of(table, TOTAL_STATES),
                          "");
    rv_text_buffer_add_duration(text, self_ns);
    rv_text_buffer_format(text, "%*s  all %zu subroutine%s\n", behind_self, "", n_subroutines,
                          rv_units_word(n_subroutines, "", "s"));
    add_text_marks(text, table);
    add_text_unknown(text, report, table);
    rv_table_add_left_out(text, table->groups, table->n_left_out);

    add_text_threads(text, table);
    add_text_owners(text, table);
    add_text_processes(text, table);
    add_text_not_traced(text, table);
    rv_text_buffer_format(text, "\n%llu event%s produced, %llu consumed, %llu dropped; %llu span%s",
                          (unsigned long long)report->n_produced, rv_units_word(report->n_produced, "", "s"),
                          (unsigned long long)report->n_consumed, (unsigned long long)report->n_dropped,
                          (unsigned long long)report->n_spans, rv_units_word(report->n_spans, "", "s"));
    if (report->n_switches)
        rv_text_buffer_format(text, "; %llu change%s of threads' states", (unsigned long long)report->n_switches,
                              rv_units_word(report->n_switches, "", "s"));
    rv_text_buffer_add(text, "\n");
    rv_silent_threads_add_text(text, &report->silent);
    add_text_full_rings(text, report);
    rv_losses_add_text(text, "lost", report->losses, RV_LOSS_EVENTS_DROPPED + 1);
}

static const struct rv_table_forms FORMS = {write_text, write_csv, write_json};

int rv_report_write(const struct rv_report *report, enum rv_report_format format, FILE *out)
{
    struct table table;
    table_init(&table, report);
    fit(&table, report->width);
    const int result = rv_table_write(&FORMS, &table, format, out, 0);
    table_fini(&table);
    return result;
}
