#include "export/text_cache.h"

#include <stdlib.h>

#include "base/vec.h"

struct rv_rowtext *rv_pieces_at(struct rv_pieces *pieces, uint32_t idx)
{
    if (idx >= pieces->n)
        pieces->texts = rv_vec_extend(pieces->texts, &pieces->n, (size_t)idx + 1, sizeof *pieces->texts);
    return &pieces->texts[idx];
}

void rv_pieces_fini(struct rv_pieces *pieces)
{
    for (size_t i = 0; i < pieces->n; i++)
        rv_rowtext_fini(&pieces->texts[i]);
    free(pieces->texts);
    *pieces = (struct rv_pieces){0};
}
