/* A name under which kernels include the Matmul class. */
#include "lib/matmul_intf.h"
