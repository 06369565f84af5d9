/*
 * An instruction is prefixes, REX or VEX, an opcode of one of four maps, an operand's ModRM byte with SIB and
 * displacement, and an immediate. Tables list which of the last two each opcode has. Rare prefixes, EVEX, XOP and
 * opcodes whose parts depend on more are left to Zydis.
 */
#include "patch/instruction_encoding.h"

#include <string.h>

#define LONGEST 15u
#define RSP 4u
#define RBP 5u

enum { /* parts of an instruction behind its opcode, by bits; REST: Zydis finds out */
       NONE = 0,
       MODRM = 1,
       BYTE = 2,  /* an immediate of 8 bits, */
       WIDE = 4,  /* of 32, or of 16 behind prefix 66, */
       SHORT = 8, /* of 16 */
       REST = 16
};

/* clang-format off */
#define M MODRM
#define I BYTE
#define W WIDE
#define X REST
#define MI (MODRM | BYTE)
#define MW (MODRM | WIDE)

static const uint8_t ONE_BYTE[256] = {
    /*        0   1   2   3   4   5   6   7   8   9   a   b   c   d   e   f */
    /* 00 */  M,  M,  M,  M,  I,  W,  X,  X,  M,  M,  M,  M,  I,  W,  X,  X,
    /* 10 */  M,  M,  M,  M,  I,  W,  X,  X,  M,  M,  M,  M,  I,  W,  X,  X,
    /* 20 */  M,  M,  M,  M,  I,  W,  X,  X,  M,  M,  M,  M,  I,  W,  X,  X,
    /* 30 */  M,  M,  M,  M,  I,  W,  X,  X,  M,  M,  M,  M,  I,  W,  X,  X,
    /* 40 */  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,
    /* 50 */  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,
    /* 60 */  X,  X,  X,  M,  X,  X,  X,  X,  W, MW,  I, MI,  0,  0,  0,  0,
    /* 70 */  I,  I,  I,  I,  I,  I,  I,  I,  I,  I,  I,  I,  I,  I,  I,  I,
    /* 80 */ MI, MW,  X, MI,  M,  M,  M,  M,  M,  M,  M,  M,  X,  M,  X,  X,
    /* 90 */  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  X,  0,  0,  0,  0,  0,
    /* a0 */  X,  X,  X,  X,  0,  0,  0,  0,  I,  W,  0,  0,  0,  0,  0,  0,
    /* b0 */  I,  I,  I,  I,  I,  I,  I,  I,  W,  W,  W,  W,  W,  W,  W,  W,
    /* c0 */ MI, MI, SHORT, 0, X,  X, MI, MW,  X,  0,  X,  X,  0,  X,  X,  X,
    /* d0 */  M,  M,  M,  M,  X,  X,  X,  0,  M,  M,  M,  M,  M,  M,  M,  M,
    /* e0 */  I,  I,  I,  I,  I,  I,  I,  I,  W,  W,  X,  I,  0,  0,  0,  0,
    /* f0 */  X,  X,  X,  X,  0,  0,  M,  M,  0,  0,  0,  0,  0,  0,  M,  M,
};

static const uint8_t TWO_BYTES[256] = { /* behind 0f */
    /*        0   1   2   3   4   5   6   7   8   9   a   b   c   d   e   f */
    /* 00 */  M,  X,  M,  M,  X,  0,  0,  X,  0,  0,  X,  0,  X,  M,  X,  X,
    /* 10 */  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,
    /* 20 */  X,  X,  X,  X,  X,  X,  X,  X,  M,  M,  M,  M,  M,  M,  M,  M,
    /* 30 */  X,  0,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,
    /* 40 */  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,
    /* 50 */  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,
    /* 60 */  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,
    /* 70 */ MI, MI, MI, MI,  M,  M,  M,  0,  X,  X,  X,  X,  M,  M,  M,  M,
    /* 80 */  W,  W,  W,  W,  W,  W,  W,  W,  W,  W,  W,  W,  W,  W,  W,  W,
    /* 90 */  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,
    /* a0 */  0,  0,  0,  M, MI,  M,  X,  X,  0,  0,  X,  M, MI,  M,  M,  M,
    /* b0 */  M,  M,  M,  M,  M,  M,  M,  M,  X,  X, MI,  M,  M,  M,  M,  M,
    /* c0 */  M,  M, MI,  M, MI, MI, MI,  M,  0,  0,  0,  0,  0,  0,  0,  0,
    /* d0 */  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,
    /* e0 */  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,
    /* f0 */  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  X,
};
#undef M
#undef I
#undef W
#undef X
#undef MI
#undef MW
/* clang-format on */

#define VEX_MAP_0F 1u /* as VEX has it in its second byte, and the next two */
#define VEX_MAP_0F3A 3u

enum map { MAP_ONE_BYTE, MAP_0F = VEX_MAP_0F, MAP_0F38, MAP_0F3A = VEX_MAP_0F3A };

/* Prefixes, of which more are Zydis's; REX, an opcode of three bytes, ModRM, SIB, displacement and immediate of 8. */
#define MAX_PREFIXES 8u
#define ROOM (MAX_PREFIXES + 1u + 3u + 2u + 4u + 8u)

struct reader {
    const uint8_t *bytes; /* ROOM of them */
    size_t at;
    struct rv_patch_encoding *out;
    enum map map;
    bool is_wide;    /* REX.W */
    bool has_repeat; /* f3 */
};

static int64_t read_signed(const uint8_t *bytes, size_t n_bytes)
{
    int32_t wide;
    memcpy(&wide, bytes, sizeof wide);
    return n_bytes == 0 ? 0 : n_bytes == 1 ? (int8_t)bytes[0] : wide;
}

