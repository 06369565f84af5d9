#include "producers/commands/commands.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "producers/commands/breakpoint_list.h"
#include "ringviz/monitor.h"

#define LIVENESS_NS 200000000u
#define WATCH_NS 500000000u  /* limit of one watched expression or condition */
#define GIVE_UP_NS 10000000u /* interval of checks whether a running expression is still wanted */

enum request { NO_REQUEST, COMMAND, WATCH };

static const uint32_t nobody, somebody = 1;
_Thread_local struct rv_commands rv_commands = {.attention = &nobody};

struct ring {
    struct ringviz_file *file;
    uint32_t idx;
};

struct rv_commands_request { /* whose expression runs and may be aborted */
    enum request kind;
    struct ring ring;
    bool has_ring, had_monitor;
    uint64_t began_ns;               /* of the expression */
    struct ringviz_command received; /* the current command, in a buffer of its own */
    char *again;                     /* buffer of the same size, to look whether it is still there */
};

struct rv_commands_thread {
    pid_t pid; /* of the process that got the ring */
    bool is_stopped;
    struct rv_commands_request request;
    uint64_t looked_ns;    /* last check whether the expression is wanted */
    struct rv_text answer; /* the last answer, of which `sent` bytes were sent */
    size_t sent;
    struct rv_text why; /* reason of the stop */
};

static struct rv_commands_thread none; /* of a thread that has had no ring; not written */

/* A runtime's thread may continue on another native thread while it is asked: no address of such variables is kept. */
static _Thread_local struct rv_commands_thread *thread __attribute__((tls_model("initial-exec"))) = &none;

static const struct rv_commands_runtime *runtime;
static void (*end_runtime)(void);
static pthread_key_t end_key;

static void go_on(enum rv_commands_pace pace)
{
    rv_commands.pace = pace;
    thread->is_stopped = false;
    rv_text_fini(&thread->why);
    runtime->go_on();
}

/* ---- answers ---- */

static void send_answer(const struct ring *ring, bool is_fine)
{
    struct ringviz_file_params sizes;
    ringviz_file_params(ring->file, &sizes);
    const char *bytes = rv_text_bytes(&thread->answer) + thread->sent;
    size_t n_left = thread->answer.n_bytes - thread->sent,
           n = n_left < sizes.message_bytes ? n_left : sizes.message_bytes;
    while (n < n_left && n > 1 && ((unsigned char)bytes[n] & 0xc0) == 0x80)
        n--; /* do not cut inside a character */
    const char *code = n < n_left ? (is_fine ? "ok+" : "err+") : is_fine ? "ok" : "err";
    ringviz_response_post(ring->file, ring->idx, code, bytes, n);
    thread->sent += n;
}

/* ---- expressions ---- */

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void end_request(void)
{
    struct ring ring;
    bool has_ring = ringviz_own_ring(&ring.file, &ring.idx) == 0; /* not in a forked child */
    thread->request.kind = NO_REQUEST;
    rv_commands.attention = has_ring ? ringviz_attention(ring.file, ring.idx) : &nobody;
}

/* While an expression runs, every call checks whether it is wanted: a monitor's death gives no signal. */
static bool evaluate(enum request kind, const struct rv_expression *expression, struct rv_text *out)
{
    struct rv_commands_request *request = &thread->request;
    request->has_ring = ringviz_own_ring(&request->ring.file, &request->ring.idx) == 0;
    request->had_monitor = request->has_ring && ringviz_has_monitor(request->ring.file);
    request->began_ns = thread->looked_ns = now_ns();
    request->kind = kind;
    rv_commands.attention = &somebody;
    bool is_fine = runtime->evaluate(expression, out);
    end_request();
    return is_fine;
}

bool rv_commands_evaluate(const struct rv_expression *expression, struct rv_text *out)
{
    return evaluate(WATCH, expression, out);
}

/* ---- commands ---- */

struct command {
    char code[5];
    bool (*run)(const struct command *command, char *argument, struct rv_text *answer);
    enum rv_commands_pace pace; /* for commands that resume it */
};

static bool run_stop(const struct command *command, char *argument, struct rv_text *answer)
{
    (void)command;
    (void)argument;
    (void)answer;
    thread->is_stopped = true;
    return true;
}

static bool run_on(const struct command *command, char *argument, struct rv_text *answer)
{
    const char *why = thread->is_stopped ? runtime->why_not(command->pace) : "not stopped";
    (void)argument;
    if (why)
        rv_text_addf(answer, "%s", why);
    else
        go_on(command->pace);
    return !why;
}

