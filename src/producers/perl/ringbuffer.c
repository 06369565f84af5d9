/*
 * Devel::RingBuffer and its rings for Perl, over include/ringviz/monitor.h. Subs with a leading underscore are made
 * into methods by the .pm files. An object's file is attached by magic, which is cloned into new threads.
 *
 * Texts are stored as UTF-8 and decoded when read, so that any Perl string is preserved.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "producers/perl/perl_api.h"
#include "ringviz/monitor.h"

#define NO_RING UINT32_MAX
#define MOST_TEXT (1 << 16) /* of a slot, and first buffer for a message */
#define MOST_MESSAGE ((size_t)1 << 30)

struct handle {
    struct ringviz_file *file;
    uint32_t ring; /* NO_RING: the whole file */
    bool is_owner; /* it claimed the ring and frees it; false for a copy in a new thread */
};

/* ---- objects ---- */

static int free_handle(pTHX_ SV *sv, MAGIC *magic)
{
    PERL_UNUSED_CONTEXT;
    PERL_UNUSED_VAR(sv);
    struct handle *handle = (struct handle *)(void *)magic->mg_ptr;
    if (handle)
        ringviz_file_close(handle->file);
    free(handle);
    magic->mg_ptr = NULL;
    return 0;
}

static struct handle *make_handle(struct ringviz_file *file, uint32_t ring)
{
    struct handle *handle = malloc(sizeof *handle);
    if (handle)
        *handle = (struct handle){.file = file, .ring = ring};
    return handle;
}

static int dup_handle(pTHX_ MAGIC *magic, CLONE_PARAMS *params)
{
    PERL_UNUSED_CONTEXT;
    PERL_UNUSED_VAR(params);
    const struct handle *handle = (const struct handle *)(const void *)magic->mg_ptr;
    struct handle *copy = handle ? make_handle(handle->file, handle->ring) : NULL;
    if (copy)
        ringviz_file_keep(copy->file);
    magic->mg_ptr = (char *)copy;
    return 0;
}

static const MGVTBL handle_magic = {.svt_free = free_handle, .svt_dup = dup_handle};

/* Takes ownership of the file. */
static void attach(pTHX_ SV *object, struct ringviz_file *file, uint32_t ring)
{
    struct handle *handle = make_handle(file, ring);
    if (!handle)
        croak("Out of memory");
    MAGIC *magic = sv_magicext(SvRV(object), NULL, PERL_MAGIC_ext, &handle_magic, (const char *)handle, 0);
    magic->mg_flags |= MGf_DUP;
}

static struct handle *handle_of(pTHX_ SV *object)
{
    const MAGIC *magic = SvROK(object) ? mg_findext(SvRV(object), PERL_MAGIC_ext, &handle_magic) : NULL;
    if (!magic || !magic->mg_ptr)
        croak("Not an open Devel::RingBuffer or Devel::RingBuffer::Ring");
    return (struct handle *)(void *)magic->mg_ptr;
}

/* ---- values ---- */

static SV *text_sv(pTHX_ const char *text, size_t n_bytes)
{
    SV *sv = newSVpvn(text, n_bytes);
    if (is_utf8_string((const U8 *)text, n_bytes))
        SvUTF8_on(sv);
    return sv_2mortal(sv);
}

static const char *text_of(pTHX_ SV *sv, STRLEN *n_bytes)
{
    return SvOK(sv) ? SvPVutf8(sv, *n_bytes) : (*n_bytes = 0, "");
}

/* Negative seconds: no timeout. */
static uint64_t nanoseconds(pTHX_ SV *seconds)
{
    double value = SvNV(seconds);
    return value > 0 ? (uint64_t)((value < 1e9 ? value : 1e9) * 1e9) : 0;
}

static SV *int_sv(pTHX_ int value)
{
    return sv_2mortal(newSViv(value));
}

/* value, or undef and $! for a negative errno. */
static SV *int_or_undef(pTHX_ int value)
{
    if (value >= 0)
        return int_sv(aTHX_ value);
    errno = -value;
    return &PL_sv_undef;
}

