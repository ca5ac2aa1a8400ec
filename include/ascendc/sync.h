/* Order in the Ascend C door (kernel_operator.h): flags and barriers of a core, between cores, GM
 * atomics, caches. */
#ifndef ASCENDC_SYNC_H
#define ASCENDC_SYNC_H

#include "ascendc/queue.h"

/* ---- lower-case spellings of older kernels */

SA_INLINE void set_flag(sa_pipe from, sa_pipe to, int32_t id)
{
    sa_set_flag(sa_self(), from, to, (uint32_t)id);
}
SA_INLINE void wait_flag(sa_pipe from, sa_pipe to, int32_t id)
{
    sa_wait_flag(sa_self(), from, to, (uint32_t)id);
}
SA_INLINE void pipe_barrier(sa_pipe pipe)
{
    sa_barrier(sa_self(), pipe);
}
/* config: 1 | mode << 4 | id << 8 */
SA_INLINE void ffts_cross_core_sync(sa_pipe pipe, uint64_t config)
{
    sa_cross_set(sa_self(), (int)(config >> 4 & 3), pipe, (uint32_t)(config >> 8 & 15));
}
SA_INLINE void wait_flag_dev(int64_t id)
{
    sa_cross_wait(sa_self(), SA_PIPE_S, (uint32_t)id);
}
template <class... Rest>
SA_INLINE void dcci(const void *, Rest...)
{
    sa_yield(sa_self());
}
template <class M>
SA_INLINE void dsb(M)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
SA_INLINE void set_atomic_none()
{
    sa_set_atomic(sa_self(), SA_ATOMIC_NONE, SA_F32);
}

