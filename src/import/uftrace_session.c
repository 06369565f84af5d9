#include "import/uftrace_session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bisect.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/vec.h"
#include "symbols/demangle.h"
#include "base/hash_index.h"

/* The kernel allows 65,530 mappings per process. The total is limited so that memory is proportional to the
 * size of the input. */
enum { MOST_SESSIONS = 1 << 16, MOST_MAPPINGS = 1 << 16, MOST_MAPPINGS_OF_ALL = 1 << 20 };
enum { MOST_TASKS = 1 << 20, MOST_PARENTS = 64, CACHE_SLOTS = 1 << 14, SID_BYTES = 32 };

struct symbol {
    uint64_t offset; /* from the module's start */
    uint32_t name;   /* offset into the module's names */
};

struct module { /* by path; symbols sorted */
    char *path;
    bool is_loaded;
    struct symbol *symbols;
    size_t n, capacity;
    char *names;
    size_t n_names, names_capacity;
};

struct mapping {
    uint64_t start, end;
    size_t module;
};

struct session {
    uint64_t pid, since_ns;
    char sid[SID_BYTES];
    char *program;
    struct mapping *mappings;
    size_t n, capacity;
};

struct fork {
    uint32_t pid, parent;
};

struct cached {
    uint64_t address;
    const struct session *session;
    uint32_t id;
};

struct rv_uftrace {
    char *folder;
    struct rv_uftrace_task *tasks;
    size_t n_tasks, tasks_capacity;
    struct rv_hash_index task_index; /* by thread */
    struct session *sessions;        /* by pid, then time */
    size_t n_sessions, sessions_capacity;
    struct fork *forks;
    size_t n_forks, forks_capacity;
    struct rv_hash_index fork_index; /* by child */
    struct module *modules;
    size_t n_modules, modules_capacity;
    struct rv_hash_index module_index; /* by path */
    size_t n_mappings;                 /* in all sessions */
    struct cached *cache;
};

/* ---- task.txt ---- */

/* The value after "key=", or NULL. */
static const char *find_value(const char *line, const char *key)
{
    size_t n = strlen(key);
    for (const char *at = strchr(line, ' '); at; at = strchr(at + 1, ' '))
        if (strncmp(at + 1, key, n) == 0 && at[1 + n] == '=')
            return at + 2 + n;
    return NULL;
}

static uint32_t find_number(const char *line, const char *key)
{
    const char *value = find_value(line, key);
    return value ? (uint32_t)strtoul(value, NULL, 10) : 0;
}

static void read_session(struct rv_uftrace *uftrace, const char *line)
{
    const char *sid = find_value(line, "sid"), *program = find_value(line, "exename"),
               *time = find_value(line, "timestamp");
    struct session session = {.pid = find_number(line, "pid")};
    int64_t since_ns = 0;
    size_t n_sid = sid ? strspn(sid, "0123456789abcdef") : 0;
    if (n_sid == 0 || n_sid >= sizeof session.sid || uftrace->n_sessions == MOST_SESSIONS)
        return;
    memcpy(session.sid, sid, n_sid);
    if (time)
        (void)rv_import_decimal(time, strlen(time), 9, &since_ns, NULL);
    session.since_ns = since_ns > 0 ? (uint64_t)since_ns : 0;
    program = program && *program == '"' ? program + 1 : "";
    size_t n_program = strcspn(program, "\"");
    session.program = memcpy(rv_alloc(n_program + 1, 1), program, n_program);
    uftrace->sessions = rv_vec_reserve(uftrace->sessions, &uftrace->sessions_capacity, uftrace->n_sessions + 1,
                                       sizeof *uftrace->sessions);
    uftrace->sessions[uftrace->n_sessions++] = session;
}

