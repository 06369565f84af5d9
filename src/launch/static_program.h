/*
 * A statically linked program begins in the dynamic loader, as others do: it takes the program for a dynamic one
 * without libraries of its own, preloads ours (producers/native/static_program), and jumps to the program's entry.
 */
#ifndef RV_LAUNCH_STATIC_PROGRAM_H
#define RV_LAUNCH_STATIC_PROGRAM_H

#include <sys/types.h>

#include "launch/program.h"

/* In the child, all signals blocked, before exec. status_fd: tells its parent. */
void rv_static_program_offer(pid_t parent, int status_fd);

/* In its parent, by the same thread, at once: waits for its exec. Where something fails the program runs as it is, and
 * one line says why; one whose exec fails, or that ends before, is left to the caller. */
void rv_static_program_enter(pid_t pid, const struct rv_program *program, int status_fd);

#endif
