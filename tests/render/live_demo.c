/*
 * live_demo DEMO HOOKS.so: a picture of the demo program taken while it runs and one of the same window after its end
 * differ only in noise, as in live.c. For the live picture the program is stopped within its calls until all that it has
 * done until then is in the lanes. The bounds leave room for what one run does more than another; in the two short
 * windows there may be few folds or none, and smooth edges are all that differs.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/os.h"
#include "live_pictures.h"
#include "pipeline/session.h"
#include "ring/ring.h"
#include "source/live_drain.h"
#include "stress/tracee.h"

#define MS UINT64_C(1000000)
#define FRAME_NS (16 * MS)
#define SECONDS "4"               /* of the program */
#define DEADLINE_NS (300000 * MS) /* ends before ctest ends the test */
#define LEAST_CAUGHT 7            /* on a busy machine, too, where the program does less */

static struct live_window windows[LIVE_N_WIDTHS];

static void look(struct rv_lanes *lanes)
{
    const uint64_t now_ns = rv_lanes_newest_ns(lanes);
    for (int i = 0; i < LIVE_N_WIDTHS; i++) {
        windows[i].width_ns = live_widths_ns[i];
        live_window_look(&windows[i], lanes, now_ns);
    }
}

static bool fills_windows(struct rv_lanes *lanes)
{
    uint64_t first_ns, last_ns;
    return rv_lanes_bounds(lanes, &first_ns, &last_ns) && last_ns - first_ns > LIVE_LENGTH_NS;
}

/* Is everything in the lanes that the program has written? */
static bool has_caught_up(struct rv_map *map, struct rv_lanes *lanes)
{
    uint64_t n_written = 0, n_seen = 0;
    for (uint32_t i = 0; i < map->geometry.n_rings; i++) {
        struct rv_ring ring;
        rv_ring_view(&ring, map, i);
        n_written += rv_ring_account(&ring).n_produced;
    }
    for (size_t i = 0; i < rv_lanes_n(lanes); i++) {
        struct rv_lane *lane = rv_lanes_get(lanes, i);
        pthread_rwlock_rdlock(&lane->lock);
        n_seen += lane->n_events;
        pthread_rwlock_unlock(&lane->lock);
    }
    return n_seen >= n_written;
}

static bool has_died(const struct tracee *tracee)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)tracee->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == tracee->pid;
}

/* False: it took too long, or the program died too early. */
static bool watch(struct tracee *tracee, struct rv_session *session)
{
    const uint64_t begin_ns = rv_clock_mono_ns();
    struct rv_lanes *lanes = rv_session_lanes(session);
    bool is_stopped = false;
    while (rv_clock_mono_ns() - begin_ns < DEADLINE_NS && !has_died(tracee)) {
        if (is_stopped && has_caught_up(&tracee->map, lanes)) {
            look(lanes);
            kill(tracee->pid, SIGCONT);
            return rv_session_wait(session, DEADLINE_NS);
        }
        if (!is_stopped && fills_windows(lanes)) {
            look(lanes);
            kill(tracee->pid, SIGSTOP);
            is_stopped = waitpid(tracee->pid, NULL, WUNTRACED) == tracee->pid;
        }
        rv_os_sleep_ns(FRAME_NS);
    }
    return false;
}

static int check(struct rv_session *session)
{
    struct rv_lanes *lanes = rv_session_lanes(session);
    uint64_t first_ns = 0, last_ns;
    rv_lanes_bounds(lanes, &first_ns, &last_ns);
    for (int i = 0; i < LIVE_N_WIDTHS; i++)
        live_window_look_later(&windows[i], lanes);
    const int failed =
        live_pictures_check(&(struct live_pictures_params){.windows = windows,
                                                           .subroutines = rv_session_subroutines(session),
                                                           .origin_ns = first_ns,
                                                           .most = {{1.0, 0.8, 0.9, 1.0, 2.6},
                                                                    {2.0, 1.5, 1.6, 2.1, 2.6},
                                                                    {0.5, 0.6, 0.9, 1.2, 1.4},
                                                                    {0.5, 0.6, 0.7, 0.9, 1.0}},
                                                           .least_caught = LEAST_CAUGHT});
    for (int i = 0; i < LIVE_N_WIDTHS; i++)
        live_window_fini(&windows[i]);
    return failed;
}

int main(int argc, char **argv)
{
    struct tracee tracee = {0};
    char path[4096];
    if (argc != 3 || rv_map_default_path(path, sizeof path, 1 << 24) != 0 ||
        rv_map_create(&tracee.map, path, &(struct rv_map_params){0}) != 0)
        return 1;
    struct rv_source *source = rv_live_drain_open(&tracee.map, &(struct rv_live_drain_params){0});
    if (!source)
        return 1;
    struct rv_session *session = rv_session_start(&(struct rv_session_params){0}, source);
    tracee_start(&tracee, (const char *const[]){argv[1], SECONDS, NULL}, argv[2], -1);
    const bool is_seen = watch(&tracee, session);
    kill(tracee.pid, SIGKILL);
    waitpid(tracee.pid, NULL, 0);
    if (!is_seen)
        fputs("the program has not been seen to its end\n", stderr);
    const int failed = !is_seen || check(session);
    rv_session_stop(session);
    rv_session_destroy(session);
    tracee_close(&tracee);
    return failed;
}
