#include "cli/attach.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/hash_index.h"
#include "base/os.h"
#include "import/process_memory.h"

size_t rv_cli_attach_below(pid_t pid, pid_t below[RV_CLI_ATTACH_BELOW])
{
    size_t n = rv_process_memory_children(pid, below, RV_CLI_ATTACH_BELOW), n_others = 0;
    for (size_t i = 0; i < n; i++)
        n += rv_process_memory_children(below[i], below + n, RV_CLI_ATTACH_BELOW - n);
    for (size_t i = 0; i < n; i++)
        if (below[i] != getpid())
            below[n_others++] = below[i];
    return n_others;
}

#ifdef RV_CLI_ATTACH

#include "attach/attach.h"
#include "launch/launch.h"
#include "ring/attachment.h"
#include "ring/ownership.h"
#include "ring/process_liveness.h"

#define MOST_GENERATIONS 8u /* of processes that fork while others are left */

static int find_file(const char *name, char path[PATH_MAX])
{
    return rv_launch_find_file(name, path, PATH_MAX) == 0
               ? 0
               : rv_err(ENOENT, "%s was found neither beside ringviz nor in its library folder", name);
}

static int find_library(char path[PATH_MAX])
{
    return find_file(RV_ATTACHMENT_LIBRARY, path);
}

/* Into one below the first, if the trace file's user is its own: who may write the file would reach into others' processes. */
static int begin_below(struct rv_attach_params params, pid_t below, uid_t user)
{
    const uid_t its = rv_os_process_user(below);
    if (its != user && its != (uid_t)-1) {
        rv_warn("process %d is not traced: it is another user's than process %d, whose alone the trace file is; use "
                "ringviz -p %d",
                (int)below, (int)params.pid, (int)below);
        return -EPERM;
    }
    params.pid = below;
    return rv_attach_begin(&params);
}

/* Into those that are not known yet. Returns whether any one had no jumps before: others may have been forked by it since. */
static bool begin_unknown(const struct rv_attach_params *params, uid_t user, struct rv_hash_index *known)
{
    pid_t below[RV_CLI_ATTACH_BELOW];
    bool has_entered = false;
    const size_t n = rv_cli_attach_below(params->pid, below);
    for (size_t i = 0; i < n; i++) {
        if (rv_hash_index_get(known, (uint64_t)below[i]))
            continue;
        rv_hash_index_add(known, (uint64_t)below[i], 1);
        has_entered |= begin_below(*params, below[i], user) == 0;
    }
    return has_entered;
}

static void begin_all_below(const struct rv_attach_params *params, uid_t user)
{
    struct rv_hash_index known = {0};
    for (unsigned i = 0; i < MOST_GENERATIONS && begin_unknown(params, user, &known); i++)
        continue;
    rv_hash_index_fini(&known);
}

static void say_below(const struct rv_options *options, size_t n_below)
{
    if (n_below)
        rv_warn("process %u: %zu that it has started %s not traced; --follow=all gets into them, too", options->pid,
                n_below, n_below == 1 ? "is" : "are");
}

int rv_cli_attach(const struct rv_options *options, const struct rv_map *map)
{
    char library[PATH_MAX], planner[PATH_MAX], absolute[PATH_MAX];
    pid_t below[RV_CLI_ATTACH_BELOW];
    int error = find_library(library);
    if (!error)
        error = find_file(RV_ATTACHMENT_PLANNER, planner);
    if (error)
        return error;
    const struct rv_attach_params params = {
        .pid = (pid_t)options->pid,
        .library = library,
        .trace_path = realpath(map->path, absolute) ? absolute : map->path,
        .patches = options->patches,
    };
    const uid_t user = rv_os_process_user(params.pid);
    const size_t n_before = rv_cli_attach_below(params.pid, below); /* those that it forks later are traced */
    if (!options->trace_file)
        rv_map_give(map, user);
    error = rv_attach_begin(&params);
    if (error == -ESRCH)
        (void)rv_err(ESRCH, "process %u: no such process", options->pid);
    if (!error && options->follow == RV_FOLLOW_ALL)
        begin_all_below(&params, user);
    else if (!error)
        say_below(options, n_before);
    return error;
}

/* How many of the processes in the trace file were left, of those that this ringviz has got into. */
static unsigned end_others(const struct rv_map *map, const char *library)
{
    unsigned n_ended = 0;
    const uint32_t n = rv_ownership_n_processes(map);
    for (uint32_t i = 0; i < n; i++) {
        const struct rv_wire_process *process = rv_map_process(map, i);
        if (__atomic_load_n(&process->state, __ATOMIC_ACQUIRE) == RV_PROCESS_LIVE && /* D2 <- D1 */
            rv_process_liveness_is_running(process->pid, process->start))
            n_ended += rv_attach_end_copy((pid_t)process->pid, library) == 0;
    }
    return n_ended;
}

static int end(pid_t pid, const char *library)
{
    const int error = rv_attach_end(pid, library);
    return error == -ENOENT ? rv_err(ENOENT, "process %d: no ringviz has attached to it", (int)pid) : error;
}

int rv_cli_detach_all(const struct rv_options *options, const struct rv_map *map)
{
    char library[PATH_MAX];
    int error = find_library(library);
    if (error)
        return error;
    error = end((pid_t)options->pid, library);
    for (unsigned i = 0; i < MOST_GENERATIONS && end_others(map, library); i++)
        continue;
    return error;
}

int rv_cli_detach(const struct rv_options *options)
{
    char library[PATH_MAX];
    pid_t below[RV_CLI_ATTACH_BELOW];
    int error = find_library(library);
    if (error)
        return error;
    const size_t n_below = rv_cli_attach_below((pid_t)options->pid, below);
    error = end((pid_t)options->pid, library);
    for (size_t i = 0; options->follow == RV_FOLLOW_ALL && i < n_below; i++)
        (void)rv_attach_end(below[i], library);
    return error;
}

#else

int rv_cli_attach(const struct rv_options *options, const struct rv_map *map)
{
    (void)map;
    return rv_err(ENOTSUP, "process %u: only on x86-64 can a process be attached to", options->pid);
}

int rv_cli_detach(const struct rv_options *options)
{
    return rv_cli_attach(options, NULL);
}

int rv_cli_detach_all(const struct rv_options *options, const struct rv_map *map)
{
    (void)map;
    return rv_cli_detach(options);
}

#endif
