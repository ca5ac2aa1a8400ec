/* Philox 4x32-10: random bits that depend on a key and a counter alone, so that every core makes
 * its own part of a sequence. Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"
 * (SC11). Here because kernels make numbers with it and their callers make keys. */
#ifndef SOFTASCEND_PHILOX_H
#define SOFTASCEND_PHILOX_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The four words that belong to the 128-bit counter (low, high). */
static inline void sa_philox(uint64_t key, uint64_t low, uint64_t high, uint32_t words[4])
{
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    uint32_t a = (uint32_t)low, b = (uint32_t)(low >> 32);
    uint32_t c = (uint32_t)high, d = (uint32_t)(high >> 32);

    for (int round = 0; round < 10; round++) {
        uint64_t p = UINT64_C(0xD2511F53) * a, q = UINT64_C(0xCD9E8D57) * c;
        a = (uint32_t)(q >> 32) ^ b ^ k0;
        b = (uint32_t)q;
        c = (uint32_t)(p >> 32) ^ d ^ k1;
        d = (uint32_t)p;
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    words[0] = a;
    words[1] = b;
    words[2] = c;
    words[3] = d;
}

#ifdef __cplusplus
}
#endif

#endif
