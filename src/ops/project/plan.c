/* The two phases of an operator of an op project: its tiling function runs in the first, its kernel
 * is launched in the second. Operands that are not contiguous are copied, in the workspace, since
 * kernels take addresses alone. */
#include "ops/project/project.h"

#include "core/observe.h"
#include "ops/elementwise/engine.h"

#include <stdio.h>
#include <string.h>

/* A pointer of the kernel that the second phase writes: into the workspace. */
typedef struct moved {
    uint32_t pointer;
    bool in_workspace;
    uint64_t offset;
} moved;

/* The launch's arguments being built. */
typedef struct packed {
    unsigned char bytes[SA_OP_ARGS_BYTES - 512] __attribute__((aligned(64)));
    size_t used;
    moved at[SA_PROJECT_POINTERS];
} packed;

static aclnnStatus no_room(const sa_project_call *call, const char *what, size_t bytes)
{
    return sa_refuse(call->op->function, "%s takes %zu bytes, which is more than a launch carries",
                     what, bytes);
}

/* Room for `bytes` in the arguments: where, or -1. */
static long pack_room(packed *p, size_t bytes)
{
    size_t at = (p->used + 31) & ~(size_t)31;
    if (bytes > sizeof p->bytes - at)
        return -1;
    p->used = at + bytes;
    return (long)at;
}

static sa_project_args *head(packed *p)
{
    return (sa_project_args *)p->bytes;
}

static void pack_pointer(packed *p, void *address)
{
    head(p)->pointers[head(p)->pointer_count++] = address;
}

static aclnnStatus pack_relative(packed *p, long at, const sa_project_call *call, const char *what,
                                 size_t bytes)
{
    if (at < 0)
        return no_room(call, what, bytes);
    head(p)->relative |= UINT64_C(1) << head(p)->pointer_count;
    pack_pointer(p, (void *)(uintptr_t)at);
    return ACLNN_SUCCESS;
}

/* ---- operands */

/* One operand made contiguous: its address, or where in the workspace it is to be. */
static aclnnStatus operand(aclOpExecutor *ex, const sa_project_op *op, const aclTensor *t,
                           const sa_project_param *output, void **address, moved *to)
{
    aclTensor flat;
    aclnnStatus s = ACLNN_SUCCESS;

    if (output && output->zeroed) {
        aclScalar zero = {.dtype = SA_F64};
        s = sa_ew_plan_fill(ex, op->function, t, &zero);
    }
    if (output && !output->zeroed && output->same_input < 0)
        sa_plan_result(ex, t, &flat, &to->in_workspace, &to->offset);
    else if (!s)
        s = sa_plan_contiguous(ex, op->function, t, t->rank, t->dims, &flat, &to->in_workspace,
                               &to->offset);
    *address = s || to->in_workspace ? NULL : flat.data;
    return s;
}

/* A dynamic parameter is a table in GM: the offset of the addresses, then each tensor's rank and
 * dimensions, then the addresses. Those are to be absolute, so contiguous operands only. */
static aclnnStatus pack_list(packed *p, const project_frame *f, const sa_project_param *param,
                             sa_project_instance instance, const sa_project_tensor *tensors,
                             const aclTensor *const *views)
{
    size_t words = 1;
    for (uint32_t i = 0; i < instance.count; i++)
        words += 1 + tensors[instance.start + i].shape.origin.rank;
    size_t bytes = (words + instance.count) * sizeof(uint64_t);
    long at = pack_room(p, bytes);
    if (at >= 0) {
        uint64_t *table = (uint64_t *)(p->bytes + at), *word = table;
        *word++ = words * sizeof(uint64_t);
        for (uint32_t i = 0; i < instance.count; i++) {
            const sa_project_shape *shape = &tensors[instance.start + i].shape.origin;
            *word++ = (uint64_t)i << 32 | shape->rank;
            for (size_t d = 0; d < shape->rank; d++)
                *word++ = (uint64_t)shape->dims[d];
        }
        for (uint32_t i = 0; i < instance.count; i++) {
            const aclTensor *t = views[instance.start + i];
            if (!sa_tensor_contiguous(t))
                return sa_refuse(f->call.op->function,
                                 "tensor %u of %s is not contiguous, which lists must be", i,
                                 param->name);
            *word++ = (uint64_t)(uintptr_t)sa_tensor_data(t);
        }
    }
    return pack_relative(p, at, &f->call, param->name, bytes);
}

