#version 330 core
// Coverage of a glyph from its distance field, with edges about one pixel wide at any size. Four samples a pixel make a
// stroke thinner than a pixel as dark as it is wide. Blending is linear, which makes dark letters look thinner than
// light ones of the same shape: they are drawn wider by as much. What has no place in the atlas is all covered.
in vec2 v_texture;
in vec4 v_colour;

uniform sampler2D u_atlas;

layout(location = 0) out vec4 o_colour;

const float EDGE_DARK = 0.43;
const float EDGE_LIGHT = 0.50;

void main()
{
    vec2 right = 0.25 * dFdx(v_texture), up = 0.25 * dFdy(v_texture);
    vec4 distances = vec4(texture(u_atlas, v_texture + right + 0.5 * up).r, texture(u_atlas, v_texture - 0.5 * right + up).r,
                          texture(u_atlas, v_texture - right - 0.5 * up).r, texture(u_atlas, v_texture + 0.5 * right - up).r);
    float softness = clamp(0.5 * fwidth(dot(distances, vec4(0.25))), 0.02, 0.25);
    float edge = mix(EDGE_DARK, EDGE_LIGHT, v_colour.g);
    float coverage = dot(smoothstep(edge - softness, edge + softness, distances), vec4(0.25));
    if (v_texture.x < 0.0)
        coverage = 1.0;
    if (coverage < 0.02)
        discard;
    o_colour = vec4(v_colour.rgb, v_colour.a * coverage);
}
