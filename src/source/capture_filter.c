#include "source/capture_filter.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/full_name.h"
#include "base/vec.h"

enum verdict { UNKNOWN = 0, PASSES, STOPS };

struct rv_capture_filter {
    regex_t include, exclude;
    bool has_include, has_exclude;
    uint8_t *verdicts; /* enum verdict by id */
    size_t n;
};

static int compile(regex_t *regex, const char *pattern, const char *option)
{
    int code = regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB);
    if (code == 0)
        return 0;
    char why[160];
    regerror(code, regex, why, sizeof why);
    return rv_err(EINVAL, "%s=%s: %s", option, pattern, why);
}

int rv_capture_filter_create(struct rv_capture_filter **filter, const char *include, const char *exclude)
{
    *filter = NULL;
    if (!include && !exclude)
        return 0;
    struct rv_capture_filter *made = rv_alloc(1, sizeof *made);
    int error = 0;
    if (include && (error = compile(&made->include, include, "--include")) == 0)
        made->has_include = true;
    if (!error && exclude && (error = compile(&made->exclude, exclude, "--exclude")) == 0)
        made->has_exclude = true;
    if (error) {
        rv_capture_filter_destroy(made);
        return error;
    }
    *filter = made;
    return 0;
}

void rv_capture_filter_destroy(struct rv_capture_filter *filter)
{
    if (!filter)
        return;
    if (filter->has_include)
        regfree(&filter->include);
    if (filter->has_exclude)
        regfree(&filter->exclude);
    free(filter->verdicts);
    free(filter);
}

static enum verdict judge(struct rv_capture_filter *filter, struct rv_symbolizer *symbolizer, uint32_t id)
{
    struct rv_symbolizer_name name;
    rv_symbolizer_name(symbolizer, id, &name);
    char full[1024];
    (void)rv_full_name(full, sizeof full, name.package, name.name);
    if (filter->has_include && regexec(&filter->include, full, 0, NULL, 0) != 0)
        return STOPS;
    if (filter->has_exclude && regexec(&filter->exclude, full, 0, NULL, 0) == 0)
        return STOPS;
    return PASSES;
}

bool rv_capture_filter_has(struct rv_capture_filter *filter, struct rv_symbolizer *symbolizer, uint32_t id)
{
    if (id >= filter->n)
        filter->verdicts = rv_vec_extend(filter->verdicts, &filter->n, (size_t)id + 1, sizeof *filter->verdicts);
    if (filter->verdicts[id] == UNKNOWN)
        filter->verdicts[id] = (uint8_t)judge(filter, symbolizer, id);
    return filter->verdicts[id] == PASSES;
}
