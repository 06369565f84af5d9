/*
 * One table describes the sections and their minimum sizes for given counts. Both planning and checking iterate
 * over it, so neither can miss a section.
 */
#include "ring/layout.h"

#include <errno.h>

#include "ring/capture_filter_section.h"
#include "ring/verdict_section.h"

enum {
    MIN_RING_EVENTS = 64,
    MAX_RING_EVENTS = 1 << 20,
    MAX_PROCESSES = 1 << 20,
    MAX_MODULES = 1 << 22,
    MAX_NAMES = 1 << 26,
    MAX_SLOTS = 1 << 16,
    MAX_SLOT_BYTES = 1 << 14,
    MAX_MESSAGE_BYTES = 1 << 20,
    MAX_GLOBAL_BYTES = 1 << 26,
    MIN_HEAP_BYTES = 1 << 12,
    MAX_VERDICTS = 1 << 20,
    N_SECTIONS = 13,
    MIN_TEXT_BYTES = 1 << 12,
    MAX_TEXT_BYTES = 1 << 26,
};
static const uint64_t MAX_HEAP_BYTES = 1ull << 34, MAX_CAPTURE_BYTES = 1ull << 26, MAX_FILTER_BYTES = 1ull << 20;

struct section {
    struct rv_wire_area *area;
    uint64_t min_bytes;
};

static uint64_t round_up(uint64_t value, uint64_t step)
{
    return (value + step - 1) / step * step;
}

static uint32_t power_of_two_from(uint32_t value)
{
    uint32_t power = 1;
    while (power < value && power < 1u << 31)
        power <<= 1;
    return power;
}

static bool is_power_of_two(uint32_t value)
{
    return value && (value & (value - 1)) == 0;
}

static uint64_t needed_control_bytes(const struct rv_wire_header *header)
{
    return sizeof(struct rv_wire_control) +
           header->n_slots * (sizeof(struct rv_wire_slot) + (uint64_t)header->slot_bytes) + header->message_bytes;
}

/* The sections in file order. The counts are within their limits, so that no product overflows. */
static void list_sections(struct rv_wire_header *header, struct section sections[N_SECTIONS])
{
    const struct section listed[N_SECTIONS] = {
        {&header->processes, (uint64_t)header->n_processes * sizeof(struct rv_wire_process)},
        {&header->modules, (uint64_t)header->n_modules * sizeof(struct rv_wire_module)},
        {&header->controls, (uint64_t)header->n_rings * header->control_bytes},
        {&header->global_message, 1},
        {&header->name_index, (uint64_t)header->n_index_slots * sizeof(uint32_t)},
        {&header->name_ids, (uint64_t)header->n_name_ids * sizeof(uint32_t)},
        {&header->name_heap, MIN_HEAP_BYTES},
        {&header->rings, (uint64_t)header->n_rings * header->ring_events * sizeof(struct rv_event)},
        {&header->verdicts, (uint64_t)header->n_verdicts * sizeof(struct rv_wire_verdict)},
        {&header->captures, 0},
        {&header->texts, (uint64_t)header->n_rings * header->text_bytes},
        {&header->filter, sizeof(struct rv_wire_filter)},
        {&header->transfers, RV_WIRE_TRANSFERS * sizeof(struct rv_wire_transfer)},
    };
    for (unsigned i = 0; i < N_SECTIONS; i++)
        sections[i] = listed[i];
}

static const char *counts_fault(const struct rv_wire_header *header)
{
    if (header->n_rings < 1 || header->n_rings > RV_MAP_MAX_RINGS)
        return "number of rings";
    if (!is_power_of_two(header->ring_events) || header->ring_events < MIN_RING_EVENTS ||
        header->ring_events > MAX_RING_EVENTS)
        return "events per ring";
    if (header->n_slots < 1 || header->n_slots > MAX_SLOTS)
        return "number of slots";
    if (header->slot_bytes < 8 || header->slot_bytes > MAX_SLOT_BYTES || header->slot_bytes % 8)
        return "slot size";
    if (header->message_bytes < 8 || header->message_bytes > MAX_MESSAGE_BYTES || header->message_bytes % 8)
        return "message size";
    if (header->n_processes < 1 || header->n_processes > MAX_PROCESSES)
        return "number of processes";
    if (header->n_modules < 1 || header->n_modules > MAX_MODULES)
        return "number of modules";
    if (header->n_name_ids < 2 || header->n_name_ids > MAX_NAMES)
        return "number of names";
    if (header->n_verdicts < 1 || header->n_verdicts > MAX_VERDICTS)
        return "number of verdicts";
    if (header->text_bytes && (!is_power_of_two(header->text_bytes) || header->text_bytes < MIN_TEXT_BYTES ||
                               header->text_bytes > MAX_TEXT_BYTES))
        return "size of texts";
    return NULL;
}

