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
#include "debugger/ring_stack.h"
#include "ring/control.h"
#include "ring/directory.h"
#include "ring/message.h"

#define SLICE_NS 50000000u /* look this often whether the thread lives */
#define BUSY_NS 500000000u /* an answer that nobody has fetched by then is nobody's */
#define RETRY_NS 200000u
#define TURN_NS 2000000u
#define MOST_TEXT (16u << 20) /* of one answer */

struct rv_subject {
    struct rv_map *map, own; /* own: where it was opened here */
    struct rv_subject_limits limits;
    bool is_attached;
    char *part;                   /* room for one message */
    struct rv_standing *standing; /* NULL until it is needed */
};

struct rv_subject *rv_subject_over(struct rv_map *map)
{
    struct rv_subject *subject = rv_alloc(1, sizeof *subject);
    subject->map = map;
    subject->part = rv_alloc(1, map->geometry.message_bytes + 1);
    return subject;
}

int rv_subject_attach(struct rv_subject *subject)
{
    int error = subject->is_attached ? 0 : rv_steering_attach(subject->map);
    subject->is_attached |= !error;
    return error;
}

struct rv_subject *rv_subject_open(const char *path)
{
    struct rv_map map;
    if (rv_map_open(&map, path, RV_MAP_CONSUMER, false) != 0)
        return NULL;
    struct rv_subject *subject = rv_subject_over(&map);
    subject->own = map;
    subject->map = &subject->own;
    if (rv_subject_attach(subject) == 0)
        return subject;
    rv_err(EAGAIN, "%s: its file system has no locks", path);
    rv_subject_close(subject);
    return NULL;
}

/* Who is stopped looks up, and sees that it has no monitor. */
static void detach(struct rv_subject *subject)
{
    rv_steering_detach(subject->map);
    for (uint32_t i = 0; i < rv_subject_n_rings(subject); i++) {
        struct rv_subject_thread thread;
        if (rv_subject_thread(subject, i, &thread) == 0 && thread.steering.state == RV_RUN_STOPPED)
            rv_steering_call(rv_map_control(subject->map, i));
    }
}

void rv_subject_close(struct rv_subject *subject)
{
    if (!subject)
        return;
    if (subject->is_attached)
        detach(subject);
    rv_standing_destroy(subject->standing);
    rv_map_close(&subject->own);
    free(subject->part);
    free(subject);
}

void rv_subject_limit(struct rv_subject *subject, const struct rv_subject_limits *limits)
{
    subject->limits = *limits;
}

bool rv_subject_is_given_up(const struct rv_subject *subject)
{
    return subject->limits.is_given_up && subject->limits.is_given_up(subject->limits.context);
}

/* ---- threads ---- */

uint32_t rv_subject_n_rings(struct rv_subject *subject)
{
    return rv_directory_n_rings_used(subject->map);
}

int rv_subject_thread(struct rv_subject *subject, uint32_t ring, struct rv_subject_thread *out)
{
    if (ring >= subject->map->geometry.n_rings)
        return -EINVAL;
    const struct rv_wire_control *control = rv_map_control(subject->map, ring);
    bool is_live = __atomic_load_n(&control->state, __ATOMIC_ACQUIRE) == RV_RING_LIVE; /* D2 <- D1 */
    uint32_t generation = __atomic_load_n(&control->generation, __ATOMIC_RELAXED);
    if (!is_live && generation == 0)
        return -EINVAL; /* nobody ever claimed it */
    if (!is_live || !__atomic_load_n(&control->has_pages, __ATOMIC_RELAXED) ||
        !rv_directory_has_live_owner(subject->map, ring))
        return -ENOENT;
    *out = (struct rv_subject_thread){
        .ring = ring,
        .generation = generation,
        .pid = control->owner_pid,
        .tid = control->owner_tid,
        .steering = rv_steering_read(control),
        .is_muted = __atomic_load_n(&control->is_muted, __ATOMIC_RELAXED),
    };
    rv_directory_thread_name(subject->map, ring, out->name);
    return 0;
}

