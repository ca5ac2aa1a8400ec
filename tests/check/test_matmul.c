/* The race check on the matmul operator's own kernel: silent as it is; with one pair of its flags
 * left out, in all of its tiles, reported with lines of kernel.c that tell where. */
#include "check/child.h"

#include "ops/matmul/matmul.h"

#include "core/launch.h"

#include <stdlib.h>
#include <string.h>

/* The kernel's source, compiled here with flags that can be left out. */
static sa_pipe drop_from, drop_to;
static bool dropping;

#define KERNEL_FLAG(call, from, to)                                                                \
    if (!dropping || (from) != drop_from || (to) != drop_to) {                                     \
        call;                                                                                      \
    }
#define sa_set_flag(core, from, to, id) KERNEL_FLAG((sa_set_flag)(core, from, to, id), from, to)
#define sa_wait_flag(core, from, to, id) KERNEL_FLAG((sa_wait_flag)(core, from, to, id), from, to)
#include "ops/matmul/kernel.c"
#undef sa_set_flag
#undef sa_wait_flag

enum { M = 300, K = 700, N = 200 };
static uint16_t a[M * K], b[K * N], c[M * N];

static const struct lost {
    bool drop;
    sa_pipe from, to;
    const char *earlier, *later, *memory; /* what a report must name */
} lost[] = {
    {false, 0, 0, NULL, NULL, NULL},
    {true, SA_PIPE_MTE2, SA_PIPE_MTE1, "pipe MTE2", "pipe MTE1", "L1 bytes ["},
    {true, SA_PIPE_MTE1, SA_PIPE_MTE2, "pipe MTE1", "pipe MTE2", "L1 bytes ["},
    {true, SA_PIPE_MTE1, SA_PIPE_M, "pipe MTE1", "pipe M ", "L0A bytes ["},
    {true, SA_PIPE_M, SA_PIPE_MTE1, "pipe M ", "pipe MTE1", "L0B bytes ["},
    {true, SA_PIPE_M, SA_PIPE_FIX, "pipe M ", "pipe FIX", "L0C bytes ["},
    {true, SA_PIPE_FIX, SA_PIPE_M, "pipe FIX", "pipe M ", "L0C bytes ["},
};

static bool has_report(const char *text, const struct lost *l)
{
    for (const char *report = text; (report = strstr(report, "unordered: ")); report++) {
        const char *memory = strstr(report, l->memory), *first = strstr(report, l->earlier);
        const char *second = first ? strstr(first + 1, l->later) : NULL;
        const char *end = strstr(report, "Insert ");
        if (memory && second && end && memory < first && second < end &&
            strstr(first, "kernel.c:") < second && strstr(second, "kernel.c:") < end) {
            return true;
        }
    }
    return false;
}

static int child_lost(const void *arg)
{
    const struct lost *l = arg;
    static char text[65536];
    setenv("SOFTASCEND_CHECK", "race", 1);
    dropping = l->drop;
    drop_from = l->from;
    drop_to = l->to;
    sa_chip chip = *sa_chip_default();
    chip.ai_cores = 2; /* several tiles for each block */
    sa_matmul_args args = {.dtype = SA_F16,
                           .out = SA_F16,
                           .m = M,
                           .n = N,
                           .k = K,
                           .a = (char *)a,
                           .b = (char *)b,
                           .c = (char *)c,
                           .pitch_a = K,
                           .pitch_b = N,
                           .pitch_c = N};
    sa_matmul_tile(&chip, SA_F16, 1, M, N, K, &args.tiling);
    sa_error error = {0};
    sa_launch launch = {.kernel = sa_matmul_kernel,
                        .args = &args,
                        .blocks = args.tiling.deal.cores,
                        .type = SA_AIC,
                        .name = "matmul"};
    capture_begin();
    sa_status status = sa_launch_run(&launch, &error);
    capture_end(text, sizeof(text));
    CHILD_ASSERT(status == SA_OK, error.message);
    if (!l->drop) {
        CHILD_ASSERT(text[0] == 0, text);
    } else {
        CHILD_ASSERT(has_report(text, l), text);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
