#include "export/calls_csv.h"

#include <stdlib.h>

#include "export/text_buffer.h"
#include "export/note_words.h"

#define FLUSH_BYTES (1u << 20)

static void add_name(struct rv_text_buffer *text, const struct rv_subroutine *subroutine)
{
    char *full = rv_subroutine_take_full_name(subroutine);
    rv_text_buffer_add_csv(text, full);
    free(full);
}

static void add_caller(struct rv_text_buffer *text, const struct rv_calls_csv_params *params, uint32_t caller)
{
    if (caller == RV_CALL_NO_CALLER)
        return;
    struct rv_subroutine subroutine = rv_subroutines_get(params->subroutines, caller);
    add_name(text, &subroutine);
}

static void add_row(struct rv_text_buffer *text, const struct rv_calls_csv_params *params, const struct rv_call *call)
{
    const struct rv_lane *lane = rv_lanes_get(params->lanes, call->lane_idx);
    struct rv_subroutine subroutine = rv_subroutines_get(params->subroutines, call->id);
    rv_text_buffer_format(text, "%u,%u,%u,%llu,%llu,", lane->pid, lane->tid, call->depth,
                          (unsigned long long)call->start_ns, (unsigned long long)call->duration_ns);
    add_name(text, &subroutine);
    rv_text_buffer_add(text, ",");
    rv_text_buffer_add_csv(text, subroutine.file);
    rv_text_buffer_format(text, ",%u,%s,%llu,", subroutine.line, rv_span_flag_words(call->flags),
                          (unsigned long long)call->self_ns);
    add_caller(text, params, call->caller);
    rv_text_buffer_add(text, "\n");
}

int rv_calls_csv_write(const struct rv_calls_csv_params *params, FILE *out)
{
    const struct rv_call_list *list = params->list;
    struct rv_text_buffer text = {0};
    int result = 0;
    rv_text_buffer_add(&text, "process,thread,depth,start_ns,duration_ns,name,file,line,flags,self_ns,caller\n");
    for (size_t i = 0; i < list->n && result == 0; i++) {
        add_row(&text, params, &list->calls[params->order ? params->order[i] : i]);
        if (text.n >= FLUSH_BYTES)
            result = rv_text_buffer_flush(&text, out);
    }
    if (list->n < list->n_calls)
        rv_text_buffer_format(&text, "0,0,0,0,0,,,%llu,left out,0,\n", (unsigned long long)(list->n_calls - list->n));
    return rv_text_buffer_finish(&text, out, result);
}
