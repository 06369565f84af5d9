/*
 * Threads of the path are those of the model, whose stacks are lanes: of a thread with several, the calls of its own
 * stack are counted.
 */
#include "export/critical_path_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/err.h"
#include "base/hash_index.h"
#include "base/vec.h"
#include "export/longest_call.h"
#include "export/losses.h"
#include "export/critical_path_times.h"
#include "export/savings.h"
#include "export/text_buffer.h"
#include "export/waits_table.h"
#include "model/lit_path.h"
#include "waits/critical_path_graph.h"

#define ASSUMED                                                                                                        \
    "all else takes as long as it did, on however many CPUs; a wait ends when its waker gets there; one without a "    \
    "known waker lasts as long as it did; a thread that spins runs, whomever it waits for"

struct row {
    uint64_t n_ns;
    uint64_t n; /* hand-overs or waits; of a subroutine or a thread: stretches of the path */
    /* Of a subroutine: time with callees; and the part of n_ns in which the thread did not run. */
    uint64_t total_ns, blocked_ns, runnable_ns;
    uint64_t rank_ns; /* of an object: rows are in its order, then by n_ns */
    uint32_t id;
    enum rv_wait_kind kind; /* of an object */
};

struct rows {
    struct row *rows;
    size_t n, capacity;
    struct rv_hash_index by_key; /* 1 + row */
};

/* Savings are measured for so many subroutines, objects, and objects whose wakers are unknown: had this been free. */
enum { SAVINGS_EACH = 5, MOST_SAVINGS = 3 * SAVINGS_EACH };

/* With more waits, they are not loaded: the path is found among those that it needs, and savings are not measured. */
#define MOST_WAITS ((size_t)1 << 23)

struct path {
    const struct rv_critical_path_report *report;
    struct rv_wait_reader *reader;
    struct rv_critical_path_graph graph;
    uint32_t call;     /* id of the subroutine of the call that the path is of; 0: of a time */
    uint32_t thread;   /* where it ends */
    uint64_t begin_ns; /* begin of that call or time */
    uint64_t from_ns, to_ns, woken_ns;
    uint64_t known_from_ns;        /* not 0: the path begins here, since earlier waits were not kept */
    bool has_all_waits;            /* the graph has all waits */
    bool knows_off_cpu;            /* it is known when threads were off the CPU, at least in their waits */
    size_t n_unknown;              /* processes whose waits are not known */
    const struct rv_lit_path *lit; /* held */
    struct rows subroutines, objects, unknown, on_threads;
    uint32_t *as_id; /* of each subroutine: the one that it is counted as */
    uint32_t n_ids;
    double n_telling;                       /* about how many events of a thread are being read; */
    double n_done, n_events;                /* of those that were, and of all that are to be */
    struct rv_critical_path_params if_free; /* the path as savings are measured of it */
    struct rv_savings *times;               /* to measure them by; NULL: they are not measured */
    struct rv_saving savings[MOST_SAVINGS]; /* most first */
    size_t n_savings;
};

/* ---- progress ---- */

/* About how many events of a thread are in a time; to_ns 0: until its end. */
static double events_in(const struct path *path, size_t thread, uint64_t from_ns, uint64_t to_ns)
{
    const struct rv_lane *lane = path->graph.lane_of[thread];
    const uint64_t first_ns = path->graph.threads[thread].begin_ns, last_ns = lane ? lane->last_ns : 0;
    const uint64_t begin_ns = first_ns > from_ns ? first_ns : from_ns;
    const uint64_t end_ns = to_ns && to_ns < last_ns ? to_ns : last_ns;
    return begin_ns < end_ns ? (double)lane->n_events * (double)(end_ns - begin_ns) / (double)(last_ns - first_ns) : 0;
}

/* The events of that time will be read, n_times. */
static void add_told(struct path *path, uint64_t from_ns, uint64_t to_ns, unsigned n_times)
{
    for (size_t i = 0; i < path->graph.n_threads; i++)
        path->n_events += n_times * events_in(path, i, from_ns, to_ns);
}

