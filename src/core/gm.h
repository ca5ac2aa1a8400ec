/* Global memory as the core sees it: which allocation an address belongs to. Traces name GM by
 * allocation ordinal + offset, so that a record is the same on every run; checks find bounds here.
 */
#ifndef SA_GM_H
#define SA_GM_H

#include "softascend/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sa_gm_block {
    uintptr_t address;
    size_t bytes;
    uint64_t ordinal; /* counts allocations of the process, from 1 */
    int device;
    bool shared; /* the host's too: unified memory */
} sa_gm_block;

/* The allocator tells of each block (runtime/memory.c). Thread-safe. */
SA_API sa_status sa_gm_add(void *address, size_t bytes, int device);
SA_API sa_status sa_gm_add_shared(void *address, size_t bytes, int device);
SA_API void sa_gm_remove(void *address);

/* The block that holds `address`; false if none does. */
SA_API bool sa_gm_find(const void *address, sa_gm_block *block);

#endif
