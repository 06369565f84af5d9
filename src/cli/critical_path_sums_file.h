/* The file that keeps sums of a recording's time from one critical path to the next. Its absence costs only time. */
#ifndef RV_CLI_CRITICAL_PATH_SUMS_FILE_H
#define RV_CLI_CRITICAL_PATH_SUMS_FILE_H

#include <limits.h>

#include "export/critical_path_sums.h"
#include "model/subroutines.h"

struct rv_critical_path_sums_file {
    struct rv_critical_path_sums *sums; /* NULL: nothing is kept */
    const char *folder;
    uint64_t recording;  /* its identity */
    char path[PATH_MAX]; /* of the folder */
};

/* For a recording that was read by its index, with its subroutines. */
void rv_critical_path_sums_file_open(struct rv_critical_path_sums_file *file, const char *recording,
                                     struct rv_subroutines *subroutines);

/* Write the file if something was added. */
void rv_critical_path_sums_file_close(struct rv_critical_path_sums_file *file);

#endif
