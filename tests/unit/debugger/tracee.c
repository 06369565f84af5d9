#include "tracee.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "ring/commands.h"
#include "ring/ownership.h"
#include "ring/run_state.h"
#include "ring/watches.h"

#define LOOK_NS 20000000u

struct tracee {
    struct tracee_params params;
    struct rv_map map;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t has_begun;
    uint32_t tid; /* 0: not yet */
    bool is_ending, has_arrived;
    /* used by its own thread only */
    uint32_t ring;
    unsigned statement;
    bool is_stopped, is_finishing, is_shy;
    char breaks[64];
};

static void answer(struct tracee *tracee, const char *code, const char *text)
{
    rv_commands_respond(&tracee->map, tracee->ring, code, text, strlen(text));
}

static void set_state(struct tracee *tracee, enum rv_run_state state)
{
    tracee->is_stopped = state == RV_RUN_STOPPED;
    tracee->is_shy = tracee->is_stopped && tracee->params.is_shy;
    rv_run_state_set(rv_map_control(&tracee->map, tracee->ring), state);
}

static void go(struct tracee *tracee, const char *code)
{
    if (!tracee->is_stopped) {
        answer(tracee, "err", "not stopped");
        return;
    }
    set_state(tracee, RV_RUN_RUNNING);
    answer(tracee, "ok", "");
    tracee->is_finishing = strcmp(code, "fin") == 0;
    if (strcmp(code, "run") == 0 || tracee->is_finishing)
        return;
    tracee->statement++;
    set_state(tracee, RV_RUN_STOPPED);
}

static void say_stack(struct tracee *tracee)
{
    char text[200];
    if (tracee->is_shy) {
        tracee->is_shy = false;
        return;
    }
    snprintf(text, sizeof text, "#0 main::f(\"x at y line 3\") at a file.pl line %u\n#1 main program at x.pl line 7\n",
             tracee->statement);
    answer(tracee, "ok", text);
}

/* "FRAME LEVELS EXPRESSION" */
static void evaluate(struct tracee *tracee, const struct rv_command *command)
{
    char text[200], *expression;
    snprintf(text, sizeof text, "%.*s", (int)command->n_bytes, command->message);
    unsigned long frame = strtoul(text, &expression, 10);
    (void)strtoul(expression, &expression, 10);
    expression += *expression == ' ';
    char said[64];
    snprintf(said, sizeof said, "%u of %.40s%s\n", tracee->statement, expression, frame ? " of a caller" : "");
    answer(tracee, *expression == '!' ? "err" : "ok", said);
}

static void obey(struct tracee *tracee, const struct rv_command *command)
{
    char text[64];
    if (strcmp(command->code, "stop") == 0) {
        answer(tracee, "ok", "");
        if (!tracee->is_stopped)
            set_state(tracee, RV_RUN_STOPPED);
    } else if (strcmp(command->code, "stck") == 0) {
        say_stack(tracee);
    } else if (strcmp(command->code, "eval") == 0) {
        evaluate(tracee, command);
    } else if (strcmp(command->code, "why") == 0) {
        snprintf(text, sizeof text, "for statement %u\n", tracee->statement);
        answer(tracee, "ok", text);
    } else if (strcmp(command->code, "tell") == 0 || strcmp(command->code, "more") == 0) {
        answer(tracee, "ok+", "");
    } else if (strcmp(command->code, "wild") == 0) {
        answer(tracee, "\033c", "");
    } else if (strcmp(command->code, "brk") == 0) {
        snprintf(tracee->breaks, sizeof tracee->breaks, "1 %.*s\n", (int)command->n_bytes, command->message);
        answer(tracee, "ok", tracee->breaks);
    } else if (strcmp(command->code, "brkd") == 0) {
        tracee->breaks[0] = '\0';
        answer(tracee, "ok", "");
    } else if (strcmp(command->code, "brkl") == 0) {
        answer(tracee, "ok", tracee->breaks);
    } else {
        go(tracee, command->code);
    }
}

