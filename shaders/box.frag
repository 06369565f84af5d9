#version 330 core
// Shades a face: dark edges that fade on small faces, a shadow at the foot, light under the rim, a tint where garbage
// was collected, haze by distance. Cells have no edges and are as transparent as the time that they do not cover.
//
//   u_gc          0..1 over the window, a row per process: share of time inside a collection
//   u_gc_colour   linear
//   u_background  linear
//   u_haze        distance along the view at which haze begins, share of it per unit of distance
//   u_off_cpu     0..1 over the window, a row per lane: share of time in which its thread was blocked, was preempted
//   u_hollow      share of its colour that is left of a wall that is hollow then
//   u_width       world width of the window
//   u_edge        how dark an edge is, and the least size in pixels of a face that has one
//
// PLAIN draws exact boxes without marks, patterns and collections, which are most: the same colours at half the cost of
// a software renderer. OFF_CPU draws hollow walls, too. IDS draws the number of the box instead of its colour, in 24
// bits, red lowest.
//
// A wall is hollow, with its rims, where its thread was blocked, and thinner where it was preempted; what is folded is
// so much fainter. No state is shown by hue alone. The second half of the colours is striped. A call that began before
// tracing is hatched at its beginning; one that was cut is hatched at its end, the other way; one that is still open
// ends in bars.
in vec3 v_corner;
in float v_x;
flat in vec3 v_size;
flat in vec3 v_colour;
flat in float v_face;
flat in float v_relief;
flat in float v_light;
flat in int v_id;
flat in int v_marks;
flat in float v_gc_row;
flat in float v_off_cpu_row;

uniform sampler2D u_gc;
uniform vec3 u_gc_colour;
uniform sampler2D u_off_cpu;
uniform float u_hollow;
uniform vec3 u_background;
uniform vec2 u_haze;
uniform float u_width;
uniform vec2 u_edge;

layout(location = 0) out vec4 o_colour;

const vec3 LUMA = vec3(0.25, 0.65, 0.10);

const float STRIPE_PITCH = 0.17; // world
const float STRIPE_DARKER = 0.24;
const float END_PX = 12.0;
const float HATCH_PX = 5.0;
const float RIM_PX = 1.6; // of a hollow wall
const float RIM_MOST = 0.22; // of its height
const float RIM_LIGHT = 0.6; // what waits is not as bright as what runs
const float RIM_LEFT = 0.15; // how bright a wall is as a whole that is too low for rims: they would be all of it
const float THIN = 0.30; // height of a thinner wall

// Stripes: 1 in one half of each pitch, 0 in the other; their mean where they are finer than a pixel.
float stripes(float phase, float per_pixel)
{
    float wave = 2.0 * abs(fract(phase) - 0.5);
    float sharp = clamp((wave - 0.5) / max(2.0 * per_pixel, 1e-3) + 0.5, 0.0, 1.0);
    return mix(sharp, 0.5, clamp(3.3 * per_pixel - 0.66, 0.0, 1.0));
}

// The pattern of the face, or of an end that was not seen or was cut: light on dark colours, dark on light ones.
// Evaluated once, because a software renderer evaluates every branch.
vec3 mark(vec3 colour, vec2 along, vec2 per_pixel, vec2 ends_px, float reach_px)
{
    bool is_begin = (v_marks & 1) != 0 && ends_px.x < reach_px;
    bool is_end = (v_marks & 6) != 0 && ends_px.y < reach_px;
    float phase = (along.x + along.y) / STRIPE_PITCH, step_size = (per_pixel.x + per_pixel.y) / STRIPE_PITCH;
    float strength = (v_marks & 8) != 0 ? STRIPE_DARKER : 0.0;
    vec3 ink = vec3(0.0);
    if (v_face >= 0.0 && (is_begin || is_end)) {
        float slope = is_begin ? 0.5 : (v_marks & 4) != 0 ? 0.0 : -0.5;
        phase = (gl_FragCoord.x * (slope == 0.0 ? 1.0 : 0.5) + gl_FragCoord.y * slope) / HATCH_PX;
        step_size = 1.0 / HATCH_PX;
        strength = 0.6;
        ink = vec3(dot(colour, LUMA) > 0.35 ? 0.02 : 0.95);
    }
    return mix(colour, ink, strength * stripes(phase, step_size));
}