/* yes, or undef and $! for a negative errno. */
static SV *success_sv(pTHX_ int error)
{
    return error ? int_or_undef(aTHX_ error) : &PL_sv_yes;
}

static void need(const CV *cv, bool is_so, const char *usage)
{
    if (!is_so)
        croak_xs_usage(cv, usage);
}

/* Start of every method: check for n arguments, and get the object's handle. */
#define BEGIN_METHOD(n, usage)                                                                                         \
    dXSARGS;                                                                                                           \
    need(cv, items == (n), usage);                                                                                     \
    const struct handle *const handle = handle_of(aTHX_ ST(0))

/* ---- files ---- */

XS_INTERNAL(xs_create)
{
    dXSARGS;
    need(cv, items == 9, "self, path, rings, slots, slot size, message size, global size, stop, trace");
    const struct ringviz_file_params params = {
        .n_rings = (uint32_t)SvUV(ST(2)),
        .n_slots = (uint32_t)SvUV(ST(3)),
        .slot_bytes = (uint32_t)SvUV(ST(4)),
        .message_bytes = (uint32_t)SvUV(ST(5)),
        .global_bytes = (uint32_t)SvUV(ST(6)),
        .stop_on_create = SvTRUE(ST(7)),
        .trace_on_create = SvTRUE(ST(8)),
    };
    struct ringviz_file *file;
    int error = ringviz_file_create(&file, SvPV_nolen(ST(1)), &params);
    if (!error)
        attach(aTHX_ ST(0), file, NO_RING);
    ST(0) = int_sv(aTHX_ - error);
    XSRETURN(1);
}

XS_INTERNAL(xs_open)
{
    dXSARGS;
    need(cv, items == 2, "self, path");
    struct ringviz_file *file;
    int error = ringviz_file_open(&file, SvPV_nolen(ST(1)));
    if (!error)
        attach(aTHX_ ST(0), file, NO_RING);
    ST(0) = int_sv(aTHX_ - error);
    XSRETURN(1);
}

/* Makes the hash `ring` an object of that ring. */
XS_INTERNAL(xs_bind)
{
    BEGIN_METHOD(4, "self, ring, index, is owner");
    struct ringviz_file *file = handle->file;
    UV ring = SvUV(ST(2));
    bool is_ring = ring < NO_RING && ringviz_ring_address(file, (uint32_t)ring);
    if (is_ring) {
        attach(aTHX_ ST(1), ringviz_file_keep(file), (uint32_t)ring);
        handle_of(aTHX_ ST(1))->is_owner = SvTRUE(ST(3));
    }
    ST(0) = boolSV(is_ring);
    XSRETURN(1);
}

XS_INTERNAL(xs_name)
{
    BEGIN_METHOD(1, "self");
    ST(0) = sv_2mortal(newSVpv(ringviz_file_path(handle->file), 0));
    XSRETURN(1);
}

XS_INTERNAL(xs_address)
{
    BEGIN_METHOD(1, "self");
    const void *address =
        handle->ring == NO_RING ? ringviz_file_address(handle->file) : ringviz_ring_address(handle->file, handle->ring);
    ST(0) = sv_2mortal(newSVuv(PTR2UV(address)));
    XSRETURN(1);
}

XS_INTERNAL(xs_file_header)
{
    BEGIN_METHOD(1, "self");
    const struct ringviz_file *file = handle->file;
    struct ringviz_file_params sizes;
    int32_t single, stop, trace;
    size_t message_bytes, chunk_bytes;
    ringviz_file_params(file, &sizes);
    ringviz_flag_get(file, NO_RING, RINGVIZ_SINGLE, &single);
    ringviz_flag_get(file, NO_RING, RINGVIZ_STOP_ON_CREATE, &stop);
    ringviz_flag_get(file, NO_RING, RINGVIZ_TRACE_ON_CREATE, &trace);
    ringviz_message_waiting(file, &message_bytes, &chunk_bytes);
    const IV values[] = {single, sizes.message_bytes, sizes.n_rings,     sizes.n_slots,  sizes.slot_bytes, stop,
                         trace,  sizes.global_bytes,  (IV)message_bytes, (IV)chunk_bytes};
    SP -= items;
    EXTEND(SP, 10);
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++)
        mPUSHi(values[i]);
    PUTBACK;
}

