/* A program that has ended, one thread: an outer call of 100 ms with three inner ones of 20 ms in it; and a user. */
#ifndef RV_TEST_RENDER_ENDED_PROGRAM_H
#define RV_TEST_RENDER_ENDED_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include <SDL2/SDL.h>

#include "pipeline/session.h"

#define MS UINT64_C(1000000)
#define N_INNER 3 /* calls of Inner::step, id 2, within Outer::loop, id 1 */

/* When the outer call began: a second before the first time that this is asked. */
uint64_t ended_program_origin(void);
uint64_t ended_program_inner_start(unsigned i);
struct rv_source *ended_program_create(void);

/* Events, as from a keyboard and a mouse. */
void user_press(SDL_Scancode scancode, Uint16 mod);
void user_type(const char *text);
void user_enter(const char *text); /* and Return */
void user_move(const int at[2]);
void user_button(unsigned which, const int at[2], bool is_down, unsigned n_clicks);

#endif
