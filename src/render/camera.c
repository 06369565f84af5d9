#include "render/camera.h"

#define NEAR_MIN 0.5f
#define WALL_SHARE 0.55f      /* share of the highest lane's height that the visible wall has at least */
#define TICK_LABEL_ROOM 0.75f /* in front of the floor */
#define TICK_LABEL_WIDTH 1.3f /* of the last one, beyond the end of the window */
#define TALLER_MAX 1.7f       /* pixels of a height over those of a time of the same size */
#define EDGE 1e-3f            /* tolerance, so that a lane includes its first and last instant */
#define FLAT_DEPTH 4.0f       /* half of the visible z range of a flat view */
#define FAR 1e9f
#define STEP 0.01f /* world, along which the size of a pixel is measured */

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

struct fit {
    vec4 slopes; /* left, right, bottom, top */
    struct bounds x, y;
    size_t n_clear;                   /* lanes in front whose ends are below what is docked at the right */
    float clear_slope, clear_high;    /* right margin and bound of those, and of the ticks before them */
    float distance_min, distance_max; /* along the direction of view */
};

/* Slopes of the planes through the eye and the margins; 0 of an orthographic camera. */
static void margin_slopes(const struct frame *frame, const struct rv_camera_params *params, struct fit *fit)
{
    float width = (float)params->width_px, height = (float)params->height_px;
    fit->slopes[0] = frame->tan_x * (2.0f * params->left_px / width - 1.0f);
    fit->slopes[1] = frame->tan_x * (1.0f - 2.0f * params->right_px / width);
    fit->slopes[2] = frame->tan_y * (2.0f * params->bottom_px / height - 1.0f);
    fit->slopes[3] = frame->tan_y * (1.0f - 2.0f * params->top_px / height);
    fit->clear_slope = frame->tan_x * (1.0f - 2.0f * params->clear_right_px / width);
}

/* A point is inside when slope_low * d <= p - eye <= slope_high * d, d its distance before the eye. */
static void fit_point(struct fit *fit, const struct frame *frame, bool is_clear, const vec3 point)
{
    vec3 p;
    glm_vec3_copy((float *)point, p);
    float x = glm_vec3_dot(p, (float *)frame->right), y = glm_vec3_dot(p, (float *)frame->up);
    float distance = glm_vec3_dot(p, (float *)frame->forward);
    fit->x.low = fminf(fit->x.low, x - fit->slopes[0] * distance);
    if (is_clear)
        fit->clear_high = fmaxf(fit->clear_high, x - fit->clear_slope * distance);
    else
        fit->x.high = fmaxf(fit->x.high, x - fit->slopes[1] * distance);
    fit->y.low = fminf(fit->y.low, y - fit->slopes[2] * distance);
    fit->y.high = fmaxf(fit->y.high, y - fit->slopes[3] * distance);
    fit->distance_min = fminf(fit->distance_min, distance);
    fit->distance_max = fmaxf(fit->distance_max, distance);
}

static void fit_corners(struct fit *fit, const struct frame *frame, const struct rv_lane_layout *layout)
{
    const bool is_front_clear = fit->n_clear > 0;
    fit_point(fit, frame, is_front_clear,
              (vec3){layout->width + TICK_LABEL_WIDTH, 0.0f, layout->z_front + 0.5f * TICK_LABEL_ROOM});
    for (int side = 0; side < 2; side++) {
        float x = side ? layout->width : 0.0f;
        fit_point(fit, frame, is_front_clear, (vec3){x, 0.0f, layout->z_front + TICK_LABEL_ROOM});
        fit_point(fit, frame, false, (vec3){x, WALL_SHARE * layout->top, layout->z_back});
        for (size_t i = 0; i < layout->n_lanes; i++) {
            const struct rv_lane_layout_lane *lane = &layout->lanes[i];
            const float top = rv_lane_layout_lane_top(lane);
            fit_point(fit, frame, i < fit->n_clear, (vec3){x, top, lane->z + lane->half_thickness});
            fit_point(fit, frame, i < fit->n_clear, (vec3){x, top, lane->z - lane->half_thickness});
        }
    }
}

