/*
 * The bytes of the instruction are looked for first; only ranges that have them, and parts that were split off functions,
 * are decoded: of libc an eighth. Nothing but the code of its own function branches into the middle of a function.
 */
#include "patch/syscall_stubs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "patch/unwind_table.h"
#include "patch/absolute_pointers.h"

#define CALL_BYTES 2u /* of the instruction */
#define N_BEFORE 8u   /* instructions kept while a range is decoded */
#define NEAR 32u      /* bytes around a call in which targets of branches matter: half of a mask's bits */
#define MAX_TABLE 4096u

/* Places in a stub, in bytes. */
#define SITE_AT 0u
#define ENTER_AT 8u
#define LEAVE_AT 16u
#define BEFORE_AT 24u
#define CALL_AT 48u
#define BEHIND_AT 100u

static const uint8_t SYSCALL[CALL_BYTES] = {0x0f, 0x05};

/* rt_sigreturn's: unwinders know it by these bytes. */
static const uint8_t SIGRETURN[] = {0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05};

struct call {
    uint64_t at;      /* of the instruction */
    uint64_t before;  /* begin of the instructions displaced in front of it; 0: none can be */
    uint64_t end;     /* end of the call's function */
    uint64_t targets; /* bit n: a branch leads to the n-th byte from NEAR before it */
    bool is_level;    /* what follows it may be displaced: the stack is as before for long enough */
};

struct survey {
    const struct rv_patch_syscalls_request *request;
    struct rv_patch_decoder decoder;
    struct rv_patch_unwind_frame *frames;
    size_t n_frames;
    struct call *calls; /* by rising address */
    size_t n_calls, capacity;
};

/* ---- what leads where ---- */

static void mark_target(struct survey *survey, uint64_t address)
{
    const size_t n = rv_bisect_count(survey->calls, survey->n_calls, sizeof *survey->calls, offsetof(struct call, at),
                                     address + NEAR);
    for (size_t i = n; i-- > 0 && address + NEAR - survey->calls[i].at < 2 * NEAR;)
        survey->calls[i].targets |= 1ull << (address + NEAR - survey->calls[i].at);
}

/* May an address be that of a jump table? Its entries count from it. */
static void read_as_table(struct survey *survey, uint64_t table)
{
    size_t n_bytes;
    const uint8_t *bytes =
        table % sizeof(int32_t) == 0 ? rv_patch_image_at(&survey->request->image, table, &n_bytes) : NULL;
    for (size_t i = 0; bytes && i < MAX_TABLE && n_bytes / sizeof(int32_t) > i; i++) {
        int32_t entry;
        memcpy(&entry, bytes + i * sizeof entry, sizeof entry);
        const uint64_t target = table + (uint64_t)(int64_t)entry;
        const struct rv_patch_segment *segment = rv_patch_image_segment(&survey->request->image, target);
        if (!segment || !segment->is_code)
            return;
        mark_target(survey, target);
    }
}

static void mark_pointer(void *context, uint64_t pointer)
{
    mark_target(context, pointer);
}

static void mark_targets(struct survey *survey, const struct rv_patch_unwind_frame *frame, const uint8_t *bytes)
{
    struct rv_patch_instruction in;
    for (uint64_t at = frame->start; at < frame->end; at += in.n_bytes) {
        if (!rv_patch_decode(&survey->decoder, bytes + (at - frame->start), (size_t)(frame->end - at), at, &in)) {
            in.n_bytes = 1;
            continue;
        }
        if (in.flow == RV_PATCH_BRANCH || in.flow == RV_PATCH_COUNTED || in.flow == RV_PATCH_JUMP)
            mark_target(survey, in.target);
        else if (in.is_lea && in.base == RV_PATCH_RIP)
            read_as_table(survey, in.target);
    }
}

/* ---- calls ---- */

/* Instructions before the one at hand, and where the return address lay at each. */
struct history {
    uint64_t at[N_BEFORE];
    struct rv_patch_unwind_row rows[N_BEFORE];
    bool is_plain[N_BEFORE];
    unsigned n;
};

