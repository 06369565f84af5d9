#include "model/range_memory.h"

#include <criterion/criterion.h>

static struct rv_range_part part_of(const struct rv_range_piece *piece, uint64_t self_ns)
{
    struct rv_range_part part = {
        .pieces = piece, .n_pieces = 1, .rows = {.stats = rv_stats_create(), .self_ns = self_ns}};
    rv_stats_add_call(part.rows.stats, 0, &(struct rv_stats_call){.self_ns = self_ns, .duration_ns = self_ns});
    return part;
}

/* From FEW to MORE, ids 3 and 4 become others in results; those below stay what they were. */
static const uint64_t HASHES[] = {0, 0, 0, 0, 41, 42};
static const struct rv_range_namesakes FEW = {HASHES, 3}, MORE = {HASHES, 5};

Test(range_memory, a_part_is_found_by_its_piece, .timeout = 60)
{
    const struct rv_range_piece piece = {.from_ns = 5, .to_ns = 9, .lane_idx = 2},
                                later = {.from_ns = 9, .to_ns = 12, .lane_idx = 2},
                                beside = {.from_ns = 5, .to_ns = 9, .lane_idx = 3};
    struct rv_range_memory *memory = rv_range_memory_create(1 << 20);
    struct rv_range_part part = part_of(&piece, 77);
    rv_range_memory_take(memory, &part, &FEW);
    cr_assert_null(rv_range_memory_borrow(memory, &later, &FEW));
    cr_assert_null(rv_range_memory_borrow(memory, &beside, &FEW));
    const struct rv_range_part *found = rv_range_memory_borrow(memory, &piece, &FEW);
    cr_assert_not_null(found);
    cr_assert_eq(found->rows.self_ns, 77);
    rv_range_memory_release(memory, found);
    rv_range_memory_destroy(memory);
}

Test(range_memory, a_part_whose_states_are_others_by_now_gives_way_to_a_new_one, .timeout = 60)
{
    const struct rv_range_piece before = {.from_ns = 5, .to_ns = 9, .states = 1},
                                after = {.from_ns = 5, .to_ns = 9, .states = 2};
    struct rv_range_memory *memory = rv_range_memory_create(1 << 11);
    struct rv_range_part part = part_of(&before, 77), anew = part_of(&after, 78);
    rv_range_memory_take(memory, &part, &FEW);
    const size_t room = rv_range_memory_room(memory, &FEW);
    cr_assert_null(rv_range_memory_borrow(memory, &after, &FEW));
    cr_assert_gt(rv_range_memory_room(memory, &FEW), room);
    rv_range_memory_take(memory, &anew, &FEW);
    const struct rv_range_part *found = rv_range_memory_borrow(memory, &after, &FEW);
    cr_assert_eq(found->rows.self_ns, 78);
    rv_range_memory_release(memory, found);
    rv_range_memory_destroy(memory);
}

Test(range_memory, a_part_stays_until_one_of_its_own_ids_is_another_in_results, .timeout = 60)
{
    static const struct {
        uint32_t ids_end;
        bool stays;
    } cases[] = {{0, true}, {3, true}, {4, false}, {9, false}};
    const struct rv_range_piece piece = {.from_ns = 5, .to_ns = 9, .lane_idx = 2};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rv_range_memory *memory = rv_range_memory_create(1 << 20);
        struct rv_range_part part = part_of(&piece, 77);
        part.ids_end = cases[i].ids_end;
        rv_range_memory_take(memory, &part, &FEW);
        (void)rv_range_memory_room(memory, &MORE);
        const struct rv_range_part *found = rv_range_memory_borrow(memory, &piece, &MORE);
        cr_assert_eq(found != NULL, cases[i].stays, "ids up to %u", cases[i].ids_end);
        if (found)
            rv_range_memory_release(memory, found);
        rv_range_memory_destroy(memory);
    }
}

Test(range_memory, the_oldest_part_that_is_not_borrowed_makes_room, .timeout = 60)
{
    enum { N = 200 };
    struct rv_range_piece pieces[N];
    struct rv_range_memory *memory = rv_range_memory_create(1 << 11);
    const struct rv_range_part *first = NULL;
    for (uint32_t i = 0; i < N; i++) {
        pieces[i] = (struct rv_range_piece){.from_ns = i, .to_ns = i + 1};
        struct rv_range_part part = part_of(&pieces[i], i + 1);
        rv_range_memory_take(memory, &part, &FEW);
        first = i == 0 ? rv_range_memory_borrow(memory, &pieces[0], &FEW) : first;
    }
    cr_assert_eq(first->rows.self_ns, 1);
    cr_assert_null(rv_range_memory_borrow(memory, &pieces[1], &FEW));
    const struct rv_range_part *last = rv_range_memory_borrow(memory, &pieces[N - 1], &FEW);
    cr_assert_eq(last->rows.self_ns, N);
    rv_range_memory_release(memory, first);
    rv_range_memory_release(memory, last);
    rv_range_memory_destroy(memory);
}