static uint32_t or_default(uint32_t value, uint32_t otherwise)
{
    return value ? value : otherwise;
}

static const char *plan_counts(struct rv_wire_header *header, const struct rv_map_params *params)
{
    header->n_rings = or_default(params->n_rings, 256);
    uint32_t ring_events = or_default(params->ring_events, 1u << 17);
    header->ring_events = power_of_two_from(ring_events < MIN_RING_EVENTS ? MIN_RING_EVENTS : ring_events);
    header->n_slots = or_default(params->n_slots, 64);
    uint32_t slot_bytes = or_default(params->slot_bytes, 200), message_bytes = or_default(params->message_bytes, 4096);
    if (slot_bytes > MAX_SLOT_BYTES)
        return "slot size";
    if (message_bytes > MAX_MESSAGE_BYTES)
        return "message size";
    header->slot_bytes = (uint32_t)round_up(slot_bytes, 8);
    header->message_bytes = (uint32_t)round_up(message_bytes, 8);
    header->n_watches = RV_WIRE_WATCHES;
    header->n_processes = or_default(params->n_processes, 16384);
    header->n_modules = or_default(params->n_modules, 65536);
    header->n_verdicts = RV_VERDICTS_MAX;
    if (params->captures)
        header->text_bytes = power_of_two_from(or_default(params->text_bytes, 1u << 20));
    uint32_t n_names = or_default(params->n_names, 1u << 18);
    if (n_names > MAX_NAMES)
        return "number of names";
    header->n_name_ids = n_names;
    header->n_index_slots = power_of_two_from(2 * header->n_name_ids);
    /* Controls are whole pages, so that the first page of each control, where its state lies, can be allocated
     * without the rest. */
    header->control_bytes = (uint32_t)round_up(needed_control_bytes(header), RV_WIRE_PAGE);
    return counts_fault(header);
}

int rv_layout_plan(struct rv_wire_header *header, const struct rv_map_params *params, const char **why)
{
    *why = plan_counts(header, params);
    uint32_t global_bytes = or_default(params->global_bytes, 16384);
    uint64_t heap_bytes = params->name_heap_bytes ? params->name_heap_bytes : 32ull << 20;
    if (!*why && global_bytes > MAX_GLOBAL_BYTES)
        *why = "global message size";
    if (!*why && heap_bytes > MAX_HEAP_BYTES)
        *why = "name heap size";
    if (!*why && (unsigned)params->policy >= RV_POLICY_COUNT)
        *why = "policy";
    if (!*why && params->n_capture_bytes > MAX_CAPTURE_BYTES)
        *why = "size of prototypes";
    if (!*why && rv_capture_filter_section_bytes(params) > MAX_FILTER_BYTES)
        *why = "size of the filter";
    if (*why)
        return -EINVAL;

    header->magic = RV_WIRE_MAGIC;
    header->major = RV_WIRE_MAJOR;
    header->minor = RV_WIRE_MINOR;
    header->endian = RV_WIRE_ENDIAN;
    header->header_bytes = sizeof *header;
    header->policy = params->policy;
    header->max_depth = params->max_depth;
    header->feature_incompat = params->captures ? RV_WIRE_FEATURE_CAPTURES : 0;
    header->is_filtered = params->is_filtered;
    header->has_call_sites = params->has_call_sites;
    header->is_private = params->is_private;

    struct section sections[N_SECTIONS];
    list_sections(header, sections);
    uint64_t offset = sizeof *header;
    for (unsigned i = 0; i < N_SECTIONS; i++) {
        uint64_t n_bytes = sections[i].min_bytes;
        if (sections[i].area == &header->global_message)
            n_bytes = global_bytes;
        else if (sections[i].area == &header->name_heap && heap_bytes > n_bytes)
            n_bytes = heap_bytes;
        else if (sections[i].area == &header->captures)
            n_bytes = params->n_capture_bytes;
        else if (sections[i].area == &header->filter)
            n_bytes = rv_capture_filter_section_bytes(params);
        *sections[i].area = (struct rv_wire_area){offset, n_bytes};
        offset += round_up(n_bytes, RV_WIRE_PAGE);
    }
    header->file_bytes = offset;
    *why = offset > (uint64_t)RV_WIRE_LOCK_BASE ? "size of all rings together" : NULL;
    return *why ? -EINVAL : 0;
}