static aclnnStatus pack_values(packed *p, const project_frame *f, const sa_project_param *param,
                               const sa_project_tensor *t)
{
    bool narrow = param->dtypes[0] == SA_I32 && t->dtype == SA_I64;
    size_t count = (size_t)t->shape.origin.dims[0], bytes = narrow ? count * 4 : t->bytes;
    long at = pack_room(p, bytes);

    for (size_t i = 0; at >= 0 && narrow && i < count; i++)
        ((int32_t *)(p->bytes + at))[i] = (int32_t)((const int64_t *)t->data)[i];
    if (at >= 0 && !narrow)
        memcpy(p->bytes + at, t->data, bytes);
    return pack_relative(p, at, &f->call, param->name, bytes);
}

static aclnnStatus pack_param(aclOpExecutor *ex, packed *p, const project_frame *f,
                              const sa_project_param *param, sa_project_instance instance,
                              const sa_project_tensor *tensors, const aclTensor *const *views,
                              bool output)
{
    uint32_t n = head(p)->pointer_count;
    void *address = NULL;
    aclnnStatus s = ACLNN_SUCCESS;

    if (param->kind == SA_PARAM_DYNAMIC)
        return pack_list(p, f, param, instance, tensors, views);
    if (param->value_depend && instance.count)
        return pack_values(p, f, param, &tensors[instance.start]);
    if (instance.count && output && param->same_input >= 0) { /* the input's pointer is it */
        p->at[n] = p->at[param->same_input];
        p->at[n].pointer = n;
        pack_pointer(p, head(p)->pointers[param->same_input]);
        return s;
    }
    if (instance.count)
        s = operand(ex, f->call.op, views[instance.start], output ? param : NULL, &address,
                    &p->at[n]);
    p->at[n].pointer = n;
    pack_pointer(p, address);
    return s;
}

/* ---- the tiling function */

static aclnnStatus run_tiling(sa_project_call *call, uint64_t *workspace)
{
    const sa_project_op *op = call->op;
    uint32_t status = op->tiling(call);

    if (status || call->exception[0])
        return project_failed(call, "tiling", op->tiling_address, status);
    if (call->blocks == 0 || call->blocks > UINT16_MAX)
        return sa_refuse(op->function,
                         "the tiling function set a block dim of %u, it must be 1 to "
                         "65535: call SetBlockDim",
                         call->blocks);
    if (call->tiling_bytes > call->tiling_capacity)
        return sa_refuse(op->function,
                         "the tiling function set a data size of %zu bytes, the capacity is %zu",
                         call->tiling_bytes, call->tiling_capacity);
    *workspace = 0;
    for (size_t i = 0; i < call->workspace_count; i++)
        if (__builtin_add_overflow(*workspace, call->workspaces[i], workspace) ||
            *workspace > INT64_MAX)
            return sa_refuse(op->function, "the tiling function asks for a workspace of %zu bytes",
                             call->workspaces[i]);
    return ACLNN_SUCCESS;
}

static aclnnStatus find_variant(const sa_project_call *call, const sa_project_variant **variant)
{
    const sa_project_op *op = call->op;
    char text[PROJECT_TEXT], list[PROJECT_TEXT / 2] = "";
    int found = project_combination(call);

    if (found >= 0) {
        *variant = op->variants[found];
        return ACLNN_SUCCESS;
    }
    for (size_t c = 0; c < op->combination_count && strlen(list) < sizeof list - 80; c++)
        for (size_t i = 0; i < op->input_count + op->output_count; i++) {
            const sa_project_param *p =
                i < op->input_count ? &op->inputs[i] : &op->outputs[i - op->input_count];
            size_t at = strlen(list);
            snprintf(list + at, sizeof list - at, "%s%s %s",
                     i   ? ", "
                     : c ? "; "
                         : "",
                     p->name, sa_dtype_name((sa_dtype)p->dtypes[c]));
        }
    return sa_refuse(op->function, "no kernel for the dtypes of %s; the OpDef has: %s",
                     project_text(text, call), list);
}

/* Of a kernel that was compiled for each tiling key, the one for the key that is set. */
static aclnnStatus choose_key(const sa_project_call *call, const sa_project_variant **variant)
{
    const sa_project_op *op = call->op;
    const sa_project_variant *v = *variant;
    char list[PROJECT_TEXT] = "", line[128] = "?";

    if (!v->keys)
        return ACLNN_SUCCESS;
    for (size_t i = 0; i < v->key_count; i++)
        if (v->keys[i].key == call->tiling_key) {
            *variant = v->keys[i].variant;
            return ACLNN_SUCCESS;
        }
    for (size_t i = 0; i < v->key_count && strlen(list) < sizeof list - 32; i++) {
        size_t at = strlen(list);
        snprintf(list + at, sizeof list - at, "%s%llu", i ? ", " : "",
                 (unsigned long long)v->keys[i].key);
    }
    if (op->tiling_address)
        sa_source_line((const char *)op->tiling_address + 1, line, sizeof line);
    return sa_refuse(op->function,
                     "the tiling function (%s) set the tiling key %llu, for these dtypes the "
                     "kernel of %s has: %s",
                     line, (unsigned long long)call->tiling_key, op->name, list);
}

