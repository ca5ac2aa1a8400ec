/* Calls of the Ascend C door by name, so that a test outside can make cases as it likes: a case
 * names a call and brings its numbers, an image of UB and one of GM; both images come back. */
#ifndef TEST_ASCENDC_CASES_CALL_H
#define TEST_ASCENDC_CASES_CALL_H

#include "kernel_operator.h"

#include <vector>

struct call {
    AscendC::LocalTensor<uint8_t> ub;
    uint8_t *gm;
    const int64_t *i; /* what they mean is the call's own: cases/<family>.cpp and .py */
    const double *f;
    int64_t *out;

    /* The tensor whose byte offset is number `k`. */
    template <class T>
    AscendC::LocalTensor<T> at(int k) const
    {
        return ub[(uint32_t)i[k]].ReinterpretCast<T>();
    }
    template <class T>
    AscendC::GlobalTensor<T> global(int k) const
    {
        AscendC::GlobalTensor<T> tensor;
        tensor.SetGlobalBuffer((T *)(gm + i[k]));
        return tensor;
    }
};

struct entry {
    const char *name;
    void (*run)(const call &);
};
using table = std::vector<entry>;

/* One of each family's file. */
void add_elementwise(table &);
void add_compare(table &);
void add_cast(table &);
void add_reduce(table &);
void add_arrange(table &);
void add_move(table &);
void add_high(table &);
void add_norm(table &);

#define NAME_float "f32"
#define NAME_half "f16"
#define NAME_bfloat16_t "bf16"
#define NAME_int8_t "i8"
#define NAME_uint8_t "u8"
#define NAME_int16_t "i16"
#define NAME_uint16_t "u16"
#define NAME_int32_t "i32"
#define NAME_uint32_t "u32"
#define NAME_int64_t "i64"
#define NAME_uint64_t "u64"
#define NAME_bool "bool"
#define NAME_int4b_t "i4"
#define CALL(Name, T, ...) {Name "." NAME_##T, [](const call &c) { __VA_ARGS__ }},

#endif