static bool is_same_row(struct rv_patch_unwind_row a, struct rv_patch_unwind_row b)
{
    return a.base == b.base && a.offset == b.offset;
}

/* The fewest instructions that have room for a jump: with the call, unless that is spared. */
static uint64_t find_before(const struct history *history, uint64_t at, struct rv_patch_unwind_row row,
                            bool spares_call)
{
    const uint64_t n_covered = spares_call ? 0 : CALL_BYTES;
    for (unsigned n = 1; n <= N_BEFORE && n <= history->n; n++) {
        const unsigned i = (history->n - n) % N_BEFORE;
        if (!history->is_plain[i] || !is_same_row(history->rows[i], row))
            return 0;
        if (at + n_covered - history->at[i] >= RV_PATCH_JUMP_BYTES)
            return history->at[i];
    }
    return 0;
}

static int add_call(struct survey *survey, const struct call *call)
{
    if (survey->n_calls && survey->calls[survey->n_calls - 1].at == call->at)
        return 0; /* behind one range, and the first of the next */
    if (survey->n_calls == survey->capacity) {
        const size_t capacity = survey->capacity ? 2 * survey->capacity : 64;
        struct call *calls = realloc(survey->calls, capacity * sizeof *calls);
        if (!calls)
            return -ENOMEM;
        survey->calls = calls;
        survey->capacity = capacity;
    }
    survey->calls[survey->n_calls++] = *call;
    return 0;
}

/* Unwind information of clone(2)'s functions ends before the call: their child has another stack. */
static bool has_call_behind(const struct survey *survey, const struct rv_patch_unwind_frame *frame)
{
    size_t n_bytes;
    const uint8_t *bytes = rv_patch_image_at(&survey->request->image, frame->end, &n_bytes);
    return bytes && n_bytes >= CALL_BYTES && memcmp(bytes, SYSCALL, CALL_BYTES) == 0;
}

static bool is_level(struct rv_patch_unwind_rows rows, struct rv_patch_unwind_row row, uint64_t at)
{
    for (unsigned i = 0; i < RV_PATCH_JUMP_BYTES; i++)
        if (!is_same_row(row, rv_patch_unwind_rows_at(&rows, at + CALL_BYTES + i)))
            return false;
    return true;
}

static bool is_sigreturn(const uint8_t *bytes, size_t at)
{
    const size_t n_before = sizeof SIGRETURN - CALL_BYTES;
    return at >= n_before && memcmp(bytes + at - n_before, SIGRETURN, sizeof SIGRETURN) == 0;
}

static bool is_call(const uint8_t *bytes, size_t at)
{
    return memcmp(bytes + at, SYSCALL, CALL_BYTES) == 0 && !is_sigreturn(bytes, at);
}

static int find_calls(struct survey *survey, const struct rv_patch_unwind_frame *frame, const uint8_t *bytes)
{
    struct rv_patch_unwind_rows rows;
    struct rv_patch_instruction in;
    struct rv_patch_unwind_row row = {.base = RV_PATCH_UNWIND_ROW_UNKNOWN};
    struct history history = {.n = 0};
    const bool spares_call = survey->request->spares_calls;
    int error = 0;
    rv_patch_unwind_rows_begin(&rows, &survey->request->image, frame);
    for (uint64_t at = frame->start; at < frame->end && !error; at += in.n_bytes) {
        const uint8_t *code = bytes + (at - frame->start);
        if (!rv_patch_decode(&survey->decoder, code, (size_t)(frame->end - at), at, &in))
            return 0; /* data in the text: what was found before it counts */
        row = rv_patch_unwind_rows_at(&rows, at);
        if (in.n_bytes == CALL_BYTES && is_call(bytes, (size_t)(at - frame->start)))
            error = add_call(survey, &(struct call){.at = at,
                                                    .before = find_before(&history, at, row, spares_call),
                                                    .end = frame->end,
                                                    .is_level = is_level(rows, row, at)});
        history.at[history.n % N_BEFORE] = at;
        history.rows[history.n % N_BEFORE] = row;
        history.is_plain[history.n++ % N_BEFORE] = in.flow == RV_PATCH_NEXT;
    }
    if (!error && has_call_behind(survey, frame) && is_call(bytes, (size_t)(frame->end - frame->start)))
        error = add_call(survey, &(struct call){.at = frame->end,
                                                .before = find_before(&history, frame->end, row, spares_call),
                                                .end = frame->end});
    return error;
}

