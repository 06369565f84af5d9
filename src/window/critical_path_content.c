#include "window/critical_path_content.h"

#include <stdio.h>

/* "mutex cache::lock", "join" */
static void name_wait(const struct rv_viewer *viewer, const struct rv_critical_path_part *part, char *out,
                      size_t out_bytes)
{
    (void)snprintf(out, out_bytes, "%s", rv_wait_kind_name(part->wait));
    rv_subroutines_append_brief_name(viewer->subroutines, " ", part->object, out, out_bytes);
}

static void fill_row(const struct rv_viewer *viewer, const struct rv_critical_path_part *part,
                     struct rv_critical_path_panel_row *row)
{
    char lane[RV_LANE_NAME_BYTES], call[64] = "", wait[128] = "";
    rv_lane_copy_label(rv_lanes_get(viewer->lanes, part->lane_idx), lane);
    if (part->has_wait)
        name_wait(viewer, part, wait, sizeof wait);
    row->n_ns = part->n_ns;
    switch (part->kind) {
    case RV_CRITICAL_PATH_RUN:
        row->kind = RV_CRITICAL_PATH_PANEL_RUN;
        (void)snprintf(row->name, sizeof row->name, "%s", lane);
        rv_subroutines_append_brief_name(viewer->subroutines, " in ", part->call, row->name, sizeof row->name);
        if (part->has_wait)
            (void)snprintf(row->detail, sizeof row->detail, "awaited: %s", wait);
        break;
    case RV_CRITICAL_PATH_WAIT:
        row->kind = RV_CRITICAL_PATH_PANEL_WAIT;
        (void)snprintf(row->name, sizeof row->name, "%s waited for %s", lane, wait);
        if (part->call)
            (void)rv_subroutines_brief_name_of(viewer->subroutines, part->call, call, sizeof call);
        (void)snprintf(row->detail, sizeof row->detail, "%s%sno traced thread is known to have ended it", call,
                       *call ? ", " : "");
        break;
    case RV_CRITICAL_PATH_WAKE:
        row->kind = RV_CRITICAL_PATH_PANEL_WOKEN;
        (void)snprintf(row->name, sizeof row->name, "woken, but not running yet");
        (void)snprintf(row->detail, sizeof row->detail, "longest: %s", lane);
        break;
    }
}

bool rv_critical_path_content_describe(const struct rv_viewer *viewer, uint32_t idx,
                                       struct rv_critical_path_panel_row *row)
{
    const struct rv_critical_path_found *found = rv_critical_path_job_found(&viewer->path);
    if (!viewer->path.is_on || !found || idx >= found->n_parts || idx >= RV_CRITICAL_PATH_PANEL_ROWS)
        return false;
    *row = (struct rv_critical_path_panel_row){.n_ns = 0};
    fill_row(viewer, &found->parts[idx], row);
    return true;
}

static void title(const struct rv_viewer *viewer, char *out, size_t out_bytes)
{
    char call[128] = "a range of time";
    if (viewer->path.found.request.call)
        (void)rv_subroutines_brief_name_of(viewer->subroutines, viewer->path.found.request.call, call, sizeof call);
    (void)snprintf(out, out_bytes, "Critical path of %s", call);
}

void rv_critical_path_content_show(struct rv_ui *ui, const struct rv_viewer *viewer, struct rv_ui_acts *acts)
{
    const struct rv_critical_path_found *found = rv_critical_path_job_found(&viewer->path);
    struct rv_critical_path_panel shown = {.is_found = found != NULL,
                                           .percent = rv_critical_path_job_percent(&viewer->path),
                                           .leaves_half = viewer->pointer.hover.is_pinned};
    char text[160];
    if (!viewer->path.is_on)
        return;
    title(viewer, text, sizeof text);
    shown.title = text;
    if (found) {
        shown.n_ns[RV_CRITICAL_PATH_PANEL_RUN] = found->run_ns;
        shown.n_ns[RV_CRITICAL_PATH_PANEL_WAIT] = found->wait_ns;
        shown.n_ns[RV_CRITICAL_PATH_PANEL_WOKEN] = found->woken_ns;
        while (rv_critical_path_content_describe(viewer, (uint32_t)shown.n_rows, &shown.rows[shown.n_rows]))
            shown.n_rows++;
        shown.n_left = found->n_parts - shown.n_rows;
        shown.is_cut = found->known_from_ns != 0;
        shown.has_missed = found->has_missed;
        shown.has_no_waits = found->n_waits == 0;
        shown.is_old = shown.has_no_waits && rv_session_lacks_waits(viewer->session);
    }
    rv_critical_path_panel_show(ui, &shown, acts);
}
