/* The allocator: small blocks come from free lists by size, carved from arenas; large ones from the
 * system. Pages are committed when they are first used. What is known of a block is kept outside of
 * it, so that a kernel that writes where it should not cannot break the allocator. */
#include "runtime/heap.h"

#include "core/gm.h"
#include "runtime/internal.h"

#include <stdlib.h>
#include <sys/mman.h>

#define ALIGN 512u
#define SLACK 512u
#define HUGE_PAGE ((size_t)2 << 20)
#define ARENA ((size_t)4 << 20)
#define SMALL_MOST ((size_t)256 << 10)

enum { STEPS = 4, CLASSES = 8 * STEPS + 1 }; /* four sizes a doubling, from 1 KiB to 256 KiB */

typedef struct block {
    void *address; /* NULL: this place of the table is empty */
    size_t bytes;  /* taken from the list or the system */
    size_t charged;
    int device, class; /* class CLASSES: from the system */
    bool shared;
} block;

typedef struct free_list {
    void **address;
    size_t count, room;
} free_list;

static struct {
    pthread_mutex_t lock;
    block *table; /* open addressing, linear; room is a power of two */
    size_t room, count;
    free_list list[CLASSES];
    char *arena, *arena_end;
} heap = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- the table of blocks ---- */

static size_t place_of(const void *address, size_t room)
{
    return (size_t)(((uintptr_t)address >> 6) * 0x9e3779b97f4a7c15u >> 20) & (room - 1);
}

static block *find(const void *address)
{
    if (!heap.room)
        return NULL;
    size_t i = place_of(address, heap.room);
    while (heap.table[i].address && heap.table[i].address != address)
        i = (i + 1) & (heap.room - 1);
    return heap.table[i].address ? &heap.table[i] : NULL;
}

static void put(block *table, size_t room, const block *b)
{
    size_t i = place_of(b->address, room);
    while (table[i].address)
        i = (i + 1) & (room - 1);
    table[i] = *b;
}

static bool insert(const block *b)
{
    if (2 * (heap.count + 1) > heap.room) {
        size_t room = heap.room ? 2 * heap.room : 256;
        block *table = calloc(room, sizeof *table);
        if (!table)
            return false;
        for (size_t i = 0; i < heap.room; i++)
            if (heap.table[i].address)
                put(table, room, &heap.table[i]);
        free(heap.table);
        heap.table = table;
        heap.room = room;
    }
    put(heap.table, heap.room, b);
    heap.count++;
    return true;
}

/* Empties a place and moves those behind it that would no longer be found. */
static void erase(block *b)
{
    size_t mask = heap.room - 1, hole = (size_t)(b - heap.table), i = hole;
    for (;;) {
        i = (i + 1) & mask;
        if (!heap.table[i].address)
            break;
        size_t home = place_of(heap.table[i].address, heap.room);
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            heap.table[hole] = heap.table[i];
            hole = i;
        }
    }
    heap.table[hole].address = NULL;
    heap.count--;
}

/* ---- where blocks come from ---- */

static size_t class_bytes(int class)
{
    size_t base = (size_t)1024 << class / STEPS;
    return (base + base / STEPS * (size_t)(class % STEPS) + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

static int class_for(size_t bytes)
{
    if (bytes > SMALL_MOST)
        return CLASSES;
    int class = 0;
    while (class_bytes(class) < bytes)
        class ++;
    return class;
}

/* Address space without memory behind it, from a multiple of a huge page. */
static char *map(size_t bytes, bool huge)
{
    char *p = mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    size_t before = -(uintptr_t)p & (HUGE_PAGE - 1);
    if (before)
        munmap(p, before);
    if (before < HUGE_PAGE)
        munmap(p + before + bytes, HUGE_PAGE - before);
    p += before;
    if (huge && bytes >= HUGE_PAGE)
        madvise(p, bytes, MADV_HUGEPAGE);
    return p;
}

static void *small_block(int class)
{
    free_list *list = &heap.list[class];
    size_t bytes = class_bytes(class);
    if (list->count)
        return list->address[--list->count];
    if ((size_t)(heap.arena_end - heap.arena) < bytes) {
        char *arena = map(ARENA, false);
        if (!arena)
            return NULL;
        heap.arena = arena;
        heap.arena_end = arena + ARENA;
    }
    char *p = heap.arena;
    heap.arena += bytes;
    return p;
}

static void give_back(const block *b)
{
    if (b->device == SA_HOST) {
        free(b->address);
    } else if (b->class == CLASSES) {
        munmap(b->address, b->bytes);
    } else {
        free_list *list = &heap.list[b->class];
        if (list->count == list->room) {
            size_t room = list->room ? 2 * list->room : 64;
            void **address = realloc(list->address, room * sizeof *address);
            if (!address)
                return; /* the block is lost, which is better than failing a free */
            list->address = address;
            list->room = room;
        }
        list->address[list->count++] = b->address;
    }
}

static bool take_locked(block *b, size_t size, bool huge)
{
    if (b->device == SA_HOST)
        b->address = aligned_alloc(64, b->bytes);
    else if (b->class < CLASSES)
        b->address = small_block(b->class);
    else
        b->address = map(b->bytes, huge);
    if (!b->address)
        return false;
    if (insert(b)) {
        if (b->device == SA_HOST ||
            !(b->shared ? sa_gm_add_shared : sa_gm_add)(b->address, size, b->device))
            return true;
        erase(find(b->address));
    }
    give_back(b);
    return false;
}

int sa_heap_take(int device, size_t size, bool huge, bool shared, void **address)
{
    if (size > SIZE_MAX / 2)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "allocate: %zu bytes are more than there can be",
                       size);
    block b = {.device = device, .class = CLASSES, .shared = shared};
    b.charged = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    b.bytes = b.charged;
    if (device != SA_HOST) {
        aclError code = sa_device_charge(device, b.charged);
        if (code)
            return code;
        b.class = class_for(b.charged + SLACK);
        b.bytes = b.class < CLASSES ? class_bytes(b.class) : (b.charged + SLACK + 4095) & ~4095ul;
    }
    pthread_mutex_lock(&heap.lock);
    bool ok = take_locked(&b, size, huge);
    pthread_mutex_unlock(&heap.lock);
    if (ok) {
        *address = b.address;
        return ACL_SUCCESS;
    }
    if (device == SA_HOST)
        return sa_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "no host memory left for %zu bytes", size);
    sa_device_discharge(device, b.charged);
    return sa_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
                   "the host has no memory left for %zu bytes of device %d", size, device);
}

static sa_heap_kind kind_of(const block *b)
{
    return b->device == SA_HOST ? SA_HEAP_HOST : b->shared ? SA_HEAP_SHARED : SA_HEAP_DEVICE;
}

bool sa_heap_give(sa_heap_kind kind, void *address)
{
    bool host = kind == SA_HEAP_HOST;
    pthread_mutex_lock(&heap.lock);
    block *found = find(address);
    if (!found || kind_of(found) != kind) {
        pthread_mutex_unlock(&heap.lock);
        return false;
    }
    block b = *found;
    erase(found);
    if (!host)
        sa_gm_remove(address);
    give_back(&b);
    pthread_mutex_unlock(&heap.lock);
    if (!host)
        sa_device_discharge(b.device, b.charged);
    return true;
}
