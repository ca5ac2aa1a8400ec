/* TPipe, TQue and TBuf of the Ascend C door (kernel_operator.h).
 *
 * A queue's buffer goes round: AllocTensor, filled by one pipe, EnQue, DeQue, emptied by another
 * pipe, FreeTensor. EnQue to DeQue is a flag forward (filled), FreeTensor to the next AllocTensor a
 * flag back (emptied); which pipes these are follows from the queue's positions. */
#ifndef ASCENDC_QUEUE_H
#define ASCENDC_QUEUE_H

#include "ascendc/flags.h"

using TBufHandle = uint8_t *;
using TEventID = int8_t;

namespace AscendC
{
class TPipe;
template <TPosition pos, uint32_t bufIDSize>
class TBufPool;

/* A buffer for whatever a kernel keeps in a local memory; no queue, no flags. */
template <TPosition pos = TPosition::VECCALC>
class TBuf
{
  public:
    template <class T>
    SA_INLINE LocalTensor<T> Get() const
    {
        return LocalTensor<T>(pos, address_, bytes_);
    }
    template <class T>
    SA_INLINE LocalTensor<T> Get(uint32_t count) const
    {
        return GetWithOffset<T>(count, 0);
    }
    /* `count` elements from byte `offset`. */
    template <class T>
    SA_INLINE LocalTensor<T> GetWithOffset(uint32_t count, uint32_t offset) const
    {
        uint32_t bytes = softascend::bytes_of<T>(count);
        if ((uint64_t)offset + bytes > bytes_) {
            SA_FAULT("TBuf::Get: %u elements of %zu bytes asked for, the buffer has %u bytes "
                     "(from byte %u)",
                     count, sizeof(T), bytes_, offset);
        }
        return LocalTensor<T>(pos, (void *)((uintptr_t)address_ + offset), bytes);
    }
    template <class T>
    SA_INLINE LocalTensor<T> AllocTensor() const
    {
        return Get<T>();
    }
    template <class T>
    SA_INLINE void FreeTensor(const LocalTensor<T> &) const
    {
    }
    SA_INLINE uint32_t GetBufLen() const { return bytes_; }

  private:
    friend class TPipe;
    template <TPosition, uint32_t>
    friend class TBufPool;
    void *address_ = nullptr;
    uint32_t bytes_ = 0;
};

/* A queue whose buffers are filled at `src` and emptied at `dst`. `depth`: how often EnQue may come
 * before a DeQue. */
template <TPosition src, TPosition dst, int32_t depth = 1, auto config = 0>
class TQueBind
{
  public:
    template <class T>
    SA_INLINE LocalTensor<T> AllocTensor()
    {
        for (int i = 0; i < buffers_; i++) {
            int at = next_ + i < buffers_ ? next_ + i : next_ + i - buffers_;
            buffer &b = buffer_[at];
            if (!b.taken) {
                b.taken = true;
                taken_++;
                next_ = at + 1 == buffers_ ? 0 : at + 1;
                flags_->wait(empties, fills, b.emptied);
                b.emptied = -1;
                return LocalTensor<T>(position, b.address, bytes_);
            }
        }
        SA_FAULT("TQue<%s>::AllocTensor: all %d buffers are in use: FreeTensor one first, or give "
                 "InitBuffer more",
                 name, buffers_);
    }
    template <class T>
    SA_INLINE void AllocTensor(LocalTensor<T> &tensor)
    {
        tensor = AllocTensor<T>();
    }

    template <class T>
    SA_INLINE bool EnQue(const LocalTensor<T> &tensor)
    {
        return EnQue((const void *)tensor.GetPhyAddr());
    }
    /* Positions of the user's own: the memory is the same, the flags too. */
    template <TPosition, TPosition, class T>
    SA_INLINE bool EnQue(const LocalTensor<T> &tensor)
    {
        return EnQue((const void *)tensor.GetPhyAddr());
    }
    template <class T>
    SA_INLINE LocalTensor<T> DeQue()
    {
        if (queued_ == 0) {
            SA_FAULT("TQue<%s>::DeQue: the queue is empty: EnQue comes first", name);
        }
        buffer &b = buffer_[queue_[first_]];
        first_ = (first_ + 1) % capacity; /* a remainder: gcc sees that it is in bounds */
        queued_--;
        flags_->wait(fills, empties, b.filled);
        b.filled = -1;
        return LocalTensor<T>(position, b.address, bytes_);
    }
    template <class T>
    SA_INLINE void DeQue(LocalTensor<T> &tensor)
    {
        tensor = DeQue<T>();
    }
    template <TPosition, TPosition, class T>
    SA_INLINE LocalTensor<T> DeQue()
    {
        return DeQue<T>();
    }

