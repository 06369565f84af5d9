#include "export/losses.h"

#include "base/units.h"

static const struct {
    const char *key, *one, *many;
} LOSSES[RV_LOSS_COUNT] = {
    [RV_LOSS_EVENTS_DROPPED] = {"events_dropped", "event dropped by a full ring", "events dropped by full rings"},
    [RV_LOSS_THREADS_WITHOUT_RING] = {"threads_without_ring", "time a thread found no ring",
                                      "times a thread found no ring"},
    [RV_LOSS_EVENTS_WITHOUT_RING] = {"events_without_ring", "event of a thread without a ring",
                                     "events of threads without a ring"},
    [RV_LOSS_NAMES] = {"names_without_room", "name without room", "names without room"},
    [RV_LOSS_ARGUMENTS] = {"arguments_lost", "call's arguments or result without room",
                           "calls' arguments or results without room"},
    [RV_LOSS_SWITCHES] =
        {"switches_lost",
         "change of a thread's state without room in the kernel: its time until the next one is in no column",
         "changes of threads' states without room in the kernel: their time until the next one is in no column"},
    [RV_LOSS_PROCESSES_REFUSED] = {"processes_refused", "process that may not open the trace file",
                                   "processes that may not open the trace file"},
    [RV_LOSS_PROGRAMS_NOT_PRELOADED] = {"programs_not_preloaded", "program that nothing can be preloaded into",
                                        "programs that nothing can be preloaded into"},
    [RV_LOSS_RINGS_FULL] = {"rings_full", "full ring that ended the trace", "full ring that ended the trace"},
    [RV_LOSS_PARTS_WRITTEN_OVER] = {"parts_written_over", "part of the trace file overwritten by a traced program",
                                    "parts of the trace file overwritten by a traced program"},
    [RV_LOSS_EVENTS_LET_GO] = {"events_let_go", "event discarded by the recording's limit",
                               "events discarded by the recording's limit"},
    [RV_LOSS_BYTES_DAMAGED] = {"bytes_damaged", "damaged byte of the file", "damaged bytes of the file"},
    [RV_LOSS_CHUNKS_DAMAGED] = {"chunks_damaged", "damaged chunk of the file", "damaged chunks of the file"},
    [RV_LOSS_END_MISSING] = {"end_missing", "recording without its end", "recordings without their ends"},
    [RV_LOSS_RECORDS_LEFT_OUT] = {"records_left_out", "record of the file left out", "records of the file left out"},
};

bool rv_losses_any(const struct rv_losses *losses)
{
    for (enum rv_loss loss = 0; losses && loss < RV_LOSS_COUNT; loss++)
        if (losses->n[loss])
            return true;
    return false;
}

const char *rv_loss_words(enum rv_loss loss)
{
    return LOSSES[loss].many;
}

void rv_losses_add_text(struct rv_text_buffer *text, const char *what, const struct rv_losses *losses,
                        enum rv_loss first)
{
    for (enum rv_loss loss = first; losses && loss < RV_LOSS_COUNT; loss++)
        if (losses->n[loss])
            rv_text_buffer_format(text, "%s: %llu %s\n", what, (unsigned long long)losses->n[loss],
                                  rv_units_word(losses->n[loss], LOSSES[loss].one, LOSSES[loss].many));
}

void rv_add_csv_count(struct rv_text_buffer *text, const char *kind, const char *what, uint64_t n, unsigned n_columns)
{
    rv_text_buffer_format(text, "%s,", kind);
    rv_text_buffer_add_csv(text, what);
    rv_text_buffer_format(text, ",%llu", (unsigned long long)n);
    for (unsigned i = 3; i < n_columns; i++)
        rv_text_buffer_add(text, ",");
    rv_text_buffer_add(text, "\n");
}

void rv_losses_add_csv(struct rv_text_buffer *text, const struct rv_losses *losses, unsigned n_columns)
{
    for (enum rv_loss loss = 0; losses && loss < RV_LOSS_COUNT; loss++)
        if (losses->n[loss])
            rv_add_csv_count(text, "lost", rv_loss_words(loss), losses->n[loss], n_columns);
}

void rv_losses_add_json(struct rv_text_buffer *text, const struct rv_losses *losses)
{
    const char *separator = "";
    rv_text_buffer_add(text, "{");
    for (enum rv_loss loss = 0; losses && loss < RV_LOSS_COUNT; loss++) {
        if (!losses->n[loss])
            continue;
        rv_text_buffer_format(text, "%s\"%s\":%llu", separator, LOSSES[loss].key, (unsigned long long)losses->n[loss]);
        separator = ",";
    }
    rv_text_buffer_add(text, "}");
}
