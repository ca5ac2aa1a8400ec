/* Which allocation an address belongs to: a sorted array, because look-ups (checks, traces) are far
 * more frequent than allocations, and there are few of those. */
#include "core/gm.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sa_gm_block *blocks; /* by address */
static size_t count, capacity;
static uint64_t ordinal;

/* The number of blocks that start at or below `address`. */
static size_t upper(uintptr_t address)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (blocks[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static sa_status add(void *address, size_t bytes, int device, bool shared)
{
    sa_status status = SA_OK;
    pthread_rwlock_wrlock(&lock);
    if (count == capacity) {
        size_t more = capacity ? 2 * capacity : 64;
        sa_gm_block *grown = realloc(blocks, more * sizeof *grown);
        if (!grown) {
            status = sa_fail(SA_ERR_OUT_OF_MEMORY, "no host memory to note a device allocation");
            goto done;
        }
        blocks = grown;
        capacity = more;
    }
    size_t at = upper((uintptr_t)address);
    memmove(blocks + at + 1, blocks + at, (count - at) * sizeof *blocks);
    blocks[at] = (sa_gm_block){(uintptr_t)address, bytes, ++ordinal, device, shared};
    count++;
done:
    pthread_rwlock_unlock(&lock);
    return status;
}

sa_status sa_gm_add(void *address, size_t bytes, int device)
{
    return add(address, bytes, device, false);
}

sa_status sa_gm_add_shared(void *address, size_t bytes, int device)
{
    return add(address, bytes, device, true);
}

void sa_gm_remove(void *address)
{
    pthread_rwlock_wrlock(&lock);
    size_t at = upper((uintptr_t)address);
    if (at && blocks[at - 1].address == (uintptr_t)address) {
        memmove(blocks + at - 1, blocks + at, (count - at) * sizeof *blocks);
        count--;
    }
    pthread_rwlock_unlock(&lock);
}

bool sa_gm_find(const void *address, sa_gm_block *block)
{
    pthread_rwlock_rdlock(&lock);
    size_t at = upper((uintptr_t)address);
    bool found = at && (uintptr_t)address - blocks[at - 1].address < blocks[at - 1].bytes;
    if (found)
        *block = blocks[at - 1];
    pthread_rwlock_unlock(&lock);
    return found;
}