/* So much of the thread's lane was read. */
static void tell(void *context, double done)
{
    const struct path *path = context;
    if (path->report->tell && path->n_events > 0)
        path->report->tell(path->report->teller, (path->n_done + done * path->n_telling) / path->n_events);
}

static void tell_all(struct path *path)
{
    path->n_done += path->n_telling;
    path->n_telling = 0;
    tell(path, 0);
}

/* ---- what the path is of ---- */

static int choose_call(struct path *path)
{
    const struct rv_slice *part = &path->report->part;
    struct rv_longest_call longest = {.is_found = false};
    int error = 0;
    add_told(path, part->from_ns, part->to_ns, 2); /* to find it, and at most as many for times */
    for (size_t i = 0; i < path->graph.n_threads && !error; i++) {
        struct rv_longest_call of_lane = {
            .calls = &path->report->calls, .part = part, .lane = path->graph.lane_of[i], .tell = tell, .teller = path};
        if (!of_lane.lane)
            continue;
        path->n_telling = events_in(path, i, part->from_ns, part->to_ns);
        if (rv_slice_has_lane(part, of_lane.lane))
            error = rv_longest_call_find(&of_lane);
        tell_all(path);
        if (of_lane.is_found &&
            (!longest.is_found || of_lane.span.end - of_lane.span.start > longest.span.end - longest.span.start))
            longest = of_lane;
    }
    if (error)
        return error;
    if (!longest.is_found)
        return rv_err(ENOENT, "no call passes the filter: there is no critical path");
    path->thread = longest.lane->thread;
    path->from_ns = longest.span.start;
    path->to_ns = longest.span.end;
    path->call = longest.span.id;
    return 0;
}

/* Of the time, up to the end of the thread that lasts longest. */
static int choose_time(struct path *path)
{
    const struct rv_slice *part = &path->report->part;
    if (!rv_lanes_bounds(path->report->lanes, &path->from_ns, &path->to_ns))
        return rv_err(ENOENT, "nothing was traced: there is no critical path");
    path->from_ns = part->from_ns > path->from_ns ? part->from_ns : path->from_ns;
    path->to_ns = part->to_ns && part->to_ns < path->to_ns ? part->to_ns : path->to_ns;
    path->thread = rv_critical_path_graph_last_thread(&path->graph, &path->to_ns);
    return path->thread == RV_CRITICAL_PATH_NONE ? rv_err(ENOENT, "no thread had begun: there is no critical path") : 0;
}

/* ---- sums ---- */

static uint64_t key_of(uint32_t id, enum rv_wait_kind kind)
{
    return (uint64_t)kind << 32 | id;
}

static struct row *row_of(struct rows *rows, uint32_t id, enum rv_wait_kind kind)
{
    const uint64_t key = key_of(id, kind);
    uint32_t number = rv_hash_index_get(&rows->by_key, key);
    if (!number) {
        rows->rows = rv_vec_reserve(rows->rows, &rows->capacity, rows->n + 1, sizeof *rows->rows);
        rows->rows[rows->n++] = (struct row){.id = id, .kind = kind};
        number = (uint32_t)rows->n;
        rv_hash_index_add(&rows->by_key, key, number);
    }
    return &rows->rows[number - 1];
}

static void add_row(struct rows *rows, uint32_t id, enum rv_wait_kind kind, uint64_t n_ns, uint64_t n)
{
    struct row *row = row_of(rows, id, kind);
    row->n_ns += n_ns;
    row->n += n;
}

static void add_threads(struct path *path)
{
    for (size_t i = 0; i < path->lit->n; i++) {
        const struct rv_critical_path_step *step = &path->lit->steps[i];
        const uint64_t n_ns = step->to_ns - step->from_ns;
        add_row(&path->on_threads, step->thread, 0, n_ns, i == 0 || path->lit->steps[i - 1].thread != step->thread);
        path->woken_ns += step->kind == RV_CRITICAL_PATH_WAKE ? n_ns : 0;
        if (step->kind == RV_CRITICAL_PATH_WAIT)
            add_row(&path->unknown, path->graph.edges[step->wait].wait.object, path->graph.edges[step->wait].wait.kind,
                    n_ns, 1);
    }
}

