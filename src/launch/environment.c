#include "launch/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "launch/producers.h"

static const char *const line_variables[] = {"RINGVIZ_PERL_LINES", "RINGVIZ_RUBY_LINES"};

#define NO_PID "0000000000" /* room for one */

enum {
    N_LINE_VARIABLES = sizeof line_variables / sizeof *line_variables,
    N_ADDED = 4 + N_LINE_VARIABLES + RV_PRODUCERS_VARIABLES
};

void rv_environment_set(char **environment, const char *name, const char *front, char separator, const char *back)
{
    size_t name_bytes = strlen(name), n_bytes = name_bytes + strlen(front) + (back ? strlen(back) : 0) + sizeof "=:";
    char *variable = rv_alloc(n_bytes, 1);
    int n = snprintf(variable, n_bytes, "%s=%s", name, front);
    if (back && *back)
        snprintf(variable + n, n_bytes - (size_t)n, "%c%s", separator, back);
    size_t i = 0;
    while (environment[i] && strncmp(environment[i], variable, name_bytes + 1) != 0)
        i++;
    free(environment[i]);
    environment[i] = variable;
}

/* Children may change their folder, so make the path absolute. */
static void set_trace_file(char **environment, const char *path)
{
    char *absolute = realpath(path, NULL);
    rv_environment_set(environment, "RINGVIZ_FILE", absolute ? absolute : path, 0, NULL);
    free(absolute);
}

/* 0: all are traced. One that an outer ringviz has set does not count. */
static void set_only(char **environment, bool is_alone)
{
    rv_environment_set(environment, "RINGVIZ_ONLY", is_alone ? NO_PID : "0", 0, NULL);
}

static void ask_for_lines(char **environment)
{
    for (size_t i = 0; i < N_LINE_VARIABLES; i++)
        if (!getenv(line_variables[i]))
            rv_environment_set(environment, line_variables[i], "1", 0, NULL);
}

char **rv_environment_create(const struct rv_launch_params *params)
{
    size_t n = 0;
    while (environ[n])
        n++;
    char **environment = rv_alloc(n + N_ADDED + 1, sizeof *environment);
    for (size_t i = 0; i < n; i++)
        environment[i] = rv_strdup(environ[i]);
    set_trace_file(environment, params->trace_path);
    set_only(environment, params->is_alone);
    rv_producers_add(environment, params->argv[0]);
    if (params->wants_lines)
        ask_for_lines(environment);
    /* One that the user has set, or an outer ringviz, does not count. */
    rv_environment_set(environment, "RINGVIZ_PATCH", params->patches ? params->patches : "auto", 0, NULL);
    rv_environment_set(environment, "RINGVIZ_PLANS", params->plans ? params->plans : "off", 0, NULL);
    return environment;
}

void rv_environment_name_process(char **environment)
{
    static const char ALONE[] = "RINGVIZ_ONLY=" NO_PID;
    for (size_t i = 0; environment[i]; i++)
        if (strcmp(environment[i], ALONE) == 0)
            snprintf(environment[i], sizeof ALONE, "RINGVIZ_ONLY=%0*d", (int)strlen(NO_PID), (int)getpid());
}

void rv_environment_destroy(char **environment)
{
    for (size_t i = 0; environment[i]; i++)
        free(environment[i]);
    free(environment);
}
