/* namesakes: calls a function of which a call is inside a call of another with the same name. */
#include "namesakes.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 40;
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += nested(through_other_file, i);
    return sum < 0;
}