/* 1 for each ring that is free, 0 for each that is used. */
XS_INTERNAL(xs_map)
{
    BEGIN_METHOD(1, "self");
    const struct ringviz_file *file = handle->file;
    struct ringviz_file_params sizes;
    ringviz_file_params(file, &sizes);
    SP -= items;
    EXTEND(SP, (SSize_t)sizes.n_rings);
    for (uint32_t i = 0; i < sizes.n_rings; i++)
        mPUSHi(ringviz_ring_is_free(file, i));
    PUTBACK;
}

XS_INTERNAL(xs_claim)
{
    BEGIN_METHOD(2, "self, tid");
    ST(0) = int_or_undef(aTHX_ ringviz_ring_claim(handle->file, (uint32_t)SvUV(ST(1))));
    XSRETURN(1);
}

XS_INTERNAL(xs_free)
{
    BEGIN_METHOD(2, "self, ring or its index");
    struct handle *object = SvROK(ST(1)) ? handle_of(aTHX_ ST(1)) : NULL;
    int error = ringviz_ring_free(handle->file, object ? object->ring : (uint32_t)SvUV(ST(1)));
    if (object)
        object->is_owner = false; /* it may get a new owner */
    ST(0) = success_sv(aTHX_ error);
    XSRETURN(1);
}

XS_INTERNAL(xs_get)
{
    BEGIN_METHOD(2, "self, flag");
    int32_t value;
    int error = ringviz_flag_get(handle->file, handle->ring, (enum ringviz_flag)SvUV(ST(1)), &value);
    errno = error ? -error : errno;
    ST(0) = error ? &PL_sv_undef : int_sv(aTHX_ value);
    XSRETURN(1);
}

XS_INTERNAL(xs_set)
{
    BEGIN_METHOD(3, "self, flag, value");
    int32_t before;
    int error =
        ringviz_flag_set(handle->file, handle->ring, (enum ringviz_flag)SvUV(ST(1)), (int32_t)SvIV(ST(2)), &before);
    errno = error ? -error : errno;
    ST(0) = error ? &PL_sv_undef : int_sv(aTHX_ before);
    XSRETURN(1);
}

XS_INTERNAL(xs_post_global)
{
    BEGIN_METHOD(3, "self, message, seconds");
    STRLEN n_bytes;
    const char *message = text_of(aTHX_ ST(1), &n_bytes);
    int error = ringviz_message_post(handle->file, message, n_bytes, nanoseconds(aTHX_ ST(2)));
    ST(0) = success_sv(aTHX_ error);
    XSRETURN(1);
}

static int receive(struct ringviz_file *file, char **message, size_t *n_bytes, uint64_t timeout_ns)
{
    size_t capacity = MOST_TEXT;
    for (;;) {
        *message = malloc(capacity);
        if (!*message)
            return -ENOMEM;
        int error = ringviz_message_receive(file, *message, capacity, n_bytes, timeout_ns);
        if (error != -EMSGSIZE || *n_bytes > MOST_MESSAGE)
            return error;
        free(*message);
        capacity = *n_bytes;
    }
}

XS_INTERNAL(xs_receive_global)
{
    BEGIN_METHOD(2, "self, seconds");
    char *message;
    size_t n_bytes;
    int error = receive(handle->file, &message, &n_bytes, nanoseconds(aTHX_ ST(1)));
    ST(0) = error ? &PL_sv_undef : text_sv(aTHX_ message, n_bytes);
    free(message);
    errno = error ? -error : errno;
    XSRETURN(1);
}

/* ---- rings ---- */

XS_INTERNAL(xs_index)
{
    BEGIN_METHOD(1, "self");
    ST(0) = sv_2mortal(newSVuv(handle->ring));
    XSRETURN(1);
}

