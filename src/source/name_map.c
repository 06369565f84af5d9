#include "source/name_map.h"

#include <stdlib.h>

#include "base/vec.h"

/* Room for the three strings of one name, each cut at 4095 bytes, with every byte escaped. */
enum { NAME_BUFFER_BYTES = 3 * 4 * 4096 };

void rv_name_map_fini(struct rv_name_map *names)
{
    free(names->ids);
    names->ids = NULL;
    names->n = 0;
}

static uint32_t read_name(struct rv_name_map *names, uint32_t name_id)
{
    char buffer[NAME_BUFFER_BYTES];
    struct rv_name name;
    if (rv_names_read(names->map, name_id, &name, buffer, sizeof buffer) != 0)
        return 0;
    return rv_symbolizer_intern(names->symbolizer, name.package, name.name, name.file, name.line_form);
}

uint32_t rv_name_map_lookup(struct rv_name_map *names, uint32_t name_id)
{
    if (name_id < names->n && names->ids[name_id])
        return names->ids[name_id];
    if (name_id == 0 || name_id >= rv_names_count(names->map))
        return 0;
    if (name_id >= names->n)
        names->ids = rv_vec_extend(names->ids, &names->n, (size_t)name_id + 1, sizeof *names->ids);
    return names->ids[name_id] = read_name(names, name_id);
}
