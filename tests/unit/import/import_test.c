#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "collect.h"
#include "scan/serial.h"
#include "import/formats.h"
#include "import/ringbuffer_file.h"
#include "import/uftrace_session.h"

TestSuite(import, .timeout = 60);

Test(import, reads_decimals_to_the_last_place)
{
    static const struct {
        const char *text;
        int scale;
        int64_t value;
        bool is_number;
        size_t n_used;
    } cases[] = {{"0", 3, 0, true, 1},
                 {"12", 3, 12000, true, 2},
                 {"12.5", 3, 12500, true, 4},
                 {"12.3456", 3, 12346, true, 7},
                 {"12.3454999", 3, 12345, true, 10},
                 {"0.9996", 3, 1000, true, 6},
                 {"-1.5", 3, -1500, true, 4},
                 {"81995533209.122", 3, 81995533209122, true, 15},
                 {"1795266146.649213", 9, 1795266146649213000, true, 17},
                 {"1e3", 3, 1000000, true, 3},
                 {"2.5E-1", 3, 250, true, 6},
                 {"7,", 0, 7, true, 1},
                 {"1.2.3", 1, 12, true, 3},
                 {"", 3, 0, false, 0},
                 {"-", 3, 0, false, 1},
                 {".", 3, 0, false, 0},
                 {"x", 3, 0, false, 0},
                 {"99999999999999999999", 0, 0, false, 0},
                 {"1e400", 0, 0, false, 5},
                 {"9223372036854775807", 0, INT64_MAX, true, 19}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = -7;
        const char *end = NULL;
        bool is_number = rv_import_decimal(cases[i].text, strlen(cases[i].text), cases[i].scale, &value, &end);
        cr_assert_eq(is_number, cases[i].is_number, "'%s'", cases[i].text);
        cr_assert_eq((size_t)(end - cases[i].text), cases[i].n_used, "'%s' ends at %zu", cases[i].text,
                     (size_t)(end - cases[i].text));
        if (is_number)
            cr_assert_eq(value, cases[i].value, "'%s' is %lld", cases[i].text, (long long)value);
    }
}

/* ---- sizes that wrap ---- */

Test(import, rings_whose_sizes_wrap_to_that_of_the_file_are_refused)
{
    /* 65,536 rings of 2^48 + 3,176 bytes are 2^64 + 65,536 * 3,176. */
    const int32_t sizes[8] = {[2] = 1 << 16, [3] = 1 << 24, [4] = (1 << 24) - 16};
    unsigned char header[RV_RINGBUFFER_HEADER_BYTES] = {0};
    struct rv_ringbuffer_layout layout;
    memcpy(header, sizes, sizeof sizes);
    cr_assert_not(rv_ringbuffer_layout(header, 3256 + 65536 + 65536 * 3176 + 1024, &layout));
}

static FILE *create_in(const char *folder, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    return file;
}

