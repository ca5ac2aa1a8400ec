/* Operands of the tests of operators: a tensor in one of several layouts, what it holds, and
 * whether an operator left alone what lies between its elements. */
#ifndef OPS_VIEWS_H
#define OPS_VIEWS_H

#include "support.h"

typedef enum ops_layout {
    OPS_PLAIN,    /* contiguous */
    OPS_SHIFTED,  /* contiguous, 3 elements into its storage */
    OPS_PADDED,   /* rows 5 elements longer than they are */
    OPS_SPACED,   /* every second element */
    OPS_REVERSED, /* first dimension innermost */
    OPS_LAYOUTS,
} ops_layout;

typedef struct ops_view {
    sa_dtype dtype;
    int rank;
    int64_t dims[8], strides[8], offset, storage, elements;
    unsigned char *host; /* the storage as uploaded */
    void *device;
    aclTensor *t;
} ops_view;

/* fill gives element `i` (row-major); NULL: the storage is 0xa5, for outputs. */
typedef double (*ops_fill)(sa_dtype dtype, int64_t i, uint64_t *seed);

ops_view ops_view_make(sa_dtype dtype, int rank, const int64_t *dims, ops_layout layout,
                       ops_fill fill, uint64_t *seed);
void ops_view_free(ops_view *v);

/* Storage index of row-major element `i` of a shape that the view broadcasts to. */
int64_t ops_view_index(const ops_view *v, int rank, const int64_t *dims, int64_t i);
double ops_view_at(const ops_view *v, int rank, const int64_t *dims, int64_t i);

/* Fetches the storage into host; fails if a byte outside the view's elements has changed. */
void ops_view_fetch(ops_view *v, const char *what);

/* Fails unless got is within `ulps` of want in the dtype (0: equals want rounded); NaN is NaN. */
void ops_expect(sa_dtype dtype, double want, double got, double ulps, const char *what, int64_t i);

/* "[2, 3]" in a static buffer of a few. */
const char *ops_dims(int rank, const int64_t *dims);

#endif
