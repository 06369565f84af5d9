#include "cli/option_lookup.h"

#include <stdint.h>
#include <string.h>

#include "base/text.h"

enum {
    WATCH = 1 << RV_COMMAND_WATCH,
    INFO = 1 << RV_COMMAND_INFO,
    CHECK = 1 << RV_COMMAND_CHECK,
    DIFF = 1 << RV_COMMAND_DIFF,
    MERGE = 1 << RV_COMMAND_MERGE,
    CONTROL = 1 << RV_COMMAND_CONTROL,
    BENCH = 1 << RV_COMMAND_BENCH,
    DETACH = 1 << RV_COMMAND_DETACH,
    ALL = WATCH | INFO | CHECK | DIFF | MERGE | CONTROL | BENCH
};

#define EXPORT_FORMAT(id, name) #name ": "
static const char EXPORT_WORDS[] =
#include "export/format_rows.h"
    ;
#undef EXPORT_FORMAT

#define IMPORT_FORMAT(name) #name " "
static const char IMPORT_WORDS[] =
#include "import/format_rows.h"
    ;
#undef IMPORT_FORMAT

#define OPTION(id, commands, name, argument, values, set, ...)                                                         \
    {RV_OPTION_##id, commands, name, argument, values, __VA_ARGS__},
const struct rv_option_entry RV_OPTION_TABLE[RV_N_OPTIONS] = {
#include "cli/option_rows.h"
};
#undef OPTION

const char *rv_option_heading(const struct rv_option_entry *entry)
{
    switch (entry->id) {
    case RV_OPTION_HEADLESS:
        return "Output";
    case RV_OPTION_RECORD:
        return "Recordings";
    case RV_OPTION_FIND:
        return "What is shown";
    case RV_OPTION_SCREENSHOT:
        return "Pictures and films";
    case RV_OPTION_INCLUDE:
        return "What is captured";
    case RV_OPTION_POLICY:
        return "The trace file";
    case RV_OPTION_THREADS:
        return "Other";
    default:
        return NULL;
    }
}

const struct rv_option_entry *rv_option_named(const char *name)
{
    for (int i = 0; i < RV_N_OPTIONS; i++)
        if (strcmp(RV_OPTION_TABLE[i].name, name) == 0)
            return &RV_OPTION_TABLE[i];
    return NULL;
}

/* Words are separated by spaces in `values`, else by bars in an argument of small letters. */
bool rv_option_word(const struct rv_option_entry *entry, int i, struct rv_option_word *word)
{
    const char *text = entry->values, *between = " ";
    if (!text && entry->argument && strpbrk(entry->argument, "|")) {
        text = strchr(entry->argument, '=') + 1;
        between = "|]";
    }
    for (; text; i--) {
        text += strspn(text, between);
        word->text = text;
        word->length = (int)strcspn(text, between);
        if (word->length == 0 || (text[0] >= 'A' && text[0] <= 'Z'))
            return false;
        if (i == 0)
            return true;
        text += word->length;
    }
    return false;
}

static void append_words(char *out, size_t out_bytes, const struct rv_option_entry *entry)
{
    struct rv_option_word word;
    for (int i = 0; rv_option_word(entry, i, &word); i++) {
        rv_text_append(out, out_bytes, ", ", i ? 2 : 0);
        rv_text_append(out, out_bytes, word.text, (size_t)(word.length - (word.text[word.length - 1] == ':')));
    }
}

char *rv_option_text(const struct rv_option_entry *entry, const char *text, char *out, size_t out_bytes)
{
    const char *words = strstr(text, "{}");
    out[0] = '\0';
    rv_text_append(out, out_bytes, text, words ? (size_t)(words - text) : SIZE_MAX);
    if (words) {
        append_words(out, out_bytes, entry);
        rv_text_append(out, out_bytes, words + 2, SIZE_MAX);
    }
    return out;
}

char *rv_option_paragraph(const struct rv_option_entry *entry, char *out, size_t out_bytes)
{
    rv_option_text(entry, entry->help, out, out_bytes);
    if (out[0] >= 'a' && out[0] <= 'z')
        out[0] = (char)(out[0] - 'a' + 'A');
    rv_text_append(out, out_bytes, ".", 1);
    if (entry->details) {
        rv_text_append(out, out_bytes, " ", 1);
        rv_text_append(out, out_bytes, entry->details, SIZE_MAX);
    }
    return out;
}
