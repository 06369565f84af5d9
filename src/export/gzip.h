/* A stdio stream that writes gzip to another stream, using all cores. */
#ifndef RV_EXPORT_GZIP_H
#define RV_EXPORT_GZIP_H

#include <stdbool.h>
#include <stdio.h>

/* Does the name end in .gz? */
bool rv_gzip_is_name(const char *path);

/*
 * Open such a stream; its fclose() ends the gzip file. `to` is borrowed until then and stays open. A failed write to
 * `to` fails here too, with its errno. NULL with errno.
 */
FILE *rv_gzip_open(FILE *to);

#endif
