#version 330 core
// One call as a box: 7 corners give the three faces that look towards the eye.
//
//   a_record     start (signed) and duration in units of time from the window's centre; paint: colour index 0..11,
//                cell 12, emphasis 14..15 unless u_highlight is set: 0 none, 1 dimmed, 2 brightened; a cell's
//                coverage 16..31, a call's began before 16, cut 17, open 18; place: depth 0..15, lane 16..31
//   a_id         id of the subroutine
//   u_time       world x of the window's centre, world x per unit
//   u_shape      thickness lost per depth, least share of thickness, share of a row that a box fills
//   u_fold       for cells, see render/cell_bar.h: the power of the coverage that gives the width, least width in pixels,
//                thickness as a share of a call's
//   u_lanes      per lane, 64 a row, two texels: z, half thickness, row height, y of its foot (world); its row in u_gc,
//                world width of a pixel, its row in u_off_cpu, rows that are one band: more than 1 where they are lower
//                than a pixel
//   u_heights    height of a box of shade 0, as a share of the height of a box of the last shade
//   u_colors     linear colour by (shade, 3 * slot + tone); colour index = 64 * slot + shade; tone: front, top, side
//   u_striped    the first striped slot, and the one after the last
//   u_eye        world, homogeneous
//   u_highlight  1 and its id if a subroutine is highlighted: its boxes are brightened, all others are dimmed
//   u_chosen     start, duration and place of the pinned box
//   u_accent     linear colour of the pinned box
//   u_lift       for brightened boxes: brightness added, share of white mixed in
//   u_veil       for dimmed boxes: the linear grey that is mixed in
// Outputs: v_corner in the unit box, v_size its world size, v_x its world x; v_face 0 top, 1..2 front, -1..-2 side, the
// farther from 0 the more the face is shaded from foot to rim (one value: a software renderer keeps colour and face of a
// triangle in one vector); v_relief 0 where rows are lower than a pixel, whose faces, gaps and shades would be patterns,
// 1 where each can be seen; v_light of a cell's bar 0..1, 1 = exact; v_id counts the boxes from 1; v_marks: began before
// 1, cut 2, open 4, striped 8.
layout(location = 0) in uvec4 a_record;
layout(location = 1) in uint a_id;

uniform mat4 u_view_projection;
uniform vec4 u_eye;
uniform vec2 u_time;
uniform vec3 u_shape;
uniform vec3 u_fold;
uniform float u_heights;
uniform sampler2D u_lanes;
uniform sampler2D u_colors;
uniform ivec2 u_striped;
uniform uvec2 u_highlight;
uniform uvec3 u_chosen;
uniform vec3 u_accent;
uniform vec2 u_lift;
uniform float u_veil;

out vec3 v_corner;
out float v_x;
flat out vec3 v_size;
flat out vec3 v_colour;
flat out float v_face;
flat out float v_relief;
flat out float v_light;
flat out int v_id;
flat out int v_marks;
flat out float v_gc_row;
flat out float v_off_cpu_row;

// Along each axis 1 is the side nearest to the eye. Corners 2, 4 and 6 are the provoking vertices, one for each face.
const vec3 CORNERS[7] = vec3[](vec3(1, 1, 1), vec3(1, 1, 0), vec3(1, 0, 0), vec3(1, 0, 1), vec3(0, 0, 1), vec3(0, 1, 1),
                               vec3(0, 1, 0));
const int TONES[7] = int[](2, 2, 2, 2, 0, 0, 1); // as u_colors has them
const float ACCENT_TONES[3] = float[](1.0, 1.2, 0.55);
const float FACES[3] = float[](1.0, 0.0, -1.0);
const float MEAN_LIGHT = 0.97; // of a face from foot to rim
const vec3 LUMA = vec3(0.25, 0.65, 0.10);
const float BEFORE_BAND = 1.02; // thickness of a bright box in a band

// Values of enum rv_emphasis.
uint emphasis_of()
{
    if (u_highlight.x != 0u && a_id == u_highlight.y)
        return a_record.xyw == u_chosen ? 3u : 2u;
    return max(a_record.z >> 14 & 3u, u_highlight.x);
}

