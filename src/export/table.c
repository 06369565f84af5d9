#include "export/table.h"

#include "base/err.h"

static rv_table_add_fn *form_of(const struct rv_table_forms *forms, enum rv_report_format format)
{
    switch (format) {
    case RV_REPORT_TEXT:
        return forms->text;
    case RV_REPORT_CSV:
        return forms->csv;
    case RV_REPORT_JSON:
        return forms->json;
    }
    rv_unreachable();
}

int rv_table_write(const struct rv_table_forms *forms, const void *table, enum rv_report_format format, FILE *out,
                   int error)
{
    struct rv_text_buffer text = {0};
    if (!error)
        form_of(forms, format)(&text, table);
    return rv_text_buffer_finish(&text, out, error);
}
