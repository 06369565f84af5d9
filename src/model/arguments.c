#include "model/arguments.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/vec.h"
#include "ringviz/wire.h"

void rv_argument_texts_fini(struct rv_argument_texts *texts)
{
    free(texts->all);
    *texts = (struct rv_argument_texts){0};
}

void rv_argument_texts_add(struct rv_argument_texts *texts, const struct rv_argument_text *text)
{
    pthread_mutex_lock(&texts->lock);
    size_t i = texts->n++;
    texts->all = rv_vec_reserve(texts->all, &texts->capacity, texts->n, sizeof *texts->all);
    for (; i > 0 && texts->all[i - 1].at_ns > text->at_ns; i--) /* later texts of a signal handler came first */
        texts->all[i] = texts->all[i - 1];
    texts->all[i] = *text;
    pthread_mutex_unlock(&texts->lock);
}

static bool is_there(const struct rv_argument_text *all, size_t n, const struct rv_argument_text *text)
{
    for (size_t i = 0; i < n && all[i].at_ns == text->at_ns; i++)
        if (all[i].id == text->id && all[i].is_result == text->is_result)
            return true;
    return false;
}

void rv_argument_texts_merge(struct rv_argument_texts *texts, const struct rv_argument_text *more, size_t n)
{
    struct rv_argument_text *all = NULL;
    size_t capacity = 0, n_all = 0, i = 0;
    if (!n)
        return;
    pthread_mutex_lock(&texts->lock);
    all = rv_vec_reserve(NULL, &capacity, texts->n + n, sizeof *all);
    for (size_t k = 0; k < n; k++) {
        while (i < texts->n && texts->all[i].at_ns < more[k].at_ns)
            all[n_all++] = texts->all[i++];
        if (!is_there(texts->all + i, texts->n - i, &more[k]))
            all[n_all++] = more[k];
    }
    while (i < texts->n)
        all[n_all++] = texts->all[i++];
    free(texts->all);
    texts->all = all;
    texts->n = n_all;
    texts->capacity = capacity;
    pthread_mutex_unlock(&texts->lock);
}

static void forget(struct rv_argument_texts *texts, size_t n_less)
{
    texts->n -= n_less;
    texts->n_forgotten += n_less;
    memmove(texts->all, texts->all + n_less, texts->n * sizeof *texts->all);
    texts->capacity = texts->n ? texts->n : 1;
    texts->all = rv_realloc(texts->all, texts->capacity * sizeof *texts->all);
}

void rv_argument_texts_limit(struct rv_argument_texts *texts, size_t n_bytes)
{
    const size_t most = n_bytes / sizeof *texts->all;
    pthread_mutex_lock(&texts->lock);
    if (texts->n > most)
        forget(texts, texts->n - most);
    pthread_mutex_unlock(&texts->lock);
}

/* Readers take the lock of a struct that they change in no other way. */
static void lock(const struct rv_argument_texts *texts)
{
    pthread_mutex_lock((pthread_mutex_t *)(uintptr_t)&texts->lock);
}

static void unlock(const struct rv_argument_texts *texts)
{
    pthread_mutex_unlock((pthread_mutex_t *)(uintptr_t)&texts->lock);
}

size_t rv_argument_texts_bytes(const struct rv_argument_texts *texts)
{
    lock(texts);
    const size_t n_bytes = texts->capacity * sizeof *texts->all;
    unlock(texts);
    return n_bytes;
}

static size_t first_from(const struct rv_argument_texts *texts, uint64_t at_ns)
{
    return rv_bisect_below(texts->all, texts->n, sizeof *texts->all, offsetof(struct rv_argument_text, at_ns), at_ns);
}

bool rv_argument_texts_any(const struct rv_argument_texts *texts)
{
    lock(texts);
    const bool are_any = texts->n > 0;
    unlock(texts);
    return are_any;
}

