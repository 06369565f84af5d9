/* The syntax of conditions, the calls that they hit, and the events that a hit keeps. */
#include <criterion/criterion.h>

#include <string.h>

#include "sink/trigger.h"

enum { MS = 1000000, SLOW_ID = 3, OTHER_ID = 4, MARK_ID = 5 };

TestSuite(trigger, .timeout = 60);

static struct rv_trigger *create(const char *condition)
{
    char why[128];
    struct rv_trigger *trigger = rv_trigger_create();
    cr_assert_eq(rv_trigger_add(trigger, condition, why, sizeof why), 0, "%s: %s", condition, why);
    rv_trigger_set_keep(trigger, (struct rv_trigger_keep){10 * MS, 20 * MS});
    struct rv_sink sink = rv_trigger_sink(trigger);
    sink.begin(sink.context, 0);
    return trigger;
}

static void define_all(struct rv_trigger *trigger)
{
    struct rv_sink sink = rv_trigger_sink(trigger);
    const struct rv_definition names[] = {
        {SLOW_ID, "app", "slow_one", "", 1}, {OTHER_ID, "app", "Other", "", 2}, {MARK_ID, "", "frame late", "", 0}};
    sink.define(sink.context, names, 3);
}

/* A call from 100 ms on. */
static void call(struct rv_trigger *trigger, uint32_t id, uint64_t duration_ns, uint32_t depth)
{
    struct rv_sink sink = rv_trigger_sink(trigger);
    struct rv_span span = {.start = 100 * MS, .end = 100 * MS + duration_ns, .id = id, .depth = depth};
    if (sink.spans)
        sink.spans(sink.context, NULL, &span, 1);
}

static void tell(struct rv_trigger *trigger, uint32_t stream, enum rv_event_kind kind, uint64_t ns, uint32_t id)
{
    struct rv_sink sink = rv_trigger_sink(trigger);
    struct rv_event event = {.when = (uint64_t)kind << RV_EVENT_KIND_SHIFT | ns, .id = id};
    if (sink.events)
        sink.events(sink.context, stream, &event, 1);
}

/* All sorts of things happen: how many of them are hits? */
static uint64_t count_hits(const char *condition, bool is_named_late)
{
    struct rv_trigger *trigger = create(condition);
    if (!is_named_late)
        define_all(trigger);
    call(trigger, SLOW_ID, 20 * MS, 2);
    call(trigger, SLOW_ID, 20 * MS + 1, 2);
    call(trigger, OTHER_ID, 30 * MS, 7);
    call(trigger, 0, 30 * MS, 8);
    tell(trigger, 0, RV_EVENT_CALL, 100 * MS, SLOW_ID);
    tell(trigger, 1, RV_EVENT_GC_START, 100 * MS, 0);
    tell(trigger, 0, RV_EVENT_GC_END, 200 * MS, 0);
    tell(trigger, 1, RV_EVENT_GC_END, 105 * MS, 0);
    tell(trigger, 1, RV_EVENT_GC_START, 110 * MS, 0);
    tell(trigger, 1, RV_EVENT_GC_END, 117 * MS, 0);
    tell(trigger, 0, RV_EVENT_LOST, 100 * MS, 9);
    tell(trigger, 0, RV_EVENT_MARK, 100 * MS, MARK_ID);
    tell(trigger, 0, RV_EVENT_MARK, 100 * MS, OTHER_ID);
    if (is_named_late)
        define_all(trigger);
    uint64_t n_hits = rv_trigger_n_hits(trigger);
    rv_trigger_destroy(trigger);
    return n_hits;
}