/* Is a step in a wait that the path came through waiting for something else? */
static bool is_passed_on(const struct path *path, const struct rv_critical_path_step *step, const struct rv_wait *of)
{
    return step->kind == RV_CRITICAL_PATH_WAIT && path->graph.edges[step->wait].wait.kind < RV_WAIT_SLEEP &&
           !rv_wait_kind_is_lock(of->kind);
}

/*
 * The time of the path that lies in a wait which led to another thread is that object's: it is what the waiter waited
 * for. Of waits inside one another, the innermost has it: also one whose waker is unknown, if it is for another thread, but
 * not from a lock, from which its holder keeps others while it waits.
 */
static void add_objects(struct path *path)
{
    uint32_t *open = rv_alloc(path->lit->n + 1, sizeof *open), n_open = 0, last = RV_CRITICAL_PATH_NONE;
    for (size_t i = path->lit->n; i-- > 0;) {
        const struct rv_critical_path_step *step = &path->lit->steps[i];
        const uint32_t wait = step->kind == RV_CRITICAL_PATH_WAIT ? RV_CRITICAL_PATH_NONE : step->wait;
        if (wait != RV_CRITICAL_PATH_NONE && wait != last) {
            open[n_open++] = last = wait;
            add_row(&path->objects, path->graph.edges[wait].wait.object, path->graph.edges[wait].wait.kind, 0, 1);
        }
        for (uint64_t to_ns = step->to_ns; n_open && to_ns > step->from_ns;) {
            const struct rv_wait *of = &path->graph.edges[open[n_open - 1]].wait;
            const uint64_t from_ns = of->start_ns > step->from_ns ? of->start_ns : step->from_ns;
            if (from_ns < to_ns) {
                if (!is_passed_on(path, step, of))
                    add_row(&path->objects, of->object, of->kind, to_ns - from_ns, 0);
                to_ns = from_ns;
            }
            n_open -= to_ns > step->from_ns; /* it begins here: the time before is of the one around it */
        }
    }
    free(open);
}

/* Of the path those on it, of what is saved all. */
static int add_threads_times(struct path *path, struct rv_critical_path_times *times)
{
    int error = 0;
    for (uint32_t i = 0; i < path->graph.n_threads && !error; i++) {
        if (!path->graph.lane_of[i])
            continue;
        path->n_telling = events_in(path, i, path->begin_ns, path->to_ns);
        error = rv_critical_path_times_add(times, &path->report->calls, path->graph.lane_of[i], i);
        tell_all(path);
    }
    return error;
}

/* A path that ends in another thread than asked for ends in a wait. */
static void begin_savings(struct path *path, const struct rv_critical_path_params *params)
{
    path->if_free = *params;
    path->if_free.thread = path->lit->n ? path->lit->steps[path->lit->n - 1].thread : path->thread;
    path->times = rv_savings_create(&(struct rv_savings_params){
        .path = &path->if_free, .graph = &path->graph, .as_id = path->as_id, .n_ids = path->n_ids});
}

