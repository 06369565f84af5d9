/*
 * loads ONE.so TWO.so [quiet|once|forking|alone]: four threads load, run and unload two plugins all the time, two of them
 * in namespaces of their own; or none does; or one thread does, once; or none does, and the first plugin is loaded for a
 * line while another thread is in fork, for 300 ms; or one thread does all the time, with 0.1 ms in between. For each
 * line of standard input the first thread does so, once each, and prints a line; it ends with its input, and prints how
 * many results were wrong.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_THREADS 4

typedef unsigned run_fn(unsigned n);

static const char *paths[2];
static bool is_over;
static unsigned long n_wrong, n_runs;

/* What plugin_run(5) returns, and plugin.c's constructor before. */
static bool is_right(void *plugin)
{
    run_fn *run = (run_fn *)(uintptr_t)dlsym(plugin, "plugin_run");
    return run && run(5) == 7 + 5 * 7 + 10;
}

static void load_and_run(const char *path, bool is_apart)
{
    void *plugin = is_apart ? dlmopen(LM_ID_NEWLM, path, RTLD_NOW) : dlopen(path, RTLD_NOW);
    if (!plugin || !is_right(plugin))
        __atomic_fetch_add(&n_wrong, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&n_runs, 1, __ATOMIC_RELAXED);
    if (plugin)
        dlclose(plugin);
}

static void *load_once(void *unused)
{
    load_and_run(paths[0], false);
    return unused;
}

static void *load_alone(void *unused)
{
    for (; !__atomic_load_n(&is_over, __ATOMIC_RELAXED); usleep(100))
        load_and_run(paths[0], false);
    return unused;
}

static void *load_all_the_time(void *context)
{
    const uintptr_t number = (uintptr_t)context;
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED))
        load_and_run(paths[number % 2], number >= N_THREADS / 2);
    return NULL;
}

static bool is_forking;

static void stay_in_fork(void)
{
    __atomic_store_n(&is_forking, true, __ATOMIC_RELAXED);
    usleep(300000);
}

static void *fork_once(void *unused)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0)
        _exit(0);
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        __atomic_fetch_add(&n_wrong, 1, __ATOMIC_RELAXED);
    return unused;
}

static void load_within_fork(void)
{
    pthread_t thread;
    __atomic_store_n(&is_forking, false, __ATOMIC_RELAXED);
    pthread_create(&thread, NULL, fork_once, NULL);
    while (!__atomic_load_n(&is_forking, __ATOMIC_RELAXED))
        usleep(1000);
    load_and_run(paths[0], false);
    pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    pthread_t threads[N_THREADS];
    char line[64];
    if (argc < 3)
        return 2;
    const bool is_once = argc > 3 && strcmp(argv[3], "once") == 0;
    const bool is_in_fork = argc > 3 && strcmp(argv[3], "forking") == 0;
    const bool is_alone = argc > 3 && strcmp(argv[3], "alone") == 0;
    const uintptr_t n_threads = is_once || is_alone ? 1 : argc > 3 ? 0 : N_THREADS;
    paths[0] = argv[1];
    paths[1] = argv[2];
    if (is_in_fork)
        pthread_atfork(stay_in_fork, NULL, NULL);
    for (uintptr_t i = 0; i < n_threads; i++)
        pthread_create(&threads[i], NULL, is_once ? load_once : is_alone ? load_alone : load_all_the_time, (void *)i);
    puts("running");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        if (is_in_fork)
            load_within_fork();
        else
            load_and_run(paths[0], false);
        load_and_run(paths[1], true);
        puts("loaded");
        fflush(stdout);
    }
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
    for (uintptr_t i = 0; i < n_threads; i++)
        pthread_join(threads[i], NULL);
    printf("wrong %lu of %s\n", n_wrong, n_runs ? "some" : "none");
    return 0;
}
