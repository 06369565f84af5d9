/* Each pattern is simulated once on a small stack of places. */
#include "scan/push_pop_patterns.h"

#include <pthread.h>

#define N_EVENTS 8
#define N_WINDOW 16
#define WINDOW_TOP 31

struct rv_pattern rv_push_pop_patterns[256];

static void fill_window(struct rv_pattern *pattern)
{
    for (int i = 0; i < N_WINDOW; i++) {
        int above = i - (N_WINDOW - pattern->n_pushes);
        int before = i + pattern->n_pushes - pattern->n_pops;
        if (above >= 0)
            pattern->window[i] = pattern->pushed[above];
        else
            pattern->window[i] = (uint8_t)(N_WINDOW + (before < 0 ? 0 : before));
    }
}

static void fill_pattern(struct rv_pattern *pattern, unsigned bits)
{
    int height = 0;
    for (int i = 0; i < N_EVENTS; i++) {
        uint8_t below = (uint8_t)(WINDOW_TOP - pattern->n_pops);
        uint8_t top = pattern->n_pushes ? pattern->pushed[pattern->n_pushes - 1] : below;
        pattern->top[i] = top;
        if (!(bits >> i & 1)) {
            pattern->pushed[pattern->n_pushes++] = (uint8_t)i;
            height++;
            if (height > pattern->peak)
                pattern->peak = (uint8_t)height;
            continue;
        }
        height--;
        pattern->source[pattern->n_returns] = top;
        pattern->lane[pattern->n_returns] = (uint8_t)i;
        pattern->height[pattern->n_returns++] = (int8_t)height;
        if (pattern->n_pushes)
            pattern->n_pushes--;
        else
            pattern->n_pops++;
    }
    fill_window(pattern);
}

static void fill_patterns(void)
{
    for (unsigned bits = 0; bits < 256; bits++)
        fill_pattern(&rv_push_pop_patterns[bits], bits);
}

void rv_push_pop_patterns_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill_patterns);
}