/* False for a copy in another thread, whatever its number. */
XS_INTERNAL(xs_is_owner)
{
    BEGIN_METHOD(1, "self");
    ST(0) = boolSV(handle->is_owner);
    XSRETURN(1);
}

XS_INTERNAL(xs_ring_header)
{
    BEGIN_METHOD(1, "self");
    struct ringviz_ring ring;
    int error = ringviz_ring_read(handle->file, handle->ring, &ring);
    SP -= items;
    if (!error) {
        EXTEND(SP, 4);
        mPUSHi(ring.pid);
        mPUSHi(ring.thread);
        mPUSHi(ring.current_slot);
        mPUSHi(ring.depth);
    }
    PUTBACK;
}

XS_INTERNAL(xs_slot)
{
    BEGIN_METHOD(2, "self, slot");
    struct ringviz_slot slot;
    char name[MOST_TEXT];
    IV wanted = SvIV(ST(1));
    int32_t slot_idx = wanted < 0 || wanted > INT32_MAX ? -1 : (int32_t)wanted;
    int error = ringviz_slot_read(handle->file, handle->ring, slot_idx, &slot, name, sizeof name);
    SP -= items;
    if (!error || error == -ENOENT) {
        EXTEND(SP, 3);
        mPUSHi(slot.line);
        mPUSHn((NV)slot.real_ns / 1e9);
        PUSHs(text_sv(aTHX_ name, strlen(name)));
    }
    PUTBACK;
}

/*
 * Select the slots: of an object or, as function or class method, of the ring at an address.
 *   returns  number of arguments used
 */
static I32 owner_of(pTHX_ SV *const *arguments, I32 n, struct handle *owner)
{
    if (SvROK(arguments[0])) {
        *owner = *handle_of(aTHX_ arguments[0]);
        return 1;
    }
    I32 n_used = looks_like_number(arguments[0]) ? 1 : 2;
    if (n < n_used ||
        ringviz_ring_at(INT2PTR(const void *, SvUV(arguments[n_used - 1])), &owner->file, &owner->ring) != 0)
        croak("Neither an open Devel::RingBuffer::Ring nor the address of one");
    return n_used;
}

XS_INTERNAL(xs_next_slot)
{
    dXSARGS;
    struct handle owner;
    need(cv, items > 1 && items == owner_of(aTHX_ & ST(0), items, &owner) + 1, "self | address, name");
    STRLEN n_bytes;
    const char *name = text_of(aTHX_ ST(items - 1), &n_bytes);
    ST(0) = int_or_undef(aTHX_ ringviz_slot_push(owner.file, owner.ring, name));
    XSRETURN(1);
}

XS_INTERNAL(xs_free_slot)
{
    dXSARGS;
    struct handle owner;
    need(cv, items > 0 && items == owner_of(aTHX_ & ST(0), items, &owner), "self | address");
    ST(0) = int_or_undef(aTHX_ ringviz_slot_pop(owner.file, owner.ring));
    XSRETURN(1);
}

static int32_t flag_of(const struct handle *handle, enum ringviz_flag flag)
{
    int32_t value = 0;
    ringviz_flag_get(handle->file, handle->ring, flag, &value);
    return value;
}

XS_INTERNAL(xs_flags)
{
    dXSARGS;
    struct handle owner;
    need(cv, items > 0 && items == owner_of(aTHX_ & ST(0), items, &owner), "self | address");
    bool is_single = flag_of(&owner, RINGVIZ_SINGLE), is_traced = flag_of(&owner, RINGVIZ_TRACE);
    ST(0) = int_sv(aTHX_ is_single | is_traced << 1 | !!flag_of(&owner, RINGVIZ_SIGNAL) << 2);
    XSRETURN(1);
}