static void read_prefixes(struct reader *reader)
{
    for (; reader->at < MAX_PREFIXES; reader->at++) {
        switch (reader->bytes[reader->at]) {
        case 0x66:
            reader->out->has_operand_prefix = true;
            break;
        case 0xf3:
            reader->has_repeat = true;
            break;
        case 0xf2:
        case 0x2e:
        case 0x3e:
        case 0x64:
        case 0x65:
            break;
        default:
            return;
        }
    }
}

/* Behind prefixes it is Zydis's. */
static bool read_vex(struct reader *reader, uint8_t escape)
{
    const unsigned map = escape == 0xc5 ? VEX_MAP_0F : reader->bytes[reader->at + 1] & 0x1fu;
    if (reader->at != 0 || map < VEX_MAP_0F || map > VEX_MAP_0F3A)
        return false;
    reader->out->is_legacy = false;
    reader->map = (enum map)map;
    reader->at += escape == 0xc5 ? 2 : 3;
    return true;
}

static void read_escapes(struct reader *reader)
{
    uint8_t byte = reader->bytes[reader->at];
    if ((byte & 0xf0) == 0x40) {
        reader->is_wide = byte & 8;
        reader->out->has_base_bit = byte & 1;
        byte = reader->bytes[++reader->at];
    }
    if (byte != 0x0f)
        return;
    byte = reader->bytes[++reader->at];
    reader->map = byte == 0x38 ? MAP_0F38 : byte == 0x3a ? MAP_0F3A : MAP_0F;
    reader->at += reader->map != MAP_0F;
}

static bool read_opcode(struct reader *reader)
{
    const uint8_t byte = reader->bytes[reader->at];
    if (byte != 0xc4 && byte != 0xc5)
        read_escapes(reader);
    else if (!read_vex(reader, byte))
        return false;
    if (!reader->out->is_legacy || reader->map >= MAP_0F38)
        reader->out->map = RV_PATCH_OTHER_MAP;
    else
        reader->out->map = reader->map == MAP_0F ? RV_PATCH_0F : RV_PATCH_ONE_BYTE;
    reader->out->opcode = reader->bytes[reader->at++];
    return true;
}

/* Of one byte, or behind 0f: prefix 66 changes how many bytes its target has, but not on all processors. */
static bool is_branch(const struct reader *reader)
{
    const uint8_t opcode = reader->out->opcode;
    if (reader->map == MAP_0F)
        return (opcode & 0xf0) == 0x80;
    return (opcode & 0xf0) == 0x70 || (opcode & 0xfc) == 0xe0 || (opcode & 0xfc) == 0xe8;
}

static unsigned find_parts(const struct reader *reader)
{
    const uint8_t opcode = reader->out->opcode, number = reader->bytes[reader->at] >> 3 & 7;
    if (reader->map == MAP_0F38)
        return MODRM;
    if (reader->map == MAP_0F3A)
        return MODRM | BYTE;
    if (is_branch(reader) && (reader->out->has_operand_prefix || !reader->out->is_legacy))
        return REST;
    if (reader->map == MAP_0F)
        return opcode == 0xb8 && reader->has_repeat ? MODRM : TWO_BYTES[opcode];
    if (opcode == 0xf6 || opcode == 0xf7)
        return MODRM | (number > 1 ? NONE : opcode == 0xf6 ? BYTE : WIDE);
    if ((opcode == 0xc6 || opcode == 0xc7) && number != 0)
        return REST;
    return ONE_BYTE[opcode];
}

static size_t count_immediate(const struct reader *reader, unsigned parts)
{
    const bool is_move = reader->map == MAP_ONE_BYTE && (reader->out->opcode & 0xf8) == 0xb8;
    if (parts & BYTE)
        return 1;
    if (parts & SHORT)
        return 2;
    if (!(parts & WIDE))
        return 0;
    if (reader->is_wide)
        return is_move ? 8 : 4;
    return reader->out->has_operand_prefix ? 2 : 4;
}

static void read_operand(struct reader *reader)
{
    struct rv_patch_encoding *out = reader->out;
    out->modrm_at = (uint8_t)reader->at;
    out->modrm = reader->bytes[reader->at++];
    const unsigned mod = out->modrm >> 6, number = out->modrm & 7;
    const bool has_sib = mod != 3 && number == RSP;
    if (has_sib)
        out->sib = reader->bytes[reader->at++];
    if (mod == 1)
        out->n_displacement = 1;
    else if (mod == 2 || (mod == 0 && (number == RBP || (has_sib && (out->sib & 7) == RBP))))
        out->n_displacement = 4;
    out->displacement_at = (uint8_t)reader->at;
    out->displacement = read_signed(reader->bytes + reader->at, out->n_displacement);
    reader->at += out->n_displacement;
}

bool rv_patch_encoding_read(struct rv_patch_encoding *out, const uint8_t *bytes, size_t n)
{
    uint8_t padded[ROOM];
    struct reader reader = {.bytes = bytes, .out = out};
    *out = (struct rv_patch_encoding){.is_legacy = true};
    if (n < ROOM) {
        memset(padded, 0, sizeof padded);
        memcpy(padded, bytes, n);
        reader.bytes = padded;
    }
    read_prefixes(&reader);
    if (!read_opcode(&reader))
        return false;
    const unsigned parts = find_parts(&reader);
    if (parts & REST)
        return false;
    if (parts & MODRM)
        read_operand(&reader);
    const size_t n_immediate = count_immediate(&reader, parts);
    out->immediate = read_signed(reader.bytes + reader.at, n_immediate);
    reader.at += n_immediate;
    out->n_bytes = (uint8_t)reader.at;
    return reader.at <= n && reader.at <= LONGEST;
}
