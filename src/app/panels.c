#include "app/panels.h"

#include "base/err.h"
#include "ui/topbar.h"

#define PASSES_MAX 4 /* what one changes for the next comes to an end before */

int rv_panels_open(struct rv_panels *panels)
{
    *panels = (struct rv_panels){0};
    return rv_ui_create(&panels->ui);
}

void rv_panels_close(struct rv_panels *panels)
{
    rv_ui_destroy(panels->ui);
    *panels = (struct rv_panels){0};
}

/* ---- what each panel shows ---- */

static void show_topbar(struct rv_panels *panels, const struct rv_panels_about *about, struct rv_ui_requests *requests)
{
    const struct rv_present *present = &about->viewer->present;
    const char *tabs[RV_LOOK_COUNT];
    for (int look = 0; look < RV_LOOK_COUNT; look++)
        tabs[look] = rv_look_get((enum rv_look)look)->title;
    struct rv_topbar shown = {
        .program = about->program ? about->program : "",
        .pid = about->pid,
        .state = present->is_frozen ? RV_TOPBAR_FROZEN
                 : present->is_done ? RV_TOPBAR_ENDED
                                    : RV_TOPBAR_LIVE,
        .behind_ns = rv_present_behind_ns(present),
        .events_per_s = about->meter ? about->meter->events_per_s : -1.0,
        .lag_ns = about->meter ? about->meter->lag_ns : -1.0,
        .cpu_share = about->meter ? about->meter->cpu_share : -1.0,
        .n_dropped = about->n_dropped,
        .n_drawn = about->view->n_boxes,
        .n_folded = about->view->n_folded,
        .tabs = tabs,
        .n_tabs = RV_LOOK_COUNT,
        .chosen = (uint32_t)about->viewer->look.shown,
    };
    rv_topbar_show(panels->ui, &shown, requests);
}

/* ---- what they ask for ---- */

static void do_request(struct rv_viewer *viewer, const struct rv_ui_request *request)
{
    struct rv_act act = {.action = RV_ACTION_NONE};
    switch (request->kind) {
    case RV_UI_LOOK:
        act.action = (enum rv_action)(RV_ACTION_LOOK_3D + (int)request->idx);
        break;
    }
    rv_viewer_act(viewer, &act);
}

/* Returns whether anything was asked for. */
static bool pass(struct rv_panels *panels, const struct rv_panels_about *about)
{
    struct rv_ui_requests requests = {.n = 0};
    rv_ui_begin(panels->ui, &about->surface);
    show_topbar(panels, about, &requests);
    panels->hash = rv_ui_end(panels->ui);
    for (size_t i = 0; i < requests.n; i++)
        do_request(about->viewer, &requests.items[i]);
    return requests.n > 0;
}

bool rv_panels_event(struct rv_panels *panels, const SDL_Event *event, const struct rv_panels_about *about)
{
    bool is_one_by_one = rv_ui_needs_pass(event);
    bool was_taken = rv_ui_takes(panels->ui, event);
    rv_ui_event(panels->ui, event);
    if (is_one_by_one)
        (void)pass(panels, about);
    return event->type == SDL_KEYDOWN ? was_taken : rv_ui_takes(panels->ui, event);
}

void rv_panels_update(struct rv_panels *panels, const struct rv_panels_about *about)
{
    for (int i = 0; i < PASSES_MAX; i++) {
        uint64_t before = panels->hash;
        if (!pass(panels, about) && panels->hash == before)
            return;
    }
}

struct rv_scene_insets rv_panels_insets(const struct rv_panels *panels)
{
    struct rv_ui_insets insets = rv_ui_insets(panels->ui);
    return (struct rv_scene_insets){insets.top, insets.bottom, insets.left, insets.right};
}

void rv_panels_draw(struct rv_panels *panels)
{
    rv_ui_draw(panels->ui);
}
