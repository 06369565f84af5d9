#include "namesakes.h"

int through_other_file(int n)
{
    return nested(NULL, n);
}
