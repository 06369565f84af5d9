#include "waits/critical_path_graph.h"

#include <criterion/criterion.h>

enum { CREATES_IN = 20, LONG_NS = 1000000 };

static struct rv_lanes *lanes;
static struct rv_waits *waits;
static struct rv_wait_reader *reader;
static struct rv_critical_path_graph graph;

/* Two threads of process 100, which forked process 200. */
static void setup(void)
{
    static const struct rv_lane_identity threads[] = {
        {.pid = 100, .tid = 100, .thread = 0, .process_key = 1, .name = "", .process_name = ""},
        {.pid = 100, .tid = 101, .thread = 1, .process_key = 1, .name = "", .process_name = ""},
        {.pid = 200, .tid = 200, .thread = 2, .process_key = 2, .parent_pid = 100, .name = "", .process_name = ""},
        {.pid = 200, .tid = 201, .thread = 3, .process_key = 2, .parent_pid = 100, .name = "", .process_name = ""}};
    lanes = rv_lanes_create();
    waits = rv_waits_create(lanes, 0);
    for (uint32_t i = 0; i < sizeof threads / sizeof *threads; i++)
        rv_lanes_add(lanes, &threads[i]);
}

static void teardown(void)
{
    rv_critical_path_graph_fini(&graph);
    rv_wait_reader_close(reader);
    rv_waits_destroy(waits);
    rv_lanes_destroy(lanes);
}

static void make(void)
{
    reader = rv_wait_reader_open(waits, NULL, NULL);
    rv_critical_path_graph_init(&graph, lanes, reader);
    cr_assert(rv_critical_path_graph_add_waits(&graph, 0, UINT64_MAX, SIZE_MAX));
}

TestSuite(waits_path_graph, .init = setup, .fini = teardown, .timeout = 60);

static void start(uint32_t lane, uint64_t created_ns, uint64_t began_ns, uint32_t creator)
{
    rv_waits_add(waits, &(struct rv_wait){.start_ns = created_ns,
                                          .end_ns = began_ns,
                                          .woke_ns = created_ns,
                                          .lane = lane,
                                          .waker = creator,
                                          .kind = RV_WAIT_START,
                                          .wake = RV_WAKE_EXACT});
}

Test(waits_path_graph, threads_of_unknown_creators_are_taken_for_those_of_the_first)
{
    make();
    cr_assert_eq(graph.n_threads, 4);
    cr_assert_eq(graph.threads[0].parent, RV_CRITICAL_PATH_NONE);
    cr_assert_eq(graph.threads[1].parent, 0);
    cr_assert_eq(graph.threads[2].parent, 0);
    cr_assert_eq(graph.threads[3].parent, 2);
}

Test(waits_path_graph, a_thread_and_a_process_begin_where_they_were_created)
{
    rv_waits_add_release(waits, &(struct rv_release){.at_ns = 500, .lane = 1, .call = CREATES_IN});
    start(2, 500, 800, 101);
    start(3, 900, 910, 200);
    make();
    cr_assert_eq(graph.threads[2].parent, 1, "in another process");
    cr_assert_eq(graph.threads[2].begin_ns, 500);
    cr_assert_eq(graph.edges[0].waker, rv_lanes_get(lanes, 1));
    cr_assert_eq(graph.edges[0].waker_call, CREATES_IN);
    cr_assert_eq(graph.waits[0].woke_ns, 500);
    cr_assert_eq(graph.threads[3].parent, 2);
}

Test(waits_path_graph, a_child_that_was_waited_for_is_in_a_process_of_its_own)
{
    rv_waits_add(
        waits,
        &(struct rv_wait){
            .start_ns = 500, .end_ns = 900, .lane = 1, .waker = 200, .kind = RV_WAIT_PROCESS, .wake = RV_WAKE_OWNER});
    make();
    cr_assert_eq(graph.waits[0].waker, 2);
}

Test(waits_path_graph, a_creator_in_the_parent_process_is_found_without_its_release)
{
    start(2, 500, 800, 101);
    make();
    cr_assert_eq(graph.edges[0].waker, rv_lanes_get(lanes, 1));
    cr_assert_eq(graph.threads[2].parent, 1);
}

static void end_at(uint32_t lane, uint64_t last_ns)
{
    rv_lanes_get(lanes, lane)->last_ns = last_ns;
    rv_lanes_get(lanes, lane)->n_events = 1;
}

