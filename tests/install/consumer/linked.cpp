// The public header is C++ too.
#include "linked.c"
