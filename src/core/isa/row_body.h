/* Rows of one dtype: row_text.h includes it for each. */

/* The first n lanes; the others are `other`. */
MATH_INLINE vf ROW(row_some)(const ROW_T *p, size_t n, float other)
{
    ROW_T raw[VF_LANES] = {0};
    float lane[VF_LANES];
    memcpy(raw, p, n * sizeof *p);
    vf_store(lane, ROW_LOAD(raw));
    for (size_t l = n; l < VF_LANES; l++)
        lane[l] = other;
    return vf_load(lane);
}

MATH_INLINE void ROW(row_put)(ROW_T *p, vf v, size_t n)
{
    ROW_T raw[VF_LANES];
    ROW_STORE(raw, v);
    memcpy(p, raw, n * sizeof *p);
}

/* out[i] = EACH(WHOLE, FLOATS): a vector made of WHOLE(p) of operands, FLOATS(p) of float32, whose
 * element i lies at p. */
#define ROW_SOME(p) ROW(row_some)(p, some, 0)
#define ROW_SOME_F32(p) row_some_f32(p, some, 0)
#define ROW_EACH(EACH)                                                                             \
    do {                                                                                           \
        enum { BYTES = VF_LANES * sizeof(ROW_T) };                                                 \
        past = past && (uintptr_t)out % sizeof(ROW_T) == 0;                                        \
        size_t i = 0, some = past ? -(uintptr_t)out % BYTES / sizeof(ROW_T) : 0;                   \
        some = some < n ? some : n;                                                                \
        if (some)                                                                                  \
            ROW(row_put)(out, EACH(ROW_SOME, ROW_SOME_F32), some);                                 \
        i = some;                                                                                  \
        if (past)                                                                                  \
            for (; i + VF_LANES <= n; i += VF_LANES)                                               \
                ROW_STREAM(out + i, EACH(ROW_LOAD, vf_load));                                      \
        else                                                                                       \
            for (; i + VF_LANES <= n; i += VF_LANES)                                               \
                ROW_STORE(out + i, EACH(ROW_LOAD, vf_load));                                       \
        some = n - i;                                                                              \
        if (some)                                                                                  \
            ROW(row_put)(out + i, EACH(ROW_SOME, ROW_SOME_F32), some);                             \
        if (past) {                                                                                \
            vf_streamed();                                                                         \
        }                                                                                          \
    } while (0)

static float ROW(row_max)(const void *vx, size_t n)
{
    const ROW_T *x = vx;
    vf most[4];
    size_t i = 0;
    for (int j = 0; j < 4; j++)
        most[j] = F(-MATH_INF);
    for (; i + (size_t)4 * VF_LANES <= n; i += (size_t)4 * VF_LANES)
        for (int j = 0; j < 4; j++)
            most[j] = vf_above(ROW_LOAD(x + i + (size_t)j * VF_LANES), most[j]);
    for (; i + VF_LANES <= n; i += VF_LANES)
        most[0] = vf_above(ROW_LOAD(x + i), most[0]);
    if (i < n)
        most[0] = vf_above(ROW(row_some)(x + i, n - i, -MATH_INF), most[0]);
    return vf_most(vf_above(vf_above(most[0], most[1]), vf_above(most[2], most[3])));
}

static float ROW(row_exp)(float *e, const void *vx, size_t n, float max, const void *next)
{
    const ROW_T *x = vx;
    const ROW_T *ahead = next;
    const vf most = F(max);
    vf sum[ROW_VECTORS];
    size_t i = 0;
    for (size_t j = 0; j < ROW_VECTORS; j++)
        sum[j] = F(0.0f);
    for (; i + ROW_LANES <= n; i += ROW_LANES) {
        for (size_t j = 0; j < ROW_LANES * sizeof *x; j += 64)
            __builtin_prefetch((const char *)(ahead + i) + j);
        for (size_t j = 0; j < ROW_VECTORS; j++) {
            size_t at = i + j * VF_LANES;
            vf v = math_exp_falling(vf_sub(ROW_LOAD(x + at), most));
            vf_store(e + at, v);
            sum[j] = vf_add(sum[j], v);
        }
    }
    for (size_t j = 0; i < n; i += VF_LANES, j++) {
        size_t some = n - i < VF_LANES ? n - i : VF_LANES;
        vf v = math_exp_falling(vf_sub(ROW(row_some)(x + i, some, -MATH_INF), most));
        row_put_f32(e + i, v, some);
        sum[j] = vf_add(sum[j], v);
    }
    return row_total(sum);
}

