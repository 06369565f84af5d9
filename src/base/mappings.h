/*
 * The memory mappings of a process, from /proc/PID/maps. System calls only: also for signal handlers of a traced
 * process.
 */
#ifndef RV_BASE_MAPPINGS_H
#define RV_BASE_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct rv_mapping {
    uint64_t start, end; /* addresses */
    uint64_t offset;     /* of its start in its file */
    dev_t device;        /* of its file, */
    ino_t inode;         /* and its number there; 0: none */
    bool is_executable;
    const char *path; /* of its file, "[vdso]" and the like, or ""; valid until the next call */
};

/* What the kernel puts behind the path of a file that is there no longer, or another one. */
#define RV_MAPPING_DELETED " (deleted)"

struct rv_mappings {
    int fd;
    size_t n, at;    /* bytes read into text; those returned already */
    char text[4224]; /* a longer line loses the end of its path */
};

/* 0, or a negative errno: nothing to close then. Keeps errno. */
int rv_mappings_open(struct rv_mappings *mappings, pid_t pid);
void rv_mappings_close(struct rv_mappings *mappings);

/* The next one, by rising address. False at the end. Keeps errno. */
bool rv_mappings_next(struct rv_mappings *mappings, struct rv_mapping *out);

/* How many bytes of a path are the file's: all, or those before RV_MAPPING_DELETED. */
size_t rv_mapping_path_bytes(const char *path);

/*
 * Where the file that is mapped at an address can be opened although it was deleted or replaced: under /proc, while the
 * process runs; a program by anybody who may trace it, another file by root.
 *   returns  false: it is where its path says, or none is mapped there
 *   thread   any, not in a signal handler
 */
#define RV_MAPPINGS_LINK_BYTES 80u
bool rv_mappings_link_deleted(pid_t pid, uint64_t address, char link[RV_MAPPINGS_LINK_BYTES]);

#endif
