/* The index of a recording has every wait and release, with the innermost call, however its events are cut into blocks. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "recording/index_chunk.h"
#include "sink/index_builder.h"

enum { N_EVENTS = 20000, N_STACKS = 2, MOST_DEPTH = 12, N_IDS = 9, N_OBJECTS = 5 };

struct expected {
    uint32_t stack;
    struct rv_rec_index_wait wait;
    struct rv_rec_index_release release;
    bool is_wait;
};

static struct rv_event events[N_EVENTS];
static struct expected expected[N_EVENTS], found[N_EVENTS];
static size_t n_expected, n_found;
static uint64_t seed, end_ns;

static uint64_t draw(uint64_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % below;
}

static struct rv_event event_of(unsigned kind, uint64_t at_ns, uint32_t id, uint16_t frame)
{
    return (struct rv_event){.when = (uint64_t)kind << RV_EVENT_KIND_SHIFT | at_ns, .id = id, .frame = frame};
}

struct stack { /* the oracle's */
    uint32_t ids[MOST_DEPTH], n;
    bool is_waiting;
    uint64_t since_ns;
    uint32_t object;
};

static void expect_wait(uint32_t stack, const struct stack *of, uint64_t at_ns, uint64_t since_ns, uint32_t waker)
{
    expected[n_expected++] = (struct expected){.stack = stack,
                                               .is_wait = true,
                                               .wait = {.end_ns = at_ns,
                                                        .waited_ns = at_ns - of->since_ns,
                                                        .since_ns = since_ns,
                                                        .object = of->object,
                                                        .call = of->n ? of->ids[of->n - 1] : 0,
                                                        .waker = waker,
                                                        .kind = RV_WAIT_MUTEX,
                                                        .wake = waker ? RV_WAKE_EXACT : RV_WAKE_UNKNOWN}};
}

static void make_call_or_return(struct stack *stack, uint64_t at_ns, struct rv_event *event)
{
    const bool is_call = stack->n == 0 || (stack->n < MOST_DEPTH && draw(2));
    if (is_call) {
        stack->ids[stack->n] = 1 + (uint32_t)draw(N_IDS);
        *event = event_of(RV_EVENT_CALL, at_ns, stack->ids[stack->n], (uint16_t)stack->n);
        stack->n++;
    } else {
        stack->n--;
        *event = event_of(RV_EVENT_RETURN, at_ns, stack->ids[stack->n], (uint16_t)stack->n);
    }
}

static void make_wait(struct stack *stack, uint32_t number, uint64_t at_ns, struct rv_event *event)
{
    const uint32_t object = 100 + (uint32_t)draw(N_OBJECTS);
    if (!stack->is_waiting && draw(3) == 0) {
        *event = event_of(RV_EVENT_WAIT, at_ns, object, RV_WAIT_MUTEX | RV_WAIT_RELEASE);
        expected[n_expected++] = (struct expected){
            .stack = number,
            .release = {.at_ns = at_ns, .object = object, .call = stack->n ? stack->ids[stack->n - 1] : 0}};
    } else if (!stack->is_waiting) {
        *event = event_of(RV_EVENT_WAIT, at_ns, object, RV_WAIT_MUTEX);
        stack->is_waiting = true;
        stack->since_ns = at_ns;
        stack->object = object;
    } else {
        const uint32_t since = (uint32_t)draw(at_ns - stack->since_ns), waker = draw(2) ? 17 : 0;
        *event = event_of(RV_EVENT_WOKEN, at_ns,
                          waker | (waker ? RV_WAKE_EXACT : RV_WAKE_UNKNOWN) << RV_EVENT_WAKE_SHIFT, 0);
        event->frame = (uint16_t)(since >> 16);
        event->aux = (uint16_t)since;
        expect_wait(number, stack, at_ns, since, waker);
        stack->is_waiting = false;
    }
}

/* Every time is another one: of equal times a call and a wait's end would be in either order. */
static void make(uint64_t with)
{
    struct stack stacks[N_STACKS] = {{.n = 0}};
    uint32_t stack = 0;
    uint64_t now_ns = 1000;
    seed = with;
    n_expected = 0;
    for (size_t i = 0; i < N_EVENTS; i++) {
        now_ns += 1 + draw(100);
        if (!stacks[stack].is_waiting && draw(200) == 0) {
            stack = (uint32_t)draw(N_STACKS);
            events[i] = event_of(RV_EVENT_SWITCH, now_ns, stack, 0);
        } else if (stacks[stack].is_waiting || draw(6) == 0) {
            make_wait(&stacks[stack], stack, now_ns, &events[i]);
        } else {
            make_call_or_return(&stacks[stack], now_ns, &events[i]);
        }
    }
    end_ns = now_ns + 50;
    for (uint32_t i = 0; i < N_STACKS; i++)
        if (stacks[i].is_waiting)
            expect_wait(i, &stacks[i], end_ns, RV_REC_WAIT_SINCE_UNKNOWN, 0);
}

