/*
 * The window over a live session: it opens, follows, changes its view by key and by tab, takes every key and mouse
 * motion, does not close by Escape, rests while nothing happens, refuses to record an ended capture, and closes by
 * Ctrl+Q.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/viewer.h"
#include "window/window.h"
#include "base/clock.h"
#include "base/os.h"
#include "base/vec.h"

#include <SDL2/SDL.h>

#define WIDTH 640
#define TURN_NS 1000000u
#define IDLE_NS 400000000u
#define REST_NS 60000000000u
#define IDLE_CPU_SHARE_MAX 0.08

/* A thread that calls two functions in turn, one inside the other, until it is stopped. */
struct live {
    struct rv_source source;
    void *stream;
    uint64_t done_ns;
    bool is_defined;
};

static atomic_bool is_quiet, is_over;

static void push(struct rv_batch *batch, unsigned kind, uint64_t ns, uint32_t id)
{
    struct rv_event *event = &batch->events[batch->n++];
    *event =
        (struct rv_event){.when = (uint64_t)kind << RV_EVENT_KIND_SHIFT | ns, .id = id, .frame = (uint16_t)(id - 1)};
}

static void work(struct live *live, const struct rv_intake *intake, uint64_t now_ns)
{
    struct rv_batch *batch = intake->acquire_batch(intake->context);
    if (!batch)
        return;
    batch->stream = live->stream;
    batch->n = batch->n_specials = 0;
    batch->base_ns = live->done_ns;
    for (; live->done_ns + 100000 < now_ns && batch->n + 4 <= RV_BATCH_EVENTS; live->done_ns += 100000) {
        push(batch, RV_EVENT_CALL, live->done_ns, 1);
        push(batch, RV_EVENT_CALL, live->done_ns + 20000, 2);
        push(batch, RV_EVENT_RETURN, live->done_ns + 70000, 2);
        push(batch, RV_EVENT_RETURN, live->done_ns + 90000, 1);
    }
    intake->submit_batch(intake->context, batch);
}

static enum rv_source_status poll_live(struct rv_source *source, const struct rv_intake *intake)
{
    struct live *live = (struct live *)source;
    uint64_t now_ns = rv_clock_mono_ns();
    if (!live->stream) {
        struct rv_stream_info info = {
            .pid = 1, .tid = 1, .process_key = 1, .process_name = "live", .thread_name = "main", .born_ns = now_ns};
        live->stream = intake->open_stream(intake->context, &info);
        live->done_ns = now_ns;
    }
    if (atomic_load_explicit(&is_over, memory_order_relaxed) || intake->is_stopping(intake->context)) {
        intake->close_stream(intake->context, live->stream, live->done_ns);
        return RV_SOURCE_ENDED;
    }
    if (atomic_load_explicit(&is_quiet, memory_order_relaxed)) {
        live->done_ns = now_ns;
        return RV_SOURCE_IDLE;
    }
    work(live, intake, now_ns);
    return RV_SOURCE_MOVED;
}

static void nap(struct rv_source *source)
{
    (void)source;
    rv_os_sleep_ns(TURN_NS);
}

static void resolve(struct rv_source *source, const struct rv_intake *intake, bool is_final)
{
    struct live *live = (struct live *)source;
    static const struct rv_definition definitions[] = {{1, "Outer", "loop", "live.c", 1},
                                                       {2, "Inner", "step", "live.c", 2}};
    (void)is_final;
    if (!live->is_defined)
        intake->define(intake->context, definitions, 2);
    live->is_defined = true;
}

static void close_live(struct rv_source *source)
{
    free(source);
}

static struct rv_source *create_live(void)
{
    struct live *live = rv_alloc(1, sizeof *live);
    live->source.poll = poll_live;
    live->source.nap = nap;
    live->source.resolve = resolve;
    live->source.close = close_live;
    return &live->source;
}

static void press(SDL_Scancode scancode, Uint16 mod)
{
    SDL_Event event = {
        .key = {.type = SDL_KEYDOWN, .state = SDL_PRESSED, .keysym = {.scancode = scancode, .mod = mod}}};
    SDL_PushEvent(&event);
}

static void wheel(float turns)
{
    SDL_Event event = {.wheel = {.type = SDL_MOUSEWHEEL, .y = (int)turns, .preciseY = turns}};
    SDL_PushEvent(&event);
}

static void button(int x, int y, Uint8 which, bool is_down)
{
    SDL_Event event = {.button = {.type = is_down ? SDL_MOUSEBUTTONDOWN : SDL_MOUSEBUTTONUP,
                                  .button = which,
                                  .state = is_down ? SDL_PRESSED : SDL_RELEASED,
                                  .clicks = 1,
                                  .x = x,
                                  .y = y}};
    SDL_PushEvent(&event);
}

static void drag(int x, int y, int dx)
{
    SDL_Event motion = {.motion = {.type = SDL_MOUSEMOTION, .x = x + dx, .y = y}};
    button(x, y, SDL_BUTTON_RIGHT, true);
    SDL_PushEvent(&motion);
    button(x + dx, y, SDL_BUTTON_RIGHT, false);
}

static void click(int x, int y)
{
    button(x, y, SDL_BUTTON_LEFT, true);
    button(x, y, SDL_BUTTON_LEFT, false);
}

struct user {
    struct rv_session *session;
    unsigned step;
    enum rv_view_mode look; /* on show, as the window says */
    bool is_asked;
    unsigned n_looks; /* that were shown as asked for */
    uint64_t quiet_ns, idle_from_ns, idle_cpu_ns;
    double idle_share;
    unsigned n_switches; /* of recording */
    bool has_ended;      /* the capture, as the window says */
    bool is_refused;     /* the window said that it does not record */
};

