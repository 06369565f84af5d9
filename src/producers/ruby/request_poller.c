/*
 * What Ruby lets a foreign thread do is to register a job, which runs in the main Ractor's thread that has the GVL. Exceptions
 * are raised by a Ruby thread of the same Ractor: it is there while expressions run, and a second longer.
 */
#include "producers/ruby/request_poller.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "producers/commands/commands.h"
#include "producers/ruby/ruby_api.h"
#include "ringviz/monitor.h"
#include "ringviz/producer.h"

#define PERIOD_NS 50000000u
#define NAP_NS 20000000u
#define MOST_IDLE_NAPS 50u

/* Of a Ractor. */
struct raiser {
    bool is_there;
};

static struct rv_request_poller_thread {
    const uint32_t *attention;
    const struct rv_commands_request *request; /* of the expression that runs; NULL: none. These under the GVL */
    const struct raiser *raiser;               /* that of its Ractor, */
    VALUE thread;                              /* and Ruby's thread, while an expression runs */
    bool is_given_up;
    struct rv_request_poller_thread *next;
} * all;

static _Thread_local struct rv_request_poller_thread *own __attribute__((tls_model("initial-exec")));
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list */
static pid_t pid;                                        /* whose list it is */
static bool has_ended;                                   /* Ruby is about to end */
static rb_ractor_local_key_t raiser_key;
static void (*wake)(void);

/* ---- in Ruby's threads ---- */

static VALUE raise_in(VALUE thread)
{
    return rb_funcall(thread, rb_intern("raise"), 1, rb_exc_new_cstr(rb_eException, "given up"));
}

/* The thread of this Ractor's expression that is wanted no more, which is given up now; 0: none. */
static VALUE find_unwanted(const struct raiser *raiser, bool *has_any)
{
    VALUE thread = 0;
    pthread_mutex_lock(&lock);
    for (struct rv_request_poller_thread *watched = all; watched && !thread; watched = watched->next) {
        if (watched->raiser != raiser)
            continue;
        *has_any |= watched->request != NULL;
        if (!watched->request || watched->is_given_up || !rv_commands_is_unwanted(watched->request))
            continue;
        watched->is_given_up = true;
        thread = watched->thread;
    }
    pthread_mutex_unlock(&lock);
    return thread;
}

/* Returns whether any expression runs. With the GVL, so that none ends meanwhile. */
static bool look_at_requests(const struct raiser *raiser)
{
    bool has_any = false;
    VALUE thread;
    while ((thread = find_unwanted(raiser, &has_any))) {
        int error = 0;
        rb_protect(raise_in, thread, &error);
        if (error)
            rb_set_errinfo(Qnil);
    }
    return has_any;
}

static void *nap(void *unused)
{
    const struct timespec period = {.tv_nsec = NAP_NS};
    (void)unused;
    nanosleep(&period, NULL);
    return NULL;
}

/* What the thread that raises waits for is not the program's. */
static void mute(bool is_muted)
{
    struct ringviz_file *file;
    uint32_t ring;
    int32_t before;
    if (ringviz_own_ring(&file, &ring) == 0)
        ringviz_flag_set(file, ring, RINGVIZ_MUTED, is_muted, &before);
}

static VALUE run_raiser(void *given)
{
    struct raiser *raiser = given;
    ringviz_thread_name("ringviz");
    mute(true);
    for (unsigned n_idle = 0; n_idle < MOST_IDLE_NAPS; n_idle++) {
        rb_thread_call_without_gvl(nap, NULL, NULL, NULL);
        if (look_at_requests(raiser))
            n_idle = 0;
    }
    mute(false);
    raiser->is_there = false;
    return Qnil;
}

static void run_wake(void *unused)
{
    (void)unused;
    wake();
}

static struct rv_job wake_job = {.function = run_wake};

/* ---- in the watcher ---- */

