// throws [N]: an exception goes through 50 frames, 10,000 times; the frames below and above keep calling.
#include <cstdlib>

#include "count.h"

DEFINE_COUNT(descend)
DEFINE_COUNT(attempt)
DEFINE_COUNT(settle)

namespace deep
{

struct Failure {
    unsigned depth;
};

KEPT static unsigned settle(unsigned depth)
{
    COUNTED(settle);
    return depth ^ 1;
}

KEPT static unsigned descend(unsigned depth)
{
    COUNTED(descend);
    if (depth == 50)
        throw Failure{depth};
    return descend(depth + 1) + settle(depth);
}

KEPT static unsigned attempt()
{
    COUNTED(attempt);
    try {
        return descend(1);
    } catch (const Failure &failure) {
        return settle(failure.depth);
    }
}

} // namespace deep

QUIET int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 10000, sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += deep::attempt();
    REPORT_COUNT(descend);
    REPORT_COUNT(attempt);
    REPORT_COUNT(settle);
    return sum == 1;
}
