/*
 * A program of the build: fills options, keys and settings into a template of the man page or of a completion.
 *   make_docs man|bash|zsh <template >out
 * A line @OPTIONS@, @KEYS@, @SETTINGS@ or @VALUES@ of the template is replaced; all others are copied.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/option_lookup.h"
#include "viewer/key_bindings.h"
#include "viewer/settings.h"

enum { LINE_BYTES = 4096 };

/* ---- man ---- */

static void put_roff(char byte)
{
    if (byte == '\\')
        fputs("\\e", stdout);
    else if (byte == '-')
        fputs("\\-", stdout);
    else
        putchar(byte);
}

static void put_font(char font, const char *text, size_t n)
{
    printf("\\f%c", font);
    for (size_t i = 0; i < n; i++)
        put_roff(text[i]);
    fputs("\\fR", stdout);
}

static size_t word_length(const char *text)
{
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) ||
           (n && (text[n] == '-' || text[n] == '.') && isalnum((unsigned char)text[n + 1])))
        n++;
    return n;
}

/* Words in small letters, which are typed as they are, are bold; placeholders, in capitals, are italic. */
static void put_argument(const char *argument)
{
    while (*argument) {
        size_t n = word_length(argument);
        if (n)
            put_font(isupper((unsigned char)argument[0]) ? 'I' : 'B', argument, n);
        else
            put_roff(*argument);
        argument += n ? n : 1;
    }
}

/* Whether these n bytes are a word in capitals of the argument. NULL: of no option. */
static bool is_placeholder(const struct rv_option_entry *entry, const char *text, size_t n)
{
    const char *at = entry ? entry->argument : NULL;
    if (n < 1 || !isupper((unsigned char)text[0]))
        return false;
    for (; at && *at; at += word_length(at) ? word_length(at) : 1)
        if (word_length(at) == n && memcmp(at, text, n) == 0)
            return true;
    return false;
}

static void put_text(const struct rv_option_entry *entry, const char *text)
{
    fputs(*text == '\'' || *text == '.' ? "\\&" : "", stdout);
    while (*text) {
        const char *quote = *text == '`' ? strchr(text + 1, '`') : NULL;
        size_t n = word_length(text), n_option = strncmp(text, "--", 2) == 0 ? 2 + word_length(text + 2) : 0;
        if (quote) {
            put_font('B', text + 1, (size_t)(quote - text - 1));
            text = quote + 1;
        } else if (n_option > 2) {
            put_font('B', text, n_option);
            text += n_option;
        } else if (n) {
            bool is_variable = is_placeholder(entry, text, n);
            fputs(is_variable ? "\\fI" : "", stdout);
            for (size_t i = 0; i < n; i++)
                put_roff(text[i]);
            fputs(is_variable ? "\\fR" : "", stdout);
            text += n;
        } else {
            put_roff(*text++);
        }
    }
    putchar('\n');
}

static void man_options(void)
{
    for (int i = 0; i < RV_N_OPTIONS; i++) {
        const struct rv_option_entry *entry = &RV_OPTION_TABLE[i];
        char text[RV_OPTION_TEXT_BYTES];
        if (rv_option_heading(entry))
            printf(".SS %s\n", rv_option_heading(entry));
        puts(".TP");
        printf("\\fB\\-\\-");
        for (const char *name = entry->name; *name; name++)
            put_roff(*name);
        fputs("\\fR", stdout);
        put_argument(entry->argument ? entry->argument : "");
        putchar('\n');
        put_text(entry, rv_option_paragraph(entry, text, sizeof text));
    }
}

static void man_keys(void)
{
    for (int action = RV_ACTION_NONE + 1; action < RV_ACTION_COUNT; action++) {
        char keys[128];
        printf(".TP\n\\&\\fB%s\\fR\n", rv_key_bindings_text((enum rv_action)action, keys, sizeof keys));
        puts(rv_key_bindings_get((enum rv_action)action)->words);
    }
}

static void man_settings(void)
{
    struct rv_settings_description setting;
    for (int i = 0; rv_settings_describe(i, &setting); i++) {
        printf(".TP\n\\fB%s\\fR (%s)\n", setting.name, setting.values);
        put_text(NULL, setting.meaning);
    }
}

/* ---- completions ---- */

/* What the shell completes a value with. */
enum kind { WORDS, FILES, FOLDERS, PROCESSES, NOTHING };

