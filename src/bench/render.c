/*
 * The picture: CPU and GPU time of a frame in each view at three numbers of boxes, drawn offscreen at 1600 x 900 as a
 * window at rest does it; and what the view of a frame costs to make from ten million spans.
 *
 * CPU time is that of the process, so that what a software renderer draws on its threads is counted. GPU time comes
 * from timer queries, where there is a GPU.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <GL/glew.h>

#include "app/context.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/vec.h"
#include "bench/bench.h"
#include "render/scene.h"

#define WIDTH_PX 1600
#define HEIGHT_PX 900
#define SAMPLES 4 /* none by software, as a window does while it moves */
#define N_LANES 8u
#define MOST_DEPTH 12u
#define N_NAMES 60u
#define N_PACKAGES 10u
#define WINDOW_NS 100000000u
#define N_FRAMES 9u
#define N_FRAMES_MANY 1u /* of more boxes than this, by software */
#define MANY 100000u
#define N_SPANS 10000000u
#define BLOCK_SPANS 4096u
#define GAP_MASK 511u
#define N_WINDOWS 21u

struct generator { /* one thread: a random walk of calls */
    uint64_t random, now_ns;
    uint64_t start_ns[MOST_DEPTH];
    uint32_t id[MOST_DEPTH], box[MOST_DEPTH];
    uint32_t depth;
};

/* One step; the walk goes up as often as down. True when a call ended. */
static bool step(struct generator *generator, uint64_t gap_ns, struct rv_span *out)
{
    uint64_t random = rv_bench_random(&generator->random);
    generator->now_ns += gap_ns;
    bool is_call = generator->depth == 0 || (generator->depth < MOST_DEPTH && random & 1);
    if (is_call) {
        generator->start_ns[generator->depth] = generator->now_ns;
        generator->id[generator->depth++] = 1 + (uint32_t)(random >> 8) % N_NAMES;
        return false;
    }
    generator->depth--;
    *out = (struct rv_span){.start = generator->start_ns[generator->depth],
                            .end = generator->now_ns,
                            .id = generator->id[generator->depth],
                            .depth = generator->depth};
    return true;
}

/* ---- frames ---- */

struct stand {
    struct rv_context context;
    struct rv_scene *scene;
    struct rv_subroutines *subroutines;
    GLuint framebuffer, colour, query;
    bool has_timer, is_software;
    struct rv_view view;
    struct rv_view_lane lanes[N_LANES];
};

static int open_stand(struct stand *stand)
{
    int err = rv_context_open(
        &stand->context,
        &(struct rv_context_params){.title = "ringviz", .width = 64, .height = 64, .is_offscreen = true});
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
    stand->has_timer = n_bits > 0 && !stand->is_software;
    glGenQueries(1, &stand->query);
    return rv_scene_create(&stand->scene);
}

static void close_stand(struct stand *stand)
{
    if (!stand->context.gl)
        return;
    glDeleteQueries(1, &stand->query);
    glDeleteRenderbuffers(1, &stand->colour);
    glDeleteFramebuffers(1, &stand->framebuffer);
    rv_scene_destroy(stand->scene);
    rv_context_close(&stand->context);
}

static struct rv_subroutines *name_all(void)
{
    struct rv_subroutines *subroutines = rv_subroutines_create();
    for (uint32_t id = 1; id <= N_NAMES; id++) {
        char package[32], name[32];
        snprintf(package, sizeof package, "Package%u", id % N_PACKAGES);
        snprintf(name, sizeof name, "subroutine_%u", id);
        rv_subroutines_define(subroutines, id, package, name, "bench.pm", id);
    }
    return subroutines;
}

