#include "glyphs/texture.h"

static void set_image(const struct rv_glyph_image *image)
{
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, (GLsizei)image->width, (GLsizei)image->height, 0, GL_RED, GL_UNSIGNED_BYTE,
                 image->texels);
}

GLuint rv_glyph_texture_create(const struct rv_glyph_image *image)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    set_image(image);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    return texture;
}

void rv_glyph_texture_bind(GLuint texture, struct rv_glyph_atlas *atlas)
{
    glBindTexture(GL_TEXTURE_2D, texture);
    if (atlas->changed_from == atlas->changed_to)
        return;
    if (!atlas->is_in_texture)
        set_image(&(struct rv_glyph_image){NULL, RV_GLYPH_ATLAS_WIDTH, RV_GLYPH_ATLAS_HEIGHT});
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, (GLint)atlas->changed_from, (GLsizei)RV_GLYPH_ATLAS_WIDTH,
                    (GLsizei)(atlas->changed_to - atlas->changed_from), GL_RED, GL_UNSIGNED_BYTE,
                    atlas->texels + (size_t)atlas->changed_from * RV_GLYPH_ATLAS_WIDTH);
    atlas->is_in_texture = true;
    atlas->changed_from = atlas->changed_to = 0;
}
