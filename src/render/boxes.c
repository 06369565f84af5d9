/*
 * A box is seven corners and the three faces that look at the eye, so there is no culling and no winding. Records are
 * uploaded once per frame; lane geometry, colours and collections are small textures. The highlight is a uniform, so
 * changing it needs no new upload.
 */
#include "render/boxes.h"

#include <errno.h>
#include <stddef.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "render/cell_bar.h"
#include "render/collections.h"
#include "render/shader.h"
#include "render/vertex_ring.h"

#define LANES_PER_ROW 64
#define TEXELS_PER_LANE 2
#define GC_TEXELS 2048
#define GC_ROWS 64u
#define FACE_INDICES 6
#define N_INDICES (FACE_COUNT * FACE_INDICES)

#define BAND_PX 1.4f /* at least, of rows that are lower than a pixel */
#define EDGE_DARKNESS 0.55f
#define EDGE_FROM_PX 2.5f /* narrower faces have no edge */
#define EDGE_FROM_PX_CONTRAST 1.5f

enum face { FACE_SIDE, FACE_FRONT, FACE_TOP, FACE_COUNT };
enum unit { UNIT_LANES, UNIT_COLORS, UNIT_GC, UNIT_OFF_CPU };
enum form { FORM_PLAIN, FORM_RICH, FORM_OFF_CPU, FORM_IDS, FORM_COUNT };

struct rv_boxes {
    GLuint programs[FORM_COUNT], vertex_array, index_buffer;
    GLuint lanes_texture, colors_texture, gc_texture, off_cpu_texture;
    enum rv_color_scheme scheme; /* of the colours' texture; COUNT = none yet */
    float least_height;          /* of a box, as a share of a row's */
    struct rv_vertex_ring upload;
    size_t offset; /* of the cells of the frame being drawn */
    float *lane_texels;
    size_t lane_texels_capacity;
};

static GLuint create_texture(GLenum filter)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, (GLint)filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, (GLint)filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return texture;
}

static void create_textures(struct rv_boxes *boxes)
{
    boxes->lanes_texture = create_texture(GL_NEAREST);
    boxes->gc_texture = create_texture(GL_LINEAR);
    boxes->off_cpu_texture = create_texture(GL_LINEAR);
    boxes->colors_texture = create_texture(GL_NEAREST);
    boxes->scheme = RV_COLOR_SCHEME_COUNT;
}

/* Per face two triangles along the diagonal to its own corner, which comes last: the provoking vertex of flat
 * values. */
static void create_geometry(struct rv_boxes *boxes)
{
    static const uint16_t indices[N_INDICES] = {0, 1, 2, 3, 0, 2, 0, 3, 4, 5, 0, 4, 0, 5, 6, 1, 0, 6};
    glGenVertexArrays(1, &boxes->vertex_array);
    glBindVertexArray(boxes->vertex_array);
    glGenBuffers(1, &boxes->index_buffer);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, boxes->index_buffer);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof indices, indices, GL_STATIC_DRAW);
    for (GLuint i = 0; i < 2; i++) {
        glEnableVertexAttribArray(i);
        glVertexAttribDivisor(i, 1);
    }
}

/* Uniforms that are the same in all frames. */
static void set_constants(GLuint program, enum form form)
{
    struct rv_color gc = rv_color_gc();
    float gc_linear[3];
    rv_pass_linear((uint32_t)gc.r << 16 | (uint32_t)gc.g << 8 | gc.b, gc_linear);
    glUseProgram(program);
    glUniform3f(glGetUniformLocation(program, "u_fold"), RV_FOLD_POWER,
                form == FORM_IDS ? RV_FOLD_PICK_PX : RV_FOLD_LEAST_PX, RV_FOLD_THICKNESS);
    glUniform3fv(glGetUniformLocation(program, "u_gc_colour"), 1, gc_linear);
    glUniform1f(glGetUniformLocation(program, "u_hollow"), RV_OFF_CPU_LEFT);
    rv_pass_set_int(program, "u_lanes", UNIT_LANES);
    rv_pass_set_int(program, "u_colors", UNIT_COLORS);
    glUniform2i(glGetUniformLocation(program, "u_striped"), RV_COLOR_HUES, RV_COLOR_SLOTS);
    rv_pass_set_int(program, "u_gc", UNIT_GC);
    rv_pass_set_int(program, "u_off_cpu", UNIT_OFF_CPU);
}

