/* Stateless random numbers. Keys and counters are a few words in host memory, as on every device;
 * the numbers are the CPU's. */
#include <string.h>

#include "aclnnop/sann_philox.h"
#include "softascend/philox.h"
#include "tensorflow/kernels/kernel.h"

enum { PHILOX = 1, THREEFRY = 2, AUTO_SELECT = 3 };

/* The seed, scrambled: two numbers that differ little make keys that differ much. */
static void get_key_counter(job *j)
{
    const operand *seed = tf_in(j, 0);
    if (!j->failed && (seed->rank != 1 || seed->dims[0] != 2)) {
        tf_fail(j, TF_INVALID_ARGUMENT, "seed must have shape [2], not %s",
                tf_shape(j, seed->rank, seed->dims));
        return;
    }
    const int64_t *v = tf_host_ints(j, seed);
    const operand *key = tf_out(j, 0, TF_UINT64, 1, &(int64_t){1});
    const operand *counter = tf_out(j, 1, TF_UINT64, 1, &(int64_t){2});
    if (j->failed)
        return;
    uint32_t words[4];
    sa_philox(UINT64_C(0x02461e293ec8f720), (uint64_t)v[0], (uint64_t)v[1], words);
    *(uint64_t *)key->data = words[0] | (uint64_t)words[1] << 32;
    ((uint64_t *)counter->data)[0] = 0;
    ((uint64_t *)counter->data)[1] = words[2] | (uint64_t)words[3] << 32;
}

static void set_algorithm(job *j, int output)
{
    const operand *alg = tf_out(j, output, TF_INT32, 0, NULL);
    if (!j->failed)
        *(int32_t *)alg->data = PHILOX;
}

static void get_algorithm(job *j)
{
    set_algorithm(j, 0);
}

static void get_key_counter_algorithm(job *j)
{
    get_key_counter(j);
    set_algorithm(j, 2);
}

typedef struct source {
    uint64_t key, low, high;
} source;

/* Checks the operands that all share, allocates the output; false if there is nothing to make. */
static bool begin(job *j, source *s, aclTensor **out)
{
    const operand *shape = tf_in(j, 0), *key = tf_in(j, 1), *counter = tf_in(j, 2);
    int64_t alg = tf_host_int(j, tf_in(j, 3), "alg");
    if (j->failed)
        return false;
    if (shape->rank != 1)
        tf_fail(j, TF_INVALID_ARGUMENT, "shape must be a vector of int32 or int64, not of shape %s",
                tf_shape(j, shape->rank, shape->dims));
    else if (key->rank != 1 || key->count != 1)
        tf_fail(j, TF_INVALID_ARGUMENT, "key must have shape [1], not %s",
                tf_shape(j, key->rank, key->dims));
    else if (alg == THREEFRY)
        tf_fail(j, TF_UNIMPLEMENTED, "alg 2 (ThreeFry) is not supported; 1 (Philox) is");
    else if (alg != PHILOX && alg != AUTO_SELECT)
        tf_fail(j, TF_INVALID_ARGUMENT, "Unsupported algorithm id: alg is %lld, and can be 1, 2, 3",
                (long long)alg);
    else if (counter->rank != 1 || counter->count < 2)
        tf_fail(j, TF_INVALID_ARGUMENT, "counter must be a vector of 2 or more, not of shape %s",
                tf_shape(j, counter->rank, counter->dims));
    if (j->failed)
        return false;
    const int64_t *dims = tf_host_ints(j, shape);
    const operand *y = tf_out(j, 0, j->k->type, (int)shape->count, dims);
    *out = tf_flat(j, y);
    if (j->failed || y->count == 0)
        return false;
    *s = (source){*(const uint64_t *)key->data, ((const uint64_t *)counter->data)[0],
                  ((const uint64_t *)counter->data)[1]};
    return true;
}

static void uniform(job *j)
{
    source s;
    aclTensor *out;
    if (begin(j, &s, &out))
        TF_RUN(j, sannPhiloxUniform, s.key, s.low, s.high, out);
}

