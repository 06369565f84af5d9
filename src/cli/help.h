/* --help and --help=TOPIC. */
#ifndef RV_CLI_HELP_H
#define RV_CLI_HELP_H

/*
 * Print usage, options and keys to stdout; or one topic: "keys"; "man", "control" and "formats", the pages of the
 * manual, which man(1) shows in place of this process; or an option by its name; its dashes are needed if a topic has
 * the same name.
 *   topic    NULL = no topic
 *   returns  0; -EINVAL for an unknown topic, -errno if man could not be run; with one line printed
 */
int rv_help_print(const char *topic);

#endif
