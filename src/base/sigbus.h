/* Truncation of a mapped file: prints one line, and lets the report of the data read so far be written. */
#ifndef RV_BASE_SIGBUS_H
#define RV_BASE_SIGBUS_H

#include <stdbool.h>
#include <stddef.h>

struct rv_sigbus_region {
    void *base;
    size_t n_bytes;
    int fd;           /* of the file, mapped from its beginning */
    const char *path; /* of the file, for the line */
};

/*
 * From now on, an access to what is no longer in the file prints one line and replaces all of the region by zeroes. At
 * most one region at a time; fd and path are borrowed until rv_sigbus_release(). Main thread.
 */
void rv_sigbus_catch(const struct rv_sigbus_region *region);
void rv_sigbus_release(void);

/* Has this happened since rv_sigbus_catch()? Any thread. */
bool rv_sigbus_has_come(void);

#endif