static void look_for_watches(struct tracee *tracee)
{
    struct rv_wire_control *control = rv_map_control(&tracee->map, tracee->ring);
    char expression[RV_WIRE_WATCH_EXPRESSION + 1], text[RV_WIRE_WATCH_RESULT];
    for (int i = -1; (i = rv_watches_take(control, (unsigned)i + 1, expression)) >= 0;) {
        int n = snprintf(text, sizeof text, "%u", tracee->statement);
        rv_watches_set_result(control, (unsigned)i, text, (size_t)n, expression[0] == '!');
    }
}

static void serve(struct tracee *tracee)
{
    char message[256];
    struct rv_command command = {.message = message, .capacity = sizeof message};
    struct rv_wire_control *control = rv_map_control(&tracee->map, tracee->ring);
    rv_run_state_wait_request(control, LOOK_NS);
    if (tracee->params.is_deaf)
        return;
    if (rv_run_state_take_request(control)) {
        if (rv_commands_wait(&tracee->map, tracee->ring, &command, 0) == 0)
            obey(tracee, &command);
        look_for_watches(tracee);
    }
    if (tracee->is_stopped && !rv_run_state_has_monitor(&tracee->map))
        set_state(tracee, RV_RUN_RUNNING);
}

static void *run(void *context)
{
    struct tracee *tracee = context;
    int ring = rv_ownership_claim(&tracee->map, 0);
    if (ring < 0)
        abort();
    tracee->ring = (uint32_t)ring;
    if (!tracee->params.is_plain)
        set_state(tracee, RV_RUN_RUNNING);
    pthread_mutex_lock(&tracee->lock);
    tracee->tid = (uint32_t)rv_os_tid();
    pthread_cond_signal(&tracee->has_begun);
    while (!tracee->is_ending) {
        bool has_arrived = tracee->has_arrived && tracee->is_finishing;
        tracee->has_arrived &= !has_arrived;
        pthread_mutex_unlock(&tracee->lock);
        if (has_arrived) {
            tracee->is_finishing = false;
            tracee->statement += 10;
            set_state(tracee, RV_RUN_STOPPED);
        }
        serve(tracee);
        pthread_mutex_lock(&tracee->lock);
    }
    pthread_mutex_unlock(&tracee->lock);
    rv_ownership_release(&tracee->map, tracee->ring);
    return NULL;
}

struct tracee *tracee_start(const char *path, const struct tracee_params *params)
{
    struct tracee *tracee = calloc(1, sizeof *tracee);
    if (!tracee || rv_map_open(&tracee->map, path, RV_MAP_PRODUCER, false) != 0)
        abort();
    tracee->params = *params;
    tracee->statement = 1;
    pthread_mutex_init(&tracee->lock, NULL);
    pthread_cond_init(&tracee->has_begun, NULL);
    rv_os_start_thread(&tracee->thread, run, tracee);
    pthread_mutex_lock(&tracee->lock);
    while (!tracee->tid)
        pthread_cond_wait(&tracee->has_begun, &tracee->lock);
    pthread_mutex_unlock(&tracee->lock);
    return tracee;
}

uint32_t tracee_tid(const struct tracee *tracee)
{
    return tracee->tid;
}

void tracee_arrive(struct tracee *tracee)
{
    pthread_mutex_lock(&tracee->lock);
    tracee->has_arrived = true;
    pthread_mutex_unlock(&tracee->lock);
}

void tracee_end(struct tracee *tracee)
{
    pthread_mutex_lock(&tracee->lock);
    tracee->is_ending = true;
    pthread_mutex_unlock(&tracee->lock);
    pthread_join(tracee->thread, NULL);
    rv_map_close(&tracee->map);
    pthread_cond_destroy(&tracee->has_begun);
    pthread_mutex_destroy(&tracee->lock);
    free(tracee);
}
