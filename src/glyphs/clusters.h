/* Grapheme clusters: what a reader takes for one character, and what is never broken. Pure. */
#ifndef RV_GLYPHS_CLUSTERS_H
#define RV_GLYPHS_CLUSTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is the character drawn on, or joined to, the one before it: a mark, a joiner, a modifier? */
bool rv_cluster_is_extended_by(uint32_t codepoint);

/* Characters of the first cluster of n > 0 characters: a letter with its marks, a conjunct, a syllable, a flag. */
size_t rv_cluster_length(const uint32_t *codepoints, size_t n);

/* The end of the cluster that begins at text, before end. As rv_short_name_next_fn. */
const char *rv_cluster_next(const char *text, const char *end);

#endif
