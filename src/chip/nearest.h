/* The word that a misspelt one most likely meant, for messages that suggest it. */
#ifndef SA_CHIP_NEAREST_H
#define SA_CHIP_NEAREST_H

/* Edits (insert, delete, replace; case does not count) between two words. Words are compared up to
 * 63 characters. */
unsigned sa_word_distance(const char *a, const char *b);

/* Whether `distance` edits are few enough to call `word` a misspelling rather than another word. */
int sa_word_is_near(const char *word, unsigned distance);

#endif
