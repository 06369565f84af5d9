#include "cli/plan_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"
#include "base/vec.h"
#include "patch/cache.h"

#define MOST_FILES 256u
#define MOST_BYTES (UINT64_C(256) << 20)

struct plan_file {
    char name[64];
    uint64_t n_bytes;
    int64_t used_s;
};

static bool find_path(char path[PATH_MAX])
{
    const char *choice = getenv("RINGVIZ_PLANS"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = -1;
    if (choice && strcmp(choice, "off") == 0)
        return false;
    if (cache && cache[0] == '/')
        n = snprintf(path, PATH_MAX, "%s/ringviz/plans", cache);
    else if (home && home[0] == '/')
        n = snprintf(path, PATH_MAX, "%s/.cache/ringviz/plans", home);
    return n > 0 && n < PATH_MAX;
}

/* Of a plan, or of one that is not whole: what else lies there is not ours. */
static bool is_of_plan(const char *name)
{
    return strspn(name, "0123456789abcdef") == 16 && (!name[16] || name[16] == '.');
}

static bool is_used(DIR *folder)
{
    struct stat status;
    return fstat(dirfd(folder), &status) == 0 && rv_patch_cache_is_private(&status);
}

/* A file system may note the time of reading once a day, or never. */
static int64_t used_s(const struct stat *status)
{
    return status->st_atime > status->st_mtime ? status->st_atime : status->st_mtime;
}

static int compare_uses(const void *left, const void *right)
{
    const struct plan_file *a = left, *b = right;
    return (a->used_s < b->used_s) - (a->used_s > b->used_s);
}

static struct plan_file *list(DIR *folder, size_t *n)
{
    struct plan_file *files = NULL;
    struct stat status;
    size_t capacity = 0;
    *n = 0;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        if (strlen(entry->d_name) >= sizeof files->name || !is_of_plan(entry->d_name) ||
            fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || S_ISDIR(status.st_mode))
            continue;
        files = rv_vec_reserve(files, &capacity, *n + 1, sizeof *files);
        files[*n] = (struct plan_file){.n_bytes = (uint64_t)status.st_size, .used_s = used_s(&status)};
        strcpy(files[(*n)++].name, entry->d_name);
    }
    return files;
}

static void drop_oldest(DIR *folder)
{
    size_t n;
    uint64_t n_bytes = 0;
    struct plan_file *files = list(folder, &n);
    if (n)
        qsort(files, n, sizeof *files, compare_uses);
    for (size_t i = 0; i < n; i++) {
        n_bytes += files[i].n_bytes;
        if (i >= MOST_FILES || n_bytes > MOST_BYTES)
            (void)unlinkat(dirfd(folder), files[i].name, 0);
    }
    free(files);
}

const char *rv_plan_folder_open(char path[PATH_MAX])
{
    if (!find_path(path) || rv_os_make_folders(path) != 0 || (mkdir(path, 0700) != 0 && access(path, W_OK) != 0))
        return NULL;
    DIR *folder = opendir(path);
    if (folder && is_used(folder))
        drop_oldest(folder);
    if (folder)
        closedir(folder);
    return path;
}
