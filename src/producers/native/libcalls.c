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
#include "producers/native/process.h"
#include "producers/native/wanted_lines.h"

#define MOST_RULES (RV_WANTED_LINES_BYTES / 2)

struct rule {
    struct rv_wanted_line line;
    regex_t pattern;
};

static struct {
    struct rule rules[MOST_RULES];
    size_t n_rules;
    bool is_program;
    bool (*is_patchable)(const struct rv_patch_image *image);
} libcalls;

/* "auto" stands for all functions of the program, "off" for none. */
static bool read_pattern(struct rule *rule)
{
    const struct rv_wanted_line *line = &rule->line;
    if (rv_wanted_line_is_word(line, "off"))
        return false;
    char *copy = rv_wanted_line_is_word(line, "auto") ? strdup("") : strndup(line->regex, line->n_regex);
    const bool is_read = copy && regcomp(&rule->pattern, copy, REG_EXTENDED | REG_NOSUB) == 0;
    free(copy);
    return is_read;
}

bool rv_libcalls_may_be_wanted(const char *wanted, bool is_program)
{
    struct rv_wanted_line line;
    while (rv_wanted_lines_next(&wanted, &line))
        if (line.is_of_calls && (line.has_library || is_program))
            return true;
    return false;
}

void rv_libcalls_begin(const char *wanted, bool is_program, bool (*is_patchable)(const struct rv_patch_image *image))
{
    libcalls.n_rules = 0;
    libcalls.is_program = is_program;
    libcalls.is_patchable = is_patchable;
    while (libcalls.n_rules < MOST_RULES && rv_wanted_lines_next(&wanted, &libcalls.rules[libcalls.n_rules].line))
        libcalls.n_rules += read_pattern(&libcalls.rules[libcalls.n_rules]);
}

/* ---- whose ---- */

struct question {
    const struct rule *rule;
    const char *name;
};

static int has_function(struct dl_phdr_info *info, size_t n_bytes, void *context)
{
    const struct question *question = context;
    struct rv_patch_image image;
    (void)n_bytes;
    return rv_wanted_line_is_about(&question->rule->line, info->dlpi_name) &&
           rv_patch_image_mapped(&image, info->dlpi_phdr, info->dlpi_phnum, info->dlpi_addr) == 0 &&
           (question->rule->line.is_of_calls || libcalls.is_patchable(&image)) &&
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
    const struct rv_wanted_line *line = &rule->line;
    if (line->is_of_calls && !line->has_library && !libcalls.is_program)
        return false;
    return regexec(&rule->pattern, name, 0, NULL, 0) == 0 &&
           ((line->is_of_calls && !line->n_library) || is_theirs(rule, name));
}

bool rv_libcalls_want(const char *name)
{
    bool is_wanted = false;
    for (size_t i = 0; i < libcalls.n_rules; i++)
        if (is_meant(&libcalls.rules[i], name)) {
            if (!libcalls.rules[i].line.is_of_calls)
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