/* Arguments: the line; for an object optionally preceded by the ring's address. Writes nothing while not traced. */
XS_INTERNAL(xs_update_slot)
{
    dXSARGS;
    struct handle owner;
    I32 n_used = items > 1 ? owner_of(aTHX_ & ST(0), items, &owner) : items;
    need(cv, items == n_used + 1 || (items == 3 && n_used == 1), "self | address, line");
    if (items == 3 && n_used == 1 && INT2PTR(const void *, SvUV(ST(1))) != ringviz_ring_address(owner.file, owner.ring))
        croak("Not the address of this ring");
    bool has_slot;
    if (flag_of(&owner, RINGVIZ_TRACE)) {
        has_slot = ringviz_slot_update(owner.file, owner.ring, (uint32_t)SvUV(ST(items - 1))) == 0;
    } else {
        struct ringviz_ring ring;
        has_slot = ringviz_ring_read(owner.file, owner.ring, &ring) == 0 && ring.current_slot >= 0;
    }
    if (!has_slot)
        ST(0) = &PL_sv_undef;
    XSRETURN(1);
}

/* ---- commands: the last argument says which, 1: a response ---- */

XS_INTERNAL(xs_post)
{
    BEGIN_METHOD(4, "self, code, message, is response");
    STRLEN n_bytes, n_code;
    const char *code = text_of(aTHX_ ST(1), &n_code), *message = text_of(aTHX_ ST(2), &n_bytes);
    int error = SvTRUE(ST(3)) ? ringviz_response_post(handle->file, handle->ring, code, message, n_bytes)
                              : ringviz_command_post(handle->file, handle->ring, code, message, n_bytes);
    ST(0) = success_sv(aTHX_ error);
    XSRETURN(1);
}

/* (code, message), or nothing and $!. */
XS_INTERNAL(xs_wait)
{
    BEGIN_METHOD(3, "self, seconds, is response");
    struct ringviz_file_params sizes;
    ringviz_file_params(handle->file, &sizes);
    SV *buffer = sv_2mortal(newSV(sizes.message_bytes + 1));
    struct ringviz_command command = {.message = SvPVX(buffer), .capacity = sizes.message_bytes};
    uint64_t timeout_ns = nanoseconds(aTHX_ ST(1));
    int error = SvTRUE(ST(2)) ? ringviz_response_wait(handle->file, handle->ring, &command, timeout_ns)
                              : ringviz_command_wait(handle->file, handle->ring, &command, timeout_ns);
    errno = error ? -error : errno;
    SP -= items;
    if (!error) {
        EXTEND(SP, 2);
        PUSHs(text_sv(aTHX_ command.code, strlen(command.code)));
        PUSHs(text_sv(aTHX_ command.message, command.n_bytes));
    }
    PUTBACK;
}

/* ---- watches ---- */

XS_INTERNAL(xs_add_watch)
{
    BEGIN_METHOD(2, "self, expression");
    STRLEN n_bytes;
    const char *expression = text_of(aTHX_ ST(1), &n_bytes);
    ST(0) = int_or_undef(aTHX_ ringviz_watch_add(handle->file, handle->ring, expression));
    XSRETURN(1);
}

XS_INTERNAL(xs_free_watch)
{
    BEGIN_METHOD(2, "self, watch");
    int error = ringviz_watch_remove(handle->file, handle->ring, (unsigned)SvUV(ST(1)));
    ST(0) = success_sv(aTHX_ error);
    XSRETURN(1);
}

/* (watch, expression) of the next one that awaits a value. */
XS_INTERNAL(xs_take_watch)
{
    BEGIN_METHOD(2, "self, first");
    char expression[RINGVIZ_WATCH_EXPRESSION_BYTES + 1];
    int watch = ringviz_watch_take(handle->file, handle->ring, (unsigned)SvUV(ST(1)), expression);
    SP -= items;
    if (watch >= 0) {
        EXTEND(SP, 2);
        mPUSHi(watch);
        PUSHs(text_sv(aTHX_ expression, strlen(expression)));
    }
    PUTBACK;
}

XS_INTERNAL(xs_set_watch)
{
    BEGIN_METHOD(4, "self, watch, result, error");
    bool is_error = SvOK(ST(3));
    SV *result = is_error ? ST(3) : ST(2);
    STRLEN n_bytes;
    const char *text = text_of(aTHX_ result, &n_bytes);
    int error = ringviz_watch_set_result(handle->file, handle->ring, (unsigned)SvUV(ST(1)), SvOK(result) ? text : NULL,
                                         n_bytes, is_error);
    ST(0) = success_sv(aTHX_ error);
    XSRETURN(1);
}

