/* Every condition caches by id whether a subroutine matches its pattern. Hits whose ranges touch are merged. */
#include "sink/trigger.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/vec.h"
#include "model/regex.h"
#include "model/subroutines.h"

enum kind { KIND_SLOW, KIND_CALL, KIND_DEPTH, KIND_GC, KIND_LOST, KIND_MARK, KIND_COUNT };

static const char *const WORDS[KIND_COUNT] = {"slow", "call", "depth", "gc", "lost", "mark"};
static const char EXPECTED[] = "expected slow REGEX > 20ms, call REGEX, depth > N, gc > 5ms, lost or mark REGEX";

enum { MOST_TEXT_BYTES = 1200 };

struct target { /* a condition's subroutine, or a mark's text */
    bool is_known, matches;
    uint64_t n_waiting, first_ns, last_ns; /* possible hits while its name is unknown */
};

struct condition {
    enum kind kind;
    uint64_t most;           /* ns or depth: greater is a hit */
    struct rv_regex pattern; /* SLOW, CALL and MARK */
    struct target *subjects; /* by id */
    size_t n_subjects;
};

struct range {
    uint64_t from_ns, to_ns;
};

struct rv_trigger {
    struct rv_trigger_keep keep;
    bool has_spans, has_specials; /* there are conditions on spans, on specials */
    uint64_t origin_ns;
    /* under lock */
    pthread_mutex_t lock;
    struct condition *conditions;
    size_t n_conditions, conditions_capacity;
    struct range *ranges; /* in order of their first hits */
    size_t n_ranges, ranges_capacity;
    uint64_t n_hits;
    uint64_t *gc_since; /* ns, by stream; 0: no collection is running */
    size_t n_streams;
};

/* ---- conditions as they are written ---- */

static char *trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t n = strlen(text);
    while (n && isspace((unsigned char)text[n - 1]))
        text[--n] = '\0';
    return text;
}

static bool parse_amount(struct condition *condition, const char *text)
{
    if (condition->kind == KIND_DEPTH)
        return rv_units_parse_count(text, 0, UINT32_MAX, &condition->most) == 0;
    return rv_units_parse_ns(text, &condition->most) == 0;
}

/* Parse the rest: a pattern, "> AMOUNT", both, or nothing. The last '>' is the comparison. */
static bool parse_rest(struct condition *condition, char *rest, char *why, size_t why_bytes)
{
    const enum kind kind = condition->kind;
    const bool has_pattern = kind == KIND_SLOW || kind == KIND_CALL || kind == KIND_MARK;
    if (kind == KIND_SLOW || kind == KIND_DEPTH || kind == KIND_GC) {
        char *comparison = strrchr(rest, '>');
        if (!comparison || !parse_amount(condition, trim(comparison + 1)))
            return false;
        *comparison = '\0';
    }
    rest = trim(rest);
    if (!has_pattern || !*rest)
        return has_pattern == (*rest != '\0');
    char reason[128];
    if (rv_regex_init(&condition->pattern, rest, reason, sizeof reason) == 0)
        return true;
    (void)snprintf(why, why_bytes, "%s", reason);
    return false;
}

int rv_trigger_add(struct rv_trigger *trigger, const char *text, char *why, size_t why_bytes)
{
    char copy[MOST_TEXT_BYTES];
    struct condition condition = {.kind = KIND_SLOW};
    (void)snprintf(why, why_bytes, "%s", EXPECTED);
    if (strlen(text) >= sizeof copy)
        return -EINVAL;
    strcpy(copy, text);
    char *word = trim(copy);
    size_t n_bytes = strcspn(word, " \t>");
    while (condition.kind < KIND_COUNT &&
           (strlen(WORDS[condition.kind]) != n_bytes || strncmp(WORDS[condition.kind], word, n_bytes) != 0))
        condition.kind++;
    if (condition.kind == KIND_COUNT || !parse_rest(&condition, word + n_bytes, why, why_bytes))
        return -EINVAL;
    trigger->conditions = rv_vec_reserve(trigger->conditions, &trigger->conditions_capacity, trigger->n_conditions + 1,
                                         sizeof *trigger->conditions);
    trigger->conditions[trigger->n_conditions++] = condition;
    bool is_of_spans = condition.kind <= KIND_DEPTH;
    trigger->has_spans |= is_of_spans;
    trigger->has_specials |= !is_of_spans;
    return 0;
}

