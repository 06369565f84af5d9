/* The form of a subroutine's name (ringviz/wire.h) in JSON: ,"form":["block","c"]; nothing where it has none. */
#ifndef RV_EXPORT_NAME_FORM_H
#define RV_EXPORT_NAME_FORM_H

#include <stdint.h>

#include "export/text_buffer.h"

/* line_form: the name's, which holds its line too. */
void rv_add_json_form(struct rv_text_buffer *text, uint32_t line_form);

#endif
