#version 330 core
// Floor, back wall, lane plates, tick lines: plain triangles.
//
//   a_position  world
//   a_colour    sRGB with straight alpha, 0..1
//   a_hatch     1: striped
layout(location = 0) in vec3 a_position;
layout(location = 1) in vec4 a_colour;
layout(location = 2) in float a_hatch;

uniform mat4 u_view_projection;

out vec4 v_colour;
flat out float v_hatch;

vec3 to_linear(vec3 srgb)
{
    return mix(srgb / 12.92, pow((srgb + 0.055) / 1.055, vec3(2.4)), step(0.04045, srgb));
}

void main()
{
    v_colour = vec4(to_linear(a_colour.rgb), a_colour.a);
    v_hatch = a_hatch;
    gl_Position = u_view_projection * vec4(a_position, 1.0);
}
