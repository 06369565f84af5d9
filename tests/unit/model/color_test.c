#include "model/color.h"

#include <criterion/criterion.h>
#include <math.h>

static double linear(uint8_t value)
{
    double v = value / 255.0;
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static void to_oklab(struct rv_color color, double lab[3])
{
    double r = linear(color.r), g = linear(color.g), b = linear(color.b);
    double l = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    double m = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    double s = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    lab[0] = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
    lab[1] = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s;
    lab[2] = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s;
}

static double distance(struct rv_color a, struct rv_color b)
{
    double x[3], y[3];
    to_oklab(a, x);
    to_oklab(b, y);
    return sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) + (x[2] - y[2]) * (x[2] - y[2]));
}

Test(color, top_is_lighter_and_side_darker_than_the_front, .timeout = 10)
{
    for (uint32_t slot = 0; slot <= RV_COLOR_SLOTS; slot++)
        for (uint32_t hash = 0; hash < 65536; hash += 997) {
            struct rv_color_tones tones = rv_color_subroutine(slot, hash);
            double front[3], top[3], side[3];
            to_oklab(tones.front, front);
            to_oklab(tones.top, top);
            to_oklab(tones.side, side);
            cr_assert(fabs(top[0] - front[0] - 0.10) < 0.015, "slot %u: top %+.3f", slot, top[0] - front[0]);
            cr_assert(fabs(front[0] - side[0] - 0.17) < 0.015, "slot %u: side %+.3f", slot, side[0] - front[0]);
        }
}

Test(color, slots_and_states_differ_whatever_the_subroutine, .timeout = 10)
{
    for (uint32_t a = 0; a <= RV_COLOR_SLOTS; a++)
        for (uint32_t hash = 0; hash < 65536; hash += 4099) {
            struct rv_color front = rv_color_subroutine(a, hash).front;
            for (uint32_t b = 0; b < a; b++)
                cr_assert_gt(distance(front, rv_color_subroutine(b, hash * 7).front), 0.08, "slots %u and %u", a, b);
            cr_assert_gt(distance(front, rv_color_gc()), 0.05, "slot %u and GC", a);
            cr_assert_gt(distance(front, rv_color_wait()), 0.08, "slot %u and waiting", a);
        }
}

Test(color, a_subroutine_always_looks_the_same_and_others_of_its_package_a_little_different, .timeout = 10)
{
    struct rv_color one = rv_color_subroutine(2, 0x1234).front, again = rv_color_subroutine(2, 0x1234).front;
    cr_assert(one.r == again.r && one.g == again.g && one.b == again.b);
    double apart = distance(rv_color_subroutine(2, 0x0000).front, rv_color_subroutine(2, 0xffff).front);
    cr_assert(apart > 0.02 && apart < 0.12, "%.3f apart", apart);
}