static void add_fork(struct rv_uftrace *uftrace, uint32_t pid, uint32_t parent)
{
    if (rv_hash_index_get(&uftrace->fork_index, pid))
        return;
    uftrace->forks =
        rv_vec_reserve(uftrace->forks, &uftrace->forks_capacity, uftrace->n_forks + 1, sizeof *uftrace->forks);
    uftrace->forks[uftrace->n_forks++] = (struct fork){pid, parent};
    rv_hash_index_add(&uftrace->fork_index, pid, (uint32_t)uftrace->n_forks);
}

static void add_task(struct rv_uftrace *uftrace, uint32_t tid, uint32_t pid)
{
    if (rv_hash_index_get(&uftrace->task_index, tid))
        return;
    uftrace->tasks =
        rv_vec_reserve(uftrace->tasks, &uftrace->tasks_capacity, uftrace->n_tasks + 1, sizeof *uftrace->tasks);
    uftrace->tasks[uftrace->n_tasks++] = (struct rv_uftrace_task){tid, pid};
    rv_hash_index_add(&uftrace->task_index, tid, (uint32_t)uftrace->n_tasks);
}

static int compare_sessions(const void *left, const void *right)
{
    const struct session *a = left, *b = right;
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    return a->since_ns < b->since_ns ? -1 : a->since_ns > b->since_ns;
}

static int read_tasks(struct rv_uftrace *uftrace, struct rv_text_reader *text)
{
    char *line;
    size_t n;
    int status;
    while ((status = rv_text_reader_line(text, &line, &n)) > 0 && uftrace->n_tasks < MOST_TASKS) {
        if (strncmp(line, "SESS ", 5) == 0)
            read_session(uftrace, line);
        else if (strncmp(line, "TASK ", 5) == 0)
            add_task(uftrace, find_number(line, "tid"), find_number(line, "pid"));
        else if (strncmp(line, "FORK ", 5) == 0) {
            uint32_t child = find_number(line, "pid");
            add_fork(uftrace, child, find_number(line, "ppid"));
            add_task(uftrace, child, child);
        }
    }
    if (uftrace->n_sessions)
        qsort(uftrace->sessions, uftrace->n_sessions, sizeof *uftrace->sessions, compare_sessions);
    return status < 0 ? status : 0;
}

/* ---- maps and symbols ---- */

static struct rv_text_reader *open_in(const struct rv_uftrace *uftrace, const char *prefix, const char *name,
                                      const char *suffix)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s%s%s", uftrace->folder, prefix, name, suffix);
    return n > 0 && (size_t)n < sizeof path && access(path, R_OK) == 0 ? rv_text_reader_open(path) : NULL;
}

static bool is_module(const void *context, uint32_t value, const void *key)
{
    const char *path = ((const struct rv_uftrace *)context)->modules[value - 1].path;
    const struct rv_event_builder_text *wanted = key;
    return strlen(path) == wanted->n && memcmp(path, wanted->bytes, wanted->n) == 0;
}

static size_t module_of(struct rv_uftrace *uftrace, const char *path, size_t n_path)
{
    struct rv_event_builder_text wanted = {path, n_path};
    uint64_t hash = rv_hash_bytes(path, n_path);
    uint32_t found = rv_hash_index_find(&uftrace->module_index, hash, is_module, uftrace, &wanted);
    if (found)
        return found - 1;
    uftrace->modules =
        rv_vec_reserve(uftrace->modules, &uftrace->modules_capacity, uftrace->n_modules + 1, sizeof *uftrace->modules);
    struct module *module = &uftrace->modules[uftrace->n_modules];
    *module = (struct module){.path = memcpy(rv_alloc(n_path + 1, 1), path, n_path)};
    rv_hash_index_put(&uftrace->module_index, hash, (uint32_t)++uftrace->n_modules);
    return uftrace->n_modules - 1;
}

