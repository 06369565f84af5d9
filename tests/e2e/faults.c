/*
 * Preloaded into ringviz: the n-th call of a kind, over all threads, fails. The program started by ringviz is not
 * affected.
 *
 *   FAULT=memory:N   the N-th allocation; map, write, space, thread: likewise; N+: all from it on; own-memory and so on:
 *                    of ringviz and its module, not of the libraries that they use; drawing-memory and so on: counted
 *                    from the first allocation of SDL on
 *   FAULT_COUNTS=F   at the end, the number of calls of each kind is written to the file F, which is there
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { MEMORY, MAP, WRITE, SPACE, THREAD, KIND_COUNT };
static const char *const kind_names[] = {"memory", "map", "write", "space", "thread"};

static unsigned kind_chosen = KIND_COUNT;
static unsigned long n_chosen;
static int fails_on;              /* as do all calls after it */
static int is_own;                /* only calls of ringviz itself count */
static atomic_int awaits_drawing; /* no call counts before SDL allocates */
static atomic_ulong n_calls[KIND_COUNT];
static char counts_path[4096];
static pid_t pid; /* 0: not begun, or a copy that a fork made */

void *__libc_malloc(size_t n_bytes);
void *__libc_calloc(size_t n, size_t n_bytes);
void *__libc_realloc(void *memory, size_t n_bytes);
void *__libc_memalign(size_t alignment, size_t n_bytes);

/* Does the text begin with this? Then it is skipped. */
static int skip(const char **text, const char *begin)
{
    size_t n = strlen(begin);
    if (!*text || strncmp(*text, begin, n) != 0)
        return 0;
    *text += n;
    return 1;
}

__attribute__((constructor)) static void begin(void)
{
    const char *fault = getenv("FAULT"), *path = getenv("FAULT_COUNTS");
    is_own = skip(&fault, "own-");
    awaits_drawing = skip(&fault, "drawing-");
    for (unsigned i = 0; fault && i < KIND_COUNT; i++) {
        size_t n = strlen(kind_names[i]);
        if (strncmp(fault, kind_names[i], n) == 0 && fault[n] == ':') {
            kind_chosen = i;
            char *rest;
            n_chosen = strtoul(fault + n + 1, &rest, 10);
            fails_on = *rest == '+';
        }
    }
    if (path)
        snprintf(counts_path, sizeof counts_path, "%s", path);
    if (fault)
        pid = getpid();
    unsetenv("FAULT");
    unsetenv("FAULT_COUNTS");
    unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void end(void)
{
    char text[256];
    int n = 0;
    if (!*counts_path || pid != getpid())
        return;
    for (unsigned i = 0; i < KIND_COUNT; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s %lu\n", kind_names[i], atomic_load(&n_calls[i]));
    pid = 0;
    int fd = open(counts_path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (fd < 0 || write(fd, text, (size_t)n) != n)
        _exit(125);
    close(fd);
}

/* Of the library that has this address; "" of the program itself; NULL of neither. */
static const char *path_at(void *address)
{
    struct dl_find_object object;
    return _dl_find_object(address, &object) == 0 ? object.dlfo_link_map->l_name : NULL;
}

/* Is this an address in ringviz or its module? */
static int is_ours(void *address)
{
    const char *path = path_at(address);
    return path && (*path == '\0' || strstr(path, "/ringviz-window.so"));
}

static int is_too_early(void *caller)
{
    if (atomic_load(&awaits_drawing)) {
        const char *path = path_at(caller);
        if (path && strstr(path, "/libSDL2"))
            atomic_store(&awaits_drawing, 0);
    }
    return atomic_load(&awaits_drawing);
}

/* Must this call fail? */
static int fails_at(enum kind kind, int error, void *caller)
{
    if (!pid || pid != getpid() || (is_own && !is_ours(caller)) || is_too_early(caller))
        return 0;
    unsigned long n = atomic_fetch_add(&n_calls[kind], 1) + 1;
    if (kind != kind_chosen || n < n_chosen || (n > n_chosen && !fails_on))
        return 0;
    errno = error;
    return 1;
}

/* In a function that takes the place of another. */
#define fails(kind, error) fails_at(kind, error, __builtin_return_address(0))

static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

/* Calls the next library's NAME. */
#define NEXT(name) ((__typeof__(&name))next(#name))

void *malloc(size_t n_bytes)
{
    return fails(MEMORY, ENOMEM) ? NULL : __libc_malloc(n_bytes);
}

void *calloc(size_t n, size_t n_bytes)
{
    return fails(MEMORY, ENOMEM) ? NULL : __libc_calloc(n, n_bytes);
}

void *realloc(void *memory, size_t n_bytes)
{
    return fails(MEMORY, ENOMEM) ? NULL : __libc_realloc(memory, n_bytes);
}

void *aligned_alloc(size_t alignment, size_t n_bytes)
{
    return fails(MEMORY, ENOMEM) ? NULL : __libc_memalign(alignment, n_bytes);
}

void *memalign(size_t alignment, size_t n_bytes)
{
    return fails(MEMORY, ENOMEM) ? NULL : __libc_memalign(alignment, n_bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t n_bytes)
{
    *memory = fails(MEMORY, ENOMEM) ? NULL : __libc_memalign(alignment, n_bytes);
    return *memory ? 0 : ENOMEM;
}

void *mmap(void *address, size_t n_bytes, int protection, int flags, int fd, off_t offset)
{
    return fails(MAP, ENOMEM) ? MAP_FAILED : NEXT(mmap)(address, n_bytes, protection, flags, fd, offset);
}

ssize_t write(int fd, const void *bytes, size_t n)
{
    return fd != STDERR_FILENO && fails(WRITE, ENOSPC) ? -1 : NEXT(write)(fd, bytes, n);
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t offset)
{
    return fails(WRITE, ENOSPC) ? -1 : NEXT(pwrite)(fd, bytes, n, offset);
}

ssize_t writev(int fd, const struct iovec *parts, int n)
{
    return fails(WRITE, ENOSPC) ? -1 : NEXT(writev)(fd, parts, n);
}

int fallocate(int fd, int mode, off_t offset, off_t n_bytes)
{
    return fails(SPACE, ENOSPC) ? -1 : NEXT(fallocate)(fd, mode, offset, n_bytes);
}

int ftruncate(int fd, off_t n_bytes)
{
    return fails(SPACE, ENOSPC) ? -1 : NEXT(ftruncate)(fd, n_bytes);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *context)
{
    return fails(THREAD, EAGAIN) ? EAGAIN : NEXT(pthread_create)(thread, attributes, run, context);
}
