/* The cost of a patched call; and for a given program, which functions can be patched, and what its set-up takes. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/instrumentation_text.h"
#include "bench/bench.h"
#include "bench/child.h"
#include "bench/stages.h"
#include "launch/launch.h"
#include "launch/program.h"
#include "patch/patchable_functions.h"

enum { PATH_BYTES = 4096, N_RUNS = 5 };

static void print_count(struct rv_bench_out *out, const char *name, const char *unit, size_t n, const char *detail)
{
    rv_bench_row(out,
                 &(struct rv_bench_row){
                     .bench = name, .unit = unit, .median = (double)n, .min = (double)n, .n = 1, .detail = detail});
}

static void print_plan(struct rv_bench_out *out, const struct rv_patch_functions *all, double *times_ms)
{
    size_t n_trivial = 0;
    for (size_t i = 0; i < all->n_functions; i++)
        n_trivial += all->functions[i].is_trivial && all->functions[i].refusal == RV_PATCH_FITS;
    print_count(out, "patch.functions", "functions", all->n_functions, NULL);
    print_count(out, "patch.fit", "functions", all->n_refused[RV_PATCH_FITS], NULL);
    print_count(out, "patch.trivial", "functions", n_trivial, "of these, left out by default");
    for (int i = RV_PATCH_FITS + 1; i < RV_PATCH_REFUSAL_COUNT; i++) {
        char name[64];
        snprintf(name, sizeof name, "patch.refused.%s", rv_refusal_text((enum rv_patch_refusal)i));
        if (all->n_refused[i])
            print_count(out, name, "functions", all->n_refused[i], NULL);
    }
    const double median = rv_bench_median(times_ms, N_RUNS);
    rv_bench_row(out, &(struct rv_bench_row){
                          .bench = "patch.all", .unit = "ms", .median = median, .min = times_ms[0], .n = N_RUNS});
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int plan_file(struct rv_bench_out *out, const char *path, const uint8_t *file, size_t n_bytes,
                     size_t *n_functions)
{
    struct rv_patch_image image;
    double times_ms[N_RUNS];
    int error = rv_patch_image_file(&image, file, n_bytes);
    for (unsigned i = 0; i < N_RUNS && !error; i++) {
        struct rv_patch_functions all;
        const double start_ms = now_ms();
        error = rv_patch_functions_find(&all, &image, NULL);
        times_ms[i] = now_ms() - start_ms;
        *n_functions = all.n_functions;
        if (!error && i == N_RUNS - 1)
            print_plan(out, &all, times_ms);
        rv_patch_functions_free(&all);
    }
    return error ? rv_err(-error, "%s: no x86-64 program with an unwind table", path) : 0;
}

/* n_functions: 0 where its set-up cannot be measured. */
static int measure_plan(struct rv_bench_out *out, const char *command, size_t *n_functions)
{
    struct rv_program program;
    struct stat status;
    int error = rv_program_read(command, &program);
    if (error)
        return rv_err(-error, "%s: cannot be read", command);
    int fd = open(program.path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) != 0 || status.st_size == 0) {
        if (fd >= 0)
            close(fd);
        return rv_err(EIO, "%s: cannot be read", program.path);
    }
    const uint8_t *file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    error = file == MAP_FAILED ? rv_err_sys("%s: mmap", program.path)
                               : plan_file(out, program.path, file, (size_t)status.st_size, n_functions);
    if (file != MAP_FAILED)
        munmap((void *)(uintptr_t)file, (size_t)status.st_size);
    close(fd);
    if (!program.has_interpreter || program.is_privileged || program.has_other_libc)
        *n_functions = 0; /* nothing is preloaded into it: it would not end where it begins */
    return error;
}

static int measure_program(struct rv_bench_out *out, const char *command)
{
    size_t n_functions = 0;
    const int error = measure_plan(out, command, &n_functions);
    return error || !n_functions ? error : rv_bench_patch_setup(out, n_functions);
}

