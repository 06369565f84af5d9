#include "ring/program_name.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/os.h"
#include "base/own_syscalls.h"

#define COMM_BYTES 16u /* a thread's name in the kernel, with its NUL */
#define ARGUMENTS_BYTES 4096u

static const struct interpreter {
    const char *name;
    const char *running;  /* options with the program itself: there is no script */
    const char *taking;   /* options whose argument is what stands behind the letter, else the next one */
    const char *attached; /* options whose argument may only stand behind the letter */
} interpreters[] = {{"perl", "eE", "I", "CDFMdimx"},
                    {"ruby", "e", "CEIr", "FKTWx"},
                    {"python", "cm", "WX", ""},
                    {"node", "ep", "r", ""},
                    {"bash", "c", "oO", ""},
                    {"dash", "c", "o", ""},
                    {"sh", "c", "o", ""}};

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* An interpreter's name may end in its version. */
static const struct interpreter *find_interpreter(const char *base)
{
    for (size_t i = 0; i < sizeof interpreters / sizeof *interpreters; i++) {
        size_t n = strlen(interpreters[i].name);
        if (strncmp(base, interpreters[i].name, n) == 0 && strspn(base + n, "0123456789.") == strlen(base + n))
            return &interpreters[i];
    }
    return NULL;
}

/* The argument after this one, NULL when there is none. */
static const char *next_of(const char *argument, const char *end)
{
    argument += strlen(argument) + 1;
    return argument < end ? argument : NULL;
}

/* What follows this option, "-abc"; NULL when it is, or should be, the program itself. */
static const char *pass_option(const struct interpreter *interpreter, const char *option, const char *end)
{
    for (const char *letter = option + 1; option[1] != '-' && *letter; letter++) {
        if (strchr(interpreter->running, *letter))
            return NULL;
        if (strchr(interpreter->attached, *letter))
            break;
        if (!strchr(interpreter->taking, *letter))
            continue;
        option = letter[1] ? option : next_of(option, end);
        break;
    }
    return option ? next_of(option, end) : NULL;
}

/* The first argument that is neither an option nor an option's; NULL when there is none. */
static const char *find_script(const struct interpreter *interpreter, const char *arguments, const char *end)
{
    const char *argument = next_of(arguments, end);
    while (argument && argument[0] == '-' && argument[1])
        argument = pass_option(interpreter, argument, end);
    return argument && *argument && strcmp(argument, "-") != 0 ? base_of(argument) : NULL;
}

/* A script that is executed by its first line has its path behind the interpreter, which may have one argument. */
static bool is_script(const char *executed, const char *arguments, const char *end)
{
    const char *first = next_of(arguments, end), *second = first ? next_of(first, end) : NULL;
    return (first && strcmp(first, executed) == 0) || (second && strcmp(second, executed) == 0);
}

void rv_program_name_from(const char *executed, const char *arguments, size_t n_bytes, char *out, size_t out_bytes)
{
    const char *name = base_of(executed);
    const char *end = arguments + n_bytes;
    bool has_arguments = n_bytes > 0 && arguments[0] && !arguments[n_bytes - 1];
    const struct interpreter *interpreter = find_interpreter(name);
    const char *script = NULL;
    if (has_arguments && strcmp(base_of(arguments), name) == 0)
        script = interpreter ? find_script(interpreter, arguments, end) : NULL;
    else if (has_arguments && !is_script(executed, arguments, end))
        name = arguments[0] == '/' || arguments[0] == '.' ? base_of(arguments) : arguments;
    if (script)
        name = script;
    size_t n = strnlen(name, out_bytes - 1);
    memcpy(out, name, n);
    memset(out + n, 0, out_bytes - n);
}

static const char *executed_path(void)
{
    const char *path = (const char *)(uintptr_t)getauxval(AT_EXECFN);
    return path ? path : "";
}

/* Not on the stack: a child of clone(2) has one of its maker's choice, which may be a page. NULL: refused. */
static void *map_scratch(size_t n_bytes)
{
    const long at = rv_os_call(SYS_mmap, 0, (long)n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at < 0 ? NULL : (void *)(intptr_t)at;
}

static void unmap_scratch(void *scratch, size_t n_bytes)
{
    if (scratch)
        (void)rv_os_call(SYS_munmap, RV_OS_POINTER(scratch), (long)n_bytes, 0, 0, 0, 0);
}

void rv_program_name(char *out, size_t out_bytes)
{
    char *arguments = map_scratch(ARGUMENTS_BYTES);
    int fd = arguments ? open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC) : -1;
    ssize_t n = fd < 0 ? 0 : read(fd, arguments, ARGUMENTS_BYTES);
    if (fd >= 0)
        (void)close(fd);
    if (n == ARGUMENTS_BYTES)
        arguments[n - 1] = '\0';
    rv_program_name_from(executed_path(), arguments, n > 0 ? (size_t)n : 0, out, out_bytes);
    unmap_scratch(arguments, ARGUMENTS_BYTES);
}

void rv_program_name_of_thread(const char *program, char *out, size_t out_bytes)
{
    char comm[COMM_BYTES] = "";
    const char *name = comm;
    (void)prctl(PR_GET_NAME, comm);
    if (program[0] && (!comm[0] || strncmp(comm, base_of(executed_path()), sizeof comm - 1) == 0))
        name = program;
    size_t n = strnlen(name, out_bytes - 1);
    memcpy(out, name, n);
    out[n] = '\0';
}

static bool read_program_link(char *out, size_t out_bytes)
{
    const ssize_t n = readlink("/proc/self/exe", out, out_bytes - 1);
    out[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* Does the path that was executed, which may be of a descriptor, lead to the program by a name of its own? */
static bool is_executed_by_other_name(const char *program)
{
    const char *path = executed_path();
    return strcmp(base_of(path), base_of(program)) != 0 && strncmp(path, "/proc/", 6) != 0 &&
           strncmp(path, "/dev/", 5) != 0 && rv_os_is_same_file(path, "/proc/self/exe");
}

static bool put_executed_path(char *out, size_t out_bytes)
{
    const char *path = executed_path();
    size_t n = 0;
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    if (path[0] != '/') {
        if (!getcwd(out, out_bytes - 1))
            return false;
        n = strlen(out);
        out[n++] = '/';
    }
    const size_t n_path = strlen(path);
    if (n_path >= out_bytes - n)
        return false;
    memcpy(out + n, path, n_path + 1);
    return true;
}

bool rv_program_path(char *out, size_t out_bytes)
{
    bool is_known = read_program_link(out, out_bytes);
    if (is_known && is_executed_by_other_name(out))
        is_known = put_executed_path(out, out_bytes) || read_program_link(out, out_bytes);
    return is_known;
}
