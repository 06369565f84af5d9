/* The atlas as a texture. Main thread, with a current context. */
#ifndef RV_GLYPHS_TEXTURE_H
#define RV_GLYPHS_TEXTURE_H

#include <GL/glew.h>

#include "glyphs/atlas.h"

/* A texture of one channel with this image: what it shows while the atlas is empty. Deleted by the caller. */
GLuint rv_glyph_texture_create(const struct rv_glyph_image *image);

/* Bind it, with all that the atlas has; of an atlas that has anything, it has the size. */
void rv_glyph_texture_bind(GLuint texture, struct rv_glyph_atlas *atlas);

#endif
