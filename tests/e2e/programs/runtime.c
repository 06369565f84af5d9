/*
 * runtime: a language runtime that keeps its own frames and calls the depth-tagged interface: deeper than tags reach,
 * several frames left at once, on threads, and in a forked child that goes on in its parent's frames.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "count.h"
#include "ringviz/producer.h"

#define DEEP 70000u
#define N_LOOPS 1000u

struct frame {
    uint32_t id;
    uint64_t called;
};

static _Thread_local struct frame frames[DEEP];
static _Thread_local uint32_t n_frames;
static uint32_t descend_id, leaf_id, work_id;

DEFINE_COUNT(descend)
DEFINE_COUNT(leaf)
DEFINE_COUNT(work)

static void replay(void)
{
    for (uint32_t i = 0; i < n_frames; i++)
        ringviz_replay(frames[i].id, i, frames[i].called);
}

static void push(uint32_t id, uint64_t *count)
{
    __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
    uint64_t called = ringviz_call(id, n_frames, n_frames % 1000);
    frames[n_frames++] = (struct frame){id, called};
}

static void pop_to(uint32_t depth)
{
    while (n_frames > depth) {
        ringviz_return(frames[n_frames - 1].id, n_frames - 1);
        n_frames--;
    }
}

static void loop(void)
{
    for (uint32_t i = 0; i < N_LOOPS; i++) {
        uint32_t depth = n_frames;
        push(work_id, n_work);
        ringviz_line(i);
        push(leaf_id, n_leaf);
        if (i % 2) {
            n_frames--;
            ringviz_return_at_once(leaf_id, n_frames, frames[n_frames].called);
        }
        pop_to(depth);
    }
}

static void *run_thread(void *context)
{
    loop();
    while (n_frames < DEEP)
        push(descend_id, n_descend);
    pop_to(0);
    loop();
    return context;
}

int main(void)
{
    pthread_t thread;
    descend_id = ringviz_intern("Runtime", "descend", "runtime.x", 1);
    leaf_id = ringviz_intern("Runtime", "leaf", "runtime.x", 2);
    work_id = ringviz_intern("Runtime", "work", "runtime.x", 3);
    ringviz_on_ring(replay);
    pthread_create(&thread, NULL, run_thread, NULL);
    run_thread(NULL);
    pthread_join(thread, NULL);

    push(descend_id, n_descend);
    push(work_id, n_work);
    pid_t pid = fork();
    if (pid == 0) {
        loop();
        pop_to(0);
        loop();
        exit(0);
    }
    waitpid(pid, NULL, 0);
    pop_to(0);
    __atomic_fetch_add(n_descend, 1, __ATOMIC_RELAXED); /* the child goes on in these two */
    __atomic_fetch_add(n_work, 1, __ATOMIC_RELAXED);
    REPORT_COUNT(descend);
    REPORT_COUNT(leaf);
    REPORT_COUNT(work);
    return 0;
}
