/* Requests of a mixed block's vector cores to their cube core, and the scratch memory that the two
 * exchange data through. On a chip both are a queue and a workspace in GM. */
#include "core/run.h"

#include <stdlib.h>

/* Asks that the caller is a core of a mixed block, and which block's mailbox that is. */
static sa_mailbox *mailbox_of(sa_core *core, const char *name, sa_core_type kind)
{
    sa_fiber *fiber = (sa_fiber *)core;
    run *r = fiber->run;
    if (r->per_block == 1 || core->type != kind)
        sa_core_fault(core, fiber->pc, sa_core_exception(core),
                      "%s on a %s core of a launch that is%s mixed: %s", name,
                      core->type == SA_AIC ? "cube" : "vector", r->per_block == 1 ? " not" : "",
                      kind == SA_AIC ? "the cube core takes and answers"
                                     : "vector cores send, to the cube core of their block");
    sa_run_show(core, kind == SA_AIC ? SA_I_cross_wait : SA_I_cross_set, 0);
    return &r->mail[core->ordinal / r->per_block];
}

/* Under the lock: the fiber of the block that waits so, of the vector core `ordinal` if that is
 * what waits, goes on. */
static void wake(run *r, uint32_t ordinal, sa_wait what)
{
    for (sa_fiber **f = &r->waiters; *f; f = &(*f)->next_waiting)
        if ((*f)->wait == what && (*f)->core.ordinal == ordinal) {
            sa_run_release(r, f);
            return;
        }
}

/* Under the lock: the cube core of the vector core's block goes on, if it waits for a request. */
static void wake_cube(run *r, const sa_core *core)
{
    wake(r, core->ordinal - core->ordinal % r->per_block, SA_WAIT_REQUEST);
}

/* Under the lock, which is given back meanwhile. */
static void sleep_for(run *r, sa_fiber *fiber, sa_wait what)
{
    sa_run_wait_for(r, fiber, what, 0);
    pthread_mutex_unlock(&r->lock);
    sa_run_park(fiber);
    pthread_mutex_lock(&r->lock);
}

void sa_request_send(sa_core *core, sa_request *request)
{
    sa_fiber *fiber = (sa_fiber *)core;
    run *r = fiber->run;
    fiber->pc = __builtin_return_address(0);
    sa_mailbox *mail = mailbox_of(core, "request_send", SA_AIV);
    request->next = NULL;
    request->from = core->sub_block;
    request->state = SA_REQUEST_SENT;
    pthread_mutex_lock(&r->lock);
    sa_request **last = &mail->first;
    while (*last)
        last = &(*last)->next;
    *last = request;
    wake_cube(r, core);
    pthread_mutex_unlock(&r->lock);
    sa_word_wake(&r->generation);
}

void sa_request_wait(sa_core *core, sa_request *request)
{
    sa_fiber *fiber = (sa_fiber *)core;
    run *r = fiber->run;
    fiber->pc = __builtin_return_address(0);
    mailbox_of(core, "request_wait", SA_AIV);
    pthread_mutex_lock(&r->lock);
    while (request->state == SA_REQUEST_SENT)
        sleep_for(r, fiber, SA_WAIT_ANSWER);
    request->state = SA_REQUEST_FREE;
    pthread_mutex_unlock(&r->lock);
}

void sa_request_close(sa_core *core)
{
    sa_fiber *fiber = (sa_fiber *)core;
    run *r = fiber->run;
    fiber->pc = __builtin_return_address(0);
    sa_mailbox *mail = mailbox_of(core, "request_close", SA_AIV);
    pthread_mutex_lock(&r->lock);
    mail->closed[core->sub_block]++;
    wake_cube(r, core);
    pthread_mutex_unlock(&r->lock);
    sa_word_wake(&r->generation);
}

/* Under the lock: every vector core of the block has ended or closed. */
static bool all_closed(run *r, sa_mailbox *mail)
{
    for (uint32_t i = 0; i + 1 < r->per_block; i++)
        if (!mail->closed[i] && !mail->ended[i])
            return false;
    return true;
}

sa_request *sa_request_take(sa_core *core)
{
    sa_fiber *fiber = (sa_fiber *)core;
    run *r = fiber->run;
    fiber->pc = __builtin_return_address(0);
    sa_mailbox *mail = mailbox_of(core, "request_take", SA_AIC);
    pthread_mutex_lock(&r->lock);
    while (!mail->first && !all_closed(r, mail))
        sleep_for(r, fiber, SA_WAIT_REQUEST);
    sa_request *request = mail->first;
    if (request)
        mail->first = request->next;
    for (uint32_t i = 0; !request && i + 1 < r->per_block; i++)
        mail->closed[i] -= mail->closed[i] > 0;
    pthread_mutex_unlock(&r->lock);
    return request;
}

void sa_request_answer(sa_core *core, sa_request *request)
{
    sa_fiber *fiber = (sa_fiber *)core;
    run *r = fiber->run;
    fiber->pc = __builtin_return_address(0);
    mailbox_of(core, "request_answer", SA_AIC);
    pthread_mutex_lock(&r->lock);
    request->state = SA_REQUEST_ANSWERED;
    wake(r, core->ordinal + 1 + request->from, SA_WAIT_ANSWER);
    pthread_mutex_unlock(&r->lock);
    sa_word_wake(&r->generation);
}

void sa_run_core_ended(run *r, const sa_core *core)
{
    if (!r->mail || core->type != SA_AIV)
        return;
    pthread_mutex_lock(&r->lock);
    r->mail[core->ordinal / r->per_block].ended[core->sub_block] = true;
    wake_cube(r, core);
    pthread_mutex_unlock(&r->lock);
    sa_word_wake(&r->generation);
}

/* ---- scratch memory */

struct sa_scratch_piece {
    struct sa_scratch_piece *next;
};

void *sa_scratch(sa_core *core, size_t bytes)
{
    enum { LINE = 512 };
    sa_fiber *fiber = (sa_fiber *)core;
    run *r = fiber->run;
    fiber->pc = __builtin_return_address(0);
    struct sa_scratch_piece *piece =
        aligned_alloc(LINE, (bytes + 2 * (size_t)LINE - 1) / LINE * LINE);
    if (!piece)
        sa_core_fault(core, fiber->pc, SA_ERR_OUT_OF_MEMORY,
                      "scratch: no host memory for %zu bytes", bytes);
    pthread_mutex_lock(&r->lock);
    piece->next = r->scratch;
    r->scratch = piece;
    pthread_mutex_unlock(&r->lock);
    return (char *)piece + LINE;
}

void sa_run_free_scratch(run *r)
{
    while (r->scratch) {
        struct sa_scratch_piece *piece = r->scratch;
        r->scratch = piece->next;
        free(piece);
    }
    free(r->mail);
}