Test(import, the_mappings_of_a_uftrace_folder_do_not_multiply)
{
    enum { N_SESSIONS = 200, N_MAPPINGS = 60000 };
    char folder[] = "/tmp/ringviz-test-XXXXXX", command[64];
    cr_assert_not_null(mkdtemp(folder));
    FILE *tasks = create_in(folder, "task.txt"), *map = create_in(folder, "sid-1.map");
    for (unsigned i = 0; i < N_SESSIONS; i++)
        fprintf(tasks, "SESS timestamp=1.0 pid=%u sid=1 exename=\"x\"\n", i + 1);
    for (unsigned i = 0; i < N_MAPPINGS; i++)
        fprintf(map, "%x000-%x000 r-xp 0 0:0 0 /x\n", i + 1, i + 2);
    fclose(tasks);
    fclose(map);
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    struct rv_uftrace *uftrace = rv_uftrace_open(folder);
    cr_assert_not_null(uftrace);
    cr_assert_str_eq(rv_uftrace_program(uftrace, N_SESSIONS), "x");
    rv_uftrace_close(uftrace);
    getrusage(RUSAGE_SELF, &after); /* all of them would be 288 MB and more */
    cr_assert_lt(after.ru_maxrss - before.ru_maxrss, 200 << 10);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

Test(import, a_uftrace_folder_has_each_task_once_and_its_first_parent, .timeout = 60)
{
    enum { N_TASKS = 50000 };
    char folder[] = "/tmp/ringviz-test-XXXXXX", command[64];
    cr_assert_not_null(mkdtemp(folder));
    FILE *tasks = create_in(folder, "task.txt");
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 1; i <= N_TASKS; i++)
            fprintf(tasks, "FORK timestamp=1.0 pid=%u ppid=%u\n", i, round ? 7 : i / 2);
    fprintf(tasks, "TASK timestamp=1.0 tid=1 pid=1\n");
    fclose(tasks);
    struct rv_uftrace *uftrace = rv_uftrace_open(folder);
    cr_assert_not_null(uftrace);
    cr_assert_eq(rv_uftrace_n_tasks(uftrace), N_TASKS);
    for (unsigned i = 1; i <= N_TASKS; i++)
        cr_assert_eq(rv_uftrace_parent(uftrace, i), i / 2);
    cr_assert_eq(rv_uftrace_parent(uftrace, N_TASKS + 1), 0);
    rv_uftrace_close(uftrace);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

/* ---- nested calls are read as they were, in whatever form they are written ---- */

enum { MOST_CALLS = 400, N_THREADS = 3 };

struct call {
    uint64_t start, end; /* us */
    uint32_t name, depth, thread;
};

struct tree {
    struct call calls[MOST_CALLS];
    size_t n;
    char *lines[2 * MOST_CALLS];
    size_t n_lines;
};

static void add_line(struct tree *tree, const struct call *call, char phase, uint64_t when, uint64_t duration)
{
    char text[160];
    int n = snprintf(text, sizeof text, "{\"ph\":\"%c\",\"pid\":1,\"tid\":%u,\"name\":\"f%u\",\"ts\":%llu", phase,
                     call->thread, call->name, (unsigned long long)when);
    if (phase == 'X')
        n += snprintf(text + n, sizeof text - (size_t)n, ",\"dur\":%llu", (unsigned long long)duration);
    snprintf(text + n, sizeof text - (size_t)n, "}");
    tree->lines[tree->n_lines++] = strdup(text);
}

/*
 * Calls inside of [from, to], one after the other: times of begins and ends are all different, but for complete calls,
 * which may begin with their callers, touch, and be of no length.
 */
static void grow(struct tree *tree, uint32_t thread, uint64_t from, uint64_t to, uint32_t depth, bool is_complete)
{
    while (from + 8 < to && tree->n < MOST_CALLS && depth < 12) {
        uint64_t start = from + (is_complete ? (uint64_t)rand() % 2 : 1 + (uint64_t)rand() % 3);
        uint64_t end = start + (is_complete ? 0 : 2) + (uint64_t)rand() % (to - start - 2);
        if (end + 1 > to)
            return;
        struct call *call = &tree->calls[tree->n++];
        *call = (struct call){start, end, (uint32_t)rand() % 7, depth, thread};
        if (is_complete) {
            add_line(tree, call, 'X', start, end - start);
        } else {
            add_line(tree, call, 'B', start, 0);
            add_line(tree, call, 'E', end, 0);
        }
        grow(tree, thread, is_complete ? start : start + 1, is_complete ? end : end - 1, depth + 1, is_complete);
        from = end + !is_complete;
        if (is_complete && end == start) /* two of no length at one time would nest in the order they are written */
            from++;
    }
}

static int compare_calls(const void *left, const void *right)
{
    return memcmp(left, right, sizeof(struct call));
}

static size_t spans_of(const struct collected *collected, struct call *out)
{
    struct rv_span *spans = NULL;
    size_t n = 0, n_out = 0, capacity = 0;
    for (size_t i = 0; i < collected->n_streams; i++) {
        const struct collected_stream *stream = &collected->streams[i];
        struct rv_serial *serial = rv_serial_create();
        n = 0;
        rv_serial_feed(serial, stream->events, stream->n, &spans, &n, &capacity);
        rv_serial_finish(serial, stream->end_ns, &spans, &n, &capacity);
        rv_serial_destroy(serial);
        for (size_t k = 0; k < n; k++) {
            cr_assert_eq(spans[k].flags, 0);
            out[n_out++] =
                (struct call){spans[k].start / 1000, spans[k].end / 1000,
                              (uint32_t)atoi(collected->names[spans[k].id] + 1), spans[k].depth, stream->tid};
        }
    }
    free(spans);
    return n_out;
}

static void write_shuffled(struct tree *tree, const char *path, bool is_shuffled)
{
    for (size_t i = tree->n_lines; i > 1 && is_shuffled; i--) {
        size_t other = (size_t)rand() % i;
        char *line = tree->lines[i - 1];
        tree->lines[i - 1] = tree->lines[other];
        tree->lines[other] = line;
    }
    FILE *file = fopen(path, "w");
    fputs("[", file);
    for (size_t i = 0; i < tree->n_lines; i++) {
        fprintf(file, "%s%s", i ? ",\n" : "", tree->lines[i]);
        free(tree->lines[i]);
    }
    fputs("]", file);
    fclose(file);
}

Test(import, chrome_calls_nest_in_any_order_of_the_file)
{
    static struct tree tree;
    static struct call got[4 * MOST_CALLS];
    char path[64];
    snprintf(path, sizeof path, "/tmp/ringviz-chrome-%d", (int)getpid());
    for (unsigned seed = 0; seed < 60; seed++) {
        srand(seed);
        tree.n = tree.n_lines = 0;
        for (uint32_t thread = 0; thread < N_THREADS; thread++)
            grow(&tree, thread, 10, 10 + (uint64_t)rand() % 400, 0, (seed + thread) % 2);
        write_shuffled(&tree, path, seed % 3 > 0);
        struct rv_source *source = rv_import_open(&rv_import_chrome, &(struct rv_import_params){.path = path});
        cr_assert_not_null(source);
        struct collected collected;
        collect_init(&collected);
        collect_all(&collected, source, 100000);
        size_t n = spans_of(&collected, got);
        qsort(got, n, sizeof *got, compare_calls);
        qsort(tree.calls, tree.n, sizeof *tree.calls, compare_calls);
        cr_assert_eq(n, tree.n, "seed %u: %zu calls of %zu", seed, n, tree.n);
        for (size_t i = 0; i < n; i++)
            cr_assert_eq(memcmp(&got[i], &tree.calls[i], sizeof *got), 0,
                         "seed %u: f%u %llu..%llu at %u, not f%u %llu..%llu at %u", seed, got[i].name,
                         (unsigned long long)got[i].start, (unsigned long long)got[i].end, got[i].depth,
                         tree.calls[i].name, (unsigned long long)tree.calls[i].start,
                         (unsigned long long)tree.calls[i].end, tree.calls[i].depth);
        collect_fini(&collected);
        source->close(source);
    }
    unlink(path);
}

/* ---- the event builder ---- */

static struct rv_event_builder_text text(const char *string)
{
    return rv_import_string(string);
}

Test(import, times_from_1970_keep_their_nanoseconds)
{
    struct rv_event_builder *builder = rv_event_builder_create(NULL);
    const int64_t now_ns = 1795266146649213001;
    struct collected collected;
    collect_init(&collected);
    uint32_t thread = rv_event_builder_thread(builder, rv_event_builder_process(builder, 1), 1, 0);
    uint32_t id = rv_event_builder_intern(builder, text(""), text("f"), text(""), 0);
    rv_event_builder_see_time(builder, now_ns);
    struct rv_source source = {.origin_ns = 0};
    rv_event_builder_date(builder, &source);
    rv_event_builder_begin(builder, &collected.intake);
    rv_event_builder_call(builder, thread, now_ns, id);
    rv_event_builder_return(builder, thread, now_ns + 7);
    rv_event_builder_close(builder);
    rv_event_builder_end(builder);
    cr_assert_eq(collected.n_streams, 1);
    cr_assert_eq(source.origin_ns + rv_event_ticks(&collected.streams[0].events[0]), (uint64_t)now_ns);
    cr_assert_eq(source.origin_ns + rv_event_ticks(&collected.streams[0].events[1]), (uint64_t)now_ns + 7);
    cr_assert_eq(source.mono_ns, rv_event_ticks(&collected.streams[0].events[0]));
    cr_assert_eq(source.real_ns, (uint64_t)now_ns);
    collect_fini(&collected);
    rv_event_builder_destroy(builder);
}

Test(import, more_threads_than_lanes_are_left_out_and_counted)
{
    struct rv_event_builder *builder = rv_event_builder_create(NULL);
    struct collected collected;
    collect_init(&collected);
    rv_event_builder_begin(builder, &collected.intake);
    uint32_t id = rv_event_builder_intern(builder, text(""), text("f"), text(""), 0),
             process = rv_event_builder_process(builder, 1);
    for (uint64_t tid = 0; tid < RV_EVENT_BUILDER_THREADS + 10; tid++)
        rv_event_builder_call(builder, rv_event_builder_thread(builder, process, tid, 0), (int64_t)tid, id);
    rv_event_builder_close(builder);
    rv_event_builder_end(builder);
    cr_assert_eq(collected.n_streams, RV_EVENT_BUILDER_THREADS);
    cr_assert_eq(rv_event_builder_n_left_out(builder), 10);
    collect_fini(&collected);
    rv_event_builder_destroy(builder);
}

Test(import, events_of_a_chrome_trace_beyond_the_last_thread_are_counted)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/ringviz-chrome-%d", (int)getpid());
    FILE *file = fopen(path, "w");
    fputs("[", file);
    for (unsigned i = 0; i < RV_EVENT_BUILDER_THREADS + 3; i++)
        fprintf(file, "{\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"ts\":%u,\"dur\":1,\"name\":\"f\"},\n", i + 1, i);
    fclose(file);
    struct rv_source *source = rv_import_open(&rv_import_chrome, &(struct rv_import_params){.path = path});
    cr_assert_not_null(source);
    struct collected collected;
    collect_init(&collected);
    collect_all(&collected, source, 100000);
    cr_assert_eq(collected.n_streams, RV_EVENT_BUILDER_THREADS);
    cr_assert_eq(rv_event_builder_n_left_out(((struct rv_import *)source)->builder), 3);
    collect_fini(&collected);
    source->close(source);
    unlink(path);
}

