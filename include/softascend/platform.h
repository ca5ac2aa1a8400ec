/* What a host program may ask about the process's chip ($SOFTASCEND_CHIP, or Ascend910B1). */
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

#ifdef __cplusplus
}
#endif

#endif