    template <class T>
    SA_INLINE void FreeTensor(const LocalTensor<T> &tensor)
    {
        buffer &b = buffer_[find(tensor.GetPhyAddr(), "FreeTensor")];
        if (!b.taken) {
            SA_FAULT("TQue<%s>::FreeTensor: this tensor is free already", name);
        }
        b.taken = false;
        taken_--;
        b.emptied = fills == empties ? -1 : flags_->set(empties, fills);
    }

    SA_INLINE bool VacantInQue() const { return queued_ < capacity; }
    SA_INLINE bool HasTensorInQue() const { return queued_ > 0; }
    SA_INLINE int32_t GetTensorCountInQue() const { return queued_; }
    SA_INLINE bool HasIdleBuffer() const { return taken_ < buffers_; }
    SA_INLINE uint32_t GetBufferLen() const { return bytes_; }
    SA_INLINE void FreeAllEvent()
    {
        for (int i = 0; i < buffers_; i++) {
            flags_->wait(empties, fills, buffer_[i].emptied);
            flags_->wait(fills, empties, buffer_[i].filled);
            buffer_[i].emptied = buffer_[i].filled = -1;
        }
    }
    SA_INLINE TBufHandle GetBufHandle(uint32_t i) const { return (TBufHandle)buffer_[i].address; }

  private:
    friend class TPipe;
    template <TPosition, uint32_t>
    friend class TBufPool;
    static constexpr TPosition position =
        src == TPosition::GM || (softascend::memory_of(src) == SA_UB && dst == TPosition::TSCM)
            ? dst
            : src;
    static constexpr sa_pipe fills = softascend::filler(src), empties = softascend::emptier(dst);
    static constexpr const char *name = softascend::name_of(position);
    static constexpr int max_buffers = 16;
    static constexpr uint32_t capacity = depth > 0 ? depth : 1;

    struct buffer {
        void *address = nullptr;
        bool taken = false;
        int8_t filled = -1, emptied = -1; /* flag ids */
    };

    SA_INLINE bool EnQue(const void *address)
    {
        if (queued_ == capacity) {
            SA_FAULT("TQue<%s>::EnQue: the queue's depth is %u and %u tensors wait in it: DeQue "
                     "one first, or give TQue more depth",
                     name, capacity, queued_);
        }
        int i = find(address, "EnQue");
        buffer_[i].filled = fills == empties ? -1 : (int8_t)flags_->set(fills, empties);
        queue_[(first_ + queued_++) % capacity] = i;
        return true;
    }
    SA_INLINE int find(const void *address, const char *call)
    {
        for (int i = 0; i < buffers_; i++) {
            if ((uintptr_t)address - (uintptr_t)buffer_[i].address < bytes_) {
                return i;
            }
        }
        SA_FAULT("TQue<%s>::%s: the tensor is not one that this queue gave out", name, call);
    }

    softascend::flags *flags_ = nullptr;
    uint32_t bytes_ = 0;
    int buffers_ = 0, next_ = 0, taken_ = 0;
    buffer buffer_[max_buffers];
    int32_t queue_[capacity] = {};
    uint32_t first_ = 0, queued_ = 0;
};

template <TPosition pos, int32_t depth = 1, auto config = 0>
using TQue = TQueBind<pos, pos, depth, config>;

template <TPosition pos, int32_t depth = 1, auto config = 0>
using TSCM = TQueBind<pos, TPosition::TSCM, depth, config>;

/* Hands out local memory and flag ids; one at a time in a kernel. */
class TPipe
{
  public:
    SA_INLINE TPipe() { softascend::state().pipe = this; }
    TPipe(const TPipe &) = delete;
    TPipe &operator=(const TPipe &) = delete;
    SA_INLINE ~TPipe() { Destroy(); }

    SA_INLINE void Init() { softascend::state().pipe = this; }
    SA_INLINE void Destroy()
    {
        flags_.wait_all();
        Reset();
        if (softascend::state().pipe == this) {
            softascend::state().pipe = nullptr;
        }
    }
    /* All memory is free again. */
    SA_INLINE void Reset()
    {
        for (uint32_t &used : used_) {
            used = 0;
        }
    }

