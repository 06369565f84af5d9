#include "symbols/debug_file.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define DEBUG_FOLDER "/usr/lib/debug"

static bool is_one_file(const struct rv_elf_file *a, const struct rv_elf_file *b)
{
    return a->status.st_dev == b->status.st_dev && a->status.st_ino == b->status.st_ino;
}

/* Find another file with this build id. */
static struct rv_elf_file *open_with_id(const struct rv_elf_file *file, const char *path, const uint8_t *build_id,
                                        uint32_t build_id_bytes)
{
    struct rv_elf_file *found = build_id_bytes ? rv_elf_file_open(path) : NULL;
    if (found && !is_one_file(file, found) && rv_elf_file_has_build_id(found, build_id, build_id_bytes))
        return found;
    rv_elf_file_close(found);
    return NULL;
}

static struct rv_elf_file *open_same(const struct rv_elf_file *file, const char *path)
{
    return open_with_id(file, path, file->build_id, file->build_id_bytes);
}

/* ---- by build id ---- */

static struct rv_elf_file *open_in_debug_folder(const struct rv_elf_file *file, const uint8_t *build_id,
                                                uint32_t build_id_bytes)
{
    char path[sizeof DEBUG_FOLDER + 2 * RV_BUILD_ID_MAX + sizeof "/.build-id//.debug"];
    if (build_id_bytes < 2)
        return NULL;
    int at = snprintf(path, sizeof path, DEBUG_FOLDER "/.build-id/%02x/", build_id[0]);
    for (uint32_t i = 1; i < build_id_bytes; i++)
        at += snprintf(path + at, sizeof path - (size_t)at, "%02x", build_id[i]);
    snprintf(path + at, sizeof path - (size_t)at, ".debug");
    return open_with_id(file, path, build_id, build_id_bytes);
}

static struct rv_elf_file *open_in_cache(const struct rv_elf_file *file, const char *cache, const char *below)
{
    char path[PATH_MAX], id[2 * RV_BUILD_ID_MAX + 1] = "";
    for (uint32_t i = 0; i < file->build_id_bytes; i++)
        snprintf(id + 2 * (size_t)i, 3, "%02x", file->build_id[i]);
    if (!cache || !*cache || (size_t)snprintf(path, sizeof path, "%s%s/%s/debuginfo", cache, below, id) >= sizeof path)
        return NULL;
    return open_same(file, path);
}

/* Candidate folders in the order of debuginfod_find_debuginfo(3). */
static struct rv_elf_file *open_fetched(const struct rv_elf_file *file)
{
    const char *own = getenv("DEBUGINFOD_CACHE_PATH"), *home = getenv("HOME"), *xdg = getenv("XDG_CACHE_HOME");
    if (own)
        return open_in_cache(file, own, "");
    struct rv_elf_file *found = open_in_cache(file, home, "/.debuginfod_client_cache");
    if (!found && xdg)
        return open_in_cache(file, xdg, "/debuginfod_client");
    return found ? found : open_in_cache(file, home, "/.cache/debuginfod_client");
}

/* ---- by name ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* PREFIX FOLDER MIDDLE NAME, with the folder of a file. */
static bool path_in_folder(char *path, size_t path_bytes, const char *front, const struct rv_elf_file *file,
                           const char *between, const char *name)
{
    int n_folder = (int)(base_name(file->path) - file->path);
    return (size_t)snprintf(path, path_bytes, "%s%.*s%s%s", front, n_folder, file->path, between, name) < path_bytes;
}

static bool has_checksum(const struct rv_elf_file *file, uint32_t expected)
{
    uint8_t bytes[65536];
    uLong checksum = crc32(0, NULL, 0);
    ssize_t n;
    for (off_t at = 0; (n = pread(file->fd, bytes, sizeof bytes, at)) > 0; at += n)
        checksum = crc32(checksum, bytes, (uInt)n);
    return checksum == expected;
}

static struct rv_elf_file *open_linked_at(const struct rv_elf_file *file, const char *path, uint32_t checksum)
{
    struct rv_elf_file *found = rv_elf_file_open(path);
    if (found && !is_one_file(file, found) &&
        (file->build_id_bytes && found->build_id_bytes
             ? rv_elf_file_has_build_id(found, file->build_id, file->build_id_bytes)
             : has_checksum(found, checksum)))
        return found;
    rv_elf_file_close(found);
    return NULL;
}

/* .gnu_debuglink: a name, zeroes up to a multiple of 4, the file's CRC32. */
static struct rv_elf_file *open_linked(struct rv_elf_file *file)
{
    static const struct {
        const char *front, *between;
    } places[] = {{"", ""}, {"", ".debug/"}, {DEBUG_FOLDER, ""}};
    struct rv_elf_bytes link = rv_elf_file_section(file, ".gnu_debuglink");
    size_t n = link.n ? strnlen((const char *)link.at, link.n) : 0, at = (n + 4) & ~(size_t)3;
    uint32_t checksum;
    if (n == 0 || at + sizeof checksum > link.n || strchr((const char *)link.at, '/'))
        return NULL;
    memcpy(&checksum, link.at + at, sizeof checksum);
    struct rv_elf_file *found = NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places && !found; i++) {
        char path[PATH_MAX];
        if (path_in_folder(path, sizeof path, places[i].front, file, places[i].between, (const char *)link.at))
            found = open_linked_at(file, path, checksum);
    }
    return found;
}

struct rv_elf_file *rv_debug_file_open(struct rv_elf_file *file)
{
    char path[PATH_MAX];
    struct rv_elf_file *found = open_in_debug_folder(file, file->build_id, file->build_id_bytes);
    if (!found)
        found = open_fetched(file);
    if (!found && (size_t)snprintf(path, sizeof path, "%s.debug", file->path) < sizeof path)
        found = open_same(file, path);
    return found ? found : open_linked(file);
}

/* .gnu_debugaltlink: a path, absolute or relative to the file's folder, a zero byte, its build id. */
struct rv_elf_file *rv_debug_file_open_shared(struct rv_elf_file *file)
{
    char path[PATH_MAX];
    struct rv_elf_bytes link = rv_elf_file_section(file, ".gnu_debugaltlink");
    size_t n = link.n ? strnlen((const char *)link.at, link.n) : 0;
    if (n == 0 || n >= link.n || link.n - n - 1 > RV_BUILD_ID_MAX)
        return NULL;
    const char *name = (const char *)link.at;
    const uint8_t *build_id = link.at + n + 1;
    uint32_t build_id_bytes = (uint32_t)(link.n - n - 1);
    struct rv_elf_file *found = NULL;
    if (*name == '/')
        found = open_with_id(file, name, build_id, build_id_bytes);
    else if (path_in_folder(path, sizeof path, "", file, "", name))
        found = open_with_id(file, path, build_id, build_id_bytes);
    return found ? found : open_in_debug_folder(file, build_id, build_id_bytes);
}

struct rv_elf_file *rv_debug_file_open_split(const struct rv_elf_file *file, const char *folder, const char *name)
{
    char path[PATH_MAX];
    bool is_whole = *name == '/' || !*folder;
    struct rv_elf_file *found = NULL;
    if ((size_t)snprintf(path, sizeof path, "%s%s%s", is_whole ? "" : folder, is_whole ? "" : "/", name) < sizeof path)
        found = rv_elf_file_open(path);
    if (!found && path_in_folder(path, sizeof path, "", file, "", base_name(name)))
        found = rv_elf_file_open(path);
    return found;
}
