/* Backends: tables of instruction bodies, made once, and the choice among them. */
#include "core/isa.h"
#include "core/backend.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GENERIC, AVX2, AVX512, AMX, NEON, BACKENDS };

static const char *const names[BACKENDS] = {"generic", "avx2", "avx512", "amx", "neon"};
static sa_isa tables[BACKENDS]; /* written once, under `once` */
static bool present[BACKENDS];
static const sa_isa *active;
static sa_isa coupled; /* likewise */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* A backend that starts from what `base` has. */
static void derive(int backend, int base, bool (*fill)(sa_isa *))
{
    if (!present[base])
        return;
    tables[backend] = tables[base];
    tables[backend].backend = names[backend];
    present[backend] = fill(&tables[backend]);
}

/* Its slots of bfloat16 and of FIX are empty, so that issue faults as it does for a dtype that an
 * instruction does not take; instructions without slots ask the core (issue.c). */
static void make_coupled(void)
{
    coupled = *active;
#define SA_T(dtype)
#define SA_INSTR(name, pipe, form, dtypes, cost) SA_EMPTY_##form(name, pipe)
#define SA_EMPTY(name, pipe)                                                                       \
    coupled.name[SA_BF16] = NULL;                                                                  \
    if (SA_PIPE_##pipe == SA_PIPE_FIX)                                                             \
        memset(coupled.name, 0, sizeof coupled.name);
#define SA_EMPTY_CAST(name, pipe)                                                                  \
    memset(coupled.name[SA_BF16], 0, sizeof coupled.name[SA_BF16]);                                \
    for (int to = 0; to < SA_DTYPE_END; to++)                                                      \
        coupled.name[to][SA_BF16] = NULL;
#define SA_EMPTY_OWN(name, pipe)
#define SA_EMPTY_BINARY SA_EMPTY
#define SA_EMPTY_UNARY SA_EMPTY
#define SA_EMPTY_SCALAR SA_EMPTY
#define SA_EMPTY_FILL SA_EMPTY
#define SA_EMPTY_COMPARE SA_EMPTY
#define SA_EMPTY_COMPARES SA_EMPTY
#define SA_EMPTY_SELECT SA_EMPTY
#define SA_EMPTY_SELECTS SA_EMPTY
#define SA_EMPTY_GATHER SA_EMPTY
#define SA_EMPTY_TRANSPOSE SA_EMPTY
#define SA_EMPTY_REDUCE SA_EMPTY
#define SA_EMPTY_ARG SA_EMPTY
#define SA_EMPTY_COPY_IN SA_EMPTY
#define SA_EMPTY_COPY_OUT SA_EMPTY
#define SA_EMPTY_COPY_UB SA_EMPTY
#define SA_EMPTY_COPY_L1 SA_EMPTY
#define SA_EMPTY_ND2NZ SA_EMPTY
#define SA_EMPTY_LOAD_L0 SA_EMPTY
#define SA_EMPTY_FIXPIPE SA_EMPTY
#define SA_EMPTY_MMAD SA_EMPTY
#define SA_EMPTY_WIDE_BINARY SA_EMPTY
#define SA_EMPTY_WIDE_SCALAR SA_EMPTY
#include "core/isa.def"
#undef SA_INSTR
#undef SA_T
}

static void choose(void)
{
    sa_isa *generic = &tables[GENERIC];
    generic->backend = names[GENERIC];
    sa_isa_fill_elementwise(generic);
    sa_isa_fill_fused(generic);
    sa_isa_fill_special(generic);
    sa_isa_fill_compare(generic);
    sa_isa_fill_cast(generic);
    sa_isa_fill_arrange(generic);
    sa_isa_fill_reduce(generic);
    sa_isa_fill_move(generic);
    sa_isa_fill_math(generic);
    sa_isa_fill_cube(generic);
    present[GENERIC] = true;
#if defined(__x86_64__)
    derive(AVX2, GENERIC, sa_isa_fill_avx2);
    derive(AVX512, AVX2, sa_isa_fill_avx512);
    derive(AMX, AVX512, sa_isa_fill_amx);
#elif defined(__aarch64__)
    derive(NEON, GENERIC, sa_isa_fill_neon);
#endif
    int best = BACKENDS - 1;
    while (!present[best])
        best--;
    const char *wanted = getenv("SOFTASCEND_CPU");
    if (wanted && *wanted) {
        int i = 0;
        while (i < BACKENDS && strcmp(wanted, names[i]) != 0)
            i++;
        if (i < BACKENDS && present[i])
            best = i;
        else
            fprintf(stderr, "softascend: SOFTASCEND_CPU is '%s', which %s; using %s\n", wanted,
                    i < BACKENDS ? "this CPU lacks" : "is none of generic, avx2, avx512, amx, neon",
                    names[best]);
    }
    active = &tables[best];
    make_coupled();
}

const sa_isa *sa_isa_active(void)
{
    pthread_once(&once, choose);
    return active;
}

const sa_isa *sa_isa_coupled(void)
{
    pthread_once(&once, choose);
    return &coupled;
}

const sa_isa *sa_isa_named(const char *name)
{
    pthread_once(&once, choose);
    for (int i = 0; i < BACKENDS; i++)
        if (strcmp(name, names[i]) == 0)
            return present[i] ? &tables[i] : NULL;
    return NULL;
}
