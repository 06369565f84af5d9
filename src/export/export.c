#include "export/export.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash_index.h"
#include "base/vec.h"
#include "export/format.h"
#include "export/held_objects.h"
#include "export/preorder.h"

#define FLUSH_BYTES (1u << 20)

/* ---- numbers ---- */

/* False when the key is already in use. */
static bool add_number(struct rv_hash_index *numbers, uint64_t key)
{
    if (rv_hash_index_get(numbers, key))
        return false;
    rv_hash_index_add(numbers, key, 1);
    return true;
}

struct process {
    uint64_t key;
    uint32_t number, pid;
};

struct stream_table { /* of all lanes in the slice */
    struct rv_export_lane *lanes;
    size_t n;
    struct process *processes;
    size_t n_processes, capacity;
};

static struct process *process_of(struct stream_table *stream_table, struct rv_hash_index *pids,
                                  const struct rv_lane *lane)
{
    for (size_t i = stream_table->n_processes; i-- > 0;)
        if (stream_table->processes[i].key == lane->process_key && stream_table->processes[i].number == lane->pid)
            return &stream_table->processes[i];
    stream_table->processes = rv_vec_reserve(stream_table->processes, &stream_table->capacity,
                                             stream_table->n_processes + 1, sizeof *stream_table->processes);
    struct process *process = &stream_table->processes[stream_table->n_processes];
    *process = (struct process){.key = lane->process_key, .number = lane->pid, .pid = lane->pid};
    if (!add_number(pids, (uint64_t)lane->pid + 1))
        process->pid = RV_EXPORT_FIRST_FREE_NUMBER + (uint32_t)stream_table->n_processes;
    stream_table->n_processes++;
    return process;
}

static void fill_stream_table(struct stream_table *stream_table, struct rv_lanes *lanes, const struct rv_slice *part)
{
    struct rv_hash_index pids = {0}, tids = {0};
    size_t n;
    struct rv_lane **sorted = rv_lanes_take_by_thread(lanes, &n);
    stream_table->lanes = rv_alloc(n, sizeof *stream_table->lanes);
    for (size_t i = 0; i < n; i++) {
        const struct rv_lane *lane = sorted[i];
        if (!rv_slice_has_lane(part, lane))
            continue;
        size_t n_known = stream_table->n_processes;
        const struct process *process = process_of(stream_table, &pids, lane);
        uint64_t key = ((uint64_t)process->pid << 32 | lane->tid) + 1;
        stream_table->lanes[stream_table->n++] = (struct rv_export_lane){
            .lane = lane,
            .rank = (uint32_t)i,
            .pid = process->pid,
            .tid = add_number(&tids, key) ? lane->tid : RV_EXPORT_FIRST_FREE_NUMBER + (uint32_t)i,
            .process_idx = (uint32_t)(process - stream_table->processes),
            .opens_process = stream_table->n_processes > n_known,
        };
    }
    free(sorted);
    rv_hash_index_fini(&pids);
    rv_hash_index_fini(&tids);
}

/* ---- the loop ---- */

#define EXPORT_FORMAT(id, name) &rv_export_##name,
static const struct rv_export_format *const FORMATS[RV_EXPORT_KIND_COUNT] = {
#include "export/format_rows.h"
};
#undef EXPORT_FORMAT

struct run {
    const struct rv_export_format *format;
    struct rv_export_target target;
    void *state;
    struct rv_preorder *preorder;
    struct rv_wakes wakes;
    uint64_t n_done;
    size_t n_since_rest;
};

static void flush(struct rv_export_target *target)
{
    if (!target->error)
        target->error = rv_text_buffer_flush(target->text, target->out);
    target->text->n = 0;
}

void rv_export_drain(struct rv_export_target *target)
{
    if (target->text->n >= FLUSH_BYTES)
        flush(target);
}

/* Of flows that lead to another place. */
static void write_steps(struct run *run, const struct rv_lane *lane)
{
    const struct rv_flow_table *flows = run->target.flows;
    if (!flows || !run->format->step)
        return;
    for (size_t i = rv_flow_table_find(flows, lane->idx, 0); i < flows->n_steps; i++) {
        const uint32_t number = flows->by_time[i], flow = flows->flow_of[number];
        const struct rv_flow_step *step = &flows->steps[number];
        if (step->lane != lane->idx)
            break;
        if (flows->flows[flow].n > 1 && rv_slice_has_time(&run->target.export->part, step->at_ns))
            run->format->step(run->state, &run->target, flow, step);
        rv_export_drain(&run->target);
    }
}

