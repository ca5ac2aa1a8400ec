/* What the runtime's tests share. They see the runtime as a program does, through its public
 * headers; runtime.h is there for launches alone. */
#ifndef TESTS_RUNTIME_FIXTURE_H
#define TESTS_RUNTIME_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "runtime/runtime.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define ok(call) assert_int_equal(call, ACL_SUCCESS)
#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)

/* The code, and that a text goes with it. */
#define fails(call, code)                                                                          \
    do {                                                                                           \
        (void)aclGetRecentErrMsg();                                                                \
        assert_int_equal(call, code);                                                              \
        assert_non_null(aclGetRecentErrMsg());                                                     \
    } while (0)

static inline int set_up(void **state)
{
    (void)state;
    return aclInit(NULL) || aclrtSetDevice(0);
}

static inline int tear_down(void **state)
{
    (void)state;
    return aclrtResetDevice(0) || aclFinalize();
}

static inline void sleep_ms(long ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

/* A door that a host function or kernel waits at, so that tests order things without clocks. */
typedef struct gate {
    atomic_int reached, open;
} gate;

static inline void wait_for(atomic_int *flag)
{
    while (!atomic_load(flag))
        sleep_ms(1);
}

static inline void pass_gate(void *data)
{
    gate *g = data;
    atomic_store(&g->reached, 1);
    wait_for(&g->open);
}

#endif
