/*
 * A large recording shown by its index: the time from opening it to the first picture, and from the choice of a window
 * to its exact picture. The recording is made first, or given by the user.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "window/offscreen.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/os.h"
#include "base/vec.h"
#include "bench/bench.h"
#include "pipeline/session.h"
#include "sink/recording_writer.h"
#include "source/recording_on_demand.h"

enum { N_STREAMS = 4, N_IDS = 500, MOST_DEPTH = 24, PORTION = 16384, N_SEEKS = 20, STEP_NS = 100 };
static const uint64_t N_EVENTS = 500000000, MEMORY_BYTES = 512 << 20, WAIT_NS = 60000000000;
/* Boxes of a window's first frame where OpenGL is software. */
enum { FIRST_BOXES = 15000 };
static const double SEEK_LEAST_NS = 1e6, SEEK_MOST_NS = 1e8;

/* ---- the recording ---- */

struct thread {
    uint64_t seed, now_ns;
    uint32_t depth, ids[MOST_DEPTH];
};

static void fill(struct thread *thread, struct rv_event *events, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t random = rv_bench_random(&thread->seed);
        thread->now_ns += random % (2 * STEP_NS);
        bool is_call = thread->depth == 0 || (thread->depth < MOST_DEPTH && random >> 20 & 1);
        if (is_call)
            thread->ids[thread->depth++] = 1 + (uint32_t)((random >> 32) % N_IDS);
        else
            thread->depth--;
        uint32_t frame = is_call ? thread->depth - 1 : thread->depth;
        events[i] = (struct rv_event){.when = (uint64_t)!is_call << RV_EVENT_KIND_SHIFT | thread->now_ns,
                                      .id = thread->ids[frame],
                                      .frame = (uint16_t)frame};
    }
}

static void define_all(const struct rv_sink *sink)
{
    for (uint32_t i = 1; i <= N_IDS; i++) {
        char package[16], name[16];
        snprintf(package, sizeof package, "part%u", i / 25);
        snprintf(name, sizeof name, "call%u", i);
        sink->define(sink->context, &(struct rv_definition){i, package, name, "", i}, 1);
    }
}

static void say_progress(uint64_t n_done)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\rmaking a recording: %llu of %llu M events%s", (unsigned long long)(n_done / 1000000),
                (unsigned long long)(N_EVENTS / 1000000), n_done < N_EVENTS ? "" : "\n");
}

static void give_all(const struct rv_sink *sink)
{
    struct thread threads[N_STREAMS];
    struct rv_event *events = rv_alloc(PORTION, sizeof *events);
    uint64_t n_each = N_EVENTS / N_STREAMS;
    for (uint32_t i = 0; i < N_STREAMS; i++) {
        threads[i] = (struct thread){.seed = i, .now_ns = 1000000000};
        sink->open(
            sink->context, i,
            &(struct rv_stream_info){
                .pid = 1, .tid = i + 1, .process_name = "bench", .thread_name = "thread", .born_ns = 1000000000});
    }
    for (uint64_t n_done = 0; n_done < n_each; n_done += PORTION) {
        size_t n = n_each - n_done < PORTION ? (size_t)(n_each - n_done) : PORTION;
        for (uint32_t i = 0; i < N_STREAMS; i++) {
            fill(&threads[i], events, n);
            sink->events(sink->context, i, events, n);
        }
        say_progress(N_STREAMS * (n_done + n));
    }
    for (uint32_t i = 0; i < N_STREAMS; i++)
        sink->close(sink->context, i, threads[i].now_ns, &(struct rv_stream_account){n_each, n_each, 0});
    free(events);
}

/* 0 or negative errno with one line printed; the caller removes the file. */
static int make(const char *path)
{
    struct rv_recording_writer *record = rv_recording_writer_create(0);
    struct rv_recording_writer_totals totals;
    int error = rv_recording_writer_start(
        record, &(struct rv_recording_writer_params){.path = path, .program = "bench", .is_forced = true});
    if (!error) {
        struct rv_sink sink = rv_recording_writer_sink(record);
        sink.begin(sink.context, 0);
        define_all(&sink);
        give_all(&sink);
        sink.end(sink.context, NULL);
        error = rv_recording_writer_stop(record, &totals);
    }
    rv_recording_writer_destroy(record);
    return error;
}

/* ---- looking at it ---- */

/* Wait until the view has all its spans, for a limited time. */
static bool fetch(void *context, const struct rv_view *view)
{
    if (rv_session_want(context, view->from_ns, view->to_ns, view->level) == 0)
        return false;
    rv_os_sleep_ns(500000);
    return true;
}

static struct rv_screenshot_params picture_of(struct rv_session *session)
{
    return (struct rv_screenshot_params){.lanes = rv_session_lanes(session),
                                         .subroutines = rv_session_subroutines(session),
                                         .look = RV_VIEW_MODE_FLAME,
                                         .program = "bench",
                                         .fetch = fetch,
                                         .context = session};
}

static struct rv_session *open_session(const char *path)
{
    struct rv_source *source;
    if (rv_recording_on_demand_open(&source, path, 0) != 0 || !source)
        return NULL;
    struct rv_session *session = rv_session_start(&(struct rv_session_params){.memory_bytes = MEMORY_BYTES}, source);
    if (rv_session_wait(session, WAIT_NS))
        return session;
    rv_session_destroy(session);
    return NULL;
}