static int add_subroutines(struct path *path)
{
    struct rv_recorded_folds *folds =
        rv_recorded_folds_create(&(struct rv_recorded_folds_params){.calls = &path->report->calls,
                                                                    .as_id = path->as_id,
                                                                    .n_ids = path->n_ids,
                                                                    .from_ns = path->begin_ns,
                                                                    .to_ns = path->to_ns,
                                                                    .most_bytes = path->report->most_fold_bytes});
    struct rv_critical_path_times *times =
        rv_critical_path_times_create(&(struct rv_critical_path_times_params){.lit = path->lit,
                                                                              .as_id = path->as_id,
                                                                              .n_ids = path->n_ids,
                                                                              .from_ns = path->begin_ns,
                                                                              .to_ns = path->to_ns,
                                                                              .savings = path->times,
                                                                              .sums = path->report->sums,
                                                                              .folds = folds,
                                                                              .tell = tell,
                                                                              .teller = path});
    const int error = add_threads_times(path, times);
    const struct rv_critical_path_time *all = rv_critical_path_times_all(times);
    for (uint32_t i = 0; i < path->n_ids; i++) {
        if (!all[i].total_ns)
            continue;
        struct row *row = row_of(&path->subroutines, i, 0);
        row->n_ns = all[i].n_ns;
        row->n = all[i].n;
        row->total_ns = all[i].total_ns;
        row->blocked_ns = all[i].blocked_ns;
        row->runnable_ns = all[i].runnable_ns;
    }
    rv_critical_path_times_destroy(times);
    rv_recorded_folds_destroy(folds);
    return error;
}

static int by_time(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->n_ns != y->n_ns)
        return x->n_ns > y->n_ns ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static int by_rank(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->rank_ns != y->rank_ns)
        return x->rank_ns > y->rank_ns ? -1 : 1;
    return by_time(a, b);
}

static void sort(struct rows *rows)
{
    if (rows->n)
        qsort(rows->rows, rows->n, sizeof *rows->rows, by_rank);
}

/*
 * An object's waits whose wakers are unknown count, too. The end of a thread or process comes from what that did, and comes
 * last.
 */
static void rank_objects(struct path *path)
{
    for (size_t i = 0; i < path->objects.n; i++) {
        struct row *row = &path->objects.rows[i];
        const uint32_t unknown = rv_hash_index_get(&path->unknown.by_key, key_of(row->id, row->kind));
        const bool is_end = row->kind == RV_WAIT_JOIN || row->kind == RV_WAIT_PROCESS;
        row->rank_ns = is_end ? 0 : row->n_ns + (unknown ? path->unknown.rows[unknown - 1].n_ns : 0);
    }
}

/* ---- had something been free ---- */

static bool has_saving(const struct path *path, const struct rv_saving *saving)
{
    for (size_t i = 0; i < path->n_savings; i++)
        if (path->savings[i].is_object == saving->is_object && path->savings[i].kind == saving->kind &&
            path->savings[i].id == saving->id)
            return true;
    return false;
}

static void choose_savings(struct path *path, const struct rows *rows, bool is_object)
{
    for (size_t i = 0; i < rows->n && i < SAVINGS_EACH; i++) {
        const struct rv_saving saving = {is_object, rows->rows[i].kind, rows->rows[i].id, 0};
        const bool is_join = is_object && saving.kind == RV_WAIT_JOIN; /* not to join is another program */
        if (!is_join && !has_saving(path, &saving))
            path->savings[path->n_savings++] = saving;
    }
}

