/* Runs commands and keeps the folder of intermediate files. */
#ifndef ASCC_RUN_H
#define ASCC_RUN_H

#include "tools/ascc/text.h"

extern bool run_shows; /* print commands on stderr instead of running them */

/* The exit code; a program that is missing is named, with what to install. With `out`, what the
 * command prints goes there. */
int run(const words *command, text *out);

/* Several commands, as many at once as there are processors. The exit code of the first that
 * failed. */
int run_all(const words *commands, size_t count);

/* A file NAME in a folder that is removed when the program ends; a number keeps them apart. */
char *temporary(const char *name);
const char *temporary_folder(void);

/* The last component of a path, and that without its extension. */
const char *base_name(const char *path);
char *stem(const char *path);

#endif
