/*
 * Commands (ringviz/monitor.h) and their messages:
 *
 *   stop               stop here; the following need a stopped thread: step, next, fin, strt (the main program), run
 *   eval FRAME LEVELS EXPRESSION   evaluate in a frame of stck, following this many levels of references
 *   stck               the stack, a line per frame
 *   brk WHERE [if EXPRESSION], wtch FRAME EXPRESSION, brkd NUMBER, brkl   breakpoints: add, watch, remove ("": all),
 *                                                                         list
 *   why                the reason of the stop if it is more than a place; a line each
 *   more               the next part of an answer longer than a message
 *
 * Answers are "ok" or "err", or "ok+" and "err+" if more of the answer follows.
 *
 * A stopped thread waits for its next command. Without a monitor it resumes and forgets pending steps. An expression
 * that does not end is aborted when its command is withdrawn or no monitor is left; a watched one, or a condition, also
 * after WATCH_NS.
 */
#include "producers/perl/debugger.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "producers/perl/breaks.h"
#include "producers/perl/evaluate.h"
#include "producers/perl/frames.h"
#include "producers/perl/stack.h"
#include "producers/perl/statements.h"
#include "ringviz/monitor.h"

#define LIVENESS_NS 200000000u
#define WATCH_NS 500000000u  /* limit of one watched expression or condition */
#define GIVE_UP_NS 10000000u /* interval of checks whether a running expression is still wanted */
#define LEVELS 3u            /* default levels of references */

enum request { NO_REQUEST, COMMAND, WATCH };

enum pace { RUN, STEP, NEXT, FINISH, START /* of the main program */ };

static const uint32_t nobody, somebody = 1;
_Thread_local struct rv_debugger rv_debugger = {.attention = &nobody};

static _Thread_local struct thread {
    enum pace pace;
    uint32_t n_frames; /* NEXT: stop at this many open frames; FINISH: at fewer */
    pid_t pid;         /* of the process that got the ring */
    bool is_stopped;
    enum request request; /* the request whose expression runs and may be aborted */
    bool had_monitor;
    uint64_t began_ns, looked_ns; /* start of the expression; last check whether it is wanted */
    const char *code, *argument;  /* of the current command */
    size_t n_argument;
    char *answer; /* the last answer, of which `sent` bytes were sent */
    size_t n_answer, sent;
    char *why; /* reason of the stop; NULL: none */
} thread;

static pthread_key_t end_key;

struct ring {
    struct ringviz_file *file;
    uint32_t idx;
};

/* ---- what it wants to see ---- */

static void want(pTHX)
{
    bool wants_statements = thread.pace != RUN || rv_breaks_wants_statements();
    if (wants_statements && !rv_debugger.wants_statements)
        rv_statements_begin();
    else if (!wants_statements && rv_debugger.wants_statements)
        rv_statements_end();
    rv_debugger.wants_statements = wants_statements;
    rv_debugger.wants_entries = wants_statements || rv_breaks_has_any();
    if (wants_statements)
        rv_statements_on_stack(aTHX);
}

static void go_on(pTHX_ enum pace pace)
{
    thread.pace = pace;
    thread.n_frames = rv_frames.n;
    thread.is_stopped = false;
    free(thread.why);
    thread.why = NULL;
    want(aTHX);
}

/* ---- answers ---- */

static void keep_answer(pTHX_ SV *text)
{
    STRLEN n_bytes;
    const char *bytes = SvPVutf8(text, n_bytes);
    free(thread.answer);
    thread.answer = malloc(n_bytes + 1);
    thread.n_answer = thread.answer ? n_bytes : 0;
    thread.sent = 0;
    if (thread.answer)
        memcpy(thread.answer, bytes, n_bytes);
}

