#include "ui/duration_histogram.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/units.h"

#define BAR_WIDTH 5.0f
#define BARS_HEIGHT 56.0f
#define DRAG_LEAST 3.0f /* points; less is a click */
#define TEXT_BYTES 640
#define MOST_BARS 256

struct scale { /* of durations, by their logarithms */
    struct rv_imgui_area area;
    double least, span;
};

static uint64_t duration_at(const struct scale *scale, float x)
{
    double share = fmin(fmax((double)((x - scale->area.x) / scale->area.width), 0.0), 1.0);
    return (uint64_t)(exp2(scale->least + scale->span * share) - 1.0);
}

static void draw_bars(const struct scale *scale, const struct rv_histogram *histogram, uint32_t rgba)
{
    uint64_t counts[MOST_BARS], largest = 1, before = 0;
    const struct rv_imgui_area *area = &scale->area;
    double n_buckets = fmax(floor(scale->span * RV_HISTOGRAM_BUCKETS), 1.0); /* a bar holds one at least */
    int n = (int)fmin(fmin((double)(area->width / BAR_WIDTH), n_buckets), MOST_BARS);
    for (int i = 0; i < n; i++) {
        float end_x = area->x + area->width * (float)(i + 1) / (float)n;
        uint64_t n_upto = rv_histogram_at_most(histogram, i + 1 == n ? UINT64_MAX : duration_at(scale, end_x));
        counts[i] = n_upto - before;
        before = n_upto;
        largest = counts[i] > largest ? counts[i] : largest;
    }
    for (int i = 0; i < n; i++) {
        float height = fmaxf(2.0f, area->height * (float)counts[i] / (float)largest), width = area->width / (float)n;
        if (counts[i])
            rv_imgui_draw_box((struct rv_imgui_area){area->x + width * (float)i, area->y + area->height - height,
                                                     width - 1.0f, height},
                              0.0f, rgba);
    }
}

static void show_tooltip(const struct rv_duration_histogram *shown, const uint64_t edges_ns[2])
{
    char text[TEXT_BYTES], from[32], to[32];
    uint64_t n_calls = rv_histogram_at_most(shown->histogram, edges_ns[1]) -
                       (edges_ns[0] ? rv_histogram_at_most(shown->histogram, edges_ns[0] - 1) : 0);
    rv_units_format_ns(from, sizeof from, edges_ns[0]);
    rv_units_format_ns(to, sizeof to, edges_ns[1]);
    (void)snprintf(text, sizeof text, "%s to %s: about %" PRIu64 " call%s", from, to, n_calls,
                   rv_units_word(n_calls, "", "s"));
    rv_imgui_tooltip(text);
}

/* From where it was pressed to the mouse. */
static void brush(const struct rv_ui_style *style, const struct rv_duration_histogram *shown, const struct scale *scale,
                  struct rv_duration_histogram_state *state, struct rv_ui_acts *acts)
{
    float mouse[2];
    bool is_held = rv_imgui_is_held();
    rv_imgui_mouse_at(mouse);
    if (!is_held && !state->is_dragged)
        return;
    if (!state->is_dragged)
        state->from_x = mouse[0];
    float low = fminf(state->from_x, mouse[0]), high = fmaxf(state->from_x, mouse[0]);
    uint64_t edges_ns[2] = {duration_at(scale, low), duration_at(scale, high)};
    bool is_drag = high - low >= DRAG_LEAST;
    if (is_held && is_drag) {
        rv_imgui_draw_box((struct rv_imgui_area){low, scale->area.y, high - low, scale->area.height}, 0.0f,
                          style->glass);
        show_tooltip(shown, edges_ns);
    }
    if (!is_held && is_drag && !shown->is_of_parts)
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_BRUSH, .from_ns = edges_ns[0], .to_ns = edges_ns[1]});
    state->is_dragged = is_held;
}

static void show_title(const struct rv_ui_style *style, const struct rv_duration_histogram *shown,
                       struct rv_ui_acts *acts)
{
    char text[TEXT_BYTES], least[32], most[32];
    rv_units_format_ns(least, sizeof least, shown->row->min_ns);
    rv_units_format_ns(most, sizeof most, shown->row->max_ns);
    if (shown->brush[0]) {
        (void)snprintf(text, sizeof text, "x  %s", shown->brush);
        if (rv_imgui_button(text, 0.0f, true))
            rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_BRUSH});
        rv_imgui_same_line(8.0f);
    }
    (void)snprintf(text, sizeof text, "%s to %s  %s", least, most, shown->name);
    rv_imgui_label(text, style->text);
}

void rv_duration_histogram_show(struct rv_ui *ui, const struct rv_duration_histogram *shown,
                                struct rv_duration_histogram_state *state, struct rv_ui_acts *acts)
{
    const struct rv_ui_style *style = rv_ui_style(ui);
    struct scale scale = {.least = log2((double)shown->row->min_ns + 1.0)};
    scale.span = fmax(log2((double)shown->row->max_ns + 1.0) - scale.least, 1e-9);
    show_title(style, shown, acts);
    rv_imgui_touch("durations", 0.0f, BARS_HEIGHT, &scale.area);
    rv_imgui_draw_box(scale.area, 3.0f, style->plate);
    draw_bars(&scale, shown->histogram, shown->rgba);
    brush(style, shown, &scale, state, acts);
}