static const uint8_t *bytes_of(const struct survey *survey, const struct rv_patch_unwind_frame *frame)
{
    size_t n_bytes;
    const uint8_t *bytes = rv_patch_image_at(&survey->request->image, frame->start, &n_bytes);
    return bytes && frame->end - frame->start <= n_bytes ? bytes : NULL;
}

static bool has_bytes(const struct survey *survey, const struct rv_patch_unwind_frame *frame)
{
    const uint8_t *bytes = bytes_of(survey, frame);
    return bytes &&
           (memmem(bytes, (size_t)(frame->end - frame->start), SYSCALL, CALL_BYTES) || has_call_behind(survey, frame));
}

static int read_code(struct survey *survey)
{
    int error = 0;
    for (size_t i = 0; i < survey->n_frames && !error; i++)
        if (has_bytes(survey, &survey->frames[i]))
            error = find_calls(survey, &survey->frames[i], bytes_of(survey, &survey->frames[i]));
    for (size_t i = 0; i < survey->n_frames && !error && survey->n_calls; i++) {
        const struct rv_patch_unwind_frame *frame = &survey->frames[i];
        const uint8_t *bytes = bytes_of(survey, frame);
        if (bytes && (!frame->is_function || has_bytes(survey, frame)))
            mark_targets(survey, frame, bytes);
    }
    if (!error && survey->n_calls)
        rv_patch_pointers_read(&survey->request->image, mark_pointer, survey);
    return error;
}

/* ---- stubs ---- */

/* Built beside where it is to be: a thread may be in an old one, which an earlier attachment has left there. */
struct stub {
    uint64_t address;
    uint8_t bytes[RV_PATCH_SYSCALL_STUB_BYTES];
};

/* Does a branch lead into what begins behind the first address, and ends before the last? */
static bool is_led_into(const struct call *call, uint64_t first, uint64_t last)
{
    for (uint64_t at = first + 1; at < last; at++)
        if (at + NEAR - call->at >= 2 * NEAR || call->targets >> (at + NEAR - call->at) & 1)
            return true;
    return false;
}

static enum rv_patch_refusal move(const struct survey *survey, uint64_t from, uint64_t end, uint64_t to,
                                  struct rv_patch_moved *moved)
{
    size_t n_bytes;
    struct rv_patch_code code = {.address = from, .n_function = (size_t)(end - from), .n_written = RV_PATCH_JUMP_BYTES};
    code.bytes = rv_patch_image_at(&survey->request->image, from, &n_bytes);
    if (!code.bytes || n_bytes < code.n_function)
        return RV_PATCH_NOT_CODE;
    return rv_patch_move(&survey->decoder, &code, to, moved);
}

/* Plain instructions keep their lengths. */
static bool copy_before(const struct survey *survey, const struct call *call, uint8_t *to, uint64_t address)
{
    struct rv_patch_instruction in;
    size_t n_bytes;
    const uint8_t *bytes = rv_patch_image_at(&survey->request->image, call->before, &n_bytes);
    for (uint64_t at = call->before; at < call->at; at += in.n_bytes, to += in.n_bytes, address += in.n_bytes) {
        int32_t distance;
        const uint8_t *code = bytes + (at - call->before);
        if (!rv_patch_decode(&survey->decoder, code, (size_t)(call->at - at), at, &in))
            return false;
        memcpy(to, code, in.n_bytes);
        if (in.base != RV_PATCH_RIP)
            continue;
        if (!rv_patch_reach(address + in.n_bytes, in.target, &distance))
            return false;
        memcpy(to + in.operand_at, &distance, sizeof distance);
    }
    return true;
}

/* Displaced are those in front; the call is made in the stub, which goes on behind it. *begin: where in the stub the jump
 * leads to. */
