/*
 * The worker executes an order if there is one, and otherwise polls every LOOK_NS. Reading control words costs the
 * threads nothing; asking a running thread for its stack costs a little: this is done every POLL_NS, and for at most a
 * twentieth of the time. A query without an answer is abandoned for an order.
 */
#include "debugger/session.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/full_name.h"
#include "base/os.h"
#include "base/vec.h"
#include "debugger/chosen_thread.h"
#include "debugger/answer_parser.h"
#include "ring/names.h"
#include "ring/live_stack.h"
#include "ringviz/wire.h"

#define LOOK_NS 25000000u
#define POLL_NS 250000000u
#define POLL_SHARE 20u
#define POLL_ANSWER_NS 200000000u
#define VALUE_NS 500000000u
#define CAPTURE_NS 2000000000u
#define ANSWER_BYTES (64u << 10)
#define MOST_ORDERS 8u
#define MOST_STRINGS (1u << 14) /* room for a name: package, name and file */

struct rv_debug_session {
    pthread_t thread;
    pthread_mutex_t lock; /* protects the following */
    pthread_cond_t has_news;
    struct rv_debug_session_who chosen;
    uint32_t frame;
    struct rv_debug_session_order orders[MOST_ORDERS]; /* in order */
    uint32_t n_orders;
    struct tracing {
        char name[RV_DEBUG_SESSION_NAME_BYTES];
        bool is_traced;
    } tracings[MOST_ORDERS]; /* in order */
    uint32_t n_tracings;
    bool is_closing;
    struct rv_debug_session_report shown;
    /* worker only */
    struct rv_map *map;
    struct rv_chosen_thread chosen_thread;
    struct rv_debug_session_report report; /* the next one to publish */
    struct rv_debug_session_frame listed;  /* the frame whose source lines it has */
    bool is_obeying;
    bool is_polling;              /* the current query may be abandoned for an order */
    bool is_stale;                /* stack, watches and breakpoints are outdated */
    uint64_t polled_ns, pause_ns; /* time of the last query, and pause until the next */
};

/* ---- what the application asks ---- */

static bool is_same(struct rv_debug_session_who a, struct rv_debug_session_who b)
{
    return a.pid == b.pid && a.tid == b.tid;
}

void rv_debug_session_choose(struct rv_debug_session *debug_session, struct rv_debug_session_who who)
{
    pthread_mutex_lock(&debug_session->lock);
    if (!is_same(debug_session->chosen, who)) {
        debug_session->chosen = who;
        debug_session->n_orders = 0;
        debug_session->frame = 0;
        pthread_cond_signal(&debug_session->has_news);
    }
    pthread_mutex_unlock(&debug_session->lock);
}

void rv_debug_session_look_at(struct rv_debug_session *debug_session, uint32_t frame)
{
    pthread_mutex_lock(&debug_session->lock);
    debug_session->frame = frame;
    pthread_cond_signal(&debug_session->has_news);
    pthread_mutex_unlock(&debug_session->lock);
}

bool rv_debug_session_order(struct rv_debug_session *debug_session, const struct rv_debug_session_order *order)
{
    pthread_mutex_lock(&debug_session->lock);
    bool has_room = debug_session->n_orders < MOST_ORDERS && debug_session->chosen.tid;
    if (has_room)
        debug_session->orders[debug_session->n_orders++] = *order;
    pthread_cond_signal(&debug_session->has_news);
    pthread_mutex_unlock(&debug_session->lock);
    return has_room;
}

bool rv_debug_session_trace(struct rv_debug_session *debug_session, const char *name, bool is_traced)
{
    pthread_mutex_lock(&debug_session->lock);
    const bool has_room = debug_session->n_tracings < MOST_ORDERS && strlen(name) < RV_DEBUG_SESSION_NAME_BYTES;
    if (has_room) {
        struct tracing *tracing = &debug_session->tracings[debug_session->n_tracings++];
        tracing->is_traced = is_traced;
        strcpy(tracing->name, name);
    }
    pthread_cond_signal(&debug_session->has_news);
    pthread_mutex_unlock(&debug_session->lock);
    return has_room;
}