static const char *identity_fault(const struct rv_wire_header *header, int *error)
{
    *error = -EBADMSG;
    if (header->magic == __builtin_bswap64(RV_WIRE_MAGIC)) {
        *error = -EPROTONOSUPPORT;
        return "written on a machine of the other byte order";
    }
    if (header->magic != RV_WIRE_MAGIC)
        return "not a ringviz trace file";
    *error = -EPROTONOSUPPORT;
    if (header->endian != RV_WIRE_ENDIAN)
        return "written on a machine of another byte order";
    if (header->major != RV_WIRE_MAJOR)
        return "made by another version of ringviz";
    if (header->feature_incompat & ~RV_WIRE_FEATURE_CAPTURES)
        return "uses features of a newer ringviz";
    *error = 0;
    return NULL;
}

static const char *sections_fault(const struct rv_wire_header *header)
{
    struct rv_wire_header copy = *header;
    struct section sections[N_SECTIONS];
    list_sections(&copy, sections);
    uint64_t end = sizeof *header;
    for (unsigned i = 0; i < N_SECTIONS; i++) {
        uint64_t offset = sections[i].area->offset, n_bytes = sections[i].area->n_bytes;
        if (offset % RV_WIRE_PAGE)
            return "corrupted: a section is not aligned";
        if (offset < end || offset > header->file_bytes || n_bytes > header->file_bytes - offset)
            return "corrupted: sections overlap or lie outside the file";
        if (n_bytes < sections[i].min_bytes)
            return "corrupted: a section is too small for what it holds";
        end = offset + n_bytes;
    }
    return NULL;
}

static const char *geometry_fault(const struct rv_wire_header *header, uint64_t n_bytes)
{
    if (header->file_bytes > n_bytes)
        return "truncated";
    if (header->file_bytes < n_bytes || header->file_bytes > (uint64_t)RV_WIRE_LOCK_BASE)
        return "corrupted: the file is longer than it says";
    if (header->header_bytes != sizeof *header)
        return "corrupted: header size";
    if (counts_fault(header))
        return "corrupted: a count is out of range";
    if (header->n_watches != RV_WIRE_WATCHES || header->policy >= RV_POLICY_COUNT ||
        header->clock_kind >= RV_CLOCK_COUNT)
        return "corrupted: policy or clock";
    if (header->clock_shift > 63)
        return "corrupted: clock rate";
    if (header->control_bytes % 64 || header->control_bytes < needed_control_bytes(header) ||
        header->control_bytes > 2 * needed_control_bytes(header) + 2 * RV_WIRE_PAGE)
        return "corrupted: ring control size";
    if (!is_power_of_two(header->n_index_slots) || header->n_index_slots <= header->n_name_ids ||
        header->n_index_slots > 4u * MAX_NAMES)
        return "corrupted: name index size";
    if (header->name_heap.n_bytes > MAX_HEAP_BYTES || header->global_message.n_bytes > MAX_GLOBAL_BYTES ||
        header->captures.n_bytes > MAX_CAPTURE_BYTES || header->filter.n_bytes > MAX_FILTER_BYTES)
        return "corrupted: a section is too large";
    return sections_fault(header);
}

int rv_layout_check(const struct rv_wire_header *header, uint64_t n_bytes, const char **why)
{
    int error = 0;
    *why = n_bytes < sizeof *header ? "truncated: shorter than a header" : NULL;
    if (*why)
        return -EBADMSG;
    *why = identity_fault(header, &error);
    if (*why)
        return error;
    *why = geometry_fault(header, n_bytes);
    return *why ? -EBADMSG : 0;
}

int rv_map_validate(const struct rv_wire_header *header, uint64_t n_bytes)
{
    const char *why;
    return rv_layout_check(header, n_bytes, &why);
}