/* Parse a number and a blank; advances *text past them. */
static bool take_number(char **text, unsigned *number)
{
    char *end;
    unsigned long value = strtoul(*text, &end, 10);
    bool is_number = **text >= '0' && **text <= '9' && *end == ' ' && value <= UINT_MAX;
    *number = (unsigned)value;
    *text = is_number ? end + 1 : *text;
    return is_number;
}

static bool run_eval(const struct command *command, char *argument, struct rv_text *answer)
{
    struct rv_expression expression = {.text = NULL};
    (void)command;
    if (!take_number(&argument, &expression.frame) || !take_number(&argument, &expression.levels)) {
        rv_text_addf(answer, "give FRAME LEVELS EXPRESSION");
        return false;
    }
    expression.text = argument;
    expression.n_bytes = strlen(argument);
    return evaluate(COMMAND, &expression, answer);
}

static bool run_stack(const struct command *command, char *argument, struct rv_text *answer)
{
    (void)command;
    (void)argument;
    runtime->show_stack(answer);
    return true;
}

static bool run_why(const struct command *command, char *argument, struct rv_text *answer)
{
    (void)command;
    (void)argument;
    rv_text_add(answer, rv_text_bytes(&thread->why), thread->why.n_bytes);
    return true;
}

static bool run_break(const struct command *command, char *argument, struct rv_text *answer)
{
    (void)command;
    bool is_fine = runtime->add_breakpoint(argument, answer);
    runtime->want();
    return is_fine;
}

static bool run_watch(const struct command *command, char *argument, struct rv_text *answer)
{
    unsigned frame;
    (void)command;
    if (!take_number(&argument, &frame)) {
        rv_text_addf(answer, "give FRAME EXPRESSION");
        return false;
    }
    bool is_fine = runtime->watch(argument, frame, answer);
    runtime->want();
    return is_fine;
}

static bool run_delete(const struct command *command, char *argument, struct rv_text *answer)
{
    (void)command;
    bool is_fine = rv_breakpoint_list_remove(argument, answer);
    runtime->want();
    return is_fine;
}

static bool run_list(const struct command *command, char *argument, struct rv_text *answer)
{
    (void)command;
    (void)argument;
    rv_breakpoint_list_list(answer);
    return true;
}

static const struct command commands[] = {
    {"stop", run_stop, RV_COMMANDS_RUN}, {"step", run_on, RV_COMMANDS_STEP},   {"next", run_on, RV_COMMANDS_NEXT},
    {"fin", run_on, RV_COMMANDS_FINISH}, {"strt", run_on, RV_COMMANDS_START},  {"run", run_on, RV_COMMANDS_RUN},
    {"eval", run_eval, RV_COMMANDS_RUN}, {"stck", run_stack, RV_COMMANDS_RUN}, {"why", run_why, RV_COMMANDS_RUN},
    {"brk", run_break, RV_COMMANDS_RUN}, {"wtch", run_watch, RV_COMMANDS_RUN}, {"brkd", run_delete, RV_COMMANDS_RUN},
    {"brkl", run_list, RV_COMMANDS_RUN},
};

static const struct command *command_of(const char *code)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].code, code) == 0)
            return &commands[i];
    return NULL;
}

/* A child forked by an expression has no ring yet: there is no monitor to answer. */
static bool is_still_ours(const struct ring *ring)
{
    struct ring now;
    return ringviz_own_ring(&now.file, &now.idx) == 0 && now.idx == ring->idx;
}

/* Has its monitor withdrawn the command, or sent another one? */
static bool is_withdrawn(const struct rv_commands_request *request, const struct ring *ring)
{
    const struct ringviz_command *received = &request->received;
    struct ringviz_command now = {.message = request->again, .capacity = received->capacity};
    return ringviz_command_wait(ring->file, ring->idx, &now, 0) != 0 || strcmp(now.code, received->code) != 0 ||
           now.n_bytes != received->n_bytes || memcmp(now.message, received->message, now.n_bytes) != 0;
}

static void run_command(const struct ring *ring)
{
    if (strcmp(thread->request.received.code, "more") == 0) {
        send_answer(ring, true);
        return;
    }
    const struct command *command = command_of(thread->request.received.code);
    bool was_stopped = thread->is_stopped;
    rv_text_fini(&thread->answer);
    thread->sent = 0;
    bool is_fine = command && command->run(command, thread->request.received.message, &thread->answer);
    if (!command)
        rv_text_addf(&thread->answer, "unknown command");
    if (!is_still_ours(ring) || is_withdrawn(&thread->request, ring))
        return;
    if (was_stopped && !thread->is_stopped) /* before the answer: waiters for the next stop must not see this one */
        ringviz_state_set(ring->file, ring->idx, RINGVIZ_RUNNING);
    send_answer(ring, is_fine);
}

