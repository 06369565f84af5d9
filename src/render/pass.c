#include "render/pass.h"

void rv_pass_linear(uint32_t rgb, float out[3])
{
    struct rv_color color = rv_theme_color(rgb);
    out[0] = rv_color_linear(color.r);
    out[1] = rv_color_linear(color.g);
    out[2] = rv_color_linear(color.b);
}

void rv_pass_begin(const struct rv_pass *pass, GLuint program)
{
    float background[3];
    rv_pass_linear(pass->theme->background, background);
    glUseProgram(program);
    const struct rv_camera *camera = pass->camera;
    glUniformMatrix4fv(glGetUniformLocation(program, "u_view_projection"), 1, GL_FALSE, &camera->view_projection[0][0]);
    glUniform4fv(glGetUniformLocation(program, "u_eye"), 1, camera->eye);
    glUniform3fv(glGetUniformLocation(program, "u_background"), 1, background);
    glUniform2fv(glGetUniformLocation(program, "u_haze"), 1, pass->haze);
}

void rv_pass_set_int(GLuint program, const char *name, int value)
{
    glUniform1i(glGetUniformLocation(program, name), value);
}
