#include "render/time_axis.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WANTED_MAX 12u         /* a round step gives up to 1.75 times as many, plus one */
#define LABEL_STEPS_MAX 10000u /* a larger offset becomes the base */

struct unit {
    uint64_t ns;
    const char *name;
};

static const struct unit units[] = {{1000000000u, "s"}, {1000000u, "ms"}, {1000u, "µs"}, {1u, "ns"}};

#define MINUTE_NS UINT64_C(60000000000)
#define HOUR_NS (60 * MINUTE_NS)
#define DAY_NS (24 * HOUR_NS)

static const uint64_t clock_steps[] = {
    MINUTE_NS / 2,  MINUTE_NS, 2 * MINUTE_NS, 5 * MINUTE_NS, 10 * MINUTE_NS, 15 * MINUTE_NS,
    30 * MINUTE_NS, HOUR_NS,   2 * HOUR_NS,   3 * HOUR_NS,   6 * HOUR_NS,    12 * HOUR_NS,
};

/* The nearest of 1, 2 and 5 times a power of ten of a unit. */
static uint64_t decimal_step(uint64_t wanted_ns, uint64_t unit_ns)
{
    uint64_t decade = unit_ns;
    while (decade * 10 <= wanted_ns)
        decade *= 10;
    if (wanted_ns * 2 < decade * 3)
        return decade;
    if (wanted_ns * 2 < decade * 7)
        return decade * 2;
    return wanted_ns * 2 < decade * 15 ? decade * 5 : decade * 10;
}

static uint64_t round_step(uint64_t window_ns, unsigned n_wanted)
{
    n_wanted = n_wanted < 1 ? 1 : n_wanted > WANTED_MAX ? WANTED_MAX : n_wanted;
    uint64_t wanted_ns = window_ns / n_wanted;
    size_t n = sizeof clock_steps / sizeof *clock_steps;
    if (wanted_ns * 2 < 20 * UINT64_C(1000000000) + clock_steps[0])
        return decimal_step(wanted_ns, 1);
    for (size_t i = 0; i < n; i++)
        if (wanted_ns * 2 < clock_steps[i] + (i + 1 < n ? clock_steps[i + 1] : DAY_NS))
            return clock_steps[i];
    return decimal_step(wanted_ns, DAY_NS);
}

/* The largest unit not above ten steps, so that labels need about one decimal at most. */
static const struct unit *unit_for(uint64_t step_ns)
{
    const struct unit *unit = units;
    while (unit->ns > step_ns * 10 && unit->ns > 1)
        unit++;
    return unit;
}

/* Decimals that the step needs in this unit. */
static int decimals_for(uint64_t step_ns, const struct unit *unit)
{
    int decimals = 0;
    uint64_t scale = unit->ns;
    while (scale > 1 && step_ns % scale) {
        scale /= 10;
        decimals++;
    }
    return decimals;
}

/* Days and hours, or hours and minutes: what the step needs, less what is zero. */
static void format_clock(char *out, const char *sign, uint64_t offset_ns, uint64_t step_ns)
{
    bool has_days = step_ns % HOUR_NS == 0 && offset_ns >= DAY_NS;
    uint64_t large_ns = has_days ? DAY_NS : HOUR_NS, small_ns = has_days ? HOUR_NS : MINUTE_NS;
    uint64_t large = offset_ns / large_ns, small = offset_ns % large_ns / small_ns;
    const char *names[2] = {has_days ? "d" : "h", has_days ? "h" : "min"};
    const char *of_zero = step_ns % DAY_NS == 0 ? "d" : step_ns % HOUR_NS == 0 ? "h" : "min";
    if (large && small)
        snprintf(out, RV_TICK_TEXT_BYTES, "%.1s%" PRIu64 " %s %" PRIu64 " %s", sign, large, names[0], small, names[1]);
    else
        snprintf(out, RV_TICK_TEXT_BYTES, "%.1s%" PRIu64 " %s", sign, large ? large : small,
                 large   ? names[0]
                 : small ? names[1]
                         : of_zero);
}

/* The digits that the step needs after the unit's point, and the point. */
static void format_fraction(char digits[12], uint64_t offset_ns, uint64_t step_ns, const struct unit *unit)
{
    uint64_t fraction = offset_ns % unit->ns, scale = unit->ns;
    int n = decimals_for(step_ns, unit);
    digits[0] = '.';
    for (int i = 1; i <= n; i++) {
        scale /= 10;
        digits[i] = (char)('0' + fraction / scale % 10);
    }
    digits[n ? n + 1 : 0] = '\0';
}

static void format_offset(char *out, const char *sign, uint64_t offset_ns, uint64_t step_ns)
{
    if (step_ns % MINUTE_NS == 0) {
        format_clock(out, sign, offset_ns, step_ns);
        return;
    }
    const struct unit *unit = unit_for(step_ns);
    char digits[12];
    format_fraction(digits, offset_ns, step_ns, unit);
    snprintf(out, RV_TICK_TEXT_BYTES, "%.1s%" PRIu64 "%s %.3s", sign, offset_ns / unit->ns, digits, unit->name);
}

