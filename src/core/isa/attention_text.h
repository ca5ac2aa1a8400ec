/* What attention does to rows of scores between its two products, written once over the vocabulary
 * of math_text.h with vf_load, vf_store, vf_most(v), the largest lane, and vf_total(v), the sum of
 * the lanes by halves. A row's sum is that of isa/reduce.c: the bits are those of the instructions
 * that it takes the place of. */

#define ATTEND_LANES SA_ATTEND_LANES
#define ATTEND_VECTORS (ATTEND_LANES / VF_LANES)

/* Whole lanes of a row: columns past the end weigh nothing. */
static inline size_t attend_pad(float *row, size_t cols, float value)
{
    size_t whole = (cols + ATTEND_LANES - 1) / ATTEND_LANES * ATTEND_LANES;
    for (size_t i = cols; i < whole; i++)
        row[i] = value;
    return whole;
}

static inline float attend_max(const float *row, size_t cols, float before)
{
    vf most[4], first = F(before);
    for (int j = 0; j < 4; j++)
        most[j] = first;
    for (size_t i = 0; i < cols; i += 4 * VF_LANES)
        for (int j = 0; j < 4; j++)
            most[j] = vf_above(vf_load(row + i + (size_t)j * VF_LANES), most[j]);
    return vf_most(vf_above(vf_above(most[0], most[1]), vf_above(most[2], most[3])));
}

/* exp(x - most) over a row's whole lanes; their sum, joined by halves. */
static inline float attend_exp(float *row, size_t cols, vf most)
{
    vf sum[ATTEND_VECTORS];
    for (size_t j = 0; j < ATTEND_VECTORS; j++)
        sum[j] = F(0.0f);
    for (size_t i = 0; i < cols; i += ATTEND_LANES)
        for (size_t j = 0; j < ATTEND_VECTORS; j++) {
            float *at = row + i + j * VF_LANES;
            vf e = math_exp_falling(vf_sub(vf_load(at), most));
            vf_store(at, e);
            sum[j] = vf_add(sum[j], e);
        }
    for (size_t h = ATTEND_VECTORS / 2; h; h /= 2)
        for (size_t j = 0; j < h; j++)
            sum[j] = vf_add(sum[j], sum[j + h]);
    return vf_total(sum[0]);
}

static void attend(float *s, size_t pitch, size_t rows, size_t cols, float *max, float *sum,
                   float *factor)
{
    float fall[VF_LANES];
    for (size_t r = 0; r < rows; r += VF_LANES) { /* the factors of a vector of rows at once */
        size_t some = rows - r < VF_LANES ? rows - r : VF_LANES;
        for (size_t i = 0; i < some; i++, s += pitch) {
            size_t whole = attend_pad(s, cols, -MATH_INF);
            float m = attend_max(s, whole, max[r + i]);
            fall[i] = max[r + i] - m;
            max[r + i] = m;
            factor[r + i] = attend_exp(s, whole, F(m));
        }
        for (size_t i = some; i < VF_LANES; i++)
            fall[i] = 0;
        vf_store(fall, math_exp_falling(vf_load(fall)));
        for (size_t i = r; i < r + some; i++) {
            sum[i] = fmaf(sum[i], fall[i - r], factor[i]);
            factor[i] = fall[i - r];
        }
    }
}

static void attend_grad(float *s, float *g, size_t pitch, size_t rows, size_t cols,
                        const float *max, const float *over_sum, const float *dot)
{
    for (size_t r = 0; r < rows; r++, s += pitch, g += pitch) {
        size_t whole = attend_pad(s, cols, -MATH_INF);
        attend_pad(g, cols, 0);
        vf most = F(max[r]), over = F(over_sum[r]), d = F(dot[r]);
        for (size_t i = 0; i < whole; i += VF_LANES) {
            vf p = vf_mul(math_exp(vf_sub(vf_load(s + i), most)), over);
            vf_store(s + i, p);
            vf_store(g + i, vf_mul(p, vf_sub(vf_load(g + i), d)));
        }
    }
}

static void attend_blend(float *o, const float *more, size_t pitch, size_t rows, size_t cols,
                         const float *factor)
{
    for (size_t r = 0; r < rows; r++, o += pitch, more += pitch) {
        vf f = F(factor[r]);
        size_t i = 0;
        for (; i + VF_LANES <= cols; i += VF_LANES)
            vf_store(o + i, vf_fma(vf_load(o + i), f, vf_load(more + i)));
        for (; i < cols; i++)
            o[i] = fmaf(o[i], factor[r], more[i]);
    }
}

static void attend_mask(float *row, const uint8_t *mask, float value, size_t n)
{
    for (size_t i = 0; i < n; i++)
        row[i] = mask[i] ? value : row[i];
}

static void fill_attention(sa_isa *isa)
{
    isa->attend = attend;
    isa->attend_grad = attend_grad;
    isa->attend_blend = attend_blend;
    isa->attend_mask = attend_mask;
}
