/* The name under which some kernels include the door. */
#include "kernel_operator.h"
