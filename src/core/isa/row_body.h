/* Rows of one dtype: row_text.h includes it for each. */

/* The first n lanes; the others are `other`. */
MATH_INLINE vf ROW(row_some)(const ROW_T *p, size_t n, float other)
{
#ifdef VF_FIRST
    return ROW_LOAD_FIRST(p, n, F(other));
#else
    if (n >= VF_LANES)
        return ROW_LOAD(p);
    ROW_T raw[VF_LANES] = {0};
    float lane[VF_LANES];
    memcpy(raw, p, n * sizeof *p);
    vf_store(lane, ROW_LOAD(raw));
    for (size_t l = n; l < VF_LANES; l++)
        lane[l] = other;
    return vf_load(lane);
#endif
}

MATH_INLINE void ROW(row_put)(ROW_T *p, vf v, size_t n)
{
#ifdef VF_FIRST
    ROW_STORE_FIRST(p, v, n);
#else
    if (n >= VF_LANES) {
        ROW_STORE(p, v);
        return;
    }
    ROW_T raw[VF_LANES];
    ROW_STORE(raw, v);
    memcpy(p, raw, n * sizeof *p);
#endif
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

static float ROW(row_sum)(const void *vx, size_t n)
{
    const ROW_T *x = vx;
#define TERM(LOAD) LOAD(x + i)
    ROW_SUM(TERM);
#undef TERM
}

/* The sums over 64 lanes of `one` and `two`, which TERMS(LOAD, FLOATS) makes; 0 past the end. */
#define ROW_TWO_SUMS(TERMS)                                                                        \
    do {                                                                                           \
        vf sum[ROW_VECTORS], more[ROW_VECTORS], one, two;                                          \
        size_t i = 0, some;                                                                        \
        for (size_t j = 0; j < ROW_VECTORS; j++)                                                   \
            sum[j] = more[j] = F(0.0f);                                                            \
        for (; n >= ROW_LANES && i <= n - ROW_LANES;) {                                            \
            for (size_t j = 0; ahead && j < ROW_LANES * sizeof *ahead; j += 64)                    \
                __builtin_prefetch((const char *)(ahead + i) + j);                                 \
            for (size_t j = 0; j < ROW_VECTORS; j++, i += VF_LANES) {                              \
                TERMS(ROW_LOAD, vf_load);                                                          \
                sum[j] = vf_add(sum[j], one);                                                      \
                more[j] = vf_add(more[j], two);                                                    \
            }                                                                                      \
        }                                                                                          \
        for (size_t j = 0; i < n; i += VF_LANES, j++) {                                            \
            float lane[2][VF_LANES];                                                               \
            some = n - i < VF_LANES ? n - i : VF_LANES;                                            \
            TERMS(ROW_SOME, ROW_SOME_F32);                                                         \
            vf_store(lane[0], one);                                                                \
            vf_store(lane[1], two);                                                                \
            sum[j] = vf_add(sum[j], row_some_f32(lane[0], some, 0));                               \
            more[j] = vf_add(more[j], row_some_f32(lane[1], some, 0));                             \
        }                                                                                          \
        sums[0] = row_total(sum);                                                                  \
        sums[1] = row_total(more);                                                                 \
    } while (0)

static void ROW(row_moments)(const void *vx, size_t n, float near, float sums[2], const void *next)
{
    const ROW_T *x = vx, *ahead = next;
    const vf less = F(near);
#define TERMS(LOAD, FLOATS) (one = vf_sub(LOAD(x + i), less), two = vf_mul(one, one))
    ROW_TWO_SUMS(TERMS);
#undef TERMS
}

static void ROW(row_norm)(void *to, const void *vx, size_t n, const sa_row_norm *by, bool past)
{
    ROW_T *out = to;
    const ROW_T *x = vx;
    const float *w = by->w, *b = by->b;
    const vf near = F(by->near), rest = F(by->rest), rstd = F(by->rstd);
#define PLAIN(LOAD, FLOATS) vf_mul(vf_sub(vf_sub(LOAD(x + i), near), rest), rstd)
#define SCALED(LOAD, FLOATS) vf_mul(PLAIN(LOAD, FLOATS), FLOATS(w + i))
#define SHIFTED(LOAD, FLOATS) vf_add(PLAIN(LOAD, FLOATS), FLOATS(b + i))
#define BOTH(LOAD, FLOATS) vf_add(SCALED(LOAD, FLOATS), FLOATS(b + i))
    if (w && b)
        ROW_EACH(BOTH);
    else if (w)
        ROW_EACH(SCALED);
    else if (b)
        ROW_EACH(SHIFTED);
    else
        ROW_EACH(PLAIN);
#undef PLAIN
#undef SCALED
#undef SHIFTED
#undef BOTH
}

#define HAT(LOAD) vf_mul(vf_sub(LOAD(x + i), mean), rstd)
static void ROW(row_norm_dots)(const void *vdy, const void *vx, size_t n, const sa_row_norm *by,
                               float sums[2])
{
    const ROW_T *dy = vdy, *x = vx, *ahead = NULL;
    const float *w = by->w;
    const vf mean = F(by->mean), rstd = F(by->rstd);
#define TERMS(LOAD, FLOATS) (one = LOAD(dy + i), two = vf_mul(HAT(LOAD), one))
#define TERMS_W(LOAD, FLOATS)                                                                      \
    (one = vf_mul(LOAD(dy + i), FLOATS(w + i)), two = vf_mul(HAT(LOAD), one))
    if (w)
        ROW_TWO_SUMS(TERMS_W);
    else
        ROW_TWO_SUMS(TERMS);
#undef TERMS
#undef TERMS_W
}

static void ROW(row_norm_grad)(void *to, const void *vdy, const void *vx, size_t n,
                               const sa_row_norm *by, bool past)
{
    ROW_T *out = to;
    const ROW_T *dy = vdy, *x = vx;
    const float *w = by->w;
    const vf mean = F(by->mean), rstd = F(by->rstd), a = F(by->a), c = F(by->c);
#define SLOPE(g, LOAD) vf_mul(vf_sub(vf_sub(g, a), vf_mul(HAT(LOAD), c)), rstd)
#define PLAIN(LOAD, FLOATS) SLOPE(LOAD(dy + i), LOAD)
#define SCALED(LOAD, FLOATS) SLOPE(vf_mul(LOAD(dy + i), FLOATS(w + i)), LOAD)
    if (w)
        ROW_EACH(SCALED);
    else
        ROW_EACH(PLAIN);
#undef SLOPE
#undef PLAIN
#undef SCALED
}

static void ROW(row_norm_add)(float *dw, float *db, const void *vdy, const void *vx, size_t n,
                              const sa_row_norm *by)
{
    const ROW_T *dy = vdy, *x = vx;
    const vf mean = F(by->mean), rstd = F(by->rstd);
    size_t i = 0, some;
    for (; i + VF_LANES <= n; i += VF_LANES) {
        vf g = ROW_LOAD(dy + i);
        if (dw)
            vf_store(dw + i, vf_add(vf_load(dw + i), vf_mul(HAT(ROW_LOAD), g)));
        if (db)
            vf_store(db + i, vf_add(vf_load(db + i), g));
    }
    some = n - i;
    if (some) {
        vf g = ROW_SOME(dy + i);
        if (dw)
            row_put_f32(dw + i, vf_add(ROW_SOME_F32(dw + i), vf_mul(HAT(ROW_SOME), g)), some);
        if (db)
            row_put_f32(db + i, vf_add(ROW_SOME_F32(db + i), g), some);
    }
}
#undef HAT

#undef ROW_TWO_SUMS
#undef ROW
#undef ROW_T
#undef ROW_LOAD
#undef ROW_LOAD_FIRST
#undef ROW_STORE
#undef ROW_STORE_FIRST
#undef ROW_STREAM
#undef ROW_SOME
#undef ROW_SOME_F32
#undef ROW_EACH
#undef ROW_SUM