/* From opening the file to the first picture of the whole trace, and to the exact one. */
static int measure_open(struct rv_bench_out *out, const char *path, struct rv_session **session)
{
    struct rv_offscreen *offscreen = NULL;
    struct rv_session_counts counts;
    char detail[96];
    double ms[4];
    uint64_t began_ns = rv_clock_mono_ns();
    *session = open_session(path);
    if (!*session)
        return rv_err(EBADMSG, "replay: %s has no index to be shown by", path);
    ms[0] = (double)(rv_clock_mono_ns() - began_ns) / 1e6;
    struct rv_screenshot_params picture = picture_of(*session);
    picture.box_budget = FIRST_BOXES;
    int error = rv_offscreen_open(&offscreen, &picture);
    if (error)
        return error;
    ms[1] = (double)(rv_clock_mono_ns() - began_ns) / 1e6;
    struct rv_offscreen_times times = rv_offscreen_times(offscreen);
    const uint8_t *first = rv_offscreen_draw(offscreen, times.from_ns, times.to_ns);
    ms[2] = (double)(rv_clock_mono_ns() - began_ns) / 1e6;
    picture.box_budget = 0;
    const uint8_t *fine = rv_offscreen_draw(offscreen, times.from_ns, times.to_ns);
    ms[3] = (double)(rv_clock_mono_ns() - began_ns) / 1e6;
    rv_offscreen_close(offscreen);
    if (!first || !fine)
        return -EIO;
    rv_session_counts(*session, &counts);
    snprintf(detail, sizeof detail, "%llu events; in the model after %.0f ms, OpenGL there after %.0f ms",
             (unsigned long long)counts.n_consumed, ms[0], ms[1]);
    rv_bench_row(out, &(struct rv_bench_row){"replay.open", "ms", ms[2], ms[2], 1, NULL, 0, detail});
    rv_bench_row(out, &(struct rv_bench_row){"replay.open.fine", "ms", ms[3], ms[3], 1, NULL, 0,
                                             "the same in up to 200,000 boxes, as a screenshot has it"});
    return 0;
}

struct sought { /* ms */
    double first, fine;
};

/* From the choice of a window to what can be drawn at once, and to the exact picture. */
static struct sought seek(struct rv_session *session, struct rv_view *view, uint64_t from_ns, uint64_t to_ns)
{
    const struct rv_view_params params = {.from_ns = from_ns, .to_ns = to_ns, .width_px = 1600};
    struct rv_lanes *lanes = rv_session_lanes(session);
    uint64_t began_ns = rv_clock_mono_ns();
    rv_view_update(view, lanes, &params);
    double first_ms = (double)(rv_clock_mono_ns() - began_ns) / 1e6;
    for (; fetch(session, view); rv_view_begin(view, lanes, &params))
        ;
    while (rv_view_step(view, lanes, &params))
        ;
    return (struct sought){first_ms, (double)(rv_clock_mono_ns() - began_ns) / 1e6};
}

/* Windows at random places, their widths evenly distributed on a logarithmic scale. */
static void measure_seeks(struct rv_bench_out *out, struct rv_session *session)
{
    struct rv_view view = {0};
    struct rv_session_counts counts;
    double first_ms[N_SEEKS], ms[N_SEEKS];
    char detail[96];
    uint64_t seed = 1, first_ns = 0, last_ns = 1;
    (void)rv_lanes_bounds(rv_session_lanes(session), &first_ns, &last_ns);
    for (unsigned i = 0; i < N_SEEKS; i++) {
        double share = (double)i / (N_SEEKS - 1);
        uint64_t width_ns = (uint64_t)(SEEK_LEAST_NS * pow(SEEK_MOST_NS / SEEK_LEAST_NS, share));
        uint64_t from_ns = first_ns + rv_bench_random(&seed) % (last_ns - first_ns + 1);
        struct sought sought = seek(session, &view, from_ns, from_ns + width_ns);
        first_ms[i] = sought.first;
        ms[i] = sought.fine;
    }
    rv_session_counts(session, &counts);
    double median = rv_bench_median(first_ms, N_SEEKS);
    snprintf(detail, sizeof detail, "what is there at once, summarized; the slowest %.1f ms", first_ms[N_SEEKS - 1]);
    rv_bench_row(out, &(struct rv_bench_row){"replay.seek.first", "ms", median, first_ms[0], N_SEEKS, NULL, 0, detail});
    median = rv_bench_median(ms, N_SEEKS);
    snprintf(detail, sizeof detail, "the slowest %.0f ms; %llu blocks were read", ms[N_SEEKS - 1],
             (unsigned long long)counts.n_pages);
    rv_bench_row(out, &(struct rv_bench_row){"replay.seek", "ms", median, ms[0], N_SEEKS, NULL, 0, detail});
    rv_view_fini(&view);
}

static int measure(struct rv_bench_out *out, const char *path)
{
    struct rv_session *session = NULL;
    struct rusage usage;
    int error = measure_open(out, path, &session);
    if (!error) {
        measure_seeks(out, session);
        getrusage(RUSAGE_SELF, &usage);
        double mib = (double)usage.ru_maxrss / 1024;
        rv_bench_row(
            out, &(struct rv_bench_row){"replay.resident", "MiB", mib, mib, 1, NULL, 0, "at most, with --memory=512M"});
    }
    rv_session_destroy(session);
    return error;
}

int rv_bench_replay(struct rv_bench_out *out)
{
    char path[4096];
    if (rv_bench_input(out))
        return measure(out, rv_bench_input(out));
    int error = rv_bench_make_file(path, sizeof path);
    if (error)
        return error;
    error = make(path);
    if (!error)
        error = measure(out, path);
    unlink(path);
    return error;
}
