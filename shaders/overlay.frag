#version 330 core
// A glyph's coverage, or a rectangle with round corners by its distance function.
in vec2 v_detail;
flat in vec3 v_shape;
in vec4 v_colour;

uniform sampler2D u_atlas;

layout(location = 0) out vec4 o_colour;

void main()
{
    float coverage;
    if (v_shape.z < 0.0) {
        coverage = pow(texture(u_atlas, v_detail / vec2(textureSize(u_atlas, 0))).r, 0.85);
    } else {
        vec2 outside = abs(v_detail) - v_shape.xy + v_shape.z;
        float distance_px = length(max(outside, 0.0)) + min(max(outside.x, outside.y), 0.0) - v_shape.z;
        coverage = clamp(0.5 - distance_px, 0.0, 1.0);
    }
    o_colour = vec4(v_colour.rgb, v_colour.a * coverage);
}