    template <TPosition src, TPosition dst, int32_t depth, auto config>
    SA_INLINE bool InitBuffer(TQueBind<src, dst, depth, config> &queue, uint8_t buffers,
                              uint32_t bytes)
    {
        using Q = TQueBind<src, dst, depth, config>;
        if (buffers == 0 || buffers > Q::max_buffers) {
            SA_FAULT("TPipe::InitBuffer: %d buffers; a queue has 1 to %d", buffers, Q::max_buffers);
        }
        queue.flags_ = &flags_;
        queue.buffers_ = buffers;
        queue.bytes_ = (bytes + 31) / 32 * 32;
        for (int i = 0; i < buffers; i++) {
            queue.buffer_[i].address = take(Q::position, queue.bytes_);
        }
        return true;
    }
    /* A stretch of memory that several sets of queues and buffers use one after the other, or at
     * once with what `other` has. */
    template <TPosition pos, uint32_t bufIDSize>
    SA_INLINE bool InitBufPool(TBufPool<pos, bufIDSize> &pool, uint32_t bytes)
    {
        pool.take((bytes + 31) / 32 * 32, take(pos, (bytes + 31) / 32 * 32), &flags_);
        return true;
    }
    template <TPosition pos, uint32_t bufIDSize, class Other>
    SA_INLINE bool InitBufPool(TBufPool<pos, bufIDSize> &pool, uint32_t bytes, Other &other)
    {
        pool.share((bytes + 31) / 32 * 32, other);
        return true;
    }
    template <TPosition pos>
    SA_INLINE bool InitBuffer(TBuf<pos> &buffer, uint32_t bytes)
    {
        buffer.bytes_ = (bytes + 31) / 32 * 32;
        buffer.address_ = take(pos, buffer.bytes_);
        return true;
    }

    template <HardEvent event>
    SA_INLINE TEventID AllocEventID()
    {
        constexpr sa_pipe from = softascend::event_from(event), to = softascend::event_to(event);
        int id = flags_.free_id(from, to);
        if (id < 0) {
            SA_FAULT("TPipe::AllocEventID: all 8 flags from pipe %d to pipe %d are in use: "
                     "ReleaseEventID some",
                     (int)from, (int)to);
        }
        flags_.given[from][to] |= (uint8_t)(1 << id);
        return (TEventID)id;
    }
    template <HardEvent event>
    SA_INLINE void ReleaseEventID(TEventID id)
    {
        flags_.given[softascend::event_from(event)][softascend::event_to(event)] &=
            (uint8_t) ~(1 << id);
    }
    /* The id that AllocEventID would give; it stays free. */
    template <HardEvent event>
    SA_INLINE TEventID FetchEventID()
    {
        int id = flags_.free_id(softascend::event_from(event), softascend::event_to(event));
        return (TEventID)(id < 0 ? 7 : id);
    }
    SA_INLINE TEventID FetchEventID(HardEvent event)
    {
        int id = flags_.free_id(softascend::event_from(event), softascend::event_to(event));
        return (TEventID)(id < 0 ? 7 : id);
    }
    template <HardEvent event>
    SA_INLINE TEventID FetchEventID(HardEvent)
    {
        return FetchEventID<event>();
    }

    /* All of UB (L1 …) from where InitBuffer left off, for calls that take their own room. */
    template <TPosition pos>
    SA_INLINE TBuf<pos> GetAbsAddr(uint32_t offset, uint32_t bytes) const
    {
        TBuf<pos> buffer;
        buffer.address_ = sa_local(sa_self(), softascend::memory_of(pos), offset);
        buffer.bytes_ = bytes;
        return buffer;
    }
    template <TPosition pos, class T>
    SA_INLINE LocalTensor<T> GetAbsAddr(uint32_t offset, uint32_t count) const
    {
        return LocalTensor<T>(pos, offset, count);
    }
    SA_INLINE uint32_t used_bytes(sa_memory memory) const { return used_[memory]; }

