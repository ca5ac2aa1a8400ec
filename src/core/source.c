/* Code addresses to source lines, through the debug information of the modules in this process.
 * Without libdw: the symbol and module, from the dynamic linker. */
#define _GNU_SOURCE
#include "core/core.h"
#include "core/observe.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void module_offset(const void *pc, char *text, size_t bytes)
{
    Dl_info info;
    if (dladdr(pc, &info) && info.dli_fname)
        snprintf(text, bytes, "%s+0x%zx", base_name(info.dli_fname),
                 (size_t)((const char *)pc - (const char *)info.dli_fbase));
    else
        snprintf(text, bytes, "%p", pc);
}

#if SA_HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>

/* libdw is not thread-safe: one session under one lock, kept because opening it is what is slow. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Dwfl *session;

static Dwfl_Module *module_of(Dwarf_Addr address)
{
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo};
    Dwfl_Module *module = session ? dwfl_addrmodule(session, address) : NULL;
    if (module)
        return module;
    /* the first time, or a library has been loaded since */
    if (!session && !(session = dwfl_begin(&callbacks)))
        return NULL;
    dwfl_report_begin_add(session);
    if (dwfl_linux_proc_report(session, getpid()) != 0 || dwfl_report_end(session, NULL, NULL) != 0)
        return NULL;
    return dwfl_addrmodule(session, address);
}

static bool is_wrapper(const char *file)
{
    return strstr(file, "include/ascendc/") != NULL;
}

/* The innermost line outside the wrappers: the line table names the innermost inlined frame; each
 * inlined subroutine around it says where it was called from. */
static bool find_line(Dwarf_Addr address, const char **file, int *line)
{
    Dwfl_Module *module = module_of(address);
    Dwfl_Line *found = module ? dwfl_module_getsrc(module, address) : NULL;
    if (!found || !(*file = dwfl_lineinfo(found, NULL, line, NULL, NULL, NULL)))
        return false;
    if (!is_wrapper(*file))
        return true;
    Dwarf_Addr bias;
    Dwarf_Die *unit = dwfl_module_addrdie(module, address, &bias), *scopes = NULL, *inlined = NULL;
    Dwarf_Files *files;
    size_t count;
    if (!unit || dwarf_getsrcfiles(unit, &files, &count))
        return true;
    int depth = dwarf_getscopes(unit, address - bias, &scopes);
    if (depth > 0) {
        Dwarf_Die innermost = scopes[0];
        free(scopes);
        scopes = NULL;
        depth = dwarf_getscopes_die(&innermost, &inlined);
    }
    for (int i = 0; i < depth && is_wrapper(*file); i++) {
        Dwarf_Attribute attribute;
        Dwarf_Word call_file, call_line;
        if (dwarf_tag(&inlined[i]) != DW_TAG_inlined_subroutine ||
            dwarf_formudata(dwarf_attr(&inlined[i], DW_AT_call_file, &attribute), &call_file) ||
            dwarf_formudata(dwarf_attr(&inlined[i], DW_AT_call_line, &attribute), &call_line))
            continue;
        const char *name = dwarf_filesrc(files, call_file, NULL, NULL);
        if (name) {
            *file = name;
            *line = (int)call_line;
        }
    }
    free(inlined);
    return true;
}

void sa_source_line(const void *pc, char *text, size_t bytes)
{
    const char *file;
    int line;
    pthread_mutex_lock(&lock);
    bool found = find_line((Dwarf_Addr)(uintptr_t)pc - 1, &file, &line);
    if (found)
        snprintf(text, bytes, "%s:%d", base_name(file), line);
    pthread_mutex_unlock(&lock);
    if (!found)
        module_offset((const char *)pc - 1, text, bytes);
}

void sa_source_function(const void *pc, char *text, size_t bytes)
{
    Dwarf_Addr address = (Dwarf_Addr)(uintptr_t)pc - 1;
    pthread_mutex_lock(&lock);
    Dwfl_Module *module = module_of(address);
    const char *name = module ? dwfl_module_addrname(module, address) : NULL;
    if (name)
        snprintf(text, bytes, "%s", name);
    pthread_mutex_unlock(&lock);
    if (!name)
        module_offset((const char *)pc - 1, text, bytes);
}

#else

void sa_source_line(const void *pc, char *text, size_t bytes)
{
    module_offset((const char *)pc - 1, text, bytes);
}

void sa_source_function(const void *pc, char *text, size_t bytes)
{
    Dl_info info;
    if (dladdr((const char *)pc - 1, &info) && info.dli_sname)
        snprintf(text, bytes, "%s", info.dli_sname);
    else
        module_offset((const char *)pc - 1, text, bytes);
}
#endif
