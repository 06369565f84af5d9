/* A stream that writes gzip into another one, on all cores. */
#ifndef RV_EXPORT_GZIP_H
#define RV_EXPORT_GZIP_H

#include <stdbool.h>
#include <stdio.h>

/* Does the name end in .gz? */
bool rv_gzip_is_name(const char *path);

/*
 * A stream whose fclose() ends the gzip file; `to`, which is borrowed until then, stays open. A write to it that failed
 * fails here too, with its errno. NULL with errno.
 */
FILE *rv_gzip_open(FILE *to);

#endif