/* "start-end perms offset dev inode path build-id:..." */
static void read_map(struct rv_uftrace *uftrace, struct session *session)
{
    struct rv_text_reader *text = open_in(uftrace, "sid-", session->sid, ".map");
    char *line;
    size_t n;
    while (text && session->n < MOST_MAPPINGS && uftrace->n_mappings < MOST_MAPPINGS_OF_ALL &&
           rv_text_reader_line(text, &line, &n) > 0) {
        struct mapping mapping;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64, &mapping.start, &mapping.end) != 2)
            continue;
        const char *path = strchr(line, '/');
        if (!path)
            continue;
        const char *end = strstr(path, " build-id:");
        mapping.module = module_of(uftrace, path, end ? (size_t)(end - path) : strlen(path));
        session->mappings =
            rv_vec_reserve(session->mappings, &session->capacity, session->n + 1, sizeof *session->mappings);
        session->mappings[session->n++] = mapping;
        uftrace->n_mappings++;
    }
    rv_text_reader_close(text);
}

static void add_symbol(struct module *module, uint64_t offset, const char *name)
{
    size_t n = strlen(name) + 1;
    if (module->n_names > UINT32_MAX - n)
        return;
    module->names = rv_vec_reserve(module->names, &module->names_capacity, module->n_names + n, 1);
    memcpy(module->names + module->n_names, name, n);
    module->symbols = rv_vec_reserve(module->symbols, &module->capacity, module->n + 1, sizeof *module->symbols);
    module->symbols[module->n++] = (struct symbol){offset, (uint32_t)module->n_names};
    module->n_names += n;
}