static enum rv_patch_refusal put_before(const struct survey *survey, const struct call *call, struct stub *stub,
                                        struct rv_patch_moved *behind, uint64_t *begin)
{
    int32_t back;
    const uint64_t address = stub->address;
    const size_t n_displaced = (size_t)(call->at - call->before);
    const uint64_t end = call->before + RV_PATCH_JUMP_BYTES;
    *begin = address + CALL_AT - n_displaced;
    if (!call->before || n_displaced > CALL_AT - BEFORE_AT || (survey->request->spares_calls && end > call->at))
        return RV_PATCH_STRANGE_INSTRUCTION;
    if (is_led_into(call, call->before, end > call->at ? end : call->at + 1))
        return RV_PATCH_BRANCH_INTO;
    if (!copy_before(survey, call, stub->bytes + CALL_AT - n_displaced, *begin))
        return RV_PATCH_TOO_FAR;
    if (!rv_patch_reach(address + BEHIND_AT + RV_PATCH_JUMP_BYTES, call->at + CALL_BYTES, &back))
        return RV_PATCH_TOO_FAR;
    behind->bytes[0] = 0xe9;
    memcpy(behind->bytes + 1, &back, sizeof back);
    behind->n_bytes = RV_PATCH_JUMP_BYTES;
    return RV_PATCH_FITS;
}

static enum rv_patch_refusal put_behind(const struct survey *survey, const struct call *call, struct stub *stub,
                                        struct rv_patch_moved *behind, uint64_t *begin)
{
    const uint64_t address = stub->address;
    memset(stub->bytes, 0, sizeof stub->bytes);
    *begin = address + CALL_AT;
    if (is_led_into(call, call->at, call->at + RV_PATCH_JUMP_BYTES))
        return RV_PATCH_BRANCH_INTO;
    if (!call->is_level || survey->request->spares_calls)
        return RV_PATCH_STRANGE_INSTRUCTION;
    const enum rv_patch_refusal refusal = move(survey, call->at + CALL_BYTES, call->end, address + BEHIND_AT, behind);
    if (!refusal && behind->n_bytes > RV_PATCH_SYSCALL_STUB_BYTES - BEHIND_AT)
        return RV_PATCH_STRANGE_INSTRUCTION;
    return refusal;
}

#define LEA_DOWN 0x48, 0x8d, 0x64, 0x24, 0x80
#define LEA_UP 0x48, 0x8d, 0xa4, 0x24, 0x80, 0x00, 0x00, 0x00
#define CALL_MEMORY 0xff, 0x15, 0, 0, 0, 0

static const uint8_t CODE[] = {LEA_DOWN, CALL_MEMORY,                                           /* enter */
                               LEA_UP,   0x0f,        0x05, 0xeb,     BEHIND_AT - CALL_AT - 23, /* jmp behind */
                               LEA_UP,   0x0f,        0x05, LEA_DOWN, CALL_MEMORY,              /* leave */
                               LEA_UP};
#define ENTER_CALL_END 11u
#define LEAVE_CALL_END 44u
_Static_assert(sizeof CODE == BEHIND_AT - CALL_AT, "");
_Static_assert(ENTER_CALL_END + RV_PATCH_SYSCALL_TRACED == 23, "the traced call follows the jump");

static void put_number(uint8_t *at, uint64_t number)
{
    memcpy(at, &number, sizeof number);
}

/* Of a call through memory whose end is there. */
static void put_distance(uint8_t *stub, uint32_t end, uint32_t target)
{
    const int32_t distance = (int32_t)target - (int32_t)end;
    memcpy(stub + end - sizeof distance, &distance, sizeof distance);
}

static void put_code(uint8_t *stub, const struct rv_patch_syscalls_request *request, const struct call *call)
{
    put_number(stub + SITE_AT, call->at + CALL_BYTES);
    put_number(stub + ENTER_AT, request->enter);
    put_number(stub + LEAVE_AT, request->leave);
    memcpy(stub + CALL_AT, CODE, sizeof CODE);
    put_distance(stub, CALL_AT + ENTER_CALL_END, ENTER_AT);
    put_distance(stub, CALL_AT + LEAVE_CALL_END, LEAVE_AT);
}

