/* --info: prints a trace file's header and counters, as a read-only observer. */
#ifndef RV_CLI_INFO_H
#define RV_CLI_INFO_H

#include <stdio.h>

/* 0, or negative errno with one line printed. */
int rv_info_write(const char *path, FILE *out);

#endif
