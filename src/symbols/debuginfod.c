#include "symbols/debuginfod.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/late_library.h"

#define LIBRARY "libdebuginfod.so.1"
#define SERVERS "DEBUGINFOD_URLS"

/* As <elfutils/debuginfod.h> declares them. */
struct client;
typedef int client_progress_fn(struct client *client, long n_done, long n_all);
typedef struct client *begin_fn(void);
typedef int find_debuginfo_fn(struct client *client, const unsigned char *build_id, int n, char **path);
typedef void set_progress_fn(struct client *client, client_progress_fn *progress);

static find_debuginfo_fn *find_debuginfo;
static struct client *client; /* NULL: nothing is to be fetched */
static atomic_bool is_cancelled;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* has the client, and: */
static const char *wanted;
static rv_debuginfod_progress_fn *tell;

/* While connecting, and later with every part of the file. Not 0: give up. */
static int follow(struct client *unused, long n_done, long n_all)
{
    (void)unused;
    if (n_all > 0)
        tell(wanted, (double)n_done / (double)n_all);
    return atomic_load_explicit(&is_cancelled, memory_order_relaxed);
}

int rv_debuginfod_enable(rv_debuginfod_progress_fn *progress)
{
    begin_fn *begin;
    set_progress_fn *set_progress;
    const struct rv_late_function functions[] = {{"debuginfod_begin", &begin},
                                                 {"debuginfod_find_debuginfo", &find_debuginfo},
                                                 {"debuginfod_set_progressfn", &set_progress}};
    const char *servers = getenv(SERVERS);
    if (!servers || !*servers)
        return rv_err(ENOENT, "--debuginfod: " SERVERS " names no server");
    if (!rv_late_library_load(LIBRARY, functions, sizeof functions / sizeof *functions) || !(client = begin()))
        return rv_err(ENOENT, "--debuginfod: " LIBRARY " is not installed");
    tell = progress;
    set_progress(client, follow);
    return 0;
}

/* A server that has no such file answers; one that gives no answer would be asked again for each further file. */
static void give_up(const char *file, int error)
{
    if (!atomic_exchange_explicit(&is_cancelled, true, memory_order_relaxed))
        rv_warn("%s: its debug file cannot be fetched: %s; no more are fetched", file, strerror(error));
}

/* Is that about this file alone? It is not there, is larger than DEBUGINFOD_MAXSIZE, or has a build id that is none. */
static bool is_of_file(int result)
{
    return result == -ENOENT || result == -EFBIG || result == -EINVAL;
}

char *rv_debuginfod_fetch(const char *file, const uint8_t *build_id, size_t n)
{
    char *path = NULL;
    if (!client || n == 0)
        return NULL;
    pthread_mutex_lock(&lock);
    if (!atomic_load_explicit(&is_cancelled, memory_order_relaxed)) {
        wanted = file;
        const int result = find_debuginfo(client, build_id, (int)n, &path);
        tell(file, -1);
        if (result >= 0)
            close(result);
        else if (!is_of_file(result))
            give_up(file, -result);
    }
    pthread_mutex_unlock(&lock);
    return path;
}

void rv_debuginfod_cancel(void)
{
    atomic_store_explicit(&is_cancelled, true, memory_order_relaxed);
}
