#include "viewer/tooltip_rows.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bisect.h"
#include "base/text.h"
#include "base/units.h"
#include "model/lanes.h"

#define SOURCE_BYTES 100u
#define WHAT_BYTES 96u /* of a line */

__attribute__((format(printf, 3, 4))) static void add_line(struct rv_tooltip *tooltip, const char *label,
                                                           const char *format, ...)
{
    struct rv_tooltip_line *line = rv_tooltip_add_line(tooltip, label);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line->text, sizeof line->text, format, arguments);
    va_end(arguments);
    (void)rv_text_end_whole(line->text);
}

static void add_times(struct rv_tooltip *tooltip, const struct rv_hover *hover)
{
    char duration[32], self[32];
    const struct rv_box *box = &hover->box;
    rv_units_format_ns(duration, sizeof duration, box->duration_ns);
    rv_units_format_ns(self, sizeof self, hover->self_ns);
    bool is_open = box->flags & RV_SPAN_OPEN;
    add_line(tooltip, box->flags & RV_BOX_CLIPPED ? "here" : "duration", "%s%s", duration, is_open ? " so far" : "");
    if (hover->has_self)
        add_line(tooltip, "self", "%s%s   (%.0f %%)", hover->is_self_rough ? "about " : "", self,
                 box->duration_ns ? 100.0 * (double)hover->self_ns / (double)box->duration_ns : 100.0);
}

static void add_cell(struct rv_tooltip *tooltip, const struct rv_hover *hover)
{
    char width[32];
    const struct rv_box *box = &hover->box;
    rv_units_format_ns(width, sizeof width, box->duration_ns);
    if (box->count)
        add_line(tooltip, "folded", "%" PRIu32 " call%s, mostly of this", box->count,
                 rv_units_word(box->count, "", "s"));
    else
        add_line(tooltip, "folded", "part of a call, mostly of this");
    const double percent = 100.0 * box->coverage / (RV_BOX_EXACT - 1);
    add_line(tooltip, "covers", "%.*f %% of %s", percent < 1.0 ? 2 : 0, percent, width);
}

/* Of several lanes that are shown as one. */
static void add_share(struct rv_tooltip *tooltip, const struct rv_hover *hover)
{
    add_line(tooltip, "busy", "%.*f of %" PRIu32 " lanes, most with this", hover->n_busy < 9.95 ? 1 : 0, hover->n_busy,
             hover->n_lanes);
    add_line(tooltip, "began", "%" PRIu32 " call%s", hover->box.count, rv_units_word(hover->box.count, "", "s"));
}

static void add_wait(struct rv_tooltip *tooltip, const struct rv_call_waits *waits, struct rv_subroutines *subroutines)
{
    const struct rv_wait *wait = &waits->longest.wait;
    char total[32], longest[32], what[WHAT_BYTES];
    rv_units_format_ns(total, sizeof total, waits->sum.total_ns);
    rv_units_format_ns(longest, sizeof longest, waits->sum.longest_ns);
    (void)snprintf(what, sizeof what, "%s", rv_wait_kind_name(wait->kind));
    rv_subroutines_append_brief_name(subroutines, " ", wait->object, what, sizeof what);
    if (waits->sum.n == 1)
        add_line(tooltip, "waited", "%s for %s", total, what);
    else
        add_line(tooltip, "waited", "%s in %" PRIu64 " waits, %s for %s", total, waits->sum.n, longest, what);
}

/* Who ended the longest wait. */
static void add_waker(struct rv_tooltip *tooltip, const struct rv_tooltip_rows_about *about)
{
    const struct rv_wait_edge *edge = &about->waits->longest;
    char who[WHAT_BYTES];
    if (edge->wait.wake == RV_WAKE_TIMEOUT || !edge->wait.waker) {
        add_line(tooltip, "ended by", edge->wait.wake == RV_WAKE_TIMEOUT ? "(timed out)" : "(not known)");
        return;
    }
    if (edge->waker) {
        rv_lane_copy_label((struct rv_lane *)(uintptr_t)edge->waker, who);
    } else if (!rv_lanes_outside_name(about->lanes, edge->wait.waker, true, who)) {
        (void)snprintf(who, sizeof who, "a thread that is not traced");
    }
    rv_subroutines_append_brief_name(about->subroutines, " in ", edge->waker_call, who, sizeof who);
    add_line(tooltip, "ended by", "%s%s", who, edge->wait.wake == RV_WAKE_LIKELY ? ", likely" : "");
}

