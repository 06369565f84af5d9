/*
 * Double buffering: the main thread reads one picture while the worker makes the other. `layout` says whose turn it is,
 * and changes under the lock; the other fields belong to the thread whose turn it is.
 */
#include "window/frame_builder.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/vec.h"
#include "model/name_set.h"
#include "model/waited_calls.h"

enum layout { IDLE, ASKED, READY, STOPPED }; /* IDLE, READY, STOPPED: the main thread's; ASKED: the worker's */

struct frame {
    struct rv_view view;
    struct rv_frame_data picture;
};

struct rv_frame_builder {
    struct rv_frame_builder_params params;
    pthread_mutex_t lock;
    pthread_cond_t has_changed;
    enum layout layout;
    pthread_t worker;
    bool is_running; /* the worker is to be joined */

    /* owned by the thread whose turn it is */
    struct rv_frame_request request;
    struct rv_lane_choices lane_order;
    const struct rv_filter *filter, *found;
    const struct rv_waited_calls *waited;
    const struct rv_lit_path *path;
    struct rv_call_rows *rows;
    const struct rv_flow_table *tasks;
    const struct rv_arc_levels *arcs;
    const struct rv_holders *holders;
    struct rv_name_set hits;
    struct frame frames[2];
    unsigned shown; /* index of the picture taken last; read by both */
    uint64_t cost_ns;

    uint64_t took_ns; /* main thread */
};

/* The frame's view is made after this. */
static void learn_colours(struct rv_frame_builder *frame_builder, struct frame *frame)
{
    const struct rv_frame_request *request = &frame_builder->request;
    rv_view_update(&frame->view, frame_builder->params.lanes,
                   &(struct rv_view_params){.from_ns = request->whole_ns[0],
                                            .to_ns = request->whole_ns[1],
                                            .width_px = request->view.width_px});
    rv_frame_data_learn_colours(&frame->picture, &frame->view, frame_builder->params.subroutines);
}

static void make_view_of_threads(struct rv_frame_builder *frame_builder, struct rv_view *view)
{
    const struct rv_lock_lanes_params locks = {.holders = frame_builder->holders,
                                               .lanes = frame_builder->params.lanes,
                                               .subroutines = frame_builder->params.subroutines};
    rv_view_update(view, frame_builder->params.lanes, &frame_builder->request.view);
    rv_lock_lanes_add(view, &locks, &frame_builder->request.view);
}

static void make(struct rv_frame_builder *frame_builder)
{
    const struct frame *before = &frame_builder->frames[frame_builder->shown];
    struct frame *next = &frame_builder->frames[!frame_builder->shown];
    uint64_t start_ns = rv_clock_thread_cpu_ns();
    if (frame_builder->request.learns_colours)
        learn_colours(frame_builder, next);
    rv_view_continue(&next->view, &before->view);
    if (frame_builder->request.has_calls)
        rv_calls_view_update(&next->view, frame_builder->rows, frame_builder->params.lanes,
                             &frame_builder->request.view);
    else if (frame_builder->request.has_tasks)
        rv_tasks_view_update(&next->view, &frame_builder->request.tasks, &frame_builder->request.view);
    else
        make_view_of_threads(frame_builder, &next->view);
    rv_frame_data_compose(&next->picture, &(struct rv_frame_data_params){
                                              .view = &next->view,
                                              .subroutines = frame_builder->params.subroutines,
                                              .before = frame_builder->request.learns_colours ? NULL : &before->picture,
                                              .has_leaves = frame_builder->request.has_leaves,
                                              .stage = frame_builder->request.stage,
                                              .width_px = (int)frame_builder->request.view.width_px,
                                              .scheme = frame_builder->request.scheme,
                                              .diff = frame_builder->request.diff,
                                              .arcs = frame_builder->request.arcs});
    frame_builder->cost_ns = rv_clock_thread_cpu_ns() - start_ns;
}

/* Wait for a request; false at the end. */
static bool wait_for_request(struct rv_frame_builder *frame_builder)
{
    pthread_mutex_lock(&frame_builder->lock);
    while (frame_builder->layout != ASKED && frame_builder->layout != STOPPED)
        pthread_cond_wait(&frame_builder->has_changed, &frame_builder->lock);
    bool is_asked = frame_builder->layout == ASKED;
    pthread_mutex_unlock(&frame_builder->lock);
    return is_asked;
}

static enum layout stage_of(struct rv_frame_builder *frame_builder)
{
    pthread_mutex_lock(&frame_builder->lock);
    enum layout layout = frame_builder->layout;
    pthread_mutex_unlock(&frame_builder->lock);
    return layout;
}

static void go_to(struct rv_frame_builder *frame_builder, enum layout layout)
{
    pthread_mutex_lock(&frame_builder->lock);
    frame_builder->layout = layout;
    pthread_cond_broadcast(&frame_builder->has_changed);
    pthread_mutex_unlock(&frame_builder->lock);
}

