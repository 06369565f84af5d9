// walks [N]: walks its own stack by return addresses N times, as V8 does, each one where a profiler says that it is; one
// function has the address of its own. Prints how many addresses were none of the program's code.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#ifdef HELD_TEXT
__attribute__((used)) static const char held[] = HELD_TEXT;
#endif

#define KEPT __attribute__((noinline, noipa))

extern "C" const char __executable_start, etext;

static uintptr_t (*locate)(uintptr_t slot);

namespace v8
{
struct V8 {
    static void SetReturnAddressLocationResolver(uintptr_t (*resolver)(uintptr_t));
};
__attribute__((visibility("default"))) void V8::SetReturnAddressLocationResolver(uintptr_t (*resolver)(uintptr_t))
{
    locate = resolver;
}
} // namespace v8

static bool is_code(uintptr_t address)
{
    return address >= reinterpret_cast<uintptr_t>(&__executable_start) && address < reinterpret_cast<uintptr_t>(&etext);
}

// The callers of this function up to main.
KEPT static int walk(int depth)
{
    int n_wrong = 0;
    const uintptr_t *frame = static_cast<const uintptr_t *>(__builtin_frame_address(0));
    for (int i = 0; i <= depth; i++, frame = reinterpret_cast<const uintptr_t *>(*frame)) {
        uintptr_t slot = reinterpret_cast<uintptr_t>(frame + 1);
        slot = locate ? locate(slot) : slot;
        n_wrong += !is_code(*reinterpret_cast<const uintptr_t *>(slot));
    }
    return n_wrong;
}

KEPT static int descend(int depth, int left)
{
    const int n_wrong = left ? descend(depth + 1, left - 1) : walk(depth + 1);
    return n_wrong;
}

KEPT static int CheckStackGuardState()
{
    return !is_code(static_cast<const uintptr_t *>(__builtin_frame_address(0))[1]);
}

int main(int argc, char **argv)
{
    int n_wrong = 0;
    for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 1000); i++)
        n_wrong += descend(0, 5) + CheckStackGuardState();
    printf("wrong %d\n", n_wrong);
    return 0;
}
