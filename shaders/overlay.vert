#version 330 core
// Flat rectangles and hinted text over the picture.
//
//   a_position  pixels, y down
//   a_detail    glyph: texels in the atlas; rectangle: pixels from its middle
//   a_shape     rectangle: half width, half height, corner radius (pixels); glyph: negative radius
//   a_colour    sRGB with straight alpha, 0..1; blended and stored as sRGB
//   u_size      pixels of the picture
layout(location = 0) in vec2 a_position;
layout(location = 1) in vec2 a_detail;
layout(location = 2) in vec3 a_shape;
layout(location = 3) in vec4 a_colour;

uniform vec2 u_size;

out vec2 v_detail;
flat out vec3 v_shape;
out vec4 v_colour;

void main()
{
    v_detail = a_detail;
    v_shape = a_shape;
    v_colour = a_colour;
    gl_Position = vec4(2.0 * a_position.x / u_size.x - 1.0, 1.0 - 2.0 * a_position.y / u_size.y, 0.0, 1.0);
}
