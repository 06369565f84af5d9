#include "render/pass.h"

#include "render/theme.h"

void rv_pass_linear(uint32_t rgb, float out[3])
{
    out[0] = rv_theme_linear(rgb >> 16);
    out[1] = rv_theme_linear(rgb >> 8);
    out[2] = rv_theme_linear(rgb);
}

void rv_pass_begin(const struct rv_pass *pass, GLuint program)
{
    float background[3];
    rv_pass_linear(RV_THEME_BACKGROUND, background);
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