static void use_everything(void)
{
    static const SDL_Scancode keys[] = {SDL_SCANCODE_W,    SDL_SCANCODE_S,     SDL_SCANCODE_A,   SDL_SCANCODE_D,
                                        SDL_SCANCODE_LEFT, SDL_SCANCODE_RIGHT, SDL_SCANCODE_UP,  SDL_SCANCODE_DOWN,
                                        SDL_SCANCODE_L,    SDL_SCANCODE_SPACE, SDL_SCANCODE_END, SDL_SCANCODE_ESCAPE,
                                        SDL_SCANCODE_Q,    SDL_SCANCODE_F};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        press(keys[i], 0);
    press(SDL_SCANCODE_R, KMOD_LCTRL);
    wheel(3.0f);
    wheel(-1.5f);
    drag(300, 200, 120);
}

/* Measure stretches until one is quiet enough. True once there was one, and after too many that were not. */
static bool has_rested(struct user *user)
{
    uint64_t now_ns = rv_clock_mono_ns();
    if (!user->quiet_ns)
        user->quiet_ns = now_ns;
    if (!user->idle_from_ns || now_ns - user->idle_from_ns >= IDLE_NS) {
        if (user->idle_from_ns)
            user->idle_share = (double)(rv_clock_process_cpu_ns() - user->idle_cpu_ns) / (double)(now_ns - user->idle_from_ns);
        user->idle_from_ns = now_ns;
        user->idle_cpu_ns = rv_clock_process_cpu_ns();
    }
    return user->idle_share < IDLE_CPU_SHARE_MAX || now_ns - user->quiet_ns > REST_NS;
}

/* Each key and then each tab in turn: the view that is shown is the one asked for. */
static void switch_looks(struct user *user)
{
    static const enum rv_view_mode looks[] = {RV_VIEW_MODE_TOP, RV_VIEW_MODE_ALIGNED, RV_VIEW_MODE_FLAME,
                                              RV_VIEW_MODE_3D,  RV_VIEW_MODE_TOP,     RV_VIEW_MODE_FLAME,
                                              RV_VIEW_MODE_3D};
    enum { N_LOOKS = sizeof looks / sizeof *looks, N_KEYS = 4, N_TABS_FROM_RIGHT = RV_VIEW_MODE_COUNT };
    if (user->n_looks < N_LOOKS && !user->is_asked) {
        enum rv_view_mode look = looks[user->n_looks];
        if (user->n_looks < N_KEYS)
            press((SDL_Scancode)(SDL_SCANCODE_1 + (int)look), 0);
        else
            click(WIDTH - 14 - 36 * (N_TABS_FROM_RIGHT - (int)look) + 15, 16);
        user->is_asked = true;
    } else if (user->n_looks < N_LOOKS && user->look == looks[user->n_looks]) {
        user->n_looks++;
        user->is_asked = false;
    }
    user->step += user->n_looks == N_LOOKS;
}

/* Asked by the window in each turn: plays the user step by step, and never asks it to close. */
static bool play(void *context)
{
    struct user *user = context;
    struct rv_session_counts counts;
    rv_session_counts(user->session, &counts);
    switch (user->step) {
    case 0:
        user->step += counts.n_spans > 500;
        break;
    case 1:
        switch_looks(user);
        break;
    case 2:
        use_everything();
        user->step++;
        break;
    case 3:
        press(SDL_SCANCODE_END, 0);
        atomic_store_explicit(&is_quiet, true, memory_order_relaxed);
        user->step++;
        break;
    case 4:
        user->step += has_rested(user);
        break;
    case 5:
        atomic_store_explicit(&is_over, true, memory_order_relaxed);
        if (!user->has_ended)
            break;
        press(SDL_SCANCODE_R, KMOD_LCTRL);
        user->step++;
        break;
    case 6:
        if (!user->is_refused)
            break;
        press(SDL_SCANCODE_F, 0);
        press(SDL_SCANCODE_Q, KMOD_LCTRL);
        user->step++;
        break;
    }
    return false;
}

static void observe(void *context, const struct rv_window_state *state)
{
    struct user *user = context;
    user->look = state->viewer->look.shown;
    user->has_ended = state->viewer->live_edge.is_done && rv_session_is_done(user->session);
    user->is_refused = strstr(state->viewer->message.text, "Nothing to record") != NULL;
}

static bool record(void *context, bool is_on)
{
    struct user *user = context;
    user->n_switches++;
    return is_on;
}

int main(void)
{
    struct rv_session_params params = {.n_workers = 1};
    struct user user = {.idle_share = 1.0, .session = rv_session_start(&params, create_live())};
    struct rv_settings settings;
    rv_settings_init(&settings);
    settings.look = RV_VIEW_MODE_FLAME;
    struct rv_window_params window = {.title = "live",
                                      .pid = 1,
                                      .settings = &settings,
                                      .observe = observe,
                                      .width_px = WIDTH,
                                      .height_px = 360,
                                      .should_close = play,
                                      .record = record,
                                      .context = &user};
    int err = rv_window_run(user.session, &window);
    rv_session_stop(user.session);
    rv_session_destroy(user.session);
    printf("step %u, idle %.1f %% of a core\n", user.step, user.idle_share * 100.0);
    if (err || user.step != 7 || user.n_switches == 0 || user.idle_share > IDLE_CPU_SHARE_MAX) {
        fprintf(stderr, "the window ended with %d in step %u\n", err, user.step);
        return 1;
    }
    return 0;
}
