/* Functions whose arguments and results are known by DWARF. */
#include <memory>
#include <string>

#define FUNCTION __attribute__((noinline))

namespace foreign /* has strings that are laid out in another way, as other libraries do */
{
template <class Character, class Traits> struct basic_string {
    Traits size;
    Character characters[20];
};
} // namespace foreign

static volatile long used;

namespace shapes
{
enum color { RED, GREEN = 5, BLUE };
enum class weight : unsigned char { light = 1, heavy };

struct point {
    int x, y;
};
struct box {
    long width, height, depth;
};
struct mixed {
    double part;
    int whole;
};

class counter
{
    int n;

  public:
    FUNCTION explicit counter(int from);
    FUNCTION int add(int by);
    FUNCTION ~counter();
};

counter::counter(int from) : n(from)
{
    used = n;
}
int counter::add(int by)
{
    return n += by;
}
counter::~counter()
{
    used = n;
}

FUNCTION std::string shout(const std::string &what, std::string by_value, bool is_loud)
{
    return is_loud ? what + "!" + by_value : what;
}

FUNCTION color paint(color was, weight is, const char *name, char letter, double amount, float share)
{
    used = used + *name + letter + static_cast<long>(amount + share) + static_cast<long>(is);
    return was == RED ? BLUE : GREEN;
}

FUNCTION long sum(point p, box b, mixed m)
{
    return p.x + p.y + b.width + b.height + b.depth + m.whole + static_cast<long>(m.part);
}

FUNCTION std::unique_ptr<int> make(int n)
{
    used = n;
    return std::unique_ptr<int>(new int(n));
}

FUNCTION char first(const foreign::basic_string<char, int> &string)
{
    return string.characters[string.size - 1];
}

FUNCTION void nothing(void)
{
    used = 0;
}

FUNCTION long double wide(long double x) /* of a type that has no prototype */
{
    used = static_cast<long>(x);
    return x;
}

FUNCTION unsigned long many(int a, int b, int c, int d, int e, int f, int g, const char *h, short i, unsigned char j)
{
    used = a + b + c + d + e + f + g + i + j + *h;
    return static_cast<unsigned long>(used);
}
} // namespace shapes

int main()
{
    shapes::counter counter(40);
    used = counter.add(2);
    shapes::shout("hello", "world", true);
    used = shapes::paint(shapes::RED, shapes::weight::heavy, "name", 'x', 1.5, 2.5f);
    used = shapes::sum({1, 2}, {1, 2, 3}, {0.5, 7});
    used = *shapes::make(3);
    used = shapes::first({1, "a"});
    shapes::nothing();
    used = static_cast<long>(shapes::wide(1));
    used = static_cast<long>(shapes::many(1, 2, 3, 4, 5, 6, 7, "eight", -9, 10));
    return 0;
}