static void wait_at_end(uint32_t lane, uint64_t start_ns, uint64_t end_ns)
{
    end_at(lane, end_ns);
    rv_waits_add(waits,
                 &(struct rv_wait){.start_ns = start_ns, .end_ns = end_ns, .lane = lane, .kind = RV_WAIT_CONDITION});
}

Test(waits_path_graph, a_worker_that_waits_at_its_end_is_not_what_lasts_longest)
{
    uint64_t to_ns = UINT64_MAX;
    end_at(0, 1000);
    wait_at_end(1, 50, 1010);
    make();
    cr_assert_eq(rv_critical_path_graph_last_thread(&graph, &to_ns), 0);
    cr_assert_eq(to_ns, 1000);
}

Test(waits_path_graph, a_thread_that_is_blocked_at_its_end_is_not_what_lasts_longest)
{
    uint64_t to_ns = UINT64_MAX;
    struct rv_lane *lane = rv_lanes_get(lanes, 1);
    end_at(0, 1000);
    end_at(1, 1010);
    rv_lane_add_note(lane, &(struct rv_lane_note){.start_ns = 50, .end_ns = 1010, .kind = RV_NOTE_BLOCKED});
    make();
    cr_assert_eq(rv_critical_path_graph_last_thread(&graph, &to_ns), 0);
    cr_assert_eq(to_ns, 1000);
    lane->notes[0].end_ns = 1005;
    end_at(1, 1000 + LONG_NS);
    cr_assert_eq(rv_critical_path_graph_last_thread(&graph, &(uint64_t){UINT64_MAX}), 1, "it has run since");
}

Test(waits_path_graph, a_thread_that_an_exit_has_ended_is_not_what_lasts_longest)
{
    uint64_t to_ns = UINT64_MAX;
    end_at(0, 1000);
    end_at(1, 2000);
    make();
    cr_expect_eq(rv_critical_path_graph_last_thread(&graph, &(uint64_t){UINT64_MAX}), 1, "they go on");
    rv_lane_end(rv_lanes_get(lanes, 0));
    cr_expect_eq(rv_critical_path_graph_last_thread(&graph, &to_ns), 0, "it ran on another CPU");
    cr_expect_eq(to_ns, 1000);
    end_at(1, 9 * LONG_NS);
    rv_lane_add_note(rv_lanes_get(lanes, 1),
                     &(struct rv_lane_note){.start_ns = 500, .end_ns = 9 * LONG_NS - 10, .kind = RV_NOTE_PREEMPTED});
    cr_expect_eq(rv_critical_path_graph_last_thread(&graph, &(uint64_t){UINT64_MAX}), 0, "it waited for a CPU");
    rv_lanes_get(lanes, 1)->notes[0].start_ns = 1000 + LONG_NS;
    cr_expect_eq(rv_critical_path_graph_last_thread(&graph, &(uint64_t){UINT64_MAX}), 1, "it has run since");
    rv_lanes_get(lanes, 1)->notes[0].start_ns = 500;
    rv_lane_add_note(rv_lanes_get(lanes, 0),
                     &(struct rv_lane_note){.start_ns = 900, .end_ns = 1000, .kind = RV_NOTE_BLOCKED});
    cr_expect_eq(rv_critical_path_graph_last_thread(&graph, &(uint64_t){UINT64_MAX}), 1, "the first was blocked");
}

Test(waits_path_graph, a_process_s_first_thread_that_waits_at_its_end_lasts_until_then)
{
    uint64_t to_ns = UINT64_MAX;
    wait_at_end(0, 50, 1010);
    end_at(1, 1000);
    make();
    cr_assert_eq(rv_critical_path_graph_last_thread(&graph, &to_ns), 0);
    cr_assert_eq(to_ns, 1010);
}

Test(waits_path_graph, a_thread_that_ends_as_time_begins_has_begun)
{
    uint64_t to_ns = UINT64_MAX;
    struct rv_lane_note mark = {.start_ns = 0};
    struct rv_lane *lane = rv_lanes_get(lanes, 1);
    lane->notes = &mark;
    lane->n_notes = 1;
    make();
    cr_expect_eq(rv_critical_path_graph_last_thread(&graph, &to_ns), 1);
    cr_expect_eq(to_ns, 0);
    lane->notes = NULL;
    lane->n_notes = 0;
}
