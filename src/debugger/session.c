/*
 * The worker does an order when there is one, and otherwise looks, every LOOK_NS. Looking at control words costs the
 * threads nothing; asking one that runs for its stack does, a little: that is done every POLL_NS, and never for more
 * than a twentieth of the time. A question that has no answer yet makes way for an order.
 */
#include "debugger/session.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/os.h"
#include "base/vec.h"
#include "debugger/chosen_thread.h"
#include "debugger/session_text.h"
#include "ring/names.h"
#include "ring/live_stack.h"

#define LOOK_NS 25000000u
#define POLL_NS 250000000u
#define POLL_SHARE 20u
#define POLL_ANSWER_NS 200000000u
#define VALUE_NS 500000000u
#define ANSWER_BYTES (64u << 10)
#define MOST_ORDERS 8u
#define MOST_STRINGS (1u << 14) /* of a name: package, name and file */

struct rv_pilot {
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t has_news;
    struct rv_pilot_who chosen;
    uint32_t frame;
    struct rv_pilot_order orders[MOST_ORDERS]; /* the first comes next */
    uint32_t n_orders;
    bool is_closing;
    struct rv_pilot_report shown;
    /* the worker's */
    struct rv_map *map;
    struct rv_helm helm;
    struct rv_pilot_report report; /* as the next that is shown */
    struct rv_pilot_frame listed;  /* whose lines it has */
    bool is_obeying;
    bool is_polling;              /* what is asked may make way for an order */
    bool is_stale;                /* stack, watches and breakpoints are of before what it did last */
    uint64_t polled_ns, pause_ns; /* when it was asked last, and how long not to ask */
};

/* ---- what the application asks ---- */

static bool is_same(struct rv_pilot_who a, struct rv_pilot_who b)
{
    return a.pid == b.pid && a.tid == b.tid;
}

void rv_pilot_choose(struct rv_pilot *pilot, struct rv_pilot_who who)
{
    pthread_mutex_lock(&pilot->lock);
    if (!is_same(pilot->chosen, who)) {
        pilot->chosen = who;
        pilot->n_orders = 0;
        pilot->frame = 0;
        pthread_cond_signal(&pilot->has_news);
    }
    pthread_mutex_unlock(&pilot->lock);
}

void rv_pilot_look_at(struct rv_pilot *pilot, uint32_t frame)
{
    pthread_mutex_lock(&pilot->lock);
    pilot->frame = frame;
    pthread_cond_signal(&pilot->has_news);
    pthread_mutex_unlock(&pilot->lock);
}

bool rv_pilot_order(struct rv_pilot *pilot, const struct rv_pilot_order *order)
{
    pthread_mutex_lock(&pilot->lock);
    bool has_room = pilot->n_orders < MOST_ORDERS && pilot->chosen.tid;
    if (has_room)
        pilot->orders[pilot->n_orders++] = *order;
    pthread_cond_signal(&pilot->has_news);
    pthread_mutex_unlock(&pilot->lock);
    return has_room;
}

bool rv_pilot_report(struct rv_pilot *pilot, struct rv_pilot_report *out)
{
    pthread_mutex_lock(&pilot->lock);
    bool is_other = pilot->shown.version != out->version;
    if (is_other)
        *out = pilot->shown;
    pthread_mutex_unlock(&pilot->lock);
    return is_other;
}

/* ---- asking ---- */

static bool is_given_up(void *context)
{
    struct rv_pilot *pilot = context;
    pthread_mutex_lock(&pilot->lock);
    bool is_over = pilot->is_closing || !is_same(pilot->chosen, pilot->report.chosen);
    bool must_yield = pilot->is_polling && pilot->n_orders > 0;
    pthread_mutex_unlock(&pilot->lock);
    return is_over || must_yield;
}

/* A slot's own text says it all; of one that has none the name is known, and with it the file. */
static void read_slot(const struct rv_pilot *pilot, struct rv_pilot_frame *frame, const struct rv_slot *slot,
                      const char *text)
{
    char strings[MOST_STRINGS], call[MOST_STRINGS + 2];
    struct rv_name name;
    rv_pilot_say(frame->call, sizeof frame->call, text);
    frame->line = slot->line > 0 ? (uint32_t)slot->line : 0;
    if (text[0] || rv_names_read(pilot->map, slot->name_id, &name, strings, sizeof strings) != 0)
        return;
    (void)snprintf(call, sizeof call, "%s%s%s", name.package, *name.package ? "::" : "", name.name);
    rv_pilot_say(frame->call, sizeof frame->call, call);
    rv_pilot_say(frame->file, sizeof frame->file, name.file);
    frame->line = frame->line ? frame->line : name.line;
}

