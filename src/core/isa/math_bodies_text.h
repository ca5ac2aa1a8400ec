/* The functions of math_text.h on fp32 and fp16, and sigmoid also on runs of GM. */
#define MATH(name)                                                                                 \
    UNARY(name##_f32, float, vf_load, vf_store, math_##name(a))                                    \
    UNARY(name##_f16, sa_half, vf_load_f16, vf_store_f16, math_##name(a))
MATH(exp)
MATH(ln)
MATH(sigmoid)
MATH(tanh)
UNARY(sigmoid_bf16, uint16_t, vf_load_bf16, vf_store_bf16, math_sigmoid(a))
RUN(sigmoid_f32, float, vf_load, vf_store, vf_stream, math_sigmoid)
RUN(sigmoid_f16, sa_half, vf_load_f16, vf_store_f16, vf_stream_f16, math_sigmoid)
RUN(sigmoid_bf16, uint16_t, vf_load_bf16, vf_store_bf16, vf_stream_bf16, math_sigmoid)

static void fill_math(sa_isa *isa)
{
#define SET_MATH(name) isa->name[SA_F32] = name##_f32, isa->name[SA_F16] = name##_f16;
    SET_MATH(exp)
    SET_MATH(ln)
    SET_MATH(sigmoid)
    SET_MATH(tanh)
    isa->sigmoid_run[SA_F32] = sigmoid_f32_run;
    isa->sigmoid_run[SA_F16] = sigmoid_f16_run;
    isa->sigmoid_run[SA_BF16] = sigmoid_bf16_run;
}