static bool make_buffers(size_t n_bytes)
{
    if (thread->request.received.message)
        return true;
    thread->request.received.message = malloc(n_bytes + 1);
    thread->request.again = malloc(n_bytes + 1);
    thread->request.received.capacity = n_bytes;
    return thread->request.received.message && thread->request.again;
}

static void look_for_command(const struct ring *ring)
{
    struct ringviz_file_params sizes;
    ringviz_file_params(ring->file, &sizes);
    if (!make_buffers(sizes.message_bytes) ||
        ringviz_command_wait(ring->file, ring->idx, &thread->request.received, 0) != 0)
        return;
    thread->request.received.message[thread->request.received.n_bytes] = '\0';
    run_command(ring);
}

/* Truncate to what is sent, and mark it. */
static void cut(struct rv_text *value)
{
    static const char mark[] = "...";
    if (value->n_bytes <= RINGVIZ_WATCH_RESULT_BYTES)
        return;
    rv_text_cut(value, RINGVIZ_WATCH_RESULT_BYTES - (sizeof mark - 1));
    rv_text_add(value, mark, sizeof mark - 1);
}

static void look_for_watches(const struct ring *ring)
{
    char expression[RINGVIZ_WATCH_EXPRESSION_BYTES + 1];
    int watch = -1;
    while ((watch = ringviz_watch_take(ring->file, ring->idx, (unsigned)(watch + 1), expression)) >= 0) {
        struct rv_text value = {0};
        const struct rv_expression watched = {expression, strlen(expression), 0, RV_COMMANDS_LEVELS, NULL};
        bool is_fine = evaluate(WATCH, &watched, &value);
        cut(&value);
        if (is_still_ours(ring))
            ringviz_watch_set_result(ring->file, ring->idx, (unsigned)watch, rv_text_bytes(&value), value.n_bytes,
                                     !is_fine);
        rv_text_fini(&value);
        if (!is_still_ours(ring))
            return;
    }
}

static void look(const struct ring *ring)
{
    look_for_command(ring);
    look_for_watches(ring);
}

/* ---- stopping ---- */

static void forget(void)
{
    rv_breakpoint_list_forget();
    go_on(RV_COMMANDS_RUN);
}

static void wait_for_attention(const struct ring *ring)
{
    if (runtime->wait)
        runtime->wait(LIVENESS_NS);
    else
        ringviz_attention_wait(ring->file, ring->idx, LIVENESS_NS);
}

/* Stay stopped at most LIVENESS_NS without a live monitor, whatever the file contains. */
static void wait_for_commands(const struct ring *ring)
{
    uint64_t looked_ns = now_ns();
    while (thread->is_stopped && is_still_ours(ring)) {
        wait_for_attention(ring);
        bool was_called = ringviz_attention_take(ring->file, ring->idx); /* a leaving monitor requests attention, too */
        if (was_called)
            look(ring);
        if (!was_called && now_ns() - looked_ns < LIVENESS_NS)
            continue;
        if (!ringviz_has_monitor(ring->file))
            forget();
        looked_ns = now_ns();
    }
}

static void wait_while_stopped(const struct ring *ring)
{
    thread->is_stopped = true;
    rv_commands.n_stops++;
    rv_commands.pace = RV_COMMANDS_RUN;
    look_for_watches(ring);
    ringviz_state_set(ring->file, ring->idx, RINGVIZ_STOPPED);
    wait_for_commands(ring);
    if (is_still_ours(ring))
        ringviz_state_set(ring->file, ring->idx, RINGVIZ_RUNNING);
    thread->is_stopped = false;
}

void rv_commands_end(void)
{
    rv_commands.is_serving = false;
    if (thread->request.kind)
        end_request();
    struct ring ring;
    if (thread->is_stopped && ringviz_own_ring(&ring.file, &ring.idx) == 0)
        ringviz_state_set(ring.file, ring.idx, RINGVIZ_RUNNING);
    thread->is_stopped = false;
}

struct serving {
    struct ring ring;
    bool is_to_stop;
};

static void serve_protected(const void *context)
{
    const struct serving *serving = context;
    if (!serving->is_to_stop)
        look(&serving->ring);
    if (serving->is_to_stop || thread->is_stopped)
        wait_while_stopped(&serving->ring);
}

/* An expression may call exit: then tracing resumes, for what runs at exit. */
static void serve(const struct ring *ring, bool is_to_stop)
{
    int saved = errno;
    const struct serving serving = {*ring, is_to_stop};
    rv_commands.is_serving = true;
    runtime->protect(serve_protected, &serving);
    errno = saved;
}

