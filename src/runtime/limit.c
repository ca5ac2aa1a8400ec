/* How much memory the host has left for devices: what the kernel calls available, or less where a
 * control group (version 1 or 2) says so. */
#include "runtime/internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool sa_parse_bytes(const char *text, uint64_t *bytes)
{
    static const char units[] = "KMGT";
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || errno)
        return false;
    int shift = 0;
    const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    if (unit) {
        shift = 10 * (int)(unit - units + 1);
        end++;
    }
    if (*end || number > UINT64_MAX >> shift)
        return false;
    *bytes = (uint64_t)number << shift;
    return true;
}

static uint64_t available_in_meminfo(void)
{
    uint64_t kib = UINT64_MAX >> 10;
    char line[256];
    FILE *f = fopen("/proc/meminfo", "re");
    if (!f)
        return UINT64_MAX;
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %lu kB", &kib) == 1)
            break;
    fclose(f);
    return kib << 10;
}

/* A file with one number; UINT64_MAX if it is missing or says "max". */
static uint64_t number_in(const char *folder, const char *file)
{
    char path[1200];
    unsigned long long number = UINT64_MAX;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *f = fopen(path, "re");
    if (!f)
        return UINT64_MAX;
    if (fscanf(f, "%llu", &number) != 1)
        number = UINT64_MAX;
    fclose(f);
    return number;
}

/* Limit less use of one group, and the least over it and its parents. */
static uint64_t left_in_groups(const char *root, char *group, const char *limit, const char *used)
{
    uint64_t least = UINT64_MAX;
    for (;;) {
        char folder[1100];
        snprintf(folder, sizeof folder, "%s%s", root, group);
        uint64_t l = number_in(folder, limit), u = number_in(folder, used);
        if (l < UINT64_MAX >> 1) {
            uint64_t left = u > l ? 0 : l - u;
            least = left < least ? left : least;
        }
        char *slash = strrchr(group, '/');
        if (!slash)
            return least;
        *slash = '\0';
    }
}

uint64_t sa_host_available(void)
{
    uint64_t least = available_in_meminfo();
    char line[1024];
    FILE *f = fopen("/proc/self/cgroup", "re");
    if (!f)
        return least;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        char *names = strchr(line, ':'), *group = names ? strchr(names + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = '\0';
        uint64_t left = UINT64_MAX;
        if (!strcmp(names, ":"))
            left = left_in_groups("/sys/fs/cgroup", group, "memory.max", "memory.current");
        else if (strstr(names, "memory"))
            left = left_in_groups("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes",
                                  "memory.usage_in_bytes");
        least = left < least ? left : least;
    }
    fclose(f);
    return least;
}
