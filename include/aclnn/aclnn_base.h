/* What every aclnnop header includes. Names: public aclnn documentation. */
#ifndef SOFTASCEND_ACLNN_ACLNN_BASE_H
#define SOFTASCEND_ACLNN_ACLNN_BASE_H

#include "acl/acl_rt.h"
#include "aclnn/acl_meta.h"

#endif
