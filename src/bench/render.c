/*
 * CPU and GPU time of a frame in each view, drawn offscreen at 1600 x 900 as by a window that moves: with multisampling
 * on a GPU, without it by software. First the picture alone, with labels, for three numbers of boxes; then the picture
 * with the fewest boxes and the window's panels, which are made and drawn in every frame.
 *
 * CPU time is that of the process from the first call of a frame to the end of glFinish(): it includes the threads of a
 * software renderer. GPU time comes from timer queries, where there is a GPU.
 *
 * Before that, the time that a frame takes on the window's own thread: pictures are composed before the clock starts,
 * as another thread does for a window, and the driver draws nothing. Mesa has such a driver, which a process chooses
 * when it first draws; so this runs in another process.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <GL/glew.h>

#include "window/gl_context.h"
#include "window/panels.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/vec.h"
#include "bench/bench.h"
#include "bench/calls.h"
#include "render/scene.h"

#define WIDTH_PX 1600
#define HEIGHT_PX 900
#define SAMPLES 4 /* none by software, as in a window that moves */
#define N_LANES 8u
#define N_PACKAGES 10u
#define WINDOW_NS 100000000u
#define N_EDGES 1000000u
#define N_FRAMES 9u
#define N_FRAMES_UNDRAWN 101u
#define N_FRAMES_MANY 1u /* of more boxes than this, by software */
#define MANY 100000u

struct stand {
    struct rv_gl_context context;
    struct rv_scene *scene;
    struct rv_subroutines *subroutines;
    GLuint framebuffer, colour, query;
    bool has_timer, is_software;
    bool is_undrawn; /* nothing is drawn: only the window's thread is measured */
    struct rv_view view;
    struct rv_view_lane lanes[N_LANES];
    uint32_t members[N_LANES];
    const struct rv_arc_levels *arcs; /* NULL: none */
    struct rv_viewer viewer;          /* of the panels, as are the next ones */
    struct rv_panels panels;
    struct rv_lanes *traced;
};

struct cost {
    double cpu_ms, gpu_ms;
};

static int open_stand(struct stand *stand)
{
    int err = rv_gl_context_open(
        &stand->context,
        &(struct rv_gl_context_params){.title = "ringviz", .width = 64, .height = 64, .is_offscreen = true});
    if (err)
        return err;
    GLint n_bits = 0;
    glGenFramebuffers(1, &stand->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, stand->framebuffer);
    glGenRenderbuffers(1, &stand->colour);
    glBindRenderbuffer(GL_RENDERBUFFER, stand->colour);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, WIDTH_PX, HEIGHT_PX);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, stand->colour);
    glGetQueryiv(GL_TIME_ELAPSED, GL_QUERY_COUNTER_BITS, &n_bits);
    const char *renderer = (const char *)glGetString(GL_RENDERER);
    stand->is_software = renderer && (strstr(renderer, "llvmpipe") || strstr(renderer, "softpipe"));
    stand->has_timer = n_bits > 0 && !stand->is_software && !stand->is_undrawn;
    glGenQueries(1, &stand->query);
    err = rv_scene_create(&stand->scene);
    return err ? err : rv_panels_open(&stand->panels);
}

static void close_stand(struct stand *stand)
{
    if (!stand->context.gl)
        return;
    glDeleteQueries(1, &stand->query);
    glDeleteRenderbuffers(1, &stand->colour);
    glDeleteFramebuffers(1, &stand->framebuffer);
    rv_panels_close(&stand->panels);
    rv_scene_destroy(stand->scene);
    rv_gl_context_close(&stand->context);
}

static struct rv_subroutines *name_all(void)
{
    struct rv_subroutines *subroutines = rv_subroutines_create();
    for (uint32_t id = 1; id <= RV_CALLS_N_NAMES; id++) {
        char package[32], name[32];
        snprintf(package, sizeof package, "Package%u", id % N_PACKAGES);
        snprintf(name, sizeof name, "subroutine_%u", id);
        rv_subroutines_define(subroutines, id, package, name, "bench.pm", id);
    }
    return subroutines;
}

