/*
 * The segments of an ELF image: addresses to bytes. The image is mapped in this process, or the bytes of a file, laid
 * out as if mapped. Either is input: every address and length is checked before use.
 */
#ifndef RV_PATCH_IMAGE_H
#define RV_PATCH_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RV_PATCH_SEGMENTS 32u

struct rv_patch_segment {
    uint64_t start, end;  /* those in the file, without the zeroed memory behind them */
    const uint8_t *bytes; /* of start */
    uint64_t offset;      /* of start in the file */
    bool is_code, is_readable, is_writable;
};

struct rv_patch_image {
    struct rv_patch_segment segments[RV_PATCH_SEGMENTS];
    size_t n_segments;
    uint64_t unwind_table; /* address of .eh_frame_hdr; 0: there is none, and .eh_frame lies at */
    uint64_t unwind_records, unwind_records_end;
    uint64_t entry;   /* where the process begins; 0: not known */
    uint64_t dynamic; /* address of the dynamic section; 0: there is none */
    uint64_t bias;    /* what its addresses are above those in its headers */
    bool is_unlinked; /* a position-independent file: a word of its data that looks like an address is a small number */
};

/*
 * An image that is mapped in this process, as dl_iterate_phdr() finds it.
 *   bias     what its addresses are above those in its headers
 *   returns  0, -EBADMSG: too many segments, or one that ends before it begins
 */
int rv_patch_image_mapped(struct rv_patch_image *image, const Elf64_Phdr *headers, size_t n_headers, uint64_t bias);

/* An x86-64 ELF file's bytes, 8-byte aligned, borrowed while the image is used. Returns 0 or -EBADMSG. */
int rv_patch_image_file(struct rv_patch_image *image, const uint8_t *file, size_t n_bytes);

/* Bytes of its segments. */
uint64_t rv_patch_image_bytes(const struct rv_patch_image *image);

/* So many bytes or entries are read of one kind of table, and of what it leads to. A linker lays these side by side; in
 * an image that lays them upon one another on purpose there would be no end. */
uint64_t rv_patch_image_most_read(const struct rv_patch_image *image);

/* The segment that holds an address; NULL: none. */
const struct rv_patch_segment *rv_patch_image_segment(const struct rv_patch_image *image, uint64_t address);

/* Is all of a range within one segment of code? */
bool rv_patch_image_has_code(const struct rv_patch_image *image, uint64_t address, uint64_t n_bytes);

/* The bytes at an address, and how many lie there up to its segment's end; NULL and 0: none. */
const uint8_t *rv_patch_image_at(const struct rv_patch_image *image, uint64_t address, size_t *n_bytes);

#endif
