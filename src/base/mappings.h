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
    ino_t inode;         /* of its file; 0: none */
    bool is_executable;
    const char *path; /* of its file, "[vdso]" and the like, or ""; valid until the next call */
};

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

#endif