static int by_saving(const void *a, const void *b)
{
    const struct rv_saving *x = a, *y = b;
    if (x->saved_ns != y->saved_ns)
        return x->saved_ns > y->saved_ns ? -1 : 1;
    if (x->is_object != y->is_object)
        return x->is_object ? 1 : -1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static void measure_savings(struct path *path)
{
    choose_savings(path, &path->subroutines, false);
    choose_savings(path, &path->objects, true);
    choose_savings(path, &path->unknown, true);
    rv_savings_measure(path->times, path->savings, path->n_savings);
    qsort(path->savings, path->n_savings, sizeof *path->savings, by_saving);
}

/* Of the time before the first wait that was kept, nothing is known. */
static int leave_unknown(struct path *path)
{
    const uint64_t gone_ns = rv_waits_state(path->report->waits).gone_ns;
    if (gone_ns <= path->from_ns)
        return 0;
    if (gone_ns >= path->to_ns)
        return rv_err(ENOENT, "the waits of that time were not kept: there is no critical path (--memory)");
    path->from_ns = path->known_from_ns = gone_ns;
    return 0;
}

static void find_steps(struct path *path, const struct rv_critical_path_params *params)
{
    struct rv_critical_path_step *steps;
    size_t n;
    if (path->has_all_waits) {
        steps = rv_critical_path_take(params, &n);
    } else {
        path->graph.n_waits = 0;
        steps = rv_critical_path_graph_take_path(&path->graph,
                                                 &(struct rv_critical_path_graph_path){.thread = path->thread,
                                                                                       .from_ns = path->from_ns,
                                                                                       .to_ns = path->to_ns},
                                                 &n);
    }
    path->lit = rv_lit_path_create(steps, n);
}

static int find_path(struct path *path)
{
    path->reader = rv_wait_reader_open(path->report->waits, NULL, NULL);
    path->knows_off_cpu = rv_lanes_have_stretches(path->report->lanes) || rv_waits_n(path->report->waits);
    path->n_unknown = rv_waits_count_unknown(path->report->lanes, rv_waits_n(path->report->waits) > 0);
    rv_critical_path_graph_init(&path->graph, path->report->lanes, path->reader);
    int error = rv_filter_n_rules(path->report->part.filter) ? choose_call(path) : choose_time(path);
    error = error ? error : leave_unknown(path);
    if (error)
        return error;
    path->n_events = path->n_done; /* of a short call's time there are few */
    add_told(path, path->from_ns, path->to_ns, 1);
    path->has_all_waits = rv_critical_path_graph_add_waits(&path->graph, path->from_ns, path->to_ns, MOST_WAITS);
    const struct rv_critical_path_params params = {.threads = path->graph.threads,
                                                   .n_threads = path->graph.n_threads,
                                                   .waits = path->graph.waits,
                                                   .n_waits = path->graph.n_waits,
                                                   .thread = path->thread,
                                                   .from_ns = path->from_ns,
                                                   .to_ns = path->to_ns};
    find_steps(path, &params);
    path->begin_ns = path->from_ns;
    path->from_ns = path->lit->n ? path->lit->steps[0].from_ns : path->to_ns;
    add_threads(path);
    add_objects(path);
    path->as_id = rv_subroutines_take_namesakes(path->report->subroutines, &path->n_ids);
    if (path->has_all_waits)
        begin_savings(path, &params);
    error = add_subroutines(path);
    rank_objects(path);
    sort(&path->subroutines);
    sort(&path->objects);
    sort(&path->unknown);
    sort(&path->on_threads);
    if (!error && path->times)
        measure_savings(path);
    return error;
}

static void rows_fini(struct rows *rows)
{
    free(rows->rows);
    rv_hash_index_fini(&rows->by_key);
}

static void fini(struct path *path)
{
    rv_savings_destroy(path->times);
    free(path->as_id);
    rv_critical_path_graph_fini(&path->graph);
    rv_wait_reader_close(path->reader);
    rv_lit_path_release(path->lit);
    rows_fini(&path->subroutines);
    rows_fini(&path->objects);
    rows_fini(&path->unknown);
    rows_fini(&path->on_threads);
}

/* ---- output ---- */

/* What a row is of: the caller frees it. */
static char *take_subroutine(const struct path *path, const struct row *row)
{
    struct rv_subroutine subroutine = rv_subroutines_get(path->report->subroutines, row->id);
    return rv_subroutine_take_full_name(&subroutine);
}

static char *take_object(const struct path *path, const struct row *row)
{
    return rv_waits_take_object(path->report->subroutines, row->kind, row->id);
}

static char *take_thread(const struct path *path, const struct row *row)
{
    const struct rv_lane *lane = path->graph.lane_of[row->id];
    struct rv_text_buffer text = {0};
    rv_text_buffer_format(&text, "%s (%u)%c", lane->name, lane->tid, '\0');
    return text.bytes;
}

/* Of the path, in no call. */
static uint64_t outside_ns(const struct path *path)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < path->subroutines.n; i++)
        sum += path->subroutines.rows[i].n_ns;
    return path->to_ns - path->from_ns - sum;
}