/* A lane of n exact boxes by rising start: each stands where its call begins, and gets its length when that ends. */
static void fill_lane(struct rv_view *view, struct rv_view_lane *lane, uint32_t idx, uint32_t n)
{
    struct generator generator = {.random = idx + 1};
    uint64_t gap_ns = WINDOW_NS / (2 * (uint64_t)n + 1);
    uint32_t n_begun = 0, first = (uint32_t)view->n_boxes;
    struct rv_span ended;
    *lane = (struct rv_view_lane){.lane_idx = idx, .first_box = first, .n_boxes = n, .n_represents = 1};
    lane->max_depth = lane->whole_depth = MOST_DEPTH;
    snprintf(lane->name, sizeof lane->name, "thread %u", idx);
    while (n_begun < n || generator.depth) {
        uint32_t depth = generator.depth;
        if (n_begun == n && depth < MOST_DEPTH)
            generator.random ^= generator.random >> 7;
        if (step(&generator, gap_ns, &ended)) {
            struct rv_box *box = &view->boxes[generator.box[generator.depth]];
            if (generator.box[generator.depth] != UINT32_MAX)
                box->duration_ns = ended.end - ended.start;
            continue;
        }
        generator.box[depth] = n_begun < n ? first + n_begun : UINT32_MAX;
        if (n_begun == n)
            continue;
        n_begun++;
        view->boxes[view->n_boxes++] = (struct rv_box){.start_ns = generator.now_ns,
                                                       .id = generator.id[depth],
                                                       .count = 1,
                                                       .depth = depth,
                                                       .coverage = UINT16_MAX};
    }
}

static void fill_view(struct stand *stand, uint32_t n_boxes)
{
    struct rv_view *view = &stand->view;
    view->boxes = rv_vec_reserve(view->boxes, &view->boxes_capacity, n_boxes, sizeof *view->boxes);
    view->n_boxes = 0;
    view->from_ns = 0;
    view->to_ns = WINDOW_NS;
    view->lanes = stand->lanes;
    view->n_lanes = N_LANES;
    view->n_processes = 1;
    for (uint32_t i = 0; i < N_LANES; i++)
        fill_lane(view, &stand->lanes[i], i, n_boxes / N_LANES);
}

static uint64_t process_cpu_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void draw(struct stand *stand, enum rv_look look, double *cpu_ms, double *gpu_ms)
{
    struct rv_scene_frame frame = {.view = &stand->view,
                                   .subroutines = stand->subroutines,
                                   .width_px = WIDTH_PX,
                                   .height_px = HEIGHT_PX,
                                   .scale = 1.0,
                                   .samples = stand->is_software ? 0 : SAMPLES,
                                   .look = look,
                                   .look_from = look};
    uint64_t before_ns = process_cpu_ns();
    GLuint64 took_ns = 0;
    glBindFramebuffer(GL_FRAMEBUFFER, stand->framebuffer);
    if (stand->has_timer)
        glBeginQuery(GL_TIME_ELAPSED, stand->query);
    rv_scene_draw(stand->scene, &frame);
    if (stand->has_timer) {
        glEndQuery(GL_TIME_ELAPSED);
        glGetQueryObjectui64v(stand->query, GL_QUERY_RESULT, &took_ns);
    }
    glFinish();
    *cpu_ms = (double)(process_cpu_ns() - before_ns) / 1e6;
    *gpu_ms = (double)took_ns / 1e6;
}

static void measure_look(struct stand *stand, struct rv_bench_out *out, enum rv_look look, const char *boxes_name)
{
    double cpu_ms[N_FRAMES], gpu_ms[N_FRAMES], unused;
    char name[64], detail[96];
    bool is_slow = stand->is_software && stand->view.n_boxes > MANY;
    unsigned n = is_slow ? N_FRAMES_MANY : N_FRAMES;
    if (!is_slow)
        draw(stand, look, &unused, &unused);
    for (unsigned i = 0; i < n; i++)
        draw(stand, look, &cpu_ms[i], &gpu_ms[i]);
    snprintf(detail, sizeof detail, "CPU; %.60s%s", (const char *)glGetString(GL_RENDERER),
             stand->is_software ? ", no multisampling" : "");
    snprintf(name, sizeof name, "render.%s.%s", rv_look_get(look)->name, boxes_name);
    double median = rv_bench_median(cpu_ms, n);
    rv_bench_row(out, &(struct rv_bench_row){name, "ms/frame", median, cpu_ms[0], n, NULL, 0, detail});
    if (!stand->has_timer)
        return;
    snprintf(name, sizeof name, "render.%s.%s.gpu", rv_look_get(look)->name, boxes_name);
    median = rv_bench_median(gpu_ms, n);
    rv_bench_row(out, &(struct rv_bench_row){name, "ms/frame", median, gpu_ms[0], n, NULL, 0, "timer query"});
}

