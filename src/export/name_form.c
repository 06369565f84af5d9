#include "export/name_form.h"

#include "ringviz/wire.h"

static const struct {
    enum rv_name_form form;
    const char *word;
} WORDS[] = {
    {RV_NAME_BLOCK, "block"},         {RV_NAME_C, "c"}, {RV_NAME_LIBRARY, "library"}, {RV_NAME_STATE, "state"},
    {RV_NAME_STATEMENT, "statement"},
};

void rv_add_json_form(struct rv_text_buffer *text, uint32_t line_form)
{
    const char *before = ",\"form\":[", *after = "";
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (rv_name_form(line_form) & WORDS[i].form) {
            rv_text_buffer_format(text, "%s\"%s\"", before, WORDS[i].word);
            before = ",";
            after = "]";
        }
    rv_text_buffer_add(text, after);
}
