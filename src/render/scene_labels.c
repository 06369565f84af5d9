#include "render/scene_labels.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/vec.h"
#include "model/short_name.h"
#include "render/shader.h"
#include "render/skyline.h"
#include "render/vertex_ring.h"
#include "ringviz/wire.h"

#define TICK_SIZE 0.34f     /* world height of an em */
#define TICK_DISTANCE 0.42f /* baseline before the floor's edge */
#define TICK_INDENT 0.06f
#define CAPTION_SHARE 0.74f    /* of a row */
#define CAPTION_SIZE_MAX 0.32f /* of an em */
#define CAPTION_PADDING 0.07f
#define CAPTION_LIFT 0.002f /* before the face */
#define CAP_HEIGHT 0.72f    /* of an em */
#define PLATE_MARGIN 0.1f
#define ROW_MIN_PX 7.5f
#define WIDTH_MIN_PX 26.0f
#define CAPTION_BYTES 160
#define MOST_IN_SIGHT 32768u /* boxes of a picture where it is looked for what hides captions: 10 ns each, a frame */
#define IN_SIGHT_PX 72.0f   /* room for a caption between what hides its box; where there is less, */
#define IN_SIGHT_SHARE 0.2f /* but so much of the box is in sight, the caption is before what hides it */

struct vertex {
    float x, y, z;
    float u, v; /* texels */
    uint32_t rgba;
};

struct caption_room { /* on the face of a box */
    float left, right;
    float y, z;     /* of the text's foot */
    float height;   /* of the face */
    float size;     /* of the text */
    bool is_before; /* the lanes in front */
};

struct caption_before {
    struct caption_room room;
    size_t wide; /* of the picture's */
};

struct rv_scene_labels {
    GLuint program, vertex_array;
    struct rv_text_glyphs *atlas;
    struct rv_vertex_ring upload;
    struct vertex *vertices; /* captions before the lanes in front come last */
    size_t n, n_behind, capacity;
    struct caption_before *before; /* scratch */
    size_t n_before, before_capacity;
};

struct line { /* one line of text: glyphs run along x, their height along up */
    vec3 origin, up;
    float size;    /* world height of an em */
    float stretch; /* of its width */
    uint32_t rgba;
};

int rv_scene_labels_create(struct rv_scene_labels **labels, struct rv_text_glyphs *atlas)
{
    *labels = rv_alloc(1, sizeof **labels);
    (*labels)->atlas = atlas;
    (*labels)->program = rv_shader_create("label", NULL);
    glGenVertexArrays(1, &(*labels)->vertex_array);
    glBindVertexArray((*labels)->vertex_array);
    for (GLuint i = 0; i < 3; i++)
        glEnableVertexAttribArray(i);
    return (*labels)->program ? 0 : -ENOTSUP;
}

void rv_scene_labels_destroy(struct rv_scene_labels *labels)
{
    if (!labels)
        return;
    rv_vertex_ring_fini(&labels->upload);
    glDeleteVertexArrays(1, &labels->vertex_array);
    glDeleteProgram(labels->program);
    free(labels->vertices);
    free(labels->before);
    free(labels);
}

static struct vertex corner(const struct line *line, float along, float above, const float texel[2])
{
    return (struct vertex){line->origin[0] + along * line->stretch,
                           line->origin[1] + above * line->up[1],
                           line->origin[2] + above * line->up[2],
                           texel[0],
                           texel[1],
                           line->rgba};
}

struct area { /* along the line and above it; texels of the atlas, or less than 0: none */
    float left, right, top, bottom;
    float u0, v0, u1, v1;
};

