/* Memory beside a core's own, for what a CPU does at once that the chip does in many instructions.
 */
#ifndef SA_SCRATCH_H
#define SA_SCRATCH_H

#include "softascend/core.h"

/* At least `bytes` of host memory, 64-byte aligned, of this core until its block ends or asks anew;
 * the same each time, so hot, and larger when more is asked for. What it holds is anything. No
 * memory: the kernel stops. */
SA_API void *sa_core_scratch(sa_core *core, size_t bytes);

#endif
