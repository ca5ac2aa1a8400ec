#define _GNU_SOURCE
#include "core/scratch.h"
#include "core/fiber.h"

#include <sys/mman.h>

#define UNIT ((size_t)2 << 20) /* of a huge page: fewer misses of the translation buffer */

void *sa_core_scratch(sa_core *core, size_t bytes)
{
    sa_fiber *fiber = (sa_fiber *)core;
    if (bytes <= fiber->scratch_bytes)
        return fiber->scratch;
    const void *pc = __builtin_return_address(0);
    size_t whole = (bytes + UNIT - 1) / UNIT * UNIT;
    if (fiber->scratch_bytes)
        munmap(fiber->scratch, fiber->scratch_bytes);
    fiber->scratch_bytes = 0;
    /* one unit more, so that a boundary of huge pages lies inside; what is over is given back */
    char *map =
        mmap(NULL, whole + UNIT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        sa_core_fault(core, pc, SA_ERR_OUT_OF_MEMORY, "no host memory for %zu bytes of scratch",
                      bytes);
    size_t before = (UNIT - (uintptr_t)map % UNIT) % UNIT;
    if (before)
        munmap(map, before);
    if (before < UNIT)
        munmap(map + before + whole, UNIT - before);
    fiber->scratch = map + before;
    fiber->scratch_bytes = whole;
    madvise(fiber->scratch, whole, MADV_HUGEPAGE);
    return fiber->scratch;
}