bool rv_debug_session_report(struct rv_debug_session *debug_session, struct rv_debug_session_report *out)
{
    pthread_mutex_lock(&debug_session->lock);
    bool is_other = debug_session->shown.version != out->version;
    if (is_other)
        *out = debug_session->shown;
    pthread_mutex_unlock(&debug_session->lock);
    return is_other;
}

/* ---- asking ---- */

static bool is_given_up(void *context)
{
    struct rv_debug_session *debug_session = context;
    pthread_mutex_lock(&debug_session->lock);
    bool is_over = debug_session->is_closing || !is_same(debug_session->chosen, debug_session->report.chosen);
    bool must_yield = debug_session->is_polling && (debug_session->n_orders > 0 || debug_session->n_tracings > 0);
    pthread_mutex_unlock(&debug_session->lock);
    return is_over || must_yield;
}

/* Describe a slot: by its text, else by its name id, which also has the file. */
static void read_slot(const struct rv_debug_session *debug_session, struct rv_debug_session_frame *frame,
                      const struct rv_slot *slot, const char *text)
{
    char strings[MOST_STRINGS], call[MOST_STRINGS + 2];
    struct rv_name name;
    rv_answer_parser_copy(frame->call, sizeof frame->call, text);
    frame->line = slot->line > 0 ? (uint32_t)slot->line : 0;
    if (text[0] || rv_names_read(debug_session->map, slot->name_id, &name, strings, sizeof strings) != 0)
        return;
    (void)rv_full_name(call, sizeof call, name.package, name.name, name.line_form);
    rv_answer_parser_copy(frame->call, sizeof frame->call, call);
    rv_answer_parser_copy(frame->file, sizeof frame->file, name.file);
    frame->line = frame->line ? frame->line : rv_name_line(name.line_form);
}

/* The live stack of a thread that answers no commands, if it has one. */
static void read_slots(struct rv_debug_session *debug_session)
{
    struct rv_debug_session_report *report = &debug_session->report;
    struct rv_live_stack slots;
    int32_t current, depth;
    char text[sizeof report->frames[0].call];
    rv_live_stack_view(&slots, debug_session->map, debug_session->chosen_thread.about.ring);
    report->is_silent = rv_live_stack_position(&slots, &current, &depth) != 0 || depth <= 0 || current < 0;
    report->n_frames = 0;
    memset(report->frames, 0, sizeof report->frames);
    for (int32_t i = 0; !report->is_silent && i < depth && (uint32_t)i < slots.n_slots; i++) {
        struct rv_slot slot;
        report->has_more_frames = report->n_frames == RV_DEBUG_SESSION_FRAMES;
        if (report->has_more_frames || rv_live_stack_read(&slots, current, &slot, text, sizeof text) != 0)
            return;
        report->frames[report->n_frames].number = report->n_frames;
        read_slot(debug_session, &report->frames[report->n_frames++], &slot, text);
        current = current ? current - 1 : (int32_t)slots.n_slots - 1;
    }
}

static int ask(struct rv_debug_session *debug_session, const char *code, struct rv_answer *answer)
{
    return rv_target_ask(debug_session->chosen_thread.target, debug_session->chosen_thread.about.ring, code, "",
                         POLL_ANSWER_NS, answer);
}

static void ask_stack(struct rv_debug_session *debug_session)
{
    struct rv_answer answer;
    int error = rv_target_stack(debug_session->chosen_thread.target, debug_session->chosen_thread.about.ring,
                                POLL_ANSWER_NS, &answer);
    if (!error)
        rv_answer_parser_read_stack(&debug_session->report, answer.text);
    if (error != -ECANCELED)
        debug_session->report.is_silent = error != 0;
    rv_answer_fini(&answer);
}

static void ask_why(struct rv_debug_session *debug_session)
{
    struct rv_answer answer;
    if (ask(debug_session, "why", &answer) == 0)
        rv_answer_parser_copy(debug_session->report.reason, sizeof debug_session->report.reason,
                              answer.is_fine && answer.text ? answer.text : "");
    rv_answer_fini(&answer);
}

static void ask_breaks(struct rv_debug_session *debug_session)
{
    struct rv_answer answer;
    if (ask(debug_session, "brkl", &answer) == 0)
        rv_answer_parser_read_breaks(&debug_session->report, answer.text);
    rv_answer_fini(&answer);
}