const struct rv_commands_request *rv_commands_current(void)
{
    return &thread->request;
}

bool rv_commands_is_unwanted(const struct rv_commands_request *request)
{
    if (!request->kind || !request->has_ring)
        return false;
    if (request->had_monitor && !ringviz_has_monitor(request->ring.file))
        return true;
    return request->kind == WATCH ? now_ns() - request->began_ns > WATCH_NS : is_withdrawn(request, &request->ring);
}

/* Check a long-running expression; not in a forked child, which has another ring or none. */
static bool is_unwanted(void)
{
    uint64_t now = thread->request.kind ? now_ns() : 0;
    if (!thread->request.kind || now - thread->looked_ns < GIVE_UP_NS)
        return false;
    thread->looked_ns = now;
    return is_still_ours(&thread->request.ring) && rv_commands_is_unwanted(&thread->request);
}

bool rv_commands_serve(void)
{
    struct ring ring;
    if (rv_commands.is_serving)
        return is_unwanted();
    if (ringviz_own_ring(&ring.file, &ring.idx) != 0)
        rv_commands_mute();
    else if (ringviz_attention_take(ring.file, ring.idx))
        serve(&ring, false);
    return false;
}

void rv_commands_mute(void)
{
    rv_commands.attention = &nobody;
}

void rv_commands_stop(void)
{
    struct ring ring;
    if (ringviz_own_ring(&ring.file, &ring.idx) != 0)
        return;
    if (ringviz_has_monitor(ring.file))
        serve(&ring, true);
    else
        forget();
}

/* ---- breakpoints ---- */

struct look {
    bool (*are_due)(const void *context, struct rv_text *why);
    const void *context;
    bool *is_due;
};

static void look_protected(const void *context)
{
    const struct look *look = context;
    struct rv_text why = {0};
    thread->request.had_monitor = true;
    *look->is_due = look->are_due(look->context, &why);
    if (*look->is_due && !thread->why.n_bytes)
        rv_text_add(&thread->why, rv_text_bytes(&why), why.n_bytes);
    rv_text_fini(&why);
}

bool rv_commands_look_at_breakpoints(bool (*are_due)(const void *context, struct rv_text *why), const void *context)
{
    int saved = errno;
    bool is_due = false;
    const struct look look = {are_due, context, &is_due};
    rv_commands.is_serving = true;
    runtime->protect(look_protected, &look);
    if (!thread->request.had_monitor)
        forget();
    errno = saved;
    return is_due && thread->request.had_monitor;
}

/* ---- threads ---- */

void rv_commands_end_thread(void)
{
    if (end_runtime)
        end_runtime();
    rv_commands = (struct rv_commands){.attention = &nobody};
    rv_breakpoint_list_forget();
    rv_text_fini(&thread->answer);
    rv_text_fini(&thread->why);
    free(thread->request.received.message);
    free(thread->request.again);
    if (thread != &none)
        free(thread);
    thread = &none;
}

static void end_thread(void *unused)
{
    (void)unused;
    rv_commands_end_thread();
}

/* False without memory. */
static bool begin_thread(struct ringviz_file *file)
{
    int32_t is_to_stop = 0;
    if (thread == &none) {
        struct rv_commands_thread *made = calloc(1, sizeof *made);
        if (!made)
            return false;
        thread = made;
    }
    ringviz_flag_get(file, 0, RINGVIZ_STOP_ON_CREATE, &is_to_stop);
    thread->pid = getpid();
    rv_commands.pace = is_to_stop ? RV_COMMANDS_STEP : RV_COMMANDS_RUN;
    runtime->want();
    pthread_setspecific(end_key, thread);
    return true;
}

void rv_commands_on_ring(void)
{
    struct ring ring;
    if (ringviz_own_ring(&ring.file, &ring.idx) != 0)
        return;
    rv_commands.attention = ringviz_attention(ring.file, ring.idx);
    if (thread->pid != getpid() && !begin_thread(ring.file)) {
        rv_commands_mute();
        return;
    }
    ringviz_state_set(ring.file, ring.idx, RINGVIZ_RUNNING);
}

void rv_commands_swap(struct rv_commands_put_away *other)
{
    const struct rv_commands_put_away before = {rv_commands, rv_breakpoint_list, thread};
    rv_commands = other->commands;
    rv_breakpoint_list = other->points;
    thread = other->thread ? other->thread : &none;
    if (!rv_commands.attention)
        rv_commands_mute();
    *other = before;
}

void rv_commands_start(const struct rv_commands_runtime *given, void (*end)(void))
{
    runtime = given;
    end_runtime = end;
    pthread_key_create(&end_key, end_thread);
}