/* The live stack of a thread that answers nothing, where it keeps one. */
static void read_slots(struct rv_pilot *pilot)
{
    struct rv_pilot_report *report = &pilot->report;
    struct rv_slots slots;
    int32_t current, depth;
    char text[sizeof report->frames[0].call];
    rv_slots_view(&slots, pilot->map, pilot->helm.about.ring);
    report->is_silent = rv_slots_position(&slots, &current, &depth) != 0 || depth <= 0 || current < 0;
    report->n_frames = 0;
    memset(report->frames, 0, sizeof report->frames);
    for (int32_t i = 0; !report->is_silent && i < depth && (uint32_t)i < slots.n_slots; i++) {
        struct rv_slot slot;
        report->has_more_frames = report->n_frames == RV_PILOT_FRAMES;
        if (report->has_more_frames || rv_slots_read(&slots, current, &slot, text, sizeof text) != 0)
            return;
        read_slot(pilot, &report->frames[report->n_frames++], &slot, text);
        current = current ? current - 1 : (int32_t)slots.n_slots - 1;
    }
}

static int ask(struct rv_pilot *pilot, const char *code, struct rv_answer *answer)
{
    return rv_subject_ask(pilot->helm.subject, pilot->helm.about.ring, code, "", POLL_ANSWER_NS, answer);
}

static void ask_stack(struct rv_pilot *pilot)
{
    struct rv_answer answer;
    int error = ask(pilot, "stck", &answer);
    if (!error)
        rv_pilot_read_stack(&pilot->report, answer.text);
    if (error != -ECANCELED)
        pilot->report.is_silent = error != 0;
    rv_answer_fini(&answer);
}

static void ask_why(struct rv_pilot *pilot)
{
    struct rv_answer answer;
    if (ask(pilot, "why", &answer) == 0)
        rv_pilot_say(pilot->report.reason, sizeof pilot->report.reason,
                     answer.is_fine && answer.text ? answer.text : "");
    rv_answer_fini(&answer);
}

static void ask_breaks(struct rv_pilot *pilot)
{
    struct rv_answer answer;
    if (ask(pilot, "brkl", &answer) == 0)
        rv_pilot_read_breaks(&pilot->report, answer.text);
    rv_answer_fini(&answer);
}

/* Of a thread that runs, the values of its last look at them. */
static void ask_watches(struct rv_pilot *pilot, bool is_stopped)
{
    for (unsigned i = 0; i < RV_PILOT_WATCHES; i++) {
        struct rv_pilot_watch *watch = &pilot->report.watches[i];
        struct rv_subject_value value;
        int error = rv_subject_value(pilot->helm.subject, pilot->helm.about.ring, i, is_stopped ? VALUE_NS : 0, &value);
        if (error == -ENOENT) {
            memset(watch, 0, sizeof *watch);
            continue;
        }
        bool is_other = strcmp(watch->expression, value.expression) != 0;
        watch->is_used = true;
        rv_pilot_say(watch->expression, sizeof watch->expression, value.expression);
        watch->has_value = !error || (watch->has_value && !is_other && !is_stopped);
        if (error)
            continue;
        watch->is_error = value.is_error;
        rv_pilot_say(watch->value, sizeof watch->value, value.text);
    }
}

/* ---- looking ---- */

/* What is known of it is of before: it is asked again, at once. */
static void expire(struct rv_pilot *pilot)
{
    pilot->is_stale = true;
    pilot->pause_ns = 0;
}

