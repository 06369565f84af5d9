#version 330 core
// Arcs between lanes: each instance is a strip along its curve, of even width on the screen, with a head at its end.
//
//   a_from, a_to   world
//   a_look         rise (world), half width of the strip (pixels), strength 0..1, kind
//   u_up           direction of the rise
//   u_size         pixels of the picture
//   u_strength     of all
layout(location = 0) in vec3 a_from;
layout(location = 1) in vec3 a_to;
layout(location = 2) in vec4 a_look;

uniform mat4 u_view_projection;
uniform vec3 u_up;
uniform vec2 u_size;
uniform vec3 u_colours[6];
uniform float u_strength;

out vec4 v_colour;
out float v_across;
flat out float v_width;

const int PARTS = 16;
const float HEAD_PX = 11.0;
const float HEAD_HALF_PX = 3.0; // beyond the strip
const float STEP = 0.01;

vec4 place(float share)
{
    vec3 at = mix(a_from, a_to, share) + u_up * (4.0 * a_look.x * share * (1.0 - share));
    return u_view_projection * vec4(at, 1.0);
}

vec2 pixel(vec4 clip)
{
    return 0.5 * u_size * clip.xy / max(clip.w, 1e-4);
}

void main()
{
    float chord = length(pixel(place(1.0)) - pixel(place(0.5))) + length(pixel(place(0.5)) - pixel(place(0.0)));
    float head = clamp(HEAD_PX / max(chord, 1.0), 0.01, 0.45);
    int part = gl_VertexID / 2;
    float share = part == PARTS ? 1.0 : (1.0 - head) * min(float(part) / float(PARTS - 2), 1.0);
    float half_px = part == PARTS ? 0.0 : part == PARTS - 1 ? HEAD_HALF_PX + a_look.y : a_look.y;
    vec4 clip = place(share);
    vec2 along = pixel(place(min(share + STEP, 1.0))) - pixel(place(min(share, 1.0 - STEP)));
    vec2 across = length(along) > 1e-4 ? normalize(vec2(-along.y, along.x)) : vec2(0.0, 1.0);
    float side = (gl_VertexID & 1) == 0 ? -1.0 : 1.0;
    clip.xy += side * half_px * across * 2.0 / u_size * clip.w;
    v_colour = vec4(u_colours[int(a_look.w)], u_strength * a_look.z);
    v_across = side * half_px;
    v_width = part >= PARTS - 1 ? 1e3 : a_look.y;
    gl_Position = clip;
}