/* How far forward the eye may be for one axis of the picture: [high + s1 * e, low + s0 * e] must not be empty. */
static float limit_of(const struct bounds *bounds, const float slopes[2])
{
    return (bounds->low - bounds->high) / (slopes[1] - slopes[0]);
}

static float limit_across(const struct fit *fit)
{
    const struct bounds clear = {fit->x.low, fit->clear_high};
    return fminf(limit_of(&fit->x, fit->slopes), limit_of(&clear, (float[2]){fit->slopes[0], fit->clear_slope}));
}

static float limit_upwards(const struct fit *fit)
{
    return limit_of(&fit->y, fit->slopes + 2);
}

/* The stricter axis determines the distance; the other one is centred in its interval. */
static void place_eye(struct frame *frame, const struct fit *fit)
{
    const float *slopes = fit->slopes;
    float along = fminf(fminf(limit_across(fit), limit_upwards(fit)), fit->distance_min - 2.0f * NEAR_MIN);
    float right = fmaxf(fit->x.high + slopes[1] * along, fit->clear_high + fit->clear_slope * along);
    float x = 0.5f * (fit->x.low + slopes[0] * along + right);
    float y = 0.5f * (fit->y.low + slopes[2] * along + fit->y.high + slopes[3] * along);
    glm_vec3_scale(frame->right, x, frame->eye);
    glm_vec3_muladds(frame->up, y, frame->eye);
    glm_vec3_muladds(frame->forward, along, frame->eye);
}

static void fit_stage(struct fit *fit, const struct frame *frame, const struct rv_lane_layout *layout, size_t n_clear)
{
    fit->x = fit->y = (struct bounds){FAR, -FAR};
    fit->clear_high = -FAR;
    fit->n_clear = n_clear;
    fit->distance_min = FAR;
    fit->distance_max = -FAR;
    fit_corners(fit, frame, layout);
}

/* Window pixels, y down. */
static float height_of(const struct frame *frame, const struct rv_camera_params *params, const vec3 point)
{
    vec3 to;
    glm_vec3_sub((float *)point, (float *)frame->eye, to);
    const float slope = glm_vec3_dot(to, (float *)frame->up) / glm_vec3_dot(to, (float *)frame->forward);
    return 0.5f * (1.0f - slope / frame->tan_y) * (float)params->height_px;
}

/* Lanes in front of which the last quarter is below what is docked at the right. */
static size_t count_clear(const struct frame *frame, const struct rv_lane_layout *layout,
                          const struct rv_camera_params *params)
{
    size_t n = 0;
    for (; n < layout->n_lanes; n++) {
        const struct rv_lane_layout_lane *lane = &layout->lanes[n];
        const float top = rv_lane_layout_lane_top(lane), back = lane->z - lane->half_thickness;
        if (height_of(frame, params, (vec3){layout->width, top, back}) < params->clear_px ||
            height_of(frame, params, (vec3){0.75f * layout->width, top, back}) < params->clear_px)
            break;
    }
    return n;
}

/* The larger the picture, the fewer lanes are clear: as many as still are where they are fitted so. */
static void fit_below_docks(struct frame *frame, struct fit *fit, const struct rv_lane_layout *layout,
                            const struct rv_camera_params *params)
{
    for (size_t n = count_clear(frame, layout, params), n_left = 0; n > 0; n = n_left) {
        fit_stage(fit, frame, layout, n);
        place_eye(frame, fit);
        n_left = count_clear(frame, layout, params);
        if (n_left >= n)
            return;
    }
    if (fit->n_clear == 0)
        return;
    fit_stage(fit, frame, layout, 0);
    place_eye(frame, fit);
}

