/*
 * A frozen live picture, while 20 times as many calls go through as the memory has room for: each look at a microsecond, where it
 * was frozen and at ten random moments before, shows exactly the calls that the program made there, and the process takes
 * no more than its memory and OWN_BYTES. Prints the time of each look from the gesture to the picture, of the whole process on
 * the CPU and on the clock, which decides nothing; the program has been stopped by then.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "window_steps.h"

#include "base/clock.h"
#include "base/os.h"
#include "base/vec.h"
#include "pipeline/history_on_disk.h"

enum { WIDTH = 1280, HEIGHT = 720, N_LOOKS = 11, LOOK_NS = 1000, SPAN_BYTES = 24, BEFORE_NS = 500000000, N_TIMES = 20 };
/* Of each period: an outer call, and one in it, from and to. */
enum { PERIOD_NS = 200, OUTER_NS = 180, INNER_FROM_NS = 40, INNER_TO_NS = 140 };
#define MEMORY_BYTES (UINT64_C(32) << 20)
#define OWN_BYTES UINT64_C(200000000) /* for all but calls: the window, its libraries, software GL */
#define HISTORY_BYTES (UINT64_C(8) << 30)

struct busy {
    struct rv_source source;
    void *stream;
    uint64_t done_ns;
};

static atomic_bool is_over;
static uint64_t born_ns;

static void push(struct rv_batch *batch, unsigned kind, uint64_t ns, uint32_t id)
{
    batch->events[batch->n++] =
        (struct rv_event){.when = (uint64_t)kind << RV_EVENT_KIND_SHIFT | ns, .id = id, .frame = (uint16_t)(id - 1)};
}

static bool work(struct busy *busy, const struct rv_intake *intake, uint64_t now_ns)
{
    struct rv_batch *batch = intake->acquire_batch(intake->context);
    if (!batch)
        return false;
    batch->stream = busy->stream;
    batch->n = batch->n_specials = 0;
    batch->base_ns = busy->done_ns;
    for (; busy->done_ns + PERIOD_NS < now_ns && batch->n + 4 <= RV_BATCH_EVENTS; busy->done_ns += PERIOD_NS) {
        push(batch, RV_EVENT_CALL, busy->done_ns, 1);
        push(batch, RV_EVENT_CALL, busy->done_ns + INNER_FROM_NS, 2);
        push(batch, RV_EVENT_RETURN, busy->done_ns + INNER_TO_NS, 2);
        push(batch, RV_EVENT_RETURN, busy->done_ns + OUTER_NS, 1);
    }
    const bool has_worked = batch->n > 0;
    intake->submit_batch(intake->context, batch);
    return has_worked;
}

static enum rv_source_status poll_busy(struct rv_source *source, const struct rv_intake *intake)
{
    struct busy *busy = (struct busy *)source;
    const uint64_t now_ns = rv_clock_mono_ns();
    if (!busy->stream) {
        struct rv_stream_info info = {
            .pid = 1, .tid = 1, .process_key = 1, .process_name = "busy", .thread_name = "main", .born_ns = now_ns};
        busy->stream = intake->open_stream(intake->context, &info);
        busy->done_ns = born_ns = now_ns;
    }
    if (intake->is_stopping(intake->context)) {
        intake->close_stream(intake->context, busy->stream, busy->done_ns);
        return RV_SOURCE_ENDED;
    }
    if (atomic_load_explicit(&is_over, memory_order_relaxed) || !work(busy, intake, now_ns))
        return RV_SOURCE_IDLE;
    return RV_SOURCE_MOVED;
}

static void nap(struct rv_source *source)
{
    (void)source;
    rv_os_sleep_ns(MS);
}

static void resolve(struct rv_source *source, const struct rv_intake *intake, bool is_final)
{
    static const struct rv_definition definitions[] = {{1, "Outer", "loop", "busy.c", 1},
                                                       {2, "Inner", "step", "busy.c", 2}};
    (void)source, (void)is_final;
    intake->define(intake->context, definitions, 2);
}

static void close_busy(struct rv_source *source)
{
    free(source);
}

/* ---- the user ---- */

struct user {
    struct rv_session *session;
    unsigned step, n_looks;
    bool is_asked;
    uint64_t frozen_spans, frozen_ns; /* then */
    uint64_t from_ns;                 /* of the present look */
    uint64_t wall_ns, cpu_ns;         /* when it began */
    uint64_t random;
};

/* How many calls begin and end so that they are in the window; of each call how the program made it. */
static bool is_true(const struct rv_view *view, uint64_t from_ns)
{
    uint32_t n = 0, n_expected = 0;
    for (uint64_t start_ns = from_ns - (from_ns - born_ns) % PERIOD_NS; start_ns <= from_ns + LOOK_NS;
         start_ns += PERIOD_NS) {
        n_expected += start_ns + OUTER_NS > from_ns;
        n_expected += start_ns + INNER_TO_NS > from_ns && start_ns + INNER_FROM_NS <= from_ns + LOOK_NS;
    }
    for (uint32_t i = 0; i < view->n_boxes; i++) {
        const struct rv_box *box = &view->boxes[i];
        if (box->coverage != RV_BOX_EXACT)
            return false;
        if (rv_box_end_ns(box) <= from_ns || box->start_ns > from_ns + LOOK_NS)
            continue;
        const bool is_inner = box->id == 2;
        if ((box->start_ns - born_ns) % PERIOD_NS != (is_inner ? INNER_FROM_NS : 0) ||
            box->depth != (is_inner ? 1 : 0) || box->duration_ns != (is_inner ? INNER_TO_NS - INNER_FROM_NS : OUTER_NS))
            return false;
        n++;
    }
    return n == n_expected;
}

