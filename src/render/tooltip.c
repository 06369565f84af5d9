#include "render/tooltip.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "glyphs/clusters.h"
#include "render/overlay.h"
#include "render/box_colors.h"

#define PADDING 14.0f
#define TITLE_HEIGHT 22.0f
#define LINE_HEIGHT 19.0f
#define FOOT_HEIGHT 24.0f
#define SWATCH 12.0f
#define SWATCH_ROOM 21.0f
#define LABEL_WIDTH 74.0f
#define WIDTH_MIN 250.0f
#define TITLE_WIDTH_MAX 460.0f
#define TITLE_LINES_MAX 3u
#define EDGE 6.0f /* between a panel and the picture's edge */
#define RADIUS 7.0f

struct title { /* the title, broken into lines */
    const char *begins[TITLE_LINES_MAX];
    size_t n_bytes[TITLE_LINES_MAX];
    size_t n;
    float width;
};

struct rv_tooltip_line *rv_tooltip_add_line(struct rv_tooltip *tooltip, const char *label)
{
    rv_assert(tooltip->n_lines < RV_TOOLTIP_LINES);
    struct rv_tooltip_line *line = &tooltip->lines[tooltip->n_lines++];
    line->label = label;
    line->text[0] = '\0';
    return line;
}

void rv_tooltip_place(const float size[2], const float at[2], const float picture[2], float top, float out[2])
{
    float x = at[0] + RV_TOOLTIP_GAP, y = at[1] - RV_TOOLTIP_GAP - size[1];
    if (x + size[0] > picture[0] - EDGE)
        x = at[0] - RV_TOOLTIP_GAP - size[0];
    if (y < top + EDGE)
        y = at[1] + RV_TOOLTIP_GAP;
    out[0] = floorf(fmaxf(fminf(x, picture[0] - EDGE - size[0]), EDGE));
    out[1] = floorf(fmaxf(fminf(y, picture[1] - EDGE - size[1]), top + EDGE));
}

/* Bytes of text that fit, whole characters, at least one. line: of RV_TOOLTIP_TITLE_BYTES */
static size_t fitting(const struct rv_overlay *overlay, const char *text, float width, char *line)
{
    size_t n_bytes = 0;
    const char *next = text, *end = text + strlen(text);
    while (next < end) {
        next = rv_cluster_next(next, end);
        size_t n = (size_t)(next - text);
        if (n >= RV_TOOLTIP_TITLE_BYTES)
            break;
        memcpy(line, text, n);
        line[n] = '\0';
        if (n_bytes && rv_overlay_text_width(overlay, RV_FONT_BOLD, line) > width)
            break;
        n_bytes = n;
    }
    return n_bytes ? n_bytes : rv_text_whole(text, strlen(text), RV_TOOLTIP_TITLE_BYTES - 1);
}

static void break_title(struct title *title, const struct rv_overlay *overlay, const char *text, float width)
{
    char line[RV_TOOLTIP_TITLE_BYTES];
    *title = (struct title){.width = 0.0f};
    while (*text && title->n < TITLE_LINES_MAX) {
        size_t n_bytes = fitting(overlay, text, fminf(width, TITLE_WIDTH_MAX), line);
        snprintf(line, sizeof line, "%.*s", (int)n_bytes, text);
        title->width = fmaxf(title->width, rv_overlay_text_width(overlay, RV_FONT_BOLD, line));
        title->begins[title->n] = text;
        title->n_bytes[title->n++] = n_bytes;
        text += n_bytes;
    }
}

static void measure(const struct rv_overlay *overlay, const struct rv_tooltip *tooltip, const struct title *title,
                    float room, float size[2])
{
    float width = fmaxf(WIDTH_MIN, title->width + SWATCH_ROOM);
    for (size_t i = 0; i < tooltip->n_lines; i++)
        width = fmaxf(width, LABEL_WIDTH + rv_overlay_text_width(overlay, RV_FONT_TEXT, tooltip->lines[i].text));
    size[0] = ceilf(fminf(width, room) + 2.0f * PADDING);
    size[1] = 2.0f * PADDING - 6.0f + TITLE_HEIGHT * (float)title->n + LINE_HEIGHT * (float)tooltip->n_lines +
              (*tooltip->foot ? FOOT_HEIGHT : 0.0f);
}

