#include "sink/name_log.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "ringviz/recording.h"

static size_t *place_of(struct rv_name_log *name_log, uint32_t id)
{
    if (id >= name_log->n_places)
        name_log->places =
            rv_vec_extend(name_log->places, &name_log->n_places, (size_t)id + 1, sizeof *name_log->places);
    return &name_log->places[id];
}

void rv_name_log_add(struct rv_name_log *name_log, const struct rv_definition *definition)
{
    const char *const texts[] = {definition->package, definition->name, definition->file};
    const struct rv_rec_string head = {definition->id, definition->line_form};
    struct rv_rec_buffer *names = &name_log->names;
    size_t begin = names->n, *place = place_of(name_log, definition->id);
    rv_rec_buffer_add(names, &head, sizeof head);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        rv_rec_buffer_add(names, texts[k], strlen(texts[k]) + 1);
    size_t n = names->n - begin, last = *place - 1;
    bool is_known = *place && n <= begin - last && memcmp(names->bytes + last, names->bytes + begin, n) == 0;
    *place = is_known ? *place : begin + 1;
    names->n = is_known ? begin : names->n;
}

void rv_name_log_fini(struct rv_name_log *name_log)
{
    rv_rec_buffer_fini(&name_log->names);
    free(name_log->places);
    *name_log = (struct rv_name_log){.places = NULL};
}
