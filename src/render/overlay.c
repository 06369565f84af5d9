#include "render/overlay.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "render/pass.h"
#include "render/shader.h"
#include "render/vertex_ring.h"

#define SCALE_FOR_2X 1.4 /* from this scale on, use the faces for two pixels per point */
#define GLYPH_RADIUS -1.0f
#define SMOOTH_PX 1.0f /* room around a rectangle for its soft edge */
#define LABELS_MAX 1024u
#define LABELS_GAP 8.0f /* points between two labels of a line */

struct vertex {
    float x, y;
    float detail[2];
    float shape[3];
    uint32_t rgba;
};

struct rv_overlay {
    GLuint program, vertex_array;
    struct rv_text_glyphs *atlas;
    struct rv_vertex_ring upload;
    struct vertex *vertices;
    size_t n, capacity;
    struct rv_overlay_area labels[LABELS_MAX];
    size_t n_labels;
    const struct rv_theme *theme;
    int width_px, height_px;
    float scale;
};

struct quad { /* pixels; detail runs from its first to its last value */
    float x0, y0, x1, y1;
    float detail0[2], detail1[2];
    float shape[3];
    uint32_t rgba;
};

int rv_overlay_create(struct rv_overlay **overlay, struct rv_text_glyphs *atlas)
{
    *overlay = rv_alloc(1, sizeof **overlay);
    (*overlay)->atlas = atlas;
    (*overlay)->program = rv_shader_create("overlay", NULL);
    glGenVertexArrays(1, &(*overlay)->vertex_array);
    glBindVertexArray((*overlay)->vertex_array);
    for (GLuint i = 0; i < 4; i++)
        glEnableVertexAttribArray(i);
    return (*overlay)->program ? 0 : -ENOTSUP;
}

void rv_overlay_destroy(struct rv_overlay *overlay)
{
    if (!overlay)
        return;
    rv_vertex_ring_fini(&overlay->upload);
    glDeleteVertexArrays(1, &overlay->vertex_array);
    glDeleteProgram(overlay->program);
    free(overlay->vertices);
    free(overlay);
}

void rv_overlay_begin(struct rv_overlay *overlay, const int size_px[2], double scale, const struct rv_theme *theme)
{
    overlay->n = overlay->n_labels = 0;
    overlay->theme = theme;
    overlay->width_px = size_px[0];
    overlay->height_px = size_px[1];
    overlay->scale = scale > 0.0 ? (float)scale : 1.0f;
}

const struct rv_theme *rv_overlay_theme(const struct rv_overlay *overlay)
{
    return overlay->theme;
}

static bool overlap(const struct rv_overlay_area *a, const struct rv_overlay_area *b)
{
    return a->x < b->x + b->width + LABELS_GAP && b->x < a->x + a->width + LABELS_GAP && a->y < b->y + b->height &&
           b->y < a->y + a->height;
}

bool rv_overlay_claim(struct rv_overlay *overlay, struct rv_overlay_area area)
{
    for (size_t i = 0; i < overlay->n_labels; i++)
        if (overlap(&overlay->labels[i], &area))
            return false;
    if (overlay->n_labels == LABELS_MAX)
        return false;
    overlay->labels[overlay->n_labels++] = area;
    return true;
}

static void add_corners(struct rv_overlay *overlay, const struct vertex corners[4], const float shape[3])
{
    static const int order[6] = {0, 1, 2, 0, 2, 3};
    overlay->vertices =
        rv_vec_reserve(overlay->vertices, &overlay->capacity, overlay->n + 6, sizeof *overlay->vertices);
    for (int i = 0; i < 6; i++) {
        struct vertex *vertex = &overlay->vertices[overlay->n++];
        *vertex = corners[order[i]];
        memcpy(vertex->shape, shape, sizeof vertex->shape);
    }
}

static void add_quad(struct rv_overlay *overlay, const struct quad *quad)
{
    const float *a = quad->detail0, *b = quad->detail1;
    struct vertex corners[4] = {
        {quad->x0, quad->y0, {a[0], a[1]}, {0}, quad->rgba},
        {quad->x1, quad->y0, {b[0], a[1]}, {0}, quad->rgba},
        {quad->x1, quad->y1, {b[0], b[1]}, {0}, quad->rgba},
        {quad->x0, quad->y1, {a[0], b[1]}, {0}, quad->rgba},
    };
    add_corners(overlay, corners, quad->shape);
}

