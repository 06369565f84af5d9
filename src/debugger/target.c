#include "debugger/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/os.h"
#include "base/text.h"
#include "base/vec.h"
#include "debugger/interleaved_stack.h"
#include "debugger/ring_stack.h"
#include "ring/commands.h"
#include "ring/full_ring_policy.h"
#include "ring/ownership.h"
#include "ring/global_message.h"

#define SLICE_NS 50000000u /* interval of checks whether the thread lives */
#define BUSY_NS 500000000u /* an answer not fetched by then is abandoned */
#define RETRY_NS 200000u
#define TURN_NS 2000000u
#define MOST_TEXT (16u << 20) /* limit of one answer */

struct rv_target {
    struct rv_map *map, own; /* own: if it was opened here */
    struct rv_target_limits limits;
    bool is_attached;
    char *part;                       /* buffer for one message */
    struct rv_ring_stack *ring_stack; /* NULL until it is needed */
};

struct rv_target *rv_target_over(struct rv_map *map)
{
    struct rv_target *target = rv_alloc(1, sizeof *target);
    target->map = map;
    target->part = rv_alloc(1, map->geometry.message_bytes + 1);
    return target;
}

int rv_target_attach(struct rv_target *target)
{
    int error = target->is_attached ? 0 : rv_run_state_attach_monitor(target->map);
    target->is_attached |= !error;
    return error;
}

struct rv_target *rv_target_open(const char *path)
{
    struct rv_map map;
    if (rv_map_open(&map, path, RV_MAP_CONSUMER, false) != 0)
        return NULL;
    struct rv_target *target = rv_target_over(&map);
    target->own = map;
    target->map = &target->own;
    if (rv_target_attach(target) == 0)
        return target;
    rv_err(EAGAIN, "%s: its file system has no locks", path);
    rv_target_close(target);
    return NULL;
}

/* Wake stopped threads, so that they notice that they have no monitor. */
static void detach(struct rv_target *target)
{
    rv_run_state_detach_monitor(target->map);
    for (uint32_t i = 0; i < rv_target_n_rings(target); i++) {
        struct rv_target_thread thread;
        if (rv_target_thread(target, i, &thread) == 0 && thread.run.state == RV_RUN_STOPPED)
            rv_run_state_request(rv_map_control(target->map, i));
    }
}

void rv_target_close(struct rv_target *target)
{
    if (!target)
        return;
    if (target->is_attached)
        detach(target);
    rv_ring_stack_destroy(target->ring_stack);
    rv_map_close(&target->own);
    free(target->part);
    free(target);
}

void rv_target_limit(struct rv_target *target, const struct rv_target_limits *limits)
{
    target->limits = *limits;
}

bool rv_target_is_given_up(const struct rv_target *target)
{
    return target->limits.is_given_up && target->limits.is_given_up(target->limits.context);
}

/* ---- threads ---- */

uint32_t rv_target_n_rings(struct rv_target *target)
{
    return rv_ownership_n_rings_used(target->map);
}

int rv_target_thread(struct rv_target *target, uint32_t ring, struct rv_target_thread *out)
{
    if (ring >= rv_ownership_n_rings_used(target->map))
        return -EINVAL; /* never claimed */
    const struct rv_wire_control *control = rv_map_control(target->map, ring);
    bool is_live = __atomic_load_n(&control->state, __ATOMIC_ACQUIRE) == RV_RING_LIVE; /* D2 <- D1 */
    uint32_t generation = __atomic_load_n(&control->generation, __ATOMIC_RELAXED);
    if (!is_live && generation == 0)
        return -EINVAL; /* never claimed */
    if (!is_live || !__atomic_load_n(&control->has_pages, __ATOMIC_RELAXED) ||
        !rv_ownership_has_live_owner(target->map, ring))
        return -ENOENT;
    *out = (struct rv_target_thread){
        .ring = ring,
        .generation = generation,
        .pid = control->owner_pid,
        .tid = control->owner_tid,
        .run = rv_run_state_read(control),
        .is_muted = __atomic_load_n(&control->is_muted, __ATOMIC_RELAXED),
    };
    rv_ownership_thread_name(target->map, ring, out->name);
    return 0;
}

