/*
 * Moved instructions do what the original ones do: a function is run as it is, and again by a jump to its moved
 * instructions, from the same registers, flags and memory. Afterwards registers, flags and memory must be equal.
 */
#include "patch/move_instructions.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>

#include "base/instrumentation_text.h"

TestSuite(move_instructions, .timeout = 60);

enum {
    N_REGISTERS = 16,
    FLAGS = 15,
    CODE_BYTES = 4096,
    ISLAND_AT = 64,
    DATA_AT = 1024,
    CARRY_ZERO_SIGN_OVERFLOW = 0x8c1
};

void run(void (*code)(void), uint64_t registers[N_REGISTERS]);

struct sequence {
    const char *what, *bytes;
    size_t n;
    enum rv_patch_refusal refusal;
};

#define SEQUENCE(what, bytes, refusal)                                                                                 \
    {                                                                                                                  \
        what, bytes, sizeof bytes - 1, refusal                                                                         \
    }
#define RET "\xc3"

/* Functions return their argument; rdi points to data, 1,024 bytes after the begin of the code. */
static const struct sequence SEQUENCES[] = {
    SEQUENCE("push rbp; mov rbp, rsp; pop rbp", "\x55\x48\x89\xe5\x90\x5d" RET, RV_PATCH_FITS),
    SEQUENCE("mov eax, imm", "\xb8\x2a\x00\x00\x00" RET, RV_PATCH_FITS),
    SEQUENCE("xor eax, eax; sub rsp; add rsp", "\x31\xc0\x48\x83\xec\x08\x48\x83\xc4\x08" RET, RV_PATCH_FITS),
    SEQUENCE("mov rax, [rip]", "\x48\x8b\x05\xf9\x03\x00\x00" RET, RV_PATCH_FITS),
    SEQUENCE("lea rax, [rip - 7]", "\x48\x8d\x05\xf9\xff\xff\xff" RET, RV_PATCH_FITS),
    SEQUENCE("mov dword [rip], imm", "\xc7\x05\xf6\x03\x00\x00\x78\x56\x34\x12" RET, RV_PATCH_FITS),
    SEQUENCE("cmp byte [rip], imm", "\x80\x3d\xf9\x03\x00\x00\x01\x0f\x94\xc0" RET, RV_PATCH_FITS),
    SEQUENCE("movdqa xmm0, [rip]; movq rax, xmm0", "\x66\x0f\x6f\x05\xf8\x03\x00\x00\x66\x48\x0f\x7e\xc0" RET,
             RV_PATCH_FITS),
    SEQUENCE("vmovdqu xmm1, [rip]; vmovq rcx, xmm1", "\xc5\xfa\x6f\x0d\xf8\x03\x00\x00\xc4\xe1\xf9\x7e\xc9" RET,
             RV_PATCH_FITS),
    SEQUENCE("test; je taken", "\x48\x85\xc0\x74\x04\xb0\x01" RET "\x90\xb0\x02" RET, RV_PATCH_FITS),
    SEQUENCE("test; jne not taken", "\x48\x85\xc0\x75\x04\xb0\x01" RET "\x90\xb0\x02" RET, RV_PATCH_FITS),
    SEQUENCE("js, jg, long jb", "\x78\x0c\x7f\x0a\x0f\x82\x04\x00\x00\x00\xb0\x01" RET "\x90\xb0\x02" RET,
             RV_PATCH_FITS),
    SEQUENCE("jrcxz taken", "\x31\xc9\xe3\x04\xb0\x01" RET "\x90\xb0\x02" RET, RV_PATCH_FITS),
    SEQUENCE("jecxz not taken", "\x67\xe3\x05\x31\xdb\xb0\x01" RET "\xb0\x02" RET, RV_PATCH_FITS),
    SEQUENCE("loop taken", "\xe2\x04\xb0\x01" RET "\x90\xb0\x02" RET, RV_PATCH_FITS),
    SEQUENCE("loopne not taken", "\x6a\x01\x59\xe0\x04\xb0\x01" RET "\x90\xb0\x02" RET, RV_PATCH_FITS),
    SEQUENCE("jmp short over padding", "\xeb\x03\xcc\xcc\xcc\xb0\x07" RET, RV_PATCH_FITS),
    SEQUENCE("jmp long", "\xe9\x02\x00\x00\x00\x0f\x0b\xb0\x07" RET, RV_PATCH_FITS),
    SEQUENCE("jmp [rip]", "\xff\x25\xfa\x03\x00\x00" RET, RV_PATCH_FITS),
    SEQUENCE("call; its return address", "\xe8\x02\x00\x00\x00" RET "\x90\x48\x8b\x04\x24" RET, RV_PATCH_FITS),
    SEQUENCE("nop; call rax behind the jump", "\x0f\x1f\x00\xff\xd3" RET, RV_PATCH_FITS),
    SEQUENCE("call [rip]", "\xff\x15\xfa\x03\x00\x00" RET, RV_PATCH_FITS),
    SEQUENCE("call [rdi + 8]; push", "\x50\x90\xff\x57\x08\x58" RET, RV_PATCH_FITS),
    SEQUENCE("xor eax, eax; ret; padding", "\x31\xc0" RET "\x90\x90", RV_PATCH_FITS),
    SEQUENCE("ret; long nop", RET "\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00", RV_PATCH_FITS),
    SEQUENCE("pushf; popf", "\x9c\x9d\x90\x90\x90" RET, RV_PATCH_FITS),
    SEQUENCE("lock xadd [rip], eax", "\xf0\x0f\xc1\x05\xf8\x03\x00\x00" RET, RV_PATCH_FITS),
    SEQUENCE("nothing but ret", RET, RV_PATCH_TOO_SHORT),
    SEQUENCE("ret; another function", "\x31\xc0" RET "\x55\x5d" RET, RV_PATCH_TOO_SHORT),
    SEQUENCE("jump into the jump", "\x48\x85\xc0\x74\xfe\xb0\x02" RET, RV_PATCH_BRANCH_INTO),
    SEQUENCE("call that returns into the jump", "\x53\xff\xd0\x5b\x90\x90" RET, RV_PATCH_CALL_WITHIN),
    SEQUENCE("call of the next instruction's", "\x90\xe8\xfd\xff\xff\xff\x90" RET, RV_PATCH_BRANCH_INTO),
    SEQUENCE("call [rsp + 8]", "\x90\xff\x54\x24\x08" RET, RV_PATCH_STRANGE_INSTRUCTION),
    SEQUENCE("call rsp", "\x0f\x1f\x00\xff\xd4" RET, RV_PATCH_STRANGE_INSTRUCTION),
    SEQUENCE("xbegin", "\xc7\xf8\x00\x00\x00\x00" RET, RV_PATCH_STRANGE_INSTRUCTION),
    SEQUENCE("jump of 16 bits", "\x66\x0f\x84\x00\x00\x90\x90" RET, RV_PATCH_STRANGE_INSTRUCTION),
    SEQUENCE("mov eax, [eip]", "\x67\x8b\x05\x00\x00\x00\x00" RET, RV_PATCH_STRANGE_INSTRUCTION),
    SEQUENCE("iretq", "\x48\xcf\x90\x90\x90" RET, RV_PATCH_STRANGE_INSTRUCTION),
    SEQUENCE("not an instruction", "\x06\x90\x90\x90\x90" RET, RV_PATCH_UNKNOWN_INSTRUCTION),
    SEQUENCE("cut short", "\x48\x8b\x05", RV_PATCH_UNKNOWN_INSTRUCTION),
};