static int create_programs(struct rv_boxes *boxes)
{
    static const char *const defines[FORM_COUNT] = {
        [FORM_PLAIN] = "PLAIN", [FORM_OFF_CPU] = "OFF_CPU", [FORM_IDS] = "IDS"};
    for (int form = 0; form < FORM_COUNT; form++) {
        boxes->programs[form] = rv_shader_create("box", defines[form]);
        if (!boxes->programs[form])
            return -ENOTSUP;
        set_constants(boxes->programs[form], (enum form)form);
    }
    return 0;
}

int rv_boxes_create(struct rv_boxes **boxes)
{
    *boxes = rv_alloc(1, sizeof **boxes);
    int err = create_programs(*boxes);
    create_textures(*boxes);
    create_geometry(*boxes);
    return err;
}

void rv_boxes_destroy(struct rv_boxes *boxes)
{
    if (!boxes)
        return;
    rv_vertex_ring_fini(&boxes->upload);
    glDeleteTextures(1, &boxes->lanes_texture);
    glDeleteTextures(1, &boxes->colors_texture);
    glDeleteTextures(1, &boxes->gc_texture);
    glDeleteTextures(1, &boxes->off_cpu_texture);
    glDeleteBuffers(1, &boxes->index_buffer);
    glDeleteVertexArrays(1, &boxes->vertex_array);
    for (int form = 0; form < FORM_COUNT; form++)
        glDeleteProgram(boxes->programs[form]);
    free(boxes->lane_texels);
    free(boxes);
}

/* The texture row of a lane's process; processes beyond the last row share it, and it stays empty. */
static size_t collections_row(const struct rv_view *view, size_t lane)
{
    size_t process = lane < view->n_lanes ? view->lanes[lane].process : GC_ROWS;
    return process < GC_ROWS ? process : GC_ROWS - 1;
}

/*
 * Rows that are lower than a pixel are drawn in bands of so many, each as its lowest row, which has the time of the others, too:
 * otherwise pixels would meet one of them by chance. A power of two, so that few bands change while one zooms.
 */
static float rows_of_band(float row_height, float pixel)
{
    return row_height < pixel ? exp2f(ceilf(log2f(BAND_PX * pixel / row_height))) : 1.0f;
}

static void upload_lanes(struct rv_boxes *boxes, const struct rv_pass *pass, const struct rv_view *view,
                         const struct rv_off_cpu *off_cpu)
{
    const struct rv_lane_layout *layout = pass->layout;
    size_t n_rows = layout->n_lanes / LANES_PER_ROW + 1, n_floats = n_rows * LANES_PER_ROW * TEXELS_PER_LANE * 4;
    boxes->lane_texels = rv_vec_reserve(boxes->lane_texels, &boxes->lane_texels_capacity, n_floats, sizeof(float));
    memset(boxes->lane_texels, 0, n_floats * sizeof(float));
    for (size_t i = 0; i < layout->n_lanes; i++) {
        float *texel = &boxes->lane_texels[4 * i * TEXELS_PER_LANE];
        texel[0] = layout->lanes[i].z;
        texel[1] = layout->lanes[i].half_thickness;
        texel[2] = layout->lanes[i].row_height;
        texel[3] = layout->lanes[i].y;
        texel[4] = (float)collections_row(view, i);
        texel[5] = rv_camera_lane_pixel(pass->camera, layout, i);
        texel[6] = i < off_cpu->n_lanes ? (float)off_cpu->rows[i] : 0.0f;
        texel[7] = rows_of_band(texel[2], texel[5]);
    }
    glActiveTexture(GL_TEXTURE0 + UNIT_LANES);
    glBindTexture(GL_TEXTURE_2D, boxes->lanes_texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, LANES_PER_ROW * TEXELS_PER_LANE, (GLsizei)n_rows, 0, GL_RGBA, GL_FLOAT,
                 boxes->lane_texels);
}

static bool has_off_cpu(const struct rv_frame_data *picture)
{
    return picture->off_cpu.n_rows > 1;
}

static void upload_off_cpu(struct rv_boxes *boxes, const struct rv_off_cpu *off_cpu)
{
    glActiveTexture(GL_TEXTURE0 + UNIT_OFF_CPU);
    glBindTexture(GL_TEXTURE_2D, boxes->off_cpu_texture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RG8, RV_OFF_CPU_COLUMNS, (GLsizei)off_cpu->n_rows, 0, GL_RG, GL_UNSIGNED_BYTE,
                 off_cpu->texels);
}

