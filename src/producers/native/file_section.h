/* A section of a trace file that is not open yet. */
#ifndef RV_PRODUCERS_NATIVE_FILE_SECTION_H
#define RV_PRODUCERS_NATIVE_FILE_SECTION_H

#include <stddef.h>
#include <stdint.h>

#include "producers/native/visibility.h"

/*
 *   area     offset of its struct rv_wire_area in struct rv_wire_header
 *   returns  a copy of its n_bytes, to be freed with free(); NULL: the file cannot be read, or the section is empty
 */
RV_HIDDEN uint8_t *rv_section_read(const char *path, size_t area, size_t *n_bytes);

#endif
