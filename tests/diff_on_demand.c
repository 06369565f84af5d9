/*
 * A stand-in for libgit2, which Criterion links for the differences that it prints of texts in failed assertions.
 *
 * Each test is a process of its own, and libgit2 loads 15 libraries and reads the system's certificates in each: more
 * work than most tests. The loader takes this library for it, because it has its name and the test program asks for it
 * first; the real one is loaded for the first difference.
 */
#include <dlfcn.h>
#include <stddef.h>

typedef int (*libgit2_init_fn)(void);
typedef int (*diff_buffers_fn)(const void *old, size_t old_bytes, const char *old_path, const void *new,
                               size_t new_bytes, const char *new_path, const void *options, void *file_fn,
                               void *binary_fn, void *hunk_fn, void *line_fn, void *payload);

int git_libgit2_init(void);
int git_libgit2_shutdown(void);
int git_diff_buffers(const void *old, size_t old_bytes, const char *old_path, const void *new, size_t new_bytes,
                     const char *new_path, const void *options, void *file_fn, void *binary_fn, void *hunk_fn,
                     void *line_fn, void *payload);

int git_libgit2_init(void)
{
    return 1;
}

int git_libgit2_shutdown(void)
{
    return 0;
}

int git_diff_buffers(const void *old, size_t old_bytes, const char *old_path, const void *new, size_t new_bytes,
                     const char *new_path, const void *options, void *file_fn, void *binary_fn, void *hunk_fn,
                     void *line_fn, void *payload)
{
    void *library = dlopen(LIBGIT2_PATH, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return -1;
    ((libgit2_init_fn)dlsym(library, "git_libgit2_init"))();
    return ((diff_buffers_fn)dlsym(library, "git_diff_buffers"))(
        old, old_bytes, old_path, new, new_bytes, new_path, options, file_fn, binary_fn, hunk_fn, line_fn, payload);
}