static void look_who_is_stopped(struct rv_pilot *pilot)
{
    struct rv_pilot_report *report = &pilot->report;
    memset(report->stopped, 0, sizeof report->stopped);
    report->n_stopped = report->n_named = 0;
    report->has_other_monitor = rv_steering_has_monitor(pilot->map);
    for (uint32_t i = 0; i < rv_subject_n_rings(pilot->helm.subject); i++) {
        struct rv_subject_thread thread;
        if (rv_subject_thread(pilot->helm.subject, i, &thread) != 0 || thread.steering.state != RV_RUN_STOPPED)
            continue;
        report->n_stopped++;
        if (report->n_named < RV_PILOT_STOPPED_MAX)
            report->stopped[report->n_named++] = (struct rv_pilot_who){thread.pid, thread.tid};
    }
}

static enum rv_pilot_state state_of(struct rv_pilot *pilot)
{
    if (!pilot->report.chosen.tid)
        return RV_PILOT_NOBODY;
    if (!rv_helm_find(&pilot->helm))
        return RV_PILOT_GONE;
    switch (pilot->helm.about.steering.state) {
    case RV_RUN_RUNNING:
        return pilot->helm.is_moving ? RV_PILOT_STEPPING : RV_PILOT_RUNNING;
    case RV_RUN_STOPPED:
        return RV_PILOT_STOPPED;
    case RV_RUN_UNSTEERED:
    case RV_RUN_STATE_COUNT:
        break;
    }
    return RV_PILOT_UNSTEERED;
}

static void look_at_chosen(struct rv_pilot *pilot)
{
    struct rv_pilot_report *report = &pilot->report;
    enum rv_pilot_state before = report->state;
    report->state = state_of(pilot);
    bool has_stopped = report->state == RV_PILOT_STOPPED &&
                       (before != report->state || report->n_stops != pilot->helm.about.steering.n_stops);
    report->ring = pilot->helm.about.ring;
    report->n_stops = pilot->helm.about.steering.n_stops;
    pilot->helm.is_moving &= report->state == RV_PILOT_STEPPING;
    if (!has_stopped)
        return;
    expire(pilot);
    rv_pilot_look_at(pilot, 0);
}

static void ask_all(struct rv_pilot *pilot, bool is_stopped)
{
    bool was_stale = pilot->is_stale;
    pilot->is_polling = true;
    ask_stack(pilot);
    if (!pilot->report.is_silent && !is_given_up(pilot)) {
        ask_watches(pilot, is_stopped);
        if (was_stale && is_stopped)
            ask_why(pilot);
        if (was_stale)
            ask_breaks(pilot);
    }
    pilot->is_stale = was_stale && (pilot->report.is_silent || is_given_up(pilot));
    pilot->is_polling = false;
}

/* Stack, watches and breakpoints: of a thread that is stopped when they may be others, else from time to time. */
static void inquire(struct rv_pilot *pilot)
{
    enum rv_pilot_state state = pilot->report.state;
    uint64_t begin_ns = rv_clock_mono_ns();
    bool is_stopped = state == RV_PILOT_STOPPED;
    bool is_there = is_stopped || state == RV_PILOT_RUNNING || state == RV_PILOT_STEPPING;
    bool is_due = (pilot->is_stale || !is_stopped) && begin_ns - pilot->polled_ns >= pilot->pause_ns;
    if (!is_due || (!is_there && state != RV_PILOT_UNSTEERED) || is_given_up(pilot))
        return;
    if (is_there)
        ask_all(pilot, is_stopped);
    else
        read_slots(pilot);
    pilot->is_stale &= is_there;
    pilot->polled_ns = rv_clock_mono_ns();
    pilot->pause_ns = pilot->report.is_silent ? POLL_NS : POLL_SHARE * (pilot->polled_ns - begin_ns);
    if (pilot->pause_ns < POLL_NS)
        pilot->pause_ns = POLL_NS;
}

/* Only when they are others: the file is not read again while nothing moves. */
static void list_lines(struct rv_pilot *pilot)
{
    static const struct rv_pilot_frame none;
    struct rv_pilot_report *report = &pilot->report;
    pthread_mutex_lock(&pilot->lock);
    report->frame = pilot->frame;
    pthread_mutex_unlock(&pilot->lock);
    const struct rv_pilot_frame *frame = report->frame < report->n_frames ? &report->frames[report->frame] : &none;
    if (frame->line == pilot->listed.line && strcmp(frame->file, pilot->listed.file) == 0)
        return;
    pilot->listed = *frame;
    rv_listing_read(&report->listing, report->chosen.pid, frame->file, frame->line);
}