static void add_waits(struct rv_tooltip *tooltip, const struct rv_tooltip_rows_about *about)
{
    if (!about->waits || about->waits->sum.n == 0)
        return;
    add_wait(tooltip, about->waits, about->subroutines);
    add_waker(tooltip, about);
}

static void add_flow_end(struct rv_tooltip *tooltip, const char *label, const struct rv_tooltip_rows_about *about,
                         const struct rv_flow_step *step)
{
    struct rv_tooltip_line *line = rv_tooltip_add_line(tooltip, label);
    rv_lane_copy_label(rv_lanes_get(about->lanes, step->lane), line->text);
    rv_subroutines_append_brief_name(about->subroutines, " in ", step->call, line->text, sizeof line->text);
}

static void add_flow(struct rv_tooltip *tooltip, const struct rv_tooltip_rows_about *about)
{
    const struct rv_call_flow *flow = about->flow;
    char name[80] = "(begun before)";
    if (!flow || !flow->is_on)
        return;
    if (flow->name)
        (void)rv_subroutines_brief_name_of(about->subroutines, flow->name, name, sizeof name);
    if (flow->n_more)
        add_line(tooltip, flow->is_task ? "task" : "flow", "%s, and %zu more step%s", name, flow->n_more,
                 rv_units_word(flow->n_more, "", "s"));
    else
        add_line(tooltip, flow->is_task ? "task" : "flow", "%s", name);
    if (flow->has_from)
        add_flow_end(tooltip, "from", about, &flow->from);
    if (flow->has_to)
        add_flow_end(tooltip, "to", about, &flow->to);
}

/* n: the number of the notes. */
static uint64_t covered(struct rv_lane *lane, enum rv_note_kind kind, const struct rv_box *box, uint64_t *n)
{
    const uint64_t range_ns[2] = {box->start_ns, rv_box_end_ns(box)};
    pthread_rwlock_wrlock(&lane->lock);
    const uint64_t covered_ns = rv_notes_covered_ns(lane->notes, lane->n_notes, kind, range_ns, n);
    pthread_rwlock_unlock(&lane->lock);
    return covered_ns;
}

enum { MOST_CPUS = 4 }; /* that are named */

struct cpus { /* that a thread left; at most one more than are named */
    uint32_t numbers[MOST_CPUS + 1];
    size_t n;
};

static void add_cpu(struct cpus *cpus, uint32_t number)
{
    size_t i = 0;
    while (i < cpus->n && cpus->numbers[i] != number)
        i++;
    if (i == cpus->n && i <= MOST_CPUS)
        cpus->numbers[cpus->n++] = number;
}

/* Of merged notes they may not be known. */
static struct cpus find_cpus(struct rv_lane *lane, const struct rv_box *box)
{
    struct cpus cpus = {.n = 0};
    pthread_rwlock_wrlock(&lane->lock);
    for (size_t i = rv_bisect_below(lane->notes, lane->n_notes, sizeof *lane->notes,
                                    offsetof(struct rv_lane_note, start_ns), box->start_ns);
         i < lane->n_notes && lane->notes[i].start_ns < rv_box_end_ns(box); i++) {
        const struct rv_lane_note *note = &lane->notes[i];
        const bool has_cpu = note->kind == RV_NOTE_BLOCKED || note->kind == RV_NOTE_PREEMPTED;
        if (has_cpu && note->id != RV_NOTE_SEVERAL)
            add_cpu(&cpus, note->id);
    }
    pthread_rwlock_unlock(&lane->lock);
    return cpus;
}

/* ", left CPU 0, 3". */
static void name_cpus(const struct cpus *cpus, char *out, size_t out_bytes)
{
    char number[32];
    *out = '\0';
    for (size_t i = 0; i < cpus->n; i++) {
        (void)snprintf(number, sizeof number, i ? ", %" PRIu32 : ", left CPU %" PRIu32, cpus->numbers[i]);
        rv_text_append(out, out_bytes, i < MOST_CPUS ? number : ", ...", SIZE_MAX);
    }
}

/* Of states that its lane has merged, since it has too many, only the share is known. */
static void add_merged(struct rv_tooltip *tooltip, struct rv_lane *lane, const struct rv_box *box)
{
    uint64_t n_merged = 0, n_stretches = 0;
    pthread_rwlock_rdlock(&lane->lock);
    for (size_t i = 0; i < lane->n_notes && lane->notes[i].start_ns < rv_box_end_ns(box); i++) {
        const struct rv_lane_note *note = &lane->notes[i];
        const bool is_here = note->end_ns > box->start_ns && rv_note_is(note, RV_NOTE_FORM_OFF_CPU) && note->n_more;
        n_stretches += is_here;
        n_merged += is_here ? (uint64_t)note->n_more + 1 : 0;
    }
    pthread_rwlock_unlock(&lane->lock);
    if (n_merged)
        add_line(tooltip, "merged", "%" PRIu64 " states in %" PRIu64 " stretch%s of time: these times are estimates",
                 n_merged, n_stretches, rv_units_word(n_stretches, "", "es"));
}

