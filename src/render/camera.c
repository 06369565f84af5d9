#include "render/camera.h"

#define NEAR_MIN 0.5f
#define WALL_SHARE 0.55f      /* share of the highest lane's height that the visible wall has at least */
#define TICK_LABEL_ROOM 0.75f /* in front of the floor */
#define TICK_LABEL_WIDTH 1.3f /* of the last one, beyond the end of the window */
#define TALLER_MAX 1.7f       /* pixels of a height over those of a time of the same size */
#define EDGE 1e-3f            /* tolerance, so that a lane includes its first and last instant */
#define FLAT_DEPTH 4.0f       /* half of the visible z range of a flat view */
#define STEP 0.01f            /* world, along which the size of a pixel is measured */

struct frame {                    /* coordinate frame of the eye */
    vec3 eye, right, up, forward; /* orthonormal directions */
    float tan_x, tan_y;           /* half the picture's width and height at distance 1 */
};

struct bounds { /* of p - slope * distance, for one axis of the picture */
    float low, high;
};

static void set_direction(struct frame *frame, const struct rv_camera_params *params)
{
    bool has_orbit = params->look->field_of_view > 0.0f;
    float azimuth = params->look->azimuth + (has_orbit ? params->orbit[0] : 0.0f);
    float elevation = params->look->elevation + (has_orbit ? params->orbit[1] : 0.0f);
    vec3 back = {sinf(azimuth) * cosf(elevation), sinf(elevation), cosf(azimuth) * cosf(elevation)};
    glm_vec3_negate_to(back, frame->forward);
    glm_vec3_crossn(frame->forward, (vec3){0.0f, 1.0f, 0.0f}, frame->right);
    glm_vec3_cross(frame->right, frame->forward, frame->up);
}

/* Slopes of the planes through the eye and the margins. */
static void margin_slopes(const struct frame *frame, const struct rv_camera_params *params, vec4 slopes)
{
    float width = (float)params->width_px, height = (float)params->height_px;
    slopes[0] = frame->tan_x * (2.0f * params->left_px / width - 1.0f);
    slopes[1] = frame->tan_x * (1.0f - 2.0f * params->right_px / width);
    slopes[2] = frame->tan_y * (2.0f * params->bottom_px / height - 1.0f);
    slopes[3] = frame->tan_y * (1.0f - 2.0f * params->top_px / height);
}

struct fit {
    vec4 slopes; /* left, right, bottom, top */
    struct bounds x, y;
    float distance_min, distance_max; /* along the direction of view */
};

/* A point is inside when slope_low * d <= p - eye <= slope_high * d, d its distance before the eye. */
static void fit_point(struct fit *fit, const struct frame *frame, const vec3 point)
{
    vec3 p;
    glm_vec3_copy((float *)point, p);
    float x = glm_vec3_dot(p, (float *)frame->right), y = glm_vec3_dot(p, (float *)frame->up);
    float distance = glm_vec3_dot(p, (float *)frame->forward);
    fit->x.low = fminf(fit->x.low, x - fit->slopes[0] * distance);
    fit->x.high = fmaxf(fit->x.high, x - fit->slopes[1] * distance);
    fit->y.low = fminf(fit->y.low, y - fit->slopes[2] * distance);
    fit->y.high = fmaxf(fit->y.high, y - fit->slopes[3] * distance);
    fit->distance_min = fminf(fit->distance_min, distance);
    fit->distance_max = fmaxf(fit->distance_max, distance);
}

static void fit_corners(struct fit *fit, const struct frame *frame, const struct rv_lane_layout *layout)
{
    fit_point(fit, frame, (vec3){layout->width + TICK_LABEL_WIDTH, 0.0f, layout->z_front + 0.5f * TICK_LABEL_ROOM});
    for (int side = 0; side < 2; side++) {
        float x = side ? layout->width : 0.0f;
        fit_point(fit, frame, (vec3){x, 0.0f, layout->z_front + TICK_LABEL_ROOM});
        fit_point(fit, frame, (vec3){x, WALL_SHARE * layout->top, layout->z_back});
        for (size_t i = 0; i < layout->n_lanes; i++) {
            const struct rv_lane_layout_lane *lane = &layout->lanes[i];
            fit_point(fit, frame, (vec3){x, rv_lane_layout_lane_top(lane), lane->z + lane->half_thickness});
            fit_point(fit, frame, (vec3){x, rv_lane_layout_lane_top(lane), lane->z - lane->half_thickness});
        }
    }
}

/*
 * Each axis limits how far forward the eye may be: its allowed interval [high + s1 * e, low + s0 * e] must not be
 * empty. The stricter axis determines the distance; the other one is centred in its interval.
 */
static void place_eye(struct frame *frame, const struct fit *fit)
{
    const float *slopes = fit->slopes;
    float along_x = (fit->x.low - fit->x.high) / (slopes[1] - slopes[0]);
    float along_y = (fit->y.low - fit->y.high) / (slopes[3] - slopes[2]);
    float along = fminf(fminf(along_x, along_y), fit->distance_min - 2.0f * NEAR_MIN);
    float x = 0.5f * (fit->x.low + slopes[0] * along + fit->x.high + slopes[1] * along);
    float y = 0.5f * (fit->y.low + slopes[2] * along + fit->y.high + slopes[3] * along);
    glm_vec3_scale(frame->right, x, frame->eye);
    glm_vec3_muladds(frame->up, y, frame->eye);
    glm_vec3_muladds(frame->forward, along, frame->eye);
}

