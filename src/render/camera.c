#include "render/camera.h"

#define FIELD_OF_VIEW 0.50f /* vertical, radians */
#define AZIMUTH -0.30f
#define ELEVATION 0.50f
#define NEAR_MIN 0.5f
#define WALL_SHARE 0.55f      /* of the highest lane: how much of the wall behind it is kept in sight */
#define TICK_LABEL_ROOM 0.75f /* in front of the floor */
#define TICK_LABEL_WIDTH 1.3f /* of the last one, beyond the end of the window */

struct bounds { /* of p - slope * distance, for one axis of the picture */
    float low, high;
};

static void set_direction(struct rv_camera *camera)
{
    vec3 back = {sinf(AZIMUTH) * cosf(ELEVATION), sinf(ELEVATION), cosf(AZIMUTH) * cosf(ELEVATION)};
    glm_vec3_negate_to(back, camera->forward);
    glm_vec3_crossn(camera->forward, (vec3){0.0f, 1.0f, 0.0f}, camera->right);
    glm_vec3_cross(camera->right, camera->forward, camera->up);
}

/* Slopes of the margins' planes through the eye. */
static void margin_slopes(const struct rv_camera *camera, const struct rv_camera_params *params, vec4 slopes)
{
    float width = (float)params->width_px, height = (float)params->height_px;
    slopes[0] = camera->tan_x * (2.0f * params->left_px / width - 1.0f);
    slopes[1] = camera->tan_x * (1.0f - 2.0f * params->right_px / width);
    slopes[2] = camera->tan_y * (2.0f * params->bottom_px / height - 1.0f);
    slopes[3] = camera->tan_y * (1.0f - 2.0f * params->top_px / height);
}

struct fit {
    vec4 slopes; /* left, right, bottom, top */
    struct bounds x, y;
    float distance_min, distance_max; /* along the direction of view */
};

/* A point is inside when slope_low * d <= p - eye <= slope_high * d, d its distance before the eye. */
static void fit_point(struct fit *fit, const struct rv_camera *camera, const vec3 point)
{
    vec3 p;
    glm_vec3_copy((float *)point, p);
    float x = glm_vec3_dot(p, (float *)camera->right), y = glm_vec3_dot(p, (float *)camera->up);
    float distance = glm_vec3_dot(p, (float *)camera->forward);
    fit->x.low = fminf(fit->x.low, x - fit->slopes[0] * distance);
    fit->x.high = fmaxf(fit->x.high, x - fit->slopes[1] * distance);
    fit->y.low = fminf(fit->y.low, y - fit->slopes[2] * distance);
    fit->y.high = fmaxf(fit->y.high, y - fit->slopes[3] * distance);
    fit->distance_min = fminf(fit->distance_min, distance);
    fit->distance_max = fmaxf(fit->distance_max, distance);
}

static void fit_corners(struct fit *fit, const struct rv_camera *camera, const struct rv_stage *stage)
{
    fit_point(fit, camera, (vec3){stage->width + TICK_LABEL_WIDTH, 0.0f, stage->z_front + 0.5f * TICK_LABEL_ROOM});
    for (int side = 0; side < 2; side++) {
        float x = side ? stage->width : 0.0f;
        fit_point(fit, camera, (vec3){x, 0.0f, stage->z_front + TICK_LABEL_ROOM});
        fit_point(fit, camera, (vec3){x, WALL_SHARE * stage->top, stage->z_back});
        for (size_t i = 0; i < stage->n_lanes; i++) {
            const struct rv_stage_lane *lane = &stage->lanes[i];
            fit_point(fit, camera, (vec3){x, rv_stage_lane_top(lane), lane->z + lane->half_thickness});
            fit_point(fit, camera, (vec3){x, rv_stage_lane_top(lane), lane->z - lane->half_thickness});
        }
    }
}

/*
 * Each axis bounds how far forward the eye may stand: its allowed interval [high + s1 * e, low + s0 * e] must not be
 * empty. The nearer of the two axes decides; the other is centred in what is left.
 */