/* ---- hits; all under the lock ---- */

static void hit(struct rv_trigger *trigger, uint64_t n_hits, uint64_t first_ns, uint64_t last_ns)
{
    const struct rv_trigger_keep *keep = &trigger->keep;
    struct range range = {first_ns > keep->before_ns ? first_ns - keep->before_ns : 0, last_ns + keep->after_ns};
    trigger->n_hits += n_hits;
    struct range *last = trigger->n_ranges ? &trigger->ranges[trigger->n_ranges - 1] : NULL;
    if (last && range.from_ns <= last->to_ns && range.to_ns >= last->from_ns) {
        last->from_ns = range.from_ns < last->from_ns ? range.from_ns : last->from_ns;
        last->to_ns = range.to_ns > last->to_ns ? range.to_ns : last->to_ns;
        return;
    }
    trigger->ranges =
        rv_vec_reserve(trigger->ranges, &trigger->ranges_capacity, trigger->n_ranges + 1, sizeof *trigger->ranges);
    trigger->ranges[trigger->n_ranges++] = range;
}

static struct target *subject_at(struct condition *condition, uint32_t id)
{
    if (id >= condition->n_subjects)
        condition->subjects =
            rv_vec_extend(condition->subjects, &condition->n_subjects, (size_t)id + 1, sizeof *condition->subjects);
    return &condition->subjects[id];
}

/* A hit if the name, which may not be known yet, matches the pattern. */
static void hit_if_named(struct rv_trigger *trigger, struct condition *condition, uint32_t id, uint64_t at_ns)
{
    struct target *target = subject_at(condition, id);
    if (target->is_known) {
        if (target->matches)
            hit(trigger, 1, at_ns, at_ns);
        return;
    }
    if (target->n_waiting++ == 0 || at_ns < target->first_ns)
        target->first_ns = at_ns;
    target->last_ns = at_ns > target->last_ns ? at_ns : target->last_ns;
}

static void look_at_span(struct rv_trigger *trigger, const struct rv_span *span)
{
    const uint64_t end_ns = span->end - trigger->origin_ns;
    for (size_t i = 0; i < trigger->n_conditions; i++) {
        struct condition *condition = &trigger->conditions[i];
        if (condition->kind == KIND_CALL || (condition->kind == KIND_SLOW && span->end - span->start > condition->most))
            hit_if_named(trigger, condition, span->id, end_ns);
        else if (condition->kind == KIND_DEPTH && span->depth > condition->most)
            hit(trigger, 1, end_ns, end_ns);
    }
}

static uint64_t *gc_of(struct rv_trigger *trigger, uint32_t stream)
{
    if (stream >= trigger->n_streams)
        trigger->gc_since =
            rv_vec_extend(trigger->gc_since, &trigger->n_streams, (size_t)stream + 1, sizeof *trigger->gc_since);
    return &trigger->gc_since[stream];
}

static void look_at_special(struct rv_trigger *trigger, uint32_t stream, const struct rv_event *event)
{
    const unsigned kind = rv_event_kind(event);
    const uint64_t now_ns = rv_event_ticks(event);
    uint64_t *gc_since = gc_of(trigger, stream);
    for (size_t i = 0; i < trigger->n_conditions; i++) {
        struct condition *condition = &trigger->conditions[i];
        bool is_long_gc = kind == RV_EVENT_GC_END && *gc_since && now_ns - *gc_since > condition->most;
        if (condition->kind == KIND_MARK && kind == RV_EVENT_MARK && rv_event_step(event) == RV_STEP_NONE)
            hit_if_named(trigger, condition, event->id, now_ns);
        else if ((condition->kind == KIND_GC && is_long_gc) || (condition->kind == KIND_LOST && kind == RV_EVENT_LOST))
            hit(trigger, 1, now_ns, now_ns);
    }
    if (kind == RV_EVENT_GC_START || kind == RV_EVENT_GC_END)
        *gc_since = kind == RV_EVENT_GC_START ? now_ns : 0;
}

/* ---- the sink ---- */

static void begin(void *context, uint64_t origin_ns)
{
    struct rv_trigger *trigger = context;
    trigger->origin_ns = origin_ns;
}

