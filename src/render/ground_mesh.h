/* Plain coloured rectangles in the scene, on the floor or upright, as the ground pass draws them. No GL. */
#ifndef RV_RENDER_GROUND_MESH_H
#define RV_RENDER_GROUND_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rv_ground_mesh_vertex {
    float x, y, z;
    uint32_t rgba; /* as of rv_theme_rgba() */
    float hatch;   /* 1 = drawn in stripes */
};

struct rv_ground_mesh {                     /* zeroed = empty */
    struct rv_ground_mesh_vertex *vertices; /* triangles */
    size_t n, capacity;
    bool is_hatched; /* for rectangles added from now on */
};

struct rv_ground_mesh_area {
    float x0, x1;
    float a0, a1;          /* z on the floor, y on a wall */
    uint32_t rgba0, rgba1; /* at a0, a1 */
};

void rv_ground_mesh_fini(struct rv_ground_mesh *mesh);
/* Add a rectangle: flat on the floor at y, or upright at z. */
void rv_ground_mesh_add_floor(struct rv_ground_mesh *mesh, float y, const struct rv_ground_mesh_area *area);
void rv_ground_mesh_add_wall(struct rv_ground_mesh *mesh, float z, const struct rv_ground_mesh_area *area);

#endif
