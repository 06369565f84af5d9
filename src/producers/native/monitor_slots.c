/* The slots of include/ringviz/monitor.h: written by a ring's writer, read by any process. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/full_name.h"
#include "base/text.h"
#include "producers/native/monitor_file.h"
#include "producers/native/ring_writer.h"
#include "ring/names.h"
#include "ring/live_stack.h"

#define MOST_STRINGS (1u << 14) /* room for a name: package, name and file */

static int no_writer(const struct ringviz_file *file, uint32_t ring)
{
    int error = rv_monitor_file_check_owner(file, ring);
    return error ? error : -EPERM;
}

RV_EXPORT int ringviz_slot_push(struct ringviz_file *file, uint32_t ring, const char *name)
{
    struct rv_ring_writer *writer = rv_monitor_file_writer(file, ring);
    if (!writer)
        return no_writer(file, ring);
    size_t most = file->map->geometry.slot_bytes - 1, n_bytes = strnlen(name, most + 1);
    if (n_bytes <= most)
        return rv_ring_writer_push(writer, name, name);
    char *cut = strndup(name, rv_text_whole(name, n_bytes, most));
    int depth = rv_ring_writer_push(writer, name, cut ? cut : "");
    free(cut);
    return depth;
}

RV_EXPORT int ringviz_slot_pop(struct ringviz_file *file, uint32_t ring)
{
    struct rv_ring_writer *writer = rv_monitor_file_writer(file, ring);
    return writer ? rv_ring_writer_pop(writer) : no_writer(file, ring);
}

RV_EXPORT int ringviz_slot_update(struct ringviz_file *file, uint32_t ring, uint32_t line)
{
    struct rv_ring_writer *writer = rv_monitor_file_writer(file, ring);
    if (!writer)
        return no_writer(file, ring);
    return rv_ring_writer_update(writer, line) ? 0 : -ENOENT;
}

/* A slot without text has the name's id. */
static void read_name(const struct rv_map *map, uint32_t id, char *out, size_t out_bytes)
{
    char strings[MOST_STRINGS];
    struct rv_name name;
    if (rv_names_read(map, id, &name, strings, sizeof strings) != 0)
        return;
    size_t most = map->geometry.slot_bytes < out_bytes ? map->geometry.slot_bytes : out_bytes;
    int n = rv_full_name(out, out_bytes, name.package, name.name, name.line_form);
    if (n > 0)
        out[rv_text_whole(out, strlen(out), most - 1)] = '\0';
}

RV_EXPORT int ringviz_slot_read(const struct ringviz_file *file, uint32_t ring, int32_t slot_idx,
                                struct ringviz_slot *slot, char *name, size_t name_bytes)
{
    if (!rv_monitor_file_has_ring(file, ring) || name_bytes == 0)
        return -EINVAL;
    struct rv_live_stack slots;
    struct rv_slot seen;
    rv_live_stack_view(&slots, file->map, ring);
    name[0] = '\0';
    *slot = (struct ringviz_slot){-1, 0};
    if (!rv_monitor_file_has_pages(file, ring)) /* never claimed: read none of its slots */
        slot_idx = -1;
    int error = rv_live_stack_read(&slots, slot_idx, &seen, name, name_bytes);
    if (!error && seen.line != -1) {
        if (!*name)
            read_name(file->map, seen.name_id, name, name_bytes);
        slot->line = seen.line;
        const struct rv_clock clock = rv_map_clock(file->map);
        slot->real_ns = rv_clock_to_ns(&clock, seen.ticks) - clock.mono0_ns + clock.real0_ns;
    }
    return error;
}
