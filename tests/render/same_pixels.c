/*
 * The same events give the same pixels, in every view: drawn twice by one scene, by a second scene, and by a second
 * process. "same_pixels child" draws once and prints the hash.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "canvas.h"
#include "synthetic.h"

#define ORIGIN_NS 18000000000000u
#define WIDTH_PX 800
#define HEIGHT_PX 450

static uint64_t draw_hash(struct canvas *canvas, const struct synthetic *synthetic, struct rv_view *view)
{
    uint64_t hash = 0;
    synthetic_view(synthetic, view, ORIGIN_NS + 10000000, ORIGIN_NS + 110000000);
    for (int look = 0; look < RV_VIEW_MODE_COUNT; look++) {
        canvas_draw(canvas, (struct rv_scene_frame){.view = view,
                                                    .look = (enum rv_view_mode)look,
                                                    .look_from = (enum rv_view_mode)look,
                                                    .subroutines = synthetic->subroutines,
                                                    .samples = 4,
                                                    .now_ns = view->to_ns,
                                                    .origin_ns = ORIGIN_NS,
                                                    .is_live = 1,
                                                    .insets = {.top = 34.0f}});
        hash = hash * 31 + rv_hash_bytes(canvas->rgba, (size_t)WIDTH_PX * HEIGHT_PX * 4);
    }
    return hash;
}

static uint64_t child_hash(const char *program)
{
    char command[4096], line[64] = "";
    snprintf(command, sizeof command, "'%s' child", program);
    FILE *child = popen(command, "r");
    if (!child || !fgets(line, sizeof line, child))
        line[0] = '\0';
    return child && pclose(child) == 0 ? strtoull(line, NULL, 16) : 0;
}

static int compare(const char *program, const uint64_t hashes[3])
{
    uint64_t child = child_hash(program);
    printf("one scene %016llx %016llx, another %016llx, another process %016llx\n", (unsigned long long)hashes[0],
           (unsigned long long)hashes[1], (unsigned long long)hashes[2], (unsigned long long)child);
    return hashes[0] == hashes[1] && hashes[0] == hashes[2] && hashes[0] == child ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct canvas canvas;
    struct synthetic synthetic;
    struct rv_view view = {0};
    uint64_t hashes[3];
    synthetic_init(&synthetic, ORIGIN_NS, 150000000);
    canvas_init(&canvas, WIDTH_PX, HEIGHT_PX);
    hashes[0] = draw_hash(&canvas, &synthetic, &view);
    if (argc > 1) {
        printf("%016llx\n", (unsigned long long)hashes[0]);
    } else {
        hashes[1] = draw_hash(&canvas, &synthetic, &view);
        canvas_fini(&canvas);
        canvas_init(&canvas, WIDTH_PX, HEIGHT_PX);
        hashes[2] = draw_hash(&canvas, &synthetic, &view);
    }
    canvas_fini(&canvas);
    synthetic_view_fini(&view);
    synthetic_fini(&synthetic);
    return argc > 1 ? 0 : compare(argv[0], hashes);
}
