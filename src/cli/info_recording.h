/* --info of a recording. */
#ifndef RV_CLI_INFO_RECORDING_H
#define RV_CLI_INFO_RECORDING_H

#include <stdio.h>

/* Read all chunks and print a summary; decodes no events. 0, or a negative errno with one line printed. */
int rv_info_recording_write(const char *path, FILE *out);

#endif