namespace AscendC
{
/* ---- inside a core */

template <HardEvent event>
SA_INLINE void SetFlag(int32_t id)
{
    sa_set_flag(sa_self(), softascend::event_from(event), softascend::event_to(event),
                (uint32_t)id);
}
template <HardEvent event>
SA_INLINE void WaitFlag(int32_t id)
{
    sa_wait_flag(sa_self(), softascend::event_from(event), softascend::event_to(event),
                 (uint32_t)id);
}
template <pipe_t from, pipe_t to>
SA_INLINE void SetFlag(int32_t id)
{
    sa_set_flag(sa_self(), from, to, (uint32_t)id);
}
template <pipe_t from, pipe_t to>
SA_INLINE void WaitFlag(int32_t id)
{
    sa_wait_flag(sa_self(), from, to, (uint32_t)id);
}
template <pipe_t pipe>
SA_INLINE void PipeBarrier()
{
    sa_barrier(sa_self(), pipe);
}
template <MemDsbT mode>
SA_INLINE void DataSyncBarrier()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* ---- between cores */

/* All vector cores (all cores with isAIVOnly false). */
template <bool isAIVOnly = true>
SA_INLINE void SyncAll()
{
    if constexpr (isAIVOnly) {
        sa_sync_kind(sa_self());
    } else {
        sa_sync_all(sa_self());
    }
}
/* The form with workspaces: the first `usedCores` blocks, 0: all. */
template <bool isAIVOnly = true>
SA_INLINE void SyncAll(const GlobalTensor<int32_t> &gmWorkspace, const LocalTensor<int32_t> &,
                       int32_t usedCores = 0)
{
    const uint32_t blocks = sa_block_num(sa_self()), me = sa_block_idx(sa_self());
    const uint32_t ratio = sa_task_ratio(sa_self());
    const uint32_t all = ratio && sa_kind(sa_self()) == SA_AIV ? blocks * ratio : blocks;
    if (usedCores == 0 || (uint32_t)usedCores == all) {
        SyncAll<isAIVOnly>();
        return;
    }
    /* 32 bytes a block count how often it came */
    int32_t *counts = gmWorkspace.GetPhyAddr();
    int32_t mine = __atomic_add_fetch(&counts[me * 8], 1, __ATOMIC_SEQ_CST);
    for (uint32_t i = 0; i < (uint32_t)usedCores; i++) {
        while (__atomic_load_n(&counts[i * 8], __ATOMIC_SEQ_CST) < mine) {
            sa_yield(sa_self());
        }
    }
}

template <uint8_t modeId, pipe_t pipe>
SA_INLINE void CrossCoreSetFlag(uint16_t flagId)
{
    static_assert(modeId <= 2, "CrossCoreSetFlag: modes are 0, 1 and 2 on this architecture");
    SA_NEEDS_SPLIT(split_with<modeId>, "CrossCoreSetFlag", "SyncAll orders all cores");
    sa_cross_set(sa_self(), modeId, pipe, flagId);
}
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
SA_INLINE void CrossCoreWaitFlag(uint16_t flagId)
{
    SA_NEEDS_SPLIT(split_with<modeId>, "CrossCoreWaitFlag", "SyncAll orders all cores");
    sa_cross_wait(sa_self(), pipe, flagId);
}
template <pipe_t pipe>
SA_INLINE void NotifyEvent(uint16_t flagId)
{
    sa_cross_set(sa_self(), 2, pipe, flagId);
}
template <pipe_t pipe = PIPE_S>
SA_INLINE void WaitEvent(uint16_t flagId)
{
    sa_cross_wait(sa_self(), pipe, flagId);
}

template <bool isAIVOnly = true>
SA_INLINE void IBSet(const GlobalTensor<int32_t> &gmWorkspace, const LocalTensor<int32_t> &,
                     int32_t blockIdx, int32_t eventID)
{
    sa_ib_set(sa_self(), gmWorkspace.GetPhyAddr(), (uint32_t)blockIdx, (uint32_t)eventID);
}
template <bool isAIVOnly = true>
SA_INLINE void IBWait(const GlobalTensor<int32_t> &gmWorkspace, const LocalTensor<int32_t> &,
                      int32_t blockIdx, int32_t eventID)
{
    sa_ib_wait(sa_self(), gmWorkspace.GetPhyAddr(), (uint32_t)blockIdx, (uint32_t)eventID);
}

/* Blocks one after the other: block i waits for i - 1 (WaitPreBlock), then lets i + 1 go on. */
SA_INLINE void InitDetermineComputeWorkspace(GlobalTensor<int32_t> &gmWorkspace,
                                             LocalTensor<int32_t> &)
{
    __atomic_store_n(&gmWorkspace.GetPhyAddr()[sa_block_idx(sa_self()) * 8], 0, __ATOMIC_SEQ_CST);
    sa_sync_kind(sa_self());
}
SA_INLINE void WaitPreBlock(GlobalTensor<int32_t> &gmWorkspace, LocalTensor<int32_t> &)
{
    const uint32_t me = sa_block_idx(sa_self());
    int32_t *counts = gmWorkspace.GetPhyAddr();
    const int32_t mine = __atomic_load_n(&counts[me * 8], __ATOMIC_SEQ_CST);
    /* the first block's next turn comes when the last has had this one */
    const uint32_t before = me ? me - 1 : sa_block_num(sa_self()) - 1;
    while (before != me &&
           __atomic_load_n(&counts[before * 8], __ATOMIC_SEQ_CST) < mine + (me ? 1 : 0)) {
        sa_yield(sa_self());
    }
}
SA_INLINE void NotifyNextBlock(GlobalTensor<int32_t> &gmWorkspace, LocalTensor<int32_t> &)
{
    __atomic_add_fetch(&gmWorkspace.GetPhyAddr()[sa_block_idx(sa_self()) * 8], 1, __ATOMIC_SEQ_CST);
}

/* ---- atomics of moves to GM */

template <class T>
SA_INLINE void SetAtomicAdd()
{
    sa_set_atomic(sa_self(), SA_ATOMIC_ADD, softascend::dtype<T>);
}
template <class T>
SA_INLINE void SetAtomicMax()
{
    sa_set_atomic(sa_self(), SA_ATOMIC_MAX, softascend::dtype<T>);
}
template <class T>
SA_INLINE void SetAtomicMin()
{
    sa_set_atomic(sa_self(), SA_ATOMIC_MIN, softascend::dtype<T>);
}
SA_INLINE void SetAtomicNone()
{
    sa_set_atomic(sa_self(), SA_ATOMIC_NONE, SA_F32);
}
SA_INLINE void DisableDmaAtomic()
{
    SetAtomicNone();
}

/* ---- caches: GM is coherent here; a loop that polls lets others run */

template <class T, CacheLine line, DcciDst dst>
SA_INLINE void DataCacheCleanAndInvalid(const GlobalTensor<T> &)
{
    sa_yield(sa_self());
}
template <class T, CacheLine line>
SA_INLINE void DataCacheCleanAndInvalid(const GlobalTensor<T> &)
{
    sa_yield(sa_self());
}
template <class T, CacheLine line, DcciDst dst>
SA_INLINE void DataCacheCleanAndInvalid(const LocalTensor<T> &)
{
}
template <class T>
SA_INLINE void DataCachePreload(const GlobalTensor<uint64_t> &, T)
{
}
SA_INLINE void ICachePreLoad(int64_t) {}
SA_INLINE int64_t GetICachePreloadStatus()
{
    return 0;
}
} // namespace AscendC

#endif
