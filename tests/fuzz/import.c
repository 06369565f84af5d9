/*
 * An arbitrary trace of another tool: reading it must not break the rules of intakes (collect.c).
 * FORMAT is the importer; HOW the kind of input: a file if not defined, two files of a folder, or shared memory.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../unit/import/collect.h"
#include "import/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum how { AS_FILE, AS_FOLDER, AS_MEMORY };
#ifndef HOW
#define HOW AS_FILE
#endif

static void write_file(const char *path, const void *bytes, size_t n)
{
    int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, bytes, n) != (ssize_t)n)
        abort();
    close(fd);
}

/* task.txt up to the first NUL, a map up to the second, then the records of task 1. */
static void write_folder(const char *folder, const uint8_t *data, size_t size)
{
    static const unsigned char info[40] = {'F', 't', 'r', 'a', 'c', 'e', '!', 0, 4, 0, 0, 0, 40, 0, 1, 2};
    static const char *const names[] = {"task.txt", "sid-0.map"};
    char path[160];
    mkdir(folder, 0700);
    snprintf(path, sizeof path, "%s/info", folder);
    write_file(path, info, sizeof info);
    for (int i = 0; i < 2; i++) {
        const uint8_t *end = memchr(data, '\0', size);
        size_t n = end ? (size_t)(end - data) : size;
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        write_file(path, data, n);
        data += end ? n + 1 : n;
        size -= end ? n + 1 : n;
    }
    snprintf(path, sizeof path, "%s/1.dat", folder);
    write_file(path, data, size);
}

/* write_index, then events from the ring's beginning. An even size makes the ring of the gem's 0.1, an odd one
 * 0.2's. */
static void write_memory(const char *name, const uint8_t *data, size_t size)
{
    enum { INDEX_OFFSET = 1048576 };
    const size_t ring_bytes = INDEX_OFFSET + (size % 2 ? 256 : 128);
    int fd = shm_open(name, O_CREAT | O_RDWR, 0600);
    if (fd < 0 || ftruncate(fd, (off_t)ring_bytes) != 0)
        abort();
    unsigned char *ring = mmap(NULL, ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (ring == MAP_FAILED)
        abort();
    close(fd);
    size_t n_index = size < 8 ? size : 8;
    memcpy(ring + INDEX_OFFSET, data, n_index);
    memcpy(ring, data + n_index, size - n_index < INDEX_OFFSET ? size - n_index : INDEX_OFFSET);
    munmap(ring, ring_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[128];
    const bool is_memory = HOW == AS_MEMORY;
    snprintf(path, sizeof path, is_memory ? "/ringviz-fuzz-%d" : "/dev/shm/ringviz-fuzz-%d", (int)getpid());
    if (HOW == AS_FOLDER)
        write_folder(path, data, size);
    else if (is_memory)
        write_memory(path, data, size);
    else
        write_file(path, data, size);
    struct rv_source *source = rv_import_open(&FORMAT, &(struct rv_import_params){.path = path});
    if (source) {
        struct collected collected;
        collect_init(&collected);
        collect_all(&collected, source, FORMAT.has_ended ? 3 : 1000000);
        collect_fini(&collected);
        source->close(source);
    }
    if (HOW == AS_FOLDER) {
        static const char *const names[] = {"info", "task.txt", "sid-0.map", "1.dat"};
        for (int i = 0; i < 4; i++) {
            char inner[160];
            snprintf(inner, sizeof inner, "%s/%s", path, names[i]);
            unlink(inner);
        }
        rmdir(path);
    } else if (!is_memory || !source) {
        is_memory ? shm_unlink(path) : unlink(path);
    }
    return 0;
}
