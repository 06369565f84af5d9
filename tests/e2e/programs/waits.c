/* Waits for the end of its standard input at depth four. */
#include <stdio.h>

static int inner(int n)
{
    if (n > 0)
        return inner(n - 1) + 1;
    while (getchar() != EOF)
        continue;
    return 1;
}

static int outer(void)
{
    return inner(2) + 1;
}

int main(void)
{
    return outer() == 4 ? 0 : 1;
}
