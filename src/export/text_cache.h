/* Texts by index, formatted once because many rows share them. */
#ifndef RV_EXPORT_TEXT_CACHE_H
#define RV_EXPORT_TEXT_CACHE_H

#include "export/text_buffer.h"

struct rv_text_cache { /* zeroed = empty */
    struct rv_text_buffer *texts;
    size_t n;
};

/* The text of this index, empty until the caller fills it. Valid until the next call with a greater index. */
struct rv_text_buffer *rv_text_cache_at(struct rv_text_cache *pieces, uint32_t idx);
void rv_text_cache_fini(struct rv_text_cache *pieces);

#endif
