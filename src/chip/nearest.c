/* Edit distance between short words, with one row of the usual table. */
#define _GNU_SOURCE
#include "chip/nearest.h"

#include <string.h>

enum { WORD_MAX = 63 };

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static unsigned min2(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

unsigned sa_word_distance(const char *a, const char *b)
{
    unsigned row[WORD_MAX + 1];
    unsigned na = (unsigned)strnlen(a, WORD_MAX), nb = (unsigned)strnlen(b, WORD_MAX);
    for (unsigned j = 0; j <= nb; j++)
        row[j] = j;
    for (unsigned i = 1; i <= na; i++) {
        unsigned diagonal = row[0];
        row[0] = i;
        for (unsigned j = 1; j <= nb; j++) {
            unsigned replace = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
            diagonal = row[j];
            row[j] = min2(replace, min2(row[j], row[j - 1]) + 1);
        }
    }
    return row[nb];
}

int sa_word_is_near(const char *word, unsigned distance)
{
    return distance <= 1 + strnlen(word, WORD_MAX) / 4;
}