static enum kind kind_of(const struct rv_option_entry *entry)
{
    static const struct {
        const char *argument;
        enum kind kind;
    } KINDS[] = {{"FILE", FILES}, {"PATH", FILES}, {"OUT", FILES}, {"DIR", FOLDERS}, {"PID", PROCESSES}};
    struct rv_option_word word;
    if (rv_option_word(entry, 0, &word))
        return WORDS;
    for (size_t i = 0; entry->argument && i < sizeof KINDS / sizeof *KINDS; i++)
        if (strstr(entry->argument, KINDS[i].argument))
            return KINDS[i].kind;
    return NOTHING;
}

static void put_words(const struct rv_option_entry *entry, const char *colon)
{
    struct rv_option_word word;
    for (int i = 0; rv_option_word(entry, i, &word); i++) {
        bool has_colon = word.text[word.length - 1] == ':';
        printf("%s%.*s%s", i ? " " : "", word.length - has_colon, word.text, has_colon ? colon : "");
    }
}

static void bash_values(void)
{
    for (int i = 0; i < RV_N_OPTIONS; i++) {
        const struct rv_option_entry *entry = &RV_OPTION_TABLE[i];
        switch (kind_of(entry)) {
        case WORDS:
            printf("    --%s) words=\"", entry->name);
            put_words(entry, ":");
            puts("\" ;;");
            break;
        case FILES:
            printf("    --%s) complete=-f ;;\n", entry->name);
            break;
        case FOLDERS:
            printf("    --%s) complete=-d ;;\n", entry->name);
            break;
        case PROCESSES:
            printf("    --%s) words=$(ps -eo pid= 2>/dev/null) ;;\n", entry->name);
            break;
        case NOTHING:
            break;
        }
    }
}

static void bash_options(void)
{
    for (int i = 0; i < RV_N_OPTIONS; i++) {
        const char *argument = RV_OPTION_TABLE[i].argument;
        printf("        --%s%s\n", RV_OPTION_TABLE[i].name, argument && *argument == '=' ? "=" : "");
    }
}

static void zsh_options(void)
{
    static const char *const ACTIONS[] = {
        [FILES] = "_files", [FOLDERS] = "_files -/", [PROCESSES] = "_pids", [NOTHING] = ""};
    for (int i = 0; i < RV_N_OPTIONS; i++) {
        const struct rv_option_entry *entry = &RV_OPTION_TABLE[i];
        const char *argument = entry->argument;
        char text[RV_OPTION_TEXT_BYTES];
        printf("    '*--%s%s[", entry->name, !argument ? "" : *argument == '[' ? "=-" : "=");
        for (const char *c = rv_option_text(entry, entry->help, text, sizeof text); *c; c++)
            if (*c == '\'')
                fputs("'\\''", stdout);
            else
                printf("%s%c", strchr("[]:", *c) ? "\\" : "", *c);
        putchar(']');
        if (argument) {
            printf(*argument == '[' ? "::value:" : ":value:");
            if (kind_of(entry) == WORDS) {
                putchar('(');
                put_words(entry, "\\:");
                putchar(')');
            } else {
                fputs(ACTIONS[kind_of(entry)], stdout);
            }
        }
        puts("' \\");
    }
}

/* ---- the template ---- */

static const struct {
    const char *kind, *line;
    void (*put)(void);
} PARTS[] = {
    {"man", "@OPTIONS@\n", man_options},   {"man", "@KEYS@\n", man_keys},       {"man", "@SETTINGS@\n", man_settings},
    {"bash", "@OPTIONS@\n", bash_options}, {"bash", "@VALUES@\n", bash_values}, {"zsh", "@OPTIONS@\n", zsh_options},
};

static void put_line(const char *kind, const char *line)
{
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++)
        if (strcmp(PARTS[i].kind, kind) == 0 && strcmp(PARTS[i].line, line) == 0) {
            PARTS[i].put();
            return;
        }
    fputs(line, stdout);
}

int main(int argc, char **argv)
{
    char line[LINE_BYTES];
    if (argc != 2)
        return EXIT_FAILURE;
    while (fgets(line, sizeof line, stdin))
        put_line(argv[1], line);
    return fflush(stdout) || ferror(stdin) ? EXIT_FAILURE : EXIT_SUCCESS;
}
