/* Kernels are C with real pointers, so a wrong one raises a signal. On a fiber that is a fault like
 * any other: the handler, on a stack of its own, notes where it happened and makes the fiber go on
 * in land(), which leaves for good. */
#define _GNU_SOURCE
#include "core/crash.h"
#include "core/interrupt.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#if defined(__SANITIZE_ADDRESS__)
#define ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASAN 1
#endif
#endif
#if ASAN
#include <sanitizer/asan_interface.h>
#endif

#define SIGNAL_STACK_BYTES ((size_t)64 << 10)
#define FRAMES 32

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SA_INTERRUPT_SIGNAL};
#define SIGNALS (sizeof signals / sizeof signals[0])
static struct sigaction before[SIGNALS];

typedef struct crash {
    int signal, code;
    bool write;
    uintptr_t address, pc;
    int frames;
    const void *frame[FRAMES]; /* return addresses, the innermost first */
} crash;

static __thread crash last __attribute__((tls_model("initial-exec")));
static __thread sigjmp_buf *rescue __attribute__((tls_model("initial-exec")));

/* ---- what the processor says */

typedef struct machine {
    uintptr_t pc, sp;
    uintptr_t caller; /* of a function that has just been entered */
    bool write;
} machine;

static machine machine_of(const ucontext_t *u)
{
#if defined(__x86_64__)
    return (machine){.pc = (uintptr_t)u->uc_mcontext.gregs[REG_RIP],
                     .sp = (uintptr_t)u->uc_mcontext.gregs[REG_RSP],
                     .write = (u->uc_mcontext.gregs[REG_ERR] & 2) != 0};
#else
    return (machine){
        .pc = u->uc_mcontext.pc, .sp = u->uc_mcontext.sp, .caller = u->uc_mcontext.regs[30]};
#endif
}

/* The interrupted thread goes on at `function(fiber)`, with an empty stack. */
static void go_on(ucontext_t *u, void (*function)(sa_fiber *), sa_fiber *fiber)
{
    uintptr_t top = (uintptr_t)(fiber->stack + fiber->stack_bytes) - 64;
#if defined(__x86_64__)
    u->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)function;
    u->uc_mcontext.gregs[REG_RSP] = (greg_t)(top - sizeof(void *)); /* as after a call */
    u->uc_mcontext.gregs[REG_RDI] = (greg_t)(uintptr_t)fiber;
    u->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)0x400; /* direction: up */
#else
    u->uc_mcontext.pc = (uintptr_t)function;
    u->uc_mcontext.sp = top;
    u->uc_mcontext.regs[0] = (uintptr_t)fiber;
#endif
}

/* ---- where it was: the frames of the kernel */

static _Unwind_Reason_Code note_frame(struct _Unwind_Context *context, void *unused)
{
    (void)unused;
    uintptr_t pc = (uintptr_t)_Unwind_GetIP(context);
    if (pc == last.pc)
        last.frames = 1;
    else if (last.frames > 0 && pc)
        last.frame[last.frames++] = (const void *)pc;
    return last.frames == FRAMES ? _URC_END_OF_STACK : _URC_NO_REASON;
}

static void note_frames(const machine *m, const sa_fiber *fiber)
{
    sigjmp_buf here;
    last.frames = 0;
    if (sigsetjmp(here, 0) == 0) { /* a stack in ruins may not be walked to its end */
        rescue = &here;
        _Unwind_Backtrace(note_frame, NULL);
        Dl_info info;
        if (last.frames < 2 && !dladdr((void *)last.pc, &info) &&
            m->sp >= (uintptr_t)fiber->stack) { /* a call to nowhere: who called? */
            last.frame[1] = m->caller ? (const void *)m->caller : *(const void **)m->sp;
            last.frames = 2;
        }
    }
    rescue = NULL;
    last.frame[0] = (const char *)last.pc + 1;
    if (last.frames < 1)
        last.frames = 1;
}

static const void *module_base(const void *pc)
{
    Dl_info info;
    return dladdr(pc, &info) ? info.dli_fbase : NULL;
}

/* Is the module a shared library of this name? By name, as dlsym allocates, which a signal's
 * handler must not. */