/* Of the path, in calls that waited for a CPU. */
static uint64_t runnable_ns(const struct path *path)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < path->subroutines.n; i++)
        sum += path->subroutines.rows[i].runnable_ns;
    return sum;
}

struct section {
    const char *key, *title, *count;
    const struct rows *rows;
    char *(*take)(const struct path *path, const struct row *row);
};

enum { N_SECTIONS = 4 };

static void list_sections(const struct path *path, struct section sections[N_SECTIONS])
{
    sections[0] = (struct section){"subroutines", "in: subroutine, without callees", "stretches", &path->subroutines,
                                   take_subroutine};
    sections[1] =
        (struct section){"objects", "waited for what another thread held", "hand-overs", &path->objects, take_object};
    sections[2] = (struct section){"unknown", "waited, and no traced thread is known to have ended it", "waits",
                                   &path->unknown, take_object};
    sections[3] = (struct section){"threads", "thread", "stretches", &path->on_threads, take_thread};
}

static void add_text_row(struct rv_text_buffer *text, const struct path *path, uint64_t n_ns, uint64_t n)
{
    const uint64_t all_ns = path->to_ns - path->from_ns;
    rv_text_buffer_add_duration(text, n_ns);
    rv_text_buffer_format(text, " %6.1f %% %12" PRIu64, 100.0 * (double)n_ns / (double)(all_ns ? all_ns : 1), n);
}

static void add_text_times(struct rv_text_buffer *text, const struct path *path, const struct row *row)
{
    rv_text_buffer_add_duration(text, row->total_ns);
    if (!path->knows_off_cpu)
        return;
    rv_text_buffer_add_duration(text, row->blocked_ns);
    rv_text_buffer_add_duration(text, row->runnable_ns);
}

static void add_text_section(struct rv_text_buffer *text, const struct path *path, const struct section *section)
{
    if (section->rows->n == 0)
        return;
    const bool has_times = section->rows == &path->subroutines;
    rv_text_buffer_format(text, "\n %10s %8s %12s%s%s  %s\n", "time", "share", section->count,
                          has_times ? "      total" : "",
                          has_times && path->knows_off_cpu ? "    blocked   runnable" : "", section->title);
    for (size_t i = 0; i < section->rows->n; i++) {
        const struct row *row = &section->rows->rows[i];
        char *name = section->take(path, row);
        add_text_row(text, path, row->n_ns, row->n);
        if (has_times)
            add_text_times(text, path, row);
        rv_text_buffer_format(text, "  %s\n", name);
        free(name);
    }
}

static char *take_saving(const struct path *path, const struct rv_saving *saving)
{
    const struct row row = {.id = saving->id, .kind = saving->kind};
    return saving->is_object ? take_object(path, &row) : take_subroutine(path, &row);
}

static void add_text_savings(struct rv_text_buffer *text, const struct path *path)
{
    const uint64_t all_ns = path->to_ns - path->from_ns;
    if (path->n_savings)
        rv_text_buffer_format(text, "\n %10s %8s %12s  %s\n", "saved", "share", "",
                              "were this free: what a subroutine ran itself, waits for an object");
    for (size_t i = 0; i < path->n_savings; i++) {
        char *name = take_saving(path, &path->savings[i]);
        rv_text_buffer_add_duration(text, path->savings[i].saved_ns);
        rv_text_buffer_format(text, " %6.1f %% %12s  %s\n",
                              100.0 * (double)path->savings[i].saved_ns / (double)(all_ns ? all_ns : 1), "", name);
        free(name);
    }
    if (path->n_savings)
        rv_text_buffer_add(text, "each alone, computed anew; assumed: " ASSUMED "\n");
}