static bool is_same_thread(struct rv_target *target, const struct rv_target_thread *thread)
{
    struct rv_target_thread now;
    return rv_target_thread(target, thread->ring, &now) == 0 && now.generation == thread->generation;
}

static int find_debuggable(struct rv_target *target, uint32_t ring, struct rv_target_thread *thread)
{
    int error = rv_target_thread(target, ring, thread);
    if (error)
        return error;
    return thread->run.state == RV_RUN_UNSTEERED ? -EOPNOTSUPP : 0;
}

void rv_target_stop_new(struct rv_target *target, bool is_to_stop)
{
    __atomic_store_n(&target->map->header->stop_on_create, is_to_stop, __ATOMIC_RELAXED);
}

void rv_target_mute(struct rv_target *target, uint32_t ring, bool is_muted)
{
    struct rv_wire_control *control = rv_map_control(target->map, ring);
    __atomic_store_n(&control->is_muted, is_muted, __ATOMIC_RELAXED);
    rv_run_state_request(control);
}

int32_t rv_target_signal(struct rv_target *target, uint32_t ring)
{
    return (int32_t)rv_commands_signal(target->map, ring);
}

int32_t rv_target_set_signal(struct rv_target *target, uint32_t ring, int32_t value)
{
    return (int32_t)rv_commands_set_signal(target->map, ring, (uint32_t)value);
}

int32_t rv_target_single(struct rv_target *target)
{
    return (int32_t)rv_commands_single(target->map);
}

int32_t rv_target_set_single(struct rv_target *target, int32_t value)
{
    return (int32_t)rv_commands_set_single(target->map, (uint32_t)value);
}

/* ---- asking ---- */

/* No other monitor sends commands meanwhile. */
static int take_turn(struct rv_target *target, uint32_t ring)
{
    uint64_t begin_ns = rv_clock_mono_ns();
    int error;
    while ((error = rv_run_state_begin_asking(target->map, ring)) == -EBUSY) {
        if (rv_target_is_given_up(target))
            return -ECANCELED;
        if (rv_clock_mono_ns() - begin_ns > BUSY_NS)
            break;
        rv_os_sleep_ns(TURN_NS);
    }
    return error;
}

/* The channel is occupied by a dead monitor, or by one of Devel::RingBuffer, which takes no lock. */
static int post(struct rv_target *target, uint32_t ring, const char *code, const char *argument, size_t n_bytes)
{
    uint64_t begin_ns = rv_clock_mono_ns();
    bool has_cancelled = false;
    int error;
    while ((error = rv_commands_post(target->map, ring, code, argument, n_bytes)) == -EBUSY) {
        if (rv_target_is_given_up(target))
            return -ECANCELED;
        if (rv_clock_mono_ns() - begin_ns > BUSY_NS) {
            if (has_cancelled)
                break;
            rv_commands_cancel(target->map, ring);
            has_cancelled = true;
        }
        rv_os_sleep_ns(RETRY_NS);
    }
    return error;
}

static int wait_response(struct rv_target *target, const struct rv_target_thread *thread, struct rv_command *response,
                         uint64_t end_ns)
{
    for (;;) {
        uint64_t now_ns = rv_clock_mono_ns();
        uint64_t left_ns = now_ns < end_ns ? end_ns - now_ns : 0;
        int error =
            rv_commands_wait_response(target->map, thread->ring, response, left_ns < SLICE_NS ? left_ns : SLICE_NS);
        if (error != -EAGAIN && error != -ETIMEDOUT)
            return error;
        error = left_ns == 0 ? -ETIMEDOUT : rv_target_is_given_up(target) ? -ECANCELED : 0;
        if (error || !is_same_thread(target, thread)) {
            rv_commands_cancel(target->map, thread->ring);
            return error ? error : -ENOENT;
        }
    }
}

