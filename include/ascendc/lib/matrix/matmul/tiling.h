/* A name under which kernels include TCubeTiling. */
#include "lib/matmul_intf.h"
