/* The race check on kernels that lost one flag or barrier: found, with both source lines; whole
 * kernels and those that only look alike: silent.
 *
 * Each case runs in a child, because the environment is read once and a cause is reported once a
 * process; the child runs the kernel, reads its own stderr and compares. */
#include "check/child.h"

#include "core/launch.h"

#include <stdlib.h>
#include <string.h>

enum { N = 64, TILES = 4 };
static float x[TILES * N], y[TILES * N], z[TILES * N];

/* A sync point of a kernel, left out when its number is asked for. */
#define SYNC(number, call)                                                                         \
    if (drop != (number)) {                                                                        \
        call;                                                                                      \
    }

enum { WHOLE, IN_TO_V, V_TO_IN, V_TO_OUT, OUT_TO_V, BARRIER, WAIT_ONLY = 16 };

/* Both halves of a flag, or only the wait. */
#define SET(number, from, to, id)                                                                  \
    if (drop != (number)) {                                                                        \
        sa_set_flag(core, SA_PIPE_##from, SA_PIPE_##to, id);                                       \
    }
#define WAIT(number, from, to, id)                                                                 \
    if ((drop & 15) != (number)) {                                                                 \
        sa_wait_flag(core, SA_PIPE_##from, SA_PIPE_##to, id);                                      \
    }

static int drop;
static int line_x, line_add, line_relu, line_out;

static void double_buffered(sa_core *core, void *args)
{
    (void)args;
    float *lx[2], *ly[2], *lz[2];
    for (uint32_t i = 0; i < 2; i++) {
        lx[i] = sa_alloc(core, SA_UB, N * sizeof(float));
        ly[i] = sa_alloc(core, SA_UB, N * sizeof(float));
        lz[i] = sa_alloc(core, SA_UB, N * sizeof(float));
        SET(V_TO_IN, V, MTE2, i);
        SET(OUT_TO_V, MTE3, V, i);
    }
    for (uint32_t t = 0; t < TILES; t++) {
        uint32_t b = t % 2, bytes = N * sizeof(float);
        WAIT(V_TO_IN, V, MTE2, b);
        sa_copy_in(core, lx[b], x + t * N, bytes), line_x = __LINE__;
        sa_copy_in(core, ly[b], y + t * N, bytes);
        SET(IN_TO_V, MTE2, V, b);
        WAIT(IN_TO_V, MTE2, V, b);
        WAIT(OUT_TO_V, MTE3, V, b);
        sa_add(core, SA_F32, lz[b], lx[b], ly[b], N), line_add = __LINE__;
        SYNC(BARRIER, sa_barrier(core, SA_PIPE_V));
        sa_relu(core, SA_F32, lz[b], lz[b], N), line_relu = __LINE__;
        SET(V_TO_IN, V, MTE2, b);
        SET(V_TO_OUT, V, MTE3, b);
        WAIT(V_TO_OUT, V, MTE3, b);
        sa_copy_out(core, z + t * N, lz[b], bytes), line_out = __LINE__;
        SET(OUT_TO_V, MTE3, V, b);
    }
    for (uint32_t i = 0; i < 2; i++) {
        WAIT(V_TO_IN, V, MTE2, i);
        WAIT(OUT_TO_V, MTE3, V, i);
    }
}

/* Runs a kernel in this child; its stderr is in `text` after. */
static sa_status run(sa_kernel kernel, uint32_t blocks, char *text, size_t bytes)
{
    sa_error error;
    sa_launch launch = {.kernel = kernel, .blocks = blocks, .type = SA_AIV};
    capture_begin();
    sa_status status = sa_launch_run(&launch, &error);
    capture_end(text, bytes);
    return status;
}

static bool has_pair(const char *text, int earlier, int later, const char *advice)
{
    char a[64], b[64];
    snprintf(a, sizeof(a), " test_race.c:%d (", earlier);
    snprintf(b, sizeof(b), " test_race.c:%d (", later);
    const char *first = strstr(text, a);
    const char *second = first ? strstr(first + 1, b) : NULL;
    return second && strstr(second, advice);
}

static int count_reports(const char *text)
{
    int n = 0;
    for (; (text = strstr(text, "unordered: ")); text++) {
        n++;
    }
    return n;
}

/* ---- one flag or barrier missing */

static const struct lost {
    int drop;
    int *earlier, *later; /* a pair of lines that must be named */
    const char *advice;
} lost[] = {
    {WHOLE, NULL, NULL, NULL},
    {IN_TO_V, &line_x, &line_add, "sa_set_flag(core, SA_PIPE_MTE2, SA_PIPE_V, id) after"},
    {V_TO_IN, &line_add, &line_x, "sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE2, id) after"},
    {V_TO_OUT, &line_relu, &line_out, "sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE3, id) after"},
    {OUT_TO_V, &line_out, &line_add, "sa_set_flag(core, SA_PIPE_MTE3, SA_PIPE_V, id) after"},
    {BARRIER, &line_add, &line_relu, "sa_barrier(core, SA_PIPE_V) after"},
    {WAIT_ONLY + IN_TO_V, &line_x, &line_add, "sa_wait_flag(core, SA_PIPE_MTE2, SA_PIPE_V, id)"},
    {WAIT_ONLY + V_TO_IN, &line_add, &line_x, "sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE2, id)"},
    {WAIT_ONLY + V_TO_OUT, &line_relu, &line_out,
     "sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE3, id)"},
    {WAIT_ONLY + OUT_TO_V, &line_out, &line_add, "sa_wait_flag(core, SA_PIPE_MTE3, SA_PIPE_V, id)"},
};

static int child_lost(const void *arg)
{
    const struct lost *c = arg;
    static char text[65536];
    setenv("SOFTASCEND_CHECK", "race", 1);
    drop = c->drop;
    CHILD_ASSERT(run(double_buffered, 1, text, sizeof(text)) == SA_OK, text);
    if (!c->earlier) {
        CHILD_ASSERT(text[0] == 0, text);
    } else {
        CHILD_ASSERT(has_pair(text, *c->earlier, *c->later, c->advice), text);
        CHILD_ASSERT(strstr(text, "in kernel double_buffered, vector core, block 0"), text);
        CHILD_ASSERT(strstr(text, "UB bytes ["), text);
    }
    return 0;
}

static void test_lost(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++) {
        run_child(child_lost, &lost[i]);
    }
}

/* ---- between blocks */

enum { OWN_BYTES, SAME_BYTES, NEXT_WITHOUT_SYNC, NEXT_WITH_SYNC, ALL_READ };

static int line_write, line_read;

static void blocks_kernel(sa_core *core, void *args)
{
    (void)args;
    uint32_t me = sa_block_idx(core), bytes = N * sizeof(float);
    float *l = sa_alloc(core, SA_UB, bytes);
    sa_fill(core, SA_F32, l, me, N);
    sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE3, 0);
    sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE3, 0);
    float *to = drop == SAME_BYTES ? z : z + me * N;
    sa_copy_out(core, to, l, bytes), line_write = __LINE__;
    if (drop == NEXT_WITH_SYNC) {
        sa_sync_all(core);
    }
    sa_barrier(core, SA_PIPE_ALL);
    if (drop == NEXT_WITH_SYNC || drop == NEXT_WITHOUT_SYNC) {
        sa_copy_in(core, l, z + (me + 1) % sa_block_num(core) * N, bytes), line_read = __LINE__;
    } else if (drop == ALL_READ) {
        sa_copy_in(core, l, x, bytes);
    }
}

