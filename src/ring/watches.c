#include "ring/watches.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "ring/run_state.h"

enum watch_state { FREE = 0, IN_USE = 1, TO_BE_REMOVED = -2, FIRST_WRITER = 16 };

static bool is_dead_writer(int32_t state)
{
    return state > FIRST_WRITER && kill(state - FIRST_WRITER, 0) != 0 && errno == ESRCH;
}

int rv_watches_add(struct rv_wire_control *control, const char *expression)
{
    size_t n_bytes = strlen(expression);
    if (n_bytes > RV_WIRE_WATCH_EXPRESSION)
        return -E2BIG;
    for (unsigned i = 0; i < RV_WIRE_WATCHES; i++) {
        struct rv_wire_watch *watch = &control->watches[i];
        int32_t seen = __atomic_load_n(&watch->in_use, __ATOMIC_RELAXED);
        if ((seen != FREE && !is_dead_writer(seen)) ||
            !__atomic_compare_exchange_n(&watch->in_use, &seen, FIRST_WRITER + (int32_t)getpid(), false,
                                         __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) /* E6 <- E5 */
            continue;
        memcpy(watch->expression, expression, n_bytes);
        watch->expression_bytes = (int32_t)n_bytes;
        __atomic_store_n(&watch->is_result_ready, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&watch->in_use, IN_USE, __ATOMIC_RELEASE); /* E1 -> E2 */
        rv_run_state_request(control);
        return (int)i;
    }
    return -ENOSPC;
}

int rv_watches_remove(struct rv_wire_control *control, unsigned watch_idx)
{
    if (watch_idx >= RV_WIRE_WATCHES)
        return -ENOENT;
    int32_t in_use = IN_USE;
    if (!__atomic_compare_exchange_n(&control->watches[watch_idx].in_use, &in_use, TO_BE_REMOVED, false,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return -ENOENT;
    rv_run_state_request(control);
    return 0;
}

static void copy_expression(const struct rv_wire_watch *watch, char *expression)
{
    int32_t claimed = __atomic_load_n(&watch->expression_bytes, __ATOMIC_RELAXED);
    size_t n_bytes = claimed < 0 ? 0 : (size_t)claimed;
    n_bytes = n_bytes < RV_WIRE_WATCH_EXPRESSION ? n_bytes : RV_WIRE_WATCH_EXPRESSION;
    memcpy(expression, watch->expression, n_bytes);
    expression[n_bytes] = '\0';
}

int rv_watches_take(struct rv_wire_control *control, unsigned first_idx, char *expression)
{
    for (unsigned i = first_idx; i < RV_WIRE_WATCHES; i++) {
        struct rv_wire_watch *watch = &control->watches[i];
        int32_t state = __atomic_load_n(&watch->in_use, __ATOMIC_ACQUIRE); /* E2 <- E1 */
        if (state == TO_BE_REMOVED) {
            __atomic_store_n(&watch->is_result_ready, 0, __ATOMIC_RELAXED);
            __atomic_store_n(&watch->in_use, FREE, __ATOMIC_RELEASE); /* E5 -> E6 */
        }
        if (state != IN_USE || __atomic_load_n(&watch->is_result_ready, __ATOMIC_ACQUIRE)) /* E6 <- E5 */
            continue;
        copy_expression(watch, expression);
        return (int)i;
    }
    return -ENOENT;
}

int rv_watches_set_result(struct rv_wire_control *control, unsigned watch_idx, const char *value, size_t n_bytes,
                          bool is_error)
{
    if (watch_idx >= RV_WIRE_WATCHES)
        return -ENOENT;
    struct rv_wire_watch *watch = &control->watches[watch_idx];
    if (__atomic_load_n(&watch->in_use, __ATOMIC_RELAXED) != IN_USE)
        return -ENOENT;
    static const char no_text[] = "unknown error"; /* a negative length marks an error, so it cannot be empty */
    if (is_error && (!value || n_bytes == 0)) {
        value = no_text;
        n_bytes = sizeof no_text - 1;
    }
    n_bytes = !value ? 0 : n_bytes < RV_WIRE_WATCH_RESULT ? n_bytes : RV_WIRE_WATCH_RESULT;
    if (n_bytes)
        memcpy(watch->result, value, n_bytes);
    watch->result_bytes = is_error ? -(int32_t)n_bytes : (int32_t)n_bytes;
    __atomic_store_n(&watch->is_result_ready, 1, __ATOMIC_RELEASE); /* E3 -> E4 */
    return 0;
}

int rv_watches_get_result(struct rv_wire_control *control, unsigned watch_idx, char *result, int32_t *result_bytes)
{
    if (watch_idx >= RV_WIRE_WATCHES)
        return -ENOENT;
    struct rv_wire_watch *watch = &control->watches[watch_idx];
    if (__atomic_load_n(&watch->in_use, __ATOMIC_RELAXED) != IN_USE)
        return -ENOENT;
    if (!__atomic_load_n(&watch->is_result_ready, __ATOMIC_ACQUIRE)) /* E4 <- E3 */
        return -EAGAIN;
    int32_t n_bytes = __atomic_load_n(&watch->result_bytes, __ATOMIC_RELAXED);
    n_bytes = n_bytes > (int32_t)RV_WIRE_WATCH_RESULT    ? (int32_t)RV_WIRE_WATCH_RESULT
              : n_bytes < -(int32_t)RV_WIRE_WATCH_RESULT ? -(int32_t)RV_WIRE_WATCH_RESULT
                                                         : n_bytes;
    memcpy(result, watch->result, (size_t)(n_bytes < 0 ? -n_bytes : n_bytes));
    *result_bytes = n_bytes;
    __atomic_store_n(&watch->is_result_ready, 0, __ATOMIC_RELEASE); /* E5 -> E6 */
    rv_run_state_request(control);
    return 0;
}

int rv_watches_expression(const struct rv_wire_control *control, unsigned watch_idx, char *expression)
{
    if (watch_idx >= RV_WIRE_WATCHES ||
        __atomic_load_n(&control->watches[watch_idx].in_use, __ATOMIC_ACQUIRE) != IN_USE)
        return -ENOENT; /* E2 <- E1 */
    copy_expression(&control->watches[watch_idx], expression);
    return 0;
}
