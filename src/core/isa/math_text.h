/* exp, ln, sigmoid and tanh of fp32, written once over a small vocabulary.
 *
 * Whoever includes this text defines the vocabulary first: isa/math.c for one float, x86/ and arm/
 * for a register of them. Every step is an operation that IEEE 754 rounds the same way everywhere
 * (add, sub, mul, fused multiply-add) or works on the bits, so all backends give the same bits.
 *
 *   vf, vi, vm           floats, uint32s, a condition for each lane
 *   F(c), I(c)           a constant in all lanes
 *   vf_fma(a, b, c)      a * b + c, rounded once;  vf_add, vf_sub, vf_mul
 *   vf_above(a, b)       a > b ? a : b;  vf_below(a, b)  a < b ? a : b   (b where one is NaN)
 *   vf_lt(a, b), vf_eq   conditions, false on NaN;  vf_if(m, a, b)  m ? a : b;  vm_any(m)
 *   vf_bits, vf_of       reinterpret;  vi_sub, vi_and, vi_or, vi_shl, vi_sra
 *   vf_int(i)            int32 to float
 *   vf_scale(p, n, f)    p * 2^n rounded once, for p in [1/2, 2] and n in [-150, 128]: bits of vi,
 *                        and as floats f, whichever suits the CPU
 *   vf_scale_live(m, p, f)  optional: 0 where m, else p * 2^f, for any p and f that m covers
 *
 * Polynomials: own minimax fits in the relative error of the whole function. */

#define ROUNDER 0x1.8p23f /* adding it leaves the nearest integer in the low bits */
#define LN2_HIGH 0x1.62e4p-1f
#define LN2_LOW 0x1.7f7d1cp-20f

/* exp(x) as p * 2^n (n also as float, whole): p in [0.7, 1.5], off by 3.2e-9 before rounding. x in
 * [-104, 89] or NaN. */
MATH_INLINE vf math_exp_parts(vf x, vi *n, vf *whole)
{
    vf t = vf_fma(x, F(0x1.715476p+0f), F(ROUNDER));
    *whole = vf_sub(t, F(ROUNDER));
    vf r = vf_fma(*whole, F(-LN2_HIGH), x);
    r = vf_fma(*whole, F(-LN2_LOW), r);
    vf p = F(0x1.6a1f62p-10f);
    p = vf_fma(p, r, F(0x1.123ccap-7f));
    p = vf_fma(p, r, F(0x1.555904p-5f));
    p = vf_fma(p, r, F(0x1.55548ep-3f));
    p = vf_fma(p, r, F(0x1.fffffcp-2f));
    p = vf_fma(p, vf_mul(r, r), r);
    *n = vi_sub(vf_bits(t), I(0x4B400000u));
    return vf_add(p, F(1.0f));
}

/* p, or 0 where p * 2^n rounds to 0: CPUs take a hundred times as long over what underflows. */
MATH_INLINE vf math_alive(vf x, vf p)
{
    return vf_if(vf_lt(x, F(-103.98f)), F(0.0f), p);
}

/* exp(x) for x <= 0 or NaN: the same bits. */
MATH_INLINE vf math_exp_falling(vf x)
{
    vi n;
    vf whole;
#ifdef vf_scale_live
    vf p = math_exp_parts(x, &n, &whole);
    return vf_scale_live(vf_lt(x, F(-103.98f)), p, whole);
#else
    x = vf_above(F(-104.0f), x); /* exp(-104) rounds to 0 */
    vf p = math_alive(x, math_exp_parts(x, &n, &whole));
    return vf_scale(p, n, whole);
#endif
}

MATH_INLINE vf math_exp(vf x)
{
    vi n;
    vf whole;
    x = vf_above(F(-104.0f), x);
    x = vf_below(F(89.0f), x); /* exp(89) rounds to infinity */
    vf p = math_alive(x, math_exp_parts(x, &n, &whole));
    return vf_scale(p, n, whole);
}

/* 1 / (1 + e) for e in [0, 1]: a guess of degree 5, off by 5.2e-5, and a Newton step, whose
 * residual is nearly exact because 1 - r is. */
MATH_INLINE vf math_recip_1p(vf e)
{
    vf r = F(-0x1.abf7e8p-4f);
    r = vf_fma(r, e, F(0x1.abf7e8p-2f));
    r = vf_fma(r, e, F(-0x1.8a8888p-1f));
    r = vf_fma(r, e, F(0x1.e826c4p-1f));
    r = vf_fma(r, e, F(-0x1.fe17dap-1f));
    r = vf_fma(r, e, F(0x1.fff950p-1f));
    vf minus = vf_sub(F(0.0f), e);
    return vf_fma(r, vf_fma(minus, r, vf_sub(F(1.0f), r)), r);
}

/* Where 1 + exp(-x) leaves the floats. With e = exp(x): er = e - (er)e, whose errors but the last
 * rounding count e-fold. */
MATH_INLINE vf math_sigmoid_low(vf x)
{
    vi n;
    vf whole;
    x = vf_below(F(0.0f), vf_above(F(-104.0f), x)); /* other lanes: anything finite */
    vf p = math_alive(x, math_exp_parts(x, &n, &whole));
    vf e = vf_scale(p, n, whole);
    return vf_fma(vf_mul(vf_sub(F(0.0f), e), math_recip_1p(e)), e, e);
}

