/* The state of a thread of any process, as ps(1) has it: S where it is blocked; ? where it is not known. */
#ifndef THREAD_STATE_H
#define THREAD_STATE_H

#include <stdio.h>
#include <string.h>
#include <sys/types.h>

static char state_of(pid_t tid)
{
    char path[64], text[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)tid);
    FILE *file = fopen(path, "r");
    size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    const char *behind_name = n ? strrchr(text, ')') : NULL;
    return behind_name ? behind_name[2] : '?';
}

#endif