static void write_text(struct rv_text_buffer *text, const void *context)
{
    const struct path *path = context;
    struct section sections[N_SECTIONS];
    char *call = path->call ? take_subroutine(path, &(struct row){.id = path->call}) : NULL;
    char *thread = take_thread(path, &(struct row){.id = path->thread});
    const bool is_part = path->report->part.from_ns || path->report->part.to_ns;
    list_sections(path, sections);
    rv_text_buffer_format(text, "critical path of %s, which ends in %s; steps: %zu\n",
                          call      ? call
                          : is_part ? "a part of the run"
                                    : "the run",
                          thread, path->lit->n);
    add_text_section(text, path, &sections[0]);
    add_text_row(text, path, outside_ns(path), 0);
    rv_text_buffer_add(text, "  (outside of calls)\n");
    if (path->knows_off_cpu) {
        add_text_row(text, path, runnable_ns(path), 0);
        rv_text_buffer_add(text, "  (of all these, runnable: waited for a CPU)\n");
    }
    for (size_t i = 1; i < N_SECTIONS; i++)
        add_text_section(text, path, &sections[i]);
    add_text_savings(text, path);
    rv_text_buffer_add(text, "\n");
    rv_text_buffer_add_duration(text, path->to_ns - path->from_ns);
    rv_text_buffer_add(text, "  all\n");
    if (path->known_from_ns)
        rv_text_buffer_add(text, "waits before that were not kept: the path begins after them (--memory)\n");
    if (!path->has_all_waits)
        rv_text_buffer_format(text, "more than %zu waits: nothing was computed anew\n", MOST_WAITS);
    if (rv_wait_reader_has_missed(path->reader))
        rv_text_buffer_add(text, "some waits could not be read: it may be another path; see --check\n");
    rv_waits_add_unknown(text, path->n_unknown);
    rv_losses_add_text(text, "lost", path->report->losses, RV_LOSS_EVENTS_DROPPED);
    free(call);
    free(thread);
}

/* row: of a subroutine; NULL: of something else */
static void add_csv_times(struct rv_text_buffer *text, const struct path *path, const struct row *row)
{
    if (row)
        rv_text_buffer_format(text, ",%" PRIu64, row->total_ns);
    if (row && path->knows_off_cpu)
        rv_text_buffer_format(text, ",%" PRIu64 ",%" PRIu64 "\n", row->blocked_ns, row->runnable_ns);
    else
        rv_text_buffer_add(text, row ? ",,\n" : ",,,\n");
}

static void write_csv(struct rv_text_buffer *text, const void *context)
{
    const struct path *path = context;
    struct section sections[N_SECTIONS];
    list_sections(path, sections);
    rv_text_buffer_add(text, "what,name,time_ns,count,total_ns,blocked_ns,runnable_ns\n");
    for (size_t i = 0; i < N_SECTIONS; i++)
        for (size_t j = 0; j < sections[i].rows->n; j++) {
            const struct row *row = &sections[i].rows->rows[j];
            char *name = sections[i].take(path, row);
            rv_text_buffer_format(text, "%s,", sections[i].key);
            rv_text_buffer_add_csv(text, name);
            rv_text_buffer_format(text, ",%" PRIu64 ",%" PRIu64, row->n_ns, row->n);
            add_csv_times(text, path, sections[i].rows == &path->subroutines ? row : NULL);
            free(name);
        }
    for (size_t i = 0; i < path->n_savings; i++) {
        char *name = take_saving(path, &path->savings[i]);
        rv_text_buffer_format(text, "saved by free %s,", path->savings[i].is_object ? "object" : "subroutine");
        rv_text_buffer_add_csv(text, name);
        rv_text_buffer_format(text, ",%" PRIu64 ",0,,,\n", path->savings[i].saved_ns);
        free(name);
    }
    rv_text_buffer_format(text,
                          "outside of calls,,%" PRIu64 ",0,,,\nrunnable,,%" PRIu64 ",0,,,\nwoken,,%" PRIu64
                          ",0,,,\nall,,%" PRIu64 ",%zu,,,\n",
                          outside_ns(path), runnable_ns(path), path->woken_ns, path->to_ns - path->from_ns,
                          path->lit->n);
    if (path->known_from_ns)
        rv_text_buffer_format(text, "waits were not kept until,,%" PRIu64 ",0,,,\n", path->known_from_ns);
    if (path->n_unknown)
        rv_text_buffer_format(text, "processes whose waits are unknown,,,%zu,,,\n", path->n_unknown);
    rv_losses_add_csv(text, path->report->losses, 7);
}

