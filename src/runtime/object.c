/* Handle tables (see object.h). */
#include "runtime/object.h"

#include <stdlib.h>

/* kind: 4 bits, generation: 28, index: 28, and 4 zero bits so that handles look aligned. */
#define HANDLE(kind, generation, index)                                                            \
    ((uint64_t)(kind) << 60 | (uint64_t)(generation) << 32 | (uint64_t)(index) << 4)

enum { GENERATIONS = 1 << 28 };

static sa_object *slot_at(sa_table *table, uint32_t index)
{
    char *chunk = atomic_load_explicit(&table->chunk[index / SA_TABLE_CHUNK], memory_order_acquire);
    return (sa_object *)(chunk + index % SA_TABLE_CHUNK * table->slot_bytes);
}

static sa_object *new_slot(sa_table *table)
{
    uint32_t index = atomic_load(&table->slots);
    if (index == SA_TABLE_CHUNK * SA_TABLE_CHUNKS)
        return NULL;
    if (!atomic_load(&table->chunk[index / SA_TABLE_CHUNK])) {
        char *chunk = calloc(SA_TABLE_CHUNK, table->slot_bytes);
        if (!chunk)
            return NULL;
        atomic_store_explicit(&table->chunk[index / SA_TABLE_CHUNK], chunk, memory_order_release);
    }
    sa_object *slot = slot_at(table, index);
    slot->index = index;
    if (pthread_mutex_init(&slot->lock, NULL) || (table->init && !table->init(slot)))
        return NULL;
    atomic_store_explicit(&table->slots, index + 1, memory_order_release);
    return slot;
}

void *sa_table_take(sa_table *table)
{
    pthread_mutex_lock(&table->lock);
    sa_object *slot = table->free;
    if (slot)
        table->free = slot->next_free;
    else
        slot = new_slot(table);
    pthread_mutex_unlock(&table->lock);
    if (!slot)
        return NULL;
    pthread_mutex_lock(&slot->lock);
    slot->generation = (slot->generation + 1) % GENERATIONS;
    atomic_store_explicit(&slot->handle, HANDLE(table->kind, slot->generation, slot->index),
                          memory_order_release);
    return slot;
}

void sa_table_give(sa_table *table, void *object)
{
    sa_object *slot = object;
    atomic_store_explicit(&slot->handle, 0, memory_order_release);
    pthread_mutex_unlock(&slot->lock);
    pthread_mutex_lock(&table->lock);
    slot->next_free = table->free;
    table->free = slot;
    pthread_mutex_unlock(&table->lock);
}

void *sa_table_peek(sa_table *table, const void *handle)
{
    uint64_t h = (uintptr_t)handle;
    uint32_t index = (uint32_t)h >> 4;
    if (h >> 60 != table->kind || h & 15 ||
        index >= atomic_load_explicit(&table->slots, memory_order_acquire))
        return NULL;
    sa_object *slot = slot_at(table, index);
    return atomic_load_explicit(&slot->handle, memory_order_acquire) == h ? slot : NULL;
}

void *sa_table_lock(sa_table *table, const void *handle)
{
    sa_object *slot = sa_table_peek(table, handle);
    if (!slot)
        return NULL;
    pthread_mutex_lock(&slot->lock);
    if (sa_object_handle(slot) == handle)
        return slot;
    pthread_mutex_unlock(&slot->lock);
    return NULL;
}

void *sa_table_at(sa_table *table, uint32_t index)
{
    sa_object *slot = slot_at(table, index);
    pthread_mutex_lock(&slot->lock);
    if (sa_object_handle(slot))
        return slot;
    pthread_mutex_unlock(&slot->lock);
    return NULL;
}

uint32_t sa_table_slots(sa_table *table)
{
    return atomic_load_explicit(&table->slots, memory_order_acquire);
}
