#version 330 core
// Colour with distance haze; hatched areas are striped across the screen.
//
//   u_background  linear
//   u_haze        distance along the view at which haze begins, share of it per unit of distance
//
// BARE draws triangles without hatching and haze.
in vec4 v_colour;
flat in float v_hatch;

uniform vec3 u_background;
uniform vec2 u_haze;

layout(location = 0) out vec4 o_colour;

const float HATCH_PX = 10.0;

void main()
{
#ifdef BARE
    o_colour = v_colour;
#else
    float stripe = step(0.5, fract((gl_FragCoord.x + gl_FragCoord.y) / HATCH_PX));
    float haze = smoothstep(0.0, 1.0, (1.0 / gl_FragCoord.w - u_haze.x) * u_haze.y);
    o_colour = vec4(mix(v_colour.rgb, u_background, 0.55 * haze), v_colour.a * mix(1.0, mix(0.2, 1.0, stripe), v_hatch));
#endif
}