static int compare_symbols(const void *left, const void *right)
{
    const struct symbol *a = left, *b = right;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* "offset type name" */
static void load_symbols(struct rv_uftrace *uftrace, struct module *module)
{
    if (module->is_loaded)
        return;
    module->is_loaded = true;
    const char *slash = strrchr(module->path, '/');
    struct rv_text_reader *text = open_in(uftrace, "", slash ? slash + 1 : module->path, ".sym");
    char *line, *after;
    size_t n;
    while (text && rv_text_reader_line(text, &line, &n) > 0) {
        if (*line == '#')
            continue;
        uint64_t offset = strtoull(line, &after, 16);
        if (after > line && n > (size_t)(after - line) + 3 && after[0] == ' ' && after[2] == ' ')
            add_symbol(module, offset, after + 3);
    }
    rv_text_reader_close(text);
    if (module->n)
        qsort(module->symbols, module->n, sizeof *module->symbols, compare_symbols);
}

/* ---- lookup ---- */

uint32_t rv_uftrace_parent(const struct rv_uftrace *uftrace, uint32_t pid)
{
    uint32_t found = rv_hash_index_get(&uftrace->fork_index, pid);
    return found ? uftrace->forks[found - 1].parent : 0;
}

/* Number of sessions of processes up to this one. */
static size_t sessions_to(const struct rv_uftrace *uftrace, uint64_t pid)
{
    return rv_bisect_count(uftrace->sessions, uftrace->n_sessions, sizeof *uftrace->sessions,
                           offsetof(struct session, pid), pid);
}

/* The process's latest image at that time, or its parent's. */
static const struct session *session_of(const struct rv_uftrace *uftrace, uint32_t pid, int64_t ns)
{
    for (int i = 0; i < MOST_PARENTS && pid; i++, pid = rv_uftrace_parent(uftrace, pid)) {
        size_t begin = sessions_to(uftrace, pid - 1u), end = sessions_to(uftrace, pid);
        if (begin == end)
            continue;
        const struct session *first = &uftrace->sessions[begin];
        size_t n = rv_bisect_count(first, end - begin, sizeof *first, offsetof(struct session, since_ns),
                                   ns > 0 ? (uint64_t)ns : 0);
        return n ? &first[n - 1] : first;
    }
    return NULL;
}

const char *rv_uftrace_program(const struct rv_uftrace *uftrace, uint32_t pid)
{
    const struct session *session = session_of(uftrace, pid, INT64_MAX);
    return session ? session->program : "";
}

static const char *find_symbol(const struct module *module, uint64_t offset)
{
    size_t n =
        rv_bisect_count(module->symbols, module->n, sizeof *module->symbols, offsetof(struct symbol, offset), offset);
    return n ? module->names + module->symbols[n - 1].name : NULL;
}

static struct rv_event_builder_text text_of(struct rv_demangle_piece piece)
{
    return rv_import_text(piece.text, piece.n_bytes);
}

static uint32_t resolve(struct rv_uftrace *uftrace, struct rv_event_builder *builder, const struct session *session,
                        uint64_t address)
{
    struct rv_event_builder_text none = {0};
    char hex[32];
    int n_hex = snprintf(hex, sizeof hex, "0x%" PRIx64, address);
    for (size_t i = 0; session && i < session->n; i++) {
        const struct mapping *mapping = &session->mappings[i];
        if (address < mapping->start || address >= mapping->end)
            continue;
        struct module *module = &uftrace->modules[mapping->module];
        load_symbols(uftrace, module);
        const char *name = find_symbol(module, address - mapping->start);
        struct rv_demangled parts = {.name = {hex, (size_t)n_hex}};
        if (name)
            rv_demangle(name, &parts);
        struct rv_demangle_piece package = parts.package.n_bytes ? parts.package : rv_demangle_module(module->path);
        uint32_t id =
            rv_event_builder_intern(builder, text_of(package), text_of(parts.name), rv_import_string(module->path), 0);
        free(parts.owned);
        return id;
    }
    return rv_event_builder_intern(builder, none, rv_import_text(hex, (size_t)n_hex), none, 0);
}

uint32_t rv_uftrace_subroutine(struct rv_uftrace *uftrace, struct rv_event_builder *builder, uint32_t pid, int64_t ns,
                               uint64_t address)
{
    const struct session *session = session_of(uftrace, pid, ns);
    struct cached *cached = &uftrace->cache[rv_hash_u64(address) % CACHE_SLOTS];
    if (cached->id && cached->address == address && cached->session == session)
        return cached->id;
    *cached = (struct cached){address, session, resolve(uftrace, builder, session, address)};
    return cached->id;
}

/* ---- life ---- */

struct rv_uftrace *rv_uftrace_open(const char *folder)
{
    struct rv_uftrace *uftrace = rv_alloc(1, sizeof *uftrace);
    uftrace->folder = rv_strdup(folder);
    uftrace->cache = rv_alloc(CACHE_SLOTS, sizeof *uftrace->cache);
    struct rv_text_reader *text = open_in(uftrace, "", "task", ".txt");
    int error = text ? read_tasks(uftrace, text) : rv_err(EBADMSG, "%s: uftrace data without task.txt", folder);
    rv_text_reader_close(text);
    for (size_t i = 0; i < uftrace->n_sessions && !error; i++)
        read_map(uftrace, &uftrace->sessions[i]);
    if (!error)
        return uftrace;
    rv_uftrace_close(uftrace);
    return NULL;
}

void rv_uftrace_close(struct rv_uftrace *uftrace)
{
    if (!uftrace)
        return;
    for (size_t i = 0; i < uftrace->n_sessions; i++) {
        free(uftrace->sessions[i].program);
        free(uftrace->sessions[i].mappings);
    }
    for (size_t i = 0; i < uftrace->n_modules; i++) {
        free(uftrace->modules[i].path);
        free(uftrace->modules[i].symbols);
        free(uftrace->modules[i].names);
    }
    free(uftrace->folder);
    free(uftrace->tasks);
    free(uftrace->sessions);
    free(uftrace->forks);
    free(uftrace->modules);
    rv_hash_index_fini(&uftrace->task_index);
    rv_hash_index_fini(&uftrace->fork_index);
    rv_hash_index_fini(&uftrace->module_index);
    free(uftrace->cache);
    free(uftrace);
}

size_t rv_uftrace_n_tasks(const struct rv_uftrace *uftrace)
{
    return uftrace->n_tasks;
}

struct rv_uftrace_task rv_uftrace_task(const struct rv_uftrace *uftrace, size_t idx)
{
    return uftrace->tasks[idx];
}
