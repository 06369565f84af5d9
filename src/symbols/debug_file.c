#include "symbols/debug_file.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/debug_paths.h"
#include "symbols/debuginfod.h"

static bool is_one_file(const struct rv_elf_file *a, const struct rv_elf_file *b)
{
    return a->status.st_dev == b->status.st_dev && a->status.st_ino == b->status.st_ino;
}

/* A search for another file than this one. */
struct search {
    const struct rv_elf_file *file;
    const uint8_t *build_id; /* that it is to have */
    uint32_t build_id_bytes;
    uint32_t checksum; /* where the file has no build id */
    struct rv_elf_file *found;
};

static bool keep_if(struct search *search, struct rv_elf_file *other, bool is_it)
{
    if (is_it)
        search->found = other;
    else
        rv_elf_file_close(other);
    return is_it;
}

static bool has_id(void *context, const char *path)
{
    struct search *search = context;
    struct rv_elf_file *other = search->build_id_bytes ? rv_elf_file_open(path) : NULL;
    return keep_if(search, other,
                   other && !is_one_file(search->file, other) &&
                       rv_elf_file_has_build_id(other, search->build_id, search->build_id_bytes));
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

static bool is_linked(void *context, const char *path)
{
    struct search *search = context;
    struct rv_elf_file *other = rv_elf_file_open(path);
    return keep_if(search, other,
                   other && !is_one_file(search->file, other) &&
                       (search->build_id_bytes && other->build_id_bytes
                            ? rv_elf_file_has_build_id(other, search->build_id, search->build_id_bytes)
                            : has_checksum(other, search->checksum)));
}

/* .gnu_debuglink: a name, zeroes up to a multiple of 4, the file's CRC32. */
static void open_linked(struct rv_elf_file *file, struct search *search)
{
    struct rv_elf_bytes link = rv_elf_file_section(file, ".gnu_debuglink");
    size_t n = link.n ? strnlen((const char *)link.at, link.n) : 0, at = (n + 4) & ~(size_t)3;
    if (n == 0 || at + sizeof search->checksum > link.n || strchr((const char *)link.at, '/'))
        return;
    memcpy(&search->checksum, link.at + at, sizeof search->checksum);
    (void)rv_debug_paths_by_link(file->path, (const char *)link.at, is_linked, search);
}

static void open_fetched(struct rv_elf_file *file, struct search *search)
{
    char *path = rv_debuginfod_fetch(file->path, file->build_id, file->build_id_bytes);
    if (path && !has_id(search, path))
        rv_debuginfod_reject(file->path, path);
    free(path);
}

struct rv_elf_file *rv_debug_file_open(struct rv_elf_file *file)
{
    struct search search = {.file = file, .build_id = file->build_id, .build_id_bytes = file->build_id_bytes};
    if (!rv_debug_paths_by_id(file->path, file->build_id, file->build_id_bytes, has_id, &search))
        open_linked(file, &search);
    if (!search.found && !rv_elf_file_has_section(file, ".debug_info"))
        open_fetched(file, &search);
    return search.found;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A name in the folder of a file. */
static bool path_in_folder(char *path, size_t path_bytes, const struct rv_elf_file *file, const char *name)
{
    int n_folder = (int)(base_name(file->path) - file->path);
    return (size_t)snprintf(path, path_bytes, "%.*s%s", n_folder, file->path, name) < path_bytes;
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
    struct search search = {
        .file = file, .build_id = link.at + n + 1, .build_id_bytes = (uint32_t)(link.n - n - 1)};
    const bool is_there = *name == '/' ? has_id(&search, name)
                                       : path_in_folder(path, sizeof path, file, name) && has_id(&search, path);
    if (!is_there)
        (void)rv_debug_paths_in_folder(search.build_id, search.build_id_bytes, has_id, &search);
    return search.found;
}

struct rv_elf_file *rv_debug_file_open_split(const struct rv_elf_file *file, const char *folder, const char *name)
{
    char path[PATH_MAX];
    bool is_whole = *name == '/' || !*folder;
    struct rv_elf_file *found = NULL;
    if ((size_t)snprintf(path, sizeof path, "%s%s%s", is_whole ? "" : folder, is_whole ? "" : "/", name) < sizeof path)
        found = rv_elf_file_open(path);
    if (!found && path_in_folder(path, sizeof path, file, base_name(name)))
        found = rv_elf_file_open(path);
    return found;
}