/* Those that never end keep their rows. */
Test(import, each_asynchronous_call_that_is_open_has_a_row)
{
    enum { N_OPEN = 9000, N_LATE = 3000 };
    char path[64];
    snprintf(path, sizeof path, "/tmp/ringviz-async-%d", (int)getpid());
    FILE *file = fopen(path, "w");
    fputs("[", file);
    const char *event = "{\"ph\":\"%c\",\"pid\":1,\"tid\":1,\"cat\":\"c\",\"id\":%u,\"ts\":%u,\"name\":\"f\"},\n";
    for (unsigned i = 0; i < N_OPEN; i++)
        fprintf(file, event, 'b', i, i);
    for (unsigned i = 1; i < N_OPEN; i += 2)
        fprintf(file, event, 'e', i * 7919u % N_OPEN, N_OPEN + i); /* the odd ones: 7919 is prime to N_OPEN */
    for (unsigned i = 0; i < N_LATE; i++)
        fprintf(file, event, 'b', N_OPEN + i, 2 * N_OPEN + i);
    fclose(file);
    struct rv_source *source = rv_import_open(&rv_import_chrome, &(struct rv_import_params){.path = path});
    struct collected collected;
    collect_init(&collected);
    collect_all(&collected, source, 100000);
    cr_assert_eq(collected.n_streams, N_OPEN);
    for (unsigned i = 0; i < N_OPEN; i++) {
        const struct collected_stream *row = &collected.streams[i];
        const unsigned n_late = i % 2 && i / 2 < N_LATE;
        cr_assert_eq(row->n, 1 + i % 2 + n_late, "row %u has %zu events", i, row->n);
    }
    cr_assert_eq(((struct rv_import *)source)->faults[RV_FAULT_END_ALONE], 0);
    collect_fini(&collected);
    source->close(source);
    unlink(path);
}

