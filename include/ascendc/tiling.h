/* How a kernel reads its tiling in the Ascend C door (kernel_operator.h). The host fills a plain
 * structure (register/tilingdata_base.h) and passes it in GM; the kernel copies it to its stack. */
#ifndef ASCENDC_TILING_H
#define ASCENDC_TILING_H

#include "ascendc/enums.h"

namespace softascend
{
template <class T>
SA_INLINE T read_tiling(const void *gm, const char *call)
{
    if ((uintptr_t)gm < ((uintptr_t)1 << 20)) {
        SA_FAULT("%s: the tiling lies at %p, which is no global memory", call, gm);
    }
    T data;
    std::memcpy(static_cast<void *>(&data), gm, sizeof data);
    return data;
}

/* Which of its variants a kernel shall run as: fixed when it was compiled, or the launch's. */
SA_INLINE uint64_t tiling_key()
{
    const block_state &s = state();
    if (!s.has_tiling_key) {
        SA_FAULT("TILING_KEY_IS: this launch has no tiling key: compile with -DTILING_KEY_VAR=key, "
                 "or call softascend::set_tiling_key first");
    }
    return s.tiling_key;
}
SA_INLINE void set_tiling_key(uint64_t key)
{
    block_state &s = state();
    s.tiling_key = key;
    s.has_tiling_key = true;
    s.asked_tiling_key = s.is_tiling_key = false;
}
SA_INLINE bool is_tiling_key(uint64_t key)
{
    block_state &s = state();
    bool is = tiling_key() == key;
    s.asked_tiling_key = true;
    s.is_tiling_key |= is;
    return is;
}
} // namespace softascend

#ifdef SOFTASCEND_FINDS_TILING_KEYS /* ascc looks which keys a kernel names */
#define TILING_KEY_IS(...) softascend_tiling_key_is(__VA_ARGS__)
#elif defined(TILING_KEY_VAR)
#define TILING_KEY_IS(key) (TILING_KEY_VAR == (uint64_t)(key))
#else
#define TILING_KEY_VAR (::softascend::tiling_key())
#define TILING_KEY_IS(key) (::softascend::is_tiling_key((uint64_t)(key)))
#endif

/* The structure that GET_TILING_DATA reads; ascc names one for a kernel that does not. */
#define REGISTER_TILING_DEFAULT(type) using softascend_tiling_data [[maybe_unused]] = type
#define REGISTER_TILING_FOR_TILINGKEY(condition, type) static_assert(sizeof(type) > 0, "")
#define REGISTER_NONE_TILING static_assert(true, "")

#define GET_TILING_DATA(name, gm)                                                                  \
    softascend_tiling_data name =                                                                  \
        ::softascend::read_tiling<softascend_tiling_data>(gm, "GET_TILING_DATA")
#define GET_TILING_DATA_WITH_STRUCT(type, name, gm)                                                \
    type name = ::softascend::read_tiling<type>(gm, "GET_TILING_DATA_WITH_STRUCT")
#define GET_TILING_DATA_PTR_WITH_STRUCT(type, name, gm) const type *name = (const type *)(gm)
#define GET_TILING_DATA_MEMBER(type, member, name, gm)                                             \
    decltype(type::member) name =                                                                  \
        ::softascend::read_tiling<type>(gm, "GET_TILING_DATA_MEMBER").member
/* Older kernels copy it themselves. */
#define COPY_TILING_WITH_STRUCT(type, from, name) GET_TILING_DATA_WITH_STRUCT(type, name, from)

/* Which cores run a kernel: ascc reads it in the source. */
#ifndef KERNEL_TASK_TYPE_DEFAULT
#define KERNEL_TASK_TYPE_DEFAULT(type) static_assert((type) >= 0, "")
#endif
#ifndef KERNEL_TASK_TYPE
#define KERNEL_TASK_TYPE(key, type) static_assert((type) >= 0, "")
#endif
#define ENABLE_PRINTF() static_assert(true, "")
#define ENABLE_DETERMINISTIC() static_assert(true, "")

#endif
