#include "export/text_cache.h"

#include <stdlib.h>

#include "base/vec.h"

struct rv_text_buffer *rv_text_cache_at(struct rv_text_cache *pieces, uint32_t idx)
{
    if (idx >= pieces->n)
        pieces->texts = rv_vec_extend(pieces->texts, &pieces->n, (size_t)idx + 1, sizeof *pieces->texts);
    return &pieces->texts[idx];
}

void rv_text_cache_fini(struct rv_text_cache *pieces)
{
    for (size_t i = 0; i < pieces->n; i++)
        rv_text_buffer_fini(&pieces->texts[i]);
    free(pieces->texts);
    *pieces = (struct rv_text_cache){0};
}
