/* Every process does this, those too that write no event: a shell, say, or chroot. */
#include "producers/native/preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exec.h"
#include "base/own_syscalls.h"
#include "producers/native/process.h"
#include "ring/map.h"
#include "ring/not_preloaded.h"

#define PAGE 4096u
#define PRELOAD "LD_PRELOAD"
#define TRACE "RINGVIZ_FILE"
#define RUBY_OPTIONS "RUBYOPT"
#define RUBY_LIBRARY "/ruby/ringviz.rb"
#define NOT_READABLE SIZE_MAX
/* Without ours, a shared AddressSanitizer runtime refuses to start behind our library. */
#define SANITIZER "ASAN_OPTIONS"

/* What ringviz has set for native programs. */
static const char *const NAMES[] = {PRELOAD, SANITIZER, TRACE, "RINGVIZ_ONLY", "RINGVIZ_PATCH", "RINGVIZ_PLANS"};
enum { N_NAMES = sizeof NAMES / sizeof *NAMES };

static struct {
    struct rv_wire_header *header; /* NULL: nothing is counted */
    char *variables[N_NAMES];      /* copies: programs write over their environment */
    size_t n_variables;            /* 0: programs that it starts are not traced */
    char library[PATH_MAX], trace[PATH_MAX];
} preload;

static bool copy(char to[PATH_MAX], const char *path)
{
    size_t n_bytes = strlen(path) + 1;
    if (path[0] != '/' || n_bytes > PATH_MAX)
        return false;
    memcpy(to, path, n_bytes);
    return true;
}

static bool add_variable(const char *name, const char *value, size_t n_value)
{
    const size_t n_name = strlen(name);
    char *variable = malloc(n_name + n_value + sizeof "=");
    if (!variable)
        return false;
    memcpy(variable, name, n_name);
    variable[n_name] = '=';
    memcpy(variable + n_name + 1, value, n_value);
    variable[n_name + 1 + n_value] = '\0';
    preload.variables[preload.n_variables++] = variable;
    return true;
}

/* Copy all variables or none. The first of the preloaded libraries and of the sanitizer's options is ours. */
static void copy_variables(void)
{
    bool are_all = true;
    for (size_t i = 0; i < N_NAMES && are_all; i++) {
        const char *value = secure_getenv(NAMES[i]);
        const bool is_list = strcmp(NAMES[i], PRELOAD) == 0 || strcmp(NAMES[i], SANITIZER) == 0;
        if (value)
            are_all = add_variable(NAMES[i], value, is_list ? strcspn(value, ":") : strlen(value));
    }
    if (!are_all)
        preload.n_variables = 0;
}

/* Arguments of a program may be bad pointers, which the kernel is to report. *page: the last readable one; 0: none. */
static bool is_readable(const char *at, uintptr_t *page)
{
    if ((uintptr_t)at / PAGE == *page && *page)
        return true;
    *page = rv_os_is_readable(at) ? (uintptr_t)at / PAGE : 0;
    return *page != 0;
}

static bool is_variable(const char *variable, const char *name, uintptr_t *page)
{
    size_t n = 0;
    while (is_readable(variable + n, page) && name[n] && variable[n] == name[n])
        n++;
    return !name[n] && is_readable(variable + n, page) && variable[n] == '=';
}

static bool is_ours(const char *variable, uintptr_t *page)
{
    return is_variable(variable, PRELOAD, page) || is_variable(variable, SANITIZER, page) ||
           is_variable(variable, TRACE, page);
}

/* Entries of an environment; NOT_READABLE: one cannot be read. */
static size_t count_entries(char *const *environment)
{
    uintptr_t page = 0;
    size_t n = 0;
    for (; environment; n++) {
        if (!is_readable((const char *)(environment + n), &page) ||
            !is_readable((const char *)(environment + n + 1) - 1, &page))
            return NOT_READABLE;
        if (!environment[n])
            break;
    }
    return n;
}

static bool has_ours(char *const *environment, size_t n)
{
    uintptr_t page = 0;
    for (size_t i = 0; i < n; i++)
        if (is_ours(environment[i], &page))
            return true;
    return false;
}

/* Length of a text; NOT_READABLE: it cannot be read. */
static size_t count_bytes(const char *text, uintptr_t *page)
{
    size_t n = 0;
    while (is_readable(text + n, page) && text[n])
        n++;
    return *page ? n : NOT_READABLE;
}

/* Length of the switch that loads our library, which is the first of Ruby's options; 0: it is not there. */
static size_t count_switch(const char *options, size_t n_options)
{
    const size_t n_library = sizeof RUBY_LIBRARY - 1;
    const char *space = memchr(options, ' ', n_options);
    const size_t n = space ? (size_t)(space - options) : n_options;
    const bool is_ours =
        n > n_library && memcmp(options, "-r", 2) == 0 && memcmp(options + n - n_library, RUBY_LIBRARY, n_library) == 0;
    return is_ours ? n + (space != NULL) : 0;
}