/* A lane of n exact boxes by rising start: a box is added when its call begins, its duration when the call ends. */
static void fill_lane(struct rv_view *view, struct rv_view_lane *lane, uint32_t idx, uint32_t n)
{
    struct rv_calls calls = {.random = idx + 1};
    uint64_t gap_ns = WINDOW_NS / (2 * (uint64_t)n + 1);
    uint32_t n_begun = 0, first = (uint32_t)view->n_boxes, open[RV_CALLS_MOST_DEPTH];
    struct rv_span ended;
    *lane = (struct rv_view_lane){.lane_idx = idx, .first_box = first, .n_boxes = n, .n_members = 1};
    lane->max_depth = lane->whole_depth = RV_CALLS_MOST_DEPTH;
    snprintf(lane->name, sizeof lane->name, "thread %u", idx);
    while (n_begun < n || calls.depth) {
        uint32_t depth = calls.depth;
        if (n_begun == n && depth < RV_CALLS_MOST_DEPTH)
            calls.random ^= calls.random >> 7;
        if (rv_calls_step(&calls, gap_ns, &ended)) {
            if (open[calls.depth] != UINT32_MAX)
                view->boxes[open[calls.depth]].duration_ns = ended.end - ended.start;
            continue;
        }
        open[depth] = n_begun < n ? first + n_begun : UINT32_MAX;
        if (n_begun == n)
            continue;
        n_begun++;
        view->boxes[view->n_boxes++] = (struct rv_box){
            .start_ns = calls.now_ns, .id = calls.id[depth], .count = 1, .depth = depth, .coverage = UINT16_MAX};
    }
}

static void fill_view(struct stand *stand, uint32_t n_boxes)
{
    struct rv_view *view = &stand->view;
    view->boxes = rv_vec_reserve(view->boxes, &view->boxes_capacity, n_boxes, sizeof *view->boxes);
    view->n_boxes = 0;
    view->from_ns = 0;
    view->to_ns = WINDOW_NS;
    view->until_ns = UINT64_MAX;
    view->lanes = stand->lanes;
    view->n_lanes = N_LANES;
    view->n_processes = 1;
    view->members = stand->members;
    for (uint32_t i = 0; i < N_LANES; i++) {
        fill_lane(view, &stand->lanes[i], i, n_boxes / N_LANES);
        stand->lanes[i].first_member = stand->members[i] = i;
    }
}

/* Waits of all lanes for each other, all over the window. */
static const struct rv_arc_levels *make_arcs(void)
{
    struct rv_lane *lanes = rv_alloc(N_LANES, sizeof *lanes);
    struct rv_arc_collector collector = {.n = 0};
    uint32_t random = 5;
    for (uint32_t i = 0; i < N_LANES; i++)
        lanes[i].idx = i;
    for (uint32_t i = 0; i < N_EDGES; i++) {
        random = random * 1664525 + 1013904223;
        const uint64_t end_ns = (uint64_t)i * WINDOW_NS / N_EDGES + 1000;
        struct rv_wait_edge edge = {.waker = NULL};
        edge.wait = (struct rv_wait){.start_ns = end_ns - random % 1000,
                                     .end_ns = end_ns,
                                     .woke_ns = end_ns - 50,
                                     .lane = (random >> 8) % N_LANES,
                                     .kind = RV_WAIT_MUTEX};
        edge.waker = &lanes[((random >> 8) + 1 + (random >> 16) % (N_LANES - 1)) % N_LANES];
        rv_arc_collector_add(&collector, &edge);
    }
    const struct rv_arc_levels *index = rv_arc_levels_create(&collector);
    free(lanes);
    return index;
}

/* A trace for the minimap, and a viewer of it. */
static void fill_panels(struct stand *stand, uint32_t n_spans)
{
    uint64_t gap_mask = 1;
    while (gap_mask * (n_spans / N_LANES) < WINDOW_NS)
        gap_mask = 2 * gap_mask + 1;
    stand->traced = rv_lanes_create();
    for (uint32_t i = 0; i < N_LANES; i++) {
        struct rv_calls calls = {.random = i + 1};
        rv_calls_fill(&calls, rv_calls_add_lane(stand->traced, i), n_spans / N_LANES, gap_mask);
    }
    struct rv_viewer_params params = {.now_ns = WINDOW_NS,
                                      .window_ns = WINDOW_NS,
                                      .lanes = stand->traced,
                                      .subroutines = stand->subroutines,
                                      .scene = stand->scene,
                                      .view = &stand->view};
    rv_settings_init(&params.settings);
    rv_viewer_init(&stand->viewer, &params);
    stand->viewer.live_edge = (struct rv_live_edge){0, WINDOW_NS, WINDOW_NS, WINDOW_NS, .is_done = false};
}

