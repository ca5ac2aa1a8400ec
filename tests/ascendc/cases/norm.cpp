/* Softmax, normalisations, quantisation, reductions along an axis, choice and padding: byte offsets
 * first, then the shape, as the Python beside it lists them for each call. */
#include "call.h"

using namespace AscendC;

#define I(k) ((uint32_t)c.i[k])
#define SHAPE(k)                                                                                   \
    SoftMaxTiling tiling = {};                                                                     \
    const SoftMaxShapeInfo shape = {I(k), I(k + 2), I(k), I(k + 1)};                               \
    [[maybe_unused]] LocalTensor<uint8_t> tmp;
#define BOTH(X) X(float) X(half)

#define SOFTMAX(T)                                                                                 \
    CALL("SoftMax", T,                                                                             \
         SHAPE(4) SoftMax<T>(c.at<T>(0), c.at<float>(1), c.at<float>(2), c.at<T>(3), tmp, tiling,  \
                             shape);)                                                              \
    CALL("SoftMaxPlain", T, SHAPE(2) SoftMax<T>(c.at<T>(0), c.at<T>(1), tiling, shape);)           \
    CALL("SimpleSoftMax", T,                                                                       \
         SHAPE(4) SimpleSoftMax<T>(c.at<T>(0), c.at<float>(1), c.at<float>(2), c.at<T>(3), tiling, \
                                   shape);)                                                        \
    CALL("LogSoftMax", T, SHAPE(2) LogSoftMax<T>(c.at<T>(0), c.at<T>(1), tmp, tiling, shape);)     \
    CALL("SoftmaxFlashV2", T,                                                                      \
         SHAPE(7) SoftmaxFlashV2<T, true>(c.at<T>(0), c.at<float>(1), c.at<float>(2), c.at<T>(3),  \
                                          c.at<T>(4), c.at<float>(5), c.at<float>(6), tmp, tiling, \
                                          shape);)                                                 \
    CALL("SoftmaxFlash", T,                                                                        \
         SHAPE(7)                                                                                  \
             SoftmaxFlash<T>(c.at<T>(0), c.at<float>(1), c.at<float>(2), c.at<T>(3), c.at<T>(4),   \
                             c.at<float>(5), c.at<float>(6), tmp, tiling, true, shape);)           \
    CALL("SoftmaxGrad", T,                                                                         \
         SHAPE(3) SoftmaxGrad<T>(c.at<T>(0), c.at<T>(1), c.at<T>(2), tmp, tiling, false, shape);)  \
    CALL("SoftmaxGradFront", T,                                                                    \
         SHAPE(3) SoftmaxGradFront<T>(c.at<T>(0), c.at<T>(1), c.at<T>(2), tiling, shape);)         \
    CALL("AdjustSoftMaxRes", T, SHAPE(2)(void) tiling;                                             \
         c.out[0] =                                                                                \
             AdjustSoftMaxRes<T, float>(c.at<T>(0), c.at<float>(1), I(5), (T)c.f[0], shape);)

