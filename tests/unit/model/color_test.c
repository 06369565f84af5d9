#include "model/color.h"

#include <criterion/criterion.h>
#include <math.h>

static double linear(uint8_t value)
{
    double v = value / 255.0;
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static void linear_to_oklab(const double rgb[3], double lab[3])
{
    double r = rgb[0], g = rgb[1], b = rgb[2];
    double l = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    double m = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    double s = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    lab[0] = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
    lab[1] = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s;
    lab[2] = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s;
}

static void to_oklab(struct rv_color color, double lab[3])
{
    linear_to_oklab((double[]){linear(color.r), linear(color.g), linear(color.b)}, lab);
}

/* Sight by Machado et al. 2009, severity 1, of linear colour. */
enum { N_SIGHTS = 4 };
static const struct {
    const char *name;
    double rows[3][3];
} sights[N_SIGHTS] = {
    {"normal", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {"protanopia", {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
    {"deuteranopia",
     {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
    {"tritanopia", {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}},
};

static void seen_as(struct rv_color color, int sight, double lab[3])
{
    double from[3] = {linear(color.r), linear(color.g), linear(color.b)}, to[3];
    for (int i = 0; i < 3; i++) {
        const double *row = sights[sight].rows[i];
        to[i] = fmin(fmax(row[0] * from[0] + row[1] * from[1] + row[2] * from[2], 0), 1);
    }
    linear_to_oklab(to, lab);
}

static double seen_apart(struct rv_color a, struct rv_color b, int sight)
{
    double x[3], y[3];
    seen_as(a, sight, x);
    seen_as(b, sight, y);
    return 100 * sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) + (x[2] - y[2]) * (x[2] - y[2]));
}

/* A slot in the middle of its shades. */
static struct rv_color middle(enum rv_color_scheme scheme, uint32_t slot)
{
    const uint32_t shades[2] = {3 + 8 * 3, 4 + 8 * 4};
    struct rv_color a = rv_color_tones_of(scheme, slot, shades[0]).front,
                    b = rv_color_tones_of(scheme, slot, shades[1]).front;
    return (struct rv_color){(uint8_t)((a.r + b.r) / 2), (uint8_t)((a.g + b.g) / 2), (uint8_t)((a.b + b.b) / 2)};
}

/* Sights that see two of n colours nearer than this. */
static void check_apart(const struct rv_color *colors, uint32_t n, const double least[N_SIGHTS])
{
    for (int sight = 0; sight < N_SIGHTS; sight++)
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; b < a; b++) {
                double apart = seen_apart(colors[a], colors[b], sight);
                cr_expect_gt(apart, least[sight], "%s: %u and %u are %.2f apart", sights[sight].name, b, a, apart);
            }
}

/* Of a hue and a step of lightness, in the middle of the shades. */
static struct rv_color look(uint32_t slot, uint32_t step)
{
    const uint32_t shades[2] = {2 * step + 8 * 3, 2 * step + 1 + 8 * 4};
    struct rv_color a = rv_color_tones_of(RV_COLOR_PACKAGE, slot, shades[0]).front,
                    b = rv_color_tones_of(RV_COLOR_PACKAGE, slot, shades[1]).front;
    return (struct rv_color){(uint8_t)((a.r + b.r) / 2), (uint8_t)((a.g + b.g) / 2), (uint8_t)((a.b + b.b) / 2)};
}

/* Plain ones; the striped ones are the same with stripes. */
Test(color, packages_differ_in_every_kind_of_vision, .timeout = 60)
{
    struct rv_color looks[RV_COLOR_HUES * RV_COLOR_STEPS], contrasting[8];
    for (uint32_t i = 0; i < RV_COLOR_HUES * RV_COLOR_STEPS; i++)
        looks[i] = look(i / RV_COLOR_STEPS, i % RV_COLOR_STEPS);
    for (uint32_t i = 0; i < 8; i++)
        contrasting[i] = middle(RV_COLOR_HIGH_CONTRAST, i);
    check_apart(looks, RV_COLOR_HUES * RV_COLOR_STEPS, (double[]){7.5, 2.4, 2.6, 3.6});
    check_apart(contrasting, 8, (double[]){12.5, 8.5, 8.0, 7.4});
}

Test(color, states_differ_from_packages_in_every_kind_of_vision, .timeout = 60)
{
    for (int sight = 0; sight < N_SIGHTS; sight++)
        for (uint32_t i = 0; i < RV_COLOR_HUES * RV_COLOR_STEPS; i++) {
            const struct rv_color color = look(i / RV_COLOR_STEPS, i % RV_COLOR_STEPS);
            const double least = sight ? 3.5 : 6.5;
            cr_expect_gt(seen_apart(color, rv_color_gc(), sight), least, "GC, %u, %s", i, sights[sight].name);
            cr_expect_gt(seen_apart(color, middle(RV_COLOR_PACKAGE, RV_COLOR_WAIT), sight), least, "waiting, %u, %s", i,
                         sights[sight].name);
            cr_expect_gt(seen_apart(color, middle(RV_COLOR_PACKAGE, RV_COLOR_NEUTRAL), sight), least, "grey, %u, %s", i,
                         sights[sight].name);
        }
}

Test(color, longer_durations_are_lighter_in_every_kind_of_vision, .timeout = 60)
{
    for (int sight = 0; sight < N_SIGHTS; sight++) {
        double last[3], here[3];
        seen_as(rv_color_tones_of(RV_COLOR_DURATION, 0, 0).front, sight, last);
        for (uint32_t shade = 4; shade < RV_COLOR_SHADES; shade += 4) {
            seen_as(rv_color_tones_of(RV_COLOR_DURATION, 0, shade).front, sight, here);
            cr_expect_gt(here[0], last[0] + 0.01, "%s, shade %u", sights[sight].name, shade);
            last[0] = here[0];
        }
    }
}

Test(color, a_duration_has_its_step_of_the_ramp, .timeout = 60)
{
    cr_assert_eq(rv_color_duration_shade(0), 0);
    cr_assert_eq(rv_color_duration_shade(128), 0);
    cr_assert_eq(rv_color_duration_shade(UINT64_MAX), RV_COLOR_SHADES - 1);
    cr_assert_eq(rv_color_duration_shade(UINT64_C(1) << 20), 31, "half of the octaves");
    for (uint64_t ns = 1; ns < UINT64_C(1) << 40; ns += ns / 3 + 1)
        cr_assert_leq(rv_color_duration_shade(ns), rv_color_duration_shade(ns + ns / 3 + 1));
}

Test(color, high_contrast_is_seven_to_one_against_the_background, .timeout = 60)
{
    double dark = 0.2126 * linear(0x0a) + 0.7152 * linear(0x0e) + 0.0722 * linear(0x16);
    for (uint32_t slot = 0; slot < RV_COLOR_NEUTRAL; slot++) {
        struct rv_color color = rv_color_tones_of(RV_COLOR_HIGH_CONTRAST, slot, 5).front;
        double light = 0.2126 * linear(color.r) + 0.7152 * linear(color.g) + 0.0722 * linear(color.b);
        cr_expect_gt((light + 0.05) / (dark + 0.05), 6.9, "slot %u", slot);
    }
    cr_assert_eq(rv_color_theme_of(RV_COLOR_HIGH_CONTRAST, RV_COLOR_LIGHT), RV_COLOR_DARK);
    cr_assert_eq(rv_color_theme_of(RV_COLOR_PACKAGE, RV_COLOR_LIGHT), RV_COLOR_LIGHT);
}

Test(color, top_is_lighter_and_side_darker_than_the_front, .timeout = 60)
{
    for (uint32_t slot = 0; slot <= RV_COLOR_NEUTRAL; slot++)
        for (uint32_t shade = 0; shade < RV_COLOR_SHADES; shade++) {
            struct rv_color_tones tones = rv_color_tones_of(RV_COLOR_PACKAGE, slot, shade);
            double front[3], top[3], side[3];
            to_oklab(tones.front, front);
            to_oklab(tones.top, top);
            to_oklab(tones.side, side);
            cr_assert(fabs(top[0] - front[0] - 0.10) < 0.015, "slot %u: top %+.3f", slot, top[0] - front[0]);
            cr_assert(fabs(front[0] - side[0] - 0.17) < 0.015, "slot %u: side %+.3f", slot, side[0] - front[0]);
        }
}

Test(color, a_subroutine_always_looks_the_same_and_others_of_its_package_a_little_different, .timeout = 60)
{
    struct rv_color one = rv_color_tones_of(RV_COLOR_PACKAGE, 2, 9).front;
    struct rv_color again = rv_color_tones_of(RV_COLOR_PACKAGE, 2, 9).front;
    cr_assert(one.r == again.r && one.g == again.g && one.b == again.b);
    for (uint32_t step = 0; step < RV_COLOR_STEPS; step++) {
        double apart = seen_apart(rv_color_tones_of(RV_COLOR_PACKAGE, 2, rv_color_shade_of(step, 0)).front,
                                  rv_color_tones_of(RV_COLOR_PACKAGE, 2, rv_color_shade_of(step, 63)).front, 0);
        cr_assert(apart > 2 && apart < 7, "%.3f apart", apart);
    }
}