static void add_area(struct rv_scene_labels *labels, const struct line *line, const struct area *area)
{
    static const int order[6] = {0, 1, 2, 0, 2, 3};
    const struct vertex corners[4] = {
        corner(line, area->left, area->top, (float[2]){area->u0, area->v0}),
        corner(line, area->right, area->top, (float[2]){area->u1, area->v0}),
        corner(line, area->right, area->bottom, (float[2]){area->u1, area->v1}),
        corner(line, area->left, area->bottom, (float[2]){area->u0, area->v1}),
    };
    labels->vertices = rv_vec_reserve(labels->vertices, &labels->capacity, labels->n + 6, sizeof *labels->vertices);
    for (int i = 0; i < 6; i++)
        labels->vertices[labels->n++] = corners[order[i]];
}

static void add_glyph(struct rv_scene_labels *labels, const struct line *line, const struct rv_text_line_glyph *glyph)
{
    const float scale = line->size / rv_font_atlas.faces[RV_FONT_LABEL].size_px;
    const float left = glyph->pen + glyph->left * scale, top = glyph->top * scale;
    add_area(labels, line,
             &(struct area){left, left + (float)glyph->width * scale, top, top - (float)glyph->height * scale, glyph->x,
                            glyph->y, (float)(glyph->x + glyph->width), (float)(glyph->y + glyph->height)});
}

static void add_line(struct rv_scene_labels *labels, const struct line *line, const char *text)
{
    const float scale = line->size / rv_font_atlas.faces[RV_FONT_LABEL].size_px;
    struct rv_text_glyphs_text read = rv_text_glyphs_read(labels->atlas, RV_FONT_LABEL, text, 0.0f, scale);
    struct rv_text_line_glyph glyph;
    while (rv_text_glyphs_next(&read, &glyph))
        add_glyph(labels, line, &glyph);
}

static float line_width(const struct rv_scene_labels *labels, const struct line *line, const char *text)
{
    const float scale = line->size / rv_font_atlas.faces[RV_FONT_LABEL].size_px;
    return scale * rv_text_glyphs_width(labels->atlas, RV_FONT_LABEL, text, strlen(text));
}

/* A name may reach over several changes of its wall: what is under it makes one colour readable on all. */
static void add_plate(struct rv_scene_labels *labels, const struct line *line, float width, uint32_t rgba)
{
    const float margin = PLATE_MARGIN * line->size;
    struct line plate = *line;
    plate.origin[2] -= 0.5f * CAPTION_LIFT;
    plate.rgba = rgba;
    add_area(
        labels, &plate,
        &(struct area){-margin, width + margin, CAP_HEIGHT * line->size + margin, -margin, -1.0f, -1.0f, -1.0f, -1.0f});
}

static unsigned label_every(struct rv_scene_labels *labels, const struct rv_lane_layout *layout,
                            const struct rv_time_axis *ticks, float stretch)
{
    const float em = TICK_SIZE * stretch / rv_font_atlas.faces[RV_FONT_LABEL].size_px;
    float widest = 0.0f;
    if (ticks->n < 2)
        return 1;
    for (size_t i = 0; i < ticks->n; i++) {
        const char *text = ticks->items[i].text;
        widest = fmaxf(widest, em * rv_text_glyphs_width(labels->atlas, RV_FONT_LABEL, text, strlen(text)));
    }
    const double distance =
        rv_lane_layout_x(layout, ticks->items[1].time_ns) - rv_lane_layout_x(layout, ticks->items[0].time_ns);
    return rv_time_axis_label_every(widest + TICK_SIZE, (float)distance);
}

static void add_tick_labels(struct rv_scene_labels *labels, const struct rv_pass *pass,
                            const struct rv_time_axis *ticks)
{
    const struct rv_lane_layout *layout = pass->layout;
    struct line line = {.up = {0.0f, 0.0f, -1.0f},
                        .size = TICK_SIZE,
                        .stretch = pass->camera->stretch,
                        .rgba = rv_theme_rgba(pass->theme->tick, 1.0f)};
    const unsigned every = label_every(labels, layout, ticks, line.stretch);
    for (size_t i = 0; i < ticks->n; i++) {
        line.origin[0] = (float)rv_lane_layout_x(layout, ticks->items[i].time_ns) + TICK_INDENT;
        line.origin[2] = layout->z_front + TICK_DISTANCE;
        if (ticks->items[i].number % every == 0)
            add_line(labels, &line, ticks->items[i].text);
    }
    line.origin[0] = TICK_INDENT;
    line.origin[2] = layout->z_front + TICK_DISTANCE + 1.2f * TICK_SIZE;
    line.rgba = rv_theme_rgba(pass->theme->now, 1.0f);
    add_line(labels, &line, ticks->base);
}

