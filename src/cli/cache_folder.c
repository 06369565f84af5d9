#include "cli/cache_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"
#include "base/private_cache.h"
#include "base/vec.h"

#define MOST_FILES 256u
#define MOST_BYTES (UINT64_C(256) << 20)

static const struct {
    const char *name, *choice; /* choice: an environment variable */
} FOLDERS[] = {[RV_CACHE_PLANS] = {"plans", "RINGVIZ_PLANS"}, [RV_CACHE_SUMS] = {"sums", "RINGVIZ_SUMS"}};

struct cached {
    char name[64];
    uint64_t n_bytes;
    int64_t used_s;
};

/* Root leaves no folders of its own in the home of who became root: ringviz could not write there later. */
static bool is_own(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? status.st_uid == geteuid() : errno == ENOENT;
}

static bool find_path(enum rv_cache_folder which, char path[PATH_MAX])
{
    const char *choice = getenv(FOLDERS[which].choice), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = -1;
    if (choice && strcmp(choice, "off") == 0)
        return false;
    const bool has_cache = cache && cache[0] == '/', has_home = home && home[0] == '/';
    if (!is_own(has_cache ? cache : has_home ? home : "/"))
        return false;
    if (has_cache)
        n = snprintf(path, PATH_MAX, "%s/ringviz/%s", cache, FOLDERS[which].name);
    else if (has_home)
        n = snprintf(path, PATH_MAX, "%s/.cache/ringviz/%s", home, FOLDERS[which].name);
    return n > 0 && n < PATH_MAX;
}

/* A file of ours, or one that is not whole: what else lies there is not. */
static bool is_ours(const char *name)
{
    return strspn(name, "0123456789abcdef") == 16 && (!name[16] || name[16] == '.');
}

static bool is_used(DIR *folder)
{
    struct stat status;
    return fstat(dirfd(folder), &status) == 0 && rv_private_cache_is_private(&status);
}

/* A file system may note the time of reading once a day, or never. */
static int64_t used_s(const struct stat *status)
{
    return status->st_atime > status->st_mtime ? status->st_atime : status->st_mtime;
}

static int compare_uses(const void *left, const void *right)
{
    const struct cached *a = left, *b = right;
    return (a->used_s < b->used_s) - (a->used_s > b->used_s);
}

static struct cached *list(DIR *folder, size_t *n)
{
    struct cached *files = NULL;
    struct stat status;
    size_t capacity = 0;
    *n = 0;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        if (strlen(entry->d_name) >= sizeof files->name || !is_ours(entry->d_name) ||
            fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || S_ISDIR(status.st_mode))
            continue;
        files = rv_vec_reserve(files, &capacity, *n + 1, sizeof *files);
        files[*n] = (struct cached){.n_bytes = (uint64_t)status.st_size, .used_s = used_s(&status)};
        strcpy(files[(*n)++].name, entry->d_name);
    }
    return files;
}

static void drop_oldest(DIR *folder)
{
    size_t n;
    uint64_t n_bytes = 0;
    struct cached *files = list(folder, &n);
    if (n)
        qsort(files, n, sizeof *files, compare_uses);
    for (size_t i = 0; i < n; i++) {
        n_bytes += files[i].n_bytes;
        if (i >= MOST_FILES || n_bytes > MOST_BYTES)
            (void)unlinkat(dirfd(folder), files[i].name, 0);
    }
    free(files);
}

const char *rv_cache_folder_open(enum rv_cache_folder which, char path[PATH_MAX])
{
    if (!find_path(which, path) || rv_os_make_folders(path) != 0 || (mkdir(path, 0700) != 0 && access(path, W_OK) != 0))
        return NULL;
    DIR *folder = opendir(path);
    if (folder && is_used(folder))
        drop_oldest(folder);
    if (folder)
        closedir(folder);
    return path;
}
