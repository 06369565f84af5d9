/*
 * Functions that two threads find together are those that one finds alone, field by field: of this program and of each library that it
 * has loaded. So they are where one of the two is ended before its time.
 */
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "patch/patchable_functions.h"

#ifdef __SANITIZE_THREAD__
enum { N_TURNS = 3 };
#else
enum { N_TURNS = 20 };
#endif

struct task {
    void (*work)(void *context);
    void *context;
};

static void *run(void *argument)
{
    const struct task *task = argument;
    task->work(task->context);
    return NULL;
}

static bool share(void (*work)(void *context), void *context)
{
    pthread_t thread;
    struct task task = {work, context};
    if (pthread_create(&thread, NULL, run, &task) != 0)
        abort();
    work(context);
    pthread_join(thread, NULL);
    return true;
}

static bool share_and_fail(void (*work)(void *context), void *context)
{
    (void)share(work, context);
    return false;
}

static bool is_same(const struct rv_patch_function *a, const struct rv_patch_function *b)
{
    return a->address == b->address && a->n_bytes == b->n_bytes && a->n_padding == b->n_padding &&
           a->skipped == b->skipped && a->n_written == b->n_written && a->to_island == b->to_island &&
           a->refusal == b->refusal && a->is_trivial == b->is_trivial;
}

static unsigned compare(const char *path, const struct rv_patch_functions *wanted,
                        const struct rv_patch_functions *found)
{
    unsigned n_wrong = wanted->n_functions != found->n_functions;
    for (size_t i = 0; i < wanted->n_functions && i < found->n_functions; i++)
        n_wrong += !is_same(&wanted->functions[i], &found->functions[i]);
    if (n_wrong)
        printf("%s: %u of %zu functions differ\n", path, n_wrong, wanted->n_functions);
    return n_wrong;
}

static unsigned plan(const char *path, const struct rv_patch_image *image)
{
    struct rv_patch_functions wanted, found;
    unsigned n_wrong = 0;
    const int error = rv_patch_functions_find(&wanted, image, NULL);
    for (unsigned i = 0; i < N_TURNS; i++) {
        if (rv_patch_functions_find(&found, image, i % 5 == 4 ? share_and_fail : share) != error) {
            printf("%s: another error than %d\n", path, error);
            n_wrong++;
        }
        n_wrong += compare(path, &wanted, &found);
        rv_patch_functions_free(&found);
    }
    rv_patch_functions_free(&wanted);
    return n_wrong;
}

static unsigned plan_file(const char *path)
{
    struct rv_patch_image image;
    struct stat status;
    unsigned n_wrong = 1;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0; /* the kernel's own object has no file */
    void *file =
        fstat(fd, &status) == 0 ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    if (file != MAP_FAILED && rv_patch_image_file(&image, file, (size_t)status.st_size) == 0)
        n_wrong = plan(path, &image);
    if (file != MAP_FAILED)
        munmap(file, (size_t)status.st_size);
    close(fd);
    return n_wrong;
}

static int plan_object(struct dl_phdr_info *info, size_t n_bytes, void *n_wrong)
{
    (void)n_bytes;
    *(unsigned *)n_wrong += plan_file(*info->dlpi_name ? info->dlpi_name : "/proc/self/exe");
    return 0;
}

int main(void)
{
    unsigned n_wrong = 0;
    dl_iterate_phdr(plan_object, &n_wrong);
    printf("%u differences\n", n_wrong);
    return n_wrong != 0;
}