vec3 emphasize(vec3 colour, uint emphasis)
{
    if (emphasis == 3u)
        return u_accent * ACCENT_TONES[TONES[gl_VertexID]];
    if (emphasis == 2u)
        return mix(colour * u_lift.x, vec3(1.0), u_lift.y);
    return emphasis == 1u ? mix(vec3(u_veil), mix(vec3(dot(colour, LUMA)), colour, 0.35), 0.45) : colour;
}

void main()
{
    float depth = float(a_record.w & 0xFFFFu);
    int lane_idx = int(a_record.w >> 16);
    vec4 lane = texelFetch(u_lanes, ivec2(2 * (lane_idx & 63), lane_idx >> 6), 0);
    vec4 about_lane = texelFetch(u_lanes, ivec2(2 * (lane_idx & 63) + 1, lane_idx >> 6), 0);
    bool is_cell = (a_record.z & 0x1000u) != 0u;
    v_gc_row = about_lane.x;
    v_off_cpu_row = about_lane.z;
    float width = float(a_record.y) * u_time.y, share = 1.0, thickness = lane.y * max(u_shape.y, 1.0 - u_shape.x * depth);
    v_light = 1.0;
#ifndef PLAIN
    if (is_cell) { // PLAIN has none, and a software renderer would take the power at every vertex
        float coverage = float(a_record.z >> 16) / 65535.0;
        share = max(pow(coverage, u_fold.x), u_fold.y * about_lane.y / max(width, 1e-9));
#ifdef IDS
        share = min(share, 1.0);
#endif
        v_light = coverage / share;
        if (share > 1.0) // so many bars lie over one another
            v_light = 1.0 - pow(1.0 - coverage, 1.0 / share);
        thickness *= u_fold.z;
    }
#endif
    v_relief = clamp(0.5 * lane.z / about_lane.y - 0.5, 0.0, 1.0);
    float height = mix(1.0, u_shape.z, v_relief) * mix(u_heights, 1.0, float(a_record.z & 63u) / 63.0);
    uint emphasis = emphasis_of();
    float band = about_lane.w, in_band = mod(depth, band);
    if (band > 1.0) { // its lowest row, and what is brightened in it
        bool is_bright = emphasis >= 2u;
        bool is_shown = in_band == 0.0 || is_bright;
        height = is_shown ? band : 0.0;
        share = is_shown ? share : 0.0;
        thickness *= is_bright ? BEFORE_BAND : 1.0;
        depth -= in_band;
    }
    float x = u_time.x + float(int(a_record.x)) * u_time.y + 0.5 * (1.0 - share) * width;
    vec3 low = vec3(x, lane.w + depth * lane.z, lane.x - thickness);
    vec3 high = vec3(x + share * width, lane.w + (depth + height) * lane.z, lane.x + thickness);

    bvec3 mirrored = lessThan(u_eye.xyz, 0.5 * u_eye.w * (low + high));
    vec3 corner = CORNERS[gl_VertexID];
    v_corner = mix(corner, 1.0 - corner, vec3(mirrored));
    vec3 world = mix(low, high, v_corner);
    v_x = world.x;
    v_size = high - low;
    v_id = gl_InstanceID + 1;
    int tone = TONES[gl_VertexID];
    float mean = mix(MEAN_LIGHT, 1.0, v_relief);
    v_face = FACES[tone] * (1.0 + v_relief / mean);

    int colour_idx = int(a_record.z & 0xFFFu);
    int slot = colour_idx >> 6;
    v_marks = (is_cell ? 0 : int(a_record.z >> 16) & 7) | (slot >= u_striped.x && slot < u_striped.y ? 8 : 0);
    int row = 3 * slot + (v_relief > 0.0 ? tone : 0);
    vec3 colour = texelFetch(u_colors, ivec2(colour_idx & 63, row), 0).rgb;
    v_colour = emphasize(colour, emphasis) * (1.0 + 0.035 * v_relief * (2.0 * mod(depth, 2.0) - 1.0)) * mean;
    gl_Position = u_view_projection * vec4(world, 1.0);
}
