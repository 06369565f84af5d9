#version 330 core
// Text lying in the scene: one quad a glyph, from a signed distance field.
//
//   a_position  world
//   a_texel     atlas, texels
//   a_colour    sRGB with straight alpha, 0..1
//   u_atlas     edge at 0.5
layout(location = 0) in vec3 a_position;
layout(location = 1) in vec2 a_texel;
layout(location = 2) in vec4 a_colour;

uniform mat4 u_view_projection;
uniform sampler2D u_atlas;

out vec2 v_texture;
out vec4 v_colour;

vec3 to_linear(vec3 srgb)
{
    return mix(srgb / 12.92, pow((srgb + 0.055) / 1.055, vec3(2.4)), step(0.04045, srgb));
}

void main()
{
    v_texture = a_texel / vec2(textureSize(u_atlas, 0));
    v_colour = vec4(to_linear(a_colour.rgb), a_colour.a);
    gl_Position = u_view_projection * vec4(a_position, 1.0);
    gl_Position.z -= 0.00006 * gl_Position.w; // in front of the face that it lies on
}
