#include "producers/native/section.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ring/map.h"

#define MOST_BYTES (1u << 26)

static bool read_all(int fd, void *bytes, size_t n, uint64_t offset)
{
    size_t n_read = 0;
    for (ssize_t step; n_read < n; n_read += (size_t)step)
        if ((step = pread(fd, (uint8_t *)bytes + n_read, n - n_read, (off_t)(offset + n_read))) <= 0)
            return false;
    return true;
}

static uint8_t *read_area(int fd, const struct rv_wire_area *area, size_t *n_bytes)
{
    uint8_t *section = area->n_bytes && area->n_bytes <= MOST_BYTES ? malloc(area->n_bytes) : NULL;
    if (section && !read_all(fd, section, area->n_bytes, area->offset)) {
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
    if (read_all(fd, &header, sizeof header, 0) && rv_map_validate(&header, header.file_bytes) == 0) {
        memcpy(&place, (const char *)&header + area, sizeof place);
        section = read_area(fd, &place, n_bytes);
    }
    close(fd);
    return section;
}