static struct rv_color face_color(const struct rv_scene_labels_content *content, const struct rv_box *box, size_t lane,
                                  enum rv_emphasis emphasis)
{
    const struct rv_view *view = rv_frame_data_content(content->picture);
    const struct rv_box_colors *colors = content->picture->colors;
    uint32_t colour_idx = rv_box_colors_index(colors, box, view->lanes[lane].thread);
    struct rv_color face = emphasis == RV_EMPHASIS_CHOSEN ? rv_theme_color(content->theme->accent)
                                                          : rv_box_colors_front(colors, colour_idx);
    return rv_theme_emphasize(content->theme, emphasis, face);
}

static enum rv_emphasis emphasis_of(const struct rv_scene_labels_content *content, const struct rv_box *box)
{
    const size_t at = (size_t)(box - rv_frame_data_content(content->picture)->boxes);
    return rv_emphasis_of(content->highlight, box, at);
}

uint32_t rv_scene_labels_colour(const struct rv_scene_labels_content *content, const struct rv_box *box, size_t lane)
{
    const enum rv_emphasis emphasis = emphasis_of(content, box);
    const struct rv_color face = face_color(content, box, lane, emphasis);
    return rv_theme_opaque(emphasis == RV_EMPHASIS_DIMMED ? rv_color_faint_ink(face) : rv_color_ink(face));
}

uint32_t rv_scene_labels_hollow_colour(const struct rv_scene_labels_content *content, const struct rv_box *box)
{
    const struct rv_color back = rv_theme_color(content->theme->background);
    const bool is_faint = emphasis_of(content, box) == RV_EMPHASIS_DIMMED;
    return rv_theme_opaque(is_faint ? rv_color_faint_ink(back) : rv_color_ink(back));
}

void rv_scene_labels_name(const struct rv_scene_labels_content *content, uint32_t id, char *out, size_t out_bytes)
{
    struct rv_subroutine subroutine = rv_subroutines_get(content->subroutines, id);
    if (rv_name_form(subroutine.line_form) & RV_NAME_STATE) /* shown by its colour */
        snprintf(out, out_bytes, "%s", subroutine.name);
    else
        rv_subroutine_full_name(&subroutine, out, out_bytes);
    (void)rv_text_end_whole(out);
}

/* Is it large enough on screen for text? */
static bool is_readable(const struct rv_camera *camera, const vec3 low, float right, float height)
{
    vec2 at, beside, above;
    bool is_before = rv_camera_project(camera, low, at) &&
                     rv_camera_project(camera, (vec3){right, low[1], low[2]}, beside) &&
                     rv_camera_project(camera, (vec3){low[0], low[1] + height, low[2]}, above);
    return is_before && fabsf(at[1] - above[1]) >= ROW_MIN_PX && glm_vec2_distance(at, beside) >= WIDTH_MIN_PX;
}

/* Lanes in front hide a part of the face: take the longest that is in sight, or a longer one before what is narrow. */
static void avoid(const struct rv_skyline *skyline, float pixel, struct caption_room *room)
{
    const float yz[2] = {room->y, room->z}, width = room->right - room->left;
    struct caption_room before = *room;
    (void)rv_skyline_narrow(skyline, RV_SKYLINE_OF_ALL, yz, &room->left, &room->right);
    const float in_sight = room->right - room->left;
    const float share = rv_skyline_narrow(skyline, RV_SKYLINE_OF_WIDE, yz, &before.left, &before.right);
    before.is_before = true;
    if (in_sight < fminf(width, IN_SIGHT_PX * pixel) && before.right - before.left > in_sight &&
        share >= IN_SIGHT_SHARE)
        *room = before;
}