static int measure_frames(struct rv_bench_out *out)
{
    static const struct {
        const char *name;
        uint32_t n;
    } sizes[] = {{"2k", 2000}, {"20k", 20000}, {"250k", 250000}};
    struct stand stand = {.subroutines = NULL};
    int err = open_stand(&stand);
    if (!err) {
        stand.subroutines = name_all();
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            fill_view(&stand, sizes[i].n);
            for (int look = 0; look < RV_LOOK_COUNT; look++)
                measure_look(&stand, out, (enum rv_look)look, sizes[i].name);
        }
    }
    close_stand(&stand);
    rv_subroutines_destroy(stand.subroutines);
    free(stand.view.boxes);
    return err;
}

/* ---- the model's part ---- */

static void fill_timeline(struct rv_lane *lane, uint32_t idx, size_t n, struct rv_span *block)
{
    struct generator generator = {.random = 77 + idx};
    for (size_t done = 0; done < n; done += BLOCK_SPANS) {
        for (size_t i = 0; i < BLOCK_SPANS;)
            i += step(&generator, 1 + (rv_bench_random(&generator.random) & GAP_MASK), &block[i]);
        rv_timeline_add(lane->timeline, block, BLOCK_SPANS);
    }
    lane->last_ns = rv_timeline_last_ns(lane->timeline);
}

static void measure_view(struct rv_lanes *lanes, struct rv_bench_out *out, const char *name, uint64_t window_ns)
{
    double samples[N_WINDOWS];
    struct rv_view view = {0};
    uint64_t first_ns = 0, last_ns = 0;
    char detail[64];
    (void)rv_lanes_bounds(lanes, &first_ns, &last_ns);
    uint64_t whole_ns = last_ns - first_ns;
    window_ns = window_ns < whole_ns ? window_ns : whole_ns;
    for (unsigned i = 0; i < N_WINDOWS; i++) {
        uint64_t from_ns = first_ns + (whole_ns - window_ns) / N_WINDOWS * (i * 13 % N_WINDOWS);
        struct rv_view_params params = {
            .from_ns = from_ns, .to_ns = from_ns + window_ns, .width_px = WIDTH_PX, .box_budget = 250000};
        uint64_t before_ns = rv_clock_thread_cpu_ns();
        rv_view_update(&view, lanes, &params);
        samples[i] = (double)(rv_clock_thread_cpu_ns() - before_ns) / 1e6;
    }
    double median = rv_bench_median(samples, N_WINDOWS);
    snprintf(detail, sizeof detail, "10 M spans; %zu boxes, worst %.2f ms", view.n_boxes, samples[N_WINDOWS - 1]);
    rv_bench_row(out, &(struct rv_bench_row){name, "ms/frame", median, samples[0], N_WINDOWS, NULL, 0, detail});
    rv_view_fini(&view);
}

static void measure_model(struct rv_bench_out *out)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } windows[] = {{"render.model.10us", 10000},
                   {"render.model.1ms", 1000000},
                   {"render.model.100ms", 100000000},
                   {"render.model.all", UINT64_MAX}};
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_span *block = rv_alloc(BLOCK_SPANS, sizeof *block);
    for (uint32_t i = 0; i < N_LANES; i++) {
        struct rv_lane *lane = rv_lanes_add(
            lanes, &(struct rv_lane_identity){.pid = 1, .tid = i, .process_key = 1, .process_name = "bench"});
        fill_timeline(lane, i, N_SPANS / N_LANES, block);
    }
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
        measure_view(lanes, out, windows[i].name, windows[i].ns);
    free(block);
    rv_lanes_destroy(lanes);
}

int rv_bench_render(struct rv_bench_out *out)
{
    measure_model(out);
    return measure_frames(out);
}
