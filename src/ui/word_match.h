/* Search by words: what is typed into the fields of the palette, the list of threads and the help. Pure. */
#ifndef RV_UI_WORD_MATCH_H
#define RV_UI_WORD_MATCH_H

#include <stdbool.h>
#include <stddef.h>

/* Does every word, separated by spaces, occur in one of the texts, whatever the case? True without words. */
bool rv_word_match(const char *words, const char *const *texts, size_t n_texts);

#endif
