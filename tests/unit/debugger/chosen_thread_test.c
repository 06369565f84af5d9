#include "../ring/fixture.h"

#include "debugger/chosen_thread.h"
#include "ring/steering.h"
#include "tracee.h"

static bool count(void *n_waits)
{
    ++*(unsigned *)n_waits;
    return false;
}

static void obey(struct rv_helm *helm, enum rv_pilot_order_kind kind, const char *why)
{
    rv_helm_obey(helm, &(struct rv_pilot_order){.kind = kind});
    cr_assert_str_eq(helm->report->why, why);
}

static void wait_for_stop(const struct fixture *f, uint32_t n_stops)
{
    while (rv_steering_wait_stop(rv_map_control(&f->map, 0), n_stops - 1, 1000000) != 0)
        ;
}

Test(helm, who_takes_long_to_arrive_is_not_waited_for, .timeout = 100)
{
    static const char on_its_way[] = "it is on its way to its next stop: stop it first";
    struct fixture f;
    static struct rv_pilot_report report;
    struct rv_helm helm = {.report = &report, .is_moving = true}; /* for ages */
    unsigned n_waits = 0;
    open_fixture(&f, NULL);
    struct tracee *tracee = tracee_start(f.path, &(struct tracee_params){0});
    report.chosen = (struct rv_pilot_who){(uint32_t)getpid(), tracee_tid(tracee)};
    helm.subject = rv_subject_over(&f.map);
    rv_subject_limit(helm.subject, &(struct rv_subject_limits){.is_given_up = count, .context = &n_waits});
    obey(&helm, RV_PILOT_RUN, on_its_way);
    obey(&helm, RV_PILOT_STEP, on_its_way);
    cr_assert_eq(n_waits, 0);
    cr_assert(helm.is_moving);
    obey(&helm, RV_PILOT_STOP, "");
    wait_for_stop(&f, 1);
    obey(&helm, RV_PILOT_STEP, ""); /* it has arrived, although nobody has looked */
    wait_for_stop(&f, 2);
    obey(&helm, RV_PILOT_RUN, "");
    cr_assert_not(helm.is_moving);
    rv_subject_close(helm.subject);
    tracee_end(tracee);
    close_fixture(&f);
}
