#include <criterion/criterion.h>

#include <math.h>

#include "render/arc_list.h"
#include "render/theme.h"
#include "ui/style.h"

#define LEAST 4.5f /* WCAG 2, of text */

static const struct rv_color black = {0, 0, 0}, white = {255, 255, 255};

/* A panel's colour over another one: panels are slightly transparent. */
static struct rv_color over(uint32_t rgba, struct rv_color back)
{
    unsigned a = rgba & 0xffu;
    return (struct rv_color){(uint8_t)(((rgba >> 24) * a + back.r * (255 - a)) / 255),
                             (uint8_t)(((rgba >> 16 & 0xffu) * a + back.g * (255 - a)) / 255),
                             (uint8_t)(((rgba >> 8 & 0xffu) * a + back.b * (255 - a)) / 255)};
}

struct pair {
    const char *what;
    uint32_t text, plate;
};

static void check_panels(enum rv_color_theme theme)
{
    const struct rv_ui_style *style = rv_ui_style_get(theme);
    const struct pair pairs[] = {
        {"text on the bar", style->text, style->bar},
        {"strong text on the bar", style->text_strong, style->bar},
        {"faint text on the bar", style->text_faint, style->bar},
        {"warning on the bar", style->text_warning, style->bar},
        {"text on a panel", style->text, style->panel},
        {"strong text on a panel", style->text_strong, style->panel},
        {"faint text on a panel", style->text_faint, style->panel},
        {"warning on a panel", style->text_warning, style->panel},
        {"key on a panel", style->accent, style->panel},
        {"button", style->text, style->plate},
        {"button under the mouse", style->text, style->plate_hovered},
        {"button pressed", style->text, style->plate_pressed},
        {"hint in a field", style->text_faint, style->plate},
        {"strong text on a row", style->text_strong, style->plate},
        {"strong text on a row with a rule", style->text_strong, style->plate_pressed},
        {"chosen", style->chosen_text, style->chosen},
        {"live", style->live_text, style->live},
        {"frozen", style->frozen_text, style->frozen},
        {"ended", style->ended_text, style->ended},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int back = 0; back < 2; back++) {
            struct rv_color plate = over(pairs[i].plate, back ? white : black);
            float contrast = rv_color_contrast(over(pairs[i].text, plate), plate);
            cr_expect_geq(contrast, LEAST, "%s: %s over %s has %.2f", rv_color_theme_name(theme), pairs[i].what,
                          back ? "white" : "black", (double)contrast);
        }
}

static void check_picture(enum rv_color_theme kind)
{
    const struct rv_theme *theme = rv_theme_get(kind);
    const struct pair pairs[] = {
        {"text on the background", theme->text, theme->background},
        {"tick on the background", theme->tick, theme->background},
        {"tick on the floor", theme->tick, theme->floor},
        {"tick on a lane's plate", theme->tick, theme->plate},
        {"now on the background", theme->now, theme->background},
        {"now on the floor", theme->now, theme->floor},
        {"text on a panel", theme->text, theme->panel},
        {"strong text on a panel", theme->text_strong, theme->panel},
        {"range", theme->background, theme->accent},
        {"collection", theme->tags[RV_NOTE_FORM_PAUSE].text, theme->tags[RV_NOTE_FORM_PAUSE].plate},
        {"loss", theme->tags[RV_NOTE_FORM_LOSS].text, theme->tags[RV_NOTE_FORM_LOSS].plate},
        {"mark", theme->tags[RV_NOTE_FORM_MARK].text, theme->tags[RV_NOTE_FORM_MARK].plate},
        {"value", theme->tags[RV_NOTE_FORM_VALUE].text, theme->tags[RV_NOTE_FORM_VALUE].plate},
        {"flag", theme->flag.text, theme->flag.plate},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        float contrast = rv_color_contrast(rv_theme_color(pairs[i].text), rv_theme_color(pairs[i].plate));
        cr_expect_geq(contrast, LEAST, "%s: %s has %.2f", rv_color_theme_name(kind), pairs[i].what, (double)contrast);
    }
}

Test(theme, all_text_is_read_in_both_themes, .timeout = 60)
{
    for (int theme = 0; theme < RV_COLOR_THEME_COUNT; theme++) {
        check_panels((enum rv_color_theme)theme);
        check_picture((enum rv_color_theme)theme);
    }
}