static void *watch(void *unused)
{
    const struct timespec period = {.tv_nsec = PERIOD_NS};
    (void)unused;
    (void)prctl(PR_SET_NAME, RINGVIZ_OWN_NAME);
    for (bool goes_on = true; goes_on;) {
        bool is_due = false;
        nanosleep(&period, NULL);
        pthread_mutex_lock(&lock);
        goes_on = !has_ended;
        for (const struct rv_request_poller_thread *watched = all; watched && goes_on; watched = watched->next)
            is_due |= __atomic_load_n(watched->attention, __ATOMIC_RELAXED) != 0;
        if (is_due)
            rv_job_run(&wake_job);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

/* All but those that an instruction causes, as a look into a file that was cut short: blocked, they end the process untold. */
static void block_signals(sigset_t *before)
{
    static const int caused[] = {SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
    sigset_t blocked;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof caused / sizeof *caused; i++)
        sigdelset(&blocked, caused[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, before);
}

/* A second thread makes malloc() slower, for one. */
static void start_watcher(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t before;
    pid = getpid();
    if (ringviz_is_private())
        return;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    block_signals(&before); /* they are the program's */
    (void)pthread_create(&thread, &attributes, watch, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

/* ---- threads ---- */

static struct raiser *own_raiser(void)
{
    struct raiser *raiser = rb_ractor_local_storage_ptr(raiser_key);
    if (!raiser)
        rb_ractor_local_storage_ptr_set(raiser_key, raiser = RB_ZALLOC(struct raiser));
    return raiser;
}

void rv_request_poller_begin(void)
{
    struct raiser *raiser = own_raiser();
    if (!own)
        return;
    own->request = rv_commands_current();
    own->thread = rb_thread_current();
    own->is_given_up = false;
    own->raiser = raiser;
    if (!raiser->is_there)
        rb_thread_create(run_raiser, raiser);
    raiser->is_there = true;
}

static VALUE check_interrupts(VALUE unused)
{
    rb_thread_check_ints();
    return unused;
}

/* An exception that came too late for the expression must not reach the program. */
bool rv_request_poller_end(void)
{
    int error = 0;
    if (!own)
        return false;
    own->request = NULL;
    if (own->is_given_up) {
        VALUE before = rb_errinfo();
        rb_protect(check_interrupts, Qnil, &error);
        rb_set_errinfo(before);
    }
    return own->is_given_up;
}

/* In a forked child the lock may be held by a thread that it has not. */
static bool is_own_list(void)
{
    return pid == getpid();
}

static void forget_others(void)
{
    pthread_mutex_init(&lock, NULL);
    if (own)
        own->next = NULL;
    all = own;
    own_raiser()->is_there = false;
}

void rv_request_poller_begin_thread(void)
{
    if (!is_own_list()) {
        forget_others();
        start_watcher();
    }
    struct rv_request_poller_thread *watched = own ? own : calloc(1, sizeof *watched);
    if (!watched)
        return;
    pthread_mutex_lock(&lock);
    watched->attention = rv_commands.attention;
    if (!own) {
        watched->next = all;
        all = own = watched;
    }
    pthread_mutex_unlock(&lock);
}

static void take_out(const struct rv_request_poller_thread *watched)
{
    pthread_mutex_lock(&lock);
    for (struct rv_request_poller_thread **place = &all; *place; place = &(*place)->next)
        if (*place == watched) {
            *place = watched->next;
            break;
        }
    pthread_mutex_unlock(&lock);
}

void rv_request_poller_end_thread(void)
{
    if (own && is_own_list())
        take_out(own);
    free(own);
    own = NULL;
}

void rv_request_poller_swap(struct rv_request_poller_thread **other)
{
    struct rv_request_poller_thread *before = own;
    own = *other;
    *other = before;
}

static void stop_watcher(VALUE unused)
{
    (void)unused;
    if (!is_own_list())
        return;
    pthread_mutex_lock(&lock);
    has_ended = true;
    pthread_mutex_unlock(&lock);
}

void rv_request_poller_start(void (*given)(void))
{
    wake = given;
    raiser_key = rb_ractor_local_storage_ptr_newkey(RB_RACTOR_LOCAL_STORAGE_TYPE_FREE);
    rv_job_prepare(&wake_job);
    rb_set_end_proc(stop_watcher, Qnil);
}
