#include "fixture.h"

#include "ring/commands.h"
#include "ring/push.h"
#include "ring/run_state.h"
#include "ring/watches.h"

static const uint64_t SECOND = 1000000000, DEADLINE_NS = 60000000000;

static void claim_one(struct fixture *f)
{
    open_fixture(f, NULL);
    cr_assert_eq(rv_ownership_claim(&f->other, 0), 0);
}

Test(run_state, every_request_raises_attention, .timeout = 60)
{
    struct fixture f;
    claim_one(&f);
    struct rv_wire_control *ours = rv_map_control(&f.map, 0), *owners = rv_map_control(&f.other, 0);
    char result[RV_WIRE_WATCH_RESULT];
    int32_t n_bytes;
    cr_assert_not(rv_run_state_take_request(owners));
    cr_assert_eq(rv_commands_post(&f.map, 0, "stop", "", 0), 0);
    cr_assert(rv_run_state_take_request(owners));
    cr_assert_not(rv_run_state_take_request(owners), "once");
    rv_commands_cancel(&f.map, 0);
    cr_assert(rv_run_state_take_request(owners), "withdrawn");
    cr_assert_eq(rv_watches_add(ours, "$x"), 0);
    cr_assert(rv_run_state_take_request(owners), "watched");
    cr_assert_eq(rv_watches_set_result(owners, 0, "1", 1, false), 0);
    cr_assert_not(rv_run_state_take_request(owners), "its own result is no call");
    cr_assert_eq(rv_watches_get_result(ours, 0, result, &n_bytes), 0);
    cr_assert(rv_run_state_take_request(owners), "the next value is wanted");
    cr_assert_eq(rv_watches_remove(ours, 0), 0);
    cr_assert(rv_run_state_take_request(owners), "no longer watched");
    close_fixture(&f);
}

Test(run_state, a_stop_is_waited_for, .timeout = 100)
{
    struct fixture f;
    claim_one(&f);
    const struct rv_wire_control *ours = rv_map_control(&f.map, 0);
    struct rv_wire_control *owners = rv_map_control(&f.other, 0);
    cr_assert_eq(rv_run_state_read(ours).state, RV_RUN_UNSTEERED);
    rv_run_state_set(owners, RV_RUN_RUNNING);
    cr_assert_eq(rv_run_state_read(ours).state, RV_RUN_RUNNING);
    cr_assert_eq(rv_run_state_wait_stop(ours, 0, 0), -EAGAIN);
    cr_assert_eq(rv_run_state_wait_stop(ours, 0, 1000000), -ETIMEDOUT);
    pid_t pid = fork();
    if (pid == 0) {
        while (!rv_run_state_take_request(owners))
            rv_run_state_wait_request(owners, SECOND);
        rv_run_state_set(owners, RV_RUN_STOPPED);
        _exit(0);
    }
    rv_run_state_request(rv_map_control(&f.map, 0));
    cr_assert_eq(rv_run_state_wait_stop(ours, 0, DEADLINE_NS), 0);
    cr_assert_eq(reap(pid), 0);
    cr_assert_eq(rv_run_state_read(ours).n_stops, 1);
    cr_assert_eq(rv_run_state_wait_stop(ours, 1, 0), -EAGAIN, "that stop was seen");
    owners->run_state = UINT32_MAX;
    cr_assert_eq(rv_run_state_read(ours).state, RV_RUN_UNSTEERED, "a state that does not exist");
    close_fixture(&f);
}

Test(run_state, monitors_are_seen_until_they_die, .timeout = 60)
{
    struct fixture f;
    claim_one(&f);
    struct rv_map third;
    int ready[2], end[2];
    cr_assert_eq(rv_map_open(&third, f.path, RV_MAP_CONSUMER, false), 0);
    cr_assert_not(rv_run_state_has_monitor(&f.other));
    cr_assert_eq(rv_run_state_attach_monitor(&f.map), 0);
    cr_assert_eq(rv_run_state_attach_monitor(&third), 0, "there may be several");
    rv_run_state_detach_monitor(&f.map);
    cr_assert(rv_run_state_has_monitor(&f.other));
    rv_run_state_detach_monitor(&third);
    cr_assert_not(rv_run_state_has_monitor(&f.other));
    cr_assert(pipe(ready) == 0 && pipe(end) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct rv_map own;
        if (rv_map_open(&own, f.path, RV_MAP_CONSUMER, false) != 0 || rv_run_state_attach_monitor(&own) != 0)
            _exit(1);
        say_ready(ready);
        wait_ready(end);
    }
    wait_ready(ready);
    cr_assert(rv_run_state_has_monitor(&f.other));
    kill(pid, SIGKILL);
    cr_assert_eq(reap(pid), -SIGKILL);
    cr_assert_not(rv_run_state_has_monitor(&f.other));
    rv_map_close(&third);
    close_fixture(&f);
}

Test(run_state, a_new_owner_does_not_get_its_predecessors_attention, .timeout = 60)
{
    struct fixture f;
    claim_one(&f);
    struct rv_wire_control *control = rv_map_control(&f.map, 0);
    rv_run_state_request(control);
    rv_run_state_set(control, RV_RUN_STOPPED);
    control->is_muted = 1;
    rv_ownership_release(&f.other, 0);
    rv_ownership_reclaim(&f.map, 0);
    cr_assert_eq(rv_ownership_claim(&f.other, 0), 0);
    cr_assert_not(rv_run_state_take_request(control));
    cr_assert_eq(rv_run_state_read(control).state, RV_RUN_UNSTEERED);
    cr_assert_eq(control->is_muted, 0);
    close_fixture(&f);
}

Test(run_state, a_muted_thread_writes_and_loses_nothing, .timeout = 60)
{
    struct fixture f;
    claim_one(&f);
    struct rv_wire_control *control = rv_map_control(&f.map, 0);
    struct rv_pusher_state *state = calloc(1, sizeof *state);
    struct rv_pusher pusher = {0};
    struct rv_ring ring;
    rv_ring_view(&ring, &f.other, 0);
    rv_pusher_attach(&pusher, state, &ring, 0);
    for (uint32_t i = 0; i < 30; i++) {
        control->is_muted = i >= 10 && i < 20;
        rv_push(&pusher, RV_EVENT_MARK, rv_event_word(i, 0, 0), (uint64_t)(uintptr_t)&f & ~15ull, rv_push_slow);
        if (i == 9)
            pusher.limit = pusher.slow_limit = 0; /* where it next looks at the word */
    }
    cr_assert_eq(control->head, 20);
    cr_assert_eq(control->n_refused, 0);
    for (uint32_t i = 0; i < 20; i++)
        cr_assert_eq(ring.events[i].id, i < 10 ? i : i + 10);
    free(state);
    close_fixture(&f);
}

Test(run_state, one_monitor_asks_a_ring_at_a_time, .timeout = 60)
{
    struct fixture f;
    claim_one(&f);
    struct rv_map third;
    cr_assert_eq(rv_map_open(&third, f.path, RV_MAP_CONSUMER, false), 0);
    cr_assert_eq(rv_run_state_begin_asking(&f.map, 0), 0);
    cr_assert_eq(rv_run_state_begin_asking(&third, 0), -EBUSY);
    cr_assert_eq(rv_run_state_begin_asking(&third, 1), 0, "another ring");
    rv_run_state_end_asking(&f.map, 0);
    cr_assert_eq(rv_run_state_begin_asking(&third, 0), 0);
    rv_map_close(&third);
    cr_assert_eq(rv_run_state_begin_asking(&f.map, 0), 0, "it is gone");
    close_fixture(&f);
}
