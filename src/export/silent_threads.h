/* Threads that no lane shows, in reports. Nothing where there are none. */
#ifndef RV_EXPORT_SILENT_THREADS_H
#define RV_EXPORT_SILENT_THREADS_H

#include "export/text_buffer.h"
#include "stream/silent_threads.h"

/* "2 threads made no traced call: ...": a line, and one for each of those that ran longest. */
void rv_silent_threads_add_text(struct rv_text_buffer *text, const struct rv_silent_threads *silent);

/* Rows of so many columns, 3 or more. */
void rv_silent_threads_add_csv(struct rv_text_buffer *text, const struct rv_silent_threads *silent, unsigned n_columns);

/* ,"silent":{"threads":2,...,"list":[...]} */
void rv_silent_threads_add_json(struct rv_text_buffer *text, const struct rv_silent_threads *silent);

#endif