/* A rectangle turned into the line's direction. */
void rv_overlay_line(struct rv_overlay *overlay, const float from[2], const float to[2], float width, uint32_t rgba)
{
    float along[2] = {(to[0] - from[0]) * overlay->scale, (to[1] - from[1]) * overlay->scale};
    float length = hypotf(along[0], along[1]), half = 0.5f * width * overlay->scale;
    if (!(length > 0.0f))
        return;
    along[0] /= length;
    along[1] /= length;
    float reach = 0.5f * length + SMOOTH_PX, rise = half + SMOOTH_PX;
    float middle[2] = {0.5f * (from[0] + to[0]) * overlay->scale, 0.5f * (from[1] + to[1]) * overlay->scale};
    const float sides[4][2] = {{-reach, -rise}, {reach, -rise}, {reach, rise}, {-reach, rise}};
    struct vertex corners[4];
    for (int i = 0; i < 4; i++)
        corners[i] = (struct vertex){middle[0] + sides[i][0] * along[0] - sides[i][1] * along[1],
                                     middle[1] + sides[i][0] * along[1] + sides[i][1] * along[0],
                                     {sides[i][0], sides[i][1]},
                                     {0},
                                     rgba};
    add_corners(overlay, corners, (float[3]){0.5f * length, half, 0.0f});
}

void rv_overlay_rectangle(struct rv_overlay *overlay, struct rv_overlay_area area, float radius, uint32_t rgba)
{
    float x0 = area.x * overlay->scale, x1 = (area.x + area.width) * overlay->scale;
    float y0 = area.y * overlay->scale, y1 = (area.y + area.height) * overlay->scale;
    float half_width = 0.5f * (x1 - x0), half_height = 0.5f * (y1 - y0);
    struct quad quad = {x0 - SMOOTH_PX,
                        y0 - SMOOTH_PX,
                        x1 + SMOOTH_PX,
                        y1 + SMOOTH_PX,
                        {-half_width - SMOOTH_PX, -half_height - SMOOTH_PX},
                        {half_width + SMOOTH_PX, half_height + SMOOTH_PX},
                        {half_width, half_height, radius * overlay->scale},
                        rgba};
    add_quad(overlay, &quad);
}

/* The face for this scale, and the factor from its pixels to the screen's. */
static enum rv_font face_for(const struct rv_overlay *overlay, enum rv_font font, float *pixel)
{
    bool is_2x = (double)overlay->scale >= SCALE_FOR_2X;
    *pixel = is_2x ? overlay->scale / 2.0f : overlay->scale;
    return is_2x ? (enum rv_font)(font + (RV_FONT_TEXT_2X - RV_FONT_TEXT)) : font;
}

static void add_glyph(struct rv_overlay *overlay, const struct rv_text_line_glyph *glyph, float baseline, float pixel,
                      uint32_t rgba)
{
    float x = floorf(glyph->pen + 0.5f) + glyph->left * pixel, y = baseline - glyph->top * pixel;
    struct quad quad = {x,
                        y,
                        x + (float)glyph->width * pixel,
                        y + (float)glyph->height * pixel,
                        {glyph->x, glyph->y},
                        {(float)(glyph->x + glyph->width), (float)(glyph->y + glyph->height)},
                        {0.0f, 0.0f, GLYPH_RADIUS},
                        rgba};
    add_quad(overlay, &quad);
}

void rv_overlay_text(struct rv_overlay *overlay, enum rv_font font, const float at[2], const char *text, uint32_t rgba)
{
    float pixel, baseline = floorf(at[1] * overlay->scale + 0.5f);
    font = face_for(overlay, font, &pixel);
    struct rv_text_glyphs_text read = rv_text_glyphs_read(overlay->atlas, font, text, at[0] * overlay->scale, pixel);
    struct rv_text_line_glyph glyph;
    while (rv_text_glyphs_next(&read, &glyph))
        add_glyph(overlay, &glyph, baseline, pixel, rgba);
}

float rv_overlay_text_width(const struct rv_overlay *overlay, enum rv_font font, const char *text)
{
    float pixel;
    font = face_for(overlay, font, &pixel);
    return rv_text_glyphs_width(overlay->atlas, font, text, strlen(text)) * pixel / overlay->scale;
}

struct rv_text_glyphs *rv_overlay_atlas(const struct rv_overlay *overlay)
{
    return overlay->atlas;
}

void rv_overlay_draw(struct rv_overlay *overlay)
{
    glDisable(GL_DEPTH_TEST);
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glUseProgram(overlay->program);
    glUniform2f(glGetUniformLocation(overlay->program, "u_size"), (float)overlay->width_px, (float)overlay->height_px);
    rv_pass_set_int(overlay->program, "u_atlas", 0);
    glActiveTexture(GL_TEXTURE0);
    rv_text_glyphs_bind(overlay->atlas);
    glBindVertexArray(overlay->vertex_array);
    size_t offset = rv_vertex_ring_push(&overlay->upload, overlay->vertices, overlay->n * sizeof *overlay->vertices);
    GLsizei recorded_step = sizeof(struct vertex);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, recorded_step, (const void *)offset);
    glVertexAttribPointer(1, 2, GL_FLOAT, GL_FALSE, recorded_step, (const void *)(offset + 8));
    glVertexAttribPointer(2, 3, GL_FLOAT, GL_FALSE, recorded_step, (const void *)(offset + 16));
    glVertexAttribPointer(3, 4, GL_UNSIGNED_BYTE, GL_TRUE, recorded_step, (const void *)(offset + 28));
    glDrawArrays(GL_TRIANGLES, 0, (GLsizei)overlay->n);
    rv_vertex_ring_fence(&overlay->upload);
}
