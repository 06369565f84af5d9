#include "cli/untraced_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/module_name.h"
#include "base/vec.h"
#include "cli/patch_lines.h"
#include "ring/modules.h"

struct time { /* of calls of the package, the library, that has most; of all subroutines */
    const char *package;
    uint64_t most_ns, all_ns;
};

/* Their file is that of the caller, which has no lines; so has a function without a name. */
static bool is_call_of_library(const struct rv_subroutine *subroutine)
{
    return subroutine->package_idx && subroutine->file[0] == '/' && !subroutine->line_form &&
           strncmp(subroutine->name, "0x", 2) != 0;
}

static struct time find_most(struct rv_session *session)
{
    size_t n, n_packages = 0;
    uint64_t *own_ns = NULL; /* by package */
    struct rv_stats *stats = rv_session_stats(session);
    struct rv_stats_row *rows = rv_stats_take_rows(stats, &n);
    struct time time = {.package = NULL};
    for (size_t i = 0; i < n; i++) {
        const struct rv_subroutine subroutine = rv_subroutines_get(rv_session_subroutines(session), rows[i].id);
        time.all_ns += rows[i].self_ns;
        if (!is_call_of_library(&subroutine))
            continue;
        own_ns = rv_vec_extend(own_ns, &n_packages, (size_t)subroutine.package_idx + 1, sizeof *own_ns);
        own_ns[subroutine.package_idx] += rows[i].self_ns;
        if (own_ns[subroutine.package_idx] > time.most_ns) {
            time.most_ns = own_ns[subroutine.package_idx];
            time.package = subroutine.package;
        }
    }
    free(own_ns);
    free(rows);
    rv_stats_destroy(stats);
    return time;
}

static bool is_asked_for(const char *patches, const char *path)
{
    struct rv_patch_line line;
    bool is = false;
    while (!is && rv_patch_line_next(&patches, &line))
        is = line.library && memmem(path, strlen(path), line.library, line.n_library);
    return is;
}

/* Has the path a library of this name, functions of which could be traced? */
static bool is_library(const char *path, const char *package, struct rv_untraced_library *library)
{
    size_t n;
    const char *name = rv_module_name(path, &n), *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    if (strlen(package) != n || memcmp(name, package, n) != 0 || !name[n] || strcmp(package, "c") == 0)
        return false;
    (void)snprintf(library->file, sizeof library->file, "%s", file);
    library->n_stem = (int)(name + n - file);
    return true;
}

bool rv_untraced_library_find(struct rv_session *session, const struct rv_map *map, const char *patches,
                              struct rv_untraced_library *library)
{
    const uint32_t n_modules = map->base ? rv_modules_count(map) : 0;
    const struct time time = n_modules ? find_most(session) : (struct time){.package = NULL};
    if (time.most_ns <= time.all_ns / 2)
        return false;
    library->share = (double)time.most_ns / (double)time.all_ns;
    for (uint32_t i = 0; i < n_modules; i++) {
        char path[PATH_MAX];
        struct rv_module module;
        if (rv_modules_read(map, i, &module, path, sizeof path) == 0 && is_library(module.path, time.package, library))
            return !is_asked_for(patches, module.path);
    }
    return false;
}
