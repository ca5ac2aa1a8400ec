/* Reads protobuf's wire format, field by field. Everything that TensorFlow may put into a message,
 * known to us or not, is passed over or copied as it is. */
#ifndef SA_TF_WIRE_H
#define SA_TF_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct wire {
    const uint8_t *p, *end;
    bool bad; /* the bytes are no message */
} wire;

typedef struct wire_field {
    uint32_t number;
    uint32_t type;       /* 0 varint, 1 64 bits, 2 bytes, 5 32 bits */
    uint64_t value;      /* of a varint */
    const uint8_t *data; /* of bytes */
    size_t size;
    const uint8_t *start; /* the field with its tag; it ends where the reader then stands */
} wire_field;

static inline wire wire_of(const void *data, size_t size)
{
    return (wire){data, (const uint8_t *)data + size, false};
}

static inline uint64_t wire_varint(wire *w)
{
    uint64_t v = 0;
    for (int shift = 0; shift < 64 && w->p < w->end; shift += 7) {
        uint8_t b = *w->p++;
        v |= (uint64_t)(b & 0x7f) << shift;
        if (!(b & 0x80))
            return v;
    }
    w->bad = true;
    return 0;
}

/* The next field; false at the end, and when the rest is no message (w->bad). */
static inline bool wire_next(wire *w, wire_field *f)
{
    if (w->bad || w->p >= w->end)
        return false;
    f->start = w->p;
    uint64_t tag = wire_varint(w);
    f->number = (uint32_t)(tag >> 3);
    f->type = tag & 7;
    f->data = NULL;
    f->size = 0;
    f->value = 0;
    size_t left;
    switch (f->type) {
    case 0:
        f->value = wire_varint(w);
        break;
    case 1:
        f->size = 8;
        break;
    case 2:
        f->value = wire_varint(w);
        f->size = f->value > SIZE_MAX ? SIZE_MAX : (size_t)f->value;
        break;
    case 5:
        f->size = 4;
        break;
    default:
        w->bad = true;
    }
    left = (size_t)(w->end - w->p);
    if (f->size > left)
        w->bad = true;
    if (w->bad)
        return false;
    f->data = w->p;
    w->p += f->size;
    return true;
}

static inline bool wire_is(const wire_field *f, const char *text)
{
    return f->type == 2 && f->size == strlen(text) && memcmp(f->data, text, f->size) == 0;
}

#endif
