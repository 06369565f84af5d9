#include "render/ground_mesh.h"

#include <stdlib.h>

#include "base/vec.h"

void rv_ground_mesh_fini(struct rv_ground_mesh *mesh)
{
    free(mesh->vertices);
    *mesh = (struct rv_ground_mesh){0};
}

static void add_quad(struct rv_ground_mesh *mesh, const struct rv_ground_mesh_vertex corners[4])
{
    static const int order[6] = {0, 1, 2, 0, 2, 3};
    mesh->vertices = rv_vec_reserve(mesh->vertices, &mesh->capacity, mesh->n + 6, sizeof *mesh->vertices);
    for (int i = 0; i < 6; i++)
        mesh->vertices[mesh->n++] = corners[order[i]];
}

void rv_ground_mesh_add_floor(struct rv_ground_mesh *mesh, float y, const struct rv_ground_mesh_area *area)
{
    float hatch = mesh->is_hatched ? 1.0f : 0.0f;
    add_quad(mesh, (struct rv_ground_mesh_vertex[4]){{area->x0, y, area->a0, area->rgba0, hatch},
                                                     {area->x1, y, area->a0, area->rgba0, hatch},
                                                     {area->x1, y, area->a1, area->rgba1, hatch},
                                                     {area->x0, y, area->a1, area->rgba1, hatch}});
}

void rv_ground_mesh_add_wall(struct rv_ground_mesh *mesh, float z, const struct rv_ground_mesh_area *area)
{
    float hatch = mesh->is_hatched ? 1.0f : 0.0f;
    add_quad(mesh, (struct rv_ground_mesh_vertex[4]){{area->x0, area->a0, z, area->rgba0, hatch},
                                                     {area->x1, area->a0, z, area->rgba0, hatch},
                                                     {area->x1, area->a1, z, area->rgba1, hatch},
                                                     {area->x0, area->a1, z, area->rgba1, hatch}});
}
