#include "../ring/fixture.h"

#include "debugger/chosen_thread.h"
#include "ring/run_state.h"
#include "tracee.h"

static bool count(void *n_waits)
{
    ++*(unsigned *)n_waits;
    return false;
}

static void obey(struct rv_chosen_thread *chosen_thread, enum rv_debug_session_order_kind kind, const char *why)
{
    rv_chosen_thread_obey(chosen_thread, &(struct rv_debug_session_order){.kind = kind});
    cr_assert_str_eq(chosen_thread->report->why, why);
}

static void wait_for_stop(const struct fixture *f, uint32_t n_stops)
{
    while (rv_run_state_wait_stop(rv_map_control(&f->map, 0), n_stops - 1, 1000000) != 0)
        ;
}

Test(chosen_thread, orders_do_not_wait_for_a_late_stop, .timeout = 100)
{
    static const char on_its_way[] = "it is running to its next stop: stop it first";
    struct fixture f;
    static struct rv_debug_session_report report;
    struct rv_chosen_thread chosen_thread = {.report = &report, .is_moving = true}; /* its stop is late */
    unsigned n_waits = 0;
    open_fixture(&f, NULL);
    struct tracee *tracee = tracee_start(f.path, &(struct tracee_params){0});
    report.chosen = (struct rv_debug_session_who){(uint32_t)getpid(), tracee_tid(tracee)};
    chosen_thread.target = rv_target_over(&f.map);
    rv_target_limit(chosen_thread.target, &(struct rv_target_limits){.is_given_up = count, .context = &n_waits});
    obey(&chosen_thread, RV_DEBUG_SESSION_RUN, on_its_way);
    obey(&chosen_thread, RV_DEBUG_SESSION_STEP, on_its_way);
    cr_assert_eq(n_waits, 0);
    cr_assert(chosen_thread.is_moving);
    obey(&chosen_thread, RV_DEBUG_SESSION_STOP, "");
    wait_for_stop(&f, 1);
    obey(&chosen_thread, RV_DEBUG_SESSION_STEP, ""); /* it has stopped, although no report was read since */
    wait_for_stop(&f, 2);
    obey(&chosen_thread, RV_DEBUG_SESSION_RUN, "");
    cr_assert_not(chosen_thread.is_moving);
    rv_target_close(chosen_thread.target);
    tracee_end(tracee);
    close_fixture(&f);
}