static struct rv_scene_frame make_frame(const struct stand *stand, enum rv_view_mode look)
{
    return (struct rv_scene_frame){.view = &stand->view,
                                   .subroutines = stand->subroutines,
                                   .width_px = WIDTH_PX,
                                   .height_px = HEIGHT_PX,
                                   .scale = 1.0,
                                   .samples = stand->is_software ? 0 : SAMPLES,
                                   .look = look,
                                   .look_from = look,
                                   .arcs = stand->arcs};
}

/* Panels first: they determine the picture's insets. */
static void draw_frame(struct stand *stand, enum rv_view_mode look, bool has_panels)
{
    static const struct rv_capture_rates rates = {.events_per_s = 1e6, .lag_ns = 3e6, .cpu_share = 0.5};
    struct rv_scene_frame frame = make_frame(stand, look);
    if (has_panels) {
        stand->viewer.look.shown = stand->viewer.look.from = look;
        rv_panels_update(&stand->panels,
                         &(struct rv_panels_about){.viewer = &stand->viewer,
                                                   .view = &stand->view,
                                                   .colors = rv_scene_picture(stand->scene)->colors,
                                                   .lanes = stand->traced,
                                                   .subroutines = stand->subroutines,
                                                   .rates = &rates,
                                                   .program = "bench",
                                                   .pid = 1,
                                                   .surface = {WIDTH_PX, HEIGHT_PX, 1.0, 1.0, RV_COLOR_DARK, 0}});
        frame.insets = rv_panels_insets(&stand->panels);
    }
    rv_scene_draw(stand->scene, &frame);
    if (has_panels && !stand->is_undrawn) /* the driver that draws nothing fails at GL calls here */
        rv_panels_draw(&stand->panels);
}

static struct cost measure_undrawn(struct stand *stand, enum rv_view_mode look, bool has_panels)
{
    struct rv_scene_frame frame = make_frame(stand, look);
    rv_scene_compose(stand->scene, &frame);
    uint64_t before_ns = rv_clock_thread_cpu_ns();
    glBindFramebuffer(GL_FRAMEBUFFER, stand->framebuffer);
    draw_frame(stand, look, has_panels);
    return (struct cost){(double)(rv_clock_thread_cpu_ns() - before_ns) / 1e6, 0.0};
}

static struct cost measure(struct stand *stand, enum rv_view_mode look, bool has_panels)
{
    if (stand->is_undrawn)
        return measure_undrawn(stand, look, has_panels);
    struct rv_scene_frame frame = make_frame(stand, look);
    uint64_t before_ns = rv_clock_process_cpu_ns();
    GLuint64 took_ns = 0;
    rv_scene_compose(stand->scene, &frame);
    glBindFramebuffer(GL_FRAMEBUFFER, stand->framebuffer);
    if (stand->has_timer)
        glBeginQuery(GL_TIME_ELAPSED, stand->query);
    draw_frame(stand, look, has_panels);
    if (stand->has_timer) {
        glEndQuery(GL_TIME_ELAPSED);
        glGetQueryObjectui64v(stand->query, GL_QUERY_RESULT, &took_ns);
    }
    glFinish();
    return (struct cost){(double)(rv_clock_process_cpu_ns() - before_ns) / 1e6, (double)took_ns / 1e6};
}

