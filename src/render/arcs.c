/* An arc is an instance: a strip of quads, as wide as on the screen, that the shader lays along the curve. */
#include "render/arcs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/vec.h"
#include "render/shader.h"
#include "render/vertex_ring.h"

#define PARTS 16      /* as in arc.vert */
#define WIDTH_PX 1.3f /* half of it */
#define WIDEST_PX 2.0f
#define GHOST 0.3f      /* strength behind what stands before them, */
#define GHOSTS_MOST 40u /* unless they are so many that nothing could be told there */

struct instance {
    float from[3], to[3];
    float rise, width_px, strength, kind;
};

struct rv_arcs {
    GLuint program, vertex_array;
    struct rv_vertex_ring upload;
    struct instance *instances;
    size_t capacity;
};

int rv_arcs_create(struct rv_arcs **arcs)
{
    *arcs = rv_alloc(1, sizeof **arcs);
    (*arcs)->program = rv_shader_create("arc", NULL);
    glGenVertexArrays(1, &(*arcs)->vertex_array);
    glBindVertexArray((*arcs)->vertex_array);
    for (GLuint i = 0; i < 3; i++) {
        glEnableVertexAttribArray(i);
        glVertexAttribDivisor(i, 1);
    }
    return (*arcs)->program ? 0 : -ENOTSUP;
}

void rv_arcs_destroy(struct rv_arcs *arcs)
{
    if (!arcs)
        return;
    rv_vertex_ring_fini(&arcs->upload);
    glDeleteVertexArrays(1, &arcs->vertex_array);
    glDeleteProgram(arcs->program);
    free(arcs->instances);
    free(arcs);
}

/* Wider for more waits; the faintest first, so that the brightest are on top. Returns the number. */
static size_t fill(struct rv_arcs *arcs, const struct rv_pass *pass, const struct rv_arc_list *list, size_t chosen,
                   float scale)
{
    size_t n = 0;
    arcs->instances = rv_vec_reserve(arcs->instances, &arcs->capacity, list->n, sizeof *arcs->instances);
    for (size_t i = list->n; i-- > 0;) {
        const struct rv_arc_item *item = &list->items[i];
        if (item->from_lane >= pass->layout->n_lanes || item->to_lane >= pass->layout->n_lanes)
            continue;
        const struct rv_arc_curve curve = rv_arc_curve_of(pass->layout, item);
        const float width_px = fminf(WIDTH_PX + 0.15f * log2f((float)item->arc.n), WIDEST_PX);
        arcs->instances[n++] = (struct instance){{curve.from[0], curve.from[1], curve.from[2]},
                                                 {curve.to[0], curve.to[1], curve.to[2]},
                                                 curve.rise,
                                                 scale * (i == chosen ? 2.0f * width_px : width_px),
                                                 i == chosen ? 1.0f : item->strength,
                                                 (float)item->arc.kind};
    }
    return n;
}

static void set_uniforms(const struct rv_arcs *arcs, const struct rv_pass *pass)
{
    float colours[RV_ARC_KIND_COUNT][3];
    for (int i = 0; i < RV_ARC_KIND_COUNT; i++)
        rv_pass_linear(rv_arc_rgb(pass->theme, (enum rv_arc_kind)i), colours[i]);
    rv_pass_begin(pass, arcs->program);
    glUniform3fv(glGetUniformLocation(arcs->program, "u_colours"), RV_ARC_KIND_COUNT, &colours[0][0]);
    glUniform2f(glGetUniformLocation(arcs->program, "u_size"), (float)pass->camera->width_px,
                (float)pass->camera->height_px);
    const bool is_flat = pass->layout->is_flat;
    glUniform3f(glGetUniformLocation(arcs->program, "u_up"), is_flat ? 1.0f : 0.0f, is_flat ? 0.0f : 1.0f, 0.0f);
}

static void draw_strips(const struct rv_arcs *arcs, float strength, size_t n)
{
    glUniform1f(glGetUniformLocation(arcs->program, "u_strength"), strength);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 2 * (PARTS + 1), (GLsizei)n);
}

static void draw_through(const struct rv_arcs *arcs, float strength, size_t n)
{
    glDisable(GL_DEPTH_TEST);
    draw_strips(arcs, strength, n);
    glEnable(GL_DEPTH_TEST);
}

void rv_arcs_draw(struct rv_arcs *arcs, const struct rv_pass *pass, const struct rv_arc_list *list, size_t chosen,
                  float scale)
{
    if (list->n == 0)
        return;
    const size_t n = fill(arcs, pass, list, chosen, scale);
    const GLsizei step = sizeof *arcs->instances;
    glBindVertexArray(arcs->vertex_array);
    const size_t offset = rv_vertex_ring_push(&arcs->upload, arcs->instances, n * sizeof *arcs->instances);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, step, (const void *)offset);
    glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, step, (const void *)(offset + 12));
    glVertexAttribPointer(2, 4, GL_FLOAT, GL_FALSE, step, (const void *)(offset + 24));
    set_uniforms(arcs, pass);
    glEnable(GL_BLEND);
    if (pass->layout->is_flat) { /* nothing stands before them */
        draw_through(arcs, 1.0f, n);
    } else {
        if (n <= GHOSTS_MOST)
            draw_through(arcs, GHOST, n);
        draw_strips(arcs, 1.0f, n);
    }
    rv_vertex_ring_fence(&arcs->upload);
}