static struct fit fit_stage(const struct frame *frame, const struct rv_lane_layout *layout, const vec4 slopes)
{
    struct fit fit = {.x = {1e9f, -1e9f}, .y = {1e9f, -1e9f}, .distance_min = 1e9f, .distance_max = -1e9f};
    glm_vec4_copy((float *)slopes, fit.slopes);
    fit_corners(&fit, frame, layout);
    return fit;
}

static void fit_perspective(struct rv_camera *camera, const struct rv_lane_layout *layout,
                            const struct rv_camera_params *params)
{
    struct frame frame = {.tan_y = tanf(0.5f * params->look->field_of_view)};
    vec4 slopes;
    frame.tan_x = frame.tan_y * (float)params->width_px / (float)params->height_px;
    set_direction(&frame, params);
    margin_slopes(&frame, params, slopes);
    struct fit fit = fit_stage(&frame, layout, slopes);
    place_eye(&frame, &fit);
    float along = glm_vec3_dot(frame.eye, frame.forward);
    mat4 view, projection;
    glm_look(frame.eye, frame.forward, frame.up, view);
    float near = fmaxf(NEAR_MIN, 0.5f * (fit.distance_min - along));
    glm_perspective(params->look->field_of_view, frame.tan_x / frame.tan_y, near,
                    1.5f * (fit.distance_max - along) + 10.0f, projection);
    glm_mat4_mul(projection, view, camera->view_projection);
    glm_vec4(frame.eye, 1.0f, camera->eye);
    camera->pixel = 2.0f * frame.tan_y * (fit.distance_min - along) / (float)params->height_px;
    camera->stretch = 1.0f;
}

struct rectangle { /* visible part of the view plane */
    float left, right, bottom, top;
};

static struct rectangle frame_flat(const struct rv_lane_layout *layout, const struct rv_camera_params *params)
{
    float inside_px = fmaxf((float)params->width_px - params->left_px - params->right_px, 1.0f);
    float x_pixel = layout->width / inside_px, y_pixel = RV_LANE_LAYOUT_POINT / (float)params->scale;
    struct rectangle all = {.left = -params->left_px * x_pixel, .bottom = -params->bottom_px * y_pixel};
    all.right = all.left + (float)params->width_px * x_pixel;
    all.top = all.bottom + (float)params->height_px * y_pixel;
    return all;
}

/* Fill width and height independently, except that heights are stretched by TALLER_MAX at most. */
static struct rectangle frame_tilted(const struct fit *fit, const struct rv_camera_params *params)
{
    float inside_x = fmaxf((float)params->width_px - params->left_px - params->right_px, 1.0f);
    float inside_y = fmaxf((float)params->height_px - params->top_px - params->bottom_px, 1.0f);
    float x_pixel = (fit->x.high - fit->x.low) / inside_x;
    float y_pixel = fmaxf((fit->y.high - fit->y.low) / inside_y, x_pixel / TALLER_MAX);
    float spare = 0.5f * (inside_y * y_pixel - (fit->y.high - fit->y.low));
    struct rectangle all = {.left = fit->x.low - params->left_px * x_pixel,
                            .bottom = fit->y.low - spare - params->bottom_px * y_pixel};
    all.right = all.left + (float)params->width_px * x_pixel;
    all.top = all.bottom + (float)params->height_px * y_pixel;
    return all;
}

static void fit_orthographic(struct rv_camera *camera, const struct rv_lane_layout *layout,
                             const struct rv_camera_params *params)
{
    struct frame frame = {.tan_x = 0.0f};
    mat4 view, projection;
    set_direction(&frame, params);
    struct fit fit = fit_stage(&frame, layout, (vec4){0.0f, 0.0f, 0.0f, 0.0f});
    struct rectangle all = layout->is_flat ? frame_flat(layout, params) : frame_tilted(&fit, params);
    float near = layout->is_flat ? -FLAT_DEPTH : fit.distance_min - 1.0f;
    float far = layout->is_flat ? FLAT_DEPTH : fit.distance_max + 1.0f;
    glm_look(frame.eye, frame.forward, frame.up, view);
    glm_ortho(all.left, all.right, all.bottom, all.top, near, far, projection);
    glm_mat4_mul(projection, view, camera->view_projection);
    glm_vec4((vec3){-frame.forward[0], -frame.forward[1], -frame.forward[2]}, 0.0f, camera->eye);
    camera->pixel = (all.right - all.left) / (float)params->width_px;
    camera->stretch = camera->pixel * (float)params->height_px / (all.top - all.bottom) * cosf(params->look->elevation);
}

void rv_camera_fit(struct rv_camera *camera, const struct rv_lane_layout *layout, const struct rv_camera_params *params)
{
    camera->width_px = params->width_px;
    camera->height_px = params->height_px;
    if (params->look->field_of_view > 0.0f)
        fit_perspective(camera, layout, params);
    else
        fit_orthographic(camera, layout, params);
}

