/*
 * libc functions that start programs, intercepted: the process is announced, what cannot be traced is counted, and a new
 * environment gets what tracing needs. system() and popen() start a shell, which comes here. All may run between vfork and
 * exec: what they pass on lies on the stack.
 */
#include <alloca.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "producers/native/creator.h"
#include "producers/native/next_function.h"
#include "producers/native/preload.h"

typedef int exec_fn(const char *path, char *const *arguments, char *const *environment);
typedef int spawn_fn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                     const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment);

/* Under names of our own: a path may be NULL, which libc's headers forbid. */
#define INTERCEPTS(name) __asm__(name) RV_EXPORT
int rv_exec_execl(const char *path, const char *argument, ...) INTERCEPTS("execl");
int rv_exec_execle(const char *path, const char *argument, ...) INTERCEPTS("execle");
int rv_exec_execlp(const char *file, const char *argument, ...) INTERCEPTS("execlp");
int rv_exec_execv(const char *path, char *const *arguments) INTERCEPTS("execv");
int rv_exec_execvp(const char *file, char *const *arguments) INTERCEPTS("execvp");
exec_fn rv_exec_execve INTERCEPTS("execve");
exec_fn rv_exec_execvpe INTERCEPTS("execvpe");
spawn_fn rv_exec_spawn INTERCEPTS("posix_spawn");
spawn_fn rv_exec_spawnp INTERCEPTS("posix_spawnp");

static struct rv_next_function next_execve = {.name = "execve"}, next_execvpe = {.name = "execvpe"},
                               next_spawn = {.name = "posix_spawn"}, next_spawnp = {.name = "posix_spawnp"};

/* Returns whether it is privileged. */
static bool expect(const char *path, bool is_command)
{
    (void)rv_creator_announce_process();
    if (!path)
        return false;
    return is_command ? rv_preload_expect_command(path) : rv_preload_expect(path);
}

static int execute(const char *path, bool is_command, char *const *arguments, char *const *environment)
{
    exec_fn *real = (exec_fn *)(uintptr_t)rv_next_function(is_command ? &next_execvpe : &next_execve);
    const bool is_privileged = expect(path, is_command);
    struct rv_preload_change change;
    const size_t n_bytes = rv_preload_find_change(environment, is_privileged, &change);
    if (n_bytes)
        environment = rv_preload_change(environment, &change, alloca(n_bytes));
    return real(path, arguments, environment);
}

int rv_exec_execve(const char *path, char *const *arguments, char *const *environment)
{
    return execute(path, false, arguments, environment);
}

int rv_exec_execvpe(const char *file, char *const *arguments, char *const *environment)
{
    return execute(file, true, arguments, environment);
}

int rv_exec_execv(const char *path, char *const *arguments)
{
    return execute(path, false, arguments, environ);
}

int rv_exec_execvp(const char *file, char *const *arguments)
{
    return execute(file, true, arguments, environ);
}

/* Number of arguments, with the NULL that ends them. */
static size_t count_list(const char *argument, va_list rest)
{
    size_t n = 1;
    va_list counted;
    va_copy(counted, rest);
    for (; argument; n++)
        argument = va_arg(counted, const char *);
    va_end(counted);
    return n;
}

/* Copy the arguments; *rest is then at their end. */
static void copy_list(char **arguments, const char *argument, va_list *rest)
{
    for (*arguments = (char *)(uintptr_t)argument; *arguments; arguments++)
        arguments[1] = va_arg(*rest, char *);
}

int rv_exec_execl(const char *path, const char *argument, ...)
{
    va_list rest;
    va_start(rest, argument);
    char **arguments = alloca(count_list(argument, rest) * sizeof *arguments);
    copy_list(arguments, argument, &rest);
    va_end(rest);
    return execute(path, false, arguments, environ);
}

int rv_exec_execlp(const char *file, const char *argument, ...)
{
    va_list rest;
    va_start(rest, argument);
    char **arguments = alloca(count_list(argument, rest) * sizeof *arguments);
    copy_list(arguments, argument, &rest);
    va_end(rest);
    return execute(file, true, arguments, environ);
}

int rv_exec_execle(const char *path, const char *argument, ...)
{
    va_list rest;
    va_start(rest, argument);
    char **arguments = alloca(count_list(argument, rest) * sizeof *arguments);
    copy_list(arguments, argument, &rest);
    char *const *environment = va_arg(rest, char *const *);
    va_end(rest);
    return execute(path, false, arguments, environment);
}

static int spawn(bool is_command, pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment)
{
    spawn_fn *real = (spawn_fn *)(uintptr_t)rv_next_function(is_command ? &next_spawnp : &next_spawn);
    const bool is_privileged = expect(path, is_command);
    struct rv_preload_change change;
    const size_t n_bytes = rv_preload_find_change(environment, is_privileged, &change);
    if (n_bytes)
        environment = rv_preload_change(environment, &change, alloca(n_bytes));
    return real(pid, path, actions, attributes, arguments, environment);
}

int rv_exec_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                  const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment)
{
    return spawn(false, pid, path, actions, attributes, arguments, environment);
}

int rv_exec_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                   const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment)
{
    return spawn(true, pid, file, actions, attributes, arguments, environment);
}