/* ---- both phases */

static sa_core_type core_type(const sa_project_variant *v)
{
    static const sa_core_type types[] = {SA_AIV, SA_AIV, SA_AIC, SA_MIX_1_1, SA_MIX_1_2};
    return types[*v->kind < 5 ? *v->kind : 0];
}

static bool nothing_to_do(const sa_project_call *call)
{
    for (uint32_t i = 0; i < call->output_count; i++)
        if (call->outputs[i].bytes)
            return false;
    return true;
}

static aclnnStatus pack_all(aclOpExecutor *ex, packed *p, const project_frame *f)
{
    const sa_project_call *call = &f->call;
    const sa_project_op *op = call->op;
    aclnnStatus s = ACLNN_SUCCESS;

    for (size_t i = 0; !s && i < op->input_count; i++)
        s = pack_param(ex, p, f, &op->inputs[i], call->input[i], call->inputs, f->tensors, false);
    for (size_t i = 0; !s && i < op->output_count; i++)
        s = pack_param(ex, p, f, &op->outputs[i], call->output[i], call->outputs,
                       f->tensors + call->input_count, true);
    return s;
}

/* Results that the kernel left in the workspace go where they belong. */
static aclnnStatus scatter_all(aclOpExecutor *ex, const packed *p, const project_frame *f)
{
    const sa_project_op *op = f->call.op;
    aclnnStatus s = ACLNN_SUCCESS;

    for (size_t i = 0; !s && i < op->output_count; i++) {
        const moved *m = &p->at[op->input_count + i];
        sa_project_instance instance = f->call.output[i];
        if (instance.count == 1 && m->in_workspace)
            s = sa_plan_scatter(ex, op->function, f->tensors[f->call.input_count + instance.start],
                                true, m->offset);
    }
    return s;
}

static aclnnStatus plan(aclOpExecutor *ex, project_frame *f, const sa_project_variant *v)
{
    sa_project_call *call = &f->call;
    packed p = {.used = sizeof(sa_project_args) + SA_PROJECT_POINTERS * sizeof(void *)};
    uint64_t workspace = 0;
    aclnnStatus s = run_tiling(call, &workspace);

    s = s ? s : choose_key(call, &v);
    s = s ? s : pack_all(ex, &p, f);
    if (s)
        return s;
    uint32_t n = head(&p)->pointer_count;
    p.at[n] = (moved){n, workspace > 0, 0};
    if (workspace)
        p.at[n].offset = sa_op_workspace(ex, workspace);
    pack_pointer(&p, NULL);
    long at = pack_room(&p, call->tiling_bytes ? call->tiling_bytes : 1);
    s = pack_relative(&p, at, call, "the tiling data", call->tiling_bytes);
    if (s)
        return s;
    memcpy(p.bytes + at, call->tiling, call->tiling_bytes);
    head(&p)->tiling_key = call->tiling_key;
    head(&p)->tiling_at = (uint32_t)at;

    void *copy;
    s = sa_op_launch(ex, v->entry, call->op->name, core_type(v), call->blocks, p.bytes, p.used,
                     &copy);
    for (uint32_t i = 0; !s && i <= n; i++)
        if (p.at[i].in_workspace)
            s = sa_op_point(ex, &((sa_project_args *)copy)->pointers[i], p.at[i].offset);
    return s ? s : scatter_all(ex, &p, f);
}

aclnnStatus sa_project_plan(const sa_project_op *op, const sa_project_arg *args,
                            uint64_t *workspaceSize, aclOpExecutor **executor)
{
    const sa_project_variant *variant = NULL;
    aclOpExecutor *ex = NULL;
    project_frame f = {0};
    aclnnStatus s = sa_op_begin(op->function, workspaceSize, executor, &ex);

    if (s)
        return s;
    if (op->fault)
        s = sa_refuse(op->function, "its OpDef (%s:%d): %s", op->file, op->line, op->fault);
    s = s ? s : project_open(&f, op, args, false);
    s = s ? s : find_variant(&f.call, &variant);
    if (!s && !nothing_to_do(&f.call))
        s = plan(ex, &f, variant);
    project_close(&f);
    return sa_op_end(ex, s, workspaceSize, executor);
}

aclnnStatus sa_project_run(const sa_project_op *op, void *workspace, uint64_t workspaceSize,
                           aclOpExecutor *executor, aclrtStream stream)
{
    return sa_op_run(op->function, workspace, workspaceSize, executor, stream);
}
