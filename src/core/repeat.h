/* Repeats: how the repeat form of an instruction walks its operands (sa_repeat in vector.h). */
#ifndef SA_REPEAT_H
#define SA_REPEAT_H

#include "core/issue.h"

#define SA_REPEAT_BYTES 256
#define SA_BLOCK_BYTES 32

typedef struct sa_lanes {
    uint8_t *at;   /* NULL: no such operand */
    uint32_t size; /* of an element */
    sa_stride stride;
} sa_lanes;

typedef struct sa_walk {
    uint32_t elements; /* of a whole repeat: what 256 bytes of the larger element hold */
    uint32_t times;
    uint32_t last_elements; /* counter mode: of the last repeat, else `elements` */
    uint64_t work;          /* live elements of all repeats */
    uint64_t mask[2];
    uint32_t prefix; /* normal mode: live elements if they are the first ones, else 0 */
    uint32_t end;    /* one past the last live element of a whole repeat */
} sa_walk;

/* `size`: of the larger element. work is 0 if there is nothing to do. */
sa_walk sa_walk_of(const sa_repeat *r, uint32_t size);

/* Does element i of repeat t take part? */
bool sa_walk_live(const sa_walk *w, uint32_t t, uint32_t i);

/* Address of element i of repeat t. */
static inline uint8_t *sa_lane(const sa_lanes *l, uint32_t t, uint32_t i)
{
    uint32_t a_block = SA_BLOCK_BYTES / l->size;
    return l->at +
           ((uint64_t)t * l->stride.repeat + (uint64_t)(i / a_block) * l->stride.block) *
               SA_BLOCK_BYTES +
           i % a_block * l->size;
}

/* Checks an operand in UB over its live extent and describes it to the issue. */
void sa_walk_operand(sa_issue *issue, const sa_walk *w, sa_lanes *l, bool write);

/* Elements 0 … n-1 of repeat t, side by side. */
void sa_walk_load(const sa_lanes *l, uint32_t t, void *to, uint32_t n);

/* Live elements of repeat t back to their places. */
void sa_walk_store(const sa_walk *w, const sa_lanes *l, uint32_t t, const void *from);

/* Calls `run` on contiguous elements: on all repeats at once where operands are packed and every
 * element lives, on each repeat in place where its live elements are its first ones and side by
 * side, else on copies of the repeat. `first` counts elements of whole repeats. */
typedef void (*sa_walk_run)(const void *context, void *dst, const void *a, const void *b, size_t n,
                            uint64_t first);
void sa_walk_each(const sa_walk *w, const sa_lanes *dst, const sa_lanes *a, const sa_lanes *b,
                  sa_walk_run run, const void *context);

#endif
