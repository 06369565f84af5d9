#include "debugger/console_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if RV_HAS_LIBEDIT
#include <histedit.h>
#endif

#include "base/late_library.h"
#include "base/vec.h"

#define PROMPT "ringviz> "

struct rv_console_input {
    bool is_terminal;
#if RV_HAS_LIBEDIT
    EditLine *editor;
    History *history;
#endif
};

#if RV_HAS_LIBEDIT
#define HISTORY_LINES 1000

static struct {
    __typeof__(history_init) *history_init;
    __typeof__(history) *history;
    __typeof__(history_end) *history_end;
    __typeof__(el_init) *init;
    __typeof__(el_set) *set;
    __typeof__(el_gets) *gets;
    __typeof__(el_end) *end;
} libedit;

static bool load_libedit(void)
{
    const struct rv_late_function functions[] = {
        {"history_init", &libedit.history_init},
        {"history", &libedit.history},
        {"history_end", &libedit.history_end},
        {"el_init", &libedit.init},
        {"el_set", &libedit.set},
        {"el_gets", &libedit.gets},
        {"el_end", &libedit.end},
    };
    return rv_late_library_load("libedit.so.2", functions, sizeof functions / sizeof *functions);
}

static char *prompt_text(EditLine *editor)
{
    static char text[] = PROMPT;
    (void)editor;
    return text;
}

static void begin_editing(struct rv_console_input *line_reader)
{
    HistEvent event;
    if (!load_libedit())
        return;
    line_reader->history = libedit.history_init();
    line_reader->editor = libedit.init("ringviz", stdin, stdout, stderr);
    if (line_reader->history)
        libedit.history(line_reader->history, &event, H_SETSIZE, HISTORY_LINES);
    if (!line_reader->editor)
        return;
    libedit.set(line_reader->editor, EL_PROMPT, prompt_text);
    libedit.set(line_reader->editor, EL_EDITOR, "emacs");
    libedit.set(line_reader->editor, EL_SIGNAL, 1);
    if (line_reader->history)
        libedit.set(line_reader->editor, EL_HIST, libedit.history, line_reader->history);
}

static void end_editing(struct rv_console_input *line_reader)
{
    if (line_reader->editor)
        libedit.end(line_reader->editor);
    if (line_reader->history)
        libedit.history_end(line_reader->history);
}

/* NULL with *is_end false: there is no editor. */
static char *edit_line(struct rv_console_input *line_reader, bool *is_end)
{
    int n_bytes = 0;
    HistEvent event;
    *is_end = line_reader->editor != NULL;
    const char *line = line_reader->editor ? libedit.gets(line_reader->editor, &n_bytes) : NULL;
    if (!line || n_bytes <= 0)
        return NULL;
    if (line_reader->history && line[0] != '\n')
        libedit.history(line_reader->history, &event, H_ENTER, line);
    return rv_strdup(line);
}
#else
static void begin_editing(struct rv_console_input *line_reader)
{
    (void)line_reader;
}

static void end_editing(struct rv_console_input *line_reader)
{
    (void)line_reader;
}

static char *edit_line(struct rv_console_input *line_reader, bool *is_end)
{
    (void)line_reader;
    *is_end = false;
    return NULL;
}
#endif

struct rv_console_input *rv_console_input_create(bool is_terminal)
{
    struct rv_console_input *line_reader = rv_alloc(1, sizeof *line_reader);
    line_reader->is_terminal = is_terminal;
    if (is_terminal)
        begin_editing(line_reader);
    return line_reader;
}

char *rv_console_input_read(struct rv_console_input *line_reader)
{
    bool is_end = false;
    char *line = line_reader->is_terminal ? edit_line(line_reader, &is_end) : NULL;
    size_t capacity = 0;
    if (!line && !is_end) {
        if (line_reader->is_terminal) {
            fputs(PROMPT, stdout);
            fflush(stdout);
        }
        if (getline(&line, &capacity, stdin) < 0) {
            free(line);
            return NULL;
        }
    }
    if (line)
        line[strcspn(line, "\n")] = '\0';
    return line;
}

void rv_console_input_destroy(struct rv_console_input *line_reader)
{
    end_editing(line_reader);
    free(line_reader);
}
