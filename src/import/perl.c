/*
 * Samples a running perl and the processes that it forks from then on. Every turn reads the call stack of each thread.
 * Subroutines are open while they are seen. The current statement has a row of its own, as frames of the file as
 * package, so that a subroutine's own time stays its own.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/os.h"
#include "base/vec.h"
#include "import/formats.h"
#include "import/perl_stacks.h"
#include "import/process_memory.h"

enum { CACHE_SLOTS = 1 << 14, MOST_THREADS = 4096, MOST_CHILDREN = 4096 };
static const uint64_t LIST_EVERY_NS = 100000000, UNKNOWN = UINT64_MAX;

struct thread {
    struct rv_perl_thread perls;
    uint32_t number, lines; /* numbers in the event builder; NONE: no room, or no statement yet */
    bool is_seen;           /* it is among the process's threads */
};

/* A subroutine or a statement whose name has been read. */
struct cached {
    uint64_t hash; /* of the key; 0 = free */
    uint32_t id;
};

/* A thread that a forked process has from its parent. */
struct inherited {
    uint64_t number, progress;
};

struct process {
    struct rv_perl_process perl;
    struct rv_process_memory_program program; /* program when last read */
    uint32_t number;                          /* number in the event builder */
    bool is_perl;                             /* else only its children are sampled */
    bool has_ended, has_changed;
    bool is_forked;          /* its threads have not been listed since the fork; */
    uint64_t last_inherited; /* threads up to this number are copies of its parent's, of which only one runs here, */
    uint64_t running;        /* the one with this number; UNKNOWN until found */
    struct inherited *inherited; /* the copies, until then */
    size_t n_inherited;
    struct thread *threads;
    size_t n_threads, capacity;
    struct cached *subs, *statements;
};

struct perl {
    struct rv_import import;    /* first */
    struct process **processes; /* the requested one first */
    size_t n_processes, capacity;
    uint64_t listed_ns;
    struct rv_perl_stack stack;
    uint32_t *ids;
    size_t ids_capacity;
    struct rv_perl_names names;
};

/* ---- threads ---- */

static void add_thread(struct perl *perl, struct process *process, const struct rv_perl_thread *perls)
{
    struct thread thread = {.perls = *perls, .lines = RV_EVENT_BUILDER_NONE, .is_seen = true};
    char name[32] = "main";
    uint64_t tid = perls->number ? perls->number : (uint64_t)process->perl.pid;
    if (perls->number)
        snprintf(name, sizeof name, "thread %" PRIu64, perls->number);
    thread.number = rv_event_builder_thread(perl->import.builder, process->number, tid, 0);
    rv_event_builder_name_thread(perl->import.builder, thread.number, rv_import_string(name));
    process->threads =
        rv_vec_reserve(process->threads, &process->capacity, process->n_threads + 1, sizeof *process->threads);
    process->threads[process->n_threads++] = thread;
}

/* The row of a thread's statements. */
static uint32_t row_of_lines(struct perl *perl, const struct process *process, struct thread *thread)
{
    char name[64] = "main, lines";
    uint64_t number = thread->perls.number;
    if (thread->lines != RV_EVENT_BUILDER_NONE || thread->number == RV_EVENT_BUILDER_NONE)
        return thread->lines;
    thread->lines = rv_event_builder_thread(perl->import.builder, process->number,
                                            number ? number : (uint64_t)process->perl.pid, 1);
    if (number)
        snprintf(name, sizeof name, "thread %" PRIu64 ", lines", number);
    rv_event_builder_name_thread(perl->import.builder, thread->lines, rv_import_string(name));
    return thread->lines;
}

static void end_thread(struct perl *perl, const struct thread *thread, uint64_t now_ns)
{
    const uint32_t numbers[] = {thread->lines, thread->number};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i] != RV_EVENT_BUILDER_NONE)
            rv_event_builder_end_thread(perl->import.builder, numbers[i], (int64_t)now_ns);
}

static struct thread *find_thread(struct process *process, uint64_t number)
{
    for (size_t i = 0; i < process->n_threads; i++)
        if (process->threads[i].perls.number == number)
            return &process->threads[i];
    return NULL;
}

