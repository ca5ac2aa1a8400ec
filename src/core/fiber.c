/* Fibers: blocks that wait for other blocks need a stack that can be put aside. Switching is a few
 * instructions of assembly; ucontext would make two system calls. */
#define _GNU_SOURCE
#include "core/fiber.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define TSAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define TSAN 1
#endif

#if ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if TSAN
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
#endif

#define STACK_BYTES ((size_t)512 << 10)

/* ---- the switch: saves what a call preserves on the stack, swaps stack pointers */

void sa_fiber_switch(void **save_sp, void *to_sp);
void sa_fiber_start(void);
/* Calls a kernel; where it returns to has a name, so that a call that took the kernel's place (its
 * last, compiled to a jump) is recognised. */
void sa_fiber_call(sa_kernel kernel, sa_core *core, void *args);

#if defined(__x86_64__)
__asm__(".text\n"
        ".globl sa_fiber_switch\n.hidden sa_fiber_switch\n.type sa_fiber_switch,@function\n"
        "sa_fiber_switch:\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
        "  ret\n"
        ".size sa_fiber_switch,.-sa_fiber_switch\n"
        ".globl sa_fiber_start\n.hidden sa_fiber_start\n.type sa_fiber_start,@function\n"
        "sa_fiber_start:\n"
        "  .cfi_startproc\n  .cfi_undefined rip\n"
        "  movq %r12, %rdi\n"
        "  call *%r13\n"
        "  ud2\n"
        "  .cfi_endproc\n"
        ".size sa_fiber_start,.-sa_fiber_start\n"
        ".hidden sa_fiber_call\n.globl sa_fiber_call\n.type sa_fiber_call,@function\n"
        "sa_fiber_call:\n"
        "  .cfi_startproc\n"
        "  subq $8, %rsp\n  .cfi_adjust_cfa_offset 8\n"
        "  movq %rdi, %rax\n  movq %rsi, %rdi\n  movq %rdx, %rsi\n"
        "  call *%rax\n"
        ".hidden sa_fiber_called\n.globl sa_fiber_called\n"
        "sa_fiber_called:\n"
        "  addq $8, %rsp\n  .cfi_adjust_cfa_offset -8\n"
        "  ret\n"
        "  .cfi_endproc\n"
        ".size sa_fiber_call,.-sa_fiber_call\n");

/* What the switch pops on first entry: r15 … rbp, then the return address. Popped, the stack
 * pointer is `top`, aligned as before a call. */
static void *initial_stack(uint8_t *top, sa_fiber *fiber, void (*entry)(sa_fiber *))
{
    void **sp = (void **)top - 7;
    memset(sp, 0, 7 * sizeof *sp);
    sp[2] = (void *)entry; /* r13 */
    sp[3] = fiber;         /* r12 */
    sp[6] = (void *)sa_fiber_start;
    return sp;
}

static inline unsigned fp_get(void)
{
    return __builtin_ia32_stmxcsr();
}
static inline void fp_set(unsigned control)
{
    __builtin_ia32_ldmxcsr(control);
}
#define FP_CORE 0x1f80u /* round to nearest, all exceptions masked, subnormals kept */

#elif defined(__aarch64__)
__asm__(".text\n"
        ".globl sa_fiber_switch\n.hidden sa_fiber_switch\n.type sa_fiber_switch,%function\n"
        "sa_fiber_switch:\n"
        "  sub sp, sp, #160\n"
        "  stp x19, x20, [sp, #0]\n  stp x21, x22, [sp, #16]\n  stp x23, x24, [sp, #32]\n"
        "  stp x25, x26, [sp, #48]\n  stp x27, x28, [sp, #64]\n  stp x29, x30, [sp, #80]\n"
        "  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n  stp d12, d13, [sp, #128]\n"
        "  stp d14, d15, [sp, #144]\n"
        "  mov x2, sp\n  str x2, [x0]\n"
        "  mov sp, x1\n"
        "  ldp x19, x20, [sp, #0]\n  ldp x21, x22, [sp, #16]\n  ldp x23, x24, [sp, #32]\n"
        "  ldp x25, x26, [sp, #48]\n  ldp x27, x28, [sp, #64]\n  ldp x29, x30, [sp, #80]\n"
        "  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n  ldp d12, d13, [sp, #128]\n"
        "  ldp d14, d15, [sp, #144]\n"
        "  add sp, sp, #160\n"
        "  ret\n"
        ".size sa_fiber_switch,.-sa_fiber_switch\n"
        ".globl sa_fiber_start\n.hidden sa_fiber_start\n.type sa_fiber_start,%function\n"
        "sa_fiber_start:\n"
        "  .cfi_startproc\n  .cfi_undefined x30\n"
        "  mov x0, x19\n"
        "  blr x20\n"
        "  brk #1\n"
        "  .cfi_endproc\n"
        ".size sa_fiber_start,.-sa_fiber_start\n"
        ".hidden sa_fiber_call\n.globl sa_fiber_call\n.type sa_fiber_call,%function\n"
        "sa_fiber_call:\n"
        "  .cfi_startproc\n"
        "  stp x29, x30, [sp, #-16]!\n"
        "  .cfi_def_cfa_offset 16\n  .cfi_offset x29, -16\n  .cfi_offset x30, -8\n"
        "  mov x3, x0\n  mov x0, x1\n  mov x1, x2\n"
        "  blr x3\n"
        ".hidden sa_fiber_called\n.globl sa_fiber_called\n"
        "sa_fiber_called:\n"
        "  ldp x29, x30, [sp], #16\n"
        "  .cfi_def_cfa_offset 0\n  .cfi_restore x29\n  .cfi_restore x30\n"
        "  ret\n"
        "  .cfi_endproc\n"
        ".size sa_fiber_call,.-sa_fiber_call\n");

