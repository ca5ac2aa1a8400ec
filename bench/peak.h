/* What the machine can do at most: multiply-adds in registers, copies. For benchmarks, by ctypes.
 */
#pragma once

#include <stddef.h>

#define PEAK_API __attribute__((visibility("default")))

typedef enum peak_kind { PEAK_F32, PEAK_BF16_DOT, PEAK_BF16_TILE } peak_kind;

/* Flops a second (a multiply-add is two) of independent multiply-adds on all `threads` at once, for
 * `seconds`. `wide`: with the widest registers there are, else with AVX2's; no matter to the bf16
 * kinds. 0 if the CPU has no such instruction or there are no threads. */
PEAK_API double sa_peak_fma(int kind, int wide, int threads, double seconds);

/* Bytes a second, read and written, of copying `bytes` from `source` to `destination` again and
 * again for `seconds`, each thread its share. `streaming`: with stores past the caches, else
 * memcpy. 0 if there are no threads. */
PEAK_API double sa_peak_copy(void *destination, const void *source, size_t bytes, int streaming,
                             int threads, double seconds);
