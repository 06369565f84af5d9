#include "debugger/line_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if RV_HAS_LIBEDIT
#include <histedit.h>
#endif

#include "base/vec.h"

#define PROMPT "ringviz> "

struct rv_prompt {
    bool is_terminal;
#if RV_HAS_LIBEDIT
    EditLine *editor;
    History *history;
#endif
};

#if RV_HAS_LIBEDIT
#define HISTORY_LINES 1000

static char *prompt_text(EditLine *editor)
{
    static char text[] = PROMPT;
    (void)editor;
    return text;
}

static void begin_editing(struct rv_prompt *prompt)
{
    HistEvent event;
    prompt->history = history_init();
    prompt->editor = el_init("ringviz", stdin, stdout, stderr);
    if (prompt->history)
        history(prompt->history, &event, H_SETSIZE, HISTORY_LINES);
    if (!prompt->editor)
        return;
    el_set(prompt->editor, EL_PROMPT, prompt_text);
    el_set(prompt->editor, EL_EDITOR, "emacs");
    el_set(prompt->editor, EL_SIGNAL, 1);
    if (prompt->history)
        el_set(prompt->editor, EL_HIST, history, prompt->history);
}

static void end_editing(struct rv_prompt *prompt)
{
    if (prompt->editor)
        el_end(prompt->editor);
    if (prompt->history)
        history_end(prompt->history);
}

/* NULL with *is_end false: there is no editor. */
static char *edit_line(struct rv_prompt *prompt, bool *is_end)
{
    int n_bytes = 0;
    HistEvent event;
    *is_end = prompt->editor != NULL;
    const char *line = prompt->editor ? el_gets(prompt->editor, &n_bytes) : NULL;
    if (!line || n_bytes <= 0)
        return NULL;
    if (prompt->history && line[0] != '\n')
        history(prompt->history, &event, H_ENTER, line);
    return rv_strdup(line);
}
#else
static void begin_editing(struct rv_prompt *prompt)
{
    (void)prompt;
}

static void end_editing(struct rv_prompt *prompt)
{
    (void)prompt;
}

static char *edit_line(struct rv_prompt *prompt, bool *is_end)
{
    (void)prompt;
    *is_end = false;
    return NULL;
}
#endif

struct rv_prompt *rv_prompt_create(bool is_terminal)
{
    struct rv_prompt *prompt = rv_alloc(1, sizeof *prompt);
    prompt->is_terminal = is_terminal;
    if (is_terminal)
        begin_editing(prompt);
    return prompt;
}

char *rv_prompt_read(struct rv_prompt *prompt)
{
    bool is_end = false;
    char *line = prompt->is_terminal ? edit_line(prompt, &is_end) : NULL;
    size_t capacity = 0;
    if (!line && !is_end) {
        if (prompt->is_terminal) {
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

void rv_prompt_destroy(struct rv_prompt *prompt)
{
    end_editing(prompt);
    free(prompt);
}
