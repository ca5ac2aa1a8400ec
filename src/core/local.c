/* What a kernel asks of its core besides instructions of a pipe: where it is, its local memories,
 * single elements. */
#include "core/fiber.h"
#include "core/isa/half.h"

#include <string.h>

const char *const sa_memory_names[SA_MEMORIES] = {"GM", "UB", "L1", "L0A", "L0B", "L0C", "BT"};
const char *const sa_pipe_names[SA_PIPE_ALL + 1] = {"S",    "V",    "M",   "MTE1",
                                                    "MTE2", "MTE3", "FIX", "ALL"};

uint32_t sa_block_idx(const sa_core *core)
{
    return core->block_idx;
}

uint32_t sa_block_num(const sa_core *core)
{
    return core->block_num;
}

sa_core *sa_self(void)
{
    sa_fiber *fiber = sa_fiber_current();
    return fiber ? &fiber->core : NULL;
}

void *sa_block_data(sa_core *core)
{
    return core->block_data;
}

static bool is_local(sa_memory memory)
{
    return memory > SA_GM && memory < SA_MEMORIES;
}

uint32_t sa_local_bytes(const sa_core *core, sa_memory memory)
{
    return is_local(memory) ? core->local[memory].bytes : 0;
}

const char *sa_core_article(const sa_core *core)
{
    return core->coupled ? "a coupled" : core->type == SA_AIV ? "a vector" : "a cube";
}

void *sa_local(sa_core *core, sa_memory memory, uint32_t offset_bytes)
{
    const void *pc = __builtin_return_address(0);
    if (!is_local(memory))
        sa_core_fault(core, pc, sa_core_exception(core), "%d is no local memory", (int)memory);
    sa_local_memory *local = &core->local[memory];
    if (offset_bytes > local->bytes)
        sa_core_fault(core, pc, sa_core_exception(core),
                      "%s+%u is past the end of %s, which has %u", sa_memory_names[memory],
                      offset_bytes, sa_memory_names[memory], local->bytes);
    return local->base + offset_bytes;
}

void *sa_alloc(sa_core *core, sa_memory memory, uint32_t bytes)
{
    static const uint32_t alignments[SA_MEMORIES] = {
        [SA_UB] = 32, [SA_L1] = 32, [SA_L0A] = 512, [SA_L0B] = 512, [SA_L0C] = 64, [SA_BT] = 32};
    const void *pc = __builtin_return_address(0);
    if (!is_local(memory))
        sa_core_fault(core, pc, sa_core_exception(core), "%d is no local memory", (int)memory);
    sa_local_memory *local = &core->local[memory];
    uint64_t alignment = alignments[memory];
    uint64_t from = (local->used + alignment - 1) / alignment * alignment;
    if (from + bytes > local->bytes) {
        if (!local->bytes)
            sa_core_fault(core, pc, sa_core_exception(core), "%s core has no %s",
                          sa_core_article(core), sa_memory_names[memory]);
        sa_core_fault(
            core, pc, sa_core_exception(core), "alloc of %u bytes of %s, which has %llu of %u free",
            bytes, sa_memory_names[memory],
            (unsigned long long)(from < local->bytes ? local->bytes - from : 0), local->bytes);
    }
    local->used = (uint32_t)(from + bytes);
    return local->base + from;
}

/* ---- single elements */

/* The element's address, checked: UB on a vector core, L1 on a cube core unless it lies elsewhere.
 */
static void *element(sa_core *core, const void *pc, sa_dtype dtype, const void *local,
                     uint32_t index, bool write)
{
    const char *name = write ? "set" : "get";
    size_t size = sa_dtype_bytes(dtype);
    if (!size)
        sa_core_fault(core, pc, sa_core_exception(core), "%s does not take dtype %d", name,
                      (int)dtype);
    sa_memory memory = core->local[SA_UB].bytes ? SA_UB : SA_L1;
    uintptr_t address = (uintptr_t)local;
    if (address < SA_OFFSET_LIMIT)
        address += (uintptr_t)core->local[memory].base;
    else if (core->local[SA_L1].bytes &&
             address - (uintptr_t)core->local[SA_L1].base <= core->local[SA_L1].bytes)
        memory = SA_L1;
    const sa_local_memory *m = &core->local[memory];
    uint64_t offset = address - (uintptr_t)m->base;
    uint64_t end = offset + ((uint64_t)index + 1) * size;
    if (offset > m->bytes || end > m->bytes)
        sa_core_fault(core, pc, sa_core_exception(core),
                      "%s %s element %u of %s at %s+%lld, which has %u bytes", name,
                      write ? "writes" : "reads", index, sa_dtype_name(dtype),
                      sa_memory_names[memory], (long long)offset, m->bytes);
    sa_core_attend(core, pc);
    address += (uintptr_t)index * size;
    if (core->observer) {
        sa_event event = {.instr = write ? SA_I_set : SA_I_get,
                          .pipe = SA_PIPE_S,
                          .dtype = dtype,
                          .dtype_from = dtype,
                          .work = 1,
                          .accesses = 1,
                          .access = {{memory, write, address, 1, (uint32_t)size, 0}},
                          .pc = pc};
        core->observer->issue(core->observer_block, core, &event);
    }
    return (void *)address;
}

#define INTEGERS(X)                                                                                \
    X(I8, int8_t)                                                                                  \
    X(U8, uint8_t)                                                                                 \
    X(I16, int16_t)                                                                                \
    X(U16, uint16_t) X(I32, int32_t) X(U32, uint32_t) X(I64, int64_t) X(U64, uint64_t)

double sa_get(sa_core *core, sa_dtype dtype, const void *local, uint32_t index)
{
    const void *p = element(core, __builtin_return_address(0), dtype, local, index, false);
    switch (dtype) {
#define GET(T, type)                                                                               \
    case SA_##T: {                                                                                 \
        type x;                                                                                    \
        memcpy(&x, p, sizeof x);                                                                   \
        return (double)x;                                                                          \
    }
        INTEGERS(GET)
        GET(F32, float)
        GET(F64, double)
#undef GET
    case SA_F16: {
        sa_half x;
        memcpy(&x, p, sizeof x);
        return (double)sa_half_to_float(x);
    }
    case SA_BF16: {
        sa_bf16 x;
        memcpy(&x, p, sizeof x);
        return (double)sa_bf16_to_float(x);
    }
    default:
        return *(const uint8_t *)p != 0;
    }
}

void sa_set(sa_core *core, sa_dtype dtype, void *local, uint32_t index, double value)
{
    void *p = element(core, __builtin_return_address(0), dtype, local, index, true);
    sa_scalar_store(dtype, p, value);
}