/* What no tracer that tells begin and end by the cycle counter can do without. */
static void measure_clock(struct rv_bench_out *out)
{
    char traced[PATH_BYTES], line[128] = "";
    int fd;
    double clock_ns;
    if (rv_launch_find_file("ringviz-bench-traced", traced, sizeof traced) != 0)
        return;
    pid_t pid = rv_child_start((const char *const[]){traced, "20", NULL}, NULL, &fd);
    if (pid < 0)
        return;
    const ssize_t n = read(fd, line, sizeof line - 1);
    close(fd);
    waitpid(pid, NULL, 0);
    if (n > 0 && sscanf(line, "%lf", &clock_ns) == 1)
        rv_bench_row(out, &(struct rv_bench_row){.bench = "patch.two_clock_reads",
                                                 .unit = "ns/call",
                                                 .median = 2 * clock_ns,
                                                 .min = 2 * clock_ns,
                                                 .n = 20,
                                                 .detail = "in CPU time, the least"});
}

/* The program's compiled hooks, in the same run. */
static int measure_hooks(struct rv_bench_out *out, const char *plain, const char *preload)
{
    char hooked[PATH_BYTES];
    const char *const plain_argv[] = {plain, NULL}, *const hooked_argv[] = {hooked, NULL},
                      *const variables[] = {preload, NULL};
    if (rv_launch_find_file("ringviz-bench-hooked", hooked, sizeof hooked) != 0)
        return 0;
    return rv_stages_measure(
        out, &(struct rv_stages){.name = "hooks", .plain = plain_argv, .traced = hooked_argv, .variables = variables});
}

static bool write_prototype(const char *path)
{
    FILE *file = fopen(path, "we");
    if (!file)
        return false;
    const bool is_written = fputs("ulong ringviz_bench_step(ulong);\n", file) >= 0;
    return fclose(file) == 0 && is_written;
}

/* uftrace patches at load, too; ltrace stops the program. Ours with a number as argument and as result, besides. */
static int measure_patches(struct rv_bench_out *out, const char *plain, const char *preload, const char *folder)
{
    char calls[64], prototypes[64];
    snprintf(calls, sizeof calls, "%s/uftrace", folder);
    snprintf(prototypes, sizeof prototypes, "%s/prototypes", folder);
    const struct rv_stages_peer peers[] = {
        {.name = "uftrace",
         .front = {"uftrace", "record", "--no-pager", "--no-libcall", "--libmcount-single", "-P", ".", "-d", calls},
         .is_on_plain = true},
        {.name = "ltrace",
         .front = {"ltrace", "-o", "/dev/null", "-e", "ringviz_bench_step"},
         .is_on_plain = true,
         .workload = "library"},
        {.name = "arguments",
         .front = {"/proc/self/exe", "--report=json", "--force", "--output=/dev/null", "-F", prototypes, "-x",
                   "^ringviz_bench_step$", "--"},
         .is_on_plain = true,
         .workload = "library"},
    };
    const char *const argv[] = {plain, NULL}, *const variables[] = {preload, "RINGVIZ_PATCH=.\n.@ringviz-bench-step",
                                                                    NULL};
    if (!write_prototype(prototypes))
        return rv_err_sys("%s", prototypes);
    return rv_stages_measure(out, &(struct rv_stages){.name = "patched",
                                                      .plain = argv,
                                                      .traced = argv,
                                                      .variables = variables,
                                                      .peers = peers,
                                                      .n_peers = sizeof peers / sizeof *peers});
}

static int measure_calls(struct rv_bench_out *out)
{
    char plain[PATH_BYTES], hooks[PATH_BYTES], preload[PATH_BYTES + 16], folder[] = "/tmp/ringviz-bench-XXXXXX";
    if (rv_launch_find_file("ringviz-bench-plain", plain, sizeof plain) != 0 ||
        rv_launch_find_file("libringviz-cyg.so", hooks, sizeof hooks) != 0 || !mkdtemp(folder))
        return 0;
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s", hooks);
    measure_clock(out);
    int error = measure_hooks(out, plain, preload);
    if (!error)
        error = measure_patches(out, plain, preload, folder);
    rv_child_remove_folder(folder);
    return error;
}

int rv_bench_patch(struct rv_bench_out *out)
{
    const char *const *command = rv_bench_command(out);
    return command ? measure_program(out, *command) : measure_calls(out);
}
