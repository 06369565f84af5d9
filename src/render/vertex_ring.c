#include "render/vertex_ring.h"

#include <string.h>

#define SLOT_BYTES_MIN ((size_t)64 << 10)
#define FENCE_WAIT_NS 1000000000ull

static void drop_fences(struct rv_vertex_ring *upload)
{
    for (unsigned i = 0; i < RV_VERTEX_RING_SLOTS; i++) {
        if (upload->fences[i])
            glDeleteSync(upload->fences[i]);
        upload->fences[i] = NULL;
    }
}

void rv_vertex_ring_fini(struct rv_vertex_ring *upload)
{
    drop_fences(upload);
    glDeleteBuffers(1, &upload->buffer);
    *upload = (struct rv_vertex_ring){0};
}

/* The driver keeps the old buffer until its last draw is done. */
static void grow(struct rv_vertex_ring *upload, size_t n_bytes)
{
    size_t slot_bytes = upload->slot_bytes ? upload->slot_bytes : SLOT_BYTES_MIN;
    while (slot_bytes < n_bytes)
        slot_bytes *= 2;
    rv_vertex_ring_fini(upload);
    upload->slot_bytes = slot_bytes;
    glGenBuffers(1, &upload->buffer);
    glBindBuffer(GL_ARRAY_BUFFER, upload->buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(slot_bytes * RV_VERTEX_RING_SLOTS), NULL, GL_STREAM_DRAW);
}

static void wait_for_slot(struct rv_vertex_ring *upload)
{
    GLsync *fence = &upload->fences[upload->slot];
    if (!*fence)
        return;
    while (glClientWaitSync(*fence, GL_SYNC_FLUSH_COMMANDS_BIT, FENCE_WAIT_NS) == GL_TIMEOUT_EXPIRED)
        ;
    glDeleteSync(*fence);
    *fence = NULL;
}

size_t rv_vertex_ring_push(struct rv_vertex_ring *upload, const void *data, size_t n_bytes)
{
    if (!upload->buffer || n_bytes > upload->slot_bytes)
        grow(upload, n_bytes);
    upload->slot = (upload->slot + 1) % RV_VERTEX_RING_SLOTS;
    wait_for_slot(upload);
    size_t offset = upload->slot * upload->slot_bytes;
    glBindBuffer(GL_ARRAY_BUFFER, upload->buffer);
    if (!n_bytes)
        return offset;
    GLbitfield access = GL_MAP_WRITE_BIT | GL_MAP_UNSYNCHRONIZED_BIT | GL_MAP_INVALIDATE_RANGE_BIT;
    void *room = glMapBufferRange(GL_ARRAY_BUFFER, (GLintptr)offset, (GLsizeiptr)n_bytes, access);
    if (room) {
        memcpy(room, data, n_bytes);
        glUnmapBuffer(GL_ARRAY_BUFFER);
    } else {
        glBufferSubData(GL_ARRAY_BUFFER, (GLintptr)offset, (GLsizeiptr)n_bytes, data);
    }
    return offset;
}

void rv_vertex_ring_fence(struct rv_vertex_ring *upload)
{
    upload->fences[upload->slot] = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
}
