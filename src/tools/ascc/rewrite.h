/* Rewrites launches and kernel marks so that a plain C++ compiler takes the text. */
#ifndef ASCC_REWRITE_H
#define ASCC_REWRITE_H

#include "tools/ascc/kernels.h"

typedef struct rewritten {
    text text;
    size_t launches, kernels; /* how many were found */
} rewritten;

/* Lines stay where they were. What is wrong is reported with token_error. In the place of
 * __global__ stands `attribute`. */
void rewrite(rewritten *out, const source *s, const kernels *k, const char *attribute);

/* The text of aclrtlaunch_NAME.h; a template, an overload and a declaration have none. */
void launch_header(text *out, const source *s, const kernel *k, const char *file);
bool has_launch_header(const source *s, const kernels *k, const kernel *one);

#endif