static struct rv_patch_decoder decoder;

static enum rv_patch_refusal move_to(const uint8_t *code, const struct sequence *sequence, uint64_t to,
                                     size_t n_written, struct rv_patch_moved *moved)
{
    /* What follows a function's last return is its padding here. */
    const char *last = memchr(sequence->bytes, 0xc3, sequence->n);
    bool has_padding = strstr(sequence->what, "padding") || strstr(sequence->what, "long nop");
    size_t n =
        has_padding && last && !strstr(sequence->what, "short") ? (size_t)(last - sequence->bytes) + 1 : sequence->n;
    if (strcmp(sequence->what, "ret; another function") == 0)
        n = 3;
    const struct rv_patch_code from = {code, (uint64_t)(uintptr_t)code, n, sequence->n - n, n_written};
    return rv_patch_move(&decoder, &from, to, moved);
}

static uint8_t *map_code(void)
{
    uint8_t *pages = mmap(NULL, 2 * CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(pages, MAP_FAILED);
    return pages;
}

/* The first two words of the data point to a function that returns its return address. */
static void write_code(uint8_t *code, const struct sequence *sequence)
{
    static const uint8_t CALLEE[] = {0x48, 0x8b, 0x04, 0x24, 0xc3};
    const uint64_t callee = (uint64_t)(uintptr_t)code + 512;
    memcpy(code, sequence->bytes, sequence->n);
    memcpy(code + 512, CALLEE, sizeof CALLEE);
    memcpy(code + DATA_AT, &callee, sizeof callee);
    memcpy(code + DATA_AT + 8, &callee, sizeof callee);
}

static void fill_registers(uint64_t *registers, uint8_t *code)
{
    for (uint64_t i = 0; i < N_REGISTERS; i++)
        registers[i] = 0x0101010101010101 * (i + 1);
    registers[3] = (uint64_t)(uintptr_t)code + 512;
    registers[5] = (uint64_t)(uintptr_t)code + DATA_AT;
    registers[FLAGS] = 0x2 | CARRY_ZERO_SIGN_OVERFLOW;
}

/* Write the jump at the function's begin, or, where there is room for a short jump only, in an island elsewhere. */
static void write_jump(uint8_t *code, uint64_t to, size_t n_written)
{
    int32_t displacement;
    uint8_t *jump = n_written == RV_PATCH_SHORT_BYTES ? code + ISLAND_AT : code;
    memset(code, 0xcc, n_written);
    if (jump != code)
        memcpy(code, (const uint8_t[]){0xeb, ISLAND_AT - RV_PATCH_SHORT_BYTES}, RV_PATCH_SHORT_BYTES);
    cr_assert(rv_patch_reach((uint64_t)(uintptr_t)jump + 5, to, &displacement));
    jump[0] = 0xe9;
    memcpy(jump + 1, &displacement, sizeof displacement);
}

static void compare_runs(const struct sequence *sequence, uint8_t *code, size_t n_written)
{
    uint64_t before[N_REGISTERS], after[N_REGISTERS];
    uint8_t data[64];
    struct rv_patch_moved moved;
    void (*entry)(void);
    memcpy(&entry, &code, sizeof entry);
    write_code(code, sequence);
    fill_registers(before, code);
    run(entry, before);
    memcpy(data, code + DATA_AT, sizeof data);

    write_code(code, sequence);
    uint8_t *copy = code + CODE_BYTES;
    cr_assert_eq(move_to(code, sequence, (uint64_t)(uintptr_t)copy, n_written, &moved), RV_PATCH_FITS, "%s",
                 sequence->what);
    cr_assert_geq(moved.n_displaced, n_written);
    memcpy(copy, moved.bytes, moved.n_bytes);
    write_jump(code, (uint64_t)(uintptr_t)copy, n_written);
    fill_registers(after, code);
    run(entry, after);
    for (size_t i = 0; i < N_REGISTERS; i++)
        cr_expect_eq(after[i], before[i], "%s: register %zu is %#lx, was %#lx", sequence->what, i, after[i], before[i]);
    cr_expect_arr_eq(code + DATA_AT, data, sizeof data, "%s: memory", sequence->what);
}

Test(move_instructions, runs_as_the_original_or_is_refused)
{
    rv_patch_decoder_init(&decoder);
    for (size_t i = 0; i < sizeof SEQUENCES / sizeof *SEQUENCES; i++) {
        const struct sequence *sequence = &SEQUENCES[i];
        struct rv_patch_moved moved;
        uint8_t *code = map_code();
        memcpy(code, sequence->bytes, sequence->n);
        enum rv_patch_refusal refusal =
            move_to(code, sequence, (uint64_t)(uintptr_t)code + CODE_BYTES, RV_PATCH_JUMP_BYTES, &moved);
        cr_expect_eq(refusal, sequence->refusal, "%s: %s", sequence->what, rv_refusal_text(refusal));
        if (refusal == RV_PATCH_FITS && sequence->refusal == RV_PATCH_FITS)
            compare_runs(sequence, code, RV_PATCH_JUMP_BYTES);
        munmap(code, 2 * CODE_BYTES);
    }
}

Test(move_instructions, guests_and_hosts_run_as_the_original_where_they_fit)
{
    static const size_t N_WRITTEN[] = {RV_PATCH_SHORT_BYTES, RV_PATCH_HOST_BYTES};
    size_t n_fit[2] = {0};
    rv_patch_decoder_init(&decoder);
    for (size_t i = 0; i < 2 * sizeof SEQUENCES / sizeof *SEQUENCES; i++) {
        const struct sequence *sequence = &SEQUENCES[i / 2];
        struct rv_patch_moved moved;
        uint8_t *code = map_code();
        memcpy(code, sequence->bytes, sequence->n);
        const bool can_run = sequence->refusal == RV_PATCH_FITS || sequence->refusal == RV_PATCH_TOO_SHORT;
        if (can_run && move_to(code, sequence, (uint64_t)(uintptr_t)code + CODE_BYTES, N_WRITTEN[i % 2], &moved) ==
                           RV_PATCH_FITS) {
            compare_runs(sequence, code, N_WRITTEN[i % 2]);
            n_fit[i % 2]++;
        }
        munmap(code, 2 * CODE_BYTES);
    }
    cr_expect_gt(n_fit[0], 20);
    cr_expect_gt(n_fit[1], 5);
}

Test(move_instructions, refuses_what_it_cannot_reach)
{
    static const uint8_t BRANCH[] = {0x0f, 0x84, 0x00, 0x00, 0x00, 0x00, 0xc3},
                         LOAD[] = {0x48, 0x8b, 0x05, 0, 0, 0, 0, 0xc3};
    const uint64_t far = 0x100000000;
    struct rv_patch_moved moved;
    rv_patch_decoder_init(&decoder);
    cr_assert_eq(rv_patch_move(&decoder, &(struct rv_patch_code){BRANCH, 0x1000, sizeof BRANCH, 0, 5}, far, &moved),
                 RV_PATCH_TOO_FAR);
    cr_assert_eq(rv_patch_move(&decoder, &(struct rv_patch_code){LOAD, 0x1000, sizeof LOAD, 0, 5}, far, &moved),
                 RV_PATCH_TOO_FAR);
}
