/* Tiling structures as op projects declare them (op_host/…_tiling.h). What the macros make is a
 * plain structure for the host to set. REGISTER_TILING_DATA_CLASS also describes its fields, from
 * which ascc writes the structure that the kernel of the project reads. Names: the vendor's public
 * documentation of op projects. */
#ifndef ASCENDC_REGISTER_TILINGDATA_BASE_H
#define ASCENDC_REGISTER_TILINGDATA_BASE_H

#include "ascendc/cube_tiling.h"
#include "ascendc/tiling_structs.h"
#include "softascend/op_project.h"

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace optiling
{
using SoftMaxTiling = ::SoftMaxTiling;
using LayerNormTiling = ::LayerNormTiling;
using RmsNormTiling = ::RmsNormTiling;
using TopkTiling = ::TopkTiling;
using LayerNormGradTiling = ::LayerNormGradTiling;
using LayerNormGradBetaTiling = ::LayerNormGradBetaTiling;
using BatchNormTiling = ::BatchNormTiling;
using GroupNormTiling = ::GroupNormTiling;
using DeepNormTiling = ::DeepNormTiling;
using PadTiling = ::PadTiling;
using UnPadTiling = ::UnPadTiling;
} // namespace optiling

#define SA_TILING_INLINE inline __attribute__((always_inline))

namespace softascend
{
/* A field's type as the kernel declares it: typedefs and enums are integers there. */
template <class T>
const char *tiling_type(const char *spelled)
{
    if constexpr (std::is_enum_v<T>) {
        return tiling_type<std::underlying_type_t<T>>(spelled);
    } else if constexpr (std::is_same_v<T, bool>) {
        return "bool";
    } else if constexpr (std::is_floating_point_v<T>) {
        return sizeof(T) == 4 ? "float" : "double";
    } else if constexpr (std::is_integral_v<T>) {
        constexpr const char *names[2][4] = {{"uint8_t", "uint16_t", "uint32_t", "uint64_t"},
                                             {"int8_t", "int16_t", "int32_t", "int64_t"}};
        return names[std::is_signed_v<T>][sizeof(T) == 1   ? 0
                                          : sizeof(T) == 2 ? 1
                                          : sizeof(T) == 4 ? 2
                                                           : 3];
    } else {
        const char *last = spelled; /* optiling::Inner is Inner in the kernel */
        for (const char *c = spelled; *c; c++) {
            last = *c == ':' ? c + 1 : last;
        }
        return last;
    }
}

using tiling_fields = std::vector<sa_project_field>;

template <class T, class Field, size_t count>
void tiling_field(tiling_fields &fields, const char *type, const char *name, size_t offset)
{
    fields.push_back({name, tiling_type<std::remove_all_extents_t<Field>>(type), offset, count});
}

template <class T, int... line>
SA_TILING_INLINE void tiling_describe(tiling_fields &fields, std::integer_sequence<int, line...>)
{
    (T::softascend_field(fields, std::integral_constant<int, T::softascend_first + line>{}), ...);
}

struct tiling_class {
    const char *op, *name;
    size_t bytes;
    tiling_fields fields;
};
inline std::vector<tiling_class> &tiling_classes()
{
    static std::vector<tiling_class> list;
    return list;
}
/* Two files may each have a structure of one name: `File`, a type of one file only, and inlining
 * keep them apart. */
template <class T, class File>
int add_tiling_class(const char *op, const char *name)
{
    tiling_class one{op, name, sizeof(T), {}};
    if constexpr (std::is_class_v<T>) {
        tiling_describe<T>(
            one.fields,
            std::make_integer_sequence<int, T::softascend_last - T::softascend_first>{});
    }
    tiling_classes().push_back(std::move(one));
    return 0;
}
} // namespace softascend

/* Fields are numbered between the two ends; numbers that others took describe nothing. */
#define BEGIN_TILING_DATA_DEF(name)                                                                \
    struct name {                                                                                  \
        using softascend_self = name;                                                              \
        static constexpr int softascend_first = __COUNTER__;                                       \
        template <int other>                                                                       \
        SA_TILING_INLINE static void softascend_field(::softascend::tiling_fields &,               \
                                                      std::integral_constant<int, other>)          \
        {                                                                                          \
        }

#define SA_TILING_FIELD(type, count, field)                                                        \
    SA_TILING_INLINE static void softascend_field(::softascend::tiling_fields &fields,             \
                                                  std::integral_constant<int, __COUNTER__>)        \
    {                                                                                              \
        ::softascend::tiling_field<softascend_self, type, count>(                                  \
            fields, #type, #field, offsetof(softascend_self, field));                              \
    }

#define TILING_DATA_FIELD_DEF(type, field)                                                         \
    type field = {};                                                                               \
    SA_TILING_INLINE void set_##field(type value)                                                  \
    {                                                                                              \
        field = value;                                                                             \
    }                                                                                              \
    SA_TILING_INLINE type get_##field() const                                                      \
    {                                                                                              \
        return field;                                                                              \
    }                                                                                              \
    SA_TILING_FIELD(type, 0, field)

#define TILING_DATA_FIELD_DEF_ARR(type, count, field)                                              \
    type field[count] = {};                                                                        \
    SA_TILING_INLINE void set_##field(const type *values)                                          \
    {                                                                                              \
        std::memcpy(field, values, sizeof field);                                                  \
    }                                                                                              \
    SA_TILING_INLINE type *get_##field()                                                           \
    {                                                                                              \
        return field;                                                                              \
    }                                                                                              \
    SA_TILING_FIELD(type, count, field)

#define TILING_DATA_FIELD_DEF_STRUCT(type, field)                                                  \
    type field = {};                                                                               \
    SA_TILING_FIELD(type, 0, field)

#define END_TILING_DATA_DEF                                                                        \
    static constexpr int softascend_last = __COUNTER__;                                            \
    SA_TILING_INLINE size_t GetDataSize() const                                                    \
    {                                                                                              \
        return sizeof(softascend_self);                                                            \
    }                                                                                              \
    SA_TILING_INLINE void SaveToBuffer(void *buffer, size_t capacity) const                        \
    {                                                                                              \
        if (capacity >= sizeof(softascend_self)) {                                                 \
            std::memcpy(buffer, static_cast<const void *>(this), sizeof(softascend_self));         \
        }                                                                                          \
    }                                                                                              \
    }

/* Which operator a structure belongs to; OP_KEY says of one tiling key, other names that it is a
 * part of other structures. Includes of one header in several files register the same. */
#define REGISTER_TILING_DATA_CLASS(op, name)                                                       \
    namespace                                                                                      \
    {                                                                                              \
    struct softascend_file_of_##op##name;                                                          \
    }                                                                                              \
    [[maybe_unused]] static const int softascend_tiling_class_##op##name =                         \
        ::softascend::add_tiling_class<name, softascend_file_of_##op##name>(#op, #name);

#endif
