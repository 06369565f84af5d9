/*
 * A thread that builds the next frame: it queries the model and composes boxes while the window draws the previous one.
 * The window's thread costs the same however many boxes there are, and never waits for the model's writers.
 *
 * One frame is built at a time. A request is copied, so its owner may change it afterwards. Each frame keeps the
 * previous one's colours, and its level of detail within a margin.
 */
#ifndef RV_WINDOW_FRAME_BUILDER_H
#define RV_WINDOW_FRAME_BUILDER_H

#include "query/calls_view.h"
#include "query/lock_lanes.h"
#include "query/tasks_view.h"
#include "model/filter.h"
#include "model/view.h"
#include "render/frame_data.h"

struct rv_frame_builder; /* opaque */

struct rv_frame_builder_params {
    struct rv_lanes *lanes; /* both must outlive it */
    struct rv_subroutines *subroutines;
    void (*tell)(void); /* called by the builder's thread when a picture is ready; may be NULL */
};

struct rv_frame_request {
    struct rv_view_params view;        /* borrowed data is copied */
    struct rv_call_rows *rows;         /* the view is of these calls; held. NULL = of the lanes, */
    bool has_calls;                    /* but if it is to be of calls, it is empty then */
    bool has_tasks;                    /* the view is of these: */
    struct rv_tasks_view_params tasks; /* its table is held */
    bool has_leaves;                   /* this and the next as of struct rv_frame_data_params */
    enum rv_box_colors_stage stage;
    bool learns_colours; /* choose all colours anew, for the whole run: [whole_ns[0], whole_ns[1]) */
    uint64_t whole_ns[2];
    enum rv_color_scheme scheme;
    const struct rv_diff *diff;       /* must outlive the builder */
    const struct rv_arc_levels *arcs; /* held meanwhile; NULL = none */
    const struct rv_holders *holders; /* with lanes of these; held. NULL = none */
};

/* Start. Without a thread, pictures are made by rv_frame_builder_ask() itself. */
struct rv_frame_builder *rv_frame_builder_start(const struct rv_frame_builder_params *params);

/* Waits for a picture being made; frees all pictures. NULL-safe. */
void rv_frame_builder_stop(struct rv_frame_builder *frame_builder);

/* Request a picture; the previous one was taken. Main thread, as all following functions. */
void rv_frame_builder_ask(struct rv_frame_builder *frame_builder, const struct rv_frame_request *request);

/* Is a request pending? Is its picture ready? */
bool rv_frame_builder_is_asked(struct rv_frame_builder *frame_builder);
bool rv_frame_builder_is_ready(struct rv_frame_builder *frame_builder);

/* Take the requested picture; waits until it is ready. Borrowed until the next one is taken. */
const struct rv_frame_data *rv_frame_builder_take(struct rv_frame_builder *frame_builder);

/* CPU time of the picture taken last. */
uint64_t rv_frame_builder_took_ns(const struct rv_frame_builder *frame_builder);

#endif
