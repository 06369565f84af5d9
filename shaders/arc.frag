#version 330 core
// Colour that fades at the strip's edges, with distance haze.
//
//   u_background  linear
//   u_haze        distance along the view at which haze begins, share of it per unit of distance
in vec4 v_colour;
in float v_across;
flat in float v_width;

uniform vec3 u_background;
uniform vec2 u_haze;

layout(location = 0) out vec4 o_colour;

void main()
{
    float haze = smoothstep(0.0, 1.0, (1.0 / gl_FragCoord.w - u_haze.x) * u_haze.y);
    float edge = 1.0 - smoothstep(v_width - 1.0, v_width, abs(v_across));
    o_colour = vec4(mix(v_colour.rgb, u_background, 0.55 * haze), v_colour.a * edge);
}
