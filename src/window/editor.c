#include "window/editor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/vec.h"

#define MOST_WORDS 16

static const char *editor(void)
{
    const char *visual = getenv("VISUAL"), *plain = getenv("EDITOR");
    return visual && *visual ? visual : plain && *plain ? plain : NULL;
}

/* Fork twice, so that nobody has to wait for the editor. */
static int start(char *const *words)
{
    pid_t child = fork();
    if (child < 0)
        return rv_err_sys("%s", words[0]);
    if (child == 0) {
        if (fork() == 0) {
            execvp(words[0], words);
            (void)rv_err_sys("%s", words[0]);
        }
        _exit(0);
    }
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    return 0;
}

int rv_editor_open(const char *path, uint32_t line)
{
    char where[16], *words[MOST_WORDS + 3], *rest;
    int n = 0;
    if (!editor())
        return rv_err(ENOENT, "no editor: set VISUAL or EDITOR");
    if (access(path, R_OK) != 0)
        return rv_err_sys("%s", path);
    char *command = rv_strdup(editor());
    size_t n_bytes = strlen(path) + 3;
    char *file = rv_alloc(n_bytes, 1);
    (void)snprintf(file, n_bytes, "%s%s", path[0] == '/' ? "" : "./", path); /* no option, no vi "+command" */
    (void)snprintf(where, sizeof where, "+%u", line);
    for (char *word = strtok_r(command, " ", &rest); word && n < MOST_WORDS; word = strtok_r(NULL, " ", &rest))
        words[n++] = word;
    words[n] = words[n + 1] = words[n + 2] = NULL;
    if (line)
        words[n++] = where;
    words[n] = file;
    int error =
        words[0] == where || words[0] == file ? rv_err(ENOENT, "no editor: set VISUAL or EDITOR") : start(words);
    free(command);
    free(file);
    return error;
}
