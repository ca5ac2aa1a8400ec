/* AscendCL: what a program includes. Names and signatures: see acl_base.h. */
#ifndef SOFTASCEND_ACL_H
#define SOFTASCEND_ACL_H

#include "acl/acl_base.h"
#include "acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Once a process, before any other acl* call that needs a device; configPath may be NULL, else a
 * file that can be read. A second call answers 100002 and changes nothing: a library in the same
 * process may have come first, so callers treat it as success. */
ACL_FUNC_VISIBILITY aclError aclInit(const char *configPath);

/* Waits for all streams and ends the runtime: 100037 the second time. After it the process may call
 * aclInit again. */
ACL_FUNC_VISIBILITY aclError aclFinalize(void);

/* The version of the interface. Needs no aclInit. */
ACL_FUNC_VISIBILITY aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion,
                                             int32_t *patchVersion);

/* The calling thread's most recent error text, NULL if there is none; the text is then forgotten.
 * Valid until the thread's next call. */
ACL_FUNC_VISIBILITY const char *aclGetRecentErrMsg(void);

#ifdef __cplusplus
}
#endif

#endif
