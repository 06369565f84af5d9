#include "render/shader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <GL/glew.h>

#include "base/err.h"
#include "base/vec.h"

#define SHADER_BYTES_MAX (1 << 20)

static char *read_override(const char *file)
{
    const char *folder = getenv("RINGVIZ_SHADERS");
    if (!folder)
        return NULL;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *in = fopen(path, "re");
    if (!in)
        return NULL;
    char *text = rv_alloc(SHADER_BYTES_MAX + 1, 1);
    text[fread(text, 1, SHADER_BYTES_MAX, in)] = '\0';
    fclose(in);
    return text;
}

static const char *embedded_text(const char *file)
{
    for (const struct rv_shader_source *source = rv_shader_sources; source->file; source++)
        if (!strcmp(source->file, file))
            return source->text;
    return "";
}

/* Insert the definition after the first line, which has the version. */
static void set_source(GLuint shader, const char *text, const char *define)
{
    char definition[64] = "";
    size_t n_version = strcspn(text, "\n") + (strchr(text, '\n') ? 1 : 0);
    if (define)
        snprintf(definition, sizeof definition, "#define %s\n#line 2\n", define);
    const char *parts[3] = {text, definition, text + n_version};
    GLint lengths[3] = {(GLint)n_version, (GLint)strlen(definition), (GLint)strlen(parts[2])};
    glShaderSource(shader, 3, parts, lengths);
}

static GLuint compile_stage(const char *pass, const char *define, GLenum layout)
{
    char file[64], log[1024] = "";
    snprintf(file, sizeof file, "%s.%s", pass, layout == GL_VERTEX_SHADER ? "vert" : "frag");
    char *override = read_override(file);
    const char *text = override ? override : embedded_text(file);
    GLuint shader = glCreateShader(layout);
    set_source(shader, text, define);
    glCompileShader(shader);
    free(override);
    GLint is_compiled = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &is_compiled);
    if (is_compiled)
        return shader;
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    rv_err(ENOTSUP, "shader %s: %s", file, log);
    glDeleteShader(shader);
    return 0;
}

static GLuint link_stages(const char *pass, GLuint vertex, GLuint fragment)
{
    char log[1024] = "";
    GLuint program = glCreateProgram();
    glAttachShader(program, vertex);
    glAttachShader(program, fragment);
    glLinkProgram(program);
    GLint is_linked = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &is_linked);
    if (is_linked)
        return program;
    glGetProgramInfoLog(program, sizeof log, NULL, log);
    rv_err(ENOTSUP, "shader %s: %s", pass, log);
    glDeleteProgram(program);
    return 0;
}

unsigned rv_shader_create(const char *pass, const char *define)
{
    GLuint vertex = compile_stage(pass, define, GL_VERTEX_SHADER);
    GLuint fragment = vertex ? compile_stage(pass, define, GL_FRAGMENT_SHADER) : 0;
    GLuint program = fragment ? link_stages(pass, vertex, fragment) : 0;
    glDeleteShader(vertex);
    glDeleteShader(fragment);
    return program;
}