static void look(struct user *user, const struct rv_window_state *state)
{
    user->random = user->random * 6364136223846793005u + 1442695040888963407u;
    const uint64_t before_ns = user->n_looks ? 1 + (user->random >> 33) % BEFORE_NS : 0;
    user->from_ns = user->frozen_ns - before_ns > born_ns ? user->frozen_ns - before_ns : born_ns + 1;
    user->wall_ns = rv_clock_mono_ns();
    user->cpu_ns = rv_clock_process_cpu_ns();
    /* as by the minimap: keys cannot choose a nanosecond */
    rv_viewer_act(
        (struct rv_viewer *)state->viewer,
        &(struct rv_act){.action = RV_ACTION_SHOW, .from_ns = user->from_ns, .to_ns = user->from_ns + LOOK_NS});
    user->is_asked = true;
}

static void see(struct user *user, const struct rv_window_state *state)
{
    if (state->view->from_ns != user->from_ns || state->view->to_ns != user->from_ns + LOOK_NS ||
        !is_true(state->view, user->from_ns))
        return;
    const uint64_t wall_ns = rv_clock_mono_ns() - user->wall_ns, cpu_ns = rv_clock_process_cpu_ns() - user->cpu_ns;
    printf("look %2u, %7.3f ms before: wall %6.1f ms, cpu %6.1f ms\n", user->n_looks,
           (double)(user->frozen_ns - user->from_ns) / 1e6, (double)wall_ns / 1e6, (double)cpu_ns / 1e6);
    user->is_asked = false;
    user->n_looks++;
}

static void observe(void *context, const struct rv_window_state *state)
{
    struct user *user = context;
    struct rv_session_counts counts;
    rv_session_counts(user->session, &counts);
    switch (user->step) {
    case 0:
        if (!state->n_frames || counts.n_spans < 5000000)
            return;
        user_press(SDL_SCANCODE_SPACE, 0);
        user->step++;
        return;
    case 1:
        if (!state->viewer->live_edge.is_frozen)
            return;
        user->frozen_spans = counts.n_spans;
        user->frozen_ns = state->viewer->live_edge.now_ns - 2 * LOOK_NS;
        user->step++;
        return;
    case 2:
        if ((counts.n_spans - user->frozen_spans) * SPAN_BYTES < N_TIMES * MEMORY_BYTES)
            return;
        atomic_store_explicit(&is_over, true, memory_order_relaxed);
        user->step++;
        return;
    case 3: /* the last events have come */
        if (state->is_settled)
            user->step++;
        return;
    case 4:
        if (!user->is_asked && user->n_looks == N_LOOKS) {
            user_press(SDL_SCANCODE_Q, KMOD_LCTRL);
            user->step++;
        } else if (!user->is_asked) {
            look(user, state);
        } else {
            see(user, state);
        }
        return;
    default:
        return;
    }
}

static bool is_late(void *context)
{
    const struct user *user = context;
    return user->wall_ns && rv_clock_mono_ns() - user->wall_ns > 60000 * MS;
}

/* And have calls come from the history? */
static bool is_within_memory(const struct rv_session_counts *counts)
{
    const uint64_t n_bytes = rv_os_resident_peak_bytes();
    printf("%.0f MB resident at most; %llu pages were loaded\n", (double)n_bytes / 1e6,
           (unsigned long long)counts->n_pages);
#ifdef __SANITIZE_ADDRESS__ /* which takes more itself */
    return counts->n_pages > 0;
#else
    return counts->n_pages > 0 && n_bytes <= MEMORY_BYTES + OWN_BYTES;
#endif
}

int main(void)
{
    struct busy *busy = rv_alloc(1, sizeof *busy);
    busy->source = (struct rv_source){.poll = poll_busy, .nap = nap, .resolve = resolve, .close = close_busy};
    struct rv_history *history = rv_history_create(HISTORY_BYTES);
    if (!history)
        return 1;
    struct rv_sink sink = rv_history_sink(history);
    struct rv_session_params params = {
        .n_workers = 1, .memory_bytes = MEMORY_BYTES, .sinks = &sink, .n_sinks = 1, .history = history};
    struct user user = {.session = rv_session_start(&params, &busy->source), .random = 1};
    struct rv_window_params window = {.title = "busy",
                                      .pid = 1,
                                      .observe = observe,
                                      .width_px = WIDTH,
                                      .height_px = HEIGHT,
                                      .should_close = is_late,
                                      .context = &user};
    const int err = rv_window_run(user.session, &window);
    struct rv_session_counts counts;
    rv_session_counts(user.session, &counts);
    rv_session_stop(user.session);
    rv_session_destroy(user.session);
    rv_history_destroy(history);
    if (!err && user.n_looks == N_LOOKS)
        return !is_within_memory(&counts);
    fprintf(stderr, "the window ended with %d in step %u, after %u looks\n", err, user.step, user.n_looks);
    return 1;
}