/* From an hour on as "12 d 23:59:40", with the decimals that it is round to; whole days as "13 d". */
static void format_base(char *out, uint64_t offset_ns, uint64_t round_ns)
{
    uint64_t days = offset_ns / DAY_NS, minutes = offset_ns % DAY_NS / MINUTE_NS;
    char digits[12], text[24] = "";
    if (offset_ns < HOUR_NS) {
        format_offset(out, "", offset_ns, round_ns);
        return;
    }
    if (offset_ns % DAY_NS == 0) {
        snprintf(out, RV_TICK_TEXT_BYTES, "%" PRIu64 " d", days);
        return;
    }
    format_fraction(digits, offset_ns, round_ns, units);
    if (days)
        snprintf(text, sizeof text, "%" PRIu64 " d ", days);
    snprintf(out, RV_TICK_TEXT_BYTES, "%s%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64 "%s", text, minutes / 60, minutes % 60,
             offset_ns % MINUTE_NS / units->ns, digits);
}

static void label_tick(struct rv_tick *tick, const struct rv_time_axis_params *params, uint64_t base_ns,
                       uint64_t step_ns)
{
    bool is_before = tick->time_ns < base_ns;
    uint64_t offset_ns = is_before ? base_ns - tick->time_ns : tick->time_ns - base_ns;
    tick->number = offset_ns / step_ns;
    const char *plus = params->is_live || base_ns != params->zero_ns ? "+" : "";
    if (params->is_live && offset_ns == 0)
        snprintf(tick->text, sizeof tick->text, "now");
    else
        format_offset(tick->text, is_before ? "-" : plus, offset_ns, step_ns);
}

/* Of days, hours and minutes from an hour on, the roundest in the first quarter of the window, from the origin; 0: none. */
static uint64_t round_time_in(const struct rv_time_axis_params *params, uint64_t step_ns)
{
    static const uint64_t rounds[] = {DAY_NS, HOUR_NS, MINUTE_NS};
    const uint64_t from_ns = params->from_ns - params->zero_ns, quarter_ns = (params->to_ns - params->from_ns) / 4;
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++) {
        const uint64_t round_ns = (from_ns + quarter_ns) / rounds[i] * rounds[i];
        if (round_ns >= from_ns && round_ns >= HOUR_NS && round_ns % step_ns == 0)
            return round_ns;
    }
    return 0;
}

/* Far from the origin, labels are relative to a round time in the window's first quarter or before it, which is shown
 * once. */
static uint64_t choose_base(struct rv_time_axis *ticks, const struct rv_time_axis_params *params, uint64_t step_ns)
{
    ticks->base[0] = '\0';
    if (params->is_live || params->from_ns < params->zero_ns)
        return params->zero_ns;
    uint64_t offset_ns = params->from_ns - params->zero_ns;
    if (offset_ns / step_ns <= LABEL_STEPS_MAX)
        return params->zero_ns;
    uint64_t round_ns = step_ns;
    const uint64_t in_window_ns = round_time_in(params, step_ns);
    if (in_window_ns) {
        format_base(ticks->base, in_window_ns, MINUTE_NS);
        return params->zero_ns + in_window_ns;
    }
    for (unsigned i = 0; i < 2 || (round_ns < params->to_ns - params->from_ns && i < 6); i++)
        round_ns *= 10;
    offset_ns -= offset_ns % round_ns;
    format_base(ticks->base, offset_ns, round_ns);
    return params->zero_ns + offset_ns;
}

void rv_time_axis_make(struct rv_time_axis *ticks, const struct rv_time_axis_params *params)
{
    ticks->n = 0;
    ticks->base[0] = '\0';
    if (params->to_ns <= params->from_ns)
        return;
    uint64_t step_ns = round_step(params->to_ns - params->from_ns, params->n_wanted);
    uint64_t base_ns = choose_base(ticks, params, step_ns);
    uint64_t first_ns = params->zero_ns % step_ns;
    uint64_t behind_ns = (params->from_ns - first_ns) % step_ns;
    if (params->from_ns > first_ns)
        first_ns = behind_ns ? params->from_ns - behind_ns + step_ns : params->from_ns;
    for (uint64_t time_ns = first_ns; time_ns <= params->to_ns && ticks->n < RV_TIME_AXIS_MAX; time_ns += step_ns) {
        struct rv_tick *tick = &ticks->items[ticks->n++];
        tick->time_ns = time_ns;
        label_tick(tick, params, base_ns, step_ns);
    }
}

unsigned rv_time_axis_label_every(float widest, float distance)
{
    static const unsigned round[] = {1, 2, 5, 10};
    size_t i = 0;
    while (i + 1 < sizeof round / sizeof *round && widest > (float)round[i] * distance)
        i++;
    return round[i];
}