void rv_camera_mix(struct rv_camera *camera, const struct rv_camera *from, float share)
{
    for (int i = 0; i < 4; i++)
        glm_vec4_lerp((float *)from->view_projection[i], camera->view_projection[i], share, camera->view_projection[i]);
    glm_vec4_lerp((float *)from->eye, camera->eye, share, camera->eye);
    camera->pixel = from->pixel + share * (camera->pixel - from->pixel);
    camera->stretch = from->stretch + share * (camera->stretch - from->stretch);
}

static double clip_of(const struct rv_camera *camera, int row, const vec3 point)
{
    double sum = (double)camera->view_projection[3][row];
    for (int i = 0; i < 3; i++)
        sum += (double)camera->view_projection[i][row] * (double)point[i];
    return sum;
}

float rv_camera_distance(const struct rv_camera *camera, const vec3 point)
{
    return (float)clip_of(camera, 3, point);
}

bool rv_camera_project(const struct rv_camera *camera, const vec3 point, vec2 out_px)
{
    double w = clip_of(camera, 3, point);
    if (w <= (double)NEAR_MIN)
        return false;
    out_px[0] = (float)((clip_of(camera, 0, point) / w + 1.0) * 0.5 * camera->width_px);
    out_px[1] = (float)((1.0 - clip_of(camera, 1, point) / w) * 0.5 * camera->height_px);
    return true;
}

static float pixel_at(const struct rv_camera *camera, const vec3 point)
{
    vec3 beside = {point[0] + STEP, point[1], point[2]};
    vec2 from, to;
    if (!rv_camera_project(camera, point, from) || !rv_camera_project(camera, beside, to))
        return camera->pixel;
    return STEP / fmaxf(hypotf(to[0] - from[0], to[1] - from[1]), 1e-6f);
}

float rv_camera_lane_pixel(const struct rv_camera *camera, const struct rv_lane_layout *layout, size_t lane)
{
    vec3 middle = {0.5f * layout->width, layout->lanes[lane].y, layout->lanes[lane].z};
    return pixel_at(camera, middle);
}

/*
 * Intersect the ray of a position with the plane where one axis (1 or 2) has this value: a position is two planes, each
 * a row of the matrix less its share of w. False when the ray is parallel to the plane or meets it behind the eye.
 */
static bool meet_plane(const struct rv_camera *camera, const double px[2], int axis, float value, vec3 out)
{
    double share[2] = {2.0 * px[0] / camera->width_px - 1.0, 1.0 - 2.0 * px[1] / camera->height_px}, a[2][3];
    int other = 3 - axis;
    for (int i = 0; i < 2; i++) {
        double plane[4];
        for (int j = 0; j < 4; j++)
            plane[j] = (double)camera->view_projection[j][i] - share[i] * (double)camera->view_projection[j][3];
        a[i][0] = plane[0];
        a[i][1] = plane[other];
        a[i][2] = plane[axis] * (double)value + plane[3];
    }
    double determinant = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    if (fabs(determinant) < 1e-12)
        return false;
    out[0] = (float)((a[0][1] * a[1][2] - a[1][1] * a[0][2]) / determinant);
    out[other] = (float)((a[1][0] * a[0][2] - a[0][0] * a[1][2]) / determinant);
    out[axis] = value;
    return clip_of(camera, 3, out) > 0.0;
}

double rv_camera_x_at(const struct rv_camera *camera, const struct rv_lane_layout *layout, double x_px, double y_px)
{
    double px[2] = {x_px, y_px};
    vec3 at = {0.0f, 0.0f, 0.0f};
    for (size_t i = 0; i < layout->n_lanes; i++) {
        const struct rv_lane_layout_lane *lane = &layout->lanes[i];
        bool is_hit = meet_plane(camera, px, 2, lane->z + lane->half_thickness, at);
        float height = at[1] - lane->y;
        if (is_hit && height >= 0.0f && height <= rv_lane_layout_lane_top(lane) && at[0] >= -EDGE &&
            at[0] <= layout->width + EDGE)
            return (double)at[0];
    }
    if (!layout->is_flat && meet_plane(camera, px, 1, 0.0f, at) && at[2] >= layout->z_back)
        return (double)at[0];
    meet_plane(camera, px, 2, layout->z_back, at);
    return (double)at[0];
}

size_t rv_camera_lane_at(const struct rv_camera *camera, const struct rv_lane_layout *layout, double x_px, double y_px)
{
    vec3 at;
    int axis = layout->is_flat ? 2 : 1; /* the axis along which zones are arranged */
    if (!meet_plane(camera, (double[2]){x_px, y_px}, axis, 0.0f, at))
        return layout->n_lanes;
    float across = at[3 - axis];
    for (size_t i = 0; i < layout->n_lanes; i++) {
        const float *zone = layout->lanes[i].zone;
        if (across >= fminf(zone[0], zone[1]) && across < fmaxf(zone[0], zone[1]))
            return i;
    }
    return layout->n_lanes;
}
