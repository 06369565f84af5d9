/* The tables compared with Zydis at every byte of all code of this process, most of which begin no instruction. */
#include "patch/instruction_encoding.h"

#include <criterion/criterion.h>
#include <link.h>

#include "fixtures/encoding_oracle.h"

TestSuite(instruction_encoding, .timeout = 300);

struct count {
    size_t n_bytes, n_read, n_instructions;
};

static void compare_segment(const uint8_t *bytes, size_t n, struct count *count)
{
    struct rv_patch_encoding encoding;
    for (size_t i = 0; i < n; i++) {
        const char *difference = encoding_oracle_compare(bytes + i, n - i);
        cr_assert_null(difference, "%s: %02x %02x %02x %02x %02x %02x", difference, bytes[i], bytes[i + 1],
                       bytes[i + 2], bytes[i + 3], bytes[i + 4], bytes[i + 5]);
    }
    for (size_t i = 0; i < n; i += encoding.n_bytes) {
        const bool is_read = rv_patch_encoding_read(&encoding, bytes + i, n - i);
        count->n_read += is_read;
        count->n_instructions++;
        encoding.n_bytes = is_read ? encoding.n_bytes : 1;
    }
    count->n_bytes += n;
}

static int compare_object(struct dl_phdr_info *info, size_t n_bytes, void *context)
{
    (void)n_bytes;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && segment->p_flags == (PF_R | PF_X))
            compare_segment((const uint8_t *)(info->dlpi_addr + segment->p_vaddr), segment->p_filesz, context);
    }
    return 0;
}

Test(instruction_encoding, tables_agree_with_zydis_on_all_code_of_this_process_and_read_nearly_all_of_it)
{
    struct count count = {0};
    dl_iterate_phdr(compare_object, &count);
    cr_assert_gt(count.n_bytes, 1000000);
    cr_assert_gt(count.n_read * 100, count.n_instructions * 90, "%zu of %zu", count.n_read, count.n_instructions);
}

Test(instruction_encoding, a_truncated_instruction_is_refused)
{
    static const uint8_t MOVE[] = {0x48, 0x8b, 0x84, 0x24, 0x80, 0x00, 0x00, 0x00};
    struct rv_patch_encoding encoding;
    for (size_t n = 0; n < sizeof MOVE; n++)
        cr_assert_not(rv_patch_encoding_read(&encoding, MOVE, n), "%zu bytes", n);
    cr_assert(rv_patch_encoding_read(&encoding, MOVE, sizeof MOVE));
}
