/* Looks like a perl of an unknown version. Waits for the end of its standard input. */
#include <stdio.h>

char *PL_curinterp;
unsigned short PL_interp_size = 12345;

int main(void)
{
    static char interpreter[12345];
    PL_curinterp = interpreter;
    while (getchar() != EOF)
        continue;
    return 0;
}
