/* Prototypes of system calls, in the language of ltrace.conf(5): functions that are called SYS_ and the call's name. */
#ifndef RV_PROTOTYPES_SYSCALL_PROTOTYPES_H
#define RV_PROTOTYPES_SYSCALL_PROTOTYPES_H

#include <stddef.h>

/*
 * Those of a choice of strace(1)'s -e trace=: names, sets (file, network, desc, process, memory, signal, ipc, all; a %
 * may be in front), /REGEX (the rest of the text), separated by commas; all but these where a ! is in front.
 *   returns  the text, to be freed; NULL: *word is what is no such thing, *n_word bytes of the choice
 */
char *rv_syscalls_take_prototypes(const char *choice, const char **word, size_t *n_word);

#endif