static void measure_look(struct stand *stand, struct rv_bench_out *out, enum rv_view_mode look, const char *boxes_name)
{
    double cpu_ms[N_FRAMES_UNDRAWN], gpu_ms[N_FRAMES_UNDRAWN];
    char name[64], detail[96];
    bool is_slow = stand->is_software && stand->view.n_boxes > MANY, has_panels = stand->traced;
    unsigned n = stand->is_undrawn ? N_FRAMES_UNDRAWN : is_slow ? N_FRAMES_MANY : N_FRAMES;
    if (!is_slow)
        (void)measure(stand, look, has_panels);
    for (unsigned i = 0; i < n; i++) {
        struct cost cost = measure(stand, look, has_panels);
        cpu_ms[i] = cost.cpu_ms;
        gpu_ms[i] = cost.gpu_ms;
    }
    double median = rv_bench_median(cpu_ms, n);
    const char *renderer = (const char *)glGetString(GL_RENDERER);
    if (stand->is_undrawn)
        snprintf(detail, sizeof detail, "the window's thread, %.20s; 99 %% %.2f ms, worst %.2f ms", renderer,
                 cpu_ms[n - 2], cpu_ms[n - 1]);
    else
        snprintf(detail, sizeof detail, "CPU; %.60s%s", renderer, stand->is_software ? ", no multisampling" : "");
    snprintf(name, sizeof name, "render.%s%s.%s", stand->is_undrawn ? "thread." : "", rv_view_mode_get(look)->name,
             boxes_name);
    rv_bench_row(out, &(struct rv_bench_row){name, "ms/frame", median, cpu_ms[0], n, NULL, 0, detail});
    if (!stand->has_timer)
        return;
    snprintf(name, sizeof name, "render.%s.%s.gpu", rv_view_mode_get(look)->name, boxes_name);
    median = rv_bench_median(gpu_ms, n);
    rv_bench_row(out, &(struct rv_bench_row){name, "ms/frame", median, gpu_ms[0], n, NULL, 0, "timer query"});
}

static void measure_looks(struct stand *stand, struct rv_bench_out *out, const char *boxes_name)
{
    for (int look = 0; look < RV_VIEW_MODE_COUNT; look++)
        measure_look(stand, out, (enum rv_view_mode)look, boxes_name);
}

/* The minimap shows a trace as long as the view. */
static void measure_with_panels(struct stand *stand, struct rv_bench_out *out, uint32_t n_spans, const char *name)
{
    fill_panels(stand, n_spans);
    measure_looks(stand, out, name);
    rv_viewer_fini(&stand->viewer);
    rv_lanes_destroy(stand->traced);
    stand->traced = NULL;
}

/* The frames of 20,000 boxes again, with the arcs of a million waits. */
static void measure_with_arcs(struct stand *stand, struct rv_bench_out *out)
{
    fill_view(stand, 20000);
    stand->arcs = make_arcs();
    if (stand->is_undrawn)
        measure_with_panels(stand, out, 20000, "20k.arcs");
    else
        measure_looks(stand, out, "20k.arcs");
    rv_arc_levels_release(stand->arcs);
    stand->arcs = NULL;
}

static void measure_frames(struct stand *stand, struct rv_bench_out *out)
{
    static const struct {
        const char *name;
        uint32_t n;
    } sizes[] = {{"2k", 2000}, {"20k", 20000}, {"250k", 250000}};
    stand->subroutines = name_all();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        fill_view(stand, sizes[i].n);
        if (stand->is_undrawn)
            measure_with_panels(stand, out, sizes[i].n, sizes[i].name);
        else
            measure_looks(stand, out, sizes[i].name);
    }
    measure_with_arcs(stand, out);
    if (stand->is_undrawn)
        return;
    fill_view(stand, sizes[0].n);
    measure_with_panels(stand, out, sizes[0].n, "2k.panels");
}

static int measure_all(struct rv_bench_out *out, bool is_undrawn)
{
    struct stand stand = {.is_undrawn = is_undrawn};
    int err = open_stand(&stand);
    if (!err)
        measure_frames(&stand, out);
    close_stand(&stand);
    rv_subroutines_destroy(stand.subroutines);
    free(stand.view.boxes);
    return err;
}

/* In another process, whose driver draws nothing. */
static int measure_undrawn_frames(struct rv_bench_out *out)
{
    int status = 0;
    (void)fflush(NULL);
    pid_t pid = fork();
    if (pid < 0)
        return rv_err_sys("fork");
    if (pid == 0) {
        (void)setenv("GALLIUM_NOOP", "1", 1);
        int err = measure_all(out, true);
        (void)fflush(NULL);
        _exit(err ? 1 : 0);
    }
    if (waitpid(pid, &status, 0) != pid)
        return rv_err_sys("waitpid");
    return status ? -EIO : 0;
}

int rv_bench_render(struct rv_bench_out *out)
{
    rv_bench_render_model(out);
    int err = measure_undrawn_frames(out);
    return err ? err : measure_all(out, false);
}
