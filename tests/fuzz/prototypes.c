/* A text of prototypes up to a NUL, then captured bytes: nothing is read outside of either, and texts are printable. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "prototypes/capture.h"
#include "prototypes/arguments_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_PROTOTYPES 16u

static void check(const char *text)
{
    for (const char *at = text; *at; at++)
        if ((*at < ' ' || *at > '~') && strncmp(at, RV_ARGUMENTS_SEPARATOR, 3) == 0)
            at += 2;
        else if (*at < ' ' || *at > '~')
            abort();
}

static void format(const struct rv_prototype *prototype, const uint8_t *bytes, size_t n)
{
    static struct rv_capture plan;
    struct rv_arguments_text text = {0};
    rv_capture_plan(prototype, 64, &plan);
    rv_arguments_text_of_call(prototype, bytes, n, &text);
    check(text.bytes);
    rv_arguments_text_of_return(prototype, bytes, n, &text);
    check(text.bytes);
    free(text.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = memchr(data, '\0', size);
    const size_t n_text = end ? (size_t)(end - data) : size, n_bytes = end ? size - n_text - 1 : 0;
    unsigned line;
    const char *why;
    struct rv_prototypes *prototypes = rv_prototypes_parse((const char *)data, n_text, &line, &why);
    uint8_t *bytes = malloc(n_bytes + 1);
    if (n_bytes)
        memcpy(bytes, end + 1, n_bytes);
    for (size_t i = 0; prototypes && i < rv_prototypes_n(prototypes) && i < MOST_PROTOTYPES; i++)
        format(rv_prototypes_at(prototypes, i), bytes, n_bytes);
    free(bytes);
    rv_prototypes_destroy(prototypes);
    return 0;
}