static void bind_colors(struct rv_boxes *boxes, enum rv_color_scheme scheme)
{
    static uint8_t texels[RV_BOX_COLORS_TEXEL_BYTES];
    glActiveTexture(GL_TEXTURE0 + UNIT_COLORS);
    glBindTexture(GL_TEXTURE_2D, boxes->colors_texture);
    if (scheme == boxes->scheme)
        return;
    boxes->scheme = scheme;
    rv_box_colors_texels(scheme, texels);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_SRGB8_ALPHA8, RV_COLOR_SHADES, RV_COLOR_ROWS * RV_BOX_COLORS_TONES, 0, GL_RGBA,
                 GL_UNSIGNED_BYTE, texels);
}

static void add_collection(uint8_t texels[GC_TEXELS], const struct rv_collections_stripe *stripe, float width)
{
    const float from = stripe->x0 / width * GC_TEXELS, to = stripe->x1 / width * GC_TEXELS;
    for (size_t i = (size_t)from; i < GC_TEXELS && (float)i < to; i++) {
        const float first = (float)i, begin = from > first ? from : first, end = to < first + 1.0f ? to : first + 1.0f;
        const float sum = (float)texels[i] + 255.0f * stripe->share * (end - begin) + 0.5f;
        texels[i] = sum < 255.0f ? (uint8_t)sum : 255;
    }
}

static void upload_collections(struct rv_boxes *boxes, const struct rv_lane_layout *layout, const struct rv_view *view)
{
    static uint8_t texels[GC_ROWS][GC_TEXELS];
    size_t n_rows = view->n_processes < GC_ROWS ? view->n_processes + (size_t)1 : GC_ROWS;
    memset(texels, 0, n_rows * GC_TEXELS);
    for (size_t lane = 0; lane < view->n_lanes; lane++) {
        const struct rv_view_lane *shown = &view->lanes[lane];
        struct rv_collections_stripe stripe;
        size_t row = collections_row(view, lane);
        for (size_t i = shown->first_note; row + 1 < n_rows && i < (size_t)shown->first_note + shown->n_notes; i++)
            if (rv_collections_stripe(view, layout, lane, i, &stripe))
                add_collection(texels[row], &stripe, layout->width);
    }
    glActiveTexture(GL_TEXTURE0 + UNIT_GC);
    glBindTexture(GL_TEXTURE_2D, boxes->gc_texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, GC_TEXELS, (GLsizei)n_rows, 0, GL_RED, GL_UNSIGNED_BYTE, texels);
}

/* The chosen box differs from others of its subroutine by its place. */
static void set_highlight(GLuint program, const struct rv_frame_data *picture, const struct rv_highlight *highlight)
{
    static const struct rv_box_record none = {.duration = UINT32_MAX};
    bool has_chosen = highlight && highlight->box < picture->records.n;
    const struct rv_box_record *chosen = has_chosen ? &picture->records.items[highlight->box] : &none;
    glUniform2ui(glGetUniformLocation(program, "u_highlight"), highlight != NULL, highlight ? highlight->id : 0);
    glUniform3ui(glGetUniformLocation(program, "u_chosen"), (uint32_t)chosen->start, chosen->duration, chosen->place);
}

static void set_uniforms(const struct rv_boxes *boxes, GLuint program, const struct rv_pass *pass,
                         const struct rv_box_packing *pack)
{
    const struct rv_lane_layout *layout = pass->layout;
    float accent[3];
    rv_pass_linear(pass->theme->accent, accent);
    float width = layout->width;
    glUniform2f(glGetUniformLocation(program, "u_time"), (float)(rv_box_packing_centre(pack) * (double)width),
                (float)(rv_box_packing_scale(pack) * (double)width));
    glUniform3f(glGetUniformLocation(program, "u_shape"), RV_LANE_LAYOUT_INSET, RV_LANE_LAYOUT_THICKNESS_MIN,
                layout->box_share);
    glUniform1f(glGetUniformLocation(program, "u_heights"), boxes->least_height);
    glUniform1f(glGetUniformLocation(program, "u_width"), width);
    bool has_contrast = boxes->scheme == RV_COLOR_HIGH_CONTRAST;
    glUniform2f(glGetUniformLocation(program, "u_edge"), has_contrast ? 1.0f : EDGE_DARKNESS,
                has_contrast ? EDGE_FROM_PX_CONTRAST : EDGE_FROM_PX);
    glUniform3fv(glGetUniformLocation(program, "u_accent"), 1, accent);
    glUniform2fv(glGetUniformLocation(program, "u_lift"), 1, pass->theme->lift);
    glUniform1f(glGetUniformLocation(program, "u_veil"), pass->theme->veil_grey);
}

static void begin_form(const struct rv_boxes *boxes, enum form form, const struct rv_pass *pass,
                       const struct rv_frame_data *picture, const struct rv_highlight *highlight)
{
    rv_pass_begin(pass, boxes->programs[form]);
    set_uniforms(boxes, boxes->programs[form], pass, &picture->records.pack);
    set_highlight(boxes->programs[form], picture, highlight);
}

