#include "stream/batch.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(batch, .timeout = 60);

Test(batch, a_batch_has_room_for_its_stated_number_of_events)
{
    struct rv_batch batch = {0};
    rv_batch_init(&batch, RV_BATCH_EVENTS);
    cr_assert_eq((uintptr_t)batch.events % 64, 0);
    cr_assert_eq(batch.n, 0);
    memset(batch.events, 0xff, (RV_BATCH_EVENTS + RV_BATCH_PADDING) * sizeof *batch.events);
    for (uint32_t i = 0; i < RV_BATCH_EVENTS; i++)
        cr_assert_eq(batch.specials[i], 0, "events run into specials");
    memset(batch.specials, 0xff, RV_BATCH_EVENTS * sizeof *batch.specials);
    rv_batch_fini(&batch);
    cr_assert_null(batch.events);
    rv_batch_fini(&batch);
    rv_batch_fini(NULL);
}

/* What the scan wants, by the obvious loop: returns how many were dealt with. */
static uint32_t fit_plainly(const struct rv_event *events, uint32_t n, uint64_t *last, struct rv_event *out,
                            uint32_t *n_out, uint64_t *base)
{
    bool has_base = false;
    *n_out = 0;
    *base = *last;
    for (uint32_t i = 0; i < n; i++) {
        struct rv_event event = events[i];
        unsigned kind = rv_event_kind(&event);
        if (*n_out == RV_BATCH_EVENTS)
            return i;
        if (kind >= RV_EVENT_KIND_COUNT || kind == RV_EVENT_CALL_AT || kind == RV_EVENT_RETURN_AT)
            continue;
        if (kind != RV_EVENT_SYNC) {
            uint64_t now = rv_event_ticks(&event) < *last ? *last : rv_event_ticks(&event);
            *base = has_base ? *base : now;
            has_base = true;
            if (now - *base >= RV_BATCH_NS)
                return i;
            *last = now;
            event.when = (uint64_t)kind << RV_EVENT_KIND_SHIFT | now;
        }
        out[(*n_out)++] = event;
    }
    if (!has_base)
        *base = *last;
    return n;
}

static void check_batch(const struct rv_batch *batch, const struct rv_event *expected, uint32_t n, uint64_t base)
{
    uint32_t n_specials = 0;
    cr_assert_eq(batch->n, n);
    cr_assert_eq(batch->base_ns, base);
    cr_assert_eq(memcmp(batch->events, expected, n * sizeof *expected), 0);
    for (uint32_t i = 0; i < n; i++)
        if (rv_event_kind(&expected[i]) > RV_EVENT_RETURN) {
            cr_assert_lt(n_specials, batch->n_specials);
            cr_assert_eq(batch->specials[n_specials++], i);
        }
    cr_assert_eq(n_specials, batch->n_specials);
}

enum { N_EVENTS = 3 * RV_BATCH_EVENTS };

/* Mostly calls and returns of rising times; the share of other events differs from run to run. */
static void make_events(struct rv_event *events, uint64_t *seed, unsigned one_in)
{
    uint64_t now = 1000;
    for (uint32_t i = 0; i < N_EVENTS; i++) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        uint64_t random = *seed >> 33, kind = random % 2, ns = now += random / 2 % 50;
        if (random % one_in == 0) {
            kind = random / one_in % 16;
            ns = random % 3 ? now - random % 900 : (now += (random % 7 == 0) * 3 * RV_BATCH_NS / 4);
        }
        events[i] = (struct rv_event){.when = kind << RV_EVENT_KIND_SHIFT | ns, .id = i};
    }
}

Test(batch, meets_the_scans_requirements_copied_or_in_place)
{
    static struct rv_event events[N_EVENTS], in_place[N_EVENTS + RV_BATCH_PADDING], expected[RV_BATCH_EVENTS];
    static const unsigned ONE_IN[] = {1, 2, 7, 300, 1u << 30};
    uint64_t seed = 1;
    struct rv_batch batch = {0};
    rv_batch_init(&batch, RV_BATCH_EVENTS);
    for (size_t run = 0; run < sizeof ONE_IN / sizeof *ONE_IN; run++) {
        uint64_t last = 500, last_copied = 500, last_in_place = 500, base;
        make_events(events, &seed, ONE_IN[run]);
        memcpy(in_place, events, sizeof events);
        for (uint32_t at = 0, n; at < N_EVENTS;) {
            uint32_t n_done = fit_plainly(events + at, N_EVENTS - at, &last, expected, &n, &base);
            cr_assert_eq(rv_batch_fill(&batch, events + at, N_EVENTS - at, &last_copied), n_done);
            check_batch(&batch, expected, n, base);
            struct rv_batch view = {.specials = batch.specials};
            cr_assert_eq(rv_batch_fit(&view, in_place + at, N_EVENTS - at, &last_in_place), n_done);
            check_batch(&view, expected, n, base);
            at += n_done;
            batch.n = 0;
        }
        cr_assert_eq(last_copied, last);
        cr_assert_eq(last_in_place, last);
    }
    rv_batch_fini(&batch);
}
