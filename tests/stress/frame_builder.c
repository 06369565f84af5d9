/*
 * Pictures are built while lanes and names grow, the filter and the order of lanes change, and the previous picture is
 * read: each shows what was requested, and does not change until the next but one is built.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "window/frame_builder.h"
#include "base/hash.h"
#include "base/vec.h"

enum { N_LANES = 6, N_BLOCKS = 40, BLOCK_SPANS = 600, DEPTH = 6, N_PICTURES = 120, WIDTH_PX = 800 };

struct shared {
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
};

static atomic_uint n_told;

static void tell(void)
{
    atomic_fetch_add_explicit(&n_told, 1, memory_order_relaxed);
}

static uint64_t make_block(struct rv_span *spans, uint64_t now_ns)
{
    for (unsigned i = 0; i < BLOCK_SPANS; i++) {
        uint32_t depth = DEPTH - 1 - i % DEPTH;
        now_ns += 40;
        spans[i] =
            (struct rv_span){.start = now_ns - 41 * (i % DEPTH) - 20, .end = now_ns, .id = 1 + i % 50, .depth = depth};
    }
    return now_ns;
}

static void *fill(void *context)
{
    static struct rv_span spans[BLOCK_SPANS];
    struct shared *shared = context;
    uint64_t now_ns = 1000000;
    for (unsigned block = 0; block < N_BLOCKS; block++) {
        uint64_t begin_ns = now_ns;
        for (size_t i = 0; i < N_LANES; i++) {
            struct rv_lane *lane = rv_lanes_get(shared->lanes, i);
            now_ns = make_block(spans, begin_ns);
            pthread_rwlock_wrlock(&lane->lock);
            rv_timeline_add(lane->timeline, spans, BLOCK_SPANS);
            lane->last_ns = now_ns;
            pthread_rwlock_unlock(&lane->lock);
        }
        rv_subroutines_define(shared->subroutines, 1 + block % 50, block % 2 ? "Odd" : "Even", "name", "file", block);
    }
    return NULL;
}

/* All that a frame would read. */
static uint64_t digest_of(const struct rv_frame_data *picture)
{
    const struct rv_view *view = picture->view, *content = rv_frame_data_content(picture);
    uint64_t digest = rv_hash_bytes(view->boxes, view->n_boxes * sizeof *view->boxes);
    digest = rv_hash_combine(
        digest, rv_hash_bytes(picture->records.ordered, picture->records.n * sizeof *picture->records.ordered));
    for (size_t i = 0; i < content->n_boxes; i++)
        digest = rv_hash_combine(digest, rv_box_colors_index(picture->colors, &content->boxes[i], 0));
    return digest;
}

static bool is_as_asked(const struct rv_frame_data *picture, const struct rv_frame_request *request,
                        uint32_t most_depth)
{
    const struct rv_view *view = picture->view;
    bool is_right = view->from_ns == request->view.from_ns && view->to_ns == request->view.to_ns &&
                    picture->has_leaves == request->has_leaves &&
                    picture->records.n == rv_frame_data_content(picture)->n_boxes && view->n_lanes == N_LANES;
    for (size_t i = 0; i < view->n_boxes; i++)
        is_right &= view->boxes[i].depth < most_depth;
    return is_right;
}

static struct rv_lanes *create_lanes(void)
{
    struct rv_lanes *lanes = rv_lanes_create();
    for (uint32_t i = 0; i < N_LANES; i++)
        (void)rv_lanes_add(lanes, &(struct rv_lane_identity){
                                      .pid = 1, .tid = i, .process_key = 1, .name = "lane", .process_name = "p"});
    return lanes;
}

int main(void)
{
    struct shared shared = {.lanes = create_lanes(), .subroutines = rv_subroutines_create()};
    struct rv_frame_builder *frame_builder =
        rv_frame_builder_start(&(struct rv_frame_builder_params){shared.lanes, shared.subroutines, tell});
    struct rv_lane_choices lane_order = {0};
    const struct rv_filter *filter = NULL;
    rv_filter_set_mode(&filter, RV_FILTER_HIDE);
    const struct rv_frame_data *before = NULL;
    unsigned n_wrong = 0;
    char why[160];
    pthread_t filler;
    if (pthread_create(&filler, NULL, fill, &shared) != 0)
        return 1;
    for (unsigned i = 0; i < N_PICTURES; i++) {
        uint32_t most_depth = 1 + i % DEPTH;
        struct rv_frame_request request = {.has_leaves = i % 3 == 0,
                                           .scheme = i % 2 ? RV_COLOR_PACKAGE : RV_COLOR_THREAD};
        request.view = (struct rv_view_params){.from_ns = 1000000 + 100 * i,
                                               .to_ns = 1000000 + 20000 * (uint64_t)(i + 1),
                                               .width_px = WIDTH_PX,
                                               .box_budget = 5000,
                                               .is_steady = true,
                                               .lane_order = &lane_order};
        lane_order.most_depth = most_depth;
        rv_lane_choices_update(&lane_order, shared.lanes);
        (void)rv_filter_add(&filter, i % 2 ? "package:Odd|Even" : "depth:<3", why, sizeof why);
        (void)rv_filter_update(filter, shared.subroutines, SIZE_MAX);
        request.view.filter = filter;
        uint64_t digest = before ? digest_of(before) : 0;
        rv_frame_builder_ask(frame_builder, &request);
        while (rv_filter_n_rules(filter) > 1)
            rv_filter_remove(&filter, 0);
        lane_order.most_depth = 0;
        n_wrong += before && digest_of(before) != digest;
        before = rv_frame_builder_take(frame_builder);
        n_wrong += !is_as_asked(before, &request, most_depth);
    }
    (void)pthread_join(filler, NULL);
    rv_frame_builder_stop(frame_builder);
    n_wrong += atomic_load_explicit(&n_told, memory_order_relaxed) != N_PICTURES;
    rv_filter_release(filter);
    rv_lane_choices_fini(&lane_order);
    rv_lanes_destroy(shared.lanes);
    rv_subroutines_destroy(shared.subroutines);
    if (n_wrong)
        fprintf(stderr, "%u pictures are not what was asked for\n", n_wrong);
    return n_wrong != 0;
}
