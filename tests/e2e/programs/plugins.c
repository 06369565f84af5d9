/* plugins ONE.so TWO.so [N]: loads, runs and unloads two plugins in turn, 1,000 times in all, on two threads in turn.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "count.h"

#define N_HELPERS 5

typedef unsigned run_fn(unsigned n);

struct load {
    const char *path;
    unsigned sum;
};

QUIET static void *load_and_run(void *context)
{
    struct load *load = context;
    void *plugin = dlopen(load->path, RTLD_NOW);
    if (!plugin) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    run_fn *run = (run_fn *)(uintptr_t)dlsym(plugin, "plugin_run");
    load->sum += run(N_HELPERS);
    dlclose(plugin);
    return NULL;
}

QUIET int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    unsigned n = argc > 3 ? (unsigned)atoi(argv[3]) : 1000, n_loads[2] = {0, 0};
    struct load loads[2] = {{argv[1], 0}, {argv[2], 0}};
    for (unsigned i = 0; i < n; i++) {
        pthread_t thread;
        n_loads[i % 2]++;
        if (i % 10 == 3 && pthread_create(&thread, NULL, load_and_run, &loads[i % 2]) == 0)
            pthread_join(thread, NULL);
        else
            load_and_run(&loads[i % 2]);
    }
    static const char *const names[2] = {"one", "two"};
    for (unsigned i = 0; i < 2; i++) {
        printf("COUNT %s_body %u\n", names[i], n_loads[i]);
        printf("COUNT %s_start %u\n", names[i], n_loads[i]);
        printf("COUNT %s_stop %u\n", names[i], n_loads[i]);
        printf("COUNT %s_helper %u\n", names[i], n_loads[i] * (N_HELPERS + 2));
    }
    return 0;
}
