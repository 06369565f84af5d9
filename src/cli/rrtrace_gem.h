/* The command line of a ringviz that the rrtrace gem has started. */
#ifndef RV_CLI_RRTRACE_GEM_H
#define RV_CLI_RRTRACE_GEM_H

/*
 * The gem runs its visualizer, by the name rrtrace, with the name of the shared memory and nothing else: that becomes
 * --rrtrace=NAME, and further options are the words of RINGVIZ_OPTIONS, split as by a shell. Other command lines stay
 * as they are.
 *
 * A short program may end before main: the gem then removes the memory's name and sends a signal. So the memory is
 * opened, and the signal waits, from before main on.
 *   argc, argv  what is read and, for good, what is to be parsed instead
 *   returns     0, or -EINVAL with one line printed
 */
int rv_gem_command_line(int *argc, char ***argv);

#endif