static bool is_same_thread(struct rv_subject *subject, const struct rv_subject_thread *thread)
{
    struct rv_subject_thread now;
    return rv_subject_thread(subject, thread->ring, &now) == 0 && now.generation == thread->generation;
}

static int find_steered(struct rv_subject *subject, uint32_t ring, struct rv_subject_thread *thread)
{
    int error = rv_subject_thread(subject, ring, thread);
    if (error)
        return error;
    return thread->steering.state == RV_RUN_UNSTEERED ? -EOPNOTSUPP : 0;
}

void rv_subject_stop_new(struct rv_subject *subject, bool is_to_stop)
{
    __atomic_store_n(&subject->map->header->stop_on_create, is_to_stop, __ATOMIC_RELAXED);
}

void rv_subject_mute(struct rv_subject *subject, uint32_t ring, bool is_muted)
{
    struct rv_wire_control *control = rv_map_control(subject->map, ring);
    __atomic_store_n(&control->is_muted, is_muted, __ATOMIC_RELAXED);
    rv_steering_call(control);
}

int32_t rv_subject_signal(struct rv_subject *subject, uint32_t ring)
{
    return (int32_t)rv_control_signal(subject->map, ring);
}

int32_t rv_subject_set_signal(struct rv_subject *subject, uint32_t ring, int32_t value)
{
    return (int32_t)rv_control_set_signal(subject->map, ring, (uint32_t)value);
}

int32_t rv_subject_single(struct rv_subject *subject)
{
    return (int32_t)rv_control_single(subject->map);
}

int32_t rv_subject_set_single(struct rv_subject *subject, int32_t value)
{
    return (int32_t)rv_control_set_single(subject->map, (uint32_t)value);
}

/* ---- asking ---- */

/* Nobody else asks it meanwhile. */
static int take_turn(struct rv_subject *subject, uint32_t ring)
{
    uint64_t begin_ns = rv_clock_mono_ns();
    int error;
    while ((error = rv_steering_begin_asking(subject->map, ring)) == -EBUSY) {
        if (rv_subject_is_given_up(subject))
            return -ECANCELED;
        if (rv_clock_mono_ns() - begin_ns > BUSY_NS)
            break;
        rv_os_sleep_ns(TURN_NS);
    }
    return error;
}

/* What is there is of one who died, or who takes no turns: Devel::RingBuffer's monitors. */
static int post(struct rv_subject *subject, uint32_t ring, const char *code, const char *argument, size_t n_bytes)
{
    uint64_t begin_ns = rv_clock_mono_ns();
    bool has_cancelled = false;
    int error;
    while ((error = rv_command_post(subject->map, ring, code, argument, n_bytes)) == -EBUSY) {
        if (rv_subject_is_given_up(subject))
            return -ECANCELED;
        if (rv_clock_mono_ns() - begin_ns > BUSY_NS) {
            if (has_cancelled)
                break;
            rv_command_cancel(subject->map, ring);
            has_cancelled = true;
        }
        rv_os_sleep_ns(RETRY_NS);
    }
    return error;
}