static void append(struct rv_answer *answer, size_t *capacity, const char *bytes, size_t n_bytes)
{
    answer->text = rv_vec_reserve(answer->text, capacity, answer->n_bytes + 4 * n_bytes + 1, 1);
    for (size_t done = 0; done < n_bytes;) {
        const char *newline = memchr(bytes + done, '\n', n_bytes - done);
        size_t n = newline ? (size_t)(newline - bytes) - done : n_bytes - done;
        answer->n_bytes += rv_text_escape(answer->text + answer->n_bytes, *capacity - answer->n_bytes, bytes + done, n);
        if (newline)
            answer->text[answer->n_bytes++] = '\n';
        done += n + (newline != NULL);
    }
    answer->text[answer->n_bytes] = '\0';
}

static int converse(struct rv_target *target, const struct rv_target_thread *thread, const char *code,
                    const char *argument, uint64_t end_ns, struct rv_answer *answer)
{
    size_t capacity = 0, n_bytes = strlen(argument);
    size_t most = target->limits.answer_bytes ? target->limits.answer_bytes : MOST_TEXT;
    struct rv_command response = {.message = target->part, .capacity = target->map->geometry.message_bytes};
    bool has_more;
    do {
        int error = post(target, thread->ring, code, argument, n_bytes);
        if (!error)
            error = wait_response(target, thread, &response, end_ns);
        if (error)
            return error;
        append(answer, &capacity, response.message, response.n_bytes);
        if (argument)
            rv_text_escape(answer->code, sizeof answer->code, response.code, strlen(response.code));
        has_more = strchr(response.code, '+') && answer->n_bytes < most;
        if (has_more && rv_target_is_given_up(target)) /* an endless answer must be interruptible */
            return -ECANCELED;
        if (has_more && rv_clock_mono_ns() > end_ns)
            return -ETIMEDOUT;
        code = "more";
        argument = NULL;
        n_bytes = 0;
    } while (has_more);
    answer->is_fine = strncmp(answer->code, "ok", 2) == 0;
    return 0;
}

int rv_target_ask(struct rv_target *target, uint32_t ring, const char *code, const char *argument, uint64_t timeout_ns,
                  struct rv_answer *answer)
{
    uint64_t end_ns = rv_clock_mono_ns() + timeout_ns;
    struct rv_target_thread thread;
    int error = find_debuggable(target, ring, &thread);
    *answer = (struct rv_answer){0};
    if (!error && strlen(argument) > target->map->geometry.message_bytes)
        error = -E2BIG;
    if (!error)
        error = take_turn(target, ring);
    if (error)
        return error;
    error = converse(target, &thread, code, argument, end_ns, answer);
    rv_run_state_end_asking(target->map, ring);
    if (error)
        rv_answer_fini(answer);
    return error;
}

int rv_target_eval(struct rv_target *target, uint32_t ring, const struct rv_target_expression *expression,
                   uint64_t timeout_ns, struct rv_answer *answer)
{
    size_t n_bytes = strlen(expression->text) + sizeof "4294967295 4294967295 ";
    char *argument = rv_alloc(n_bytes, 1);
    (void)snprintf(argument, n_bytes, "%u %u %s", expression->frame, expression->levels, expression->text);
    int error = rv_target_ask(target, ring, "eval", argument, timeout_ns, answer);
    free(argument);
    return error;
}

void rv_answer_fini(struct rv_answer *answer)
{
    free(answer->text);
    *answer = (struct rv_answer){0};
}

/* ---- what is captured ---- */

