/* The x86 backends: what the CPU must have, and who fills. */
#include "core/backend.h"
#include "core/x86/x86.h"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool has_f16c(void) /* clang 14 cannot ask for it by name */
{
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_F16C);
}

bool sa_isa_fill_avx2(sa_isa *isa)
{
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !has_f16c())
        return false;
    sa_avx2_fill_elementwise(isa); /* first: _vector overrides some */
    sa_avx2_fill_compare(isa);
    sa_avx2_fill_fused(isa);
    sa_avx2_fill_vector(isa);
    sa_avx2_fill_math(isa);
    sa_avx2_fill_attention(isa);
    sa_avx2_fill_row(isa);
    sa_avx2_fill_activate(isa);
    sa_avx2_fill_move(isa);
    sa_avx2_fill_mmad(isa);
    sa_avx2_fill_cube(isa);
    sa_avx2_fill_panel(isa);
    sa_avx2_fill_arrange(isa);
    return true;
}

bool sa_isa_fill_avx512(sa_isa *isa)
{
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512dq"))
        return false;
    sa_avx512_fill_elementwise(isa); /* first: _vector overrides some */
    sa_avx512_fill_compare(isa);
    sa_avx512_fill_fused(isa);
    sa_avx512_fill_vector(isa);
    sa_avx512_fill_math(isa);
    sa_avx512_fill_attention(isa);
    sa_avx512_fill_row(isa);
    sa_avx512_fill_activate(isa);
    sa_avx512_fill_move(isa);
    sa_avx512_fill_mmad(isa);
    sa_avx512_fill_cube(isa);
    sa_avx512_fill_panel(isa);
    sa_avx2_fill_arrange(isa); /* every CPU with AVX-512 has AVX2; 2-byte elements stay so */
    sa_avx512_fill_arrange(isa);
    return true;
}

bool sa_isa_fill_avx512_bf16(sa_isa *isa)
{
    enum { AVX512_BF16 = 1 << 5 };
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) && (eax & AVX512_BF16) &&
           sa_avx512_bf16_fill_panel(isa);
}

/* Linux gives a process the tiles' state, 8 KiB a thread that uses it, when it asks. */
bool sa_isa_fill_amx(sa_isa *isa)
{
    enum { REQ_XCOMP_PERM = 0x1023, XTILEDATA = 18, AMX_TILE = 1 << 24, AMX_BF16 = 1 << 22 };
    unsigned eax, ebx, ecx, edx;
    if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) || !(edx & AMX_TILE) ||
        !(edx & AMX_BF16) || syscall(SYS_arch_prctl, REQ_XCOMP_PERM, XTILEDATA))
        return false;
    sa_amx_fill_cube(isa);
    return true;
}