static void place_eye(struct rv_camera *camera, const struct fit *fit)
{
    const float *slopes = fit->slopes;
    float along_x = (fit->x.low - fit->x.high) / (slopes[1] - slopes[0]);
    float along_y = (fit->y.low - fit->y.high) / (slopes[3] - slopes[2]);
    float along = fminf(fminf(along_x, along_y), fit->distance_min - 2.0f * NEAR_MIN);
    float x = 0.5f * (fit->x.low + slopes[0] * along + fit->x.high + slopes[1] * along);
    float y = 0.5f * (fit->y.low + slopes[2] * along + fit->y.high + slopes[3] * along);
    glm_vec3_scale(camera->right, x, camera->eye);
    glm_vec3_muladds(camera->up, y, camera->eye);
    glm_vec3_muladds(camera->forward, along, camera->eye);
}

void rv_camera_fit(struct rv_camera *camera, const struct rv_stage *stage, const struct rv_camera_params *params)
{
    camera->width_px = params->width_px;
    camera->height_px = params->height_px;
    camera->tan_y = tanf(0.5f * FIELD_OF_VIEW);
    camera->tan_x = camera->tan_y * (float)params->width_px / (float)params->height_px;
    set_direction(camera);
    struct fit fit = {.x = {1e9f, -1e9f}, .y = {1e9f, -1e9f}, .distance_min = 1e9f, .distance_max = -1e9f};
    margin_slopes(camera, params, fit.slopes);
    fit_corners(&fit, camera, stage);
    place_eye(camera, &fit);
    float along = glm_vec3_dot(camera->eye, camera->forward);
    camera->pixel = 2.0f * camera->tan_y * (fit.distance_min - along) / (float)params->height_px;
    mat4 view, projection;
    glm_look(camera->eye, camera->forward, camera->up, view);
    float near = fmaxf(NEAR_MIN, 0.5f * (fit.distance_min - along));
    glm_perspective(FIELD_OF_VIEW, camera->tan_x / camera->tan_y, near, 1.5f * (fit.distance_max - along) + 10.0f,
                    projection);
    glm_mat4_mul(projection, view, camera->view_projection);
}

bool rv_camera_project(const struct rv_camera *camera, const vec3 point, vec2 out_px)
{
    vec3 offset;
    glm_vec3_sub((float *)point, (float *)camera->eye, offset);
    float distance = glm_vec3_dot(offset, (float *)camera->forward);
    if (distance <= NEAR_MIN)
        return false;
    float x = glm_vec3_dot(offset, (float *)camera->right) / (distance * camera->tan_x);
    float y = glm_vec3_dot(offset, (float *)camera->up) / (distance * camera->tan_y);
    out_px[0] = (x + 1.0f) * 0.5f * (float)camera->width_px;
    out_px[1] = (1.0f - y) * 0.5f * (float)camera->height_px;
    return true;
}

static void ray_through(const struct rv_camera *camera, double x_px, double y_px, vec3 ray)
{
    float x = (float)(2.0 * x_px / camera->width_px - 1.0) * camera->tan_x;
    float y = (float)(1.0 - 2.0 * y_px / camera->height_px) * camera->tan_y;
    glm_vec3_copy((float *)camera->forward, ray);
    glm_vec3_muladds((float *)camera->right, x, ray);
    glm_vec3_muladds((float *)camera->up, y, ray);
}

/* x and y where the ray meets the plane z; false when it runs along it or away from it. */
static bool meet_plane(const struct rv_camera *camera, const vec3 ray, float z, vec2 out)
{
    float steps = (z - camera->eye[2]) / ray[2];
    if (!(steps > 0.0f) || steps > 1e6f)
        return false;
    out[0] = camera->eye[0] + ray[0] * steps;
    out[1] = camera->eye[1] + ray[1] * steps;
    return true;
}

double rv_camera_x_at(const struct rv_camera *camera, const struct rv_stage *stage, double x_px, double y_px)
{
    vec3 ray;
    vec2 at = {0.0f, 0.0f};
    ray_through(camera, x_px, y_px, ray);
    for (size_t i = 0; i < stage->n_lanes; i++) {
        const struct rv_stage_lane *lane = &stage->lanes[i];
        bool is_hit = meet_plane(camera, ray, lane->z + lane->half_thickness, at);
        if (is_hit && at[1] >= 0.0f && at[1] <= rv_stage_lane_top(lane) && at[0] >= 0.0f && at[0] <= stage->width)
            return (double)at[0];
    }
    float down = ray[1] < 0.0f ? -camera->eye[1] / ray[1] : -1.0f;
    float z = camera->eye[2] + ray[2] * down;
    if (down > 0.0f && z >= stage->z_back)
        return (double)(camera->eye[0] + ray[0] * down);
    meet_plane(camera, ray, stage->z_back, at);
    return (double)at[0];
}
