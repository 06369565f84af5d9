/* The producers that a command may be run under, and what each needs in its environment. */
#ifndef RV_LAUNCH_PRODUCERS_H
#define RV_LAUNCH_PRODUCERS_H

#define RV_PRODUCERS_VARIABLES 5 /* that all of them together may add */

/* Add every producer that fits the command. Warns of a needed one that cannot be used. */
void rv_producers_add(char **environment, const char *command);

#endif
