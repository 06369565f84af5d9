/*
 * Shader programs: one pass = NAME.vert + NAME.frag, embedded at build time.
 *
 * With RINGVIZ_SHADERS=FOLDER in the environment, files of that folder replace the embedded ones.
 */
#ifndef RV_RENDER_SHADER_H
#define RV_RENDER_SHADER_H

struct rv_shader_source {
    const char *file; /* NULL ends the array */
    const char *text;
};

extern const struct rv_shader_source rv_shader_sources[];

/*
 * Compile and link one pass.
 *   define   a name to define in both stages; NULL = none
 *   returns  the program's GL name, or 0 with one line printed
 *   thread   main, with a current context
 */
unsigned rv_shader_create(const char *pass, const char *define);

#endif
