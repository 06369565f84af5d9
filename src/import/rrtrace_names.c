#include "import/rrtrace_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"

static int by_number(const void *a, const void *b)
{
    const struct rv_method_name *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void add_line(struct rv_rrtrace_names *names, char *line)
{
    char *end;
    const uint64_t number = strtoull(line, &end, 10);
    if (end == line || *end != ' ')
        return;
    names->names = rv_vec_reserve(names->names, &names->capacity, names->n + 1, sizeof *names->names);
    names->names[names->n++] = (struct rv_method_name){number, rv_strdup(end + 1)};
}

/* What was written since; the rest of a line that is being written comes later. */
static void read_on(struct rv_rrtrace_names *names)
{
    const size_t n_before = names->n;
    char *line = NULL;
    size_t capacity = 0;
    ssize_t n;
    clearerr(names->file);
    while ((n = getline(&line, &capacity, names->file)) > 0 && line[n - 1] == '\n') {
        line[n - 1] = '\0';
        add_line(names, line);
    }
    if (n > 0)
        (void)fseek(names->file, -(long)n, SEEK_CUR);
    free(line);
    if (names->n > n_before)
        qsort(names->names, names->n, sizeof *names->names, by_number);
}

int rv_rrtrace_names_open(struct rv_rrtrace_names *names, int fd)
{
    names->file = fdopen(fd, "r");
    if (names->file)
        return 0;
    close(fd);
    return -1;
}

static const char *find(const struct rv_rrtrace_names *names, uint64_t number)
{
    const struct rv_method_name wanted = {.number = number};
    const struct rv_method_name *found =
        names->n ? bsearch(&wanted, names->names, names->n, sizeof wanted, by_number) : NULL;
    return found ? found->name : NULL;
}

const char *rv_rrtrace_names_find(struct rv_rrtrace_names *names, uint64_t number)
{
    const char *name = find(names, number);
    if (name || !names->file)
        return name;
    read_on(names);
    return find(names, number);
}

void rv_rrtrace_names_fini(struct rv_rrtrace_names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->names[i].name);
    free(names->names);
    if (names->file)
        fclose(names->file);
    *names = (struct rv_rrtrace_names){0};
}
