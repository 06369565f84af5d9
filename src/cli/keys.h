/* The part of --help that tells the window's keys. */
#ifndef RV_CLI_KEYS_H
#define RV_CLI_KEYS_H

/* column: where the text beside the keys begins. */
void rv_keys_print(int column);

#endif