static int wait_response(struct rv_subject *subject, const struct rv_subject_thread *thread,
                         struct rv_command *response, uint64_t end_ns)
{
    for (;;) {
        uint64_t now_ns = rv_clock_mono_ns();
        uint64_t left_ns = now_ns < end_ns ? end_ns - now_ns : 0;
        int error =
            rv_command_wait_response(subject->map, thread->ring, response, left_ns < SLICE_NS ? left_ns : SLICE_NS);
        if (error != -EAGAIN && error != -ETIMEDOUT)
            return error;
        error = left_ns == 0 ? -ETIMEDOUT : rv_subject_is_given_up(subject) ? -ECANCELED : 0;
        if (error || !is_same_thread(subject, thread)) {
            rv_command_cancel(subject->map, thread->ring);
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

static int converse(struct rv_subject *subject, const struct rv_subject_thread *thread, const char *code,
                    const char *argument, uint64_t end_ns, struct rv_answer *answer)
{
    size_t capacity = 0, n_bytes = strlen(argument);
    size_t most = subject->limits.answer_bytes ? subject->limits.answer_bytes : MOST_TEXT;
    struct rv_command response = {.message = subject->part, .capacity = subject->map->geometry.message_bytes};
    bool has_more;
    do {
        int error = post(subject, thread->ring, code, argument, n_bytes);
        if (!error)
            error = wait_response(subject, thread, &response, end_ns);
        if (error)
            return error;
        append(answer, &capacity, response.message, response.n_bytes);
        if (argument)
            rv_text_escape(answer->code, sizeof answer->code, response.code, strlen(response.code));
        has_more = strchr(response.code, '+') && answer->n_bytes < most;
        if (has_more && rv_subject_is_given_up(subject)) /* who always answers may never come to an end */
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

int rv_subject_ask(struct rv_subject *subject, uint32_t ring, const char *code, const char *argument,
                   uint64_t timeout_ns, struct rv_answer *answer)
{
    uint64_t end_ns = rv_clock_mono_ns() + timeout_ns;
    struct rv_subject_thread thread;
    int error = find_steered(subject, ring, &thread);
    *answer = (struct rv_answer){0};
    if (!error && strlen(argument) > subject->map->geometry.message_bytes)
        error = -E2BIG;
    if (!error)
        error = take_turn(subject, ring);
    if (error)
        return error;
    error = converse(subject, &thread, code, argument, end_ns, answer);
    rv_steering_end_asking(subject->map, ring);
    if (error)
        rv_answer_fini(answer);
    return error;
}

int rv_subject_eval(struct rv_subject *subject, uint32_t ring, const struct rv_subject_expression *expression,
                    uint64_t timeout_ns, struct rv_answer *answer)
{
    size_t n_bytes = strlen(expression->text) + sizeof "4294967295 4294967295 ";
    char *argument = rv_alloc(n_bytes, 1);
    (void)snprintf(argument, n_bytes, "%u %u %s", expression->frame, expression->levels, expression->text);
    int error = rv_subject_ask(subject, ring, "eval", argument, timeout_ns, answer);
    free(argument);
    return error;
}

void rv_answer_fini(struct rv_answer *answer)
{
    free(answer->text);
    *answer = (struct rv_answer){0};
}

/* ---- the global message ---- */

int rv_subject_send_message(struct rv_subject *subject, const char *text, uint64_t timeout_ns)
{
    return rv_message_post(subject->map, text, strlen(text), timeout_ns);
}

int rv_subject_take_message(struct rv_subject *subject, uint64_t timeout_ns, struct rv_answer *answer)
{
    uint64_t waiting;
    uint32_t chunk_bytes;
    *answer = (struct rv_answer){0};
    rv_message_waiting(subject->map, &waiting, &chunk_bytes);
    if (!waiting)
        return -ENOENT;
    size_t n_bytes, capacity = 0, most = waiting < MOST_TEXT ? (size_t)waiting : MOST_TEXT;
    char *bytes = rv_alloc(most + 1, 1);
    int error = rv_message_receive(subject->map, bytes, most, &n_bytes, timeout_ns);
    if (!error)
        append(answer, &capacity, bytes, n_bytes);
    answer->is_fine = !error;
    free(bytes);
    return error == -EMSGSIZE ? -EBUSY : error; /* another one, since */
}

int rv_subject_wait_stop(struct rv_subject *subject, const struct rv_subject_thread *thread, uint32_t n_stops,
                         uint64_t timeout_ns)
{
    const struct rv_wire_control *control = rv_map_control(subject->map, thread->ring);
    uint64_t begin_ns = rv_clock_mono_ns();
    for (;;) {
        uint64_t waited_ns = rv_clock_mono_ns() - begin_ns;
        uint64_t left_ns = waited_ns < timeout_ns ? timeout_ns - waited_ns : 0;
        int error = rv_steering_wait_stop(control, n_stops, left_ns < SLICE_NS ? left_ns : SLICE_NS);
        if (error == 0)
            return 0;
        if (!is_same_thread(subject, thread))
            return -ENOENT;
        if (left_ns == 0 || rv_subject_is_given_up(subject))
            return left_ns == 0 ? -ETIMEDOUT : -ECANCELED;
    }
}

int rv_subject_stack(struct rv_subject *subject, uint32_t ring, uint64_t timeout_ns, struct rv_answer *answer)
{
    struct rv_subject_thread thread;
    *answer = (struct rv_answer){0};
    int error = rv_subject_thread(subject, ring, &thread);
    if (error)
        return error;
    if (thread.steering.state != RV_RUN_UNSTEERED)
        return rv_subject_ask(subject, ring, "stck", "", timeout_ns, answer);
    if (!subject->standing)
        subject->standing = rv_standing_create(subject->map);
    size_t capacity = 0;
    char *text = rv_standing_show(subject->standing, ring);
    append(answer, &capacity, text, strlen(text));
    free(text);
    answer->is_fine = true;
    return 0;
}

/* ---- watches ---- */

int rv_subject_watch(struct rv_subject *subject, uint32_t ring, const char *expression)
{
    struct rv_subject_thread thread;
    int error = find_steered(subject, ring, &thread);
    return error ? error : rv_watches_add(rv_map_control(subject->map, ring), expression);
}

int rv_subject_unwatch(struct rv_subject *subject, uint32_t ring, unsigned watch)
{
    return rv_watches_remove(rv_map_control(subject->map, ring), watch);
}

static int wait_result(const struct rv_subject *subject, struct rv_wire_control *control, unsigned watch,
                       uint64_t timeout_ns, char *result, int32_t *n_bytes)
{
    uint64_t begin_ns = rv_clock_mono_ns();
    int error = rv_watches_get_result(control, watch, result, n_bytes);
    if (timeout_ns && error == 0)
        error = -EAGAIN; /* of before this call */
    while (error == -EAGAIN && timeout_ns) {
        if (rv_clock_mono_ns() - begin_ns > timeout_ns || rv_subject_is_given_up(subject))
            return -ETIMEDOUT;
        rv_os_sleep_ns(RETRY_NS);
        error = rv_watches_get_result(control, watch, result, n_bytes);
    }
    return error;
}

int rv_subject_value(struct rv_subject *subject, uint32_t ring, unsigned watch, uint64_t timeout_ns,
                     struct rv_subject_value *out)
{
    char expression[RV_WIRE_WATCH_EXPRESSION + 1], result[RV_WIRE_WATCH_RESULT];
    int32_t n_bytes = 0;
    struct rv_subject_thread thread;
    struct rv_wire_control *control = rv_map_control(subject->map, ring);
    *out = (struct rv_subject_value){.is_error = false};
    if (find_steered(subject, ring, &thread) != 0 || rv_watches_expression(control, watch, expression) != 0)
        return -ENOENT;
    rv_text_escape(out->expression, sizeof out->expression, expression, strlen(expression));
    int error = wait_result(subject, control, watch, timeout_ns, result, &n_bytes);
    if (error)
        return error;
    out->is_error = n_bytes < 0;
    rv_text_escape(out->text, sizeof out->text, result, (size_t)(n_bytes < 0 ? -n_bytes : n_bytes));
    return 0;
}

const char *rv_subject_error(int error)
{
    switch (error) {
    case -ENOENT:
        return "it has ended";
    case -EINVAL:
        return "there is no such ring";
    case -EOPNOTSUPP:
        return "not for this producer: it answers no commands";
    case -ETIMEDOUT:
        return "it does not answer; it may wait in a system call, or make no calls";
    case -EBUSY:
        return "another monitor asks it";
    case -E2BIG:
        return "too long";
    case -ENOSPC:
        return "4 expressions are all there are";
    case -EAGAIN:
        return "the trace file's file system has no locks";
    default:
        return strerror(-error);
    }
}