static void *initial_stack(uint8_t *top, sa_fiber *fiber, void (*entry)(sa_fiber *))
{
    void **sp = (void **)top - 20;
    memset(sp, 0, 20 * sizeof *sp);
    sp[0] = fiber;                   /* x19 */
    sp[1] = (void *)entry;           /* x20 */
    sp[11] = (void *)sa_fiber_start; /* x30 */
    return sp;
}

static inline unsigned fp_get(void)
{
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    return (unsigned)control;
}
static inline void fp_set(unsigned control)
{
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)control) : "memory");
}
#define FP_CORE 0u

#else
#error "fiber.c: no switch for this architecture"
#endif

static __thread sa_fiber *current __attribute__((tls_model("initial-exec")));

sa_fiber *sa_fiber_current(void)
{
    return current;
}

/* ---- entering and leaving */

static void arrived(sa_fiber *fiber)
{
#if ASAN
    __sanitizer_finish_switch_fiber(fiber->fake_stack, &fiber->home_stack,
                                    &fiber->home_stack_bytes);
#endif
    (void)fiber;
}

void sa_fiber_leave(sa_fiber *fiber, sa_fiber_state state)
{
    fiber->state = state;
#if ASAN
    bool for_good = state == SA_FIBER_FAULTED || state == SA_FIBER_ABANDONED;
    __sanitizer_start_switch_fiber(for_good ? NULL : &fiber->fake_stack, fiber->home_stack,
                                   fiber->home_stack_bytes);
#endif
#if TSAN
    __tsan_switch_to_fiber(fiber->tsan_home, 0);
#endif
    sa_fiber_switch(&fiber->sp, fiber->home_sp);
    arrived(fiber);
}

static void entry(sa_fiber *fiber)
{
    arrived(fiber);
    for (;;) {
        sa_fiber_call(fiber->kernel, &fiber->core, fiber->args);
        sa_fiber_leave(fiber, SA_FIBER_ENDED);
    }
}

static void restart(sa_fiber *fiber)
{
    fiber->sp = initial_stack(fiber->stack + fiber->stack_bytes, fiber, entry);
    fiber->fake_stack = NULL;
}

void sa_fiber_resume(sa_fiber *fiber)
{
    fiber->thread_fp = fp_get();
    fiber->state = SA_FIBER_RUNNING;
    current = fiber;
#if ASAN
    void *fake_stack;
    __sanitizer_start_switch_fiber(&fake_stack, fiber->stack, fiber->stack_bytes);
#endif
#if TSAN
    fiber->tsan_home = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(fiber->tsan, 0);
#endif
    fp_set(FP_CORE);
    sa_fiber_switch(&fiber->home_sp, fiber->sp);
    fp_set(fiber->thread_fp);
#if ASAN
    __sanitizer_finish_switch_fiber(fake_stack, NULL, NULL);
#endif
    current = NULL;
    if (fiber->state == SA_FIBER_FAULTED || fiber->state == SA_FIBER_ABANDONED) {
        /* its frames were never returned from: forget them */
#if ASAN
        __asan_unpoison_memory_region(fiber->stack, fiber->stack_bytes);
#endif
#if TSAN
        __tsan_destroy_fiber(fiber->tsan);
        fiber->tsan = __tsan_create_fiber(0);
#endif
        restart(fiber);
    }
}

/* ---- making one: a single mapping, every memory followed by a guard page */

static size_t round_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

typedef struct piece {
    uint8_t **address;
    size_t bytes;
} piece;

static void destroy(sa_fiber *fiber)
{
#if ASAN
    __asan_unpoison_memory_region(fiber->stack, fiber->stack_bytes);
#endif
#if TSAN
    __tsan_destroy_fiber(fiber->tsan);
#endif
    if (fiber->scratch_bytes)
        munmap(fiber->scratch, fiber->scratch_bytes);
    munmap(fiber, fiber->map_bytes);
}

