#include "cli/attach.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

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

int rv_cli_attach(const struct rv_options *options, const char *trace_path)
{
    char library[PATH_MAX], planner[PATH_MAX], absolute[PATH_MAX];
    int error = find_library(library);
    if (!error)
        error = find_file(RV_ATTACHMENT_PLANNER, planner);
    if (error)
        return error;
    return rv_attach_begin(&(struct rv_attach_params){
        .pid = (pid_t)options->pid,
        .library = library,
        .trace_path = realpath(trace_path, absolute) ? absolute : trace_path,
        .patches = options->patches,
    });
}

/* How many of the processes in the trace file were left, and had been entered by fork. */
static unsigned end_copies(const struct rv_map *map, const char *library)
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

int rv_cli_detach_all(const struct rv_options *options, const struct rv_map *map)
{
    char library[PATH_MAX];
    const int error = rv_cli_detach(options);
    for (unsigned i = 0; i < MOST_GENERATIONS && find_library(library) == 0 && end_copies(map, library); i++)
        continue;
    return error;
}

int rv_cli_detach(const struct rv_options *options)
{
    char library[PATH_MAX];
    int error = find_library(library);
    if (!error)
        error = rv_attach_end((pid_t)options->pid, library);
    if (error == -ENOENT)
        return rv_err(ENOENT, "process %u: no ringviz has attached to it", options->pid);
    return error;
}

#else

int rv_cli_attach(const struct rv_options *options, const char *trace_path)
{
    (void)trace_path;
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