static bool is_library(const Dl_info *module, const char *name)
{
    const char *path = module->dli_fname ? module->dli_fname : "", *slash = strrchr(path, '/');
    return !strncmp(slash ? slash + 1 : path, name, strlen(name));
}

static bool is_cxx_library(const Dl_info *module)
{
    return is_library(module, "libstdc++.so") || is_library(module, "libc++");
}

/* Neither the core's nor the C or C++ library's (nor a sanitizer's, which has a memcpy of its own).
 */
static bool in_kernel(const void *pc)
{
    Dl_info module;
    if (!dladdr(pc, &module) || !module.dli_fbase)
        return false;
    const void *base = module.dli_fbase;
    return base != module_base((const void *)(uintptr_t)module_base) &&
           base != module_base((const void *)(uintptr_t)sysconf) &&
           base != module_base((const void *)(uintptr_t)memcpy) &&
           !is_library(&module, "libm.so") && !is_cxx_library(&module);
}

/* The innermost frame of the kernel's. */
static const void *kernel_frame(const crash *c)
{
    for (int i = 0; i < c->frames; i++)
        if (in_kernel(c->frame[i]))
            return c->frame[i];
    return c->frame[0];
}

/* ---- the fault */

static void describe_address(const crash *c, const sa_fiber *fiber, char *text, size_t bytes)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), stack = (uintptr_t)fiber->stack;
    if (c->address < page && c->code != SI_KERNEL) {
        snprintf(text, bytes, "0x%zx (a null pointer)", (size_t)c->address);
        return;
    }
    if (c->address >= stack - page && c->address < stack) {
        snprintf(text, bytes,
                 "below its stack of %zu KiB (too much in local variables, or a "
                 "recursion without end)",
                 fiber->stack_bytes >> 10);
        return;
    }
    for (int m = SA_UB; m < SA_MEMORIES; m++) {
        const sa_local_memory *local = &fiber->core.local[m];
        uintptr_t end = (uintptr_t)local->base + fiber->memory_bytes[m];
        if (local->base && c->address >= end && c->address < end + page) {
            snprintf(text, bytes, "%s+%zu, which has %u bytes", sa_memory_names[m],
                     (size_t)(c->address - (uintptr_t)local->base), fiber->memory_bytes[m]);
            return;
        }
    }
    if (c->code == SI_KERNEL)
        snprintf(text, bytes, "an address that cannot be");
    else
        snprintf(text, bytes, "0x%zx, where no memory is%s", (size_t)c->address,
                 c->code == SEGV_ACCERR ? " that it may touch so" : "");
}

/* abort() may be the C++ library's, for an exception that nobody catches. */
static bool was_thrown(const crash *c)
{
    Dl_info module;
    for (int i = 0; i < c->frames; i++)
        if (dladdr(c->frame[i], &module) && is_cxx_library(&module))
            return true;
    return false;
}

static void land(sa_fiber *fiber)
{
#if ASAN
    __asan_unpoison_memory_region(fiber->stack, fiber->stack_bytes);
#endif
    const crash c = last;
    const void *pc = kernel_frame(&c);
    sa_status code = sa_core_exception(&fiber->core);
    if (c.signal == SIGFPE)
        sa_core_fault(&fiber->core, pc, code, "divides an integer by zero");
    if (c.signal == SIGILL)
        sa_core_fault(&fiber->core, pc, code, "comes to an instruction that the CPU does not have");
    if (c.signal == SA_INTERRUPT_SIGNAL) {
        sa_core_attend(&fiber->core, pc);
        __builtin_unreachable(); /* it has been told to stop */
    }
    if (c.signal == SIGABRT)
        sa_core_fault(&fiber->core, pc, code, "%s",
                      was_thrown(&c) ? "throws an exception that it does not catch"
                                     : "calls abort, or an assertion of its fails");
    char where[160];
    describe_address(&c, fiber, where, sizeof where);
    const char *verb = c.code == SI_KERNEL ? "uses" : c.write ? "writes" : "reads";
    sa_core_fault(&fiber->core, pc, code, "%s %s", verb, where);
}

