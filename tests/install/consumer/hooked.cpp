#include <cstdio>
#include <string>
#include <vector>

namespace shape
{
__attribute__((noinline)) double area(const std::vector<double> &sides)
{
    double product = 1;
    for (double side : sides)
        product *= side;
    return product;
}
} // namespace shape

int main()
{
    double sum = 0;
    for (int i = 0; i < 300; i++)
        sum += shape::area({1.0 * i, 2.0});
    std::printf("%s\n", std::to_string(sum).c_str());
    return 0;
}
