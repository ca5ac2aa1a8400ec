/* Where device and host memory comes from. */
#ifndef SA_RUNTIME_HEAP_H
#define SA_RUNTIME_HEAP_H

#include <stdbool.h>
#include <stddef.h>

enum { SA_HOST = -1 };

/* Whose a block is; each kind has a free of its own. SHARED is a device's, and the host's too. */
typedef enum sa_heap_kind { SA_HEAP_HOST, SA_HEAP_DEVICE, SA_HEAP_SHARED } sa_heap_kind;

/* `size` > 0 bytes for `device` (or SA_HOST), charged to it and, on a device, entered with
 * sa_gm_add; aligned to 512 (host: 64) with 512 bytes of slack behind. 0, or a code with its text.
 */
int sa_heap_take(int device, size_t size, bool huge, bool shared, void **address);

/* Gives a block of that kind back; false if `address` is not the start of one. */
bool sa_heap_give(sa_heap_kind kind, void *address);

#endif