/* (length, result, error): length "0E0" and no result for a value that is undefined; nothing while there is none. */
XS_INTERNAL(xs_watch_result)
{
    BEGIN_METHOD(2, "self, watch");
    char result[RINGVIZ_WATCH_RESULT_BYTES];
    int32_t n_bytes;
    int error = ringviz_watch_get_result(handle->file, handle->ring, (unsigned)SvUV(ST(1)), result, &n_bytes);
    errno = error ? -error : errno;
    SP -= items;
    EXTEND(SP, 3);
    if (error) {
        PUSHs(&PL_sv_undef);
    } else {
        SV *text = n_bytes ? text_sv(aTHX_ result, (size_t)abs(n_bytes)) : &PL_sv_undef;
        PUSHs(n_bytes ? int_sv(aTHX_ abs(n_bytes)) : sv_2mortal(newSVpvs("0E0")));
        PUSHs(n_bytes > 0 ? text : &PL_sv_undef);
        PUSHs(n_bytes < 0 ? text : &PL_sv_undef);
    }
    PUTBACK;
}

/* ---- boot ---- */

static const struct {
    const char *name;
    XSUBADDR_t run;
} subs[] = {
    {"Devel::RingBuffer::_create", xs_create},
    {"Devel::RingBuffer::_open", xs_open},
    {"Devel::RingBuffer::_bind", xs_bind},
    {"Devel::RingBuffer::_claim", xs_claim},
    {"Devel::RingBuffer::_get", xs_get},
    {"Devel::RingBuffer::_set", xs_set},
    {"Devel::RingBuffer::_post", xs_post_global},
    {"Devel::RingBuffer::_receive", xs_receive_global},
    {"Devel::RingBuffer::getName", xs_name},
    {"Devel::RingBuffer::getAddress", xs_address},
    {"Devel::RingBuffer::getHeader", xs_file_header},
    {"Devel::RingBuffer::getMap", xs_map},
    {"Devel::RingBuffer::free", xs_free},
    {"Devel::RingBuffer::Ring::_get", xs_get},
    {"Devel::RingBuffer::Ring::_set", xs_set},
    {"Devel::RingBuffer::Ring::_post", xs_post},
    {"Devel::RingBuffer::Ring::_wait", xs_wait},
    {"Devel::RingBuffer::Ring::_take_watch", xs_take_watch},
    {"Devel::RingBuffer::Ring::_set_watch", xs_set_watch},
    {"Devel::RingBuffer::Ring::getAddress", xs_address},
    {"Devel::RingBuffer::Ring::getFlags", xs_flags},
    {"Devel::RingBuffer::Ring::getIndex", xs_index},
    {"Devel::RingBuffer::Ring::_is_owner", xs_is_owner},
    {"Devel::RingBuffer::Ring::getHeader", xs_ring_header},
    {"Devel::RingBuffer::Ring::getSlot", xs_slot},
    {"Devel::RingBuffer::Ring::nextSlot", xs_next_slot},
    {"Devel::RingBuffer::Ring::freeSlot", xs_free_slot},
    {"Devel::RingBuffer::Ring::updateSlot", xs_update_slot},
    {"Devel::RingBuffer::Ring::addWatch", xs_add_watch},
    {"Devel::RingBuffer::Ring::freeWatch", xs_free_watch},
    {"Devel::RingBuffer::Ring::getWatchResult", xs_watch_result},
};

__attribute__((visibility("default"))) XS_EXTERNAL(boot_Devel__RingBuffer);

XS_EXTERNAL(boot_Devel__RingBuffer)
{
    dXSBOOTARGSAPIVERCHK;
    PERL_UNUSED_VAR(items);
    for (unsigned i = 0; i < sizeof subs / sizeof *subs; i++)
        newXS(subs[i].name, subs[i].run, __FILE__);
    Perl_xs_boot_epilog(aTHX_ ax);
}