static void send_answer(const struct ring *ring, bool is_fine)
{
    struct ringviz_file_params sizes;
    ringviz_file_params(ring->file, &sizes);
    size_t n_left = thread.n_answer - thread.sent, n = n_left < sizes.message_bytes ? n_left : sizes.message_bytes;
    while (n < n_left && n > 1 && ((unsigned char)thread.answer[thread.sent + n] & 0xc0) == 0x80)
        n--; /* do not cut inside a character */
    const char *code = n < n_left ? (is_fine ? "ok+" : "err+") : is_fine ? "ok" : "err";
    ringviz_response_post(ring->file, ring->idx, code, thread.answer ? thread.answer + thread.sent : "", n);
    thread.sent += n;
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
    thread.request = NO_REQUEST;
    rv_debugger.attention = has_ring ? ringviz_attention(ring.file, ring.idx) : &nobody;
}

/* While an expression runs, every call and loop turn checks whether it is wanted: a monitor's death gives no signal. */
static bool evaluate(pTHX_ enum request request, const struct rv_expression *expression, SV *out)
{
    struct ring ring;
    thread.had_monitor = ringviz_own_ring(&ring.file, &ring.idx) == 0 && ringviz_has_monitor(ring.file);
    thread.began_ns = thread.looked_ns = now_ns();
    thread.request = request;
    rv_debugger.attention = &somebody;
    bool is_fine = rv_evaluate(aTHX_ expression, out);
    end_request();
    return is_fine;
}

static bool evaluate_watched(pTHX_ const struct rv_expression *expression, SV *out)
{
    return evaluate(aTHX_ WATCH, expression, out);
}

/* ---- commands ---- */

struct command {
    char code[5];
    bool (*run)(pTHX_ const struct command *command, char *argument, SV *answer);
    enum pace pace; /* for commands that resume it */
};

static bool run_stop(pTHX_ const struct command *command, char *argument, SV *answer)
{
    PERL_UNUSED_CONTEXT;
    PERL_UNUSED_VAR(command);
    PERL_UNUSED_VAR(argument);
    PERL_UNUSED_VAR(answer);
    thread.is_stopped = true;
    return true;
}

static const char *why_not(pTHX_ enum pace pace)
{
    if (!thread.is_stopped)
        return "not stopped";
    if (pace == FINISH && rv_frames.n == 0)
        return "it is in no subroutine";
    return pace == START && PL_phase >= PERL_PHASE_RUN ? "its main program has already begun" : NULL;
}