static void ROW(row_scale)(void *to, const float *e, const void *vy, size_t n, float factor,
                           bool past)
{
    ROW_T *out = to;
    const ROW_T *y = vy;
    const vf by = F(factor);
#define SCALED(WHOLE, FLOATS) vf_mul(FLOATS(e + i), by)
#define SCALED_LESS(WHOLE, FLOATS) vf_sub(vf_mul(FLOATS(e + i), by), WHOLE(y + i))
    if (y)
        ROW_EACH(SCALED_LESS);
    else
        ROW_EACH(SCALED);
#undef SCALED
#undef SCALED_LESS
}

static void ROW(row_log)(void *to, const void *vx, size_t n, float max, float log, bool past)
{
    ROW_T *out = to;
    const ROW_T *x = vx;
    const vf most = F(max), less = F(log);
#define LOGGED(WHOLE, FLOATS) vf_sub(vf_sub(WHOLE(x + i), most), less)
    ROW_EACH(LOGGED);
#undef LOGGED
}

static void ROW(row_grad)(void *to, const void *vg, const void *vy, size_t n, float dot, bool past)
{
    ROW_T *out = to;
    const ROW_T *g = vg, *y = vy;
    const vf less = F(dot);
#define GRADED(WHOLE, FLOATS) vf_mul(vf_sub(WHOLE(g + i), less), WHOLE(y + i))
    ROW_EACH(GRADED);
#undef GRADED
}

/* The sum over 64 lanes of TERM(LOAD), 0 past the end. */
#define ROW_SUM(TERM)                                                                              \
    do {                                                                                           \
        vf sum[ROW_VECTORS];                                                                       \
        size_t i = 0, some;                                                                        \
        for (size_t j = 0; j < ROW_VECTORS; j++)                                                   \
            sum[j] = F(0.0f);                                                                      \
        for (; n >= ROW_LANES && i <= n - ROW_LANES;)                                              \
            for (size_t j = 0; j < ROW_VECTORS; j++, i += VF_LANES)                                \
                sum[j] = vf_add(sum[j], TERM(ROW_LOAD));                                           \
        for (size_t j = 0; i < n; i += VF_LANES, j++) {                                            \
            some = n - i < VF_LANES ? n - i : VF_LANES;                                            \
            sum[j] = vf_add(sum[j], TERM(ROW_SOME));                                               \
        }                                                                                          \
        return row_total(sum);                                                                     \
    } while (0)

static float ROW(row_log_dot)(const void *vx, const void *vy, size_t n, float max, float log)
{
    const ROW_T *x = vx, *y = vy;
    const vf most = F(max), less = F(log);
#define TERM(LOAD) vf_mul(vf_sub(vf_sub(LOAD(x + i), most), less), LOAD(y + i))
    ROW_SUM(TERM);
#undef TERM
}

static float ROW(row_dot)(const void *vg, const void *vy, size_t n)
{
    const ROW_T *g = vg, *y = vy;
#define TERM(LOAD) vf_mul(LOAD(g + i), LOAD(y + i))
    ROW_SUM(TERM);
#undef TERM
}

#undef ROW
#undef ROW_T
#undef ROW_LOAD
#undef ROW_STORE
#undef ROW_STREAM
#undef ROW_SOME
#undef ROW_SOME_F32
#undef ROW_EACH
#undef ROW_SUM