Test(trigger, a_trigger_hits_calls_that_meet_its_condition)
{
    static const struct {
        const char *condition;
        uint64_t n_hits;
    } cases[] = {{"slow slow_one > 20ms", 1},
                 {"slow SLOW > 20ms", 0},
                 {"slow . > 20ms", 2},
                 {"slow ^app::(slow|other) > 19ms", 3},
                 {"slow a>b|other > 1ms", 1},
                 {"  slow\tother>20ms ", 1},
                 {"call app::", 3},
                 {"call Other", 1},
                 {"call a > b", 0},
                 {"depth > 7", 1},
                 {"depth>1", 4},
                 {"depth > 8", 0},
                 {"gc > 5ms", 1},
                 {"gc > 4ms", 2},
                 {"gc > 7ms", 0},
                 {"lost", 1},
                 {"mark late$", 1},
                 {"mark .", 2},
                 {"mark never", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_eq(count_hits(cases[i].condition, false), cases[i].n_hits, "%s", cases[i].condition);
        cr_expect_eq(count_hits(cases[i].condition, true), cases[i].n_hits, "%s, named late", cases[i].condition);
    }
}

Test(trigger, hits_are_where_the_events_are)
{
    struct rv_trigger *trigger = create("depth > 1");
    struct rv_sink sink = rv_trigger_sink(trigger);
    sink.begin(sink.context, 60 * MS);
    call(trigger, SLOW_ID, 1 * MS, 2); /* its end, by events' times: at 41 ms */
    cr_expect(rv_trigger_wants(trigger, 32 * MS, 33 * MS));
    cr_expect_not(rv_trigger_wants(trigger, 62 * MS, 200 * MS));
    rv_trigger_destroy(trigger);
}

Test(trigger, an_invalid_condition_is_refused)
{
    static const char *const cases[] = {"",
                                        " ",
                                        "slow",
                                        "slow f",
                                        "slow f > ",
                                        "slow > 5ms",
                                        "slow f > -1s",
                                        "slow ( > 5ms",
                                        "call",
                                        "call (",
                                        "depth",
                                        "depth > x",
                                        "depth < 5",
                                        "depth 5 > 6",
                                        "gc",
                                        "gc > 5bytes",
                                        "gc a > 5ms",
                                        "lost 5",
                                        "losts",
                                        "mark",
                                        "mark [",
                                        "often f > 3",
                                        "Slow f > 5ms",
                                        "depth > 1.5",
                                        "slower f > 5ms"};
    struct rv_trigger *trigger = rv_trigger_create();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char why[128] = "";
        cr_expect_neq(rv_trigger_add(trigger, cases[i], why, sizeof why), 0, "\"%s\"", cases[i]);
        cr_expect(why[0] && !strchr(why, '\n'), "\"%s\": %s", cases[i], why);
    }
    rv_trigger_destroy(trigger);
}

Test(trigger, a_condition_may_have_alternatives)
{
    char why[128];
    struct rv_trigger *trigger = create("lost");
    cr_assert_eq(rv_trigger_add(trigger, "depth > 5", why, sizeof why), 0);
    cr_assert_eq(rv_trigger_add(trigger, "call other", why, sizeof why), 0);
    define_all(trigger);
    call(trigger, OTHER_ID, 1, 6);
    call(trigger, SLOW_ID, 1, 1);
    tell(trigger, 0, RV_EVENT_LOST, 100 * MS, 9);
    cr_assert_eq(rv_trigger_n_hits(trigger), 3);
    rv_trigger_destroy(trigger);
}

static bool wants(struct rv_trigger *trigger, uint64_t first_ms, uint64_t last_ms)
{
    return rv_trigger_wants(trigger, first_ms * MS, last_ms * MS);
}

Test(trigger, events_around_a_hit_are_kept)
{
    struct rv_trigger *trigger = create("lost");
    cr_assert(!wants(trigger, 0, 1000));
    tell(trigger, 0, RV_EVENT_LOST, 100 * MS, 1);
    cr_assert(wants(trigger, 0, 90) && !wants(trigger, 0, 89));
    cr_assert(wants(trigger, 120, 500) && !wants(trigger, 121, 500));
    cr_assert(wants(trigger, 99, 101) && wants(trigger, 0, 1000));
    tell(trigger, 0, RV_EVENT_LOST, 125 * MS, 1); /* one range with the first */
    tell(trigger, 0, RV_EVENT_LOST, 300 * MS, 1);
    tell(trigger, 1, RV_EVENT_LOST, 3 * MS, 1); /* a worker is behind */
    cr_assert(wants(trigger, 121, 122) && wants(trigger, 145, 146) && !wants(trigger, 146, 289));
    cr_assert(wants(trigger, 290, 290) && wants(trigger, 0, 0) && !wants(trigger, 24, 89));
    cr_assert_eq(rv_trigger_horizon_ns(trigger), 10 * MS + RV_TRIGGER_SLACK_NS);
    rv_trigger_destroy(trigger);
}

/* A name may be defined after its first calls. When it makes them hits, events are kept from the first such call to the
 * last. */
Test(trigger, events_around_a_late_hit_are_kept)
{
    struct rv_trigger *trigger = create("call slow_one");
    call(trigger, SLOW_ID, 100 * MS, 0);
    call(trigger, SLOW_ID, 500 * MS, 0);
    cr_assert(!wants(trigger, 0, 1000));
    define_all(trigger);
    cr_assert(wants(trigger, 190, 190) && wants(trigger, 400, 400) && wants(trigger, 620, 620));
    cr_assert(!wants(trigger, 0, 189) && !wants(trigger, 621, 1000));
    rv_trigger_destroy(trigger);
}