/* Where its thread was off the CPU; of a whole call, with its callees. */
static void add_off_cpu(struct rv_tooltip *tooltip, const struct rv_hover *hover,
                        const struct rv_tooltip_rows_about *about)
{
    char on[32], off[32], ready[32], away[32], left[64];
    const struct rv_box *box = &hover->box;
    if (!about->lane || box->coverage != RV_BOX_EXACT)
        return;
    uint64_t n;
    const uint64_t blocked_ns = covered(about->lane, RV_NOTE_BLOCKED, box, &n);
    const uint64_t runnable_ns = covered(about->lane, RV_NOTE_PREEMPTED, box, &n);
    const uint64_t away_ns = covered(about->lane, RV_NOTE_AWAY, box, &n), off_ns = blocked_ns + runnable_ns + away_ns;
    if (off_ns == 0)
        return;
    rv_units_format_ns(on, sizeof on, box->duration_ns > off_ns ? box->duration_ns - off_ns : 0);
    rv_units_format_ns(off, sizeof off, blocked_ns);
    rv_units_format_ns(ready, sizeof ready, runnable_ns);
    rv_units_format_ns(away, sizeof away, away_ns);
    const struct cpus cpus = find_cpus(about->lane, box);
    name_cpus(&cpus, left, sizeof left);
    if (off_ns > away_ns)
        add_line(tooltip, "on CPU", "%s; blocked %s, runnable %s%s", on, off, ready, left);
    if (away_ns)
        add_line(tooltip, "suspended", "%s", away);
    add_merged(tooltip, about->lane, box);
}

/* What the program's thread could do nothing against. */
static void add_collections(struct rv_tooltip *tooltip, const struct rv_hover *hover,
                            const struct rv_tooltip_rows_about *about)
{
    uint64_t n;
    char time[32];
    if (!about->lane)
        return;
    const uint64_t collected_ns = covered(about->lane, RV_NOTE_GC, &hover->box, &n);
    rv_units_format_ns(time, sizeof time, collected_ns);
    if (n)
        add_line(tooltip, "collecting", "%s of garbage collection, %" PRIu64 " time%s", time, n,
                 rv_units_word(n, "", "s"));
}

/* With its callees; not where a part of them is not known any more. */
static void add_objects(struct rv_tooltip *tooltip, const struct rv_hover *hover,
                        const struct rv_tooltip_rows_about *about)
{
    const struct rv_box *box = &hover->box;
    uint64_t n = 0;
    if (!about->lane || box->coverage != RV_BOX_EXACT)
        return;
    pthread_rwlock_wrlock(&about->lane->lock);
    if (about->lane->made.lost_until_ns <= box->start_ns)
        n = rv_made_objects_between(&about->lane->made, box->start_ns, rv_box_end_ns(box));
    pthread_rwlock_unlock(&about->lane->lock);
    if (n)
        add_line(tooltip, "made", "%" PRIu64 " object%s", n, rv_units_word(n, "", "s"));
}

void rv_tooltip_rows_tell_time(char *out, size_t out_bytes, uint64_t at_ns, uint64_t zero_ns, bool is_live)
{
    char away[32];
    const bool is_before = at_ns < zero_ns;
    rv_units_format_ns(away, sizeof away, is_before ? zero_ns - at_ns : at_ns - zero_ns);
    if (is_live)
        (void)snprintf(out, out_bytes, "%s %s now", away, is_before ? "before" : "after");
    else
        (void)snprintf(out, out_bytes, "%s%s", is_before ? "-" : "+", away);
}

static void add_place(struct rv_tooltip *tooltip, const struct rv_hover *hover,
                      const struct rv_tooltip_rows_about *about)
{
    char time[RV_TOOLTIP_ROWS_TIME_BYTES];
    rv_tooltip_rows_tell_time(time, sizeof time, hover->box.start_ns, about->zero_ns, about->is_live);
    add_line(tooltip, hover->box.flags & RV_SPAN_ORPHAN ? "seen from" : "started", "%s", time);
    if (hover->n_lanes > 1 || hover->is_task)
        add_line(tooltip, "where", "%s", hover->lane_name);
    else
        add_line(tooltip, "where", "%s, depth %" PRIu32, hover->lane_name, hover->box.depth);
}

