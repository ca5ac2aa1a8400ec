/* Unified memory (softascend/unified.h): blocks of the device's heap that the host owns too. */
#include "softascend/unified.h"

#include "core/gm.h"
#include "runtime/heap.h"
#include "runtime/internal.h"
#include "runtime/runtime.h"

#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

enum {
    PAGE = 4096,
    LINE = 64,
    GRAIN = 1 << 20, /* bytes that are worth a block */
    BLOCKS = 16,
    CACHED = 32 << 20, /* more lines than this would push each other out */
};

int sa_unified_allocate_shared(void **pointer, size_t bytes)
{
    aclError code;
    if (!pointer || !bytes)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "sa_unified_allocate_shared: pointer %s, %zu bytes",
                       pointer ? "given" : "null", bytes);
    sa_context *c = sa_context_current(&code);
    return c ? sa_heap_take(c->device, bytes, true, true, pointer) : code;
}

int sa_unified_free(void *pointer)
{
    if (!pointer)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "sa_unified_free: pointer is null");
    aclError code = sa_runtime_check();
    if (code)
        return code;
    if (!sa_heap_give(SA_HEAP_SHARED, pointer))
        return sa_fail(ACL_ERROR_RT_PARAM_INVALID,
                       "sa_unified_free: %p is not the start of a shared allocation (freed twice?)",
                       pointer);
    return ACL_SUCCESS;
}

typedef struct prefetch_args {
    char *from;
    size_t bytes;
} prefetch_args;

/* Nothing here faults, so that a prefetch whose memory was freed meanwhile is merely in vain: an
 * older Linux refuses to commit the pages, which are then committed by whoever uses them. */
/* Gives whole pages memory, and leaves what they hold. */
static void commit(char *page, size_t bytes)
{
    unsigned char there = 0;
    madvise(page, bytes, MADV_POPULATE_WRITE);
    if (mincore(page + bytes - PAGE, PAGE, &there) || (there & 1)) /* freed meanwhile, or done */
        return;
    /* older kernels refuse that, emulators ignore it: write each page's first byte as it is */
    for (size_t at = 0; at < bytes; at += PAGE) {
        char held = __atomic_load_n(page + at, __ATOMIC_RELAXED);
        __atomic_compare_exchange_n(page + at, &held, held, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
    }
}

static void prefetch(sa_core *core, void *args)
{
    const prefetch_args *a = args;
    size_t pages = (a->bytes + PAGE - 1) / PAGE, blocks = sa_block_num(core);
    size_t each = (pages + blocks - 1) / blocks, first = sa_block_idx(core) * each;

    if (first >= pages)
        return;
    size_t begin = first * PAGE, end = (first + each) * PAGE;
    if (end > a->bytes)
        end = a->bytes;
    uintptr_t page = (uintptr_t)(a->from + begin) & ~(uintptr_t)(PAGE - 1);
    commit((char *)page, ((uintptr_t)(a->from + end) - page + PAGE - 1) & ~(size_t)(PAGE - 1));
    if (end > CACHED)
        end = CACHED;
    for (size_t at = begin; at < end; at += LINE)
        __builtin_prefetch(a->from + at, 0, 2);
}

static aclError enqueue(const char *what, void *pointer, size_t bytes, aclrtStream stream)
{
    sa_gm_block block;
    aclError code;
    if (!pointer || !bytes)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "%s: pointer %p, %zu bytes", what, pointer, bytes);
    if (!sa_context_current(&code))
        return code;
    if (!sa_gm_find(pointer, &block) || !block.shared)
        return sa_fail(ACL_ERROR_RT_PARAM_INVALID,
                       "%s: %p does not lie in shared memory (freed already, or not from "
                       "sa_unified_allocate_shared?)",
                       what, pointer);
    size_t left = block.bytes - ((uintptr_t)pointer - block.address);
    if (bytes > left)
        return sa_fail(ACL_ERROR_INVALID_PARAM,
                       "%s: %zu bytes, but the allocation of %zu has %zu left behind %p", what,
                       bytes, block.bytes, left, pointer);
    size_t blocks = bytes / GRAIN < BLOCKS ? bytes / GRAIN + 1 : BLOCKS;
    prefetch_args args = {pointer, bytes};
    return sa_stream_launch(stream, prefetch, what, (uint32_t)blocks, SA_AIV, &args, sizeof args);
}

int sa_unified_prefetch_to_device(void *pointer, size_t bytes, void *stream)
{
    return enqueue("sa_unified_prefetch_to_device", pointer, bytes, stream);
}

int sa_unified_prefetch_to_host(void *pointer, size_t bytes, void *stream)
{
    return enqueue("sa_unified_prefetch_to_host", pointer, bytes, stream);
}

int sa_unified_query(const void *pointer, bool *shared, int32_t *device)
{
    sa_gm_block block;
    if (!pointer || !shared)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "sa_unified_query: pointer %p, shared %s", pointer,
                       shared ? "given" : "null");
    aclError code = sa_runtime_check();
    if (code)
        return code;
    *shared = sa_gm_find(pointer, &block) && block.shared;
    if (device)
        *device = *shared ? block.device : -1;
    return ACL_SUCCESS;
}