static const struct across {
    int kind;
    int reports;
    int *a, *b; /* in whichever order the blocks ran */
} across[] = {
    {OWN_BYTES, 0, NULL, NULL},
    {SAME_BYTES, 1, &line_write, &line_write},
    {NEXT_WITHOUT_SYNC, 1, &line_write, &line_read},
    {NEXT_WITH_SYNC, 0, NULL, NULL},
    {ALL_READ, 0, NULL, NULL},
};

static int child_across(const void *arg)
{
    const struct across *c = arg;
    static char text[65536];
    setenv("SOFTASCEND_CHECK", "race", 1);
    drop = c->kind;
    CHILD_ASSERT(run(blocks_kernel, TILES, text, sizeof(text)) == SA_OK, text);
    CHILD_ASSERT(count_reports(text) == c->reports, text);
    if (c->reports) {
        const char *advice = "put sa_sync_all(core) between";
        CHILD_ASSERT(has_pair(text, *c->a, *c->b, advice) || has_pair(text, *c->b, *c->a, advice),
                     text);
        CHILD_ASSERT(strstr(text, "GM bytes ["), text);
    }
    return 0;
}

static void test_across(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(across) / sizeof(across[0]); i++) {
        run_child(child_across, &across[i]);
    }
}

/* ---- the scalar pipe, and exact bytes */