static void *work(void *context)
{
    struct rv_frame_builder *frame_builder = context;
    while (wait_for_request(frame_builder)) {
        make(frame_builder);
        go_to(frame_builder, READY);
        if (frame_builder->params.tell)
            frame_builder->params.tell();
    }
    return NULL;
}

struct rv_frame_builder *rv_frame_builder_start(const struct rv_frame_builder_params *params)
{
    struct rv_frame_builder *frame_builder = rv_alloc(1, sizeof *frame_builder);
    frame_builder->params = *params;
    pthread_mutex_init(&frame_builder->lock, NULL);
    pthread_cond_init(&frame_builder->has_changed, NULL);
    frame_builder->is_running = pthread_create(&frame_builder->worker, NULL, work, frame_builder) == 0;
    return frame_builder;
}

static void wait_until_made(struct rv_frame_builder *frame_builder)
{
    pthread_mutex_lock(&frame_builder->lock);
    while (frame_builder->layout == ASKED)
        pthread_cond_wait(&frame_builder->has_changed, &frame_builder->lock);
    pthread_mutex_unlock(&frame_builder->lock);
}

void rv_frame_builder_stop(struct rv_frame_builder *frame_builder)
{
    if (!frame_builder)
        return;
    wait_until_made(frame_builder);
    go_to(frame_builder, STOPPED);
    if (frame_builder->is_running)
        (void)pthread_join(frame_builder->worker, NULL);
    for (int i = 0; i < 2; i++) {
        rv_frame_data_fini(&frame_builder->frames[i].picture);
        rv_view_fini(&frame_builder->frames[i].view);
    }
    rv_lane_choices_fini(&frame_builder->lane_order);
    rv_filter_release(frame_builder->filter);
    rv_filter_release(frame_builder->found);
    rv_waited_calls_release(frame_builder->waited);
    rv_lit_path_release(frame_builder->path);
    rv_call_rows_release(frame_builder->rows);
    rv_flow_table_release(frame_builder->tasks);
    rv_arc_levels_release(frame_builder->arcs);
    rv_holders_release(frame_builder->holders);
    rv_name_set_fini(&frame_builder->hits);
    pthread_cond_destroy(&frame_builder->has_changed);
    pthread_mutex_destroy(&frame_builder->lock);
    free(frame_builder);
}

/* Keep the request, with what it borrows. */
static void keep(struct rv_frame_builder *frame_builder, const struct rv_frame_request *request)
{
    struct rv_view_params *view = &frame_builder->request.view;
    frame_builder->request = *request;
    if (view->lane_order) {
        rv_lane_choices_copy(&frame_builder->lane_order, view->lane_order);
        view->lane_order = &frame_builder->lane_order;
    }
    rv_filter_release(frame_builder->filter);
    rv_filter_release(frame_builder->found);
    rv_call_rows_release(frame_builder->rows);
    frame_builder->rows = rv_call_rows_hold(request->rows);
    rv_flow_table_release(frame_builder->tasks);
    frame_builder->tasks = rv_flow_table_hold(request->tasks.table);
    frame_builder->filter = rv_filter_hold(view->filter);
    frame_builder->found = rv_filter_hold(view->found);
    rv_waited_calls_release(frame_builder->waited);
    frame_builder->waited = rv_waited_calls_hold(view->waited);
    rv_lit_path_release(frame_builder->path);
    frame_builder->path = rv_lit_path_hold(view->path);
    rv_arc_levels_release(frame_builder->arcs);
    frame_builder->arcs = rv_arc_levels_hold(request->arcs);
    rv_holders_release(frame_builder->holders);
    frame_builder->holders = rv_holders_hold(request->holders);
    if (view->hits) {
        rv_name_set_follow(&frame_builder->hits, view->hits);
        view->hits = &frame_builder->hits;
    }
}

void rv_frame_builder_ask(struct rv_frame_builder *frame_builder, const struct rv_frame_request *request)
{
    rv_assert(stage_of(frame_builder) == IDLE);
    keep(frame_builder, request);
    if (frame_builder->is_running) {
        go_to(frame_builder, ASKED);
        return;
    }
    make(frame_builder);
    go_to(frame_builder, READY);
}

bool rv_frame_builder_is_asked(struct rv_frame_builder *frame_builder)
{
    return stage_of(frame_builder) != IDLE;
}

bool rv_frame_builder_is_ready(struct rv_frame_builder *frame_builder)
{
    return stage_of(frame_builder) == READY;
}

const struct rv_frame_data *rv_frame_builder_take(struct rv_frame_builder *frame_builder)
{
    wait_until_made(frame_builder);
    rv_assert(stage_of(frame_builder) == READY);
    frame_builder->shown = !frame_builder->shown;
    frame_builder->took_ns = frame_builder->cost_ns;
    go_to(frame_builder, IDLE);
    return &frame_builder->frames[frame_builder->shown].picture;
}

uint64_t rv_frame_builder_took_ns(const struct rv_frame_builder *frame_builder)
{
    return frame_builder->took_ns;
}