/* Of every colour of every scheme, as it is, standing out and standing back. */
static void check_names(const struct rv_theme *theme, struct rv_color front)
{
    for (int emphasis = 0; emphasis <= RV_EMPHASIS_ALIKE; emphasis++) {
        struct rv_color face = rv_theme_emphasize(theme, (enum rv_emphasis)emphasis, front);
        struct rv_color ink = emphasis == RV_EMPHASIS_DIMMED ? rv_color_faint_ink(face) : rv_color_ink(face);
        float contrast = rv_color_contrast(ink, face);
        cr_assert_geq(contrast, LEAST, "emphasis %d on %02x%02x%02x has %.3f", emphasis, front.r, front.g, front.b,
                      (double)contrast);
    }
}

Test(theme, names_on_boxes_are_read_on_every_colour, .timeout = 60)
{
    for (int theme = 0; theme < RV_COLOR_THEME_COUNT; theme++) {
        const struct rv_theme *shown = rv_theme_get((enum rv_color_theme)theme);
        struct rv_color accent = rv_theme_color(shown->accent);
        cr_assert_geq(rv_color_contrast(rv_color_ink(accent), accent), LEAST);
        for (int scheme = 0; scheme < RV_COLOR_SCHEME_COUNT; scheme++)
            for (uint32_t slot = 0; slot < RV_COLOR_ROWS; slot++)
                for (uint32_t shade = 0; shade < RV_COLOR_SHADES; shade++)
                    check_names(shown, rv_color_tones_of((enum rv_color_scheme)scheme, slot, shade).front);
    }
}

/* How far apart two colours are to eyes that lack a kind of cones (Machado, Oliveira and Fernandes 2009): linear light. */
static float distance_seen(const float eye[3][3], uint32_t rgb, uint32_t other_rgb)
{
    const struct rv_color a = rv_theme_color(rgb), b = rv_theme_color(other_rgb);
    const float apart[3] = {rv_color_linear(a.r) - rv_color_linear(b.r), rv_color_linear(a.g) - rv_color_linear(b.g),
                            rv_color_linear(a.b) - rv_color_linear(b.b)};
    float sum = 0.0f;
    for (int i = 0; i < 3; i++) {
        const float seen = eye[i][0] * apart[0] + eye[i][1] * apart[1] + eye[i][2] * apart[2];
        sum += seen * seen;
    }
    return sqrtf(sum);
}

Test(theme, kinds_of_arcs_are_distinct_to_the_colour_blind, .timeout = 60)
{
    static const float eyes[][3][3] = {
        {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
        {{0.152f, 1.053f, -0.205f}, {0.115f, 0.786f, 0.099f}, {-0.004f, -0.048f, 1.052f}}, /* protanopia */
        {{0.367f, 0.861f, -0.228f}, {0.280f, 0.673f, 0.047f}, {-0.012f, 0.043f, 0.969f}}}; /* deuteranopia */
    for (int theme = 0; theme < RV_COLOR_THEME_COUNT; theme++) {
        const struct rv_theme *shown = rv_theme_get((enum rv_color_theme)theme);
        for (int kind = 0; kind < RV_ARC_KIND_COUNT; kind++)
            for (int other = 0; other < kind; other++)
                for (size_t eye = 0; eye < sizeof eyes / sizeof *eyes; eye++) {
                    const float apart = distance_seen(eyes[eye], rv_arc_rgb(shown, (enum rv_arc_kind)kind),
                                                      rv_arc_rgb(shown, (enum rv_arc_kind)other));
                    cr_expect_geq(apart, 0.08f, "%s: %d and %d are %.3f apart to eye %zu",
                                  rv_color_theme_name((enum rv_color_theme)theme), kind, other, (double)apart, eye);
                }
    }
}

Test(theme, dimmed_boxes_are_fainter, .timeout = 60)
{
    for (int theme = 0; theme < RV_COLOR_THEME_COUNT; theme++) {
        const struct rv_theme *shown = rv_theme_get((enum rv_color_theme)theme);
        struct rv_color back = rv_theme_color(shown->background);
        for (uint32_t slot = 0; slot < RV_COLOR_SLOTS; slot++) {
            struct rv_color front = rv_color_tones_of(RV_COLOR_PACKAGE, slot, 27).front;
            struct rv_color dimmed = rv_theme_emphasize(shown, RV_EMPHASIS_DIMMED, front);
            cr_expect_lt(rv_color_contrast(dimmed, back), rv_color_contrast(front, back) + 0.5f, "slot %u", slot);
        }
    }
}

Test(theme, contrast_is_from_one_to_twenty_one, .timeout = 60)
{
    cr_assert_float_eq(rv_color_contrast(black, white), 21.0f, 0.01f);
    cr_assert_float_eq(rv_color_contrast(white, black), 21.0f, 0.01f);
    cr_assert_float_eq(rv_color_contrast(white, white), 1.0f, 0.001f);
    cr_assert_float_eq(rv_color_contrast(white, (struct rv_color){0x76, 0x76, 0x76}), 4.54f, 0.01f);
}