static void write_wakes(struct run *run, const struct rv_lane *lane)
{
    const struct rv_wakes *wakes = &run->wakes;
    for (size_t i = rv_wakes_find(wakes, lane->idx); i < wakes->n && wakes->ends[i].lane == lane->idx; i++) {
        run->format->wake(run->state, &run->target, &wakes->ends[i]);
        rv_export_drain(&run->target);
    }
}

/* What was read of the lane, on disk, leaves memory from time to time. */
static void pass(struct run *run, const struct rv_lane *lane, size_t n)
{
    run->n_since_rest += n;
    if (run->n_since_rest < RV_LANE_REST_EVERY)
        return;
    run->n_since_rest = 0;
    rv_lane_rest(lane);
}

static int write_lane(struct run *run, const struct rv_export_lane *lane)
{
    struct rv_export_target *target = &run->target;
    const struct rv_export *export = target->export;
    int error = rv_preorder_begin(run->preorder, lane->lane);
    if (error)
        return error;
    run->format->begin_lane(run->state, target, lane);
    while (!target->error) {
        const struct rv_span *spans;
        size_t n;
        error = rv_preorder_next(run->preorder, &spans, &n);
        if (error)
            return error;
        if (n == 0)
            break;
        run->format->spans(run->state, target, spans, n);
        rv_export_drain(target);
        pass(run, lane->lane, n);
        run->n_done += n;
        if (export->progress)
            export->progress(export->context, run->n_done, rv_spool_n_spans(export->spool));
    }
    for (size_t i = 0; i < lane->lane->n_notes && run->format->note; i++) {
        if (rv_slice_has_note(&export->part, &lane->lane->notes[i]))
            run->format->note(run->state, target, &lane->lane->notes[i]);
        rv_export_drain(target);
        pass(run, lane->lane, 1);
    }
    rv_lane_rest(lane->lane);
    write_steps(run, lane->lane);
    write_wakes(run, lane->lane);
    run->format->end_lane(run->state, target);
    rv_export_drain(target);
    return target->error;
}

static int write_all(struct run *run)
{
    struct stream_table stream_table = {0};
    int error = 0;
    fill_stream_table(&stream_table, run->target.export->lanes, &run->target.export->part);
    run->target.objects_pid = RV_EXPORT_FIRST_FREE_NUMBER + (uint32_t)stream_table.n_processes;
    run->format->begin(run->state, &run->target);
    for (size_t i = 0; i < stream_table.n && !error; i++)
        error = write_lane(run, &stream_table.lanes[i]);
    if (!error) {
        rv_held_objects_write(run->format, run->state, &run->target);
        run->format->end(run->state, &run->target);
        flush(&run->target);
        error = run->target.error;
    }
    run->format->fini(run->state);
    free(stream_table.lanes);
    free(stream_table.processes);
    return error;
}

int rv_export_write(const struct rv_export *export, enum rv_export_kind kind, FILE *out)
{
    const struct rv_lane_calls calls = rv_spool_calls(export->spool);
    struct rv_preorder *preorder = rv_preorder_create(&calls, &export->part);
    if (!preorder)
        return -EIO;
    struct rv_text_buffer text = {0};
    struct run run = {.format = FORMATS[kind],
                      .target = {.export = export, .text = &text, .out = out},
                      .state = rv_alloc(1, FORMATS[kind]->state_bytes),
                      .preorder = preorder};
    if (export->flows)
        run.target.flows = rv_flow_table_create(export->flows, export->lanes);
    run.target.n_flows = run.target.flows ? run.target.flows->n_flows : 0;
    if (run.format->wake)
        run.wakes = rv_wakes_read(export->waits, export->lanes, &export->part);
    uint64_t last_ns;
    if (!rv_lanes_bounds(export->lanes, &run.target.first_ns, &last_ns))
        run.target.first_ns = 0;
    int error = write_all(&run);
    if (!error && fflush(out) != 0)
        error = -errno;
    free(run.state);
    rv_flow_table_release(run.target.flows);
    rv_wakes_fini(&run.wakes);
    rv_text_buffer_fini(&text);
    rv_preorder_destroy(preorder);
    return error;
}
