/* An operator of an op project (op_host + op_kernel) as plain data: what its OpDef says, and what a
 * call of its aclnn functions gives to its tiling and shape functions. The C++ headers that op
 * projects include (register/op_def_registry.h, exe_graph/runtime/…) fill and read these
 * structures; ascc reads them to write the aclnn functions; libopapi runs the operator. */
#ifndef SOFTASCEND_OP_PROJECT_H
#define SOFTASCEND_OP_PROJECT_H

#include "aclnn/acl_meta.h"
#include "softascend/core.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SA_PROJECT_DIMS 25
#define SA_PROJECT_WORKSPACES 8
#define SA_PROJECT_TILING_BYTES 4096

/* ---- what a call consists of; the C++ types of the same meaning derive from these */

typedef struct sa_project_shape { /* gert::Shape */
    size_t rank;
    int64_t dims[SA_PROJECT_DIMS];
} sa_project_shape;

typedef struct sa_project_storage_shape { /* gert::StorageShape */
    sa_project_shape origin, storage;
} sa_project_storage_shape;

typedef struct sa_project_tensor { /* gert::Tensor, gert::CompileTimeTensorDesc */
    sa_project_storage_shape shape;
    int32_t dtype, format; /* aclDataType, aclFormat */
    void *data;            /* on the device, of a value-depending input on the host */
    size_t bytes;
} sa_project_tensor;

/* A list attribute or value: `size` elements follow. */
typedef struct sa_project_list { /* gert::ContinuousVector */
    size_t capacity, size;
} sa_project_list;

/* ---- the definition */

typedef enum sa_project_kind {
    SA_PARAM_REQUIRED,
    SA_PARAM_OPTIONAL,
    SA_PARAM_DYNAMIC
} sa_project_kind;

typedef struct sa_project_param {
    const char *name;
    sa_project_kind kind;
    bool value_depend;           /* an aclIntArray (aclFloatArray, aclBoolArray) of the host */
    bool zeroed;                 /* an output that begins as zeros */
    const int *dtypes, *formats; /* one for each combination */
    int same_input;              /* of an output that has an input's name: which one; -1 */
} sa_project_param;

typedef enum sa_project_attr_type {
    SA_ATTR_BOOL,
    SA_ATTR_INT,
    SA_ATTR_FLOAT,
    SA_ATTR_STRING,
    SA_ATTR_LIST_BOOL,
    SA_ATTR_LIST_INT,
    SA_ATTR_LIST_FLOAT
} sa_project_attr_type;

typedef struct sa_project_attr {
    const char *name;
    sa_project_attr_type type;
    bool required;
    bool boolean;
    int64_t integer;
    float real;
    const char *string;
    const sa_project_list *list; /* elements: bool, int64_t, float */
} sa_project_attr;

/* A field of a tiling structure: where `nested` names another structure it is one of those. */
typedef struct sa_project_field {
    const char *name, *type; /* type: as the kernel declares it */
    size_t offset, count;    /* count 0: not an array */
} sa_project_field;

typedef struct sa_project_struct {
    const char *op, *name; /* of REGISTER_TILING_DATA_CLASS(op, name) */
    size_t bytes, field_count;
    const sa_project_field *fields;
} sa_project_struct;

/* A kernel compiled for one combination of dtypes and formats. One that asks for its tiling key in
 * the preprocessor is compiled for each key: then `keys` has them, and there is no entry. */
typedef struct sa_project_variant {
    sa_kernel entry;
    const unsigned char *kind; /* which cores: enum kernel_kind of ascendc/launch.h */
    const struct sa_project_key *keys;
    size_t key_count;
} sa_project_variant;

typedef struct sa_project_key {
    uint64_t key;
    const sa_project_variant *variant;
} sa_project_key;

typedef struct sa_project_call sa_project_call;
typedef struct sa_project_op sa_project_op;

/* One argument of the aclnn function, in its order: inputs, attributes, outputs. */
typedef union sa_project_arg {
    const aclTensor *tensor;
    const aclTensorList *tensors;
    const void *array; /* aclIntArray, aclFloatArray, aclBoolArray */
    const char *string;
    int64_t integer;
    double real;
    bool boolean;
} sa_project_arg;

struct sa_project_op {
    const char *name, *function; /* "AddCustom", "aclnnAddCustom" */
    const char *file;            /* of OP_ADD */
    int line;
    const char *fault; /* what is wrong with the definition; NULL */
    size_t input_count, output_count, attr_count, combination_count;
    const sa_project_param *inputs, *outputs;
    const sa_project_attr *attrs;
    const char *kernel_file; /* of ExtendCfgInfo("opFile.value", …), or NULL */

    /* They call the project's functions; 0 or what those returned. NULL: there is none. */
    uint32_t (*tiling)(sa_project_call *);
    uint32_t (*infer_shape)(sa_project_call *);
    uint32_t (*infer_dtype)(sa_project_call *);
    const void *tiling_address, *infer_shape_address, *infer_dtype_address;

    const sa_project_variant *const *variants; /* one for each combination */
    const void *owner;                         /* what made it */
};

/* The tensors of a call: an input that is absent has count 0, a dynamic one any count. */
typedef struct sa_project_instance {
    uint32_t start, count;
} sa_project_instance;

struct sa_project_call {
    const sa_project_op *op;
    sa_project_tensor *inputs, *outputs;
    uint32_t input_count, output_count;
    const sa_project_instance *input, *output; /* one for each of the definition */
    const void *const *attrs;                  /* to bool, int64_t, float, char, sa_project_list */
    /* what the tiling function leaves */
    uint64_t tiling_key;
    uint32_t blocks;
    void *tiling;
    size_t tiling_capacity, tiling_bytes;
    size_t workspaces[SA_PROJECT_WORKSPACES], workspace_count;
    char exception[256]; /* of C++, if one left a function of the project */
};

/* What an entry gets: pointers to inputs, outputs, workspace and tiling, in the kernel's order. */
typedef struct sa_project_args {
    uint64_t tiling_key;
    uint32_t pointer_count, tiling_at; /* bytes from here */
    uint64_t relative;                 /* bits of pointers that count bytes from here */
    void *pointers[];
} sa_project_args;
#define SA_PROJECT_POINTERS 64

/* The first and the second phase. */
ACL_FUNC_VISIBILITY aclnnStatus sa_project_plan(const sa_project_op *op, const sa_project_arg *args,
                                                uint64_t *workspaceSize, aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus sa_project_run(const sa_project_op *op, void *workspace,
                                               uint64_t workspaceSize, aclOpExecutor *executor,
                                               aclrtStream stream);
/* Shapes and dtypes of the outputs (`outputs`: output_count of them) by the project's functions;
 * without one, the first input's. Outputs among `args` are not read. */
ACL_FUNC_VISIBILITY aclnnStatus sa_project_infer(const sa_project_op *op,
                                                 const sa_project_arg *args,
                                                 sa_project_tensor *outputs);

/* What a library of operators exports as `softascend_op_library`: for callers that know operators
 * by name, as TensorFlow does. */
typedef struct sa_project_library {
    size_t count;
    const sa_project_op *const *ops;
    aclnnStatus (*plan)(const sa_project_op *, const sa_project_arg *, uint64_t *,
                        aclOpExecutor **);
    aclnnStatus (*run)(const sa_project_op *, void *, uint64_t, aclOpExecutor *, aclrtStream);
    aclnnStatus (*infer)(const sa_project_op *, const sa_project_arg *, sa_project_tensor *);
} sa_project_library;

#ifdef __cplusplus
}
#endif

#endif