static float least_width(const struct rv_pass *pass)
{
    return fmaxf(2.0f * CAPTION_PADDING, WIDTH_MIN_PX * pass->camera->pixel);
}

/* skyline: of the lanes in front; NULL: they hide nothing. False: it is too small. */
static bool find_room(const struct rv_pass *pass, const struct rv_scene_labels_content *content,
                      const struct rv_frame_data_wide *wide, const struct rv_skyline *skyline,
                      struct caption_room *room)
{
    const struct rv_lane_layout *layout = pass->layout;
    const struct rv_lane_layout_lane *lane = &layout->lanes[wide->lane];
    const struct rv_box *box = &rv_frame_data_content(content->picture)->boxes[wide->box];
    const struct rv_box_colors *colors = content->picture->colors;
    uint32_t colour_idx = rv_box_colors_index(colors, box, content->picture->view->lanes[wide->lane].thread);
    float share = rv_box_colors_height(colors, colour_idx);
    *room = (struct caption_room){.left = fmaxf(0.0f, (float)rv_lane_layout_x(layout, box->start_ns)),
                                  .right = fminf(layout->width, (float)rv_lane_layout_x(layout, rv_box_end_ns(box))),
                                  .z = lane->z + rv_lane_layout_thickness(lane, box->depth) + CAPTION_LIFT,
                                  .height = lane->row_height * layout->box_share * share,
                                  .size = fminf(lane->row_height * fminf(CAPTION_SHARE, share), CAPTION_SIZE_MAX)};
    const float foot = rv_lane_layout_row_y(lane, box->depth);
    room->y = foot + 0.5f * (room->height - CAP_HEIGHT * room->size);
    const float least = least_width(pass);
    if (skyline && room->right - room->left > least)
        avoid(skyline, pass->camera->pixel, room);
    return room->right - room->left > least &&
           is_readable(pass->camera, (vec3){room->left, foot, room->z}, room->right, room->height);
}

static void add_caption(struct rv_scene_labels *labels, const struct rv_pass *pass,
                        const struct rv_scene_labels_content *content, const struct rv_frame_data_wide *wide,
                        const struct caption_room *room)
{
    const struct rv_lane_layout *layout = pass->layout;
    const struct rv_box *box = &rv_frame_data_content(content->picture)->boxes[wide->box];
    char full[512], caption[CAPTION_BYTES];
    const struct rv_text_glyphs_font font = {labels->atlas, RV_FONT_LABEL};
    rv_scene_labels_name(content, box->id, full, sizeof full);
    float room_px = (room->right - room->left - 2.0f * CAPTION_PADDING) / (room->size * pass->camera->stretch) *
                    rv_font_atlas.faces[RV_FONT_LABEL].size_px;
    const struct rv_short_name_room name_room = rv_text_glyphs_room(&font, room_px);
    if (!rv_short_name_fit(full, &name_room, caption, sizeof caption))
        return;
    struct line line = {.origin = {room->left + CAPTION_PADDING, room->y, room->z},
                        .up = {0.0f, 1.0f, 0.0f},
                        .size = room->size,
                        .stretch = pass->camera->stretch,
                        .rgba = rv_scene_labels_colour(content, box, wide->lane)};
    const float width = line_width(labels, &line, caption);
    if (room->is_before) {
        const struct rv_color face = face_color(content, box, wide->lane, emphasis_of(content, box));
        add_plate(labels, &line, width, rv_theme_opaque(face));
    }
    if (rv_off_cpu_touches(&content->picture->off_cpu, wide->lane, (double)(line.origin[0] / layout->width),
                           (double)((line.origin[0] + width * line.stretch) / layout->width))) {
        add_plate(labels, &line, width, rv_theme_rgba(content->theme->background, RV_SCENE_LABELS_HOLLOW_PLATE));
        line.rgba = rv_scene_labels_hollow_colour(content, box);
    }
    add_line(labels, &line, caption);
}

