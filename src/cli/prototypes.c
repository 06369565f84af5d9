#include "cli/prototypes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/exec.h"
#include "base/file_io.h"
#include "base/vec.h"
#include "prototypes/capture.h"
#include "prototypes/syscall_prototypes.h"
#include "symbols/dwarf_prototypes.h"

#define MOST_BYTES (16u << 20)
#define STRING_BYTES 64u
#define MOST_BY_DWARF 1024u /* functions: capturing costs some twenty times what tracing does */

/* The texts of DWARF, of system calls and of the files, one behind the other. */
struct text {
    char *bytes;
    size_t n;
    unsigned n_lines;
    unsigned first_lines[RV_OPTIONS_PROTOTYPES]; /* of each file, from 1 */
};

static void count_lines(struct text *text, size_t from)
{
    for (size_t i = from; i < text->n; i++)
        text->n_lines += text->bytes[i] == '\n';
}

/* It ends with a newline. */
static int read_all(int fd, const char *path, struct text *text)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return rv_err_sys("%s", path);
    if (!S_ISREG(status.st_mode) || status.st_size > (off_t)(MOST_BYTES - text->n))
        return rv_err(EFBIG, "%s: not a file of prototypes", path);
    text->bytes = rv_realloc(text->bytes, text->n + (size_t)status.st_size + 1);
    const ssize_t n = rv_file_read_at(fd, text->bytes + text->n, (size_t)status.st_size, 0);
    if (n < 0)
        return rv_err_sys("%s", path);
    text->n += (size_t)n;
    text->bytes[text->n++] = '\n';
    return 0;
}

static int read_file(const char *path, struct text *text)
{
    const size_t begin = text->n;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return rv_err_sys("%s", path);
    int error = read_all(fd, path, text);
    close(fd);
    count_lines(text, begin);
    return error;
}

static int read_files(const struct rv_options *options, struct text *text)
{
    int error = 0;
    for (size_t i = 0; i < options->n_prototypes && !error; i++) {
        text->first_lines[i] = text->n_lines + 1;
        error = read_file(options->prototypes[i], text);
    }
    return error;
}

/* ---- DWARF ---- */

struct functions {
    regex_t patterns[RV_OPTIONS_FUNCTIONS];
    size_t n;
};

static bool is_wanted(const void *context, const char *name)
{
    const struct functions *functions = context;
    for (size_t i = 0; i < functions->n; i++)
        if (regexec(&functions->patterns[i], name, 0, NULL, 0) == 0)
            return true;
    return false;
}

/* Of the program, not of its libraries. */
static bool find_program(const struct rv_options *options, char path[PATH_MAX])
{
    if (options->pid)
        return snprintf(path, PATH_MAX, "/proc/%u/exe", options->pid) > 0;
    return options->argv && rv_exec_find(options->argv[0], path, PATH_MAX);
}

/* Whatever a program's DWARF has, it is no reason not to trace it. */
static void drop_unusable(struct text *text)
{
    unsigned line = 0;
    if (text->n_lines > MOST_BY_DWARF) {
        rv_warn(
            "-x chooses %u functions whose arguments are known by DWARF: they are traced without, being more than %u",
            text->n_lines, MOST_BY_DWARF);
        text->n = text->n_lines = 0;
        return;
    }
    const char *why = "too long";
    struct rv_prototypes *prototypes =
        text->n <= MOST_BYTES / 2 ? rv_prototypes_parse(text->bytes, text->n, &line, &why) : NULL;
    if (!prototypes) {
        rv_note("arguments are not captured by DWARF: line %u of its prototypes: %s", line, why);
        text->n = text->n_lines = 0;
    }
    rv_prototypes_destroy(prototypes);
}

static void read_dwarf(const struct rv_options *options, struct text *text)
{
    char path[PATH_MAX];
    struct functions functions = {.n = 0};
    if (!options->n_functions || options->map.clock_kind == RV_CLOCK_TICK || !find_program(options, path))
        return;
    for (size_t i = 0; i < options->n_functions; i++)
        functions.n += regcomp(&functions.patterns[functions.n], options->functions[i], REG_EXTENDED | REG_NOSUB) == 0;
    text->bytes = rv_dwarf_prototypes_take(path, is_wanted, &functions, &text->n);
    count_lines(text, 0);
    while (functions.n)
        regfree(&functions.patterns[--functions.n]);
    drop_unusable(text);
}

/* ---- */

/* The choice was checked with the options. */
static void add_syscalls(const char *choice, struct text *text)
{
    const char *word;
    const size_t begin = text->n;
    size_t n_word;
    char *prototypes = rv_syscalls_take_prototypes(choice, &word, &n_word);
    const size_t n = prototypes ? strlen(prototypes) : 0;
    text->bytes = rv_realloc(text->bytes, text->n + n + 1);
    if (n)
        memcpy(text->bytes + text->n, prototypes, n);
    text->n += n;
    count_lines(text, begin);
    free(prototypes);
}

static int say_what_is_wrong(const struct rv_options *options, const struct text *text, unsigned line, const char *why)
{
    size_t i = options->n_prototypes - 1; /* the others are right */
    while (i > 0 && text->first_lines[i] > line)
        i--;
    return rv_err(EBADMSG, "%s: line %u: %s", options->prototypes[i], line - text->first_lines[i] + 1, why);
}

static int parse(const struct rv_options *options, const struct text *text, struct rv_map_params *params)
{
    unsigned line;
    const char *why;
    struct rv_prototypes *prototypes = rv_prototypes_parse(text->bytes, text->n, &line, &why);
    if (!prototypes)
        return say_what_is_wrong(options, text, line, why);
    params->captures =
        rv_capture_take_section(prototypes, text->bytes, text->n,
                                options->string_bytes ? options->string_bytes : STRING_BYTES, &params->n_capture_bytes);
    rv_prototypes_destroy(prototypes);
    return 0;
}

int rv_cli_prototypes_read(const struct rv_options *options, struct rv_map_params *params)
{
    struct text text = {0};
    read_dwarf(options, &text);
    if (options->syscalls)
        add_syscalls(options->syscalls, &text);
    int error = read_files(options, &text);
    if (!error && text.n)
        error = parse(options, &text, params);
    free(text.bytes);
    return error;
}
