/* The public view of the process's chip (softascend/platform.h). */
#include "softascend/platform.h"
#include "chip/chip.h"

uint32_t sa_platform_cores(sa_core_type type)
{
    const sa_chip *chip = sa_chip_default();
    if (!chip)
        return 0;
    return type == SA_AIV && chip->split ? chip->ai_cores * chip->vector_cores_per_ai_core
                                         : chip->ai_cores;
}

uint64_t sa_platform_bytes(sa_memory memory)
{
    const sa_chip *chip = sa_chip_default();
    if (!chip)
        return 0;
    switch (memory) {
    case SA_GM:
        return chip->hbm_bytes;
    case SA_UB:
        return chip->ub_bytes;
    case SA_L1:
        return chip->l1_bytes;
    case SA_L0A:
        return chip->l0a_bytes;
    case SA_L0B:
        return chip->l0b_bytes;
    case SA_L0C:
        return chip->l0c_bytes;
    case SA_BT:
        return chip->bt_bytes;
    default:
        return 0;
    }
}

uint64_t sa_platform_l2_bytes(void)
{
    const sa_chip *chip = sa_chip_default();
    return chip ? chip->l2_bytes : 0;
}

sa_status sa_platform_require(int arch, const char *kernel)
{
    const sa_chip *chip = sa_chip_default();
    if (!chip || chip->arch == arch)
        return SA_OK; /* without a chip the launch itself says why */
    return sa_fail(SA_ERR_INVALID_PARAM,
                   "kernel %s was built for architecture %d, %s has %d: build it with ascc "
                   "--soc-version=%s, or run it on another chip (SOFTASCEND_CHIP=%s)",
                   kernel, arch, chip->name, chip->arch, chip->name, sa_chip_of_arch(arch));
}

const char *sa_platform_name(void)
{
    const sa_chip *chip = sa_chip_default();
    return chip ? chip->name : "";
}