template <class Tiling>
static Tiling rows(const call &c, int k)
{
    Tiling t = {};
    t.bLength = 1, t.sLength = I(k), t.originalHLength = I(k + 1), t.hLength = I(k + 2);
    return t;
}
#define NORMS(T)                                                                                   \
    CALL("LayerNorm", T, LocalTensor<uint8_t> tmp; auto t = rows<LayerNormTiling>(c, 6);           \
         LayerNorm<T>(c.at<T>(0), c.at<T>(1), c.at<T>(2), c.at<T>(3), c.at<T>(4), c.at<T>(5), tmp, \
                      (T)c.f[0], t);)                                                              \
    CALL("RmsNorm", T, LocalTensor<uint8_t> tmp; auto t = rows<RmsNormTiling>(c, 3);               \
         RmsNorm<T>(c.at<T>(0), c.at<T>(1), c.at<T>(2), tmp, (T)c.f[0], t);)                       \
    CALL("LayerNormGrad", T, LocalTensor<uint8_t> tmp; auto t = rows<LayerNormGradTiling>(c, 7);   \
         LayerNormGrad<T>(c.at<T>(0), c.at<T>(1), c.at<T>(2), c.at<T>(3), c.at<T>(4), c.at<T>(5),  \
                          c.at<T>(6), tmp, (T)c.f[0], t);)                                         \
    CALL("LayerNormGradBeta", T, LocalTensor<uint8_t> tmp;                                         \
         auto t = rows<LayerNormGradBetaTiling>(c, 4);                                             \
         LayerNormGradBeta<T>(c.at<T>(0), c.at<T>(1), c.at<T>(2), c.at<T>(3), tmp, t);)            \
    CALL("DeepNorm", T, LocalTensor<uint8_t> tmp; auto t = rows<DeepNormTiling>(c, 7);             \
         DeepNorm<T>(c.at<T>(0), c.at<T>(1), c.at<T>(2), c.at<T>(3), c.at<T>(4), c.at<T>(5),       \
                     c.at<T>(6), tmp, (T)c.f[1], (T)c.f[0], t);)                                   \
    CALL("BatchNorm", T, LocalTensor<uint8_t> tmp; BatchNormTiling t = {};                         \
         t.originalBLength = I(6), t.meanVarSize = I(7);                                           \
         BatchNorm<T>(c.at<T>(0), c.at<T>(1), c.at<T>(2), c.at<T>(3), c.at<T>(4), c.at<T>(5), tmp, \
                      (T)c.f[0], t);)                                                              \
    CALL("GroupNorm", T, LocalTensor<uint8_t> tmp; GroupNormTiling t = {};                         \
         t.n = I(6), t.g = I(7), t.d = I(8), t.hw = I(9), t.hwAlignSize = I(10);                   \
         GroupNorm<T>(c.at<T>(0), c.at<T>(1), c.at<T>(2), c.at<T>(3), c.at<T>(4), c.at<T>(5), tmp, \
                      (T)c.f[0], t);)                                                              \
    CALL("Normalize", T, LocalTensor<uint8_t> tmp; Normalize<T, T>(                                \
             c.at<T>(0), c.at<float>(1), c.at<float>(2), c.at<float>(3), c.at<T>(4), c.at<T>(5),   \
             c.at<T>(6), tmp, (float)c.f[0], NormalizePara{I(7), I(8), I(9)});)                    \
    CALL("WelfordUpdate", T, LocalTensor<uint8_t> tmp; WelfordUpdateParam p;                       \
         p.abLength = p.abComputeLength = I(5), p.nRec = (float)c.f[0]; WelfordUpdate<T, float>(   \
             c.at<float>(0), c.at<float>(1), c.at<float>(2), c.at<float>(3), c.at<T>(4), tmp, p);) \
    CALL("AscendQuant", T, LocalTensor<uint8_t> tmp;                                               \
         AscendQuant<T>(c.at<int8_t>(0), c.at<T>(1), tmp, (float)c.f[0], (float)c.f[1], I(4));)    \
    CALL("AscendQuantColumns", T, LocalTensor<uint8_t> tmp; AscendQuant<T>(                        \
             c.at<int8_t>(0), c.at<T>(1), tmp, c.at<T>(2), c.at<T>(3), I(5), I(5), I(4));)         \
    CALL("SelectWithBytesMask", T, LocalTensor<uint8_t> tmp;                                       \
         const SelectWithBytesMaskShapeInfo p(I(3), I(4), I(3), I(5));                             \
         c.i[6]                                                                                    \
             ? SelectWithBytesMask(c.at<T>(0), (T)c.f[0], c.at<T>(1), c.at<uint8_t>(2), tmp, p)    \
             : SelectWithBytesMask(c.at<T>(0), c.at<T>(1), (T)c.f[0], c.at<uint8_t>(2), tmp, p);)  \
    CALL("Pad", T, LocalTensor<uint8_t> tmp; PadTiling t = {};                                     \
         t.srcHeight = I(2), t.srcOriWidth = I(3), t.srcWidth = I(4);                              \
         PadParams p = {(uint16_t)I(5), (uint16_t)I(6), (int32_t)c.f[0]};                          \
         Pad(c.at<T>(0), c.at<T>(1), p, tmp, t);)                                                  \
    CALL("UnPad", T, LocalTensor<uint8_t> tmp; UnPadTiling t = {};                                 \
         t.srcHeight = I(2), t.srcWidth = I(4); UnPadParams p = {(uint16_t)I(5), (uint16_t)I(6)};  \
         UnPad(c.at<T>(0), c.at<T>(1), p, tmp, t);)                                                \
    CALL("Sum", T, LocalTensor<uint8_t> tmp; SumParams p;                                          \
         p.outter = I(2), p.n = I(3), p.inner = I(4); Sum(c.at<T>(0), c.at<T>(1), tmp, p);)        \
    CALL("Mean", T, LocalTensor<uint8_t> tmp; MeanParams p;                                        \
         p.outter = I(2), p.n = I(3), p.inner = I(4); Mean(c.at<T>(0), c.at<T>(1), tmp, p);)       \
    CALL("TopK", T, TopkTiling t = {}; TopKInfo info;                                              \
         info.outter = (int32_t)I(3), info.n = (int32_t)I(4), info.inner = (int32_t)I(5);          \
         LocalTensor<int32_t> none; LocalTensor<bool> finish;                                      \
         TopK<T>(c.at<T>(0), c.at<int32_t>(1), c.at<T>(2), none, finish, (int32_t)I(6), t, info,   \
                 c.i[7] != 0);)

