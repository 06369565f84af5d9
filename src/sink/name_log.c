#include "sink/name_log.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "ringviz/recording.h"

static size_t *place_of(struct rv_dictionary *dictionary, uint32_t id)
{
    if (id >= dictionary->n_places)
        dictionary->places =
            rv_vec_extend(dictionary->places, &dictionary->n_places, (size_t)id + 1, sizeof *dictionary->places);
    return &dictionary->places[id];
}

void rv_dictionary_add(struct rv_dictionary *dictionary, const struct rv_definition *definition)
{
    const char *const texts[] = {definition->package, definition->name, definition->file};
    const struct rv_rec_string head = {definition->id, definition->line};
    struct rv_rec_buffer *names = &dictionary->names;
    size_t begin = names->n, *place = place_of(dictionary, definition->id);
    rv_rec_buffer_add(names, &head, sizeof head);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        rv_rec_buffer_add(names, texts[k], strlen(texts[k]) + 1);
    size_t n = names->n - begin, last = *place - 1;
    bool is_known = *place && n <= begin - last && memcmp(names->bytes + last, names->bytes + begin, n) == 0;
    *place = is_known ? *place : begin + 1;
    names->n = is_known ? begin : names->n;
}

void rv_dictionary_fini(struct rv_dictionary *dictionary)
{
    rv_rec_buffer_fini(&dictionary->names);
    free(dictionary->places);
    *dictionary = (struct rv_dictionary){.places = NULL};
}
