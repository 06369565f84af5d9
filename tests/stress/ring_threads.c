/*
 * Producer and consumer as threads on one mapping, so that ThreadSanitizer sees both sides: the real push, the real
 * pop, every policy. It must find a publish that is relaxed; by itself the program checks order, content and accounts.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../full_ring_wait.h"
#include "base/os.h"
#include "ring/ownership.h"
#include "ring/push.h"
#include "ring/ring.h"

enum { RING_EVENTS = 256, POP_EVENTS = 100 };
#ifdef __SANITIZE_THREAD__
enum { N_EVENTS = 300000 };
#else
enum { N_EVENTS = 5000000 };
#endif

struct side {
    struct rv_ring written, read; /* each thread has a view of its own, as processes have */
    bool is_done;                 /* [atomic] */
};

static void *produce(void *argument)
{
    struct side *side = argument;
    struct rv_pusher pusher = {0};
    struct rv_pusher_state *state = calloc(1, sizeof *state);
    rv_pusher_attach(&pusher, state, &side->written, 0);
    for (uint64_t i = 0; i < N_EVENTS; i++)
        rv_push(&pusher, RV_EVENT_CALL_AT, rv_event_word_at(i, 0), 0x7000, rv_push_slow);
    rv_pusher_flush(&pusher);
    rv_pusher_detach(&pusher);
    free(state);
    __atomic_store_n(&side->is_done, true, __ATOMIC_RELEASE);
    return NULL;
}

struct reading {
    uint64_t n_events, n_of_waits, next, n_lost; /* of waits: among the events */
    unsigned n_wait_left;
    bool is_wrong;
};

static void take(struct reading *reading, const struct rv_event *event)
{
    if (rv_event_kind(event) == RV_EVENT_LOST) {
        reading->n_lost += event->id;
        return;
    }
    reading->n_events++;
    if (full_ring_wait_has(&reading->n_wait_left, event)) {
        reading->n_of_waits++;
        return;
    }
    uint64_t number = rv_event_address(event);
    reading->is_wrong |= rv_event_kind(event) != RV_EVENT_CALL_AT || number < reading->next || number >= N_EVENTS;
    reading->next = number + 1;
}

static void consume(struct side *side, struct reading *reading)
{
    bool was_done;
    do {
        was_done = __atomic_load_n(&side->is_done, __ATOMIC_ACQUIRE);
        struct rv_event events[POP_EVENTS];
        struct rv_ring_read read;
        do {
            read = rv_ring_pop(&side->read, events, POP_EVENTS);
            for (size_t i = 0; i < read.n; i++)
                take(reading, &events[i]);
        } while (read.n);
        rv_ring_turn_done(side->read.header);
        sched_yield();
    } while (!was_done);
}

static bool run(enum rv_policy policy)
{
    char path[] = "/tmp/ringviz-stress-ring-XXXXXX";
    close(mkstemp(path));
    unlink(path);
    struct rv_map map;
    struct rv_map_params params = {.n_rings = 1, .ring_events = RING_EVENTS, .n_names = 100, .policy = policy};
    if (rv_map_create(&map, path, &params))
        return false;
    unlink(path);
    rv_ownership_attach_consumer(&map);
    if (rv_ownership_claim(&map, 0) != 0)
        return false;
    struct side side = {0};
    rv_ring_view(&side.written, &map, 0);
    rv_ring_view(&side.read, &map, 0);
    pthread_t producer;
    if (pthread_create(&producer, NULL, produce, &side))
        return false;
    struct reading reading = {0};
    consume(&side, &reading);
    pthread_join(producer, NULL);
    struct rv_ring_account account = rv_ring_account(&side.read);
    printf("policy %d: produced %lu consumed %lu dropped %lu\n", policy, (unsigned long)account.n_produced,
           (unsigned long)account.n_consumed, (unsigned long)account.n_dropped);
    bool is_complete = policy == RV_POLICY_FILL || account.n_produced - reading.n_of_waits == N_EVENTS;
    bool is_lossless = policy != RV_POLICY_BLOCK || account.n_dropped == 0;
    bool adds_up =
        account.n_produced == account.n_consumed + account.n_dropped && account.n_consumed == reading.n_events;
    rv_map_close(&map);
    return is_complete && is_lossless && adds_up && !reading.is_wrong;
}

int main(void)
{
    for (enum rv_policy policy = 0; policy < RV_POLICY_COUNT; policy++)
        if (!run(policy)) {
            fprintf(stderr, "policy %d failed\n", policy);
            return 1;
        }
    return 0;
}