#define DEQUANT(T)                                                                                 \
    CALL("AscendDequant", T, LocalTensor<uint8_t> tmp; AscendDequant(                              \
             c.at<T>(0), c.at<int32_t>(1), c.at<float>(2), tmp, DequantParams{I(3), I(4), I(5)});) \
    CALL("AscendDequantWords", T, LocalTensor<uint8_t> tmp;                                        \
         AscendDequant(c.at<T>(0), c.at<int32_t>(1), c.at<uint64_t>(2), tmp,                       \
                       DequantParams{I(3), I(4), I(5)});)
#define ANTIQUANT(T)                                                                               \
    CALL("AscendAntiQuant", T, LocalTensor<uint8_t> tmp; AntiQuantShapeInfo p = {};                \
         p.scaleHeight = p.offsetHeight = I(5), p.scaleWidth = p.offsetWidth = I(6);               \
         AscendAntiQuant<int8_t, T, false>(c.at<T>(0), c.at<int8_t>(1), c.at<T>(2), c.at<T>(3),    \
                                           tmp, I(4), p);)
#define REDUCE(Name, T)                                                                            \
    CALL("Axis" #Name, T, const uint32_t shape[] = {I(2), I(3)}; LocalTensor<uint8_t> tmp;         \
         c.i[4] ? Name<T, Pattern::Reduce::AR>(c.at<T>(0), c.at<T>(1), tmp, shape, true)           \
                : Name<T, Pattern::Reduce::RA>(c.at<T>(0), c.at<T>(1), tmp, shape, true);)

static const entry entries[] = {
    BOTH(SOFTMAX) BOTH(NORMS) DEQUANT(float) DEQUANT(half) DEQUANT(bfloat16_t) ANTIQUANT(half)
    ANTIQUANT(bfloat16_t) REDUCE(ReduceSum, float) REDUCE(ReduceMax, float)
    REDUCE(ReduceMin, float) REDUCE(ReduceMean, float) REDUCE(ReduceProd, float)
    REDUCE(ReduceAny, float) REDUCE(ReduceAll, float) REDUCE(ReduceAny, uint8_t)
    REDUCE(ReduceAll, uint8_t) REDUCE(ReduceMax, half) REDUCE(ReduceMin, half)
    {"WelfordFinalize", [](const call &c) {
         LocalTensor<uint8_t> tmp;
         WelfordFinalizePara p;
         p.abLength = I(5), p.rRec = (float)c.f[0], p.rnLength = I(6);
         c.i[6] ? WelfordFinalize(c.at<float>(0), c.at<float>(1), c.at<float>(2), c.at<float>(3),
                                  tmp, p)
                : WelfordFinalize(c.at<float>(0), c.at<float>(1), c.at<float>(2), c.at<float>(3),
                                  c.at<int32_t>(4), tmp, p);
     }},
    {"AddDeqRelu", [](const call &c) {
         SetDeqScale(half((float)c.f[0]));
         AddDeqRelu(c.at<half>(0), c.at<int32_t>(1), c.at<int32_t>(2), (int32_t)I(3));
         AddDeqRelu(c.at<half>(4), c.at<int32_t>(1), c.at<int32_t>(2), (uint64_t)37, 2,
                    {1, 1, 1, 4, 8, 8});
     }},
    {"CastDeq", [](const call &c) {
         SetDeqScale((float)c.f[0], (int16_t)c.f[1], true);
         CastDeq<int8_t, int16_t, false, true>(c.at<int8_t>(0), c.at<int16_t>(1), I(3));
         CastDeq<uint8_t, int16_t, false, false>(c.at<uint8_t>(0), c.at<int16_t>(1), I(3));
     }},
    {"CastDeqColumns", [](const call &c) {
         VdeqInfo info;
         for (int i = 0; i < 16; i++) {
             info.vdeqScale[i] = (float)c.f[i], info.vdeqOffset[i] = (int16_t)(i - 8);
         }
         SetDeqScale(c.at<uint64_t>(2), info);
         PipeBarrier<PIPE_ALL>();
         CastDeq<int8_t, int16_t>(c.at<int8_t>(0), c.at<int16_t>(1), I(3));
     }},
    {"GetAccVal", [](const call &c) {
         ReduceSum(c.at<float>(0), c.at<float>(1), c.at<float>(2), (int32_t)I(3));
         float sum = GetAccVal<float>(), value, index, only;
         WholeReduceMax(c.at<float>(0), c.at<float>(1), 37, 1, 1, 1, 8);
         GetReduceMaxMinCount(value, index);
         GetReduceRepeatMaxMinSpr(only);
         c.out[0] = __builtin_bit_cast(int32_t, sum), c.out[1] = __builtin_bit_cast(int32_t, value);
         c.out[2] = __builtin_bit_cast(int32_t, index), c.out[3] = only == value;
     }},
};

void add_norm(table &t)
{
    t.insert(t.end(), std::begin(entries), std::end(entries));
}