int rv_target_capture(struct rv_target *target, enum rv_capture_rule rule, const char *text, uint64_t timeout_ns,
                      struct rv_answer *answer)
{
    char line[RV_WIRE_REQUEST_BYTES];
    struct rv_command response = {.message = line, .capacity = sizeof line};
    *answer = (struct rv_answer){0};
    if (strlen(text) > sizeof line)
        return -E2BIG;
    if (!rv_full_ring_has_consumer(target->map->header))
        return -ENOTCONN;
    int error =
        rv_commands_post(target->map, RV_COMMANDS_CONSUMER, rv_capture_control_request(rule), text, strlen(text));
    if (!error)
        error = rv_commands_wait_response(target->map, RV_COMMANDS_CONSUMER, &response, timeout_ns);
    if (error == -ETIMEDOUT)
        rv_commands_cancel(target->map, RV_COMMANDS_CONSUMER);
    if (error)
        return error == -ETIMEDOUT ? -ENOTCONN : error;
    answer->is_fine = strcmp(response.code, "ok") == 0;
    answer->text = rv_alloc(4 * response.n_bytes + 1, 1);
    answer->n_bytes = rv_text_escape(answer->text, 4 * response.n_bytes + 1, line, response.n_bytes);
    return 0;
}

/* ---- the global message ---- */

int rv_target_send_message(struct rv_target *target, const char *text, uint64_t timeout_ns)
{
    return rv_global_message_post(target->map, text, strlen(text), timeout_ns);
}

int rv_target_take_message(struct rv_target *target, uint64_t timeout_ns, struct rv_answer *answer)
{
    uint64_t waiting;
    uint32_t chunk_bytes;
    *answer = (struct rv_answer){0};
    rv_global_message_waiting(target->map, &waiting, &chunk_bytes);
    if (!waiting)
        return -ENOENT;
    size_t n_bytes, capacity = 0, most = waiting < MOST_TEXT ? (size_t)waiting : MOST_TEXT;
    char *bytes = rv_alloc(most + 1, 1);
    int error = rv_global_message_receive(target->map, bytes, most, &n_bytes, timeout_ns);
    if (!error)
        append(answer, &capacity, bytes, n_bytes);
    answer->is_fine = !error;
    free(bytes);
    return error == -EMSGSIZE ? -EBUSY : error; /* another message has replaced it */
}

int rv_target_wait_stop(struct rv_target *target, const struct rv_target_thread *thread, uint32_t n_stops,
                        uint64_t timeout_ns)
{
    const struct rv_wire_control *control = rv_map_control(target->map, thread->ring);
    uint64_t begin_ns = rv_clock_mono_ns();
    for (;;) {
        uint64_t waited_ns = rv_clock_mono_ns() - begin_ns;
        uint64_t left_ns = waited_ns < timeout_ns ? timeout_ns - waited_ns : 0;
        int error = rv_run_state_wait_stop(control, n_stops, left_ns < SLICE_NS ? left_ns : SLICE_NS);
        if (error == 0)
            return 0;
        if (!is_same_thread(target, thread))
            return -ENOENT;
        if (left_ns == 0 || rv_target_is_given_up(target))
            return left_ns == 0 ? -ETIMEDOUT : -ECANCELED;
    }
}

/* ---- the stack ---- */

static void take_text(struct rv_answer *answer, char *text)
{
    size_t capacity = 0;
    rv_answer_fini(answer);
    append(answer, &capacity, text, strlen(text));
    answer->is_fine = true;
    free(text);
}

/* The thread has stood still since then. */
static bool has_stayed(struct rv_target *target, const struct rv_target_thread *thread)
{
    struct rv_target_thread now;
    return thread->run.state == RV_RUN_STOPPED && rv_target_thread(target, thread->ring, &now) == 0 &&
           now.generation == thread->generation && now.run.state == RV_RUN_STOPPED &&
           now.run.n_stops == thread->run.n_stops;
}

static struct rv_ring_stack *ring_stack_of(struct rv_target *target)
{
    if (!target->ring_stack)
        target->ring_stack = rv_ring_stack_create(target->map);
    return target->ring_stack;
}