/* 1 / (1 + e) with e = exp(-x) = s + s q, s = 2^n straight from the rounded exponent's bits. The
 * guess from the bits of 1 + e is off by 5.1%; a cubic step leaves 1.3e-4, a Newton step, whose
 * residual has e itself, what rounding leaves. */
MATH_INLINE vf math_sigmoid(vf x)
{
    vm low = vf_lt(x, F(-86.0f));
    vf c = vf_below(F(60.0f), x); /* 1 + exp(-60) is 1; NaN stays */
    vf t = vf_fma(c, F(-0x1.715476p+0f), F(ROUNDER + 127.0f));
    vf whole = vf_sub(t, F(ROUNDER + 127.0f));
    vf r = vf_fma(whole, F(LN2_HIGH), c); /* less what whole stands for, negated */
    r = vf_fma(whole, F(LN2_LOW), r);
    vf q = F(0x1.6a1f62p-10f);
    q = vf_fma(q, r, F(-0x1.123ccap-7f));
    q = vf_fma(q, r, F(0x1.555904p-5f));
    q = vf_fma(q, r, F(-0x1.55548ep-3f));
    q = vf_fma(q, r, F(0x1.fffffcp-2f));
    q = vf_fma(q, vf_mul(r, r), vf_sub(F(0.0f), r));
    vf s = vf_of(vi_shl(vf_bits(t), 23));
    vf e = vf_fma(q, s, s);
    vf y = vf_add(e, F(1.0f));
    vf g = vf_of(vi_sub(I(0x7EF311C7u), vf_bits(y)));
    vf d = vf_fma(vf_sub(F(0.0f), y), g, F(1.0f));
    g = vf_fma(vf_fma(d, d, d), g, g);
    d = vf_sub(vf_fma(vf_sub(F(0.0f), e), g, F(1.0f)), g);
    g = vf_fma(d, g, g);
    return vm_any(low) ? vf_if(low, math_sigmoid_low(x), g) : g;
}

/* |x| < 0.55: an odd polynomial; else 1 - 2e / (1 + e) with e = exp(-2|x|). */
MATH_INLINE vf math_tanh(vf x)
{
    vi n;
    vf whole;
    vf a = vf_of(vi_and(vf_bits(x), I(0x7FFFFFFFu)));
    vf square = vf_mul(a, a);
    vf small = F(-0x1.9b3046p-8f);
    small = vf_fma(small, square, F(0x1.593d08p-6f));
    small = vf_fma(small, square, F(-0x1.b9287ap-5f));
    small = vf_fma(small, square, F(0x1.110d26p-3f));
    small = vf_fma(small, square, F(-0x1.55554ap-2f));
    small = vf_fma(small, vf_mul(square, a), a);
    vf minus = vf_above(F(-60.0f), vf_mul(a, F(-2.0f))); /* 1 - 2 exp(-60) is 1 */
    vf p = math_exp_parts(minus, &n, &whole);
    vf e = vf_scale(p, n, whole);
    vf large = vf_fma(vf_mul(e, F(-2.0f)), math_recip_1p(e), F(1.0f));
    vf y = vf_if(vf_lt(a, F(0.55f)), small, large);
    return vf_of(vi_or(vf_bits(y), vi_and(vf_bits(x), I(0x80000000u))));
}

/* x = 2^n * m with m in [sqrt(1/2), sqrt(2)), f = m - 1: n ln2 + f - f^2/2 + f^3 Q(f). */
MATH_INLINE vf math_ln(vf x)
{
    vm tiny = vf_lt(x, F(0x1p-126f));
    vf scaled = vf_if(tiny, vf_mul(x, F(0x1p24f)), x);
    vi bits = vf_bits(scaled);
    vi n = vi_sra(vi_sub(bits, I(0x3F3504F3u)), 23); /* 0x3F3504F3: sqrt(1/2) */
    vf m = vf_of(vi_sub(bits, vi_shl(n, 23)));
    vf whole = vf_sub(vf_int(n), vf_if(tiny, F(24.0f), F(0.0f)));
    vf f = vf_sub(m, F(1.0f));
    vf q = F(-0x1.392f40p-4f);
    q = vf_fma(q, f, F(0x1.05b760p-3f));
    q = vf_fma(q, f, F(-0x1.0d9a3ep-3f));
    q = vf_fma(q, f, F(0x1.22cf4cp-3f));
    q = vf_fma(q, f, F(-0x1.546f2ap-3f));
    q = vf_fma(q, f, F(0x1.99a060p-3f));
    q = vf_fma(q, f, F(-0x1.000232p-2f));
    q = vf_fma(q, f, F(0x1.555554p-2f));
    vf square = vf_mul(f, f);
    vf y = vf_fma(square, vf_fma(q, f, F(-0.5f)), vf_fma(whole, F(LN2_LOW), f));
    y = vf_fma(whole, F(LN2_HIGH), y);
    y = vf_if(vf_eq(x, F(MATH_INF)), x, y);
    y = vf_if(vf_eq(x, F(0.0f)), F(-MATH_INF), y);
    y = vf_if(vf_lt(x, F(0.0f)), F(MATH_NAN), y);
    return vf_if(vf_eq(x, x), y, x);
}
