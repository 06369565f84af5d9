/* Text by index, formatted once: what many rows share. */
#ifndef RV_EXPORT_TEXT_CACHE_H
#define RV_EXPORT_TEXT_CACHE_H

#include "export/text_buffer.h"

struct rv_pieces { /* zero is empty */
    struct rv_rowtext *texts;
    size_t n;
};

/* The text of this index, empty until the caller fills it. Valid until the next call with a greater index. */
struct rv_rowtext *rv_pieces_at(struct rv_pieces *pieces, uint32_t idx);
void rv_pieces_fini(struct rv_pieces *pieces);

#endif