static void read_table(const struct rv_rec_index_table *table)
{
    size_t n, n_waits, n_releases;
    const struct rv_rec_index_waiter *waiters = rv_rec_index_rows(table, RV_REC_INDEX_WAITERS, &n);
    const struct rv_rec_index_wait *wait = rv_rec_index_rows(table, RV_REC_INDEX_WAITS, &n_waits);
    const struct rv_rec_index_release *release = rv_rec_index_rows(table, RV_REC_INDEX_RELEASES, &n_releases);
    for (size_t i = 0; i < n; i++) {
        uint64_t total_ns = 0;
        for (uint32_t k = 0; k < waiters[i].n_waits; k++, wait++) {
            found[n_found++] = (struct expected){.stack = waiters[i].stack, .is_wait = true, .wait = *wait};
            total_ns += wait->waited_ns;
            cr_assert_geq(wait->end_ns - wait->waited_ns, waiters[i].begin_ns);
            cr_assert_leq(wait->waited_ns, waiters[i].longest_ns);
        }
        cr_assert_eq(total_ns, waiters[i].total_ns);
        for (uint32_t k = 0; k < waiters[i].n_releases; k++, release++)
            found[n_found++] = (struct expected){.stack = waiters[i].stack, .release = *release};
    }
}

static void put(struct rv_index_builder *index_builder, struct rv_compressor *compressor, uint64_t offset)
{
    struct rv_rec_buffer payload = {0};
    struct rv_rec_index_table table = {0};
    if (rv_index_builder_put(index_builder, compressor, offset, false, &payload)) {
        const struct rv_rec_chunk chunk = {.payload_bytes = payload.n};
        cr_assert_eq(rv_rec_index_decode_waits(compressor, &chunk, payload.bytes, offset, &table), 0);
        read_table(&table);
        cr_assert_eq(rv_rec_index_decode_picture(compressor, &chunk, payload.bytes, offset, &table), 0);
        cr_assert_eq(table.columns[RV_REC_INDEX_WAITS].n, 0);
    }
    rv_rec_index_fini(&table);
    rv_rec_buffer_fini(&payload);
}

static int by_stack_kind_and_time(const void *a, const void *b)
{
    const struct expected *x = a, *y = b;
    const uint64_t of_x = x->is_wait ? x->wait.end_ns : x->release.at_ns,
                   of_y = y->is_wait ? y->wait.end_ns : y->release.at_ns;
    return of_x < of_y ? -1 : of_x > of_y ? 1 : x->stack < y->stack ? -1 : x->stack > y->stack;
}

static void build(size_t block_events, size_t blocks_an_index, void (*leave)(struct rv_index_builder *))
{
    static struct rv_event block[RV_REC_MAX_EVENTS + RV_BATCH_PADDING];
    struct rv_index_builder *index_builder = rv_index_builder_create();
    struct rv_compressor *compressor = rv_compressor_create();
    uint64_t offset = RV_REC_ALIGNMENT;
    n_found = 0;
    if (leave)
        leave(index_builder);
    for (size_t first = 0; first < N_EVENTS; first += block_events, offset += RV_REC_ALIGNMENT) {
        const size_t n = N_EVENTS - first < block_events ? N_EVENTS - first : block_events;
        memcpy(block, events + first, n * sizeof *block);
        const struct rv_rec_chunk chunk = {.type = RV_REC_EVENTS,
                                           .n_events = (uint32_t)n,
                                           .first_ns = rv_event_ticks(&events[first]),
                                           .last_ns = rv_event_ticks(&events[first + n - 1])};
        rv_index_builder_add(index_builder, &(struct rv_indexed_chunk){
                                                .chunk = &chunk, .offset = offset, .events = block, .ordinal = first});
        if (first / block_events % blocks_an_index == blocks_an_index - 1)
            put(index_builder, compressor, offset += RV_REC_ALIGNMENT);
    }
    const struct rv_rec_account account = {.end_ns = end_ns, .is_closed = true};
    rv_index_builder_add(index_builder,
                         &(struct rv_indexed_chunk){.chunk = &(struct rv_rec_chunk){.type = RV_REC_ACCOUNT},
                                                    .offset = offset,
                                                    .payload = (const uint8_t *)&account});
    put(index_builder, compressor, offset + RV_REC_ALIGNMENT);
    rv_index_builder_destroy(index_builder);
    rv_compressor_destroy(compressor);
}

static void compare(size_t block_events)
{
    cr_assert_eq(n_found, n_expected, "%zu of %zu, blocks of %zu", n_found, n_expected, block_events);
    qsort(found, n_found, sizeof *found, by_stack_kind_and_time);
    qsort(expected, n_expected, sizeof *expected, by_stack_kind_and_time);
    for (size_t i = 0; i < n_found; i++)
        cr_assert_arr_eq(&found[i], &expected[i], sizeof *found, "the %zu-th, blocks of %zu", i, block_events);
}

TestSuite(indexed_waits, .timeout = 60);

Test(indexed_waits, an_index_has_the_waits_however_the_events_are_cut)
{
    static const size_t BLOCKS[] = {1, 2, 97, 4096, 4097, N_EVENTS - 1, N_EVENTS};
    make(11);
    for (size_t i = 0; i < sizeof BLOCKS / sizeof *BLOCKS; i++) {
        build(BLOCKS[i], 3, NULL);
        compare(BLOCKS[i]);
    }
}

Test(indexed_waits, an_index_without_sums_or_totals_has_the_waits)
{
    make(12);
    build(997, 2, rv_index_builder_leave_sums);
    compare(997);
    build(997, 2, rv_index_builder_leave_totals);
    compare(997);
}