void rv_target_open_calls(struct rv_target *target, uint32_t ring, struct rv_answer *answer)
{
    *answer = (struct rv_answer){0};
    take_text(answer, rv_ring_stack_show(ring_stack_of(target), ring));
}

int rv_target_stack(struct rv_target *target, uint32_t ring, uint64_t timeout_ns, struct rv_answer *answer)
{
    struct rv_target_thread thread;
    *answer = (struct rv_answer){0};
    int error = rv_target_thread(target, ring, &thread);
    if (error)
        return error;
    if (thread.run.state == RV_RUN_UNSTEERED) {
        rv_target_open_calls(target, ring, answer);
        return 0;
    }
    error = rv_target_ask(target, ring, "stck", "", timeout_ns, answer);
    if (!error && answer->is_fine && answer->n_bytes)
        take_text(answer,
                  rv_interleaved_stack_show(ring_stack_of(target), ring, answer->text, has_stayed(target, &thread)));
    return error;
}

/* ---- watches ---- */

int rv_target_watch(struct rv_target *target, uint32_t ring, const char *expression)
{
    struct rv_target_thread thread;
    int error = find_debuggable(target, ring, &thread);
    return error ? error : rv_watches_add(rv_map_control(target->map, ring), expression);
}

int rv_target_unwatch(struct rv_target *target, uint32_t ring, unsigned watch)
{
    return rv_watches_remove(rv_map_control(target->map, ring), watch);
}

static int wait_result(const struct rv_target *target, struct rv_wire_control *control, unsigned watch,
                       uint64_t timeout_ns, char *result, int32_t *n_bytes)
{
    uint64_t begin_ns = rv_clock_mono_ns();
    int error = rv_watches_get_result(control, watch, result, n_bytes);
    if (timeout_ns && error == 0)
        error = -EAGAIN; /* evaluated before this call */
    while (error == -EAGAIN && timeout_ns) {
        if (rv_clock_mono_ns() - begin_ns > timeout_ns || rv_target_is_given_up(target))
            return -ETIMEDOUT;
        rv_os_sleep_ns(RETRY_NS);
        error = rv_watches_get_result(control, watch, result, n_bytes);
    }
    return error;
}

int rv_target_value(struct rv_target *target, uint32_t ring, unsigned watch, uint64_t timeout_ns,
                    struct rv_target_value *out)
{
    char expression[RV_WIRE_WATCH_EXPRESSION + 1], result[RV_WIRE_WATCH_RESULT];
    int32_t n_bytes = 0;
    struct rv_target_thread thread;
    struct rv_wire_control *control = rv_map_control(target->map, ring);
    *out = (struct rv_target_value){.is_error = false};
    if (find_debuggable(target, ring, &thread) != 0 || rv_watches_expression(control, watch, expression) != 0)
        return -ENOENT;
    rv_text_escape(out->expression, sizeof out->expression, expression, strlen(expression));
    int error = wait_result(target, control, watch, timeout_ns, result, &n_bytes);
    if (error)
        return error;
    out->is_error = n_bytes < 0;
    rv_text_escape(out->text, sizeof out->text, result, (size_t)(n_bytes < 0 ? -n_bytes : n_bytes));
    return 0;
}

const char *rv_target_error(int error)
{
    switch (error) {
    case -ENOENT:
        return "it has ended";
    case -EINVAL:
        return "no such ring";
    case -EOPNOTSUPP:
        return "its producer answers no commands";
    case -ETIMEDOUT:
        return "it does not answer: it may be in a system call, or make no calls";
    case -EBUSY:
        return "another monitor is using it";
    case -ENOTCONN:
        return "no ringviz reads this trace file now";
    case -E2BIG:
        return "too long";
    case -ENOSPC:
        return "at most 4 expressions";
    case -EAGAIN:
        return "the trace file's file system has no locks";
    default:
        return strerror(-error);
    }
}