  private:
    SA_INLINE void *take(TPosition position, uint32_t bytes)
    {
        constexpr const char *names[] = {"GM", "UB", "L1", "L0A", "L0B", "L0C", "BT"};
        const sa_memory memory = softascend::memory_of(position);
        if (position == TPosition::C2PIPE2GM) {
            SA_FAULT(
                "TPipe::InitBuffer: the buffer of scales between L1 and Fixpipe (C2PIPE2GM) is "
                "not supported: give Fixpipe or SetFixPipeConfig the scales in L1 (C1)");
        }
        const uint32_t unit = memory == SA_L0A || memory == SA_L0B ? 512
                              : memory == SA_L0C                   ? 64
                                                                   : 32;
        uint32_t from = (used_[memory] + unit - 1) / unit * unit;
        uint32_t size = sa_local_bytes(sa_self(), memory);
        if (size == 0) { /* a mixed kernel sets up both kinds' buffers on either core */
            used_[memory] = from + bytes;
            return (void *)(uintptr_t)from;
        }
        if ((uint64_t)from + bytes > size) {
            SA_FAULT("TPipe::InitBuffer: %u bytes of %s (%s) asked for, %u of %u are free", bytes,
                     names[memory], softascend::name_of(position), size > from ? size - from : 0,
                     size);
        }
        used_[memory] = from + bytes;
        return sa_local(sa_self(), memory, from);
    }

    softascend::flags flags_;
    uint32_t used_[SA_MEMORIES] = {};
};

template <TPosition pos, uint32_t bufIDSize = 4>
class TBufPool
{
  public:
    template <TPosition src, TPosition dst, int32_t depth, auto config>
    SA_INLINE bool InitBuffer(TQueBind<src, dst, depth, config> &queue, uint8_t buffers,
                              uint32_t bytes)
    {
        using Q = TQueBind<src, dst, depth, config>;
        if (buffers == 0 || buffers > Q::max_buffers) {
            SA_FAULT("TBufPool::InitBuffer: %d buffers; a queue has 1 to %d", buffers,
                     Q::max_buffers);
        }
        queue.flags_ = flags_;
        queue.buffers_ = buffers;
        queue.bytes_ = (bytes + 31) / 32 * 32;
        for (int i = 0; i < buffers; i++) {
            queue.buffer_[i].address = next(queue.bytes_);
        }
        return true;
    }
    template <TPosition position>
    SA_INLINE bool InitBuffer(TBuf<position> &buffer, uint32_t bytes)
    {
        buffer.bytes_ = (bytes + 31) / 32 * 32;
        buffer.address_ = next(buffer.bytes_);
        return true;
    }
    template <TPosition position, uint32_t size>
    SA_INLINE bool InitBufPool(TBufPool<position, size> &pool, uint32_t bytes)
    {
        pool.take((bytes + 31) / 32 * 32, next((bytes + 31) / 32 * 32), flags_);
        return true;
    }
    template <TPosition position, uint32_t size, class Other>
    SA_INLINE bool InitBufPool(TBufPool<position, size> &pool, uint32_t bytes, Other &other)
    {
        pool.share((bytes + 31) / 32 * 32, other);
        return true;
    }
    /* Its memory is free for the next set, once what the last one did is done. */
    SA_INLINE void Reset()
    {
        sa_barrier(sa_self(), SA_PIPE_ALL);
        used_ = 0;
    }

  private:
    friend class TPipe;
    template <TPosition, uint32_t>
    friend class TBufPool;

    SA_INLINE void take(uint32_t bytes, void *address, softascend::flags *flags)
    {
        bytes_ = bytes;
        address_ = address;
        flags_ = flags;
        used_ = 0;
    }
    template <class Other>
    SA_INLINE void share(uint32_t bytes, Other &other)
    {
        if (bytes > other.bytes_) {
            SA_FAULT("InitBufPool: %u bytes in a pool of %u", bytes, other.bytes_);
        }
        take(bytes, other.address_, other.flags_);
    }
    SA_INLINE void *next(uint32_t bytes)
    {
        if (bytes > bytes_ - used_) {
            SA_FAULT("TBufPool::InitBuffer: %u bytes asked for, %u of the pool's %u are free",
                     bytes, bytes_ - used_, bytes_);
        }
        void *address = (void *)((uintptr_t)address_ + used_);
        used_ += bytes;
        return address;
    }

    void *address_ = nullptr;
    softascend::flags *flags_ = nullptr;
    uint32_t bytes_ = 0, used_ = 0;
};

/* The block's TPipe. */
SA_INLINE TPipe *GetTPipePtr()
{
    TPipe *pipe = static_cast<TPipe *>(softascend::state().pipe);
    if (!pipe) {
        SA_FAULT("GetTPipePtr: this block has no TPipe: make one first");
    }
    return pipe;
}
} // namespace AscendC

#endif
