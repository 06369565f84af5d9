#include "source/capture_control.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "ring/commands.h"
#include "ring/ownership.h"
#include "source/uncalled_functions.h"

#define ANSWER_BYTES 256u

static const char *const REQUESTS[RV_CAPTURE_RULE_COUNT] = {
    [RV_CAPTURE_EXCLUDE] = "excl",
    [RV_CAPTURE_INCLUDE] = "incl",
    [RV_CAPTURE_UNTRACE] = "untr",
    [RV_CAPTURE_TRACE] = "trac",
};

const char *rv_capture_control_request(enum rv_capture_rule rule)
{
    return REQUESTS[rule];
}

void rv_capture_control_init(struct rv_capture_control *capture, bool publishes)
{
    if (capture->filter && publishes)
        capture->publisher = rv_verdict_publisher_create(capture->map);
}

void rv_capture_control_fini(struct rv_capture_control *capture)
{
    rv_verdict_publisher_destroy(capture->publisher);
    rv_capture_filter_destroy(capture->own);
}

static void begin_filtering(struct rv_capture_control *capture)
{
    if (!capture->filter)
        capture->filter = capture->own = rv_capture_filter_create_open();
    if (!capture->publisher)
        capture->publisher = rv_verdict_publisher_create(capture->map);
}

uint32_t rv_capture_control_id(const struct rv_capture_control *capture, uint32_t process_idx, uint64_t address,
                               uint64_t ticks)
{
    return rv_symbolizer_look_up(rv_symbolizer_process(capture->symbolizer, process_idx), address,
                                 rv_clock_to_ns(&capture->map->clock, ticks));
}

uint32_t rv_capture_control_leave_out(struct rv_capture_control *capture, uint32_t process_idx, uint64_t address,
                                      uint64_t ticks)
{
    const uint32_t id = rv_capture_control_id(capture, process_idx, address, ticks);
    begin_filtering(capture);
    rv_capture_filter_leave_out(capture->filter, capture->symbolizer, id);
    rv_verdict_put(capture->publisher, &(struct rv_verdict_function){process_idx, id, address, ticks}, false);
    return id;
}

uint32_t rv_capture_control_let_in(struct rv_capture_control *capture, uint32_t process_idx, uint64_t address,
                                   uint64_t ticks)
{
    const uint32_t id = rv_capture_control_id(capture, process_idx, address, ticks);
    if (!capture->filter || !rv_capture_filter_let_in(capture->filter, capture->symbolizer, id))
        return 0;
    rv_verdict_publish_again(capture->publisher, capture->filter, capture->symbolizer);
    return id;
}

struct called { /* functions of a process */
    struct rv_capture_control *capture;
    uint32_t process_idx;
    uint64_t ticks;
};

static void put_if_rejected(void *context, uint64_t address, uint32_t id)
{
    const struct called *called = context;
    struct rv_capture_control *capture = called->capture;
    if (!rv_capture_filter_has(capture->filter, capture->symbolizer, id))
        rv_verdict_put(capture->publisher,
                       &(struct rv_verdict_function){called->process_idx, id, address, called->ticks}, false);
}

/* Functions that were called while all were kept have no verdict yet, and may not be called again. */
static void put_rejected(struct rv_capture_control *capture)
{
    const uint64_t ticks = rv_clock_ticks(capture->map->clock.kind);
    for (uint32_t i = 0, n = rv_ownership_n_processes(capture->map); i < n; i++) {
        struct called called = {capture, i, ticks};
        if (__atomic_load_n(&rv_map_process(capture->map, i)->state, __ATOMIC_ACQUIRE) ==
            RV_PROCESS_LIVE) /* D2 <- D1 */
            rv_symbolizer_each_address(rv_symbolizer_process(capture->symbolizer, i), put_if_rejected, &called);
    }
}

/* A line into answer. False: there is no such rule. */
static bool change(struct rv_capture_control *capture, enum rv_capture_rule rule, const char *text,
                   char answer[ANSWER_BYTES])
{
    const bool is_for_more = rule == RV_CAPTURE_INCLUDE || rule == RV_CAPTURE_TRACE;
    begin_filtering(capture);
    const int n = rv_capture_filter_add(capture->filter, capture->symbolizer, rule, text, answer, ANSWER_BYTES);
    if (n < 0)
        return false;
    rv_verdict_publish_again(capture->publisher, capture->filter, capture->symbolizer);
    put_rejected(capture);
    const size_t n_revealed = is_for_more ? rv_uncalled_functions_show(capture) : 0;
    snprintf(answer, ANSWER_BYTES, "%d known subroutine%s %s from now on", n, rv_units_word(n, "", "s"),
             is_for_more ? "traced" : "not traced");
    if (n_revealed)
        snprintf(answer + strlen(answer), ANSWER_BYTES - strlen(answer), "; %zu function%s of programs fit", n_revealed,
                 rv_units_word(n_revealed, "", "s"));
    return true;
}

bool rv_capture_control_is_asked(const struct rv_capture_control *capture)
{
    struct rv_command request = {.capacity = 0};
    return rv_commands_wait(capture->map, RV_COMMANDS_CONSUMER, &request, 0) == 0;
}

void rv_capture_control_answer(struct rv_capture_control *capture)
{
    char text[RV_WIRE_REQUEST_BYTES + 1], answer[ANSWER_BYTES];
    struct rv_command request = {.message = text, .capacity = sizeof text - 1};
    if (rv_commands_wait(capture->map, RV_COMMANDS_CONSUMER, &request, 0) != 0)
        return;
    text[request.n_bytes] = '\0';
    unsigned rule = 0;
    while (rule < RV_CAPTURE_RULE_COUNT && strcmp(request.code, REQUESTS[rule]) != 0)
        rule++;
    snprintf(answer, sizeof answer, "no such request");
    const bool is_done = rule < RV_CAPTURE_RULE_COUNT && change(capture, (enum rv_capture_rule)rule, text, answer);
    (void)rv_commands_respond(capture->map, RV_COMMANDS_CONSUMER, is_done ? "ok" : "err", answer, strlen(answer));
}
