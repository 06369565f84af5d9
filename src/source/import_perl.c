/*
 * A perl that runs already: a sampler. Every turn it looks at what each of its threads is calling. Subroutines are open
 * while they are seen; on top of them lies the statement that is executed, as a frame of its own: of the file, as if
 * that were a package.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/os.h"
#include "base/vec.h"
#include "source/import_formats.h"
#include "source/perl_process.h"
#include "source/remote.h"

enum { CACHE_SLOTS = 1 << 14, MOST_THREADS = 4096 };
static const uint64_t THREADS_EVERY_NS = 100000000;

struct thread {
    pid_t tid;
    uint32_t number;         /* the emitter's */
    uint64_t thread_pointer; /* 0: the first one, or no way to know */
    bool is_seen;            /* among the process's threads */
};

/* A subroutine or a statement whose name has been read. */
struct cached {
    uint64_t hash; /* of all that was compared; 0 = free */
    uint32_t id;
};

struct perl {
    struct rv_import import; /* first */
    struct rv_perl_process process;
    struct rv_perl_stack stack;
    struct thread *threads;
    size_t n_threads, capacity;
    uint32_t number; /* of the process, the emitter's */
    uint64_t listed_ns;
    bool has_ended;
    bool is_refused; /* to look into threads, which has been said */
    uint32_t *ids;
    size_t ids_capacity;
    struct cached *subs, *statements;
    struct rv_perl_names names;
};

/* ---- threads ---- */

static bool has_ended(struct rv_import *import)
{
    const struct perl *perl = (const struct perl *)import;
    char state = rv_os_process_state(perl->process.pid);
    return perl->has_ended || state == '\0' || state == 'Z' || state == 'X' ||
           rv_os_process_start(perl->process.pid) != perl->process.start;
}

static void add_thread(struct perl *perl, pid_t tid)
{
    struct thread thread = {.tid = tid, .is_seen = true};
    char name[64];
    bool is_first = tid == perl->process.pid;
    if (!is_first && perl->process.tls_offset) {
        int error = rv_remote_thread_pointer(tid, &thread.thread_pointer);
        if (error == -EPERM && !perl->is_refused)
            rv_warn("%s: its other threads are not looked into: ptrace is not permitted", perl->import.path);
        perl->is_refused |= error == -EPERM;
    }
    thread.number = rv_emitter_thread(perl->import.emitter, perl->number, (uint64_t)tid, 0);
    rv_remote_thread_name(perl->process.pid, tid, name, sizeof name);
    rv_emitter_name_thread(perl->import.emitter, thread.number, rv_import_string(is_first ? "main" : name));
    perl->threads = rv_vec_reserve(perl->threads, &perl->capacity, perl->n_threads + 1, sizeof *perl->threads);
    perl->threads[perl->n_threads++] = thread;
}

static struct thread *find_thread(struct perl *perl, pid_t tid)
{
    for (size_t i = 0; i < perl->n_threads; i++)
        if (perl->threads[i].tid == tid)
            return &perl->threads[i];
    return NULL;
}

static void list_threads(struct perl *perl, uint64_t now_ns)
{
    static pid_t tids[MOST_THREADS];
    if (perl->listed_ns && now_ns - perl->listed_ns < THREADS_EVERY_NS)
        return;
    perl->listed_ns = now_ns;
    size_t n = rv_remote_threads(perl->process.pid, tids, MOST_THREADS), n_left = 0;
    for (size_t i = 0; i < perl->n_threads; i++)
        perl->threads[i].is_seen = false;
    for (size_t i = 0; i < n; i++) {
        struct thread *thread = find_thread(perl, tids[i]);
        if (thread)
            thread->is_seen = true;
        else
            add_thread(perl, tids[i]);
    }
    for (size_t i = 0; i < perl->n_threads; i++) {
        if (perl->threads[i].is_seen)
            perl->threads[n_left++] = perl->threads[i];
        else if (perl->threads[i].number != RV_EMITTER_NONE)
            rv_emitter_end_thread(perl->import.emitter, perl->threads[i].number, (int64_t)now_ns);
    }
    perl->n_threads = n_left;
}

/* ---- names ---- */

static struct cached *find_cached(struct cached *cache, uint64_t hash)
{
    return &cache[hash % CACHE_SLOTS];
}

