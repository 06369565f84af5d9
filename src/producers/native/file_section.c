#include "producers/native/file_section.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file_io.h"
#include "ring/map.h"

#define MOST_BYTES (1u << 26)

static uint8_t *read_area(int fd, const struct rv_wire_area *area, size_t *n_bytes)
{
    uint8_t *section = area->n_bytes && area->n_bytes <= MOST_BYTES ? malloc(area->n_bytes) : NULL;
    if (section && rv_file_read_at(fd, section, area->n_bytes, area->offset) != (ssize_t)area->n_bytes) {
        free(section);
        section = NULL;
    }
    *n_bytes = section ? area->n_bytes : 0;
    return section;
}

uint8_t *rv_section_read(const char *path, size_t area, size_t *n_bytes)
{
    struct rv_wire_header header;
    struct rv_wire_area place;
    uint8_t *section = NULL;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    *n_bytes = 0;
    if (fd < 0)
        return NULL;
    if (rv_file_read_at(fd, &header, sizeof header, 0) == (ssize_t)sizeof header &&
        rv_map_validate(&header, header.file_bytes) == 0) {
        memcpy(&place, (const char *)&header + area, sizeof place);
        section = read_area(fd, &place, n_bytes);
    }
    close(fd);
    return section;
}