static void keep(struct rv_scene_labels *labels, const struct caption_before *caption)
{
    labels->before =
        rv_vec_reserve(labels->before, &labels->before_capacity, labels->n_before + 1, sizeof *labels->before);
    labels->before[labels->n_before++] = *caption;
}

static void add_captions(struct rv_scene_labels *labels, const struct rv_pass *pass,
                         const struct rv_scene_labels_content *content)
{
    const struct rv_frame_data *picture = content->picture;
    const bool has_skyline = !pass->look->is_flat && pass->look->field_of_view <= 0.0f && pass->is_settled &&
                             rv_frame_data_content(picture)->n_boxes <= MOST_IN_SIGHT;
    struct rv_skyline skyline;
    if (has_skyline)
        rv_skyline_begin(&skyline, pass->layout, pass->camera, least_width(pass));
    size_t n_in_front = 0;
    for (size_t i = 0; i < picture->n_wide && picture->wide[i].lane < pass->layout->n_lanes; i++) {
        for (; has_skyline && n_in_front < picture->wide[i].lane; n_in_front++)
            rv_skyline_add(&skyline, rv_frame_data_content(picture), n_in_front);
        struct caption_before caption = {.wide = i};
        if (!find_room(pass, content, &picture->wide[i], has_skyline ? &skyline : NULL, &caption.room))
            continue;
        if (caption.room.is_before)
            keep(labels, &caption);
        else
            add_caption(labels, pass, content, &picture->wide[i], &caption.room);
    }
}

static void build(struct rv_scene_labels *labels, const struct rv_pass *pass,
                  const struct rv_scene_labels_content *content)
{
    labels->n = labels->n_before = 0;
    if (!pass->look->is_flat || !pass->is_settled)
        add_captions(labels, pass, content);
    bool has_own_axis = pass->look->field_of_view <= 0.0f && pass->is_settled;
    if (!has_own_axis && !pass->look->is_flat)
        add_tick_labels(labels, pass, content->ticks);
    labels->n_behind = labels->n;
    for (size_t i = 0; i < labels->n_before; i++)
        add_caption(labels, pass, content, &content->picture->wide[labels->before[i].wide], &labels->before[i].room);
}

static void draw(struct rv_scene_labels *labels, const struct rv_pass *pass, size_t first, size_t end)
{
    rv_pass_begin(pass, labels->program);
    rv_pass_set_int(labels->program, "u_atlas", 0);
    glActiveTexture(GL_TEXTURE0);
    rv_text_glyphs_bind(labels->atlas);
    glBindVertexArray(labels->vertex_array);
    const size_t offset =
        rv_vertex_ring_push(&labels->upload, labels->vertices + first, (end - first) * sizeof *labels->vertices);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, sizeof(struct vertex), (const void *)offset);
    glVertexAttribPointer(1, 2, GL_FLOAT, GL_FALSE, sizeof(struct vertex), (const void *)(offset + 12));
    glVertexAttribPointer(2, 4, GL_UNSIGNED_BYTE, GL_TRUE, sizeof(struct vertex), (const void *)(offset + 20));
    glDrawArrays(GL_TRIANGLES, 0, (GLsizei)(end - first));
    rv_vertex_ring_fence(&labels->upload);
}

void rv_scene_labels_draw(struct rv_scene_labels *labels, const struct rv_pass *pass,
                          const struct rv_scene_labels_content *content)
{
    build(labels, pass, content);
    draw(labels, pass, 0, labels->n_behind);
}

void rv_scene_labels_draw_before(struct rv_scene_labels *labels, const struct rv_pass *pass)
{
    if (labels->n == labels->n_behind)
        return;
    glDepthFunc(GL_ALWAYS);
    draw(labels, pass, labels->n_behind, labels->n);
    glDepthFunc(GL_LEQUAL);
}