Test(import, frames_shared_with_the_previous_sample_continue)
{
    struct rv_event_builder *builder = rv_event_builder_create(NULL);
    struct collected collected;
    collect_init(&collected);
    uint32_t thread = rv_event_builder_thread(builder, rv_event_builder_process(builder, 1), 1, 0), ids[3];
    static const char *const names[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++)
        ids[i] = rv_event_builder_intern(builder, text(""), text(names[i]), text(""), 0);
    rv_event_builder_begin(builder, &collected.intake);
    rv_event_builder_sample(builder, thread, 10, (uint32_t[]){ids[0], ids[1]}, 2);
    rv_event_builder_sample(builder, thread, 20, (uint32_t[]){ids[0], ids[2]}, 2);
    rv_event_builder_sample(builder, thread, 30, (uint32_t[]){ids[0], ids[2]}, 2);
    rv_event_builder_close(builder);
    rv_event_builder_end(builder);
    static const unsigned kinds[] = {RV_EVENT_CALL, RV_EVENT_CALL, RV_EVENT_RETURN, RV_EVENT_CALL};
    cr_assert_eq(collected.streams[0].n, 4);
    for (int i = 0; i < 4; i++)
        cr_assert_eq(rv_event_kind(&collected.streams[0].events[i]), kinds[i]);
    cr_assert_eq(collected.streams[0].end_ns, 30);
    collect_fini(&collected);
    rv_event_builder_destroy(builder);
}

