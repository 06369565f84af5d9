/*
 * An arbitrary page 0: if the check accepts it, the file is mapped and used at its limits. The input is a
 * list of patches {offset, bytes, value} on a whole header; with a first byte of 'P' it is the page itself.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ring/ownership.h"
#include "ring/layout.h"
#include "ring/modules.h"
#include "ring/names.h"
#include "ring/ring.h"
#include "ring/live_stack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PATCH_BYTES = 11, GEOMETRY_BYTES = 0x208, MAX_TOUCHED_BYTES = 1 << 26 };

static struct rv_wire_header make_header(void)
{
    struct rv_wire_header header;
    const char *why;
    memset(&header, 0, sizeof header);
    const struct rv_map_params params = {.n_rings = 3,
                                         .ring_events = 64,
                                         .n_slots = 2,
                                         .slot_bytes = 16,
                                         .message_bytes = 16,
                                         .global_bytes = 64,
                                         .n_processes = 8,
                                         .n_modules = 8,
                                         .n_names = 64,
                                         .name_heap_bytes = 4096};
    if (rv_layout_plan(&header, &params, &why))
        abort();
    header.clock_mult = 1;
    header.state = RV_FILE_READY;
    return header;
}

static void patch(struct rv_wire_header *header, const uint8_t *data, size_t size)
{
    for (; size >= PATCH_BYTES; data += PATCH_BYTES, size -= PATCH_BYTES) {
        size_t offset = ((size_t)data[0] | (size_t)data[1] << 8) % GEOMETRY_BYTES, n_bytes = 1 + data[2] % 8;
        memcpy((char *)header + offset, data + 3,
               n_bytes < GEOMETRY_BYTES - offset ? n_bytes : GEOMETRY_BYTES - offset);
    }
}

/* Every accessor at its last index: inside the mapping, or AddressSanitizer and the kernel say so. */
static void use(struct rv_map *map)
{
    static volatile uint64_t sink;
    const struct rv_wire_header *geometry = &map->geometry;
    uint32_t ring_idx = geometry->n_rings - 1;
    struct rv_ring ring;
    struct rv_live_stack slots;
    struct rv_slot slot;
    struct rv_event event;
    struct rv_module module;
    struct rv_name name;
    char text[256];
    int32_t current, depth;
    uint64_t cursor = 0;
    rv_ring_view(&ring, map, ring_idx);
    sink += ring.events[ring.n_events - 1].when + rv_map_process(map, geometry->n_processes - 1)->pid;
    rv_ring_peek(&ring, &cursor, &event, 1);
    rv_ring_account(&ring);
    rv_ownership_thread_name(map, ring_idx, text);
    rv_ownership_has_live_owner(map, ring_idx);
    rv_live_stack_view(&slots, map, ring_idx);
    rv_live_stack_position(&slots, &current, &depth);
    rv_live_stack_read(&slots, (int32_t)geometry->n_slots - 1, &slot, text, sizeof text);
    rv_modules_read(map, geometry->n_modules - 1, &module, text, sizeof text);
    rv_names_read(map, geometry->n_name_ids - 1, &name, text, sizeof text);
    sink += *(map->base + geometry->name_index.offset + (geometry->n_index_slots - 1) * sizeof(uint32_t));
    sink += *(map->base + geometry->global_message.offset + geometry->global_message.n_bytes - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64];
    static int fd = -1;
    struct rv_wire_header header = make_header();
    uint64_t file_bytes = header.file_bytes;
    if (size > 9 && data[0] == 'P') {
        memcpy(&file_bytes, data + 1, sizeof file_bytes);
        memcpy(&header, data + 9, size - 9 < sizeof header ? size - 9 : sizeof header);
    } else {
        patch(&header, data, size);
    }
    if (rv_map_validate(&header, file_bytes) != 0 || file_bytes > MAX_TOUCHED_BYTES)
        return 0;
    if (fd < 0) {
        snprintf(path, sizeof path, "/dev/shm/ringviz-fuzz-header-%d", (int)getpid());
        fd = open(path, O_CREAT | O_RDWR | O_TRUNC, 0600);
    }
    if (fd < 0 || ftruncate(fd, (off_t)file_bytes) || pwrite(fd, &header, sizeof header, 0) != (ssize_t)sizeof header)
        return 0;
    struct rv_map map;
    if (rv_map_open(&map, path, RV_MAP_OBSERVER, true) == 0) {
        use(&map);
        rv_map_close(&map);
    }
    unlink(path);
    close(fd);
    fd = -1;
    return 0;
}
