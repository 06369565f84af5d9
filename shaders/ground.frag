#version 330 core
// Colour with distance haze.
//
//   u_background  linear
//   u_haze        distances along the view at which haze begins and is full
in vec4 v_colour;

uniform vec3 u_background;
uniform vec2 u_haze;

layout(location = 0) out vec4 o_colour;

void main()
{
    float haze = smoothstep(u_haze.x, u_haze.y, 1.0 / gl_FragCoord.w);
    o_colour = vec4(mix(v_colour.rgb, u_background, 0.55 * haze), v_colour.a);
}
