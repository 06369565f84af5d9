/* Names of losses in outputs. */
#ifndef RV_EXPORT_LOSSES_H
#define RV_EXPORT_LOSSES_H

#include <stdbool.h>

#include "stream/loss.h"
#include "export/text_buffer.h"

bool rv_losses_any(const struct rv_losses *losses); /* false for NULL */

/* Name of a kind, which follows a count other than one: "names without room". */
const char *rv_loss_words(enum rv_loss loss);

/* "lost: 3 names without room", with "lost" for `what`: a line for each kind from `first` on that is not zero. losses
 * NULL: none. */
void rv_losses_add_text(struct rv_text_buffer *text, const char *what, const struct rv_losses *losses,
                        enum rv_loss first);

/* "lost,names without room,3,,": a row of so many columns, 3 or more. */
void rv_add_csv_count(struct rv_text_buffer *text, const char *kind, const char *what, uint64_t n, unsigned n_columns);

/* Such a row, `lost`, for each kind that is not zero. */
void rv_losses_add_csv(struct rv_text_buffer *text, const struct rv_losses *losses, unsigned n_columns);

/* {"names_without_room":3}: with nonzero losses only. */
void rv_losses_add_json(struct rv_text_buffer *text, const struct rv_losses *losses);

#endif
