/* What --help prints: usage, every option, every key of the window. */
#ifndef RV_CLI_USAGE_H
#define RV_CLI_USAGE_H

void rv_usage_print(void); /* to stdout */

#endif
