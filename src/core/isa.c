/* Backends: tables of instruction bodies, made once, and the choice among them. */
#include "core/isa.h"
#include "core/backend.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GENERIC, AVX2, AVX512, AVX512_BF16, AMX, NEON, BACKENDS };

static const char *const names[BACKENDS] = {"generic",     "avx2", "avx512",
                                            "avx512_bf16", "amx",  "neon"};
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
/* the forms of isa.h once more, whose slots are SA_SLOT(name, form) there */
#undef SA_SLOT
#undef SA_SLOT_CAST
#define SA_SLOT(name, form) coupled.name[SA_BF16] = NULL;
#define SA_SLOT_CAST(name, form)                                                                   \
    memset(coupled.name[SA_BF16], 0, sizeof coupled.name[SA_BF16]);                                \
    for (int to = 0; to < SA_DTYPE_END; to++)                                                      \
        coupled.name[to][SA_BF16] = NULL;
#define SA_T(dtype)
#define SA_INSTR(name, pipe, form, dtypes, cost) SA_SLOT_##form(name, form)
#include "core/isa.def"
#undef SA_INSTR
#undef SA_T
    coupled.sigmoid_run[SA_BF16] = NULL;
    coupled.row_max[SA_BF16] = NULL;
    memset(coupled.fixpipe, 0, sizeof coupled.fixpipe);
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
    sa_isa_fill_panel(generic);
    sa_isa_fill_attention(generic);
    sa_isa_fill_row(generic);
    sa_isa_fill_activate(generic);
    present[GENERIC] = true;
#if defined(__x86_64__)
    derive(AVX2, GENERIC, sa_isa_fill_avx2);
    derive(AVX512, AVX2, sa_isa_fill_avx512);
    derive(AVX512_BF16, AVX512, sa_isa_fill_avx512_bf16);
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
                    i < BACKENDS ? "this CPU lacks"
                                 : "is none of generic, avx2, avx512, avx512_bf16, amx, neon",
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