/* ---- the worker ---- */

static void publish(struct rv_pilot *pilot)
{
    pthread_mutex_lock(&pilot->lock);
    struct rv_pilot_report *report = &pilot->report;
    report->is_asked = pilot->is_obeying || pilot->n_orders > 0;
    report->is_stale = pilot->is_stale;
    report->version = pilot->shown.version;
    if (memcmp(report, &pilot->shown, sizeof *report) != 0) {
        report->version++;
        pilot->shown = *report;
    }
    pthread_mutex_unlock(&pilot->lock);
}

static void begin_with(struct rv_pilot *pilot, struct rv_pilot_who chosen)
{
    uint32_t n_orders = pilot->report.n_orders;
    memset(&pilot->report, 0, sizeof pilot->report);
    pilot->report.n_orders = n_orders;
    pilot->report.chosen = chosen;
    pilot->report.state = chosen.tid ? RV_PILOT_UNKNOWN : RV_PILOT_NOBODY;
    memset(&pilot->listed, 0, sizeof pilot->listed);
    pilot->helm.is_moving = false;
    expire(pilot);
}

/* The next order through *order, after a while at most. False when it is time to look instead. */
static bool take_order(struct rv_pilot *pilot, struct rv_pilot_order *order)
{
    uint64_t end_ns = rv_clock_mono_ns() + LOOK_NS;
    pthread_mutex_lock(&pilot->lock);
    while (!pilot->is_closing && pilot->n_orders == 0 && is_same(pilot->chosen, pilot->report.chosen) &&
           pilot->frame == pilot->report.frame && rv_clock_mono_ns() < end_ns)
        (void)rv_os_wait_until(&pilot->has_news, &pilot->lock, end_ns);
    if (!is_same(pilot->chosen, pilot->report.chosen))
        begin_with(pilot, pilot->chosen);
    bool has_one = !pilot->is_closing && pilot->n_orders > 0;
    if (has_one) {
        *order = pilot->orders[0];
        memmove(pilot->orders, pilot->orders + 1, --pilot->n_orders * sizeof *pilot->orders);
    }
    pilot->is_obeying = has_one;
    pthread_mutex_unlock(&pilot->lock);
    return has_one;
}

static bool is_closing(struct rv_pilot *pilot)
{
    pthread_mutex_lock(&pilot->lock);
    bool is = pilot->is_closing;
    pthread_mutex_unlock(&pilot->lock);
    return is;
}

static void *work(void *context)
{
    struct rv_pilot *pilot = context;
    struct rv_pilot_order order;
    while (!is_closing(pilot)) {
        if (take_order(pilot, &order)) {
            publish(pilot);
            rv_helm_obey(&pilot->helm, &order);
            pilot->report.n_orders++;
            pilot->is_obeying = false;
            expire(pilot);
        }
        look_who_is_stopped(pilot);
        look_at_chosen(pilot);
        publish(pilot);
        inquire(pilot);
        list_lines(pilot);
        publish(pilot);
    }
    return NULL;
}

struct rv_pilot *rv_pilot_start(struct rv_map *map)
{
    struct rv_pilot *pilot = rv_alloc(1, sizeof *pilot);
    pilot->map = map;
    pilot->helm = (struct rv_helm){.subject = rv_subject_over(map), .report = &pilot->report};
    rv_subject_limit(pilot->helm.subject, &(struct rv_subject_limits){ANSWER_BYTES, is_given_up, pilot});
    pthread_mutex_init(&pilot->lock, NULL);
    rv_os_init_condition(&pilot->has_news);
    rv_os_start_thread(&pilot->thread, work, pilot);
    return pilot;
}

void rv_pilot_stop(struct rv_pilot *pilot)
{
    if (!pilot)
        return;
    pthread_mutex_lock(&pilot->lock);
    pilot->is_closing = true;
    pthread_cond_signal(&pilot->has_news);
    pthread_mutex_unlock(&pilot->lock);
    pthread_join(pilot->thread, NULL);
    rv_subject_close(pilot->helm.subject);
    pthread_cond_destroy(&pilot->has_news);
    pthread_mutex_destroy(&pilot->lock);
    free(pilot);
}