// Shadow at the foot, light under the rim; less of both where a row is too low for them, none on top.
float light(float y)
{
    float shade = mix(0.80, 1.0, smoothstep(0.0, 0.45, y)) * (1.0 + 0.10 * smoothstep(0.72, 1.0, y));
    return 1.0 + max(abs(v_face) - 1.0, 0.0) * (shade - 1.0);
}

// Along the face and from its foot to its rim.
vec2 across(vec3 box)
{
    return v_face > 0.0 ? box.xy : v_face < 0.0 ? box.zy : box.xz;
}

// None between bands of rows that are lower than a pixel.
float edge(vec2 at, vec2 size_px)
{
    vec2 border_px = min(at, 1.0 - at) * size_px;
    float near = 1.0 - smoothstep(0.4, 1.5, min(border_px.x, border_px.y));
    float most = v_relief > 0.0 ? u_edge.x : 0.0;
    return most * near * smoothstep(0.0, 4.5, min(size_px.x, size_px.y) - u_edge.y);
}

// How much of a wall is there, and how bright its rim is.
vec2 solid(vec2 at, vec2 size_px, bool is_fold)
{
#ifdef OFF_CPU
    vec2 off_cpu =
        texture(u_off_cpu, vec2(v_x / u_width, (v_off_cpu_row + 0.5) / float(textureSize(u_off_cpu, 0).y))).rg;
    float rim_px = min(RIM_PX, RIM_MOST * size_px.y), border_px = min(at.y, 1.0 - at.y) * size_px.y;
    float rim = is_fold ? 0.0 : RIM_LIGHT * (1.0 - smoothstep(rim_px - 0.5, rim_px + 0.5, border_px));
    rim = mix(is_fold ? 0.0 : RIM_LEFT, rim, v_relief * smoothstep(4.0, 9.0, size_px.y));
    float thin = is_fold ? THIN : v_face == 0.0 ? 0.0 : 1.0 - smoothstep(-0.5, 0.5, (at.y - THIN) * size_px.y);
    thin = mix(THIN, thin, v_relief);
    return vec2(clamp(1.0 - off_cpu.r * (1.0 - rim) - off_cpu.g * (1.0 - thin), 0.0, 1.0), off_cpu.r * rim);
#else
    return vec2(1.0, 0.0);
#endif
}

vec3 in_haze(vec3 colour)
{
    return mix(colour, u_background, 0.55 * smoothstep(0.0, 1.0, (1.0 / gl_FragCoord.w - u_haze.x) * u_haze.y));
}

#ifdef IDS
void main()
{
    o_colour = vec4(v_id & 255, v_id >> 8 & 255, v_id >> 16 & 255, 255) / 255.0;
}
#else
void main()
{
    vec2 at = across(v_corner);
    vec2 size_px = 1.0 / max(fwidth(at), vec2(1e-6));
    vec3 colour = v_colour * light(at.y);
#ifdef PLAIN
    o_colour = vec4(in_haze(colour * (1.0 - edge(at, size_px))), 1.0);
#else
    vec2 size = across(v_size);
    vec2 ends_px = vec2(at.x, 1.0 - at.x) * size_px.x;
    colour = mark(colour, at * size, size / size_px, ends_px, min(END_PX, 0.4 * size_px.x));
    vec2 wall = solid(at, size_px, v_light < 1.0);
    if (v_light < 1.0)
        colour = mix(colour, vec3(dot(colour, LUMA)), 0.15);
    else
        colour *= 1.0 - (1.0 - wall.y) * edge(at, size_px);
    colour = mix(mix(u_background, colour, u_hollow), colour, wall.x);
    float gc = texture(u_gc, vec2(v_x / u_width, (v_gc_row + 0.5) / float(textureSize(u_gc, 0).y))).r;
    vec3 tinted = mix(vec3(dot(colour, LUMA)), u_gc_colour, 0.22) * 0.85;
    colour = mix(colour, tinted, 0.7 * gc);
    o_colour = vec4(in_haze(colour), v_light);
#endif
}
#endif
