/*
 * What the capture filter and --max-overhead have rejected in earlier processes of this session that ran the same
 * program: readers leave the calls of these functions out in every process, so none needs to be written.
 */
#ifndef RV_PRODUCERS_NATIVE_EARLIER_VERDICTS_H
#define RV_PRODUCERS_NATIVE_EARLIER_VERDICTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "producers/native/visibility.h"

struct rv_earlier_verdicts {
    uint64_t *addresses; /* rejected: rising, as in the file's headers. Of functions, and of the words of imports */
    size_t n;
};

/* Of the program that was loaded from this file. None where the trace file cannot be read. To be freed. Allocates. */
RV_HIDDEN struct rv_earlier_verdicts rv_earlier_verdicts_read(const char *trace_path, const struct stat *program);
RV_HIDDEN void rv_earlier_verdicts_free(struct rv_earlier_verdicts *verdicts);

RV_HIDDEN bool rv_earlier_verdicts_reject(const struct rv_earlier_verdicts *verdicts, uint64_t address);

#endif
