#include "source/name_definitions.h"

#include <stdlib.h>

#include "base/vec.h"

static bool define(const struct rv_name_definitions *definitions, const struct rv_intake *intake, uint32_t id,
                   bool is_final)
{
    struct rv_symbolizer_name name;
    int error = rv_symbolizer_name(definitions->symbolizer, id, &name);
    if (error && !is_final)
        return false;
    intake->define(intake->context, &(struct rv_definition){id, name.package, name.name, name.file, name.line_form}, 1);
    return true;
}

static void try_again(struct rv_name_definitions *definitions, const struct rv_intake *intake, bool is_final)
{
    size_t n_left = 0;
    for (size_t i = 0; i < definitions->n_unnamed; i++)
        if (!define(definitions, intake, definitions->unnamed[i], is_final))
            definitions->unnamed[n_left++] = definitions->unnamed[i];
    definitions->n_unnamed = n_left;
}

void rv_name_definitions_give(struct rv_name_definitions *definitions, const struct rv_intake *intake, bool is_final)
{
    const uint32_t n_modules = rv_symbolizer_n_modules(definitions->symbolizer);
    if (is_final || n_modules != definitions->n_modules)
        try_again(definitions, intake, is_final);
    definitions->n_modules = n_modules;
    const uint32_t n = rv_symbolizer_count(definitions->symbolizer);
    for (; definitions->n_named < n; definitions->n_named++)
        if (!define(definitions, intake, definitions->n_named + 1, is_final)) {
            definitions->unnamed = rv_vec_reserve(definitions->unnamed, &definitions->unnamed_capacity,
                                                  definitions->n_unnamed + 1, sizeof *definitions->unnamed);
            definitions->unnamed[definitions->n_unnamed++] = definitions->n_named + 1;
        }
}

void rv_name_definitions_fini(struct rv_name_definitions *definitions)
{
    free(definitions->unnamed);
}
