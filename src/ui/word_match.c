#include "ui/word_match.h"

#include <string.h>
#include <strings.h>

static bool has_word(const char *text, const char *word, size_t n_bytes)
{
    for (; *text; text++)
        if (strncasecmp(text, word, n_bytes) == 0)
            return true;
    return false;
}

bool rv_word_match(const char *words, const char *const *texts, size_t n_texts)
{
    for (words += strspn(words, " "); *words; words += strspn(words, " ")) {
        size_t n_bytes = strcspn(words, " "), i = 0;
        while (i < n_texts && !has_word(texts[i], words, n_bytes))
            i++;
        if (i == n_texts)
            return false;
        words += n_bytes;
    }
    return true;
}
