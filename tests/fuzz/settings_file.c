/* An arbitrary settings file: reading, changing and writing it keeps every unchanged line. */
#include <stdlib.h>
#include <string.h>

#include "viewer/settings.h"

static void check_lines(const struct rv_key_value_file *config, const uint8_t *data, size_t size)
{
    size_t at = 0;
    for (size_t i = 0; i < config->n_lines; i++) {
        const struct rv_key_value_line *line = &config->lines[i];
        if (at + line->n_bytes > size || memcmp(line->bytes, data + at, line->n_bytes) != 0)
            abort();
        at += line->n_bytes + 1;
    }
    if (at < size)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rv_key_value_file config = {0};
    struct rv_settings before, after, again;
    rv_key_value_file_parse(&config, (const char *)data, size);
    check_lines(&config, data, size);
    rv_settings_init(&before);
    rv_settings_load(&before, &config);
    after = before;
    after.theme = before.theme == RV_COLOR_DARK ? RV_COLOR_LIGHT : RV_COLOR_DARK;
    if (!rv_settings_store(&after, &before, &config))
        abort();
    rv_settings_init(&again);
    rv_settings_load(&again, &config);
    if (rv_settings_store(&again, &after, &config))
        abort();
    rv_key_value_file_close(&config);
    return 0;
}