static uint32_t id_of_sub(struct perl *perl, const struct rv_perl_sub *sub)
{
    uint64_t hash = rv_hash_bytes(sub, sizeof *sub) | 1;
    struct cached *cached = find_cached(perl->subs, hash);
    if (cached->hash == hash)
        return cached->id;
    struct rv_perl_names *names = &perl->names;
    rv_perl_process_name(&perl->process, sub, names);
    *cached = (struct cached){hash, rv_emitter_intern(perl->import.emitter, rv_import_string(names->package),
                                                      rv_import_string(names->name), rv_import_string(names->file),
                                                      names->line)};
    return cached->id;
}

static uint32_t id_of_statement(struct perl *perl, const struct rv_perl_statement *statement)
{
    uint64_t hash = rv_hash_bytes(statement, sizeof *statement) | 1;
    struct cached *cached = find_cached(perl->statements, hash);
    if (cached->hash == hash)
        return cached->id;
    char file[RV_PERL_NAME_BYTES], name[32];
    if (!statement->file || !rv_remote_get_string(perl->process.pid, statement->file, file, sizeof file))
        snprintf(file, sizeof file, "?");
    const char *slash = strrchr(file, '/');
    snprintf(name, sizeof name, "line %u", statement->line);
    *cached = (struct cached){hash, rv_emitter_intern(perl->import.emitter, rv_import_string(slash ? slash + 1 : file),
                                                      rv_import_string(name), rv_import_string(file), statement->line)};
    return cached->id;
}

/* ---- samples ---- */

static uint64_t interpreter_of(const struct perl *perl, const struct thread *thread)
{
    if (thread->tid == perl->process.pid)
        return rv_perl_process_interpreter(&perl->process);
    return thread->thread_pointer ? rv_perl_process_context(&perl->process, thread->thread_pointer) : 0;
}

/* A stack that was changing is not a sample: what was seen last goes on. */
static void sample(struct perl *perl, const struct thread *thread, uint64_t now_ns)
{
    uint64_t interpreter = interpreter_of(perl, thread);
    if (!interpreter || thread->number == RV_EMITTER_NONE)
        return;
    int status = rv_perl_stack_read(&perl->stack, &perl->process, interpreter);
    perl->has_ended |= status == -ESRCH;
    if (status <= 0)
        return;
    size_t n = perl->stack.n;
    perl->ids = rv_vec_reserve(perl->ids, &perl->ids_capacity, n + 1, sizeof *perl->ids);
    for (size_t i = 0; i < n; i++)
        perl->ids[i] = id_of_sub(perl, &perl->stack.subs[i]);
    if (perl->stack.statement.line)
        perl->ids[n++] = id_of_statement(perl, &perl->stack.statement);
    rv_emitter_see_time(perl->import.emitter, (int64_t)now_ns);
    rv_emitter_sample(perl->import.emitter, thread->number, (int64_t)now_ns, perl->ids, n);
}

/* ---- as a format ---- */

static int begin(struct rv_import *import)
{
    struct perl *perl = (struct perl *)import;
    char name[32], sampled[64], *end;
    long pid = strtol(import->path, &end, 10);
    if (pid <= 0 || pid > INT32_MAX || *end)
        return rv_err(EINVAL, "%s: not the number of a process", import->path);
    int error = rv_perl_process_open(&perl->process, (pid_t)pid);
    if (error)
        return error;
    perl->subs = rv_alloc(CACHE_SLOTS, sizeof *perl->subs);
    perl->statements = rv_alloc(CACHE_SLOTS, sizeof *perl->statements);
    perl->number = rv_emitter_process(import->emitter, (uint64_t)pid);
    rv_remote_thread_name((pid_t)pid, (pid_t)pid, name, sizeof name);
    snprintf(sampled, sizeof sampled, "%s, sampled", name);
    rv_emitter_name_process(import->emitter, perl->number, rv_import_string(sampled));
    rv_emitter_see_time(import->emitter, (int64_t)rv_clock_mono_ns());
    return 0;
}

/* One sample of every thread; the nap between turns is the sampling interval. */
static int step(struct rv_import *import)
{
    struct perl *perl = (struct perl *)import;
    uint64_t now_ns = rv_clock_mono_ns();
    list_threads(perl, now_ns);
    for (size_t i = 0; i < perl->n_threads; i++)
        sample(perl, &perl->threads[i], now_ns);
    return 0;
}

static void fini(struct rv_import *import)
{
    struct perl *perl = (struct perl *)import;
    rv_perl_stack_fini(&perl->stack);
    free(perl->threads);
    free(perl->ids);
    free(perl->subs);
    free(perl->statements);
}

const struct rv_import_format rv_import_perl = {.name = "perl",
                                                .describe = "a perl that runs",
                                                .bytes = sizeof(struct perl),
                                                .begin = begin,
                                                .step = step,
                                                .has_ended = has_ended,
                                                .fini = fini};
