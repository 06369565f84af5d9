#include "launch/environment.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/vec.h"

#define PRODUCER "libringviz-cyg.so"

/* Owned by the environment: "NAME=front" or "NAME=front:back". */
static char *make_variable(const char *name, const char *front, const char *back)
{
    size_t n_bytes = strlen(name) + strlen(front) + (back ? strlen(back) : 0) + sizeof "=:";
    char *variable = rv_alloc(n_bytes, 1);
    snprintf(variable, n_bytes, "%s=%s%s%s", name, front, back ? ":" : "", back ? back : "");
    return variable;
}

static void set(char **environment, char *variable)
{
    size_t name_bytes = (size_t)(strchr(variable, '=') - variable) + 1;
    size_t i = 0;
    while (environment[i] && strncmp(environment[i], variable, name_bytes) != 0)
        i++;
    free(environment[i]);
    environment[i] = variable;
}

/* Children may change their folder: the path goes absolute. */
static void set_trace_file(char **environment, const char *path)
{
    char *absolute = realpath(path, NULL);
    set(environment, make_variable("RINGVIZ_FILE", absolute ? absolute : path, NULL));
    free(absolute);
}

static void set_preload(char **environment)
{
    char path[PATH_MAX];
    if (rv_launch_find_producer(PRODUCER, path, sizeof path) != 0) {
        rv_warn(PRODUCER " was found neither beside ringviz nor in its library folder: only programs that link "
                         "libringviz are traced");
        return;
    }
    if (strpbrk(path, ": ")) {
        rv_warn("%s: the loader cannot preload a path with a blank or a colon in it", path);
        return;
    }
    const char *others = getenv("LD_PRELOAD");
    set(environment, make_variable("LD_PRELOAD", path, others && *others ? others : NULL));
}

char **rv_environment_create(const struct rv_launch_params *params)
{
    enum { N_ADDED = 4 };
    size_t n = 0;
    while (environ[n])
        n++;
    char **environment = rv_alloc(n + N_ADDED + 1, sizeof *environment);
    for (size_t i = 0; i < n; i++)
        environment[i] = rv_strdup(environ[i]);
    set_trace_file(environment, params->trace_path);
    set_preload(environment);
    if (params->include)
        set(environment, make_variable("RINGVIZ_INCLUDE", params->include, NULL));
    if (params->exclude)
        set(environment, make_variable("RINGVIZ_EXCLUDE", params->exclude, NULL));
    return environment;
}

void rv_environment_destroy(char **environment)
{
    for (size_t i = 0; environment[i]; i++)
        free(environment[i]);
    free(environment);
}
