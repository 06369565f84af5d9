/* Functions with all kinds of arguments and results: tests/data/arguments has their prototypes, and what ltrace 0.7.3 shows of
 * them. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#define FUNCTION __attribute__((noipa)) /* what it is passed is there, read or not */
static volatile int used;
static void use(int n)
{
    for (int i = 0; i < n; i++)
        used += i;
}
struct pair {
    int a;
    const char *s;
};
struct mixed {
    char c;
    double d;
};
struct big {
    long a, b, c;
};
struct list {
    int n;
    struct list *next;
};
struct text {
    char s[6];
    short n;
};
struct counted {
    unsigned long n;
    int *all;
};
FUNCTION int f_ints(int a, unsigned b, long c, unsigned long d, short e, unsigned short f, char g)
{
    use(3);
    return a + (int)(b + c + d + e + f + g);
}
FUNCTION const char *f_string(const char *s, const char *t)
{
    use(3);
    return t ? t : s;
}
FUNCTION double f_double(float a, double b, int c)
{
    use(3);
    return a + b + c;
}
FUNCTION float f_float(float a)
{
    use(3);
    return a * 2;
}
FUNCTION void f_void(void)
{
    use(3);
}
FUNCTION int f_enum(int a, int b, short c)
{
    use(3);
    return a + b + c;
}
FUNCTION int f_struct(struct pair p, struct mixed i)
{
    use(3);
    return p.a + i.c;
}
FUNCTION int f_structp(struct pair *p, struct mixed *i, struct list *l)
{
    use(3);
    return p->a + i->c + l->n;
}
FUNCTION int f_big(struct big b, int x)
{
    use(3);
    return x + (int)b.a;
}
FUNCTION int f_array(int *a, int n)
{
    use(3);
    return a ? n : -n;
}
FUNCTION int f_strings(const char **a, struct text t)
{
    use(3);
    return a[0][0] + t.n;
}
FUNCTION int f_out(int *o, char *buf, int n)
{
    use(3);
    *o = 42;
    strcpy(buf, "hello");
    return n - 15;
}
FUNCTION int f_lens(int a, unsigned b, int c, unsigned d, int e, int f, double g, unsigned h)
{
    use(3);
    return a - (int)(b + c + d + e + f + g + h);
}
FUNCTION int f_more(unsigned short a, unsigned char *b, struct pair *c, int *d, char e)
{
    use(3);
    return a + b[0] + c->a + (d ? 1 : 0) + e;
}
FUNCTION void *f_ptr(int *p, char *c, void *v, void *nil, const char **pp)
{
    use(3);
    return p && c && pp && !nil ? v : 0;
}
FUNCTION int f_many(int a, int b, int c, int d, int e, int f, int g, const char *h, double i)
{
    use(3);
    return a + b + c + d + e + f + g + h[0] + (int)i;
}
FUNCTION int f_len(const char *s, int n)
{
    use(3);
    return s[0] + n;
}
FUNCTION int f_fmt(int level, const char *f, ...)
{
    use(3);
    return f[0] + level;
}
FUNCTION char f_char(char c)
{
    use(3);
    return c;
}
FUNCTION struct pair f_rets(int a)
{
    use(3);
    struct pair p = {a, "x"};
    return p;
}
FUNCTION struct big f_retb(int a)
{
    use(3);
    struct big p = {a, 2, 3};
    return p;
}
FUNCTION int f_bad(const char *s, int *p, const char **q)
{
    use(3);
    return s && p && q;
}
FUNCTION int f_elt(struct counted *c)
{
    use(3);
    return (int)c->n;
}
/* Not one of those that ltrace was shown. */
FUNCTION int forked(const char *s)
{
    return (int)strlen(s);
}
static void fork_raw(void)
{
    static char memory[] = "parent";
    int status;
    forked(memory);
    if (syscall(SYS_fork) == 0) {
        strcpy(memory, "child");
        _exit(forked(memory));
    }
    wait(&status);
}

int main(void)
{
    f_ints(-1, 4000000000u, -5, ~0ul, -3, 65535, 'x');
    f_ints(0, 0, 0, 0, 0, 0, 0);
    f_string("hi \"there\"\n\t\\ \x01\xff", 0);
    f_string("", "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz");
    f_string("abcdefghijklmnopqrstuvwxyzabcde", "abcdefghijklmnopqrstuvwxyzabcdef");
    f_double(1.5, 2.25, 3);
    f_float(0.1f);
    f_void();
    f_enum(1, 7, 2);
    struct pair p = {7, "seven"};
    struct mixed i = {'q', 2.5};
    struct list l[5] = {{1, l + 1}, {2, l + 2}, {3, l + 3}, {4, l + 4}, {5, 0}};
    f_struct(p, i);
    f_structp(&p, &i, l + 3);
    struct big b = {1, 2, 3};
    f_big(b, 9);
    int a[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    f_array(a, 3);
    f_array(a, 4);
    f_array(a, 8);
    f_array(a, 0);
    f_array(0, 2);
    const char *s[3] = {"one", "two", 0};
    struct text t = {"short", 3};
    f_strings(s, t);
    int o;
    char buf[20];
    f_out(&o, buf, 20);
    f_lens(8, 255, 1, 0x102, 5, -1, 0.5, 0x1b);
    f_lens(0, 0, 0, ~0u - 1, 5, 0, 1, ~0u);
    f_more(0x103, (unsigned char *)"\x07\x80", &p, a, 'A');
    char c = 'z';
    const char *pp = "pp";
    f_ptr(a, &c, (void *)0x1234, 0, &pp);
    f_ptr(0, 0, (void *)0, 0, 0);
    f_many(1, 2, 3, 4, 5, 6, 7, "eight", 9.5);
    f_len("abc\0def", 7);
    f_len("abcdef", 2);
    f_fmt(1, "%d %s %c %f %lx %%\n", 3, "str", 'c', 1.5, 255l);
    f_fmt(2, "%*d %u %p %5.2f %ld %s", 6, -1, 2u, (void *)16, 2.5, -3l, "seven");
    f_char('\n');
    f_char(-1);
    f_char(0);
    f_rets(3);
    f_retb(4);
    struct counted k = {2, a};
    f_elt(&k);
    f_bad((const char *)8, (int *)8, (const char **)8);
    fork_raw();
    return 0;
}
