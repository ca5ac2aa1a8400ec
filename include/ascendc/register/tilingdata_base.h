/* Tiling structures as op projects declare them (op_host/…_tiling.h). What the macros make is a
 * plain structure, the same for the host, which sets it, and for the kernel, which reads its
 * fields. Names: the vendor's public documentation of op projects. */
#ifndef ASCENDC_REGISTER_TILINGDATA_BASE_H
#define ASCENDC_REGISTER_TILINGDATA_BASE_H

#include "ascendc/tiling_structs.h"

#include <cstddef>
#include <cstring>

namespace optiling
{
using SoftMaxTiling = ::SoftMaxTiling;
using LayerNormTiling = ::LayerNormTiling;
using RmsNormTiling = ::RmsNormTiling;
using TopkTiling = ::TopkTiling;
} // namespace optiling

#define BEGIN_TILING_DATA_DEF(name)                                                                \
    struct name {                                                                                  \
        using softascend_self = name;

#define TILING_DATA_FIELD_DEF(type, field)                                                         \
    type field = {};                                                                               \
    void set_##field(type value)                                                                   \
    {                                                                                              \
        field = value;                                                                             \
    }                                                                                              \
    type get_##field() const                                                                       \
    {                                                                                              \
        return field;                                                                              \
    }

#define TILING_DATA_FIELD_DEF_ARR(type, count, field)                                              \
    type field[count] = {};                                                                        \
    void set_##field(const type *values)                                                           \
    {                                                                                              \
        std::memcpy(field, values, sizeof field);                                                  \
    }                                                                                              \
    type *get_##field()                                                                            \
    {                                                                                              \
        return field;                                                                              \
    }

#define TILING_DATA_FIELD_DEF_STRUCT(type, field) type field = {};

#define END_TILING_DATA_DEF                                                                        \
    size_t GetDataSize() const                                                                     \
    {                                                                                              \
        return sizeof(softascend_self);                                                            \
    }                                                                                              \
    void SaveToBuffer(void *buffer, size_t capacity) const                                         \
    {                                                                                              \
        if (capacity >= sizeof(softascend_self)) {                                                 \
            std::memcpy(buffer, static_cast<const void *>(this), sizeof(softascend_self));         \
        }                                                                                          \
    }                                                                                              \
    }

/* Says which operator a structure belongs to: ascc reads it in the source. */
#define REGISTER_TILING_DATA_CLASS(op, name) static_assert(sizeof(name) > 0, "");

#endif
