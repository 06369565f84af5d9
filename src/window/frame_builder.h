/*
 * The thread that makes pictures: it looks into the model and composes what it finds, while the window draws the
 * picture before. So the window's thread costs the same however many boxes there are, and is never kept waiting by
 * those who fill the model.
 *
 * One picture is made at a time. What is asked for is copied, so that whoever asked may go on changing it. Each picture
 * carries on where the one before was: its colours, and its level of detail, which changes with a margin only.
 */
#ifndef RV_WINDOW_FRAME_BUILDER_H
#define RV_WINDOW_FRAME_BUILDER_H

#include "model/filter.h"
#include "model/view.h"
#include "render/frame_data.h"

struct rv_maker; /* opaque */

struct rv_maker_params {
    struct rv_lanes *lanes; /* both outlive it */
    struct rv_subroutines *subroutines;
    void (*tell)(void); /* called by the maker's thread when a picture is made; NULL = nobody */
};

struct rv_maker_wish {
    struct rv_view_params view; /* what it borrows is copied */
    bool has_leaves;            /* as of struct rv_picture_params */
    enum rv_color_scheme scheme;
    const struct rv_compare *compare; /* lives as long as the maker */
};

/* Where no thread is to be had, pictures are made by who asks for them. */
struct rv_maker *rv_maker_start(const struct rv_maker_params *params);

/* Waits for what is being made; pictures go with it. NULL is accepted. */
void rv_maker_stop(struct rv_maker *maker);

/* Ask for a picture, while none is asked for: the one before has been taken. Main thread, as all that follows. */
void rv_maker_ask(struct rv_maker *maker, const struct rv_maker_wish *wish);

/* Has a picture been asked for that was not taken yet, and is it there to be taken? */
bool rv_maker_is_asked(struct rv_maker *maker);
bool rv_maker_is_ready(struct rv_maker *maker);

/* The picture that was asked for; waits until it is ready. Borrowed until the one after it is taken. */
const struct rv_picture *rv_maker_take(struct rv_maker *maker);

/* CPU time that the picture took which was taken last. */
uint64_t rv_maker_took_ns(const struct rv_maker *maker);

#endif
