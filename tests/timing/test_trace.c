/* Recording and reading back: what ran is what the file says, whichever threads ran it; a file that
 * was cut off or changed gives an error with an offset. */
#include "check/child.h"

#include "core/gm.h"
#include "core/launch.h"
#include "timing/trace.h"

#include <stdlib.h>
#include <string.h>

enum { N = 64, BLOCKS = 5 };
static float x[BLOCKS * N], z[BLOCKS * N];
static char path[64];

static void double_it(sa_core *core, void *args)
{
    (void)args;
    uint32_t at = sa_block_idx(core) * N;
    float *l = sa_alloc(core, SA_UB, N * sizeof(float));
    sa_copy_in_2d(core, l, 128, x + at, 128, 2, 96);
    sa_set_flag(core, SA_PIPE_MTE2, SA_PIPE_V, 3);
    sa_wait_flag(core, SA_PIPE_MTE2, SA_PIPE_V, 3);
    sa_add(core, SA_F32, l, l, l, N);
    sa_barrier(core, SA_PIPE_ALL);
    sa_copy_out(core, z + at, l, N * sizeof(float));
}

/* Records in a child, for the environment is read once; argument: threads. */
static int record(const void *threads)
{
    setenv("SOFTASCEND_TRACE", path, 1);
    setenv("SOFTASCEND_THREADS", threads, 1);
    sa_gm_add(x, sizeof(x), 0);
    sa_gm_add(z, sizeof(z), 0);
    sa_error error;
    for (int i = 0; i < 3; i++) {
        sa_launch launch = {.kernel = double_it, .blocks = BLOCKS, .type = SA_AIV};
        if (sa_launch_run(&launch, &error) != SA_OK) {
            printf("%s\n", error.message);
            return 1;
        }
    }
    exit(0); /* the file ends at exit */
}

static uint8_t *slurp(size_t *bytes)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    uint8_t *data = malloc(1 << 20);
    *bytes = fread(data, 1, 1 << 20, in);
    fclose(in);
    return data;
}

static void expect_block(const sa_trace_launch *l, uint32_t index)
{
    const sa_trace_block *b = &l->block[index];
    static const sa_instr instr[] = {SA_I_copy_in, SA_I_set_flag, SA_I_wait_flag,
                                     SA_I_add,     SA_I_barrier,  SA_I_copy_out};
    assert_int_equal(b->events, 6);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(b->event[i].instr, instr[i]);
    }
    assert_int_equal(b->event[1].pipe, SA_PIPE_MTE2);
    assert_int_equal(b->event[1].other, SA_PIPE_V);
    assert_int_equal(b->event[2].pipe, SA_PIPE_V);
    assert_int_equal(b->event[2].flag, 3);
    assert_int_equal(b->event[3].work, N);
    assert_int_equal(b->event[3].dtype, SA_F32);
    assert_int_equal(b->event[4].pipe, SA_PIPE_ALL);
    const sa_trace_access *in = &b->access[b->event[0].first_access];
    const sa_trace_access *gm = in[0].memory == SA_GM ? &in[0] : &in[1];
    const sa_trace_access *ub = in[0].memory == SA_GM ? &in[1] : &in[0];
    assert_false(gm->write);
    assert_int_equal(gm->ordinal, 1);
    assert_int_equal(gm->offset, index * N * sizeof(float));
    assert_int_equal(gm->rows, 2);
    assert_int_equal(gm->row_bytes, 96);
    assert_int_equal(gm->pitch_bytes, 128);
    assert_true(ub->write);
    assert_int_equal(ub->memory, SA_UB);
    assert_int_equal(ub->offset, 0);
    const char *line = l->line[b->event[0].line];
    assert_memory_equal(line, "test_trace.c:", 13);
    assert_true(atoi(line + 13) > 0);
}

static void test_read_back(void **state)
{
    (void)state;
    run_child(record, "1");
    sa_trace_file *file;
    assert_int_equal(sa_trace_open(path, &file), SA_OK);
    assert_int_equal(sa_trace_arch(file), 2201);
    assert_int_equal(sa_trace_local_bytes(file)[0], 192 << 10);
    sa_trace_launch launch;
    bool more;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(sa_trace_next(file, &launch, &more), SA_OK);
        assert_true(more);
        assert_string_equal(launch.name, "double_it");
        assert_int_equal(launch.type, SA_AIV);
        assert_int_equal(launch.blocks, BLOCKS);
        for (uint32_t b = 0; b < BLOCKS; b++) {
            expect_block(&launch, b);
        }
        sa_trace_launch_free(&launch);
    }
    assert_int_equal(sa_trace_next(file, &launch, &more), SA_OK);
    assert_false(more);
    sa_trace_close(file);
}

static void test_same_on_any_thread(void **state)
{
    (void)state;
    size_t bytes, bytes4;
    run_child(record, "1");
    uint8_t *one = slurp(&bytes);
    run_child(record, "4");
    uint8_t *four = slurp(&bytes4);
    assert_int_equal(bytes, bytes4);
    assert_memory_equal(one, four, bytes);
    free(one);
    free(four);
}

static sa_status read_all(const uint8_t *data, size_t bytes)
{
    sa_trace_file *file;
    sa_clear_message();
    sa_status status = sa_trace_open_bytes("t.trace", data, bytes, &file);
    bool more = status == SA_OK;
    while (more) {
        sa_trace_launch launch;
        status = sa_trace_next(file, &launch, &more);
        if (more) {
            sa_trace_launch_free(&launch);
        }
    }
    sa_trace_close(file);
    return status;
}

static void test_cut_off(void **state)
{
    (void)state;
    size_t bytes;
    run_child(record, "1");
    uint8_t *data = slurp(&bytes);
    assert_int_equal(read_all(data, bytes), SA_OK);
    for (size_t n = 0; n < bytes; n++) {
        uint8_t *part = malloc(n ? n : 1); /* so that the address sanitizer sees its end */
        memcpy(part, data, n);
        assert_int_equal(read_all(part, n), SA_ERR_INVALID_FILE);
        assert_non_null(strstr(sa_last_message(), "t.trace: "));
        assert_non_null(strstr(sa_last_message(), "offset "));
        free(part);
    }
    for (size_t i = 0; i < bytes; i++) { /* whatever a changed byte means, it ends */
        data[i] ^= 0x81;
        read_all(data, bytes);
        data[i] ^= 0x81;
    }
    free(data);
}

static int cannot_write(const void *arg)
{
    (void)arg;
    static char text[4096];
    setenv("SOFTASCEND_TRACE", "/nonexistent/trace", 1);
    sa_error error;
    sa_launch launch = {.kernel = double_it, .blocks = BLOCKS, .type = SA_AIV};
    capture_begin();
    sa_status first = sa_launch_run(&launch, &error), second = sa_launch_run(&launch, &error);
    capture_end(text, sizeof(text));
    CHILD_ASSERT(first == SA_OK && second == SA_OK, text);
    CHILD_ASSERT(!strcmp(text, "softascend trace: cannot open /nonexistent/trace: No such file or "
                               "directory; nothing more is recorded\n"),
                 text);
    return 0;
}

static void test_cannot_write(void **state)
{
    (void)state;
    run_child(cannot_write, NULL);
}

int main(void)
{
    snprintf(path, sizeof(path), "test_trace.%d.trace", (int)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_back),
        cmocka_unit_test(test_same_on_any_thread),
        cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_cannot_write),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
