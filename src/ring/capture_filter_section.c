#include "ring/capture_filter_section.h"

#include <string.h>

static uint32_t bytes_of(const char *pattern)
{
    return pattern ? (uint32_t)strnlen(pattern, UINT32_MAX / 4) + 1 : 0;
}

uint64_t rv_capture_filter_section_bytes(const struct rv_map_params *params)
{
    return sizeof(struct rv_wire_filter) + (uint64_t)bytes_of(params->include) + bytes_of(params->exclude);
}

void rv_capture_filter_section_write(void *section, const struct rv_map_params *params)
{
    struct rv_wire_filter *filter = section;
    char *text = (char *)(filter + 1);
    filter->include_bytes = bytes_of(params->include);
    filter->exclude_bytes = bytes_of(params->exclude);
    if (params->include)
        memcpy(text, params->include, filter->include_bytes);
    if (params->exclude)
        memcpy(text + filter->include_bytes, params->exclude, filter->exclude_bytes);
}

/* NULL: there is none of so many bytes. */
static const char *pattern_at(const char *text, size_t n_left, uint32_t n_bytes)
{
    return n_bytes && n_bytes <= n_left && text[n_bytes - 1] == '\0' ? text : NULL;
}

struct rv_capture_filter_section rv_capture_filter_section_find(const void *section, size_t n_bytes)
{
    struct rv_wire_filter filter;
    if (n_bytes < sizeof filter)
        return (struct rv_capture_filter_section){0};
    memcpy(&filter, section, sizeof filter);
    const char *text = (const char *)section + sizeof filter;
    const size_t n_left = n_bytes - sizeof filter;
    if (filter.include_bytes > n_left)
        return (struct rv_capture_filter_section){0};
    return (struct rv_capture_filter_section){
        .include = pattern_at(text, n_left, filter.include_bytes),
        .exclude = pattern_at(text + filter.include_bytes, n_left - filter.include_bytes, filter.exclude_bytes)};
}