static void inherit(struct process *process, const struct rv_perl_thread *found, size_t n)
{
    process->is_forked = false;
    free(process->inherited);
    process->inherited = rv_alloc(n, sizeof *process->inherited);
    process->n_inherited = n;
    process->running = UNKNOWN;
    for (size_t i = 0; i < n; i++) {
        uint64_t progress = rv_perl_stacks_progress(&process->perl, found[i].interpreter);
        process->inherited[i] = (struct inherited){found[i].number, progress};
        if (found[i].number > process->last_inherited)
            process->last_inherited = found[i].number;
    }
}

/* Has its interpreter moved since the fork? */
static bool has_moved(const struct process *process, const struct rv_perl_thread *thread)
{
    for (size_t i = 0; i < process->n_inherited; i++)
        if (process->inherited[i].number == thread->number)
            return process->inherited[i].progress != rv_perl_stacks_progress(&process->perl, thread->interpreter);
    return false;
}

/* The inherited thread that called fork: it moves, or it waits on its stack. */
static uint64_t find_running(const struct process *process, const struct rv_perl_thread *found, size_t n)
{
    if (process->last_inherited == 0)
        return 0;
    for (size_t i = 0; i < n; i++)
        if (has_moved(process, &found[i]))
            return found[i].number;
    int is_first = rv_process_memory_is_on_first_stack(process->perl.pid, &process->program);
    if (is_first > 0)
        return 0;
    return is_first == 0 && process->n_inherited == 2 ? process->last_inherited : UNKNOWN;
}

static void list_threads(struct perl *perl, struct process *process, uint64_t now_ns)
{
    static struct rv_perl_thread found[MOST_THREADS];
    size_t n = process->is_perl && !process->has_ended ? rv_perl_stacks_threads(&process->perl, found, MOST_THREADS)
                                                       : 0,
           n_left = 0;
    if (process->is_forked)
        inherit(process, found, n);
    if (process->running == UNKNOWN)
        process->running = find_running(process, found, n);
    for (size_t i = 0; i < process->n_threads; i++)
        process->threads[i].is_seen = false;
    for (size_t i = 0; i < n; i++) {
        if (found[i].number <= process->last_inherited && found[i].number != process->running)
            continue;
        struct thread *thread = find_thread(process, found[i].number);
        if (thread)
            *thread = (struct thread){found[i], thread->number, thread->lines, true};
        else
            add_thread(perl, process, &found[i]);
    }
    for (size_t i = 0; i < process->n_threads; i++) {
        if (process->threads[i].is_seen)
            process->threads[n_left++] = process->threads[i];
        else
            end_thread(perl, &process->threads[i], now_ns);
    }
    process->n_threads = n_left;
}

/* ---- processes ---- */

static bool is_over(const struct process *process)
{
    char state = rv_os_process_state(process->perl.pid);
    return process->has_ended || state == '\0' || state == 'Z' || state == 'X' ||
           rv_os_process_start(process->perl.pid) != process->perl.start;
}

static bool has_ended(struct rv_import *import)
{
    const struct perl *perl = (const struct perl *)import;
    size_t n_over = 0;
    while (n_over < perl->n_processes && is_over(perl->processes[n_over]))
        n_over++;
    return n_over == perl->n_processes;
}

/* A child that runs its parent's program has the same layout. */
static int look_into(struct process *process, pid_t pid, const struct process *parent, char *why, size_t why_bytes)
{
    int error = 0;
    rv_process_memory_program(pid, &process->program);
    process->is_forked =
        parent && parent->is_perl && rv_process_memory_is_same_program(&parent->program, &process->program);
    process->last_inherited = process->running = 0;
    if (process->is_forked) {
        process->perl = parent->perl;
        process->perl.pid = pid;
        process->perl.start = rv_os_process_start(pid);
    } else {
        error = rv_perl_stacks_open(&process->perl, pid, why, why_bytes);
    }
    process->is_perl = error == 0;
    if (process->is_perl && !process->subs) {
        process->subs = rv_alloc(CACHE_SLOTS, sizeof *process->subs);
        process->statements = rv_alloc(CACHE_SLOTS, sizeof *process->statements);
    }
    return error;
}

