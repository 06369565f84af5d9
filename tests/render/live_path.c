/*
 * The critical path of the last second, lit by its key while the program goes on: threads that hand a lock from one to the
 * next, 50,000 times a second. It is found in that second, and again, later, in another one. Prints how long each took.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/vec.h"
#include "window_steps.h"

enum { N_THREADS = 64, N_ROUNDS = 3, LOCK = 1, WORK = 2 };
static const uint64_t TURN_NS = 20000; /* for which each thread has the lock, after the one before it */

struct relay { /* the program */
    struct rv_source source;
    uint64_t origin_ns;
    void *streams[N_THREADS];
    uint64_t n_turns[N_THREADS]; /* of each, sent so far */
};

static void push(struct rv_batch *batch, enum rv_event_kind kind, uint64_t ns, uint32_t id, uint16_t frame)
{
    batch->events[batch->n++] =
        (struct rv_event){.when = (uint64_t)kind << RV_EVENT_KIND_SHIFT | ns, .id = id, .frame = frame};
}

static uint32_t tid_of(unsigned thread)
{
    return thread + 1;
}

/* It waits for the turn of the thread before it, works in its own one, and releases the lock. */
static void push_turn(struct rv_batch *batch, unsigned thread, uint64_t begin_ns)
{
    const uint64_t end_ns = begin_ns + TURN_NS - 1;
    const uint32_t waker = tid_of((thread + N_THREADS - 1) % N_THREADS);
    push(batch, RV_EVENT_WAIT, begin_ns - TURN_NS / 2, LOCK, RV_WAIT_MUTEX);
    push(batch, RV_EVENT_WOKEN, begin_ns, waker | RV_WAKE_EXACT << RV_EVENT_WAKE_SHIFT, 0);
    push(batch, RV_EVENT_CALL, begin_ns, WORK, 1);
    push(batch, RV_EVENT_WAIT, end_ns, LOCK, RV_WAIT_MUTEX | RV_WAIT_RELEASE);
    push(batch, RV_EVENT_RETURN, end_ns, WORK, 1);
}

static uint64_t begin_of(const struct relay *relay, unsigned thread, uint64_t turn)
{
    return relay->origin_ns + (1 + thread + turn * N_THREADS) * TURN_NS;
}

static void tell(struct relay *relay, unsigned thread, uint64_t now_ns, const struct rv_intake *intake)
{
    if (begin_of(relay, thread, relay->n_turns[thread]) + TURN_NS > now_ns)
        return;
    struct rv_batch *batch = rv_intake_wait_for_batch(intake);
    batch->stream = relay->streams[thread];
    batch->n = batch->n_specials = 0;
    batch->base_ns = begin_of(relay, thread, relay->n_turns[thread]) - TURN_NS;
    for (uint64_t begin_ns; batch->n + 8 < RV_BATCH_EVENTS &&
                            (begin_ns = begin_of(relay, thread, relay->n_turns[thread])) + TURN_NS <= now_ns;
         relay->n_turns[thread]++)
        push_turn(batch, thread, begin_ns);
    rv_batch_seal(batch, 0);
    intake->submit_batch(intake->context, batch);
}

static void open_threads(struct relay *relay, const struct rv_intake *intake)
{
    relay->origin_ns = rv_clock_mono_ns();
    for (unsigned i = 0; i < N_THREADS; i++)
        relay->streams[i] = intake->open_stream(intake->context, &(struct rv_stream_info){.pid = 1,
                                                                                          .tid = tid_of(i),
                                                                                          .process_key = 1,
                                                                                          .process_name = "relay",
                                                                                          .thread_name = "runner",
                                                                                          .born_ns = relay->origin_ns});
}

static enum rv_source_status poll_relay(struct rv_source *source, const struct rv_intake *intake)
{
    struct relay *relay = (struct relay *)source;
    if (!relay->origin_ns)
        open_threads(relay, intake);
    const uint64_t now_ns = rv_clock_mono_ns();
    for (unsigned i = 0; i < N_THREADS; i++)
        tell(relay, i, now_ns, intake);
    if (!intake->is_stopping(intake->context))
        return RV_SOURCE_MOVED;
    for (unsigned i = 0; i < N_THREADS; i++)
        intake->close_stream(intake->context, relay->streams[i], now_ns);
    return RV_SOURCE_ENDED;
}

static void nap(struct rv_source *source)
{
    (void)source;
    (void)nanosleep(&(struct timespec){.tv_nsec = 5 * MS}, NULL);
}

static void resolve(struct rv_source *source, const struct rv_intake *intake, bool is_final)
{
    static const struct rv_definition definitions[] = {{LOCK, "", "baton", "relay.c", 1},
                                                       {WORK, "", "work", "relay.c", 2}};
    (void)source;
    if (is_final)
        intake->define(intake->context, definitions, 2);
}

static void close_relay(struct rv_source *source)
{
    free(source);
}

static struct rv_source *relay_create(void)
{
    struct relay *relay = rv_alloc(1, sizeof *relay);
    relay->source = (struct rv_source){.poll = poll_relay, .nap = nap, .resolve = resolve, .close = close_relay};
    return &relay->source;
}

/* ---- the user ---- */

static uint64_t pressed_ns, last_to_ns;

static void press(void)
{
    pressed_ns = rv_clock_mono_ns();
    user_press(SDL_SCANCODE_R, 0);
}

static void check_path(struct window_steps *steps, const struct rv_window_state *state)
{
    const struct rv_critical_path_found *found = rv_critical_path_job_found(&state->viewer->path);
    if (!found) {
        window_steps_check(steps, false, "the path is shown, but not found");
        return;
    }
    printf("%" PRIu64 " ms to a path of %zu steps\n", (rv_clock_mono_ns() - pressed_ns) / MS, found->path->n);
    window_steps_check(steps, found->request.to_ns > last_to_ns, "the path is of an earlier second");
    window_steps_check(steps, found->request.to_ns - found->request.from_ns == 1000 * MS, "not of the second in view");
    window_steps_check(steps, found->path->n > 100 && found->run_ns > found->n_ns / 2, "the path leads to no other thread");
    window_steps_check(steps, !rv_session_is_done(steps->session), "the program does not go on");
    last_to_ns = found->request.to_ns;
}

static bool act(struct window_steps *steps, const struct rv_window_state *state)
{
    const struct rv_live_edge *live_edge = &state->viewer->live_edge;
    if (steps->step == 0) {
        if (!live_edge->last_ns || live_edge->last_ns - live_edge->first_ns < 1100 * MS)
            return false;
        press();
        return true;
    }
    if (state->view->has_path != (steps->step % 2 == 1))
        return false;
    if (steps->step % 2 == 1)
        check_path(steps, state);
    if (steps->step + 1 < 2 * N_ROUNDS)
        press();
    else
        user_press(SDL_SCANCODE_Q, KMOD_LCTRL);
    return true;
}

int main(void)
{
    return window_steps_run(
        &(struct window_steps){.source = relay_create(), .act = act, .window = {.window_ns = 1000 * MS}}, 1000, 600,
        2 * N_ROUNDS);
}