uint32_t rv_argument_texts_find(const struct rv_argument_texts *texts, const struct rv_span *call, bool is_result)
{
    const uint64_t at_ns = is_result ? call->end : call->start;
    uint32_t id = 0;
    lock(texts);
    for (size_t i = first_from(texts, at_ns); i < texts->n && texts->all[i].at_ns == at_ns && !id; i++)
        if (texts->all[i].is_result == is_result && (texts->all[i].subroutine == call->id || !texts->all[i].subroutine))
            id = texts->all[i].id;
    unlock(texts);
    return id;
}

size_t rv_argument_texts_in(const struct rv_argument_texts *texts, uint64_t from_ns, uint64_t to_ns, uint32_t *ids,
                            size_t most)
{
    size_t n = 0;
    lock(texts);
    for (size_t i = first_from(texts, from_ns); i < texts->n && texts->all[i].at_ns < to_ns && n < most; i++)
        if (!texts->all[i].is_result)
            ids[n++] = texts->all[i].id;
    unlock(texts);
    return n;
}

/* ---- a call's ---- */

char *rv_argument_text_take_joined(const char *text)
{
    char *joined = rv_alloc(strlen(text) + 1, 1), *out = joined;
    for (const char *separator; *text; text = separator + sizeof RV_ARGUMENTS_SEPARATOR - 1) {
        separator = strstr(text, RV_ARGUMENTS_SEPARATOR);
        const size_t n = separator ? (size_t)(separator - text) : strlen(text);
        memcpy(out, text, n);
        out += n;
        if (!separator)
            break;
        memcpy(out, ", ", 2); /* no longer than the separator */
        out += 2;
    }
    return joined;
}
_Static_assert(sizeof RV_ARGUMENTS_SEPARATOR > 2, "a text that is joined has room");

static void add(struct rv_call_arguments *arguments, const char *text, size_t n)
{
    arguments->arguments = rv_realloc(arguments->arguments, (arguments->n + 1) * sizeof *arguments->arguments);
    arguments->arguments[arguments->n++] = rv_strndup(text, n);
}

/* "N=TEXT": the argument as it was at the end. */
static void replace(struct rv_call_arguments *arguments, const char *line, size_t n)
{
    char *text;
    const unsigned long number = strtoul(line, &text, 10);
    if (*text != '=' || number < 1 || number > arguments->n)
        return;
    free(arguments->arguments[number - 1]);
    arguments->arguments[number - 1] = rv_strndup(text + 1, n - (size_t)(text + 1 - line));
}

/* The part of a text up to the next separator; *text moves behind that. */
static const char *next_part(const char **text, size_t *n)
{
    const char *part = *text, *end = strstr(part, RV_ARGUMENTS_SEPARATOR);
    *n = end ? (size_t)(end - part) : strlen(part);
    *text = end ? end + sizeof RV_ARGUMENTS_SEPARATOR - 1 : part + *n;
    return part;
}

static void take_result(struct rv_call_arguments *arguments, const char *text)
{
    size_t n;
    const char *part = next_part(&text, &n);
    arguments->result = n ? rv_strndup(part, n) : NULL;
    while (*text) {
        part = next_part(&text, &n);
        replace(arguments, part, n);
    }
}

bool rv_call_arguments_read(struct rv_call_arguments *arguments, const struct rv_argument_texts *texts,
                            struct rv_subroutines *subroutines, const struct rv_span *call)
{
    *arguments = (struct rv_call_arguments){0};
    const uint32_t at_start = rv_argument_texts_find(texts, call, false);
    const uint32_t at_end = at_start ? rv_argument_texts_find(texts, call, true) : 0;
    if (!at_start)
        return false;
    const char *text = rv_subroutines_get(subroutines, at_start).name;
    while (*text) {
        size_t n;
        const char *part = next_part(&text, &n);
        add(arguments, part, n);
    }
    if (at_end)
        take_result(arguments, rv_subroutines_get(subroutines, at_end).name);
    return true;
}

void rv_call_arguments_fini(struct rv_call_arguments *arguments)
{
    for (size_t i = 0; i < arguments->n; i++)
        free(arguments->arguments[i]);
    free(arguments->arguments);
    free(arguments->result);
    *arguments = (struct rv_call_arguments){0};
}
