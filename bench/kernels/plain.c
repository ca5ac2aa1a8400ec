/* The peers of the vector kernels: a plain loop and a copy, a thread for each share. */
#include <pthread.h>
#include <stddef.h>
#include <string.h>

typedef struct share {
    float *z;
    const float *x, *y;
    size_t n;
} share;

static void *add(void *of)
{
    const share *s = of;
    float *restrict z = s->z;
    const float *x = s->x, *y = s->y;
    for (size_t i = 0; i < s->n; i++)
        z[i] = x[i] + y[i];
    return NULL;
}

static void *copy(void *of)
{
    const share *s = of;
    memcpy(s->z, s->x, s->n * sizeof *s->z);
    return NULL;
}

/* Shares of n on `threads` (1 … 64) threads; 0, or 1 if there are none. */
static int run(void *(*body)(void *), float *z, const float *x, const float *y, size_t n,
               int threads)
{
    share s[64];
    pthread_t t[64];
    if (threads < 1 || threads > 64)
        return 1;
    for (int i = 0; i < threads; i++) {
        size_t begin = n * (size_t)i / (size_t)threads, end = n * (size_t)(i + 1) / (size_t)threads;
        s[i] = (share){z + begin, x + begin, y + begin, end - begin};
    }
    for (int i = 1; i < threads; i++)
        if (pthread_create(&t[i], NULL, body, &s[i]))
            return 1;
    body(&s[0]);
    for (int i = 1; i < threads; i++)
        pthread_join(t[i], NULL);
    return 0;
}

/* z = x + y */
int plain_add(float *z, const float *x, const float *y, size_t n, int threads)
{
    return run(add, z, x, y, n, threads);
}

/* z = x */
int plain_copy(float *z, const float *x, size_t n, int threads)
{
    return run(copy, z, x, x, n, threads);
}
