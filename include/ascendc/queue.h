/* TPipe, TQue and TBuf of the Ascend C door (kernel_operator.h).
 *
 * A queue's buffer goes round: AllocTensor, filled by one pipe, EnQue, DeQue, emptied by another
 * pipe, FreeTensor. EnQue to DeQue is a flag forward (filled), FreeTensor to the next AllocTensor a
 * flag back (emptied); which pipes these are follows from the queue's position. */
#ifndef ASCENDC_QUEUE_H
#define ASCENDC_QUEUE_H

#include "ascendc/tensor.h"

namespace softascend
{
struct position {
    const char *name;
    sa_memory memory;
    sa_pipe fills, empties; /* the same: nothing to order */
};

constexpr position position_of(AscendC::TPosition p)
{
    using P = AscendC::TPosition;
    switch (p) {
    case P::VECIN:
        return {"VECIN", SA_UB, SA_PIPE_MTE2, SA_PIPE_V};
    case P::VECOUT:
        return {"VECOUT", SA_UB, SA_PIPE_V, SA_PIPE_MTE3};
    case P::A1:
        return {"A1", SA_L1, SA_PIPE_MTE2, SA_PIPE_MTE1};
    case P::B1:
        return {"B1", SA_L1, SA_PIPE_MTE2, SA_PIPE_MTE1};
    case P::A2:
        return {"A2", SA_L0A, SA_PIPE_MTE1, SA_PIPE_M};
    case P::B2:
        return {"B2", SA_L0B, SA_PIPE_MTE1, SA_PIPE_M};
    case P::CO1:
        return {"CO1", SA_L0C, SA_PIPE_M, SA_PIPE_FIX};
    default:
        return {"VECCALC", SA_UB, SA_PIPE_V, SA_PIPE_V};
    }
}

/* Which flag ids of each pair of pipes are set and not yet waited for: queues share the eight that
 * a pair has. One a block, in the block's TPipe. */
struct flags {
    uint8_t in_use[SA_PIPE_ALL][SA_PIPE_ALL] = {};

    /* Sets a free flag; -1 if there was none, then a barrier has ordered everything instead. */
    SA_INLINE int set(sa_pipe from, sa_pipe to)
    {
        for (int id = 0; id < 8; id++) {
            if (!(in_use[from][to] >> id & 1)) {
                in_use[from][to] |= (uint8_t)(1 << id);
                sa_set_flag(sa_self(), from, to, (uint32_t)id);
                return id;
            }
        }
        sa_barrier(sa_self(), SA_PIPE_ALL);
        return -1;
    }
    SA_INLINE void wait(sa_pipe from, sa_pipe to, int id)
    {
        if (id >= 0) {
            sa_wait_flag(sa_self(), from, to, (uint32_t)id);
            in_use[from][to] &= (uint8_t) ~(1 << id);
        }
    }
    /* No flag stays set behind a kernel's back. */
    SA_INLINE void wait_all()
    {
        for (int from = 0; from < SA_PIPE_ALL; from++) {
            for (int to = 0; to < SA_PIPE_ALL; to++) {
                for (int id = 0; id < 8; id++) {
                    if (in_use[from][to] >> id & 1) {
                        wait((sa_pipe)from, (sa_pipe)to, id);
                    }
                }
            }
        }
    }
};
} // namespace softascend

namespace AscendC
{
/* A buffer for whatever a kernel keeps in a local memory; no queue, no flags. */
template <TPosition pos = TPosition::VECCALC>
class TBuf
{
  public:
    template <class T>
    SA_INLINE LocalTensor<T> Get() const
    {
        return LocalTensor<T>(address_, bytes_);
    }
    template <class T>
    SA_INLINE LocalTensor<T> Get(uint32_t count) const
    {
        if (count * sizeof(T) > bytes_) {
            sa_fault(sa_self(), SA_ERR_VECTOR_EXCEPTION,
                     "TBuf::Get: %u elements of %zu bytes asked for, the buffer has %u bytes",
                     count, sizeof(T), bytes_);
        }
        return LocalTensor<T>(address_, count * (uint32_t)sizeof(T));
    }

  private:
    friend class TPipe;
    void *address_ = nullptr;
    uint32_t bytes_ = 0;
};

/* `depth`: how often EnQue may come before a DeQue. */
template <TPosition pos, int32_t depth = 1>
class TQue
{
    static constexpr softascend::position at = softascend::position_of(pos);
    static constexpr int max_buffers = 16;
    static constexpr int32_t capacity = depth > 0 ? depth : 1;