static void put_site(const struct rv_patch_image *image, struct rv_patch_site *site, uint64_t from, uint64_t to)
{
    size_t n_bytes;
    const int32_t distance = (int32_t)(to - from - RV_PATCH_JUMP_BYTES);
    *site = (struct rv_patch_site){.address = from, .jump = {0xe9}, .n_bytes = RV_PATCH_JUMP_BYTES};
    memcpy(site->jump + 1, &distance, sizeof distance);
    memcpy(site->original, rv_patch_image_at(image, from, &n_bytes), RV_PATCH_JUMP_BYTES);
}

static enum rv_patch_refusal build(const struct survey *survey, const struct call *call, uint8_t *place,
                                   struct stub *stub, struct rv_patch_site *site)
{
    struct rv_patch_moved behind;
    uint64_t from = call->before, begin;
    int32_t there;
    *stub = (struct stub){.address = (uint64_t)(uintptr_t)place};
    enum rv_patch_refusal refusal = put_before(survey, call, stub, &behind, &begin);
    if (refusal) {
        from = call->at;
        refusal = put_behind(survey, call, stub, &behind, &begin);
    }
    if (refusal || !rv_patch_reach(from + RV_PATCH_JUMP_BYTES, begin, &there))
        return refusal ? refusal : RV_PATCH_TOO_FAR;
    put_code(stub->bytes, survey->request, call);
    memcpy(stub->bytes + BEHIND_AT, behind.bytes, behind.n_bytes);
    put_site(&survey->request->image, site, from, begin);
    return RV_PATCH_FITS;
}

/* An old one that would be built just so where it is. */
static bool is_left(const struct survey *survey, const struct call *call, struct rv_patch_site *site)
{
    struct stub stub;
    const uint64_t goes_on = call->at + CALL_BYTES;
    uint8_t *old = NULL;
    while (survey->request->find_stub && (old = survey->request->find_stub(goes_on, old)))
        if (build(survey, call, old, &stub, site) == RV_PATCH_FITS && memcmp(old, stub.bytes, sizeof stub.bytes) == 0)
            return true;
    return false;
}

static enum rv_patch_refusal place(const struct survey *survey, const struct call *call, struct rv_patch_site *site)
{
    const struct rv_patch_segment *segment = rv_patch_image_segment(&survey->request->image, call->at);
    struct stub stub;
    if (!segment->is_code || segment->is_writable || segment->end - call->at < CALL_BYTES + RV_PATCH_JUMP_BYTES)
        return RV_PATCH_NOT_CODE;
    if (is_left(survey, call, site))
        return RV_PATCH_FITS;
    uint8_t *to = survey->request->take_stub(call->at + CALL_BYTES);
    const enum rv_patch_refusal refusal = to ? build(survey, call, to, &stub, site) : RV_PATCH_TOO_FAR;
    if (!refusal)
        memcpy(to, stub.bytes, sizeof stub.bytes);
    return refusal;
}

static int build_all(const struct survey *survey, struct rv_patch_prepared *prepared)
{
    prepared->sites = calloc(survey->n_calls, sizeof *prepared->sites);
    if (!prepared->sites)
        return -ENOMEM;
    for (size_t i = 0; i < survey->n_calls; i++) {
        const enum rv_patch_refusal refusal = place(survey, &survey->calls[i], &prepared->sites[prepared->n_sites]);
        prepared->n_sites += !refusal;
    }
    return 0;
}

int rv_patch_syscalls_prepare(const struct rv_patch_syscalls_request *request, struct rv_patch_prepared *prepared)
{
    struct survey survey = {.request = request};
    *prepared = (struct rv_patch_prepared){0};
    int error = rv_patch_unwind_frames_read(&request->image, &survey.frames, &survey.n_frames);
    if (!error) {
        rv_patch_decoder_init(&survey.decoder);
        error = read_code(&survey);
    }
    if (!error && survey.n_calls)
        error = build_all(&survey, prepared);
    free(survey.calls);
    free(survey.frames);
    return error;
}