static void take_spans(void *context, const struct rv_lane *lane, const struct rv_span *spans, size_t n)
{
    struct rv_trigger *trigger = context;
    (void)lane;
    pthread_mutex_lock(&trigger->lock);
    for (size_t i = 0; i < n; i++)
        look_at_span(trigger, &spans[i]);
    pthread_mutex_unlock(&trigger->lock);
}

static void take_events(void *context, uint32_t stream, const struct rv_event *events, size_t n)
{
    struct rv_trigger *trigger = context;
    for (size_t i = 0; i < n; i++) {
        if (rv_event_kind(&events[i]) <= RV_EVENT_RETURN) /* the usual case */
            continue;
        pthread_mutex_lock(&trigger->lock);
        look_at_special(trigger, stream, &events[i]);
        pthread_mutex_unlock(&trigger->lock);
    }
}

static void define_for(struct rv_trigger *trigger, struct condition *condition, uint32_t id, const char *full_name)
{
    struct target *target = subject_at(condition, id);
    target->is_known = true;
    target->matches = rv_regex_has(&condition->pattern, full_name);
    if (target->matches && target->n_waiting)
        hit(trigger, target->n_waiting, target->first_ns, target->last_ns);
    target->n_waiting = 0;
}

static void define(void *context, const struct rv_definition *definitions, size_t n)
{
    struct rv_trigger *trigger = context;
    pthread_mutex_lock(&trigger->lock);
    for (size_t i = 0; i < n; i++) {
        const struct rv_subroutine subroutine = {.package = definitions[i].package, .name = definitions[i].name};
        char *full_name = rv_subroutine_take_full_name(&subroutine);
        for (size_t k = 0; k < trigger->n_conditions; k++)
            if (trigger->conditions[k].pattern.is_set)
                define_for(trigger, &trigger->conditions[k], definitions[i].id, full_name);
        free(full_name);
    }
    pthread_mutex_unlock(&trigger->lock);
}

struct rv_sink rv_trigger_sink(struct rv_trigger *trigger)
{
    return (struct rv_sink){.context = trigger,
                            .begin = begin,
                            .events = trigger->has_specials ? take_events : NULL,
                            .spans = trigger->has_spans ? take_spans : NULL,
                            .define = define};
}

/* ---- what is asked ---- */

void rv_trigger_set_keep(struct rv_trigger *trigger, struct rv_trigger_keep keep)
{
    trigger->keep = keep;
}

uint64_t rv_trigger_before_ns(const struct rv_trigger *trigger)
{
    return trigger->keep.before_ns;
}

uint64_t rv_trigger_horizon_ns(const struct rv_trigger *trigger)
{
    return trigger->keep.before_ns + RV_TRIGGER_SLACK_NS;
}

bool rv_trigger_wants(struct rv_trigger *trigger, uint64_t first_ns, uint64_t last_ns)
{
    bool is_wanted = false;
    pthread_mutex_lock(&trigger->lock);
    for (size_t i = trigger->n_ranges; i-- > 0 && !is_wanted;)
        is_wanted = trigger->ranges[i].from_ns <= last_ns && trigger->ranges[i].to_ns >= first_ns;
    pthread_mutex_unlock(&trigger->lock);
    return is_wanted;
}

uint64_t rv_trigger_n_hits(struct rv_trigger *trigger)
{
    pthread_mutex_lock(&trigger->lock);
    uint64_t n_hits = trigger->n_hits;
    pthread_mutex_unlock(&trigger->lock);
    return n_hits;
}

struct rv_trigger *rv_trigger_create(void)
{
    struct rv_trigger *trigger = rv_alloc(1, sizeof *trigger);
    pthread_mutex_init(&trigger->lock, NULL);
    return trigger;
}

void rv_trigger_destroy(struct rv_trigger *trigger)
{
    if (!trigger)
        return;
    for (size_t i = 0; i < trigger->n_conditions; i++) {
        rv_regex_fini(&trigger->conditions[i].pattern);
        free(trigger->conditions[i].subjects);
    }
    pthread_mutex_destroy(&trigger->lock);
    free(trigger->conditions);
    free(trigger->ranges);
    free(trigger->gc_since);
    free(trigger);
}