static enum form rich_form(const struct rv_frame_data *picture)
{
    return has_off_cpu(picture) ? FORM_OFF_CPU : FORM_RICH;
}

/* Those that the look shows, but none before `first`. */
static void draw_faces(const struct rv_pass *pass, enum face first, size_t offset, size_t n)
{
    int from = pass->is_settled ? pass->look->first_face : FACE_SIDE;
    const int to = pass->is_settled ? from + pass->look->n_faces : FACE_COUNT;
    from = from > (int)first ? from : (int)first;
    size_t id = offset + offsetof(struct rv_box_record, id);
    glVertexAttribIPointer(0, 4, GL_UNSIGNED_INT, sizeof(struct rv_box_record), (const void *)offset);
    glVertexAttribIPointer(1, 1, GL_UNSIGNED_INT, sizeof(struct rv_box_record), (const void *)id);
    glDrawElementsInstanced(GL_TRIANGLES, (to - from) * FACE_INDICES, GL_UNSIGNED_SHORT,
                            (const void *)((size_t)from * FACE_INDICES * sizeof(uint16_t)), (GLsizei)n);
}

static void prepare(struct rv_boxes *boxes, const struct rv_pass *pass, const struct rv_frame_data *picture)
{
    upload_lanes(boxes, pass, picture->view, &picture->off_cpu);
    if (has_off_cpu(picture))
        upload_off_cpu(boxes, &picture->off_cpu);
    bind_colors(boxes, rv_box_colors_scheme(picture->colors));
    boxes->least_height = rv_box_colors_least_height(picture->colors);
    glBindVertexArray(boxes->vertex_array);
}

void rv_boxes_draw(struct rv_boxes *boxes, const struct rv_pass *pass, const struct rv_frame_data *picture,
                   const struct rv_highlight *highlight)
{
    const struct rv_box_buffer *records = &picture->records;
    prepare(boxes, pass, picture);
    upload_collections(boxes, pass->layout, picture->view);
    boxes->offset = rv_vertex_ring_push(&boxes->upload, records->ordered, records->n * sizeof *records->ordered);
    if (records->counts[RV_BOX_PACKING_PLAIN]) {
        begin_form(boxes, FORM_PLAIN, pass, picture, highlight);
        draw_faces(pass, FACE_SIDE, boxes->offset, records->counts[RV_BOX_PACKING_PLAIN]);
    }
    boxes->offset += records->counts[RV_BOX_PACKING_PLAIN] * sizeof *records->ordered;
    if (records->counts[RV_BOX_PACKING_RICH]) {
        begin_form(boxes, rich_form(picture), pass, picture, highlight);
        draw_faces(pass, FACE_SIDE, boxes->offset, records->counts[RV_BOX_PACKING_RICH]);
    }
    boxes->offset += records->counts[RV_BOX_PACKING_RICH] * sizeof *records->ordered;
}

void rv_boxes_draw_cells(struct rv_boxes *boxes, const struct rv_pass *pass, const struct rv_frame_data *picture,
                         const struct rv_highlight *highlight)
{
    size_t n = picture->records.counts[RV_BOX_PACKING_CELL];
    if (n) {
        glBindVertexArray(boxes->vertex_array);
        glBindBuffer(GL_ARRAY_BUFFER, boxes->upload.buffer);
        glActiveTexture(GL_TEXTURE0 + UNIT_LANES);
        glBindTexture(GL_TEXTURE_2D, boxes->lanes_texture);
        if (picture->records.counts[RV_BOX_PACKING_RICH]) /* rv_boxes_draw() set the uniforms */
            glUseProgram(boxes->programs[rich_form(picture)]);
        else
            begin_form(boxes, rich_form(picture), pass, picture, highlight);
        glEnable(GL_BLEND);
        draw_faces(pass, FACE_FRONT, boxes->offset, n);
    }
    rv_vertex_ring_fence(&boxes->upload);
}

void rv_boxes_draw_ids(struct rv_boxes *boxes, const struct rv_pass *pass, const struct rv_frame_data *picture)
{
    const struct rv_box_buffer *records = &picture->records;
    prepare(boxes, pass, picture);
    size_t offset = rv_vertex_ring_push(&boxes->upload, records->items, records->n * sizeof *records->items);
    begin_form(boxes, FORM_IDS, pass, picture, NULL);
    draw_faces(pass, FACE_SIDE, offset, records->n);
    rv_vertex_ring_fence(&boxes->upload);
}