static void add_title(struct rv_overlay *overlay, const struct title *title, struct rv_color swatch, const float at[2])
{
    struct rv_overlay_area area = {at[0], at[1] + 3.0f, SWATCH, SWATCH};
    uint32_t ink = rv_theme_rgba(rv_overlay_theme(overlay)->text_strong, 1.0f);
    rv_overlay_rectangle(overlay, area, 3.0f, rv_theme_opaque(swatch));
    for (size_t i = 0; i < title->n; i++) {
        char line[RV_TOOLTIP_TITLE_BYTES];
        snprintf(line, sizeof line, "%.*s", (int)title->n_bytes[i], title->begins[i]);
        float pen[2] = {at[0] + SWATCH_ROOM, at[1] + 14.0f + TITLE_HEIGHT * (float)i};
        rv_overlay_text(overlay, RV_FONT_BOLD, pen, line, ink);
    }
}

/* Its begin, and dots, where it has no room. */
static void fit_line(const struct rv_overlay *overlay, const char *text, float width, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%s", text);
    for (size_t n = strlen(out); n > 0 && rv_overlay_text_width(overlay, RV_FONT_TEXT, out) > width;) {
        n = rv_text_whole(text, strlen(text), n - 1);
        snprintf(out, out_bytes, "%.*s\u2026", (int)n, text);
    }
}

/* A line from the panel's nearest corner to its anchor. */
static void add_leader(struct rv_overlay *overlay, const float at[2], const float corner[2], const float size[2])
{
    float end[2] = {fminf(fmaxf(at[0], corner[0] + RADIUS), corner[0] + size[0] - RADIUS),
                    fminf(fmaxf(at[1], corner[1] + RADIUS), corner[1] + size[1] - RADIUS)};
    rv_overlay_line(overlay, at, end, 1.5f, rv_theme_rgba(rv_overlay_theme(overlay)->text_strong, 0.85f));
}

void rv_tooltip_add(struct rv_overlay *overlay, const struct rv_box_colors *colors, const struct rv_tooltip *tooltip,
                    const float picture[2], float top)
{
    const struct rv_theme *theme = rv_overlay_theme(overlay);
    struct title title;
    float size[2], corner[2];
    const float room = picture[0] - 2.0f * (PADDING + EDGE);
    break_title(&title, overlay, tooltip->title, room - SWATCH_ROOM);
    measure(overlay, tooltip, &title, room, size);
    rv_tooltip_place(size, tooltip->at, picture, top, corner);
    add_leader(overlay, tooltip->at, corner, size);
    struct rv_overlay_area back = {corner[0], corner[1], size[0], size[1]};
    struct rv_overlay_area rim = {back.x - 1.0f, back.y - 1.0f, back.width + 2.0f, back.height + 2.0f};
    rv_overlay_rectangle(overlay, rim, RADIUS + 1.0f, rv_theme_rgba(theme->panel_rim, 0.9f));
    rv_overlay_rectangle(overlay, back, RADIUS, rv_theme_rgba(theme->panel, 1.0f));
    float x = corner[0] + PADDING, y = corner[1] + PADDING - 3.0f;
    uint32_t colour_idx = rv_box_colors_index(colors, &tooltip->box, tooltip->thread);
    add_title(overlay, &title, rv_box_colors_front(colors, colour_idx), (float[2]){x, y});
    y += TITLE_HEIGHT * (float)title.n + 14.0f;
    for (size_t i = 0; i < tooltip->n_lines; i++, y += LINE_HEIGHT) {
        const struct rv_tooltip_line *line = &tooltip->lines[i];
        rv_overlay_text(overlay, RV_FONT_TEXT, (float[2]){x, y}, line->label, rv_theme_rgba(theme->text, 1.0f));
        char text[sizeof line->text];
        fit_line(overlay, line->text, corner[0] + size[0] - PADDING - LABEL_WIDTH - x, text, sizeof text);
        rv_overlay_text(overlay, RV_FONT_TEXT, (float[2]){x + LABEL_WIDTH, y}, text,
                        rv_theme_rgba(theme->text_strong, 1.0f));
    }
    float foot_width = rv_overlay_text_width(overlay, RV_FONT_SMALL, tooltip->foot);
    rv_overlay_text(overlay, RV_FONT_SMALL, (float[2]){corner[0] + size[0] - PADDING - foot_width, y + 6.0f},
                    tooltip->foot, rv_theme_rgba(theme->text, 1.0f));
}
