/*
 * A vertex buffer rewritten each frame: three slots in turn, mapped unsynchronised, each guarded by a fence.
 *
 * The CPU never waits for the GPU unless that is three frames behind; the buffer is never orphaned. Main thread.
 */
#ifndef RV_RENDER_VERTEX_RING_H
#define RV_RENDER_VERTEX_RING_H

#include <stddef.h>

#include <GL/glew.h>

#define RV_VERTEX_RING_SLOTS 3

struct rv_vertex_ring { /* zeroed = empty */
    GLuint buffer;
    size_t slot_bytes;
    unsigned slot; /* being written or drawn */
    GLsync fences[RV_VERTEX_RING_SLOTS];
};

void rv_vertex_ring_fini(struct rv_vertex_ring *upload);

/*
 * Copy data into the next slot; leaves the buffer bound to GL_ARRAY_BUFFER.
 *   returns  byte offset of the data in the buffer, for attribute pointers
 */
size_t rv_vertex_ring_push(struct rv_vertex_ring *upload, const void *data, size_t n_bytes);

/* After the last draw that reads the slot. */
void rv_vertex_ring_fence(struct rv_vertex_ring *upload);

#endif
