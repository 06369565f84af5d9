/*
 * Words that every match of a pattern contains: how to reject a mangled name without its readable form. That has an
 * identifier's letters side by side, as the mangled name has, but for a few words that are written as single letters.
 */
#ifndef RV_PATCH_PATTERN_WORDS_H
#define RV_PATCH_PATTERN_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#define RV_PATTERN_WORDS_MOST 32u

struct rv_pattern_words {
    size_t n; /* a match has one of them; 0: that is not known */
    struct rv_pattern_word {
        const char *at; /* in the pattern */
        size_t n;
    } words[RV_PATTERN_WORDS_MOST];
};

/* Of an extended regular expression over names that may begin with this module. Valid as long as the pattern is. */
void rv_pattern_words_find(struct rv_pattern_words *words, const char *pattern, const char *module, size_t n_module);

/* Can the readable form of a mangled name of C++ or Rust match? False: surely not. */
bool rv_pattern_words_may_match(const struct rv_pattern_words *words, const char *mangled);

#endif
