/* Finds chip files: by path, or by name in the chips folder beside the library. */
#define _GNU_SOURCE
#include "chip/chip.h"
#include "chip/nearest.h"
#include "softascend/platform.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define DEFAULT_CHIP "Ascend910B1"
static const char extension[] = ".ini";

static int is_path(const char *name)
{
    size_t length = strlen(name), tail = sizeof extension - 1;
    return strchr(name, '/') || (length > tail && !strcmp(name + length - tail, extension));
}

/* <folder of the library>/../share/softascend/chips, the same in build and install trees. */
static sa_status chips_folder(char out[PATH_MAX])
{
    Dl_info info;
    char library[PATH_MAX];
    if (!dladdr((void *)(uintptr_t)sa_chip_find, &info) || !realpath(info.dli_fname, library))
        return sa_fail(SA_ERR_INTERNAL, "cannot tell where the SoftAscend library is, and so where "
                                        "its chip files are; set SOFTASCEND_CHIP to a file's path");
    char *slash = strrchr(library, '/');
    *slash = 0;
    int n = snprintf(out, PATH_MAX, "%s/../share/softascend/chips", library);
    if (n >= PATH_MAX)
        return sa_fail(SA_ERR_INTERNAL, "the path of the chips folder beside %s is too long",
                       library);
    return SA_OK;
}

static int is_chip_file(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && is_path(entry->d_name);
}

/* Fails with the names in `folder`, and with the one that `name` most resembles first. */
static sa_status unknown_chip(const char *folder, const char *name)
{
    struct dirent **files = NULL;
    char names[512] = "", suggestion[160] = "";
    unsigned least = ~0u;
    int count = scandir(folder, &files, is_chip_file, alphasort);
    for (int i = 0; i < count; i++) {
        char *stem = files[i]->d_name;
        stem[strlen(stem) - (sizeof extension - 1)] = 0;
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%.64s", i ? ", " : "", stem);
        unsigned distance = sa_word_distance(name, stem);
        if (distance < least && sa_word_is_near(name, distance)) {
            least = distance;
            snprintf(suggestion, sizeof suggestion, "did you mean %.64s? ", stem);
        }
        free(files[i]);
    }
    free(files);
    if (count <= 0)
        return sa_fail(SA_ERR_INVALID_FILE, "chip %.64s: there are no chip files in %s", name,
                       folder);
    return sa_fail(SA_ERR_INVALID_FILE,
                   "chip %.64s is unknown; %sthe chips are %s; or give the path of a .ini file",
                   name, suggestion, names);
}

static int is_chip_name(const char *name)
{
    return *name &&
           strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") ==
               strlen(name);
}

sa_status sa_chip_find(const char *name, sa_chip *chip)
{
    char folder[PATH_MAX], path[PATH_MAX];
    if (!name || !chip)
        return sa_fail(SA_ERR_INVALID_PARAM, "sa_chip_find: %s is null", name ? "chip" : "name");
    if (is_path(name))
        return sa_chip_read(name, chip);
    sa_status status = chips_folder(folder);
    if (status)
        return status;
    int n = snprintf(path, sizeof path, "%s/%s%s", folder, name, extension);
    if (!is_chip_name(name) || n >= (int)sizeof path || access(path, F_OK))
        return unknown_chip(folder, name);
    sa_chip read;
    status = sa_chip_read(path, &read);
    if (status)
        return status;
    if (strcmp(read.name, name))
        return sa_fail(SA_ERR_INVALID_FILE, "%s: name: is %s; the file's name says %s", path,
                       read.name, name);
    *chip = read;
    return SA_OK;
}

const char *sa_chip_of_arch(int arch)
{
    return arch == 2002 ? "Ascend310P3" : arch == 1001 ? "Ascend910A" : DEFAULT_CHIP;
}

/* ---- the process's chip */

static pthread_mutex_t preferred_lock = PTHREAD_MUTEX_INITIALIZER;
static char preferred[sizeof((sa_chip *)0)->name];

int sa_platform_prefer(const char *chip, int arch)
{
    char folder[PATH_MAX];
    struct dirent **files = NULL;
    const char *found = sa_chip_of_arch(arch);
    if (!*chip && !strcmp(found, DEFAULT_CHIP))
        return 0; /* says nothing that the default does not */
    int count = chips_folder(folder) ? -1 : scandir(folder, &files, is_chip_file, alphasort);
    pthread_mutex_lock(&preferred_lock);
    for (int i = 0; i < count; i++) {
        char *stem = files[i]->d_name;
        stem[strlen(stem) - (sizeof extension - 1)] = 0;
        if (!strcasecmp(stem, chip))
            found = stem;
    }
    if (!*preferred)
        snprintf(preferred, sizeof preferred, "%s", found);
    pthread_mutex_unlock(&preferred_lock);
    for (int i = 0; i < count; i++)
        free(files[i]);
    free(files);
    return 0;
}

static pthread_once_t default_once = PTHREAD_ONCE_INIT;
static sa_chip default_chip;
static sa_error default_error;

static void read_default(void)
{
    const char *name = getenv("SOFTASCEND_CHIP");
    char from_program[sizeof preferred];
    pthread_mutex_lock(&preferred_lock);
    memcpy(from_program, preferred, sizeof preferred);
    pthread_mutex_unlock(&preferred_lock);
    if (!name || !*name)
        name = *from_program ? from_program : DEFAULT_CHIP;
    sa_status status = sa_chip_find(name, &default_chip);
    if (status)
        sa_error_set(&default_error, status, "%s", sa_last_message());
}

const sa_chip *sa_chip_default(void)
{
    pthread_once(&default_once, read_default);
    if (!default_error.code)
        return &default_chip;
    sa_fail(default_error.code, "%s", default_error.message);
    return NULL;
}