static bool run_on(pTHX_ const struct command *command, char *argument, SV *answer)
{
    const char *why = why_not(aTHX_ command->pace);
    PERL_UNUSED_VAR(argument);
    if (why)
        sv_catpv(answer, why);
    else
        go_on(aTHX_ command->pace);
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

static bool run_eval(pTHX_ const struct command *command, char *argument, SV *answer)
{
    struct rv_expression expression = {.text = NULL};
    PERL_UNUSED_VAR(command);
    if (!take_number(&argument, &expression.frame) || !take_number(&argument, &expression.levels)) {
        sv_catpvs(answer, "give FRAME LEVELS EXPRESSION");
        return false;
    }
    expression.text = argument;
    expression.n_bytes = strlen(argument);
    return evaluate(aTHX_ COMMAND, &expression, answer);
}

static bool run_stack(pTHX_ const struct command *command, char *argument, SV *answer)
{
    PERL_UNUSED_VAR(command);
    PERL_UNUSED_VAR(argument);
    rv_stack_show(aTHX_ answer);
    return true;
}

static bool run_why(pTHX_ const struct command *command, char *argument, SV *answer)
{
    PERL_UNUSED_VAR(command);
    PERL_UNUSED_VAR(argument);
    if (thread.why)
        sv_catpv(answer, thread.why);
    return true;
}

static bool run_break(pTHX_ const struct command *command, char *argument, SV *answer)
{
    PERL_UNUSED_VAR(command);
    bool is_fine = rv_breaks_add(aTHX_ argument, answer);
    want(aTHX);
    return is_fine;
}

static bool run_watch(pTHX_ const struct command *command, char *argument, SV *answer)
{
    unsigned frame;
    PERL_UNUSED_VAR(command);
    if (!take_number(&argument, &frame)) {
        sv_catpvs(answer, "give FRAME EXPRESSION");
        return false;
    }
    bool is_fine = rv_breaks_watch(aTHX_ argument, frame, evaluate_watched, answer);
    want(aTHX);
    return is_fine;
}

static bool run_delete(pTHX_ const struct command *command, char *argument, SV *answer)
{
    PERL_UNUSED_VAR(command);
    bool is_fine = rv_breaks_remove(aTHX_ argument, answer);
    want(aTHX);
    return is_fine;
}

static bool run_list(pTHX_ const struct command *command, char *argument, SV *answer)
{
    PERL_UNUSED_VAR(command);
    PERL_UNUSED_VAR(argument);
    rv_breaks_list(aTHX_ answer);
    return true;
}

static const struct command commands[] = {
    {"stop", run_stop, RUN}, {"step", run_on, STEP},  {"next", run_on, NEXT},   {"fin", run_on, FINISH},
    {"strt", run_on, START}, {"run", run_on, RUN},    {"eval", run_eval, RUN},  {"stck", run_stack, RUN},
    {"why", run_why, RUN},   {"brk", run_break, RUN}, {"wtch", run_watch, RUN}, {"brkd", run_delete, RUN},
    {"brkl", run_list, RUN},
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
static bool is_withdrawn(pTHX_ const struct ring *ring)
{
    SV *buffer = newSV(thread.n_argument + 1);
    struct ringviz_command now = {.message = SvPVX(buffer), .capacity = thread.n_argument + 1};
    bool is_there = ringviz_command_wait(ring->file, ring->idx, &now, 0) == 0 && strcmp(now.code, thread.code) == 0 &&
                    now.n_bytes == thread.n_argument && memcmp(now.message, thread.argument, now.n_bytes) == 0;
    SvREFCNT_dec_NN(buffer);
    return !is_there;
}

static void run_command(pTHX_ const struct ring *ring, const char *code, char *argument)
{
    if (strcmp(code, "more") == 0) {
        send_answer(ring, true);
        return;
    }
    SV *answer = sv_2mortal(newSVpvs(""));
    SvUTF8_on(answer);
    const struct command *command = command_of(code);
    bool was_stopped = thread.is_stopped;
    bool is_fine = command && command->run(aTHX_ command, argument, answer);
    if (!command)
        sv_catpvs(answer, "unknown command");
    keep_answer(aTHX_ answer);
    if (!is_still_ours(ring) || is_withdrawn(aTHX_ ring))
        return;
    if (was_stopped && !thread.is_stopped) /* before the answer: waiters for the next stop must not see this one */
        ringviz_state_set(ring->file, ring->idx, RINGVIZ_RUNNING);
    send_answer(ring, is_fine);
}

static void look_for_command(pTHX_ const struct ring *ring)
{
    struct ringviz_file_params sizes;
    ringviz_file_params(ring->file, &sizes);
    SV *buffer = sv_2mortal(newSV(sizes.message_bytes + 1));
    struct ringviz_command command = {.message = SvPVX(buffer), .capacity = sizes.message_bytes};
    if (ringviz_command_wait(ring->file, ring->idx, &command, 0) != 0)
        return;
    command.message[command.n_bytes] = '\0';
    thread.code = command.code;
    thread.argument = command.message;
    thread.n_argument = command.n_bytes;
    run_command(aTHX_ ring, command.code, command.message);
}

/* Truncate to what is sent, and mark it. */
static void cut(pTHX_ SV *value)
{
    static const char mark[] = "...";
    STRLEN n = RINGVIZ_WATCH_RESULT_BYTES - (sizeof mark - 1);
    if (SvCUR(value) <= RINGVIZ_WATCH_RESULT_BYTES)
        return;
    while (n > 0 && UTF8_IS_CONTINUATION(SvPVX(value)[n]))
        n--;
    SvCUR_set(value, n);
    sv_catpvn(value, mark, sizeof mark - 1);
}

static void look_for_watches(pTHX_ const struct ring *ring)
{
    char expression[RINGVIZ_WATCH_EXPRESSION_BYTES + 1];
    int watch = -1;
    while ((watch = ringviz_watch_take(ring->file, ring->idx, (unsigned)(watch + 1), expression)) >= 0) {
        SV *value = sv_2mortal(newSVpvs(""));
        SvUTF8_on(value);
        const struct rv_expression watched = {expression, strlen(expression), 0, LEVELS};
        bool is_fine = evaluate_watched(aTHX_ & watched, value);
        if (!is_still_ours(ring))
            return;
        cut(aTHX_ value);
        ringviz_watch_set_result(ring->file, ring->idx, (unsigned)watch, SvPVX(value), SvCUR(value), !is_fine);
    }
}

static void look(pTHX_ const struct ring *ring)
{
    ENTER;
    SAVETMPS;
    look_for_command(aTHX_ ring);
    look_for_watches(aTHX_ ring);
    FREETMPS;
    LEAVE;
}

/* ---- stopping ---- */

static void forget(pTHX)
{
    rv_breaks_forget();
    go_on(aTHX_ RUN);
}

/* Stay stopped at most LIVENESS_NS without a live monitor, whatever the file contains. */
static void wait_for_commands(pTHX_ const struct ring *ring)
{
    uint64_t looked_ns = now_ns();
    while (thread.is_stopped && is_still_ours(ring)) {
        ringviz_attention_wait(ring->file, ring->idx, LIVENESS_NS);
        bool was_called = ringviz_attention_take(ring->file, ring->idx); /* a leaving monitor requests attention, too */
        if (was_called)
            look(aTHX_ ring);
        if (!was_called && now_ns() - looked_ns < LIVENESS_NS)
            continue;
        if (!ringviz_has_monitor(ring->file))
            forget(aTHX);
        looked_ns = now_ns();
    }
}

static void wait_while_stopped(pTHX_ const struct ring *ring)
{
    thread.is_stopped = true;
    thread.pace = RUN;
    ENTER;
    SAVETMPS;
    look_for_watches(aTHX_ ring);
    FREETMPS;
    LEAVE;
    ringviz_state_set(ring->file, ring->idx, RINGVIZ_STOPPED);
    wait_for_commands(aTHX_ ring);
    if (is_still_ours(ring))
        ringviz_state_set(ring->file, ring->idx, RINGVIZ_RUNNING);
    thread.is_stopped = false;
}

static void end_serving(pTHX_ void *unused)
{
    PERL_UNUSED_CONTEXT;
    PERL_UNUSED_VAR(unused);
    rv_debugger.is_serving = false;
    if (thread.request)
        end_request();
    struct ring ring;
    if (thread.is_stopped && ringviz_own_ring(&ring.file, &ring.idx) == 0)
        ringviz_state_set(ring.file, ring.idx, RINGVIZ_RUNNING);
    thread.is_stopped = false;
}

/* An expression may call exit: then tracing resumes, for END blocks. */
static void serve(pTHX_ const struct ring *ring, bool is_to_stop)
{
    int saved = errno;
    ENTER;
    rv_debugger.is_serving = true;
    SAVEDESTRUCTOR_X(end_serving, NULL);
    if (!is_to_stop)
        look(aTHX_ ring);
    if (is_to_stop || thread.is_stopped)
        wait_while_stopped(aTHX_ ring);
    LEAVE;
    errno = saved;
}

static bool is_given_up(pTHX_ const struct ring *ring, uint64_t now)
{
    if (thread.had_monitor && !ringviz_has_monitor(ring->file))
        return true;
    return thread.request == WATCH ? now - thread.began_ns > WATCH_NS : is_withdrawn(aTHX_ ring);
}

/* Check a long-running expression. */
static void interrupt(pTHX)
{
    struct ring ring;
    uint64_t now = thread.request ? now_ns() : 0;
    if (!thread.request || now - thread.looked_ns < GIVE_UP_NS)
        return;
    thread.looked_ns = now;
    if (ringviz_own_ring(&ring.file, &ring.idx) == 0 && is_given_up(aTHX_ & ring, now))
        croak("given up");
}

void rv_debugger_serve(pTHX)
{
    struct ring ring;
    if (rv_debugger.is_serving) {
        interrupt(aTHX);
    } else if (ringviz_own_ring(&ring.file, &ring.idx) != 0 || PL_phase == PERL_PHASE_DESTRUCT) {
        rv_debugger.attention = &nobody; /* until this thread has a ring */
    } else if (ringviz_attention_take(ring.file, ring.idx)) {
        serve(aTHX_ & ring, false);
    }
}

static void stop(pTHX)
{
    struct ring ring;
    if (ringviz_own_ring(&ring.file, &ring.idx) != 0 || PL_phase == PERL_PHASE_DESTRUCT)
        return;
    if (ringviz_has_monitor(ring.file))
        serve(aTHX_ & ring, true);
    else
        forget(aTHX);
}

static bool is_due(pTHX)
{
    switch (thread.pace) {
    case RUN:
        return false;
    case STEP:
        return true;
    case NEXT:
        return rv_frames.n <= thread.n_frames;
    case FINISH:
        return rv_frames.n < thread.n_frames;
    case START:
        return PL_phase >= PERL_PHASE_RUN;
    }
    return false;
}

/* Breakpoints are for monitors: without one they are dropped. */
static bool look_at_breaks(pTHX_ const COP *cop)
{
    int saved = errno;
    ENTER;
    SAVETMPS;
    rv_debugger.is_serving = true;
    SAVEDESTRUCTOR_X(end_serving, NULL);
    SV *why = sv_2mortal(newSVpvs(""));
    SvUTF8_on(why);
    thread.had_monitor = true;
    bool are_due = rv_breaks_are_due(aTHX_ cop, evaluate_watched, why);
    if (are_due && SvCUR(why) && !thread.why)
        thread.why = strdup(SvPVX(why));
    FREETMPS;
    LEAVE;
    if (!thread.had_monitor)
        forget(aTHX);
    errno = saved;
    return are_due && thread.had_monitor;
}

void rv_debugger_stop_at_statement(pTHX)
{
    bool are_due = rv_breaks_is_any_met(PL_curcop) && look_at_breaks(aTHX_ PL_curcop);
    if (are_due || is_due(aTHX))
        stop(aTHX);
}

void rv_debugger_look_at_entry(pTHX_ const CV *cv)
{
    bool is_break = rv_breaks_enter(cv);
    if (is_break && CvISXSUB(cv)) { /* XS subs have no statements */
        if (look_at_breaks(aTHX_ NULL))
            stop(aTHX);
    } else if (is_break) {
        want(aTHX);
    }
    if (thread.pace == STEP || rv_breaks_wants_statements())
        rv_statements_enter(cv);
}

/* ---- threads ---- */

static void end_thread(void *unused)
{
    PERL_UNUSED_VAR(unused);
    if (rv_debugger.wants_statements)
        rv_statements_end();
    rv_debugger = (struct rv_debugger){.attention = &nobody};
    rv_breaks_forget();
    free(thread.answer);
    free(thread.why);
    thread = (struct thread){0};
}

/* A forked child inherits breakpoints but not pending steps. */
static void begin_thread(struct ringviz_file *file)
{
    dTHX;
    int32_t is_to_stop = 0;
    ringviz_flag_get(file, 0, RINGVIZ_STOP_ON_CREATE, &is_to_stop);
    thread.pid = getpid();
    thread.pace = is_to_stop ? STEP : RUN;
    want(aTHX);
    pthread_setspecific(end_key, &thread);
}

void rv_debugger_on_ring(void)
{
    struct ring ring;
    if (ringviz_own_ring(&ring.file, &ring.idx) != 0)
        return;
    rv_debugger.attention = ringviz_attention(ring.file, ring.idx);
    if (thread.pid != getpid())
        begin_thread(ring.file);
    ringviz_state_set(ring.file, ring.idx, RINGVIZ_RUNNING);
}

void rv_debugger_start(void)
{
    pthread_key_create(&end_key, end_thread);
}