Test(import, a_sample_of_fewer_calls_ends_those_that_were_too_deep)
{
    enum { N_TOO_DEEP = 5, N_LEFT = RV_EVENT_BUILDER_DEPTH - 3 };
    struct rv_event_builder *builder = rv_event_builder_create(NULL);
    uint32_t thread = rv_event_builder_thread(builder, rv_event_builder_process(builder, 1), 1, 0);
    uint32_t id = rv_event_builder_intern(builder, text(""), text("a"), text(""), 0);
    uint32_t *ids = malloc((RV_EVENT_BUILDER_DEPTH + N_TOO_DEEP) * sizeof *ids);
    for (size_t i = 0; i < RV_EVENT_BUILDER_DEPTH + N_TOO_DEEP; i++)
        ids[i] = id;
    rv_event_builder_sample(builder, thread, 10, ids, RV_EVENT_BUILDER_DEPTH + N_TOO_DEEP);
    cr_assert_eq(rv_event_builder_depth(builder, thread), RV_EVENT_BUILDER_DEPTH);
    cr_assert_eq(rv_event_builder_n_left_out(builder), N_TOO_DEEP);
    rv_event_builder_sample(builder, thread, 20, ids, N_LEFT);
    cr_assert_eq(rv_event_builder_depth(builder, thread), N_LEFT);
    free(ids);
    rv_event_builder_destroy(builder);
}

Test(import, a_sample_without_its_callers_runs_inside_the_open_calls)
{
    struct rv_event_builder *builder = rv_event_builder_create(NULL);
    uint32_t thread = rv_event_builder_thread(builder, rv_event_builder_process(builder, 1), 1, 0), ids[3];
    static const char *const names[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++)
        ids[i] = rv_event_builder_intern(builder, text(""), text(names[i]), text(""), 0);
    rv_event_builder_sample(builder, thread, 10, ids, 2);
    rv_event_builder_sample_inner(builder, thread, 20, 2, &ids[2], 1);
    cr_assert_eq(rv_event_builder_depth(builder, thread), 3);
    cr_assert_arr_eq(rv_event_builder_stack(builder, thread), ids, sizeof ids);
    rv_event_builder_sample_inner(builder, thread, 30, 1, &ids[2], 1);
    cr_assert_eq(rv_event_builder_depth(builder, thread), 2);
    cr_assert_eq(rv_event_builder_stack(builder, thread)[1], ids[2]);
    rv_event_builder_sample_inner(builder, thread, 40, 7, NULL, 0);
    cr_assert_eq(rv_event_builder_depth(builder, thread), 2, "more callers than are open");
    rv_event_builder_destroy(builder);
}

Test(import, lanes_stand_in_the_order_in_which_threads_began)
{
    enum { N = 3 };
    struct rv_event_builder *builder = rv_event_builder_create(NULL);
    struct collected collected;
    collect_init(&collected);
    uint32_t threads[N], id = rv_event_builder_intern(builder, text(""), text("a"), text(""), 0);
    for (uint32_t i = 0; i < N; i++)
        threads[i] = rv_event_builder_thread(builder, rv_event_builder_process(builder, i + 1), i + 1, 0);
    rv_event_builder_begin(builder, &collected.intake);
    for (int i = 0; i < N; i++)
        rv_event_builder_call(builder, threads[i], 10 + i, id);
    rv_event_builder_end_thread(builder, threads[1], 20);
    rv_event_builder_end_thread(builder, threads[2], 21);
    rv_event_builder_close(builder);
    rv_event_builder_end(builder);
    cr_assert_eq(collected.n_streams, N);
    for (uint32_t i = 0; i < N; i++)
        cr_assert_eq(collected.streams[i].pid, i + 1, "its parent ended last");
    collect_fini(&collected);
    rv_event_builder_destroy(builder);
}