static void memory_sizes(const sa_chip *chip, uint32_t bytes[SA_MEMORIES])
{
    const uint32_t sizes[SA_MEMORIES] = {
        [SA_UB] = chip->ub_bytes,   [SA_L1] = chip->l1_bytes,   [SA_L0A] = chip->l0a_bytes,
        [SA_L0B] = chip->l0b_bytes, [SA_L0C] = chip->l0c_bytes, [SA_BT] = chip->bt_bytes,
    };
    memcpy(bytes, sizes, sizeof sizes);
}

static sa_fiber *create(const sa_chip *chip)
{
    sa_fiber made = {.stack_bytes = STACK_BYTES};
    sa_local_memory *local = made.core.local;
    memory_sizes(chip, made.memory_bytes);

    uint8_t *self, *packed[2];
    piece pieces[SA_MEMORIES + 4];
    int count = 0;
    pieces[count++] = (piece){&self, sizeof made};
    for (int m = SA_UB; m < SA_MEMORIES; m++)
        pieces[count++] = (piece){&local[m].base, made.memory_bytes[m]};
    /* elements of 4, 2 and 1 bytes, each 4 bytes in the packed form */
    pieces[count++] = (piece){&packed[0], (1 + 2 + 4) * (size_t)made.memory_bytes[SA_L0A]};
    pieces[count++] = (piece){&packed[1], (1 + 2 + 4) * (size_t)made.memory_bytes[SA_L0B]};
    pieces[count++] = (piece){&made.stack, made.stack_bytes};

    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < count; i++)
        made.map_bytes += round_up(pieces[i].bytes, page) + page;
    uint8_t *map =
        mmap(NULL, made.map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return NULL;
    /* A memory ends where its guard page begins; the stack grows down into the guard before it. */
    uint8_t *at = map;
    for (int i = 0; i < count; i++) {
        size_t whole = round_up(pieces[i].bytes, page);
        if (whole && mprotect(at, whole, PROT_READ | PROT_WRITE)) {
            munmap(map, made.map_bytes);
            return NULL;
        }
        *pieces[i].address = at + (i ? whole - round_up(pieces[i].bytes, 512) : 0);
        at += whole + page;
    }
    for (int i = 0; i < 2; i++) {
        size_t bytes = made.memory_bytes[SA_L0A + i];
        made.core.packed[i][2] = packed[i];
        made.core.packed[i][1] = packed[i] + bytes;
        made.core.packed[i][0] = packed[i] + 3 * bytes;
    }
#if TSAN
    made.tsan = __tsan_create_fiber(0);
#endif
    sa_fiber *fiber = (sa_fiber *)self;
    *fiber = made;
    restart(fiber);
    return fiber;
}

/* ---- the pool: one hot fiber for each thread, the rest shared */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sa_fiber *idle; /* under lock */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_end;
static __thread sa_fiber *hot __attribute__((tls_model("initial-exec")));
static __thread bool known __attribute__((tls_model("initial-exec")));

static void push_idle(sa_fiber *fiber)
{
    pthread_mutex_lock(&lock);
    fiber->next = idle;
    idle = fiber;
    pthread_mutex_unlock(&lock);
}

static void thread_ended(void *unused)
{
    (void)unused;
    known = false;
    if (hot) {
        push_idle(hot);
        hot = NULL;
    }
}

static void fork_prepare(void)
{
    pthread_mutex_lock(&lock);
}

static void fork_done(void)
{
    pthread_mutex_unlock(&lock);
}

static void initialise(void)
{
    pthread_key_create(&thread_end, thread_ended);
    pthread_atfork(fork_prepare, fork_done, fork_done);
}

static bool fits(const sa_fiber *fiber, const sa_chip *chip)
{
    uint32_t bytes[SA_MEMORIES];
    memory_sizes(chip, bytes);
    return memcmp(bytes, fiber->memory_bytes, sizeof bytes) == 0;
}

sa_fiber *sa_fiber_take(const sa_chip *chip)
{
    sa_fiber *fiber = hot;
    if (fiber) {
        hot = NULL;
    } else {
        pthread_mutex_lock(&lock);
        fiber = idle;
        if (fiber)
            idle = fiber->next;
        pthread_mutex_unlock(&lock);
    }
    if (fiber && !fits(fiber, chip)) {
        destroy(fiber);
        fiber = NULL;
    }
    return fiber ? fiber : create(chip);
}

void sa_fiber_give(sa_fiber *fiber)
{
    if (!known) {
        pthread_once(&once, initialise);
        known = true;
        pthread_setspecific(thread_end, &known);
    }
    if (hot)
        push_idle(fiber);
    else
        hot = fiber;
}
