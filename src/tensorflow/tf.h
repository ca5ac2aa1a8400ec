/* TensorFlow's C headers as C, with their warnings off, and nothing else of TensorFlow: the plug-in
 * links no C++ internals, which change with every release. */
#ifndef SA_TF_H
#define SA_TF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* kernels.h defines this constant, as C++ would let it, in every file that includes it. clang wants
 * to be told before. */
#pragma weak TF_InputRange_Args_STRUCT_SIZE

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#pragma GCC diagnostic ignored "-Wunused-const-variable"
#include "tensorflow/c/c_api.h"
#include "tensorflow/c/experimental/grappler/grappler.h"
#include "tensorflow/c/experimental/stream_executor/stream_executor.h"
#include "tensorflow/c/kernels.h"
/* ops.h leaves these to C++. */
typedef struct TF_OpDefinitionBuilder TF_OpDefinitionBuilder;
typedef struct TF_ShapeInferenceContext TF_ShapeInferenceContext;
typedef struct TF_ShapeHandle TF_ShapeHandle;
typedef struct TF_DimensionHandle TF_DimensionHandle;
#include "tensorflow/c/ops.h"
#pragma GCC diagnostic pop

#define TF_ENTRY __attribute__((visibility("default")))

#endif