  public:
    template <class T>
    SA_INLINE LocalTensor<T> AllocTensor()
    {
        for (int i = 0; i < buffers_; i++) {
            int at_buffer = (next_ + i) % buffers_;
            buffer &b = buffer_[at_buffer];
            if (!b.taken) {
                b.taken = true;
                next_ = (at_buffer + 1) % buffers_;
                flags_->wait(at.empties, at.fills, b.emptied);
                b.emptied = -1;
                return LocalTensor<T>(b.address, bytes_);
            }
        }
        sa_fault(sa_self(), fault(),
                 "TQue<%s>::AllocTensor: all %d buffers are in use: FreeTensor one first, or give "
                 "InitBuffer more",
                 at.name, buffers_);
    }

    template <class T>
    SA_INLINE bool EnQue(const LocalTensor<T> &tensor)
    {
        if (queued_ == capacity) {
            sa_fault(
                sa_self(), fault(),
                "TQue<%s>::EnQue: the queue's depth is %d and %d tensors wait in it: DeQue one "
                "first, or give TQue more depth",
                at.name, capacity, queued_);
        }
        int i = find(tensor.GetPhyAddr(), "EnQue");
        buffer_[i].filled = at.fills == at.empties ? -1 : flags_->set(at.fills, at.empties);
        queue_[(first_ + queued_++) % capacity] = i;
        return true;
    }

    template <class T>
    SA_INLINE LocalTensor<T> DeQue()
    {
        if (queued_ == 0) {
            sa_fault(sa_self(), fault(), "TQue<%s>::DeQue: the queue is empty: EnQue comes first",
                     at.name);
        }
        buffer &b = buffer_[queue_[first_]];
        first_ = (first_ + 1) % capacity;
        queued_--;
        flags_->wait(at.fills, at.empties, b.filled);
        b.filled = -1;
        return LocalTensor<T>(b.address, bytes_);
    }

    template <class T>
    SA_INLINE void FreeTensor(const LocalTensor<T> &tensor)
    {
        buffer &b = buffer_[find(tensor.GetPhyAddr(), "FreeTensor")];
        if (!b.taken) {
            sa_fault(sa_self(), fault(), "TQue<%s>::FreeTensor: this tensor is free already",
                     at.name);
        }
        b.taken = false;
        b.emptied = at.fills == at.empties ? -1 : flags_->set(at.empties, at.fills);
    }

  private:
    friend class TPipe;
    struct buffer {
        void *address = nullptr;
        bool taken = false;
        int filled = -1, emptied = -1; /* flag ids */
    };

    static constexpr sa_status fault()
    {
        return at.memory == SA_UB ? SA_ERR_VECTOR_EXCEPTION : SA_ERR_AICORE_EXCEPTION;
    }
    SA_INLINE int find(const void *address, const char *call)
    {
        for (int i = 0; i < buffers_; i++) {
            if (buffer_[i].address == address) {
                return i;
            }
        }
        sa_fault(sa_self(), fault(), "TQue<%s>::%s: the tensor is not one that this queue gave out",
                 at.name, call);
    }

    softascend::flags *flags_ = nullptr;
    uint32_t bytes_ = 0;
    int buffers_ = 0, next_ = 0;
    buffer buffer_[max_buffers];
    int32_t queue_[capacity] = {}, first_ = 0, queued_ = 0;
};

/* Hands out local memory; one a kernel. */
class TPipe
{
  public:
    TPipe() = default;
    TPipe(const TPipe &) = delete;
    TPipe &operator=(const TPipe &) = delete;
    SA_INLINE ~TPipe() { flags_.wait_all(); }

    template <TPosition pos, int32_t depth>
    SA_INLINE bool InitBuffer(TQue<pos, depth> &queue, uint8_t buffers, uint32_t bytes)
    {
        using Q = TQue<pos, depth>;
        if (buffers == 0 || buffers > Q::max_buffers) {
            sa_fault(sa_self(), Q::fault(), "TPipe::InitBuffer: %d buffers; a queue has 1 to %d",
                     buffers, Q::max_buffers);
        }
        queue.flags_ = &flags_;
        queue.buffers_ = buffers;
        queue.bytes_ = (bytes + 31) / 32 * 32;
        for (int i = 0; i < buffers; i++) {
            queue.buffer_[i].address = sa_alloc(sa_self(), Q::at.memory, queue.bytes_);
        }
        return true;
    }

    template <TPosition pos>
    SA_INLINE bool InitBuffer(TBuf<pos> &buffer, uint32_t bytes)
    {
        buffer.bytes_ = (bytes + 31) / 32 * 32;
        buffer.address_ = sa_alloc(sa_self(), softascend::position_of(pos).memory, buffer.bytes_);
        return true;
    }

  private:
    softascend::flags flags_;
};
} // namespace AscendC

#endif