/* The eye and its directions; orthographic: these alone. */
static struct fit look_at(struct frame *frame, const struct rv_lane_layout *layout,
                          const struct rv_camera_params *params)
{
    struct fit fit = {.n_clear = 0};
    *frame = (struct frame){.tan_y = tanf(0.5f * params->look->field_of_view)};
    frame->tan_x = frame->tan_y * (float)params->width_px / (float)params->height_px;
    set_direction(frame, params);
    margin_slopes(frame, params, &fit);
    fit_stage(&fit, frame, layout, 0);
    if (params->look->field_of_view > 0.0f) {
        place_eye(frame, &fit);
        if (params->clear_px > 0.0f)
            fit_below_docks(frame, &fit, layout, params);
    }
    return fit;
}

static void fit_perspective(struct rv_camera *camera, const struct rv_lane_layout *layout,
                            const struct rv_camera_params *params)
{
    struct frame frame;
    struct fit fit = look_at(&frame, layout, params);
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

static float inside_height_px(const struct rv_camera_params *params)
{
    return fmaxf((float)params->height_px - params->top_px - params->bottom_px, 1.0f);
}

/* World size of a pixel where the lanes fill the margins, along each axis. */
static void pixels_of(const struct fit *fit, const struct rv_camera_params *params, vec2 out)
{
    out[0] = (fit->x.high - fit->x.low) / fmaxf((float)params->width_px - params->left_px - params->right_px, 1.0f);
    out[1] = (fit->y.high - fit->y.low) / inside_height_px(params);
}

/* Fill width and height independently, except that heights are stretched by TALLER_MAX at most. */
static struct rectangle frame_tilted(const struct fit *fit, const struct rv_camera_params *params)
{
    vec2 pixel;
    pixels_of(fit, params, pixel);
    float taller = fmaxf(pixel[1], pixel[0] / TALLER_MAX);
    float spare = 0.5f * inside_height_px(params) * (taller - pixel[1]);
    struct rectangle all = {.left = fit->x.low - params->left_px * pixel[0],
                            .bottom = fit->y.low - spare - params->bottom_px * taller};
    all.right = all.left + (float)params->width_px * pixel[0];
    all.top = all.bottom + (float)params->height_px * taller;
    return all;
}

static void fit_orthographic(struct rv_camera *camera, const struct rv_lane_layout *layout,
                             const struct rv_camera_params *params)
{
    struct frame frame;
    mat4 view, projection;
    struct fit fit = look_at(&frame, layout, params);
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

bool rv_camera_is_filled_upwards(const struct rv_lane_layout *layout, const struct rv_camera_params *params)
{
    struct frame frame;
    vec2 pixel;
    const struct fit fit = look_at(&frame, layout, params);
    if (params->look->field_of_view > 0.0f)
        return limit_upwards(&fit) <= limit_across(&fit);
    pixels_of(&fit, params, pixel);
    return pixel[1] >= pixel[0];
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

size_t rv_camera_lane_at(const struct rv_camera *camera, const struct rv_lane_layout *layout, const double px[2],
                         float *x)
{
    vec3 at;
    int axis = layout->is_flat ? 2 : 1; /* the axis along which zones are arranged */
    if (!meet_plane(camera, px, axis, 0.0f, at))
        return layout->n_lanes;
    *x = at[0];
    float across = at[3 - axis];
    for (size_t i = 0; i < layout->n_lanes; i++) {
        const float *zone = layout->lanes[i].zone;
        if (across >= fminf(zone[0], zone[1]) && across < fmaxf(zone[0], zone[1]))
            return i;
    }
    return layout->n_lanes;
}

size_t rv_camera_ground_at(const struct rv_camera *camera, const struct rv_lane_layout *layout, const double px[2],
                           float *x)
{
    vec3 at;
    const size_t lane = rv_camera_lane_at(camera, layout, px, x);
    if (lane < layout->n_lanes || layout->is_flat || !meet_plane(camera, px, 2, layout->z_back, at) || at[1] < 0.0f ||
        at[1] > layout->top * RV_LANE_LAYOUT_WALL_SHARE)
        return lane;
    *x = at[0];
    return layout->n_lanes ? layout->n_lanes - 1 : 0;
}