/* Find the entry that loads our library into Ruby, and the options behind that switch. */
static bool find_ruby_switch(char *const *environment, struct rv_preload_change *change)
{
    uintptr_t page = 0;
    for (size_t i = 0; i < change->n_entries; i++) {
        const char *variable = environment[i];
        if (!is_variable(variable, RUBY_OPTIONS, &page))
            continue;
        const char *options = variable + sizeof RUBY_OPTIONS;
        const size_t n = count_bytes(options, &page), n_switch = n == NOT_READABLE ? 0 : count_switch(options, n);
        if (!n_switch)
            continue;
        change->ruby_at = i;
        change->options = options + n_switch;
        change->n_options = n - n_switch;
        return true;
    }
    return false;
}

static size_t room(const struct rv_preload_change *change)
{
    const size_t n_pointers = change->n_entries + 1;
    return change->options ? n_pointers * sizeof(char *) + sizeof RUBY_OPTIONS + change->n_options + 1
                           : (n_pointers + preload.n_variables) * sizeof(char *);
}

size_t rv_preload_find_change(char *const *environment, bool is_privileged, struct rv_preload_change *change)
{
    const size_t n = preload.header ? count_entries(environment) : NOT_READABLE;
    if (n == NOT_READABLE)
        return 0;
    *change = (struct rv_preload_change){.n_entries = n};
    const bool is_needed =
        is_privileged ? find_ruby_switch(environment, change) : preload.n_variables && !has_ours(environment, n);
    return is_needed ? room(change) : 0;
}

static void leave_ruby_out(const struct rv_preload_change *change, char **changed)
{
    char *variable = (char *)(changed + change->n_entries + 1);
    memcpy(variable, RUBY_OPTIONS "=", sizeof RUBY_OPTIONS);
    memcpy(variable + sizeof RUBY_OPTIONS, change->options, change->n_options);
    variable[sizeof RUBY_OPTIONS + change->n_options] = '\0';
    changed[change->ruby_at] = variable;
    changed[change->n_entries] = NULL;
}

static void add_ours(char **end)
{
    memcpy(end, preload.variables, preload.n_variables * sizeof *end);
    end[preload.n_variables] = NULL;
}

char *const *rv_preload_change(char *const *environment, const struct rv_preload_change *change, char **changed)
{
    if (change->n_entries)
        memcpy(changed, environment, change->n_entries * sizeof *changed);
    if (change->options)
        leave_ruby_out(change, changed);
    else
        add_ours(changed + change->n_entries);
    return changed;
}

void rv_preload_start(void)
{
    Dl_info info;
    const char *path = rv_process_path();
    if (path && copy(preload.trace, path) && dladdr(&preload, &info) && copy(preload.library, info.dli_fname))
        preload.header = rv_map_open_header(path);
    if (preload.header)
        copy_variables();
}

/* Are the library and the trace file there? They may not be in another root or mount namespace. */
static bool are_files_here(void)
{
    return faccessat(AT_FDCWD, preload.library, R_OK, AT_EACCESS) == 0 &&
           (access(preload.trace, F_OK) == 0 || errno != ENOENT);
}

/* A static program may have hooks of its own, and ours. */
static void count(const char *path, bool is_privileged)
{
    static const enum rv_not_preloaded REASONS[] = {[RV_EXEC_OTHER_LOADER] = RV_NOT_PRELOADED_LIBC,
                                                    [RV_EXEC_NO_LOADER] = RV_NOT_PRELOADED_STATIC,
                                                    [RV_EXEC_OTHER_MACHINE] = RV_NOT_PRELOADED_MACHINE};
    enum rv_exec_loader loader;
    if (is_privileged)
        rv_not_preloaded_add(preload.header, RV_NOT_PRELOADED_PRIVILEGED, path);
    else if (!are_files_here())
        rv_not_preloaded_add(preload.header, RV_NOT_PRELOADED_ELSEWHERE, path);
    else if ((loader = rv_exec_loader(path)) != RV_EXEC_GNU_LOADER)
        rv_not_preloaded_add(preload.header, REASONS[loader], path);
}

bool rv_preload_expect(const char *path)
{
    int saved = errno;
    rv_os_begin_own();
    const bool is_there = preload.header && faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0;
    const bool is_privileged = is_there && rv_exec_is_privileged(path);
    if (is_there)
        count(path, is_privileged);
    rv_os_end_own();
    errno = saved;
    return is_privileged;
}

bool rv_preload_expect_command(const char *command)
{
    char path[PATH_MAX];
    int saved = errno;
    rv_os_begin_own();
    const bool is_privileged = preload.header && rv_exec_find(command, path, sizeof path) && rv_preload_expect(path);
    rv_os_end_own();
    errno = saved;
    return is_privileged;
}
