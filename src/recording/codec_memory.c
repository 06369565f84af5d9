#include "recording/codec.h"

#include <stdlib.h>

#include "base/vec.h"
#include "recording/predictor.h"

static void find_kernels(struct rv_codec *codec)
{
#ifdef RV_CODEC_X86
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2"))
        return;
    bool has_avx512 = __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vbmi") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
    codec->put_word = has_avx512 ? rv_put_word_avx512 : rv_put_word_avx2;
    codec->take_word = rv_take_word_avx2;
#else
    (void)codec;
#endif
}

struct rv_codec *rv_codec_create(void)
{
    struct rv_codec *codec = rv_alloc(1, sizeof *codec);
    find_kernels(codec);
    codec->compressor = rv_compressor_create();
    codec->names = rv_alloc_sparse(RV_PREDICTOR_LEVELS + RV_KINDS_GROUP, sizeof *codec->names);
    codec->kinds = rv_alloc_scratch(RV_REC_MAX_EVENTS / RV_KINDS_GROUP, sizeof *codec->kinds);
    codec->low = rv_alloc_scratch(RV_REC_MAX_EVENTS, 1);
    codec->high = rv_alloc_scratch(RV_REC_MAX_EVENTS, 1);
    codec->contexts = rv_alloc_scratch(RV_REC_N_CONTEXTS, sizeof *codec->contexts);
    codec->ids = rv_alloc_scratch(RV_REC_MAX_EVENTS + RV_IDS_OVERRUN, sizeof *codec->ids);
    codec->wide = rv_alloc_scratch(RV_REC_MAX_EVENTS, sizeof *codec->wide);
    codec->lines = rv_alloc_scratch(RV_REC_MAX_EVENTS, sizeof *codec->lines);
    codec->odd_tags = rv_alloc_scratch(RV_REC_MAX_EVENTS + 1, sizeof *codec->odd_tags);
    codec->odd_ids = rv_alloc_scratch(RV_REC_MAX_EVENTS + 1, sizeof *codec->odd_ids);
    codec->specials = rv_alloc_scratch(RV_REC_MAX_EVENTS, sizeof *codec->specials);
    codec->narrow = rv_alloc_scratch(RV_REC_MAX_EVENTS, sizeof *codec->ids);
    return codec;
}

struct rv_compressor *rv_codec_compressor(struct rv_codec *codec)
{
    return codec->compressor;
}

void rv_codec_destroy(struct rv_codec *codec)
{
    if (!codec)
        return;
    rv_compressor_destroy(codec->compressor);
    free(codec->names);
    free(codec->kinds);
    free(codec->low);
    free(codec->high);
    free(codec->contexts);
    free(codec->ids);
    free(codec->wide);
    free(codec->lines);
    free(codec->odd_tags);
    free(codec->odd_ids);
    free(codec->specials);
    free(codec->narrow);
    free(codec);
}
