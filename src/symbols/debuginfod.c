/*
 * The client looks up a server's name in a thread of its own, whose end it waits for even after a cancel: seconds, where no name
 * server answers. So each file is fetched by a thread that is left alone when fetching is cancelled.
 */
#include "symbols/debuginfod.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/late_library.h"
#include "base/os.h"
#include "base/vec.h"

#define LIBRARY "libdebuginfod.so.1"
#define SERVERS "DEBUGINFOD_URLS"

/* As <elfutils/debuginfod.h> declares them. */
struct client;
typedef int client_progress_fn(struct client *client, long n_done, long n_all);
typedef struct client *begin_fn(void);
typedef int find_debuginfo_fn(struct client *client, const unsigned char *build_id, int n, char **path);
typedef void set_progress_fn(struct client *client, client_progress_fn *progress);

static find_debuginfo_fn *find_debuginfo;
static struct client *client; /* NULL: nothing is to be fetched. Of the thread that fetches */
static rv_debuginfod_progress_fn *tell;

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER; /* one file at a time */

struct fetch {
    char *file; /* for messages */
    unsigned char *build_id;
    int n;
    int result;
    char *path;
    bool has_ended;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* has: */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_cancelled;
static struct fetch *current;

static void destroy_fetch(struct fetch *fetch)
{
    free(fetch->file);
    free(fetch->build_id);
    free(fetch->path);
    free(fetch);
}

/* While connecting, and later with every part of the file. Not 0: give up. */
static int follow(struct client *unused, long n_done, long n_all)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    const bool gives_up = is_cancelled;
    if (!gives_up && n_all > 0)
        tell(current->file, (double)n_done / (double)n_all);
    pthread_mutex_unlock(&lock);
    return gives_up;
}

/* The last to use a fetch destroys it: this thread, or the one that waits for it. */
static void *run_fetch(void *context)
{
    struct fetch *fetch = context;
    const int result = find_debuginfo(client, fetch->build_id, fetch->n, &fetch->path);
    if (result >= 0)
        close(result);
    pthread_mutex_lock(&lock);
    const bool is_awaited = fetch == current;
    fetch->result = result;
    fetch->has_ended = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    if (!is_awaited)
        destroy_fetch(fetch);
    return NULL;
}

/* Until it has ended, or fetching is cancelled. Returns whether it has ended. */
static bool wait_for(struct fetch *fetch)
{
    pthread_mutex_lock(&lock);
    while (!fetch->has_ended && !is_cancelled)
        pthread_cond_wait(&changed, &lock);
    const bool has_ended = fetch->has_ended;
    current = NULL;
    tell(fetch->file, -1);
    pthread_mutex_unlock(&lock);
    return has_ended;
}

/* False: fetching is cancelled. */
static bool start(struct fetch *fetch)
{
    pthread_t thread;
    pthread_mutex_lock(&lock);
    const bool starts = !is_cancelled;
    current = starts ? fetch : NULL;
    pthread_mutex_unlock(&lock);
    if (starts) {
        rv_os_start_thread(&thread, run_fetch, fetch);
        pthread_detach(thread);
    }
    return starts;
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

/* Is that about this file alone? It is not there, is larger than DEBUGINFOD_MAXSIZE, or has a build id that is none. */
static bool is_of_file(int result)
{
    return result == -ENOENT || result == -EFBIG || result == -EINVAL;
}

/* Returns whether it was not cancelled before. */
static bool cancel(void)
{
    pthread_mutex_lock(&lock);
    const bool is_first = !is_cancelled;
    is_cancelled = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return is_first;
}

/* A server that has no such file answers; one that gives no answer would be asked again for each further file. */
static char *take_path(struct fetch *fetch)
{
    char *path = fetch->result >= 0 ? fetch->path : NULL;
    if (path)
        fetch->path = NULL;
    else if (!is_of_file(fetch->result) && cancel())
        rv_warn("%s: its debug file cannot be fetched: %s; no more are fetched", fetch->file, strerror(-fetch->result));
    destroy_fetch(fetch);
    return path;
}

char *rv_debuginfod_fetch(const char *file, const uint8_t *build_id, size_t n)
{
    char *path = NULL;
    if (!client || n == 0)
        return NULL;
    struct fetch *fetch = rv_alloc(1, sizeof *fetch);
    fetch->file = rv_strdup(file);
    fetch->build_id = rv_alloc(1, n);
    fetch->n = (int)n;
    memcpy(fetch->build_id, build_id, n);
    pthread_mutex_lock(&turn);
    if (!start(fetch))
        destroy_fetch(fetch);
    else if (wait_for(fetch))
        path = take_path(fetch);
    pthread_mutex_unlock(&turn);
    return path;
}

void rv_debuginfod_reject(const char *file, const char *path)
{
    if (cancel())
        rv_warn("%s: %s was fetched, but is not its debug file; no more are fetched", file, path);
}

void rv_debuginfod_cancel(void)
{
    (void)cancel();
}
