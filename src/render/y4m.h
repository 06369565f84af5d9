/* A YUV4MPEG2 stream of pictures: 4:4:4, BT.709, limited range. Players and encoders read it from a file or a pipe. */
#ifndef RV_RENDER_Y4M_H
#define RV_RENDER_Y4M_H

#include <stdint.h>
#include <stdio.h>

/* Write the header. Errors are reported by rv_y4m_add() and by closing the stream. */
void rv_y4m_begin(FILE *file, const int size_px[2], unsigned fps);

/*
 * Add one picture.
 *   rgba     rows top first; alpha is ignored
 *   planes   scratch of 3 bytes a pixel
 *   returns  0, or the negative errno of the stream
 */
int rv_y4m_add(FILE *file, const uint8_t *rgba, const int size_px[2], uint8_t *planes);

#endif
