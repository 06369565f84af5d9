/*
 * The panels of a viewer: fills their contents and performs their actions. Main thread, with a current
 * GL 3.3 context.
 */
#ifndef RV_WINDOW_PANELS_H
#define RV_WINDOW_PANELS_H

#include <stdbool.h>
#include <stdint.h>

#include <SDL2/SDL_events.h>

#include "window/statistics_content.h"
#include "window/capture_rates.h"
#include "viewer/color_legend.h"
#include "viewer/viewer.h"
#include "ui/debugger_panel.h"
#include "ui/command_palette.h"
#include "ui/help.h"
#include "ui/legend.h"
#include "ui/menu.h"
#include "ui/prompt.h"
#include "ui/threads.h"
#include "window/waits_content.h"
#include "ui/ui.h"
#include "window/minimap_pixels.h"

struct rv_panels { /* zeroed = closed */
    struct rv_ui *ui;
    struct rv_minimap_pixels minimap_image;
    struct rv_prompt_state go_to, select, note;
    struct rv_command_palette_state commands;
    struct rv_menu_state menu;
    struct rv_threads_state threads;
    struct rv_waits_content waits;
    struct rv_help_state help;
    uint32_t *thread_rows; /* lane_idx, of the list of threads */
    size_t thread_rows_capacity;
    struct rv_legend legend; /* as last shown */
    struct rv_color_legend color_legend;
    struct rv_statistics_content statistics;
    struct rv_debugger_panel_state debugger_panel;
    unsigned n_fields_asked; /* as in the viewer, at the last pass */
    uint64_t hash;           /* of the last pass */
    bool has_inspector;      /* it replaces the tooltip of the pinned box */
};

struct rv_panels_about { /* contents; borrowed for one pass */
    struct rv_viewer *viewer;
    const struct rv_view *view;
    const struct rv_box_colors *colors; /* updated with the view */
    const struct rv_arc_list *arcs;     /* in the picture; NULL = none */
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    const struct rv_capture_rates *rates; /* NULL = no measurements */
    const char *program;
    const char *settings_path; /* NULL = settings are not saved */
    uint32_t pid;              /* 0 = unknown */
    uint64_t n_dropped;
    bool has_lost_history;
    bool is_recording;
    bool has_timebar;
    bool has_warnings; /* those that were printed are shown, one by one, until they are closed */
    struct rv_ui_surface surface;
};

/* 0 or a negative errno with one line printed. */
int rv_panels_open(struct rv_panels *panels);
void rv_panels_close(struct rv_panels *panels);

/* Handle an event. True when it belongs to the panels alone. */
bool rv_panels_event(struct rv_panels *panels, const SDL_Event *event, const struct rv_panels_about *about);

/* Repeat passes, performing their actions, until the panels are stable. */
void rv_panels_update(struct rv_panels *panels, const struct rv_panels_about *about);

/* Do the panels lack text for which there was no time? Then another update should follow. */
bool rv_panels_lack_text(const struct rv_panels *panels);

/* Insets of the picture by panels, as of the last update. */
struct rv_scene_insets rv_panels_insets(const struct rv_panels *panels);

/* Draw them over the picture in the bound framebuffer. */
void rv_panels_draw(struct rv_panels *panels);

#endif