static void add_json_savings(struct rv_text_buffer *text, const struct path *path)
{
    rv_text_buffer_add(text, ",\"were_free\":{\"assumed\":\"" ASSUMED "\",\"rows\":[");
    for (size_t i = 0; i < path->n_savings; i++) {
        char *name = take_saving(path, &path->savings[i]);
        rv_text_buffer_format(text, "%s{\"what\":\"%s\",\"name\":", i ? "," : "",
                              path->savings[i].is_object ? "object" : "subroutine");
        rv_text_buffer_add_json(text, name);
        rv_text_buffer_format(text, ",\"saved_ns\":%" PRIu64 "}", path->savings[i].saved_ns);
        free(name);
    }
    rv_text_buffer_add(text, "]}");
}

static void add_json_times(struct rv_text_buffer *text, const struct path *path, const struct row *row)
{
    rv_text_buffer_format(text, ",\"total_ns\":%" PRIu64, row->total_ns);
    if (path->knows_off_cpu)
        rv_text_buffer_format(text, ",\"blocked_ns\":%" PRIu64 ",\"runnable_ns\":%" PRIu64, row->blocked_ns,
                              row->runnable_ns);
}

static void write_json(struct rv_text_buffer *text, const void *context)
{
    const struct path *path = context;
    struct section sections[N_SECTIONS];
    list_sections(path, sections);
    rv_text_buffer_format(text,
                          "{\"from_ns\":%" PRIu64 ",\"to_ns\":%" PRIu64
                          ",\"steps\":%zu,\"outside_of_calls_ns\":%" PRIu64 ",\"runnable_ns\":%" PRIu64
                          ",\"woken_ns\":%" PRIu64 ",\"known_from_ns\":%" PRIu64 ",\"processes_unknown\":%zu,\"lost\":",
                          path->from_ns, path->to_ns, path->lit->n, outside_ns(path), runnable_ns(path), path->woken_ns,
                          path->known_from_ns, path->n_unknown);
    rv_losses_add_json(text, path->report->losses);
    for (size_t i = 0; i < N_SECTIONS; i++) {
        rv_text_buffer_format(text, ",\"%s\":[", sections[i].key);
        for (size_t j = 0; j < sections[i].rows->n; j++) {
            const struct row *row = &sections[i].rows->rows[j];
            char *name = sections[i].take(path, row);
            rv_text_buffer_add(text, j ? ",{\"name\":" : "{\"name\":");
            rv_text_buffer_add_json(text, name);
            rv_text_buffer_format(text, ",\"time_ns\":%" PRIu64 ",\"count\":%" PRIu64, row->n_ns, row->n);
            if (sections[i].rows == &path->subroutines)
                add_json_times(text, path, row);
            rv_text_buffer_add(text, "}");
            free(name);
        }
        rv_text_buffer_add(text, "]");
    }
    add_json_savings(text, path);
    rv_text_buffer_add(text, "}\n");
}

static const struct rv_table_forms FORMS = {write_text, write_csv, write_json};

int rv_critical_path_table_write(const struct rv_critical_path_report *report, enum rv_report_format format, FILE *out,
                                 struct rv_critical_path_end *end)
{
    struct path path = {.report = report};
    int error = find_path(&path);
    if (!error)
        *end =
            (struct rv_critical_path_end){path.graph.lane_of[path.thread]->idx, path.call, path.begin_ns, path.to_ns};
    error = rv_table_write(&FORMS, &path, format, out, error);
    fini(&path);
    return error;
}
