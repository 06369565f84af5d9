#include "render/collections.h"

#include <criterion/criterion.h>
#include <math.h>

#define WIDTH 26.0f
#define N_LINES 650 /* in the window */
#define LINE_NS 100000u
#define WINDOW_NS (N_LINES * (uint64_t)LINE_NS)
#define FROM_NS UINT64_C(123456789)
#define MOST 8192
#define N_SAMPLES 6500
#define MERGED_NS (LINE_NS / 6)

static struct rv_lane_note notes[MOST];
static struct rv_view_lane lane;
static struct rv_view view;
static struct rv_lane_layout layout;
static double shares[N_SAMPLES]; /* that the stripes show, over time */

static void begin(void)
{
    layout = (struct rv_lane_layout){.width = WIDTH, .from_ns = FROM_NS, .to_ns = FROM_NS + WINDOW_NS};
    view = (struct rv_view){
        .from_ns = FROM_NS, .to_ns = FROM_NS + WINDOW_NS, .lanes = &lane, .n_lanes = 1, .notes = notes};
}

TestSuite(collections, .init = begin, .timeout = 60);

static void add(uint64_t start_ns, uint64_t end_ns)
{
    notes[view.n_notes++] = (struct rv_lane_note){.start_ns = start_ns, .end_ns = end_ns, .kind = RV_NOTE_GC};
    lane.n_notes = (uint32_t)view.n_notes;
}

/* Pitch in lines; near ones are merged as a view does it. Returns the mean share. */
static double draw_even(double pitch, double coverage)
{
    const double pitch_ns = pitch * LINE_NS;
    double sum = 0.0;
    view.n_notes = 0;
    for (double at_ns = 0.0; at_ns < (double)WINDOW_NS; at_ns += pitch_ns) {
        add(FROM_NS + (uint64_t)at_ns, FROM_NS + (uint64_t)(at_ns + coverage * pitch_ns));
        if (view.n_notes > 1 && notes[view.n_notes - 1].start_ns - notes[view.n_notes - 2].start_ns < MERGED_NS &&
            rv_note_merge(&notes[view.n_notes - 2], &notes[view.n_notes - 1]))
            lane.n_notes = (uint32_t)--view.n_notes;
    }
    memset(shares, 0, sizeof shares);
    for (size_t i = 0; i < view.n_notes; i++) {
        struct rv_collections_stripe stripe;
        cr_assert(rv_collections_stripe(&view, &layout, 0, i, &stripe));
        const double from = (double)stripe.x0 / (double)WIDTH, to = (double)stripe.x1 / (double)WIDTH;
        for (size_t at = (size_t)(from * N_SAMPLES); at < N_SAMPLES && (double)at < to * N_SAMPLES; at++)
            shares[at] +=
                (double)stripe.share * (fmin(to * N_SAMPLES, (double)at + 1.0) - fmax(from * N_SAMPLES, (double)at));
    }
    for (size_t at = 0; at < N_SAMPLES; at++)
        sum += shares[at];
    return sum / N_SAMPLES;
}

Test(collections, any_coverage_can_be_read)
{
    static const double pitches[] = {0.12, 0.4, 0.7, 1.3, 2.1, 2.9, 3.7, 5.3, 9.1, 31.0};
    static const double coverages[] = {0.001, 0.01, 0.03, 0.13, 0.3, 0.6, 0.9, 1.0};
    for (size_t i = 0; i < sizeof pitches / sizeof *pitches; i++)
        for (size_t j = 0; j < sizeof coverages / sizeof *coverages; j++) {
            const double read = draw_even(pitches[i], coverages[j]), brightened = pitches[i] > 4.0 ? 0.02 : 0.005;
            cr_expect(read > 0.8 * coverages[j] && read < 1.2 * coverages[j] + brightened,
                      "a collection every %g lines, %g %% covered: read as %.2f %%", pitches[i], 100 * coverages[j],
                      100 * read);
        }
}

Test(collections, even_ones_too_close_to_be_distinct_are_an_even_tint)
{
    static const double pitches[] = {0.12, 0.4, 0.7, 1.0, 1.3, 1.6, 1.9};
    for (size_t i = 0; i < sizeof pitches / sizeof *pitches; i++) {
        double least = 1.0, most = 0.0;
        draw_even(pitches[i], 0.13);
        for (size_t at = 0; at < N_SAMPLES - 30; at++) {
            least = fmin(least, shares[at]);
            most = fmax(most, shares[at]);
        }
        cr_expect_lt(most - least, 0.02, "every %g lines: %g to %g", pitches[i], least, most);
    }
}

Test(collections, a_lone_short_one_is_seen_and_a_long_one_is_as_it_is)
{
    struct rv_collections_stripe stripe;
    add(FROM_NS + 100 * LINE_NS, FROM_NS + 100 * LINE_NS + 1);
    add(FROM_NS + 300 * LINE_NS, FROM_NS + 310 * LINE_NS);
    add(FROM_NS + 500 * LINE_NS, FROM_NS + 500 * LINE_NS); /* an instant */
    add(FROM_NS + WINDOW_NS + 1, FROM_NS + WINDOW_NS + 2);
    notes[view.n_notes++] = (struct rv_lane_note){.start_ns = FROM_NS, .end_ns = FROM_NS + 1, .kind = RV_NOTE_LOST};
    for (size_t i = 0; i < 3; i += 2) {
        cr_assert(rv_collections_stripe(&view, &layout, 0, i, &stripe));
        cr_assert_float_eq(stripe.x1 - stripe.x0, RV_COLLECTIONS_LINE, 1e-4f);
        cr_assert(stripe.share > 0.35f && stripe.share < 0.5f);
    }
    cr_assert(rv_collections_stripe(&view, &layout, 0, 1, &stripe));
    cr_assert_float_eq(stripe.x0, 300 * RV_COLLECTIONS_LINE, 1e-3f);
    cr_assert_float_eq(stripe.x1, 310 * RV_COLLECTIONS_LINE, 1e-3f);
    cr_assert_eq(stripe.share, 1.0f);
    cr_assert_not(rv_collections_stripe(&view, &layout, 0, 3, &stripe), "after the window");
    cr_assert_not(rv_collections_stripe(&view, &layout, 0, 4, &stripe), "no collection");
}

Test(collections, a_merged_one_has_the_share_that_it_covers)
{
    struct rv_collections_stripe stripe;
    add(FROM_NS + 100 * LINE_NS, FROM_NS + 200 * LINE_NS);
    notes[0].n_more = 399;
    notes[0].covered_ns = 13 * LINE_NS;
    cr_assert(rv_collections_stripe(&view, &layout, 0, 0, &stripe));
    cr_assert_float_eq(stripe.share, 0.13f, 1e-3f);
}