static void add_calls(struct rv_tooltip *tooltip, const struct rv_hover *hover,
                      const struct rv_tooltip_rows_about *about)
{
    if (hover->box.coverage != RV_BOX_EXACT)
        add_line(tooltip, "calls", "%" PRIu64 " in trace", about->n_calls);
    else
        add_line(tooltip, "calls", "%" PRIu64 " in trace, %.4g %% no longer than this", about->n_calls,
                 100.0 * (double)about->n_below / (double)about->n_calls);
}

static void add_state(struct rv_tooltip *tooltip, uint32_t flags)
{
    if (flags & RV_SPAN_ORPHAN)
        add_line(tooltip, "state", "began before it was seen");
    else if (flags & RV_SPAN_CUT)
        add_line(tooltip, "state", "ended without a return");
    else if (flags & RV_SPAN_OPEN)
        add_line(tooltip, "state", "open");
    if (flags & RV_SPAN_DOUBTFUL)
        add_line(tooltip, "lost", "events, while it was open: it may be several calls");
}

static void add_joined(struct rv_tooltip *tooltip, const struct rv_call_arguments *arguments)
{
    char joined[sizeof tooltip->lines->text] = "";
    for (size_t i = 0; i < arguments->n; i++) {
        rv_text_append(joined, sizeof joined, i ? ", " : "", SIZE_MAX);
        rv_text_append(joined, sizeof joined, arguments->arguments[i], SIZE_MAX);
    }
    add_line(tooltip, "arguments", "%s", joined);
}

/* Of a cell nothing is known, and of an open call no result. */
static void add_arguments(struct rv_tooltip *tooltip, const struct rv_hover *hover,
                          const struct rv_tooltip_rows_about *about)
{
    const struct rv_box *box = &hover->box;
    const struct rv_span call = {.start = box->start_ns, .end = rv_box_end_ns(box), .id = box->id};
    struct rv_call_arguments arguments = {0};
    if (!about->lane || box->coverage != RV_BOX_EXACT)
        return;
    pthread_rwlock_wrlock(&about->lane->lock);
    (void)rv_call_arguments_read(&arguments, &about->lane->texts, about->subroutines, &call);
    pthread_rwlock_unlock(&about->lane->lock);
    if (arguments.n)
        add_joined(tooltip, &arguments);
    if (arguments.result)
        add_line(tooltip, "result", "%s", arguments.result);
    rv_call_arguments_fini(&arguments);
}

/* Of a long path the end. */
static void add_source(struct rv_tooltip *tooltip, const struct rv_subroutine *subroutine)
{
    const size_t n_bytes = strlen(subroutine->file);
    const char *from = subroutine->file + (n_bytes > SOURCE_BYTES ? n_bytes - SOURCE_BYTES : 0);
    while (((unsigned char)*from & 0xc0) == 0x80)
        from++;
    add_line(tooltip, "source", "%s%s:%" PRIu32, from > subroutine->file ? "…" : "", from, subroutine->line);
}

bool rv_tooltip_rows_fill(const struct rv_hover *hover, const struct rv_tooltip_rows_about *about,
                          struct rv_tooltip *tooltip)
{
    if (!hover->is_on)
        return false;
    struct rv_subroutine subroutine = rv_subroutines_get(about->subroutines, hover->box.id);
    float scale = about->scale > 0.0 ? (float)about->scale : 1.0f;
    *tooltip =
        (struct rv_tooltip){.at = {hover->at_px[0] / scale, hover->at_px[1] / scale},
                            .box = hover->box,
                            .thread = hover->thread,
                            .foot = hover->is_pinned ? "pinned    Esc: unpin    F: focus" : "click: pin    F: focus"};
    (void)rv_text_end_whole(rv_subroutine_full_name(&subroutine, tooltip->title, sizeof tooltip->title));
    if (subroutine.file[0])
        add_source(tooltip, &subroutine);
    if (hover->box.coverage == RV_BOX_EXACT)
        add_times(tooltip, hover);
    else if (hover->n_lanes > 1)
        add_share(tooltip, hover);
    else
        add_cell(tooltip, hover);
    add_off_cpu(tooltip, hover, about);
    add_waits(tooltip, about);
    add_flow(tooltip, about);
    add_collections(tooltip, hover, about);
    add_objects(tooltip, hover, about);
    add_arguments(tooltip, hover, about);
    add_place(tooltip, hover, about);
    if (about->n_calls)
        add_calls(tooltip, hover, about);
    add_state(tooltip, hover->box.flags);
    return true;
}
