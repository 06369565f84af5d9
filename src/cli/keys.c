#include "cli/keys.h"

#include <stdio.h>

#include "viewer/action.h"

void rv_keys_print(int column)
{
    puts("\nIn the window:");
    for (int action = RV_ACTION_NONE + 1; action < RV_ACTION_COUNT; action++) {
        char keys[128];
        printf("  %-*s%s\n", column - 2, rv_action_keys((enum rv_action)action, keys, sizeof keys),
               rv_action_get((enum rv_action)action)->words);
    }
}
