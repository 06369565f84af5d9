/*
 * Whose a function will be is not asked of the loader, which may find it later: it is one of those libraries that have
 * one of this name.
 */
#include "producers/native/libcalls.h"

#if defined(__x86_64__) && defined(__LP64__)

#include <regex.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "patch/dynamic_section.h"
#include "producers/native/loaded_objects.h"
#include "producers/native/patcher.h"
#include "producers/native/process.h"

#define MOST_RULES (RV_PATCHER_WANTED_BYTES / 2)

struct rule { /* a line of the patcher's text */
    regex_t pattern;
    bool is_of_calls; /* else it is about functions that are patched */
    bool has_library; /* else it is about the program */
    const char *library;
    size_t n_library; /* 0: any */
};

static struct {
    struct rule rules[MOST_RULES];
    size_t n_rules;
    bool is_program;
    bool (*is_patchable)(const struct rv_patch_image *image);
} libcalls;

/* REGEX, REGEX@ or REGEX@LIBRARY, perhaps behind a mark. Returns the bytes of REGEX, from *text on. */
static size_t read_line(const char *line, size_t n, struct rule *rule, const char **text)
{
    const bool is_of_calls = n && *line == RV_LIBCALLS_MARK;
    const char *end = line + n, *at = memrchr(line, '@', n);
    *rule = (struct rule){.is_of_calls = is_of_calls, .has_library = at != NULL};
    if (at) {
        rule->library = at + 1;
        rule->n_library = (size_t)(end - rule->library);
    }
    *text = line + is_of_calls;
    return (size_t)((at ? at : end) - *text);
}

static bool is_word(const char *text, size_t n, const char *word)
{
    return n == strlen(word) && memcmp(text, word, n) == 0;
}

/* "auto" stands for all functions of the program, "off" for none. */
static bool read_pattern(struct rule *rule, const char *text, size_t n)
{
    const bool is_word_allowed = !rule->is_of_calls && !rule->has_library;
    if (is_word_allowed && is_word(text, n, "off"))
        return false;
    char *copy = is_word_allowed && is_word(text, n, "auto") ? strdup("") : strndup(text, n);
    const bool is_read = copy && regcomp(&rule->pattern, copy, REG_EXTENDED | REG_NOSUB) == 0;
    free(copy);
    return is_read;
}

bool rv_libcalls_may_be_wanted(const char *wanted, bool is_program)
{
    struct rule rule;
    const char *text;
    for (const char *line = wanted; *line;) {
        const size_t n = strcspn(line, "\n");
        (void)read_line(line, n, &rule, &text);
        if (rule.is_of_calls && (rule.has_library || is_program))
            return true;
        line += n + (line[n] == '\n');
    }
    return false;
}

void rv_libcalls_begin(const char *wanted, bool is_program, bool (*is_patchable)(const struct rv_patch_image *image))
{
    libcalls.n_rules = 0;
    libcalls.is_program = is_program;
    libcalls.is_patchable = is_patchable;
    for (const char *line = wanted; *line && libcalls.n_rules < MOST_RULES;) {
        const char *text;
        const size_t n = strcspn(line, "\n");
        struct rule *rule = &libcalls.rules[libcalls.n_rules];
        const size_t n_text = read_line(line, n, rule, &text);
        libcalls.n_rules += n && read_pattern(rule, text, n_text);
        line += n + (line[n] == '\n');
    }
}

/* ---- whose ---- */

struct question {
    const struct rule *rule;
    const char *name;
};

static bool is_about(const struct rule *rule, const char *object)
{
    if (!rule->has_library)
        return !*object;
    return !rule->n_library || (*object && memmem(object, strlen(object), rule->library, rule->n_library));
}

static int has_function(struct dl_phdr_info *info, size_t n_bytes, void *context)
{
    const struct question *question = context;
    struct rv_patch_image image;
    (void)n_bytes;
    return is_about(question->rule, info->dlpi_name) &&
           rv_patch_image_mapped(&image, info->dlpi_phdr, info->dlpi_phnum, info->dlpi_addr) == 0 &&
           (question->rule->is_of_calls || libcalls.is_patchable(&image)) &&
           rv_patch_dynamic_section_exports(&image, question->name);
}

/* Is the function one of an object that the rule is about? */
static bool is_theirs(const struct rule *rule, const char *name)
{
    struct question question = {rule, name};
    if (!rv_process_lock_within())
        return false;
    const int found = rv_loaded_objects_each(has_function, &question);
    rv_process_unlock();
    return found != 0;
}

static bool is_meant(const struct rule *rule, const char *name)
{
    if (rule->is_of_calls && !rule->has_library && !libcalls.is_program)
        return false;
    return regexec(&rule->pattern, name, 0, NULL, 0) == 0 &&
           ((rule->is_of_calls && !rule->n_library) || is_theirs(rule, name));
}

bool rv_libcalls_want(const char *name)
{
    bool is_wanted = false;
    for (size_t i = 0; i < libcalls.n_rules; i++)
        if (is_meant(&libcalls.rules[i], name)) {
            if (!libcalls.rules[i].is_of_calls)
                return false;
            is_wanted = true;
        }
    return is_wanted;
}

void rv_libcalls_end(void)
{
    while (libcalls.n_rules)
        regfree(&libcalls.rules[--libcalls.n_rules].pattern);
}

#endif
