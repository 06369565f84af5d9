#version 330 core
// Coverage of a glyph from its distance field, about one pixel wide at any size.
in vec2 v_texture;
in vec4 v_colour;

uniform sampler2D u_atlas;

layout(location = 0) out vec4 o_colour;

void main()
{
    float distance_value = texture(u_atlas, v_texture).r;
    float softness = clamp(0.75 * fwidth(distance_value), 0.02, 0.35);
    float coverage = smoothstep(0.49 - softness, 0.49 + softness, distance_value);
    if (coverage < 0.02)
        discard;
    o_colour = vec4(v_colour.rgb, v_colour.a * coverage);
}
