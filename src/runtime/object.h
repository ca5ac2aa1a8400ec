/* Handle tables: what an aclrtContext, aclrtStream or aclrtEvent is.
 *
 * A handle is kind, generation and index, not an address. Slots are never given back to the
 * system, so that looking at a freed or garbage handle is safe and answers "no such object": the
 * generation is compared under the slot's lock. Slots are reused. */
#ifndef SA_RUNTIME_OBJECT_H
#define SA_RUNTIME_OBJECT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sa_object {
    pthread_mutex_t lock;
    _Atomic uint64_t handle; /* 0: free. Written under the lock. */
    uint32_t index, generation;
    struct sa_object *next_free;
} sa_object;

enum { SA_TABLE_CHUNK = 64, SA_TABLE_CHUNKS = 4096 };

typedef struct sa_table {
    uint64_t kind;            /* 1 … 15 */
    size_t slot_bytes;        /* an sa_object comes first in each slot */
    bool (*init)(void *slot); /* once in a slot's life; may be NULL */
    pthread_mutex_t lock;
    _Atomic(char *) chunk[SA_TABLE_CHUNKS];
    _Atomic uint32_t slots; /* ever made */
    sa_object *free;
} sa_table;

/* Takes a slot and answers it locked, with a new handle; NULL when memory or indices are used up.
 * The rest of the slot is as its last user left it. */
void *sa_table_take(sa_table *table);

/* Ends the object (locked by the caller): unlocks it and makes its handle invalid. */
void sa_table_give(sa_table *table, void *slot);

/* The object of a handle, locked; NULL if there is none. */
void *sa_table_lock(sa_table *table, const void *handle);

/* The same without locking, for what the caller knows to be alive or only compares. */
void *sa_table_peek(sa_table *table, const void *handle);

/* Slot number `index`, locked, if it is in use; NULL if it is free. For walks up to sa_table_slots.
 */
void *sa_table_at(sa_table *table, uint32_t index);
uint32_t sa_table_slots(sa_table *table);

static inline void *sa_object_handle(const void *slot)
{
    return (void *)(uintptr_t)atomic_load_explicit(&((const sa_object *)slot)->handle,
                                                   memory_order_acquire);
}

static inline void sa_object_unlock(void *slot)
{
    pthread_mutex_unlock(&((sa_object *)slot)->lock);
}

#endif
