/* Defines the ids of a symbolizer for the pipeline, as their modules become known. Naming thread. */
#ifndef RV_SOURCE_NAME_DEFINITIONS_H
#define RV_SOURCE_NAME_DEFINITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/source.h"
#include "symbols/symbolizer.h"

struct rv_name_definitions { /* zeroed, with a symbolizer = ready */
    struct rv_symbolizer *symbolizer;
    uint32_t n_named;
    uint32_t n_modules; /* those known when the unnamed ids were last tried */
    uint32_t *unnamed;  /* ids whose module was not known yet */
    size_t n_unnamed, unnamed_capacity;
};

/* Define the new ids, and those whose module was not known. is_final: even without one. */
void rv_name_definitions_give(struct rv_name_definitions *definitions, const struct rv_intake *intake, bool is_final);
void rv_name_definitions_fini(struct rv_name_definitions *definitions);

#endif