static void normal(job *j)
{
    source s;
    aclTensor *out;
    if (begin(j, &s, &out))
        TF_RUN(j, sannPhiloxNormal, s.key, s.low, s.high, out);
}

static void truncated_normal(job *j)
{
    source s;
    aclTensor *out;
    if (begin(j, &s, &out))
        TF_RUN(j, sannPhiloxTruncatedNormal, s.key, s.low, s.high, out);
}

/* An int32, uint32, int64 or uint64 in host memory; the unsigned as their bits. */
static int64_t bound(job *j, const operand *o, const char *name)
{
    if (!j->failed && o->rank)
        tf_fail(j, TF_INVALID_ARGUMENT, "%s must be a scalar, not of shape %s", name,
                tf_shape(j, o->rank, o->dims));
    if (j->failed)
        return 0;
    return o->type == TF_INT32    ? *(const int32_t *)o->data
           : o->type == TF_UINT32 ? *(const uint32_t *)o->data
                                  : *(const int64_t *)o->data;
}

static void uniform_int(job *j)
{
    source s;
    aclTensor *out;
    int64_t low = bound(j, tf_in(j, 4), "minval"), high = bound(j, tf_in(j, 5), "maxval");
    bool more = begin(j, &s, &out);
    bool ordered = j->k->type == TF_UINT64 ? (uint64_t)low < (uint64_t)high : low < high;
    if (more && !ordered && j->k->type == TF_UINT64)
        tf_fail(j, TF_INVALID_ARGUMENT, "Need minval < maxval, got %llu >= %llu",
                (unsigned long long)low, (unsigned long long)high);
    else if (more && !ordered)
        tf_fail(j, TF_INVALID_ARGUMENT, "Need minval < maxval, got %lld >= %lld", (long long)low,
                (long long)high);
    else if (more)
        TF_RUN(j, sannPhiloxUniformInt, s.key, s.low, s.high, low, (uint64_t)high - (uint64_t)low,
               out);
}

static void uniform_full_int(job *j)
{
    source s;
    aclTensor *out;
    if (begin(j, &s, &out))
        TF_RUN(j, sannPhiloxUniformInt, s.key, s.low, s.high, 0, 0, out);
}

#define INTEGERS (T_INT32 | T_INT64 | T_BIT(TF_UINT32) | T_BIT(TF_UINT64))
#define INDEX (T_INT32 | T_INT64)
#define OPERANDS "shape", "key", "counter", "alg"

const kernel_def tf_kernels_random[] = {
    {"StatelessRandomGetKeyCounter", "Tseed", INDEX, get_key_counter,
     .host = {"seed", "key", "counter"}, .on_host = true},
    {"StatelessRandomGetKeyCounterAlg", "Tseed", INDEX, get_key_counter_algorithm,
     .host = {"seed", "key", "counter", "alg"}, .on_host = true},
    {"StatelessRandomGetAlg", NULL, 0, get_algorithm, .host = {"alg"}, .on_host = true},
    {"StatelessRandomUniformV2", "dtype", T_FLOATS, uniform, NULL, "Tshape", INDEX,
     .host = {OPERANDS}},
    {"StatelessRandomNormalV2", "dtype", T_FLOATS, normal, NULL, "Tshape", INDEX,
     .host = {OPERANDS}},
    {"StatelessTruncatedNormalV2", "dtype", T_FLOATS, truncated_normal, NULL, "Tshape", INDEX,
     .host = {OPERANDS}},
    {"StatelessRandomUniformIntV2", "dtype", INTEGERS, uniform_int, NULL, "Tshape", INDEX,
     .host = {OPERANDS, "minval", "maxval"}},
    {"StatelessRandomUniformFullIntV2", "dtype", INTEGERS, uniform_full_int, NULL, "Tshape", INDEX,
     .host = {OPERANDS}},
    {NULL},
};