/* For a running thread, the last values. */
static void ask_watches(struct rv_debug_session *debug_session, bool is_stopped)
{
    for (unsigned i = 0; i < RV_DEBUG_SESSION_WATCHES; i++) {
        struct rv_debug_session_watch *watch = &debug_session->report.watches[i];
        struct rv_target_value value;
        int error = rv_target_value(debug_session->chosen_thread.target, debug_session->chosen_thread.about.ring, i,
                                    is_stopped ? VALUE_NS : 0, &value);
        if (error == -ENOENT) {
            memset(watch, 0, sizeof *watch);
            continue;
        }
        bool is_other = strcmp(watch->expression, value.expression) != 0;
        watch->is_used = true;
        rv_answer_parser_copy(watch->expression, sizeof watch->expression, value.expression);
        watch->has_value = !error || (watch->has_value && !is_other && !is_stopped);
        if (error)
            continue;
        watch->is_error = value.is_error;
        rv_answer_parser_copy(watch->value, sizeof watch->value, value.text);
    }
}

/* ---- looking ---- */

/* The report is outdated: query the thread again at once. */
static void expire(struct rv_debug_session *debug_session)
{
    debug_session->is_stale = true;
    debug_session->pause_ns = 0;
}

static void find_stopped(struct rv_debug_session *debug_session)
{
    struct rv_debug_session_report *report = &debug_session->report;
    memset(report->stopped, 0, sizeof report->stopped);
    report->n_stopped = report->n_named = 0;
    report->has_other_monitor = rv_run_state_has_monitor(debug_session->map);
    for (uint32_t i = 0; i < rv_target_n_rings(debug_session->chosen_thread.target); i++) {
        struct rv_target_thread thread;
        if (rv_target_thread(debug_session->chosen_thread.target, i, &thread) != 0 ||
            thread.run.state != RV_RUN_STOPPED)
            continue;
        report->n_stopped++;
        if (report->n_named < RV_DEBUG_SESSION_STOPPED_MAX)
            report->stopped[report->n_named++] = (struct rv_debug_session_who){thread.pid, thread.tid};
    }
}

static enum rv_debug_session_state state_of(struct rv_debug_session *debug_session)
{
    if (!debug_session->report.chosen.tid)
        return RV_DEBUG_SESSION_NOBODY;
    if (!rv_chosen_thread_find(&debug_session->chosen_thread))
        return RV_DEBUG_SESSION_GONE;
    switch (debug_session->chosen_thread.about.run.state) {
    case RV_RUN_RUNNING:
        return debug_session->chosen_thread.is_moving ? RV_DEBUG_SESSION_STEPPING : RV_DEBUG_SESSION_RUNNING;
    case RV_RUN_STOPPED:
        return RV_DEBUG_SESSION_STOPPED;
    case RV_RUN_UNSTEERED:
    case RV_RUN_STATE_COUNT:
        break;
    }
    return RV_DEBUG_SESSION_UNSTEERED;
}

static void look_at_chosen(struct rv_debug_session *debug_session)
{
    struct rv_debug_session_report *report = &debug_session->report;
    enum rv_debug_session_state before = report->state;
    report->state = state_of(debug_session);
    bool has_stopped = report->state == RV_DEBUG_SESSION_STOPPED &&
                       (before != report->state || report->n_stops != debug_session->chosen_thread.about.run.n_stops);
    report->ring = debug_session->chosen_thread.about.ring;
    report->n_stops = debug_session->chosen_thread.about.run.n_stops;
    debug_session->chosen_thread.is_moving &= report->state == RV_DEBUG_SESSION_STEPPING;
    if (!has_stopped)
        return;
    expire(debug_session);
    rv_debug_session_look_at(debug_session, 0);
}

static void ask_all(struct rv_debug_session *debug_session, bool is_stopped)
{
    bool was_stale = debug_session->is_stale;
    debug_session->is_polling = true;
    ask_stack(debug_session);
    if (!debug_session->report.is_silent && !is_given_up(debug_session)) {
        ask_watches(debug_session, is_stopped);
        if (was_stale && is_stopped)
            ask_why(debug_session);
        if (was_stale)
            ask_breaks(debug_session);
    }
    debug_session->is_stale = was_stale && (debug_session->report.is_silent || is_given_up(debug_session));
    debug_session->is_polling = false;
}

