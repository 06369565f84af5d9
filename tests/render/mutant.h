/* Mutants of the shaders, for tests that show that they would notice. */
#ifndef RV_TESTS_RENDER_MUTANT_H
#define RV_TESTS_RENDER_MUTANT_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/shader.h"

/* Write the box shader with a text replaced, for the next scene to use. */
static bool plant_shader(const char *folder, const char *text, const char *instead)
{
    char path[128];
    const struct rv_shader_source *source = rv_shader_sources;
    while (strcmp(source->file, "box.vert") != 0)
        source++;
    const char *at = strstr(source->text, text);
    snprintf(path, sizeof path, "%s/box.vert", folder);
    FILE *out = at ? fopen(path, "we") : NULL;
    if (!out)
        return false;
    fprintf(out, "%.*s%s%s", (int)(at - source->text), source->text, instead, at + strlen(text));
    return fclose(out) == 0 && setenv("RINGVIZ_SHADERS", folder, 1) == 0;
}

#endif