/* Not a kernel's: what would have happened without us. */
static void pass_on(int signal, siginfo_t *info, void *context)
{
    const struct sigaction *old = NULL;
    for (size_t i = 0; i < SIGNALS; i++)
        if (signals[i] == signal)
            old = &before[i];
    if (old->sa_flags & SA_SIGINFO) {
        old->sa_sigaction(signal, info, context);
    } else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN) {
        old->sa_handler(signal);
    } else if (old->sa_handler == SIG_DFL || info->si_code > 0) {
        struct sigaction standard = {.sa_handler = SIG_DFL};
        sigaction(signal, &standard, NULL);
        if (info->si_code <= 0) /* sent, not raised by an instruction that will run again */
            raise(signal);
    }
}

static bool shall_stop(const sa_core *core)
{
    return __atomic_load_n(core->stop, __ATOMIC_RELAXED) ||
           __atomic_load_n(core->abandon, __ATOMIC_RELAXED);
}

/* Says where the fiber is; one that shall stop leaves, if it is in the kernel's own module, where
 * it holds nothing of the libraries'. */
static void interrupt(sa_fiber *fiber, const machine *m, void *context)
{
    const crash before_this = last; /* land() may not have read it yet */
    last.pc = m->pc;
    note_frames(m, fiber);
    const void *places[FRAMES];
    int count = 0;
    for (int i = 0; i < last.frames; i++)
        if (in_kernel(last.frame[i]))
            places[count++] = last.frame[i];
    sa_interrupt_note(fiber, places, count);
    const void *module = module_base((const void *)(uintptr_t)fiber->kernel);
    if (shall_stop(&fiber->core) && module && module_base((const void *)m->pc) == module) {
        last.signal = SA_INTERRUPT_SIGNAL;
        go_on(context, land, fiber);
    } else {
        last = before_this;
    }
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
    bool asked = signal == SA_INTERRUPT_SIGNAL && sa_interrupt_is_ours(info);
    if (rescue && !asked)
        siglongjmp(*rescue, 1);
    sa_fiber *fiber = sa_fiber_current();
    machine m = machine_of(context);
    uintptr_t map = (uintptr_t)fiber;
    if (asked) {
        const int saved = errno;
        if (fiber && !rescue && m.sp >= map && m.sp < map + fiber->map_bytes)
            interrupt(fiber, &m, context);
        errno = saved;
        return;
    }
    bool raised = info->si_code > 0 || (signal == SIGABRT && info->si_pid == getpid());
    if (!fiber || !raised || m.sp < map || m.sp >= map + fiber->map_bytes) {
        pass_on(signal, info, context);
        return;
    }
    last.signal = signal;
    last.code = info->si_code;
    last.write = m.write;
    last.address = (uintptr_t)info->si_addr;
    last.pc = m.pc;
    note_frames(&m, fiber);
    go_on(context, land, fiber);
}

/* ---- set-up */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_end;
static __thread bool guarded __attribute__((tls_model("initial-exec")));

static void drop_stack(void *stack)
{
    stack_t none = {.ss_flags = SS_DISABLE}, now;
    guarded = false;
    sa_interrupt_discharge();
    if (stack == &once)
        return; /* the thread had one of its own */
    if (sigaltstack(NULL, &now) == 0 && now.ss_sp == stack)
        sigaltstack(&none, NULL);
    munmap(stack, SIGNAL_STACK_BYTES);
}

static void install(void)
{
    pthread_key_create(&thread_end, drop_stack);
    struct sigaction action = {.sa_sigaction = on_signal,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART};
    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &action, &before[i]);
}

void sa_crash_guard_thread(void)
{
    if (guarded)
        return;
    guarded = true;
    pthread_once(&once, install);
    sa_interrupt_enlist();
    pthread_setspecific(thread_end, &once);
    stack_t now;
    if (sigaltstack(NULL, &now) || !(now.ss_flags & SS_DISABLE))
        return; /* the program has given this thread one */
    void *stack =
        mmap(NULL, SIGNAL_STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED)
        return;
    stack_t own = {.ss_sp = stack, .ss_size = SIGNAL_STACK_BYTES};
    sigaltstack(&own, NULL);
    pthread_setspecific(thread_end, stack);
}