/* Query stack, watches and breakpoints: of a stopped thread when they may have changed, else periodically. */
static void query(struct rv_debug_session *debug_session)
{
    enum rv_debug_session_state state = debug_session->report.state;
    uint64_t begin_ns = rv_clock_mono_ns();
    bool is_stopped = state == RV_DEBUG_SESSION_STOPPED;
    bool is_there = is_stopped || state == RV_DEBUG_SESSION_RUNNING || state == RV_DEBUG_SESSION_STEPPING;
    bool is_due =
        (debug_session->is_stale || !is_stopped) && begin_ns - debug_session->polled_ns >= debug_session->pause_ns;
    if (!is_due || (!is_there && state != RV_DEBUG_SESSION_UNSTEERED) || is_given_up(debug_session))
        return;
    if (is_there)
        ask_all(debug_session, is_stopped);
    else
        read_slots(debug_session);
    debug_session->is_stale &= is_there;
    debug_session->polled_ns = rv_clock_mono_ns();
    debug_session->pause_ns =
        debug_session->report.is_silent ? POLL_NS : POLL_SHARE * (debug_session->polled_ns - begin_ns);
    if (debug_session->pause_ns < POLL_NS)
        debug_session->pause_ns = POLL_NS;
}

/* Read source lines only when the place has changed. */
static void list_lines(struct rv_debug_session *debug_session)
{
    static const struct rv_debug_session_frame none;
    struct rv_debug_session_report *report = &debug_session->report;
    pthread_mutex_lock(&debug_session->lock);
    report->frame = debug_session->frame;
    pthread_mutex_unlock(&debug_session->lock);
    const struct rv_debug_session_frame *frame =
        report->frame < report->n_frames ? &report->frames[report->frame] : &none;
    if (frame->line == debug_session->listed.line && strcmp(frame->file, debug_session->listed.file) == 0)
        return;
    debug_session->listed = *frame;
    rv_source_lines_read(&report->listing, report->chosen.pid, frame->file, frame->line);
}

/* ---- the worker ---- */

static void publish(struct rv_debug_session *debug_session)
{
    pthread_mutex_lock(&debug_session->lock);
    struct rv_debug_session_report *report = &debug_session->report;
    report->is_asked = debug_session->is_obeying || debug_session->n_orders > 0;
    report->is_stale = debug_session->is_stale;
    report->version = debug_session->shown.version;
    if (memcmp(report, &debug_session->shown, sizeof *report) != 0) {
        report->version++;
        debug_session->shown = *report;
    }
    pthread_mutex_unlock(&debug_session->lock);
}

static void begin_with(struct rv_debug_session *debug_session, struct rv_debug_session_who chosen)
{
    uint32_t n_orders = debug_session->report.n_orders;
    char traced[sizeof debug_session->report.traced];
    memcpy(traced, debug_session->report.traced, sizeof traced);
    memset(&debug_session->report, 0, sizeof debug_session->report);
    debug_session->report.n_orders = n_orders;
    memcpy(debug_session->report.traced, traced, sizeof traced);
    debug_session->report.chosen = chosen;
    debug_session->report.state = chosen.tid ? RV_DEBUG_SESSION_UNKNOWN : RV_DEBUG_SESSION_NOBODY;
    memset(&debug_session->listed, 0, sizeof debug_session->listed);
    debug_session->chosen_thread.is_moving = false;
    expire(debug_session);
}

