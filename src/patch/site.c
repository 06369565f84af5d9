#include "patch/site.h"

#include <string.h>

void rv_patch_site_lodge(struct rv_patch_site *host, const struct rv_patch_site *guest)
{
    memcpy(host->jump + RV_PATCH_JUMP_BYTES, guest->jump + RV_PATCH_SHORT_BYTES, RV_PATCH_JUMP_BYTES);
    host->n_bytes = RV_PATCH_HOST_BYTES;
}

uint64_t rv_patch_site_island(const struct rv_patch_site *site)
{
    const bool is_guest = site->n_bytes == RV_PATCH_SHORT_BYTES;
    return is_guest ? site->address + RV_PATCH_SHORT_BYTES + (uint64_t)(int64_t)(int8_t)site->jump[1] : 0;
}

void rv_patch_site_idle(const struct rv_patch_site *site, uint8_t idle[RV_PATCH_HOST_BYTES])
{
    const bool is_host = site->n_bytes == RV_PATCH_HOST_BYTES;
    int32_t displacement;
    memcpy(idle, is_host ? site->jump : site->original, RV_PATCH_HOST_BYTES);
    memcpy(&displacement, idle + 1, sizeof displacement);
    displacement += is_host ? (int32_t)RV_PATCH_CALL_BYTES : 0;
    memcpy(idle + 1, &displacement, sizeof displacement);
}

uint64_t rv_patch_site_stub(const struct rv_patch_site *site)
{
    const uint64_t island = rv_patch_site_island(site), jump = island ? island : site->address;
    int32_t displacement;
    memcpy(&displacement, site->jump + (island ? RV_PATCH_SHORT_BYTES : 0) + 1, sizeof displacement);
    return jump + RV_PATCH_JUMP_BYTES + (uint64_t)(int64_t)displacement;
}
