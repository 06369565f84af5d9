/*
 * Prototypes of functions in the language of ltrace.conf(5): which arguments they take, and how those are shown. Read
 * from a text, which is input.
 */
#ifndef RV_PROTOTYPES_PROTOTYPES_H
#define RV_PROTOTYPES_PROTOTYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rv_type_kind {
    RV_TYPE_VOID,
    RV_TYPE_CHAR,
    RV_TYPE_SHORT,
    RV_TYPE_USHORT,
    RV_TYPE_INT,
    RV_TYPE_UINT,
    RV_TYPE_LONG,
    RV_TYPE_ULONG,
    RV_TYPE_FLOAT,
    RV_TYPE_DOUBLE,
    RV_TYPE_STRUCT,
    RV_TYPE_ARRAY,
    RV_TYPE_POINTER
};

/* How a value is shown. */
enum rv_lens {
    RV_LENS_NONE,
    RV_LENS_OCT,
    RV_LENS_HEX,
    RV_LENS_HIDE,
    RV_LENS_BOOL,
    RV_LENS_BITVEC,
    RV_LENS_STRING,
    RV_LENS_ENUM,
    RV_LENS_FLAGS, /* a sum of values of an enum; one in front that has all bits of others counts first */
    RV_LENS_ERRNO  /* a result of the kernel's: -1 and an error's name */
};

enum rv_length_kind {
    RV_LENGTH_NUMBER,
    RV_LENGTH_ARGUMENT, /* the value of argument `number`, from 1; 0 is the result */
    RV_LENGTH_ELEMENT,  /* of field `number` of the surrounding struct, from 1 */
    RV_LENGTH_ZERO      /* up to the first element that is all zeroes, of at most `most` elements if that is given */
};

struct rv_length {
    enum rv_length_kind kind;
    int64_t number;
    const struct rv_length *most;
};

struct rv_enum_value {
    const char *name;
    int64_t value;
};

struct rv_type {
    enum rv_type_kind kind;
    enum rv_lens lens;
    uint32_t n_bytes,
        alignment; /* of an array: of no element more than its length says where that is a number, else 0 */
    const struct rv_type *inner;   /* POINTER: its target; ARRAY: its element */
    struct rv_length length;       /* ARRAY */
    const struct rv_type **fields; /* STRUCT */
    uint32_t n_fields;
    uint32_t depth;                     /* structs and arrays within one another */
    bool is_declared_only;              /* "typedef NAME = struct;" so far */
    const struct rv_enum_value *values; /* ENUM */
    uint32_t n_values;
};

struct rv_parameter {
    const struct rv_type *type;
    bool is_out;    /* shown as it is when the function returns */
    bool is_format; /* a printf format: further arguments follow as it says */
};

struct rv_prototype {
    const char *name;
    const struct rv_type *result;
    const struct rv_parameter *parameters;
    uint32_t n_parameters;
};

struct rv_prototypes;

/*
 * Parse a text.
 *   text     n_bytes, not terminated
 *   line     set to the number of the first line that is wrong
 *   why      set to what is wrong there: a constant
 *   returns  NULL where something is wrong; names that occur twice: the last counts
 */
struct rv_prototypes *rv_prototypes_parse(const char *text, size_t n_bytes, unsigned *line, const char **why);
void rv_prototypes_destroy(struct rv_prototypes *prototypes);

/* How many there are, and one of them, idx below that number. */
size_t rv_prototypes_n(const struct rv_prototypes *prototypes);
const struct rv_prototype *rv_prototypes_at(const struct rv_prototypes *prototypes, size_t idx);

#endif
