/* The name under which kernels include lists of tensors. */
#include "kernel_operator.h"
