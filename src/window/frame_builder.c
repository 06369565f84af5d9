/*
 * Two pictures in turn: one is read by the main thread, the other is made. A wish goes from its owner to the worker and
 * back with `stage`, under the lock; everything else belongs to whoever's turn it is.
 */
#include "window/frame_builder.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/vec.h"

enum stage { IDLE, ASKED, READY, STOPPED }; /* IDLE, READY, STOPPED: the main thread's; ASKED: the worker's */

struct frame {
    struct rv_view view;
    struct rv_picture picture;
};

struct rv_maker {
    struct rv_maker_params params;
    pthread_mutex_t lock;
    pthread_cond_t has_changed;
    enum stage stage;
    pthread_t worker;
    bool is_running; /* the worker is to be joined */

    /* Of whose turn it is. */
    struct rv_maker_wish wish;
    struct rv_arrangement arrangement;
    struct rv_lens lens;
    struct rv_matches hits;
    struct frame frames[2];
    unsigned shown; /* the one that was taken last; read by both */
    uint64_t cost_ns;

    uint64_t took_ns; /* the main thread's */
};

static void make(struct rv_maker *maker)
{
    const struct frame *before = &maker->frames[maker->shown];
    struct frame *next = &maker->frames[!maker->shown];
    uint64_t start_ns = rv_clock_thread_cpu_ns();
    next->view.level = before->view.level;
    next->view.is_made = before->view.is_made;
    rv_view_update(&next->view, maker->params.lanes, &maker->wish.view);
    rv_picture_compose(&next->picture, &(struct rv_picture_params){.view = &next->view,
                                                                   .subroutines = maker->params.subroutines,
                                                                   .before = &before->picture,
                                                                   .has_leaves = maker->wish.has_leaves,
                                                                   .width_px = (int)maker->wish.view.width_px,
                                                                   .scheme = maker->wish.scheme,
                                                                   .compare = maker->wish.compare});
    maker->cost_ns = rv_clock_thread_cpu_ns() - start_ns;
}

/* Returns false when the maker stops. */
static bool wait_for_wish(struct rv_maker *maker)
{
    pthread_mutex_lock(&maker->lock);
    while (maker->stage != ASKED && maker->stage != STOPPED)
        pthread_cond_wait(&maker->has_changed, &maker->lock);
    bool is_asked = maker->stage == ASKED;
    pthread_mutex_unlock(&maker->lock);
    return is_asked;
}

static enum stage stage_of(struct rv_maker *maker)
{
    pthread_mutex_lock(&maker->lock);
    enum stage stage = maker->stage;
    pthread_mutex_unlock(&maker->lock);
    return stage;
}

static void go_to(struct rv_maker *maker, enum stage stage)
{
    pthread_mutex_lock(&maker->lock);
    maker->stage = stage;
    pthread_cond_broadcast(&maker->has_changed);
    pthread_mutex_unlock(&maker->lock);
}

static void *work(void *context)
{
    struct rv_maker *maker = context;
    while (wait_for_wish(maker)) {
        make(maker);
        go_to(maker, READY);
        if (maker->params.tell)
            maker->params.tell();
    }
    return NULL;
}

struct rv_maker *rv_maker_start(const struct rv_maker_params *params)
{
    struct rv_maker *maker = rv_alloc(1, sizeof *maker);
    maker->params = *params;
    pthread_mutex_init(&maker->lock, NULL);
    pthread_cond_init(&maker->has_changed, NULL);
    maker->is_running = pthread_create(&maker->worker, NULL, work, maker) == 0;
    return maker;
}

static void wait_until_made(struct rv_maker *maker)
{
    pthread_mutex_lock(&maker->lock);
    while (maker->stage == ASKED)
        pthread_cond_wait(&maker->has_changed, &maker->lock);
    pthread_mutex_unlock(&maker->lock);
}

void rv_maker_stop(struct rv_maker *maker)
{
    if (!maker)
        return;
    wait_until_made(maker);
    go_to(maker, STOPPED);
    if (maker->is_running)
        (void)pthread_join(maker->worker, NULL);
    for (int i = 0; i < 2; i++) {
        rv_picture_fini(&maker->frames[i].picture);
        rv_view_fini(&maker->frames[i].view);
    }
    rv_arrangement_fini(&maker->arrangement);
    rv_lens_fini(&maker->lens);
    rv_matches_fini(&maker->hits);
    pthread_cond_destroy(&maker->has_changed);
    pthread_mutex_destroy(&maker->lock);
    free(maker);
}

/* What the wish borrows is the maker's own from here on. */
static void keep(struct rv_maker *maker, const struct rv_maker_wish *wish)
{
    struct rv_view_params *view = &maker->wish.view;
    maker->wish = *wish;
    if (view->arrangement) {
        rv_arrangement_copy(&maker->arrangement, view->arrangement);
        view->arrangement = &maker->arrangement;
    }
    if (view->lens) {
        rv_lens_follow(&maker->lens, view->lens);
        view->lens = &maker->lens;
    }
    if (view->hits) {
        rv_matches_follow(&maker->hits, view->hits);
        view->hits = &maker->hits;
    }
}

void rv_maker_ask(struct rv_maker *maker, const struct rv_maker_wish *wish)
{
    rv_assert(stage_of(maker) == IDLE);
    keep(maker, wish);
    if (maker->is_running) {
        go_to(maker, ASKED);
        return;
    }
    make(maker);
    go_to(maker, READY);
}

bool rv_maker_is_asked(struct rv_maker *maker)
{
    return stage_of(maker) != IDLE;
}

bool rv_maker_is_ready(struct rv_maker *maker)
{
    return stage_of(maker) == READY;
}

const struct rv_picture *rv_maker_take(struct rv_maker *maker)
{
    wait_until_made(maker);
    rv_assert(stage_of(maker) == READY);
    maker->shown = !maker->shown;
    maker->took_ns = maker->cost_ns;
    go_to(maker, IDLE);
    return &maker->frames[maker->shown].picture;
}

uint64_t rv_maker_took_ns(const struct rv_maker *maker)
{
    return maker->took_ns;
}
