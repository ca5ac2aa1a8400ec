/* What a host program may ask about the process's chip: $SOFTASCEND_CHIP, else the one that its
 * kernels were built for, else Ascend910B1. */
#ifndef SOFTASCEND_PLATFORM_H
#define SOFTASCEND_PLATFORM_H

#include "softascend/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Cores of a kind; 0 if there is no chip file. */
SA_API uint32_t sa_platform_cores(sa_core_type type);
/* Bytes of a local memory of a core; of SA_GM: the HBM's. */
SA_API uint64_t sa_platform_bytes(sa_memory memory);
SA_API uint64_t sa_platform_l2_bytes(void);
/* The chip's name, as aclrtGetSocName says it. */
SA_API const char *sa_platform_name(void);

/* What compiled kernels say of themselves (include/ascendc/launch.h). The first, while the program
 * starts: the chip that they were built for, by name in any case ("": by architecture); it is the
 * process's chip if SOFTASCEND_CHIP is not set and no other was preferred before. Always 0. The
 * second, at a launch: an error that names both, if the process's chip has another architecture. */
SA_API int sa_platform_prefer(const char *chip, int arch);
SA_API sa_status sa_platform_require(int arch, const char *kernel);

#ifdef __cplusplus
}
#endif

#endif