enum { GET_WITHOUT_FLAG, GET_WITH_FLAG, SET_WITHOUT_FLAG, SET_WITH_FLAG, NEIGHBOURS, ONE_BYTE };

static void small_kernel(sa_core *core, void *args)
{
    (void)args;
    char *l = sa_alloc(core, SA_UB, 4096);
    switch (drop) {
    case GET_WITHOUT_FLAG:
    case GET_WITH_FLAG:
        sa_fill(core, SA_F32, l, 1, 8);
        if (drop == GET_WITH_FLAG) {
            sa_set_flag(core, SA_PIPE_V, SA_PIPE_S, 0);
            sa_wait_flag(core, SA_PIPE_V, SA_PIPE_S, 0);
        }
        sa_get(core, SA_F32, l, 7);
        sa_get(core, SA_F32, l, 8); /* not among the filled ones */
        return;
    case SET_WITHOUT_FLAG:
    case SET_WITH_FLAG:
        for (uint32_t i = 0; i < 1000; i++) {
            sa_set(core, SA_F32, l, i, i);
        }
        if (drop == SET_WITH_FLAG) {
            sa_set_flag(core, SA_PIPE_S, SA_PIPE_V, 0);
            sa_wait_flag(core, SA_PIPE_S, SA_PIPE_V, 0);
        }
        sa_relu(core, SA_F32, l, l, 1000);
        return;
    case NEIGHBOURS: /* columns 0–15 and 16–31 of the same rows */
        sa_copy_in_2d(core, l, 32, x, 32, 8, 16);
        sa_copy_out_2d(core, z, 32, l + 16, 32, 8, 16);
        return;
    case ONE_BYTE:
        sa_copy_in_2d(core, l, 32, x, 32, 8, 17);
        sa_copy_out_2d(core, z, 32, l + 16, 32, 8, 16);
        return;
    }
}

static const struct small {
    int kind, reports;
    const char *bytes;
} small[] = {
    {GET_WITHOUT_FLAG, 1, "UB bytes [28, 32)"},
    {GET_WITH_FLAG, 0, NULL},
    {SET_WITHOUT_FLAG, 1, "UB bytes [0, 4000)"},
    {SET_WITH_FLAG, 0, NULL},
    {NEIGHBOURS, 0, NULL},
    {ONE_BYTE, 1, "UB bytes [16, 17)"},
};

static int child_small(const void *arg)
{
    const struct small *c = arg;
    static char text[65536];
    setenv("SOFTASCEND_CHECK", "race", 1);
    drop = c->kind;
    CHILD_ASSERT(run(small_kernel, 1, text, sizeof(text)) == SA_OK, text);
    CHILD_ASSERT(count_reports(text) == c->reports, text);
    CHILD_ASSERT(!c->bytes || strstr(text, c->bytes), text);
    return 0;
}

static void test_small(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(small) / sizeof(small[0]); i++) {
        run_child(child_small, &small[i]);
    }
}

/* ---- race,fail */

static int child_fail(const void *arg)
{
    (void)arg;
    static char text[65536];
    setenv("SOFTASCEND_CHECK", "race,fail", 1);
    drop = WHOLE;
    CHILD_ASSERT(run(double_buffered, 1, text, sizeof(text)) == SA_OK, text);
    drop = IN_TO_V;
    CHILD_ASSERT(run(double_buffered, 1, text, sizeof(text)) == SA_ERR_VECTOR_EXCEPTION, text);
    CHILD_ASSERT(run(double_buffered, 1, text, sizeof(text)) == SA_ERR_VECTOR_EXCEPTION, text);
    CHILD_ASSERT(text[0] == 0, text); /* the second time: the same causes */
    return 0;
}

static void test_fail(void **state)
{
    (void)state;
    run_child(child_fail, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lost),
        cmocka_unit_test(test_across),
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
