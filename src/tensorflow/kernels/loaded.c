#include "tensorflow/kernels/loaded.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

char *tf_string_attr(TF_OpKernelConstruction *c, const char *name, int64_t *bytes,
                     TF_Status *status)
{
    int32_t list = 0, size = 0;
    if (TF_GetCode(status) != TF_OK)
        return NULL;
    TF_OpKernelConstruction_GetAttrSize(c, name, &list, &size, status);
    char *text = TF_GetCode(status) == TF_OK ? calloc(1, (size_t)size + sizeof(int64_t)) : NULL;
    if (text && size)
        TF_OpKernelConstruction_GetAttrString(c, name, text, (size_t)size, status);
    else if (!text && TF_GetCode(status) == TF_OK)
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of host memory");
    if (bytes)
        *bytes = size;
    return text;
}

void tf_refuse(TF_Status *status, TF_Code code, const char *name, const char *what)
{
    char text[1024];
    snprintf(text, sizeof text, "%.200s: %.800s", name, what);
    if (TF_GetCode(status) == TF_OK)
        TF_SetStatus(status, code, text);
}

void *tf_load_library(const char *path, const char *name, TF_Status *status)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        tf_refuse(status, TF_NOT_FOUND, name, dlerror());
    return handle;
}

const int64_t *tf_take(job *j, tf_words *from, int64_t n)
{
    if (!j->failed && (n < 0 || n > from->count - from->at))
        tf_fail(j, TF_INVALID_ARGUMENT, "%s has %lld words and ends too early", from->what,
                (long long)from->count);
    if (j->failed)
        return NULL;
    from->at += n;
    return from->words + from->at - n;
}