/* Add the process, with its name, when something in it is first seen. */
static void show_process(struct perl *perl, struct process *process, const struct process *parent)
{
    char name[32], sampled[64];
    pid_t pid = process->perl.pid;
    if (!process->is_perl || process->number != RV_EVENT_BUILDER_NONE)
        return;
    process->number = rv_event_builder_process(perl->import.builder, (uint64_t)pid);
    rv_process_memory_thread_name(pid, pid, name, sizeof name);
    snprintf(sampled, sizeof sampled, "%s, sampled", name);
    rv_event_builder_name_process(perl->import.builder, process->number, rv_import_string(sampled));
    rv_event_builder_set_runtime(perl->import.builder, process->number, "Perl: stacks, sampled every 2 ms");
    if (parent)
        rv_event_builder_set_parent(perl->import.builder, process->number, (uint32_t)parent->perl.pid);
}

static int add_process(struct perl *perl, pid_t pid, const struct process *parent, char *why, size_t why_bytes)
{
    struct process *process = rv_alloc(1, sizeof *process);
    process->number = RV_EVENT_BUILDER_NONE;
    perl->processes = rv_vec_reserve(perl->processes, &perl->capacity, perl->n_processes + 1, sizeof(struct process *));
    perl->processes[perl->n_processes++] = process;
    int error = look_into(process, pid, parent, why, why_bytes);
    show_process(perl, process, parent);
    return error;
}

/* Forget the addresses of a process that has executed another program. */
static void look_again(struct perl *perl, struct process *process, uint64_t now_ns)
{
    char why[256];
    struct rv_process_memory_program program;
    rv_process_memory_program(process->perl.pid, &program);
    if (process->has_ended || (!process->has_changed && rv_process_memory_is_same_program(&program, &process->program)))
        return;
    process->has_changed = false;
    for (size_t i = 0; i < process->n_threads; i++)
        end_thread(perl, &process->threads[i], now_ns);
    process->n_threads = 0;
    (void)look_into(process, process->perl.pid, NULL, why, sizeof why);
    if (process->subs) {
        memset(process->subs, 0, CACHE_SLOTS * sizeof *process->subs);
        memset(process->statements, 0, CACHE_SLOTS * sizeof *process->statements);
    }
    show_process(perl, process, NULL);
}

static bool is_known(const struct perl *perl, pid_t pid)
{
    for (size_t i = 0; i < perl->n_processes; i++)
        if (perl->processes[i]->perl.pid == pid && !is_over(perl->processes[i]))
            return true;
    return false;
}

static void add_children(struct perl *perl, const struct process *parent)
{
    static pid_t pids[MOST_CHILDREN];
    char why[256];
    size_t n = rv_process_memory_children(parent->perl.pid, pids, MOST_CHILDREN);
    for (size_t i = 0; i < n; i++)
        if (!is_known(perl, pids[i]))
            (void)add_process(perl, pids[i], parent, why, sizeof why);
}

static void list_processes(struct perl *perl, uint64_t now_ns)
{
    if (perl->listed_ns && now_ns - perl->listed_ns < LIST_EVERY_NS)
        return;
    perl->listed_ns = now_ns;
    for (size_t i = 0; i < perl->n_processes; i++) {
        struct process *process = perl->processes[i];
        process->has_ended = is_over(process);
        look_again(perl, process, now_ns);
        list_threads(perl, process, now_ns);
        if (!process->has_ended)
            add_children(perl, process);
    }
}

/* ---- names ---- */

static struct cached *find_cached(struct cached *cache, uint64_t hash)
{
    return &cache[hash % CACHE_SLOTS];
}

static uint32_t id_of_sub(struct perl *perl, const struct process *process, const struct rv_perl_sub *sub)
{
    uint64_t hash = rv_hash_bytes(sub, sizeof *sub) | 1;
    struct cached *cached = find_cached(process->subs, hash);
    if (cached->hash == hash)
        return cached->id;
    struct rv_perl_names *names = &perl->names;
    rv_perl_stacks_name(&process->perl, sub, names);
    *cached = (struct cached){hash, rv_event_builder_intern(perl->import.builder, rv_import_string(names->package),
                                                            rv_import_string(names->name),
                                                            rv_import_string(names->file), names->line)};
    return cached->id;
}