/* Wait for the next order; false when it is time to poll. */
static bool take_order(struct rv_debug_session *debug_session, struct rv_debug_session_order *order)
{
    uint64_t end_ns = rv_clock_mono_ns() + LOOK_NS;
    pthread_mutex_lock(&debug_session->lock);
    while (!debug_session->is_closing && debug_session->n_orders == 0 && debug_session->n_tracings == 0 &&
           is_same(debug_session->chosen, debug_session->report.chosen) &&
           debug_session->frame == debug_session->report.frame && rv_clock_mono_ns() < end_ns)
        (void)rv_os_wait_until(&debug_session->has_news, &debug_session->lock, end_ns);
    if (!is_same(debug_session->chosen, debug_session->report.chosen))
        begin_with(debug_session, debug_session->chosen);
    bool has_one = !debug_session->is_closing && debug_session->n_orders > 0;
    if (has_one) {
        *order = debug_session->orders[0];
        memmove(debug_session->orders, debug_session->orders + 1,
                --debug_session->n_orders * sizeof *debug_session->orders);
    }
    debug_session->is_obeying = has_one;
    pthread_mutex_unlock(&debug_session->lock);
    return has_one;
}

static bool take_tracing(struct rv_debug_session *debug_session, struct tracing *tracing)
{
    pthread_mutex_lock(&debug_session->lock);
    const bool has_one = debug_session->n_tracings > 0;
    if (has_one) {
        *tracing = debug_session->tracings[0];
        memmove(debug_session->tracings, debug_session->tracings + 1,
                --debug_session->n_tracings * sizeof *debug_session->tracings);
    }
    pthread_mutex_unlock(&debug_session->lock);
    return has_one;
}

/* The drain answers it within milliseconds. */
static void change_tracing(struct rv_debug_session *debug_session, const struct tracing *tracing)
{
    struct rv_answer answer;
    char line[sizeof debug_session->report.traced];
    const int error = rv_target_capture(debug_session->chosen_thread.target,
                                        tracing->is_traced ? RV_CAPTURE_TRACE : RV_CAPTURE_UNTRACE, tracing->name,
                                        CAPTURE_NS, &answer);
    (void)snprintf(line, sizeof line, "%s", error ? "nobody reads the trace file" : answer.text);
    rv_answer_parser_copy(debug_session->report.traced, sizeof debug_session->report.traced, line);
    rv_answer_fini(&answer);
}

static bool is_closing(struct rv_debug_session *debug_session)
{
    pthread_mutex_lock(&debug_session->lock);
    bool is = debug_session->is_closing;
    pthread_mutex_unlock(&debug_session->lock);
    return is;
}

static void *work(void *context)
{
    struct rv_debug_session *debug_session = context;
    struct rv_debug_session_order order;
    struct tracing tracing;
    while (!is_closing(debug_session)) {
        if (take_order(debug_session, &order)) {
            publish(debug_session);
            rv_chosen_thread_obey(&debug_session->chosen_thread, &order);
            debug_session->report.n_orders++;
            debug_session->is_obeying = false;
            expire(debug_session);
        }
        while (!is_closing(debug_session) && take_tracing(debug_session, &tracing))
            change_tracing(debug_session, &tracing);
        find_stopped(debug_session);
        look_at_chosen(debug_session);
        publish(debug_session);
        query(debug_session);
        list_lines(debug_session);
        publish(debug_session);
    }
    return NULL;
}

struct rv_debug_session *rv_debug_session_start(struct rv_map *map)
{
    struct rv_debug_session *debug_session = rv_alloc(1, sizeof *debug_session);
    debug_session->map = map;
    debug_session->chosen_thread =
        (struct rv_chosen_thread){.target = rv_target_over(map), .report = &debug_session->report};
    rv_target_limit(debug_session->chosen_thread.target,
                    &(struct rv_target_limits){ANSWER_BYTES, is_given_up, debug_session});
    pthread_mutex_init(&debug_session->lock, NULL);
    rv_os_init_condition(&debug_session->has_news);
    rv_os_start_thread(&debug_session->thread, work, debug_session);
    return debug_session;
}

void rv_debug_session_stop(struct rv_debug_session *debug_session)
{
    if (!debug_session)
        return;
    pthread_mutex_lock(&debug_session->lock);
    debug_session->is_closing = true;
    pthread_cond_signal(&debug_session->has_news);
    pthread_mutex_unlock(&debug_session->lock);
    pthread_join(debug_session->thread, NULL);
    rv_target_close(debug_session->chosen_thread.target);
    pthread_cond_destroy(&debug_session->has_news);
    pthread_mutex_destroy(&debug_session->lock);
    free(debug_session);
}
