/*
 * A thread that builds the next frame: it queries the model and composes boxes while the window draws the frame before.
 * The window's thread costs the same however many boxes there are, and never waits for the model's writers.
 *
 * One frame is built at a time. A request is copied, so that its owner may go on changing it. Each frame keeps the
 * colours of the one before, and its level of detail within a margin.
 */
#ifndef RV_WINDOW_FRAME_BUILDER_H
#define RV_WINDOW_FRAME_BUILDER_H

#include "model/filter.h"
#include "model/view.h"
#include "render/frame_data.h"

struct rv_frame_builder; /* opaque */

struct rv_frame_builder_params {
    struct rv_lanes *lanes; /* both outlive it */
    struct rv_subroutines *subroutines;
    void (*tell)(void); /* called by the maker's thread when a picture is made; NULL = nobody */
};

struct rv_frame_request {
    struct rv_view_params view; /* what it borrows is copied */
    bool has_leaves;            /* as of struct rv_frame_data_params */
    enum rv_color_scheme scheme;
    const struct rv_compare *compare; /* lives as long as the maker */
};

/* Where no thread is to be had, pictures are made by who asks for them. */
struct rv_frame_builder *rv_frame_builder_start(const struct rv_frame_builder_params *params);

/* Waits for what is being made; pictures go with it. NULL is accepted. */
void rv_frame_builder_stop(struct rv_frame_builder *frame_builder);

/* Ask for a picture, while none is asked for: the one before has been taken. Main thread, as all that follows. */
void rv_frame_builder_ask(struct rv_frame_builder *frame_builder, const struct rv_frame_request *request);

/* Has a picture been asked for that was not taken yet, and is it there to be taken? */
bool rv_frame_builder_is_asked(struct rv_frame_builder *frame_builder);
bool rv_frame_builder_is_ready(struct rv_frame_builder *frame_builder);

/* The picture that was asked for; waits until it is ready. Borrowed until the one after it is taken. */
const struct rv_frame_data *rv_frame_builder_take(struct rv_frame_builder *frame_builder);

/* CPU time that the picture took which was taken last. */
uint64_t rv_frame_builder_took_ns(const struct rv_frame_builder *frame_builder);

#endif
