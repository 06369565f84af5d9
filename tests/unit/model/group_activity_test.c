#include "model/group_activity.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "base/vec.h"

#define FROM 1000u
#define TO 3000u
#define COLUMN 64u
#define N_LANES 9u
#define N_BOXES 40u
#define N_IDS 5u

static struct rv_group_activity activity;

static void finish(void)
{
    rv_group_activity_fini(&activity);
}

TestSuite(group_activity, .fini = finish, .timeout = 60);

static struct rv_box call(uint64_t start_ns, uint64_t duration_ns, uint32_t depth, uint32_t id)
{
    return (struct rv_box){.start_ns = start_ns,
                           .duration_ns = duration_ns,
                           .id = id,
                           .count = 1,
                           .depth = depth,
                           .coverage = RV_BOX_EXACT};
}

static uint64_t random_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Calls one after the other, each with one callee at most. */
static size_t make_lane(struct rv_box *out, uint64_t *random)
{
    size_t n = 0;
    uint64_t now_ns = 500 + random_number(random) % 600;
    while (n + 2 <= N_BOXES) {
        uint64_t duration_ns = random_number(random) % 200;
        out[n++] = call(now_ns, duration_ns, 0, (uint32_t)(random_number(random) % N_IDS));
        if (duration_ns > 2)
            out[n++] = call(now_ns + 1, duration_ns / 2, 1, (uint32_t)(random_number(random) % N_IDS));
        now_ns += duration_ns + random_number(random) % 100;
    }
    return n;
}

/* Nanosecond by nanosecond. */
struct oracle {
    double busy_ns[TO], self_ns[N_IDS], inclusive_ns[N_IDS];
};

static void add_to_oracle(struct oracle *oracle, const struct rv_box *boxes, size_t n)
{
    for (uint64_t ns = FROM / COLUMN * COLUMN; ns < TO; ns++) {
        const struct rv_box *innermost = NULL;
        for (size_t i = 0; i < n; i++) {
            if (boxes[i].start_ns > ns || rv_box_end_ns(&boxes[i]) <= ns)
                continue;
            innermost = &boxes[i];
            oracle->inclusive_ns[boxes[i].id] += ns >= FROM;
        }
        if (innermost) {
            oracle->busy_ns[ns / COLUMN] += 1;
            oracle->self_ns[innermost->id] += ns >= FROM;
        }
    }
}

Test(group_activity, columns_and_times_are_those_of_a_slow_oracle)
{
    struct rv_box boxes[N_BOXES], cells[TO / COLUMN + 1];
    struct oracle oracle = {0};
    uint64_t random = 11;
    double busiest, most_ns = 0;
    rv_group_activity_begin(&activity, FROM, TO, COLUMN);
    for (unsigned i = 0; i < N_LANES; i++) {
        size_t n = make_lane(boxes, &random);
        rv_group_activity_add(&activity, boxes, n);
        add_to_oracle(&oracle, boxes, n);
    }
    size_t n = rv_group_activity_cells(&activity, cells, &busiest);
    for (size_t i = 0; i < TO / COLUMN; i++)
        most_ns = fmax(most_ns, oracle.busy_ns[i]);
    cr_assert_float_eq(busiest, most_ns / COLUMN, 1e-2 + 2.0 / COLUMN);
    for (size_t i = 0; i + 1 < n; i++) { /* the last column ends after the window */
        cr_assert_eq(cells[i].duration_ns, COLUMN);
        double busy_ns = cells[i].coverage / 65534.0 * busiest * COLUMN;
        cr_assert_float_eq(busy_ns, oracle.busy_ns[cells[i].start_ns / COLUMN], 4.0, "column %zu", i);
    }
    for (size_t i = 0; i < activity.n_times; i++) {
        const struct rv_group_activity_time *time = &activity.times[i];
        cr_assert_float_eq(time->self_ns, oracle.self_ns[time->id], 1e-6);
        cr_assert_float_eq(time->inclusive_ns, oracle.inclusive_ns[time->id], 1e-6);
    }
    rv_group_activity_forget(&activity);
    cr_assert_eq(activity.n_times, 0);
}

Test(group_activity, a_cell_has_the_majority_its_calls_and_its_hits)
{
    struct rv_box cells[4];
    double busiest;
    rv_group_activity_begin(&activity, 0, 200, 64);
    for (unsigned i = 0; i < 3; i++) {
        struct rv_box one = call(70, 40, 0, i == 0 ? 1 : 2);
        one.flags = i == 0 ? RV_BOX_HIT : RV_BOX_DIMMED;
        rv_group_activity_add(&activity, &one, 1);
    }
    struct rv_box dimmed = call(130, 0, 0, 3);
    dimmed.flags = RV_BOX_DIMMED;
    rv_group_activity_add(&activity, &dimmed, 1);
    cr_assert_eq(rv_group_activity_cells(&activity, cells, &busiest), 2);
    cr_assert_float_eq(busiest, 3 * 40 / 64.0, 1e-9);
    cr_assert(cells[0].start_ns == 64 && cells[0].count == 3 && cells[0].id == 2 && cells[0].coverage == 65534);
    cr_assert(cells[0].flags & RV_BOX_HIT && !(cells[0].flags & RV_BOX_DIMMED));
    cr_assert(cells[1].start_ns == 128 && cells[1].id == 3 && cells[1].flags & RV_BOX_DIMMED,
              "a call without duration is seen");
}