static uint32_t id_of_statement(struct perl *perl, const struct process *process,
                                const struct rv_perl_statement *statement)
{
    uint64_t hash = rv_hash_bytes(statement, sizeof *statement) | 1;
    struct cached *cached = find_cached(process->statements, hash);
    if (cached->hash == hash)
        return cached->id;
    char file[RV_PERL_NAME_BYTES], name[32];
    if (!statement->file || !rv_process_memory_get_string(process->perl.pid, statement->file, file, sizeof file))
        snprintf(file, sizeof file, "?");
    const char *slash = strrchr(file, '/');
    snprintf(name, sizeof name, "line %u", statement->line);
    *cached = (struct cached){
        hash, rv_event_builder_intern_statement(perl->import.builder, rv_import_string(slash ? slash + 1 : file),
                                                rv_import_string(name), rv_import_string(file), statement->line)};
    return cached->id;
}

/* ---- samples ---- */

/* A stack that changed while it was read is not a sample: the last one stays. */
static void sample(struct perl *perl, struct process *process, struct thread *thread, uint64_t now_ns)
{
    struct rv_event_builder *builder = perl->import.builder;
    if (thread->number == RV_EVENT_BUILDER_NONE)
        return;
    int status = rv_perl_stack_read(&perl->stack, &process->perl, thread->perls.interpreter);
    process->has_ended |= status == -ESRCH;
    process->has_changed |= status == -EFAULT && thread->perls.number == 0;
    if (status <= 0)
        return;
    size_t n = perl->stack.n;
    perl->ids = rv_vec_reserve(perl->ids, &perl->ids_capacity, n + 1, sizeof *perl->ids);
    for (size_t i = 0; i < n; i++)
        perl->ids[i] = id_of_sub(perl, process, &perl->stack.subs[i]);
    rv_event_builder_see_time(builder, (int64_t)now_ns);
    rv_event_builder_sample(builder, thread->number, (int64_t)now_ns, perl->ids, n);
    if (!perl->stack.statement.line || row_of_lines(perl, process, thread) == RV_EVENT_BUILDER_NONE)
        return;
    perl->ids[0] = id_of_statement(perl, process, &perl->stack.statement);
    rv_event_builder_sample(builder, thread->lines, (int64_t)now_ns, perl->ids, 1);
}

/* ---- as a format ---- */

static int begin(struct rv_import *import)
{
    struct perl *perl = (struct perl *)import;
    char why[256], *end;
    long pid = strtol(import->path, &end, 10);
    if (pid <= 0 || pid > INT32_MAX || *end)
        return rv_err(EINVAL, "%s: not a process id", import->path);
    int error = add_process(perl, (pid_t)pid, NULL, why, sizeof why);
    if (error)
        return rv_err(-error, "%s", why);
    rv_event_builder_see_time(import->builder, (int64_t)rv_clock_mono_ns());
    return 0;
}

/* One sample of every thread; the nap between turns is the sampling interval. */
static int step(struct rv_import *import)
{
    struct perl *perl = (struct perl *)import;
    uint64_t now_ns = rv_clock_mono_ns();
    list_processes(perl, now_ns);
    for (size_t i = 0; i < perl->n_processes; i++)
        for (size_t k = 0; k < perl->processes[i]->n_threads; k++)
            sample(perl, perl->processes[i], &perl->processes[i]->threads[k], now_ns);
    return 0;
}

static void fini(struct rv_import *import)
{
    struct perl *perl = (struct perl *)import;
    for (size_t i = 0; i < perl->n_processes; i++) {
        free(perl->processes[i]->threads);
        free(perl->processes[i]->inherited);
        free(perl->processes[i]->subs);
        free(perl->processes[i]->statements);
        free(perl->processes[i]);
    }
    rv_perl_stack_fini(&perl->stack);
    free(perl->processes);
    free(perl->ids);
}

const struct rv_import_format rv_import_perl = {.name = "perl",
                                                .describe = "a perl that runs",
                                                .bytes = sizeof(struct perl),
                                                .begin = begin,
                                                .step = step,
                                                .has_ended = has_ended,
                                                .fini = fini};
